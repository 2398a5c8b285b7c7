"""Attributes that every instruction may have, independent of its opcode: metadata, sharding, configurations."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from xdsl.dialects.builtin import BytesAttr, DictionaryAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute

from xshardy.dialects.hlo.annotation_names import BACKEND_CONFIG, FRONTEND_ATTRIBUTES, METADATA, SHARDING
from xshardy.dialects.texts import text_attribute
from xshardy.hlo_text.codecs import integer
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.strings import quote, unquote


def read_dictionary(tokens: Tokens) -> DictionaryAttr:
    """
    `{op_name="jit(f)/add" source_line=3, key={...}}`: strings and integers are decoded, other values kept as text.
    """
    entries: dict[str, Attribute] = {}
    tokens.expect("{")
    while not tokens.accept("}"):
        name = tokens.take_name("the name of an entry")
        tokens.expect("=")
        entries[name] = read_entry(tokens)
        tokens.accept(",")
    return DictionaryAttr(entries)


def read_entry(tokens: Tokens) -> Attribute:
    """A string or an integer, decoded; any other value as text."""
    if tokens.kind == "number" and tokens.text.removeprefix("-").isdecimal():
        return integer(tokens.take_integer())
    return read_text(tokens)


def read_text(tokens: Tokens) -> StringAttr | BytesAttr:
    """A string without its quotes; any other value as written, up to the matching brace."""
    text = tokens.take_raw()
    return string(unquote(text) if text.startswith('"') else text)


def read_name(tokens: Tokens) -> StringAttr:
    """As `read_text`. Raises `HLOError` for a string that is not in UTF-8."""
    at = tokens.index
    text = read_text(tokens)
    if isinstance(text, BytesAttr):
        raise tokens.error("this string is not in UTF-8", index=at)
    return text


string = lru_cache(4096)(text_attribute)
"""A string attribute, cached: names of files and operations repeat."""


def is_dictionary(text: str) -> bool:
    """Whether XLA reads `text` without quotes: a JSON dictionary."""
    if not (text.startswith("{") and text.endswith("}")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def write_configuration(attribute: Attribute) -> str:
    """A JSON dictionary unquoted, any other text in quotes."""
    if isinstance(attribute, BytesAttr):
        return quote(attribute.data)
    text = text_of(attribute)
    return text if is_dictionary(text) else quote(text)


def text_of(attribute: Attribute) -> str:
    """The text of a string or an integer."""
    if isinstance(attribute, IntegerAttr):
        return str(cast(IntegerAttr, attribute).value.data)
    assert isinstance(attribute, StringAttr), "readers of annotations make strings, integers and dictionaries of them"
    return attribute.data


UNQUOTED_METADATA = frozenset({"profile_type", "preserve_layout"})


def write_metadata(attribute: Attribute) -> str:
    """`{op_name="jit(f)/add" source_line=3}`"""
    entries = cast(DictionaryAttr, attribute).data.items()
    return f"{{{' '.join(f'{name}={write_entry(name, value)}' for name, value in entries)}}}"


def write_entry(name: str, value: Attribute) -> str:
    """An entry of the metadata."""
    if isinstance(value, BytesAttr):
        return quote(value.data)
    is_quoted = isinstance(value, StringAttr) and name not in UNQUOTED_METADATA
    return quote(text_of(value)) if is_quoted else text_of(value)


def write_dictionary(attribute: Attribute) -> str:
    """`{a="b",c={...}}`"""
    entries = cast(DictionaryAttr, attribute).data.items()
    return f"{{{','.join(f'{name}={write_configuration(value)}' for name, value in entries)}}}"


@dataclass(frozen=True, slots=True)
class Annotation:
    """An annotation: the name of its discardable attribute, its reader, and its writer."""

    attribute: str
    read: Callable[[Tokens], Attribute]
    write: Callable[[Attribute], str]


ANNOTATIONS: Mapping[str, Annotation] = {
    "backend_config": Annotation(BACKEND_CONFIG, read_text, write_configuration),
    "control-predecessors": Annotation("hlo.control_predecessors", read_name, text_of),
    "frontend_attributes": Annotation(FRONTEND_ATTRIBUTES, read_dictionary, write_dictionary),
    "metadata": Annotation(METADATA, read_dictionary, write_metadata),
    "origin": Annotation("hlo.origin", read_name, text_of),
    "original_value": Annotation("hlo.original_value", read_name, text_of),
    "output_to_operand_aliasing": Annotation("hlo.output_to_operand_aliasing", read_name, text_of),
    "parameter_replication": Annotation("hlo.parameter_replication", read_name, text_of),
    "sharding": Annotation(SHARDING, read_name, text_of),
    "statistics": Annotation("hlo.statistics", read_name, text_of),
}
"""The annotations by their names in HLO text."""

MODULE_ANNOTATIONS = {"frontend_attributes": ANNOTATIONS["frontend_attributes"]}
"""Those that a module may have too."""


def write_annotations(
    attributes: Mapping[str, Attribute], annotations: Mapping[str, Annotation] = ANNOTATIONS
) -> list[str]:
    """`key=value` of each annotation among `attributes`."""
    if not attributes:
        return []
    return [
        f"{key}={annotation.write(attributes[annotation.attribute])}"
        for key, annotation in annotations.items()
        if annotation.attribute in attributes
    ]
