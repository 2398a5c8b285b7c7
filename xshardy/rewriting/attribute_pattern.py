"""Patterns that rewrite attributes, wherever operations hold them."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, cast, final

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.rewriting.pattern import ANY_OPERATION


@dataclass(frozen=True)
class AttributePattern(RewritePattern):
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
    """By the identity of an attribute, which is kept alive here: what it becomes."""
    _converted_values: dict[Attribute, Attribute] = field(
        default_factory=dict[Attribute, Attribute], init=False, repr=False, compare=False
    )
    """By the attributes of the classes, as values: equal attributes become the same object."""

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
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        known = self._known
        for holder in (op.properties, op.attributes):
            for name, attribute in holder.items():
                entry = known.get(id(attribute))
                new = self._converted(attribute) if entry is None else entry[1]
                if new is not attribute:
                    holder[name] = new  # no entry comes or goes, so the iteration goes on
                    rewriter.notify_op_modified(op)

    def _converted(self, attribute: Attribute) -> Attribute:
        if (entry := self._known.get(id(attribute))) is not None:
            return entry[1]
        if isinstance(attribute, self.attribute_types):
            if (new := self._converted_values.get(attribute)) is None:
                new = self._converted_values[attribute] = self.convert(attribute)
            if new == attribute:
                new = attribute
        elif isinstance(attribute, self.not_inside):
            new = attribute
        else:
            new = self._with_converted_parts(attribute)
        self._known[id(attribute)] = attribute, new
        return new

    def _with_converted_parts(self, attribute: Attribute) -> Attribute:
        if isinstance(attribute, ParametrizedAttribute):
            parts = self._converted_parts(attribute.parameters)
            return attribute if parts is None else type(attribute).new(parts)
        if isinstance(attribute, ArrayAttr):
            parts = self._converted_parts(cast(ArrayAttr[Attribute], attribute).data)
            return ArrayAttr(parts) if parts is not None else cast(Attribute, attribute)
        if isinstance(attribute, DictionaryAttr):
            parts = self._converted_parts(tuple(attribute.data.values()))
            return attribute if parts is None else DictionaryAttr(dict(zip(attribute.data, parts, strict=True)))
        return attribute

    def _converted_parts(self, parts: Sequence[Attribute]) -> Sequence[Attribute] | None:
        """What `parts` become; None if all stay."""
        converted = [self._converted(part) for part in parts]
        return None if all(old is new for old, new in zip(parts, converted, strict=True)) else converted
