"""
Operations, blocks and regions of bytecode, built from the numbers of their parts.

A value is a number: its place among the values that a region defines, behind those of the regions around, up to an
isolated one. What has the same number has the same type or attribute, read once.
Source: MLIR, docs/BytecodeFormat, "IR Section"; the order of values as jaxlib's bytes have it.
"""

from collections.abc import Sequence
from functools import cache
from operator import length_hint
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.parser.core import ForwardDeclaredValue

from xshardy.construction import add_regions, fill_block, new_block, new_operation, new_region
from xshardy.syntax.bytecode.attribute_table import AttributeTable
from xshardy.syntax.bytecode.container import (
    REGION_SECTIONS,
    UNKNOWN_ARGUMENT_LOCATIONS,
    USE_LIST_ORDERS,
    Container,
    Section,
)
from xshardy.syntax.bytecode.contents import ContentTable
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.stream import MOST_ALIGNMENT
from xshardy.syntax.locations.text import is_location

HAS_ATTRIBUTES, HAS_RESULTS, HAS_OPERANDS, HAS_SUCCESSORS, HAS_REGIONS, HAS_USE_ORDERS, HAS_PROPERTIES = (
    1 << bit for bit in range(7)
)
"""The bits of the mask that says which parts of an operation follow."""

_UNKNOWN_TYPE: Any = UNKNOWN_LOC
"""Stands for the type of a value until it is defined."""


class OperationReader:
    """Reads the operations of `container`. Raises `BytecodeError`."""

    def __init__(self, container: Container, context: Context):
        self._attributes = AttributeTable(container, context)
        contents = ContentTable(container, self._attributes, context)
        self._kind, self._contents = cache(contents.kind), cache(contents.contents)
        self._type, self._location = cache(self._attributes.type), cache(self._read_location)
        self._version = container.version
        section = container.operations
        self._start, self._size = section.position, section.remaining
        self._bytes = iter(section.data[section.position : section.end])
        self._byte = self._bytes.__next__
        self._awaited: set[SSAValue] = set()
        """Values that are used and not defined yet."""
        self._values: list[SSAValue | None] = []
        """The values in scope, by number."""

    def read(self) -> list[Operation]:
        """The operations outside of all others."""
        try:
            header = self._varint()
            if header & 1:
                raise self._error("the outermost block has arguments")
            operations = [self._operation((), False)[0] for _ in range(header >> 1)]
            if self._remaining:
                raise self._error("the operations end before their bytes do")
        except StopIteration:
            raise self._error("the operations are cut off, or a number in them is wrong") from None
        if self._awaited:
            raise BytecodeError("an operation uses a value that is not defined")
        return [op for op in operations if op is not None]

    # Numbers

    @property
    def _remaining(self) -> int:
        return length_hint(self._bytes)

    def _error(self, message: str) -> BytecodeError:
        return BytecodeError(f"byte {self._start + self._size - self._remaining}: {message}")

    def _varint(self) -> int:
        byte = self._byte
        first = byte()
        if first & 1:
            return first >> 1
        if first & 2:
            return (first | byte() << 8) >> 2
        if first == 0:
            return int.from_bytes(bytes([byte() for _ in range(8)]), "little")
        number, shift, further = first, 8, (first & -first).bit_length() - 1
        for _ in range(further):
            number |= byte() << shift
            shift += 8
        return number >> (further + 1)

    def _count(self) -> int:
        number = self._varint()
        if number > self._remaining:
            raise self._error(f"{number} things are said to follow in {self._remaining} bytes")
        return number

    # Regions

    def _regions(self, op: Operation) -> tuple[Region, ...]:
        number, is_isolated = divmod(self._varint(), 2)
        if number > self._remaining:
            raise self._error(f"{number} regions are said to follow in {self._remaining} bytes")
        around = self._values
        stop = None
        if is_isolated:
            self._values = []
            if number and self._version >= REGION_SECTIONS:
                stop = self._section()
        regions = tuple([self._region(in_function=type(op) is FuncOp) for _ in range(number)])
        if stop is not None and self._remaining != stop:
            raise self._error("a region does not end where its section does")
        self._values = around
        return regions

    def _section(self) -> int:
        """Read the start of a section of operations. Returns how many bytes remain behind the section."""
        first, size = self._byte(), self._varint()
        if first & 0x80:
            alignment = self._varint()
            if not 0 < alignment <= MOST_ALIGNMENT:
                raise self._error(f"an alignment of {alignment} bytes is not supported")
            while (self._start + self._size - self._remaining) % alignment:
                self._byte()
        if first & 0x7F != Section.OPERATIONS or size > self._remaining:
            raise self._error("expected a section of operations for a region")
        return self._remaining - size

    def _region(self, *, in_function: bool) -> Region:
        blocks = [new_block() for _ in range(self._count())]
        if not blocks:
            return new_region(())
        base = len(self._values)
        self._values += [None] * self._count()
        following = base
        for block in blocks:
            operations, has_arguments = divmod(self._varint(), 2)
            if has_arguments:
                following = self._arguments(block, following)
            following = self._operations(block, operations, blocks, following, in_function=in_function)
        if self._awaited and any(value in self._awaited for value in self._values[base:] if value is not None):
            raise self._error("an operation uses a value that its region does not define")
        del self._values[base:]
        return new_region(blocks)

    def _arguments(self, block: Block, following: int) -> int:
        arguments: list[BlockArgument] = []
        for index in range(self._varint()):
            type, location = self._varint(), UNKNOWN_LOC
            if self._version >= UNKNOWN_ARGUMENT_LOCATIONS:
                type, has_location = divmod(type, 2)
            else:
                has_location = True
            if has_location:
                location = self._location(self._varint())
            arguments.append(BlockArgument(self._type(type), block, index, location))
        block._args = tuple(arguments)
        if self._version >= USE_LIST_ORDERS and self._byte():
            self._skip_use_orders(len(arguments))
        return self._define(arguments, following)

    def _skip_use_orders(self, values: int) -> None:
        """Skip the orders in which the uses of values are listed, which xDSL gives no meaning."""
        for _ in range(self._count() if values > 1 else 1):
            if values > 1:
                self._varint()
            for _ in range(self._varint() >> 1):
                self._varint()

    def _define(self, defined: Sequence[SSAValue], following: int) -> int:
        """Give numbers to values, from `following` on. Returns the next number."""
        values = self._values
        end = following + len(defined)
        if end > len(values):
            raise self._error("a region defines more values than it says")
        if self._awaited:
            for number, value in enumerate(defined, following):
                if (awaited := values[number]) is not None:
                    awaited.replace_all_uses_with(value)
                    self._awaited.discard(awaited)
        values[following:end] = defined
        return end

    def _await(self, number: int) -> SSAValue:
        """A value that stands for value `number`, which is not defined yet."""
        value = self._values[number] = ForwardDeclaredValue(_UNKNOWN_TYPE)
        self._awaited.add(value)
        return value

    def _read_location(self, number: int) -> LocationAttr:
        found = self._attributes.attribute(number)
        if not is_location(found):
            raise self._error(f"expected a location, but attribute {number} is '{found}'")
        return found

    # Operations

    def _operations(
        self, block: Block, number: int, blocks: Sequence[Block], following: int, *, in_function: bool
    ) -> int:
        """Read `number` operations into `block`. Their results have numbers from `following` on; returns the next."""
        operations: list[Operation] = []
        for _ in range(number):
            op, defined = self._operation(blocks, in_function)
            if defined:
                following = self._define(defined, following)
            if op is not None:
                operations.append(op)
        fill_block(block, operations)
        return following

    def _operation(self, blocks: Sequence[Block], in_function: bool) -> tuple[Operation | None, Sequence[SSAValue]]:
        """The next operation, and the values that it defines. No operation if these are its operands."""
        varint, type, values = self._varint, self._type, self._values
        name = varint()
        kind = self._kind(name)
        mask = self._byte()
        location = self._location(varint())
        attributes = varint() if mask & HAS_ATTRIBUTES else None
        inner, outer = self._contents(name, attributes, varint() if mask & HAS_PROPERTIES else None)
        types = [type(varint()) for _ in range(varint())] if mask & HAS_RESULTS else ()
        operands: Sequence[SSAValue] = ()
        if mask & HAS_OPERANDS:
            number = 0
            try:
                operands = [values[number := varint()] or self._await(number) for _ in range(varint())]
            except IndexError:
                raise self._error(f"there is no value {number}: there are {len(values)}") from None
        if kind.is_conversion and [operand.type for operand in operands] == [*types]:
            if mask & HAS_USE_ORDERS:
                self._skip_use_orders(len(types))
            return None, operands
        op = new_operation(
            kind.in_function if in_function else kind.op_type, operands, types, inner.copy(), outer.copy(), location
        )
        if mask & HAS_SUCCESSORS:
            numbers = [varint() for _ in range(varint())]
            if any(number >= len(blocks) for number in numbers):
                raise self._error(f"there is no block {max(numbers)}: there are {len(blocks)}")
            op.successors = [blocks[number] for number in numbers]
        if mask & HAS_USE_ORDERS:
            self._skip_use_orders(len(types))
        if mask & HAS_REGIONS:
            add_regions(op, self._regions(op))
        return op, op.results
