"""Attributes that are long enough to be printed as an alias, `#indexing_map`, defined at the top of the module."""

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir import Attribute


class AliasAttr:
    """Mixin for an attribute class: instances print as `#NAME`, `#NAME1`, ..., where NAME is its `ALIAS`."""

    ALIAS: ClassVar[str]


BUILTIN_ALIASES: Mapping[type[Attribute], str] = {AffineMapAttr: "map", AffineSetAttr: "set"}


def alias_stem(attribute: Attribute) -> str | None:
    """What the aliases of `attribute` are called before they are numbered; None if it is always printed in full."""
    if isinstance(attribute, AliasAttr):
        return attribute.ALIAS
    return BUILTIN_ALIASES.get(type(attribute))


class AliasTable:
    """
    The aliases of one module. Two attributes with one text share an alias.

    An attribute is defined after those its own text refers to, and otherwise by its alias, as upstream sorts them.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._definitions: list[tuple[int, str, str]] = []
        self._depths: list[int] = [0]

    def name(self, stem: str, render: Callable[[], str]) -> str:
        """The alias, with its `#`, of the attribute that `render` writes in full."""
        self._depths.append(0)
        text = render()
        depth = self._depths.pop()
        if (name := self._names.get(text)) is None:
            count = self._counts.get(stem, 0)
            self._counts[stem] = count + 1
            name = self._names[text] = f"#{stem}{count or ''}"
            self._definitions.append((depth, stem, f"{name} = {text}\n"))
        self._depths[-1] = max(self._depths[-1], depth + 1)
        return name

    def definitions(self, others: Iterable[tuple[int, str, str]] = ()) -> str:
        """
        A line `#alias = attribute` for each alias that `name` gave, and `others` among them: the depth, stem and line
        of each.
        """
        return "".join(line for _, _, line in sorted((*self._definitions, *others), key=lambda row: row[:2]))
