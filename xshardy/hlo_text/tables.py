"""
The tables behind the header of a module, to which the metadata of instructions refers: files, functions, places.

```
FileNames
1 "model.py"

StackFrames
1 {file_location_id=1 parent_frame_id=1}
```
"""

from collections.abc import Mapping
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.ir import Attribute

from xshardy.hlo_text.annotations import read_dictionary, write_metadata
from xshardy.hlo_text.fields import read_string
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.strings import quote

TABLES: Mapping[str, str] = {
    "FileNames": "hlo.file_names",
    "FunctionNames": "hlo.function_names",
    "FileLocations": "hlo.file_locations",
    "StackFrames": "hlo.stack_frames",
}
"""The attribute of the module that keeps each table, in the order in which XLA prints them."""


def read_tables(tokens: Tokens) -> dict[str, Attribute]:
    """Step over the tables, if there are any. Rows are numbered from 1."""
    attributes: dict[str, Attribute] = {}
    while (name := TABLES.get(tokens.text)) is not None and tokens.texts[tokens.index + 1] == "1":
        at = tokens.index
        if name in attributes:
            raise tokens.error(f"the table {tokens.text} is given twice", "remove one of the two", at)
        tokens.index += 1
        rows: list[Attribute] = []
        while tokens.kind == "number":
            if (number := tokens.take_integer()) != len(rows) + 1:
                message = f"row {number} follows row {len(rows)}"
                raise tokens.error(message, "number the rows 1, 2, 3, ...", tokens.index - 1)
            rows.append(read_dictionary(tokens) if tokens.text == "{" else StringAttr(read_string(tokens)))
        attributes[name] = ArrayAttr(rows)
    return attributes


def write_tables(attributes: Mapping[str, Attribute]) -> list[str]:
    """The lines of the tables among `attributes`."""
    lines: list[str] = []
    for title, name in TABLES.items():
        if (rows := attributes.get(name)) is None:
            continue
        lines += ["", title]
        for number, row in enumerate(cast(ArrayAttr[Attribute], rows), 1):
            text = quote(row.data) if isinstance(row, StringAttr) else write_metadata(cast(DictionaryAttr, row))
            lines.append(f"{number} {text}")
    return lines
