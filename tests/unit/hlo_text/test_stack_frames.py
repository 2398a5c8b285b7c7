"""Places of stack frames, from the tables of a module."""

from collections.abc import Mapping

import pytest
from xdsl.dialects.builtin import Attribute, DictionaryAttr, FileLineColLoc, IntegerAttr, StringAttr, i64

from xshardy.hlo_text.locations import Tables, location_of_metadata

TABLES: Mapping[str, Attribute] = {
    "StackFrames": DictionaryAttr({"file_location_id": IntegerAttr(1, i64)}),
    "FileLocations": DictionaryAttr({"file_name_id": IntegerAttr(1, i64), "line": IntegerAttr(5, i64)}),
    "FileNames": StringAttr("model.py"),
}
"""The only row of each table."""


def place(changed: Mapping[str, Attribute]) -> object:
    return Tables({name: [row] for name, row in {**TABLES, **changed}.items()}).place_of_frame(1)


def test_the_place_of_a_frame():
    found = place({})
    assert isinstance(found, FileLineColLoc)
    assert (found.filename.data, found.line.data, found.column.data) == ("model.py", 5, 0)


@pytest.mark.parametrize(
    "changed",
    [
        {"FileNames": IntegerAttr(1, i64)},
        {"FileLocations": DictionaryAttr({"file_name_id": IntegerAttr(2, i64), "line": IntegerAttr(5, i64)})},
        {"FileLocations": DictionaryAttr({"file_name_id": IntegerAttr(1, i64)})},
        {"StackFrames": DictionaryAttr({"file_location_id": IntegerAttr(0, i64)})},
    ],
)
def test_a_frame_without_a_file_or_a_line_has_no_place(changed: Mapping[str, Attribute]):
    assert place(changed) is None


def test_a_file_and_a_line_in_the_metadata_come_before_those_of_a_frame():
    entries = {"source_file": StringAttr("fit.py"), "source_line": IntegerAttr(7, i64)}
    metadata = DictionaryAttr({**entries, "stack_frame_id": IntegerAttr(1, i64)})
    found = location_of_metadata(metadata, Tables({name: [row] for name, row in TABLES.items()}))
    assert isinstance(found, FileLineColLoc)
    assert (found.filename.data, found.line.data, found.column.data) == ("fit.py", 7, 0)
