"""
Texts of the dlti dialect: upstream's older spelling of an entry, `#dlti.dl_entry<index, 32 : i32>`, is accepted too.
"""

from collections.abc import Callable, Mapping

from xdsl.dialects.dlti import DataLayoutEntryAttr, DataLayoutSpecAttr
from xdsl.ir import Attribute, Operation
from xdsl.parser import AttrParser

from xshardy.syntax.formats import Format


def read_entry(parser: AttrParser) -> DataLayoutEntryAttr:
    """`<key, value>`"""
    with parser.in_angle_brackets():
        key = parser.parse_attribute()
        parser.parse_punctuation(",", " between the key and the value of a data layout entry")
        return DataLayoutEntryAttr(key, parser.parse_attribute())  # pyright: ignore[reportArgumentType]


def read_spec(parser: AttrParser) -> DataLayoutSpecAttr:
    """`<key = value, ...>`, where an entry may also be an attribute."""

    def read_one() -> DataLayoutEntryAttr:
        key = parser.parse_attribute()
        if isinstance(key, DataLayoutEntryAttr):
            return key
        parser.parse_punctuation("=", " between the key and the value of a data layout entry")
        return DataLayoutEntryAttr(key, parser.parse_attribute())  # pyright: ignore[reportArgumentType]

    entries = parser.parse_comma_separated_list(parser.Delimiter.ANGLE, read_one, " in a data layout")
    return DataLayoutSpecAttr({entry.key: entry.value for entry in entries})  # pyright: ignore[reportArgumentType]


FORMATS: Mapping[type[Operation], Format] = {}

ATTRIBUTE_READERS: Mapping[str, Callable[[AttrParser], Attribute]] = {
    "dlti.dl_entry": read_entry,
    "dlti.dl_spec": read_spec,
}
