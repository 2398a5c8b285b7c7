"""Patterns that rewrite attributes, wherever operations hold them."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any, ClassVar, final

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.ir import new_attribute, parameters_of
from xshardy.rewriting.held_attributes import HeldAttributes
from xshardy.rewriting.pattern import ANY_OPERATION


class HeldAttributesPattern(RewritePattern):
    """
    Rewrites attributes as they are held by operations. It looks at each attribute once, and not at each operation.
    """

    @abstractmethod
    def rewrite_held(self, held: HeldAttributes, /) -> Sequence[Operation]:
        """Rewrite what operations hold. Returns those that changed."""

    @final
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        for changed in self.rewrite_held(HeldAttributes((op,))):
            rewriter.notify_op_modified(changed)


@dataclass(frozen=True)
class AttributePattern(HeldAttributesPattern):
    """
    Rewrites the attributes of some classes: properties and discardable attributes of an operation, and what is inside
    of their arrays, dictionaries and parameters. Types of values stay.

    `convert` returns what an attribute of the classes becomes; what is inside of it is not searched. Attributes are
    shared by many operations, so the result for each is remembered by its identity.
    """

    attribute_types: ClassVar[tuple[type[Attribute], ...]]
    """The classes that are rewritten."""
    not_inside: ClassVar[tuple[type[Attribute], ...]] = ()
    """Classes of attributes that hold none of `attribute_types`: these are not searched."""
    _known: dict[int, tuple[Attribute, Attribute]] = field(
        default_factory=dict[int, tuple[Attribute, Attribute]], init=False, repr=False, compare=False
    )
    """By the identity of an attribute, which is kept alive here, as in `HeldAttributes`: what it becomes."""
    _converted_values: dict[Attribute, Attribute] = field(
        default_factory=dict[Attribute, Attribute], init=False, repr=False, compare=False
    )
    """What attributes became, as values: equal attributes become the same object."""
    _converters: dict[type[Attribute], Callable[[Any], Attribute] | None] = field(
        default_factory=dict[type[Attribute], Callable[[Any], Attribute] | None], init=False, repr=False, compare=False
    )
    """By class of attributes, what is done to them; None if they stay."""

    @final
    @property
    def op_types(self) -> tuple[type, ...]:
        """Any operation; none if the pattern does not apply."""
        return ANY_OPERATION if self.applies() else ()

    def applies(self) -> bool:
        """Whether there may be an attribute to convert. If not, the driver does not walk."""
        return True

    @abstractmethod
    def convert(self, attribute: Attribute, /) -> Attribute:
        """What `attribute`, of one of the classes, becomes; itself if it stays."""

    @final
    def rewrite_held(self, held: HeldAttributes, /) -> Sequence[Operation]:
        new: dict[int, Attribute] = {}
        for attribute in held.distinct():
            if (converted := self._converted(attribute)) is not attribute:
                new[id(attribute)] = converted
        return held.replace(new) if new else ()

    def _converted(self, attribute: Attribute) -> Attribute:
        kind = type(attribute)
        convert = self._converters[kind] if kind in self._converters else self._add_converter(kind)
        if convert is None:
            return attribute
        if (entry := self._known.get(id(attribute))) is not None:
            return entry[1]
        new = convert(attribute)
        self._known[id(attribute)] = attribute, new
        return new

    def _add_converter(self, kind: type[Attribute]) -> Callable[[Any], Attribute] | None:
        """Find out what is done to attributes of a class."""
        if issubclass(kind, self.attribute_types):
            converter = self._converted_value
        elif issubclass(kind, self.not_inside):
            converter = None
        elif issubclass(kind, ParametrizedAttribute):
            converter = self._with_converted_parameters
        elif issubclass(kind, ArrayAttr):
            converter = self._with_converted_elements
        else:
            converter = self._with_converted_values if issubclass(kind, DictionaryAttr) else None
        self._converters[kind] = converter
        return converter

    def _converted_value(self, attribute: Attribute) -> Attribute:
        new = self.convert(attribute)
        return attribute if new == attribute else self._converted_values.setdefault(new, new)

    def _with_converted_parameters(self, attribute: ParametrizedAttribute) -> Attribute:
        parts = self._converted_parts(parameters_of(type(attribute))(attribute))
        return attribute if parts is None else new_attribute(type(attribute), *parts)

    def _with_converted_elements(self, attribute: ArrayAttr[Attribute]) -> Attribute:
        parts = self._converted_parts(attribute.data)
        return attribute if parts is None else ArrayAttr(parts)

    def _with_converted_values(self, attribute: DictionaryAttr) -> Attribute:
        parts = self._converted_parts(tuple(attribute.data.values()))
        return attribute if parts is None else DictionaryAttr(dict(zip(attribute.data, parts, strict=True)))

    def _converted_parts(self, parts: Sequence[Attribute]) -> Sequence[Attribute] | None:
        """What `parts` become; None if all stay."""
        converted = [*map(self._converted, parts)]
        return None if all(map(is_, parts, converted)) else converted
