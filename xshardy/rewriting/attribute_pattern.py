"""Patterns that rewrite attributes, wherever operations hold them."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias, final

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.ir import new_attribute, parameters_of
from xshardy.ir.hashing import Key, key_of
from xshardy.rewriting.pattern import ANY_OPERATION


class HeldAttributesPattern(RewritePattern):
    """Rewrites the attributes of operations, one after the other in one loop: the driver starts no match for each."""

    @abstractmethod
    def rewrite_held(self, ops: Iterable[Operation], /) -> Sequence[Operation]:
        """Rewrite what `ops` hold. Returns those that changed."""

    @final
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        for changed in self.rewrite_held((op,)):
            rewriter.notify_op_modified(changed)


Converter: TypeAlias = Callable[[Any], Attribute | None]
"""What an attribute of a class becomes; None if it stays."""


@dataclass(frozen=True)
class AttributePattern(HeldAttributesPattern):
    """
    Rewrites the attributes of some classes: properties and discardable attributes of an operation, and what is inside
    of their arrays, dictionaries and parameters. Types of values stay.

    `convert` returns what an attribute of the classes becomes; what is inside of it is not searched. Many operations
    have equal attributes, so the result for each is remembered.
    """

    attribute_types: ClassVar[tuple[type[Attribute], ...]]
    """The classes that are rewritten."""
    not_inside: ClassVar[tuple[type[Attribute], ...]] = ()
    """Classes of attributes that hold none of `attribute_types`: these are not searched."""
    _converted: dict[Key, Attribute | None] = field(
        default_factory=dict[Key, Attribute | None], init=False, repr=False, compare=False
    )
    """What attributes become; None for those that stay."""
    _converters: dict[type[Attribute], Converter | None] = field(
        default_factory=dict[type[Attribute], Converter | None], init=False, repr=False, compare=False
    )
    """By class of attributes, what is done to them, as in `_new`; None if they stay."""

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
    def rewrite_held(self, ops: Iterable[Operation], /) -> Sequence[Operation]:
        changed: dict[Operation, None] = {}
        looked_at: dict[int, tuple[Attribute, Attribute | None]] = {}
        """By the identity of an attribute, which is kept alive here: a key takes 3 times as long, and 2 us at first."""
        for op in ops:
            for held in (op.properties, op.attributes):
                for name, attribute in held.items():
                    if (entry := looked_at.get(id(attribute))) is None:
                        entry = looked_at[id(attribute)] = attribute, self._new(attribute)
                    if entry[1] is not None:
                        held[name] = entry[1]
                        changed[op] = None
        return [*changed]

    def _new(self, attribute: Attribute) -> Attribute | None:
        """What `attribute` becomes; None if it stays."""
        kind = type(attribute)
        convert = self._converters[kind] if kind in self._converters else self._add_converter(kind)
        if convert is None:
            return None
        key = key_of(attribute)
        if key not in self._converted:
            self._converted[key] = convert(attribute)
        return self._converted[key]

    def _add_converter(self, kind: type[Attribute]) -> Converter | None:
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

    def _converted_value(self, attribute: Attribute) -> Attribute | None:
        new = self.convert(attribute)
        return None if new == attribute else new

    def _with_converted_parameters(self, attribute: ParametrizedAttribute) -> Attribute | None:
        parts = self._converted_parts(parameters_of(type(attribute))(attribute))
        return None if parts is None else new_attribute(type(attribute), *parts)

    def _with_converted_elements(self, attribute: ArrayAttr[Attribute]) -> Attribute | None:
        parts = self._converted_parts(attribute.data)
        return None if parts is None else ArrayAttr(parts)

    def _with_converted_values(self, attribute: DictionaryAttr) -> Attribute | None:
        parts = self._converted_parts(tuple(attribute.data.values()))
        return None if parts is None else DictionaryAttr(dict(zip(attribute.data, parts, strict=True)))

    def _converted_parts(self, parts: Sequence[Attribute]) -> Sequence[Attribute] | None:
        """What `parts` become; None if all stay."""
        new = [*map(self._new, parts)]
        if all(part is None for part in new):
            return None
        return [old if part is None else part for old, part in zip(parts, new, strict=True)]
