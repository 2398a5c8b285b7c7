"""
Modules as MLIR bytecode: as they are, or as portable artifacts of StableHLO, in VHLO.

Operations are written first, which gives numbers to what they refer to; then come the tables. The format is the newest
in which properties are attributes: in newer ones they have no names, and which there are depends on the version of the
dialect that reads them. MLIR reads all older formats.
Source: MLIR, docs/BytecodeFormat; StableHLO, docs/vhlo.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import cast

from xdsl.dialects.builtin import (
    DictionaryAttr,
    LocationAttr,
    UnknownLoc,
    UnrealizedConversionCastOp,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsolatedFromAbove

from xshardy.ir.fields import operands_of
from xshardy.syntax.bytecode.attribute_numbers import BUILTIN_DIALECT, Form, NumberTable, WrittenEntry, grouped
from xshardy.syntax.bytecode.container import UNKNOWN_ARGUMENT_LOCATIONS, Section
from xshardy.syntax.bytecode.contents import VHLO_PREFIX
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.operations import (
    HAS_ATTRIBUTES,
    HAS_OPERANDS,
    HAS_REGIONS,
    HAS_RESULTS,
    HAS_SUCCESSORS,
)
from xshardy.syntax.bytecode.resources import written_names
from xshardy.syntax.bytecode.stream import MAGIC, ByteWriter
from xshardy.syntax.bytecode.vhlo import MIXED, Version
from xshardy.syntax.bytecode.vhlo_operations import VHLO_NAMES, VHLO_OPERATIONS, VhloOperation
from xshardy.syntax.locations import location_of
from xshardy.syntax.locations.text import resolved

FORMAT = UNKNOWN_ARGUMENT_LOCATIONS
"""The newest version of the format without properties."""

CAST = UnrealizedConversionCastOp.name


class BytecodeWriter:
    """Writes one module; with a `version` of StableHLO, as an artifact. Methods raise `BytecodeError`."""

    def __init__(self, version: Version | None):
        self._version = version
        self._table = NumberTable(version)
        self._names: dict[str, int] = {}
        """The numbers of the names of operations."""
        self._values: dict[SSAValue, int] = {}
        """The numbers of the values in scope."""
        self._size = 0
        """How many values are in scope."""
        self._casts: dict[Operation, Mapping[SSAValue, int]] = {}
        """The numbers of an operation's operands that are cast between the types of VHLO and others for it."""

    def write(self, module: Operation, producer: str) -> bytes:
        """The bytecode of `module`, of which `producer` is said to have written it."""
        operations = ByteWriter()
        operations.varint(1 << 1)
        self._operation(operations, module)
        attributes, types = self._table.entries()
        written = ByteWriter(bytearray(MAGIC))
        written.varint(FORMAT)
        written.text(producer)
        offsets = self._offsets(attributes, types)
        names = self._dialects()
        _add(written, Section.STRINGS, self._strings())
        _add(written, Section.DIALECTS, names)
        _add(written, Section.ATTRIBUTES, b"".join(entry.data for entry in (*attributes, *types)))
        _add(written, Section.ATTRIBUTE_OFFSETS, offsets)
        _add(written, Section.OPERATIONS, operations.data)
        if self._table.resources:
            _add(written, Section.RESOURCES, b"")
            _add(written, Section.RESOURCE_OFFSETS, self._resources())
        return bytes(written.data)

    # Tables

    def _strings(self) -> bytes:
        strings = (text if isinstance(text, bytes) else text.encode() for text in self._table.strings)
        writer, texts = ByteWriter(), [string + b"\0" for string in strings]
        writer.varint(len(texts))
        for text in reversed(texts):
            writer.varint(len(text))
        return bytes(writer.data) + b"".join(texts)

    def _dialects(self) -> bytes:
        """The names of the dialects and of the operations, in the order of their numbers."""
        groups = ByteWriter()
        for dialect, group in groupby(self._names, lambda name: name.partition(".")[0]):
            names = tuple(group)
            groups.varint(self._table.dialect(dialect))
            groups.varint(len(names))
            for name in names:
                groups.varint(self._table.string(name.partition(".")[2]))
        writer = ByteWriter()
        writer.varint(len(self._table.dialects))
        for dialect in self._table.dialects:
            writer.varint(self._table.string(dialect) << 1)
        writer.varint(len(self._names))
        return bytes(writer.data + groups.data)

    def _offsets(self, attributes: Sequence[WrittenEntry], types: Sequence[WrittenEntry]) -> bytes:
        writer = ByteWriter()
        writer.varint(len(attributes))
        writer.varint(len(types))
        for entries in (attributes, types):
            for dialect, group in grouped(entries):
                writer.varint(self._table.dialect(dialect))
                writer.varint(len(group))
                for entry in group:
                    writer.varint(len(entry.data) << 1 | entry.is_encoded)
        return bytes(writer.data)

    def _resources(self) -> bytes:
        names = [self._table.string(name) for name in self._table.resources]
        return written_names(self._table.dialect(BUILTIN_DIALECT), names)

    # Operations

    def _row(self, op: Operation) -> tuple[VhloOperation, int] | None:
        """The row of an operation that is written in VHLO, and its version there; None for any other."""
        if self._version is None or (name := VHLO_NAMES.get(op.name)) is None:
            return None
        row = VHLO_OPERATIONS[name]
        if (number := row.version_for(self._version)) == 0:
            self._table.check_version(row.versions[0], f"'{op.name}'")
        if number == 1 and row.one_operand_before and len(op.operands) != 1:
            self._table.check_version(row.versions[1], f"'{op.name}' with {len(op.operands)} operands")
        return row, number

    def _form(self, op: Operation | None) -> Form:
        """The form of the types of an operation, and of the arguments of its blocks."""
        return Form.VHLO if self._version is not None and op is not None and op.name in VHLO_NAMES else Form.PLAIN

    def _form_of(self, value: SSAValue) -> Form:
        owner = value.owner
        return self._form(owner if isinstance(owner, Operation) else owner.parent_op())

    def _operation(self, writer: ByteWriter, op: Operation) -> None:
        row, form = self._row(op), self._form(op)
        if row is None and form is Form.PLAIN and self._version is not None and "." in op.name:
            self._check_mixed(op)
        location = self._location(location_of(op))
        casts = self._casts.get(op, {})
        for value in casts:
            self._cast(writer, self._values[value], value.type, form, location)
        name = op.name if row is None else f"{VHLO_PREFIX}{VHLO_NAMES[op.name]}_v{row[1]}"
        writer.varint(self._names.setdefault(name, len(self._names)))
        mask_at = len(writer.data)
        writer.data.append(0)
        writer.varint(location)
        mask = 0
        if (attributes := self._attributes(op, row)) is not None:
            mask |= HAS_ATTRIBUTES
            writer.varint(self._table.attribute(attributes, Form.PLAIN if row is None else Form.ENTRIES))
        if op.results:
            mask |= HAS_RESULTS
            writer.varint(len(op.results))
            for result in op.results:
                writer.varint(self._table.type(result.type, form))
        if operands_of(op):
            mask |= HAS_OPERANDS
            writer.varint(len(operands_of(op)))
            for value in operands_of(op):
                writer.varint(casts.get(value, self._number(value, op)))
        if op.successors:
            mask |= HAS_SUCCESSORS
            blocks: Sequence[Block] = tuple(op.parent_region().blocks)  # pyright: ignore[reportOptionalMemberAccess]
            writer.varint(len(op.successors))
            for block in op.successors:
                writer.varint(blocks.index(block))
        if op.regions:
            mask |= HAS_REGIONS
            self._regions(writer, op)
        writer.data[mask_at] = mask

    def _check_mixed(self, op: Operation) -> None:
        if op.name != "builtin.module":
            self._table.check_version(MIXED, f"'{op.name}', which is not StableHLO's,")

    def _number(self, value: SSAValue, op: Operation) -> int:
        if (number := self._values.get(value)) is None:
            raise BytecodeError(f"'{op.name}' uses a value that is not in scope")
        return number

    def _cast(self, writer: ByteWriter, value: int, type: Attribute, form: Form, location: int) -> None:
        """A cast of `value` to `type` in another form."""
        writer.varint(self._names.setdefault(CAST, len(self._names)))
        writer.data.append(HAS_RESULTS | HAS_OPERANDS)
        writer.varint(location)
        for number in (1, self._table.type(type, form), 1, value):
            writer.varint(number)

    def _location(self, location: LocationAttr) -> int:
        return self._table.attribute(cast(Attribute, resolved(location)))

    def _attributes(self, op: Operation, row: tuple[VhloOperation, int] | None) -> DictionaryAttr | None:
        """The properties and attributes of `op`, if it has any."""
        inner = op.properties if row is None else self._vhlo_attributes(op, *row)
        both = {**inner, **op.attributes}
        return DictionaryAttr(both) if both else None

    def _vhlo_attributes(self, op: Operation, row: VhloOperation, version: int) -> Mapping[str, Attribute]:
        values = row.values(op)
        for name, before in row.missing(version).items():
            if values.pop(name) != before:
                self._table.check_version(row.versions[version], f"'{op.name}' with '{name}'")
        return values

    # Regions

    def _regions(self, writer: ByteWriter, op: Operation) -> None:
        is_isolated = op.has_trait(IsolatedFromAbove)
        writer.varint(len(op.regions) << 1 | is_isolated)
        if not is_isolated:
            for region in op.regions:
                self._region(writer, region)
            return
        around = self._values, self._size
        self._values, self._size = {}, 0
        inner = ByteWriter()
        for region in op.regions:
            self._region(inner, region)
        _add(writer, Section.OPERATIONS, inner.data)
        self._values, self._size = around

    def _region(self, writer: ByteWriter, region: Region) -> None:
        blocks = tuple(region.blocks)
        writer.varint(len(blocks))
        if not blocks:
            return
        base = self._size
        defined = list(self._give_numbers(blocks))
        writer.varint(self._size - base)
        for block in blocks:
            operations = tuple(block.ops)
            casts = sum(len(self._casts.get(op, ())) for op in operations)
            writer.varint(len(operations) + casts << 1 | bool(block.args))
            if block.args:
                self._arguments(writer, block.args, self._form(region.parent_op()))
            for op in operations:
                self._operation(writer, op)
        for value in defined:
            del self._values[value]
        self._size = base

    def _give_numbers(self, blocks: Sequence[Block]) -> Iterator[SSAValue]:
        """Give numbers to the values of `blocks`, and to the casts in front of their operations."""
        for block in blocks:
            yield from map(self._define, block.args)
            for op in block.ops:
                if self._version is not None and operands_of(op):
                    form = self._form(op)
                    cast = dict.fromkeys(value for value in operands_of(op) if self._form_of(value) is not form)
                    self._casts[op] = {value: self._size + index for index, value in enumerate(cast)}
                    self._size += len(cast)
                yield from map(self._define, op.results)

    def _define(self, value: SSAValue) -> SSAValue:
        self._values[value] = self._size
        self._size += 1
        return value

    def _arguments(self, writer: ByteWriter, arguments: Sequence[BlockArgument], form: Form) -> None:
        writer.varint(len(arguments))
        for argument in arguments:
            location = location_of(argument)
            is_located = not isinstance(location, UnknownLoc)
            writer.varint(self._table.type(argument.type, form) << 1 | is_located)
            if is_located:
                writer.varint(self._location(location))
        writer.data.append(0)  # the uses are in the order in which they are read


def _add(writer: ByteWriter, section: Section, content: bytes | bytearray) -> None:
    writer.data.append(section)
    writer.varint(len(content))
    writer.data += content
