"""Patterns that rewrite attributes, wherever operations hold them."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, final

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.rewriting.pattern import ANY_OPERATION


@dataclass(frozen=True)
class AttributePattern(RewritePattern):
    """
    Rewrites the attributes of some classes: properties and discardable attributes of an operation, and what is inside
    of their arrays, dictionaries and parameters, parts before wholes. Types of values stay.

    `attribute_types` are the classes. Below it, `convert` says what each attribute becomes. Attributes are shared by
    many operations, so what was found for one is remembered by its identity.
    """

    attribute_types: ClassVar[tuple[type[Attribute], ...]]
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
        new = self._with_converted_parts(attribute)
        if isinstance(new, self.attribute_types):
            if (value := self._converted_values.get(new)) is None:
                value = self._converted_values[new] = self.convert(new)
            new = value
        if new == attribute:
            new = attribute
        self._known[id(attribute)] = attribute, new
        return new

    def _with_converted_parts(self, attribute: Attribute) -> Attribute:
        match attribute:
            case ArrayAttr():
                parts: Sequence[Attribute] = attribute.data
                converted = [self._converted(part) for part in parts]
                return attribute if _same(parts, converted) else ArrayAttr(converted)
            case DictionaryAttr():
                parts = tuple(attribute.data.values())
                converted = [self._converted(part) for part in parts]
                if _same(parts, converted):
                    return attribute
                return DictionaryAttr(dict(zip(attribute.data, converted, strict=True)))
            case ParametrizedAttribute():
                parts = attribute.parameters
                converted = [self._converted(part) for part in parts]
                return attribute if _same(parts, converted) else type(attribute).new(converted)
            case _:
                return attribute


def _same(old: Sequence[Attribute], new: Sequence[Attribute]) -> bool:
    return all(a is b for a, b in zip(old, new, strict=True))
