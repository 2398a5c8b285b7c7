"""
Locations from the metadata of HLO instructions: the name of a JAX operation, and its place in the user's program.

Source: XLA, the tables `FileNames`, `FileLocations` and `StackFrames` of a module, and `OpMetadata`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from xshardy.dialects.hlo.annotation_names import METADATA
from xshardy.hlo_text.tables import TABLES
from xshardy.rewriting.walk import operations_in
from xshardy.syntax.locations.values import named, place_in_file


@dataclass(frozen=True, slots=True)
class Tables:
    """The rows of the tables of a module, by the names of the tables."""

    rows: Mapping[str, Sequence[Attribute]]

    def row(self, table: str, number: int | None) -> Attribute | None:
        """Row `number`, from 1, of `table`; None if there is none."""
        rows = self.rows.get(table, ())
        return rows[number - 1] if number is not None and 1 <= number <= len(rows) else None

    def place_of_frame(self, frame: int | None) -> LocationAttr | None:
        """The innermost place of the stack with number `frame`."""
        location = self.row("FileLocations", number_in(self.row("StackFrames", frame), "file_location_id"))
        file = self.row("FileNames", number_in(location, "file_name_id"))
        line = number_in(location, "line")
        if not isinstance(file, StringAttr) or line is None:
            return None
        return place_in_file(file.data, line, number_in(location, "column") or 0)


def number_in(entries: Attribute | None, name: str) -> int | None:
    """The integer that a row or the metadata of an instruction has as `name`."""
    value = entries.data.get(name) if isinstance(entries, DictionaryAttr) else None
    return cast(IntegerAttr, value).value.data if isinstance(value, IntegerAttr) else None


def text_in(entries: Attribute | None, name: str) -> str | None:
    """The text that the metadata of an instruction has as `name`."""
    value = entries.data.get(name) if isinstance(entries, DictionaryAttr) else None
    return value.data if isinstance(value, StringAttr) and value.data else None


def location_of_metadata(metadata: Attribute | None, tables: Tables) -> LocationAttr:
    """`loc("jit(f)/add"("model.py":42:0))`; unknown without metadata."""
    file, line = text_in(metadata, "source_file"), number_in(metadata, "source_line")
    if file is not None and line is not None:
        place = place_in_file(file, line, 0)
    else:
        place = tables.place_of_frame(number_in(metadata, "stack_frame_id"))
    name = text_in(metadata, "op_name")
    return (place or UNKNOWN_LOC) if name is None else named(name, place)


def locate(module: ModuleOp) -> None:
    """Give the operations and the arguments of functions in `module` the locations that their metadata has."""
    rows = {table: module.attributes.get(name) for table, name in TABLES.items()}
    tables = Tables(
        {table: cast(ArrayAttr[Attribute], found).data for table, found in rows.items() if isinstance(found, ArrayAttr)}
    )
    for op in operations_in(module):
        if (metadata := op.attributes.get(METADATA)) is not None:
            op.location = location_of_metadata(metadata, tables)
        elif isinstance(op, FuncOp) and op.body.blocks and op.arg_attrs is not None:
            for argument, attributes in zip(op.args, op.arg_attrs, strict=True):
                argument.location = location_of_metadata(attributes.data.get(METADATA), tables)
