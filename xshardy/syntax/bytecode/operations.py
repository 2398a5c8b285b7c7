"""
Operations, blocks and regions of bytecode, built from the numbers of their parts.

A value is a number: its place among the values that a region defines, behind those of the regions around, up to an
isolated one. What has the same number has the same type or attribute, read once. What has the same bytes but for its
location and operands is copied from a template.
Source: MLIR, docs/BytecodeFormat, "IR Section"; the order of values as jaxlib's bytes have it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.parser.core import ForwardDeclaredValue

from xshardy.ir import add_regions, fill_block, new_block, new_operation, new_region
from xshardy.ir.fields import set_arguments
from xshardy.syntax.bytecode.attribute_table import AttributeTable
from xshardy.syntax.bytecode.container import (
    REGION_SECTIONS,
    UNKNOWN_ARGUMENT_LOCATIONS,
    USE_LIST_ORDERS,
    Container,
    Section,
    read_section,
)
from xshardy.syntax.bytecode.contents import ContentTable
from xshardy.syntax.bytecode.errors import BytecodeError

HAS_ATTRIBUTES, HAS_RESULTS, HAS_OPERANDS, HAS_SUCCESSORS, HAS_REGIONS, HAS_USE_ORDERS, HAS_PROPERTIES = (
    1 << bit for bit in range(7)
)
"""The bits of the mask that says which parts of an operation follow."""

NOT_IN_TEMPLATES = HAS_SUCCESSORS | HAS_REGIONS | HAS_USE_ORDERS

HEAD_SIZE = 2
"""In bytes: a name, of which the first 128 have one byte, and the mask. Others are not looked up."""


@dataclass(frozen=True, slots=True)
class OperationTemplate:
    """
    An operation without its location and its operands.

    An operation is a name, a mask that says which parts follow, its location, these parts, and its operands. Operations
    with the same bytes before the location, their *head*, and with the same bytes between it and the operands, their
    *tail*, are the same up to location and operands. The head says how the tail is read, so no tail is the start of
    another one with the same head. An operation with successors, regions or orders of uses has no template.
    """

    op_type: type[Operation]
    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    result_types: Sequence[Attribute]
    operands: int
    """How many there are."""


Tails = dict[int, dict[bytes, OperationTemplate]]
"""The templates with one head: by the size of the tail, and by the tail."""

_UNKNOWN_TYPE: Any = UNKNOWN_LOC
"""Stands for the type of a value until it is defined."""


class OperationReader:
    """Reads the operations of `container`. Raises `BytecodeError`."""

    def __init__(self, container: Container, context: Context):
        attributes = AttributeTable(container, context)
        contents = ContentTable(container, attributes, context)
        self._kind, self._contents = contents.kind, cache(contents.contents)
        self._type_of, self._location = cache(attributes.type), cache(attributes.location)
        self._version = container.version
        self._reader = container.operations
        self._templates: dict[bytes, Tails] = {}
        """By head. Without them, reading a transformer of 8 layers takes 1.4 times as long."""
        self._awaited: set[SSAValue] = set()
        """Values that are used and not defined yet."""
        self._values: list[SSAValue | None] = []
        """The values in scope, by number."""
        self._following = 0
        """The number of the next value that is defined."""

    def read(self) -> list[Operation]:
        """The operations outside of all others."""
        header = self._reader.varint()
        if header & 1:
            raise self._reader.error("the outermost block has arguments")
        operations = [self._operation((), False) for _ in range(header >> 1)]
        if self._reader.remaining:
            raise self._reader.error("the operations end before their bytes do")
        if self._awaited:
            raise BytecodeError("an operation uses a value that is not defined")
        return [op for op in operations if op is not None]

    # Regions

    def _regions(self, op: Operation) -> tuple[Region, ...]:
        around, values = self._reader, self._values
        number, is_isolated = divmod(around.varint(), 2)
        if number > around.remaining:
            raise around.error(f"{number} regions are said to follow in {around.remaining} bytes")
        if is_isolated:
            self._values = []
            if number and self._version >= REGION_SECTIONS:
                section, self._reader = read_section(around)
                if section != Section.OPERATIONS:
                    raise around.error("expected a section of operations for a region")
        regions = tuple([self._region(in_function=type(op) is FuncOp) for _ in range(number)])
        if self._reader is not around and self._reader.remaining:
            raise self._reader.error("a region ends before its section does")
        self._reader, self._values = around, values
        return regions

    def _region(self, *, in_function: bool) -> Region:
        reader = self._reader
        blocks = [new_block() for _ in range(reader.count())]
        if not blocks:
            return new_region(())
        base, around = len(self._values), self._following
        self._values += [None] * reader.count()
        self._following = base
        for block in blocks:
            operations, has_arguments = divmod(reader.varint(), 2)
            if has_arguments:
                self._arguments(block)
            self._operations(block, operations, blocks, in_function=in_function)
        if self._awaited and any(value in self._awaited for value in self._values[base:] if value is not None):
            raise reader.error("an operation uses a value that its region does not define")
        del self._values[base:]
        self._following = around
        return new_region(blocks)

    def _arguments(self, block: Block) -> None:
        reader = self._reader
        arguments: list[BlockArgument] = []
        for index in range(reader.varint()):
            type, location = reader.varint(), UNKNOWN_LOC
            if self._version >= UNKNOWN_ARGUMENT_LOCATIONS:
                type, has_location = divmod(type, 2)
            else:
                has_location = True
            if has_location:
                location = self._location(reader.varint())
            arguments.append(BlockArgument(self._type_of(type), block, index, location))
        set_arguments(block, tuple(arguments))
        if self._version >= USE_LIST_ORDERS and reader.byte():
            self._skip_use_orders(len(arguments))
        self._define(arguments)

    def _skip_use_orders(self, values: int) -> None:
        """Skip the orders in which the uses of values are listed, which xDSL gives no meaning."""
        reader = self._reader
        for _ in range(reader.count() if values > 1 else 1):
            if values > 1:
                reader.varint()
            reader.varints(reader.varint() >> 1)

    # Values

    def _define(self, defined: Sequence[SSAValue]) -> None:
        """Give the next numbers to values."""
        values, start = self._values, self._following
        end = start + len(defined)
        if end > len(values):
            raise self._reader.error("a region defines more values than it says")
        if self._awaited:
            for number, value in enumerate(defined, start):
                if (awaited := values[number]) is not None:
                    awaited.replace_all_uses_with(value)
                    self._awaited.discard(awaited)
        values[start:end] = defined
        self._following = end

    def _read_operands(self, number: int) -> list[SSAValue]:
        """The next `number` values."""
        values, numbers = self._values, self._reader.varints(number)
        try:
            return [values[number] or self._await(number) for number in numbers]
        except IndexError:
            raise self._reader.error(f"there is no value {max(numbers)}: there are {len(values)}") from None

    def _await(self, number: int) -> SSAValue:
        """A value that stands for value `number`, which is not defined yet."""
        value = self._values[number] = ForwardDeclaredValue(_UNKNOWN_TYPE)
        self._awaited.add(value)
        return value

    # Operations

    def _operations(self, block: Block, number: int, blocks: Sequence[Block], *, in_function: bool) -> None:
        """Read `number` operations into `block`."""
        operations: list[Operation] = []
        for _ in range(number):
            op = self._copy()
            if op is None:
                op = self._operation(blocks, in_function)
            if op is None:
                continue
            if op.results:
                self._define(op.results)
            operations.append(op)
        fill_block(block, operations)

    def _copy(self) -> Operation | None:
        """The next operation, copied from a template; None, with nothing read, if it has none."""
        reader = self._reader
        start, data = reader.position, reader.data
        if (tails := self._templates.get(data[start : start + HEAD_SIZE])) is None:
            return None
        reader.position = start + HEAD_SIZE
        location = self._location(reader.varint())
        tail = reader.position
        for size, templates in tails.items():
            if (template := templates.get(data[tail : tail + size])) is not None:
                reader.position = tail + size
                properties, attributes = template.properties.copy(), template.attributes.copy()
                operands = self._read_operands(template.operands)
                return new_operation(
                    template.op_type, operands, template.result_types, properties, attributes, location
                )
        reader.position = start
        return None

    def _operation(self, blocks: Sequence[Block], in_function: bool) -> Operation | None:
        """The next operation; None if it is a conversion, whose results are its operands."""
        reader = self._reader
        start = reader.position
        name, mask = reader.varint(), reader.byte()
        head = reader.data[start : reader.position]
        location = self._location(reader.varint())
        start = reader.position
        kind = self._kind(name)
        attributes = reader.varint() if mask & HAS_ATTRIBUTES else None
        inner, outer = self._contents(name, attributes, reader.varint() if mask & HAS_PROPERTIES else None)
        types = [*map(self._type_of, reader.varints(reader.varint()))] if mask & HAS_RESULTS else ()
        count = reader.varint() if mask & HAS_OPERANDS else 0
        tail = reader.data[start : reader.position]
        operands = self._read_operands(count)
        if kind.is_conversion and [operand.type for operand in operands] == [*types]:
            if mask & HAS_USE_ORDERS:
                self._skip_use_orders(len(types))
            self._define(operands)
            return None
        op_type = kind.in_function if in_function else kind.op_type
        op = new_operation(op_type, operands, types, inner.copy(), outer.copy(), location)
        if not mask & NOT_IN_TEMPLATES and kind.op_type is kind.in_function and not kind.is_conversion:
            template = OperationTemplate(op_type, inner, outer, types, count)
            self._templates.setdefault(head, {}).setdefault(len(tail), {})[tail] = template
        if mask & HAS_SUCCESSORS:
            numbers = reader.varints(reader.varint())
            if any(number >= len(blocks) for number in numbers):
                raise reader.error(f"there is no block {max(numbers)}: there are {len(blocks)}")
            op.successors = [blocks[number] for number in numbers]
        if mask & HAS_USE_ORDERS:
            self._skip_use_orders(len(types))
        if mask & HAS_REGIONS:
            add_regions(op, self._regions(op))
        return op
