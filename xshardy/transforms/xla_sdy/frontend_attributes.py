"""Attributes of sdy as texts in `mhlo.frontend_attributes`: of an operation, a function's argument, or a module."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TypeVar

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import ParseError, VerifyException

from xshardy.dialects.hlo.annotation_names import FRONTEND_ATTRIBUTES
from xshardy.syntax.parser import Parser
from xshardy.transforms.failures import OperationFailedException
from xshardy.universe import new_context

AttributeT = TypeVar("AttributeT", bound=Attribute)
Attributes = Mapping[str, Attribute]


def frontend_entries(attributes: Attributes) -> Attributes:
    """The frontend attributes among `attributes`; an empty mapping if there are none."""
    entries = attributes.get(FRONTEND_ATTRIBUTES)
    return entries.data if isinstance(entries, DictionaryAttr) else {}


def with_frontend(attributes: Attributes, entries: Attributes) -> dict[str, Attribute]:
    """`attributes` with more frontend attributes, sorted by name: those other than strings are written as text."""
    texts = {
        name: value if isinstance(value, StringAttr) else StringAttr(str(value)) for name, value in entries.items()
    }
    merged = {**frontend_entries(attributes), **texts}
    return {**attributes, FRONTEND_ATTRIBUTES: DictionaryAttr(dict(sorted(merged.items())))}


def without_frontend(attributes: Attributes, *names: str) -> dict[str, Attribute]:
    """`attributes` without the frontend attributes `names`; without any, if no other is left."""
    entries = frontend_entries(attributes)
    kept = {name: value for name, value in entries.items() if name not in names}
    if len(kept) == len(entries):
        return dict(attributes)
    if kept:
        return {**attributes, FRONTEND_ATTRIBUTES: DictionaryAttr(kept)}
    return {name: value for name, value in attributes.items() if name != FRONTEND_ATTRIBUTES}


def frontend_attribute(attributes: Attributes, name: str, kind: type[AttributeT], op: Operation) -> AttributeT | None:
    """
    The attribute whose text is the frontend attribute `name`; None if there is none of that name.

    Raises `OperationFailedException` at `op` if it is no text of a `kind`.
    """
    entry = frontend_entries(attributes).get(name)
    if entry is None:
        return None
    if not isinstance(entry, StringAttr):
        raise OperationFailedException(op, f"{name} is {entry}: expected the text of an attribute, in quotes")
    try:
        attribute = attribute_of_text(entry.data)
    except (ParseError, VerifyException) as error:
        detail = error.msg if isinstance(error, ParseError) else str(error)
        raise OperationFailedException(op, f"{name} is {entry.data!r}, which cannot be read: {detail}") from error
    if not isinstance(attribute, kind):
        raise OperationFailedException(op, f"{name} is {entry.data!r}: expected the text of a `{kind.name}`")
    return attribute


@lru_cache(maxsize=4096)
def attribute_of_text(text: str) -> Attribute:
    """
    The attribute that `text` describes; backslashes in front of quotes, which HLO text adds, are dropped.

    Raises `ParseError` or `VerifyException`.
    """
    return Parser(_context(), unescaped(text), "<frontend attribute>").parse_whole_attribute()


_context = cache(new_context)
_ESCAPED = re.compile(r'\\(["\\\'])')


def unescaped(text: str) -> str:
    r"""`[{\"a\"}]` -> `[{"a"}]`: the names of axes in a text that HLO has quoted."""
    return _ESCAPED.sub(r"\1", text)
