"""
What the texts that are parsed in one context share: templates of lines, and types, attributes and
dictionaries by their text.

What a text means depends on the context, which only ever gains dialects, and on the aliases and resources that the
text around it defines. What names neither is kept with the context. Contexts of `new_context` have a memo; one that
allows unregistered operations, whose short names may stand for any, is not used.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from xdsl.context import Context
from xdsl.ir import Attribute, TypeAttribute

from xshardy.syntax.templates import Template
from xshardy.universe import ContextWithMemos

K = TypeVar("K")
V = TypeVar("V")

MOST_KEPT = 4096

_ALIAS_OR_RESOURCE = re.compile(r"[#!](?![A-Za-z_$][\w$-]*\.)|resource")
"""What may be an alias, whose name has no dot, or a resource."""


class Kept(dict[K, V]):
    """Forgets all when a value is added to MOST_KEPT others: a process may read any number of modules."""

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= MOST_KEPT:
            self.clear()
        super().__setitem__(key, value)


@dataclass(slots=True)
class ContextMemo:
    """What is kept with a context."""

    templates: defaultdict[Hashable, Kept[Hashable, Template]] = field(
        default_factory=lambda: defaultdict(Kept[Hashable, Template])
    )
    """By what is around a line, and by the key of the line."""
    dictionaries: Kept[str, Mapping[str, Attribute]] = field(default_factory=Kept[str, Mapping[str, Attribute]])
    attributes: Kept[str, Attribute] = field(default_factory=Kept[str, Attribute])
    types: Kept[str, TypeAttribute] = field(default_factory=Kept[str, TypeAttribute])


def memo_of(context: Context) -> ContextMemo:
    """The memo of `context`; a new one if it keeps none."""
    if context.allow_unregistered or not isinstance(context, ContextWithMemos):
        return ContextMemo()
    return context.memos.setdefault(ContextMemo, ContextMemo())


def depends_on_context_only(text: str) -> bool:
    """Whether `text` has no alias, and names no resource."""
    return _ALIAS_OR_RESOURCE.search(text) is None
