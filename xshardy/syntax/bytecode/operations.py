"""
Operations, blocks and regions of bytecode, built from the numbers of their parts.

A value is a number: its place among the values that a region defines, behind those of the regions around, up to an
isolated one. Operations are set up without xDSL's constructors, which would check and convert what is known to be
right: types, attributes and dictionaries are those of the tables.
Source: MLIR, docs/BytecodeFormat, "IR Section"; the order of values as jaxlib's bytes have it.
"""

from operator import length_hint
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.ir.core import SSAValues, Use
from xdsl.parser.core import ForwardDeclaredValue

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

_NOTHING = vars(ModuleOp.create())
"""The instance attributes that every operation has."""

_new = object.__new__


class OperationReader:
    """Reads the operations of `container`. Raises `BytecodeError`."""

    def __init__(self, container: Container, context: Context):
        self._attributes = AttributeTable(container, context)
        self._contents = ContentTable(container, self._attributes, context)
        self._version = container.version
        section = container.operations
        self._start, self._size = section.position, section.remaining
        self._bytes = iter(section.data[section.position : section.end])
        self._byte = self._bytes.__next__
        self._locations: dict[int, LocationAttr] = {}
        self._awaited: set[SSAValue] = set()
        """Values that are used and not defined yet."""
        self._values: list[SSAValue | None] = []
        """The values in scope, by number."""

    def read(self) -> list[Operation]:
        """The operations outside of all others."""
        try:
            block = Block()
            header = self._varint()
            if header & 1:
                raise self._error("the outermost block has arguments")
            self._operations(block, header >> 1, [block], 0)
            if self._remaining:
                raise self._error("the operations end before their bytes do")
        except StopIteration:
            raise self._error("the operations are cut off, or a number in them is wrong") from None
        if self._awaited:
            raise BytecodeError("an operation uses a value that is not defined")
        operations = list(block.ops)
        for op in operations:
            op.detach()
        return operations

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

    def _regions(self, op: Operation) -> None:
        number, is_isolated = divmod(self._varint(), 2)
        if number > self._remaining:
            raise self._error(f"{number} regions are said to follow in {self._remaining} bytes")
        regions: list[Region] = []
        around = self._values
        stop = None
        if is_isolated:
            self._values = []
            if number and self._version >= REGION_SECTIONS:
                stop = self._section()
        for _ in range(number):
            region = Region()
            region.parent = op
            self._region(region)
            regions.append(region)
        if stop is not None and self._remaining != stop:
            raise self._error("a region does not end where its section does")
        self._values = around
        op.regions = tuple(regions)

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

    def _region(self, region: Region) -> None:
        blocks = [Block() for _ in range(self._count())]
        if not blocks:
            return
        base = len(self._values)
        self._values += [None] * self._count()
        region.add_block(blocks)
        following = base
        for block in blocks:
            operations, has_arguments = divmod(self._varint(), 2)
            if operations > self._remaining:
                raise self._error(f"{operations} operations are said to follow in {self._remaining} bytes")
            if has_arguments:
                following = self._arguments(block, following)
            following = self._operations(block, operations, blocks, following)
        if any(value in self._awaited for value in self._values[base:] if value is not None):
            raise self._error("an operation uses a value that its region does not define")
        del self._values[base:]

    def _arguments(self, block: Block, following: int) -> int:
        arguments: list[BlockArgument[Attribute]] = []
        for index in range(self._count()):
            type, location = self._varint(), UNKNOWN_LOC
            if self._version >= UNKNOWN_ARGUMENT_LOCATIONS:
                type, has_location = divmod(type, 2)
            else:
                has_location = True
            if has_location:
                location = self._location(self._varint())
            argument = BlockArgument(self._attributes.type(type), block, index, location)
            arguments.append(argument)
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

    def _define(self, defined: list[Any], following: int) -> int:
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

    def _operand(self, number: int) -> SSAValue:
        values = self._values
        if number >= len(values):
            raise self._error(f"there is no value {number}: there are {len(values)}")
        if (value := values[number]) is None:
            value = values[number] = ForwardDeclaredValue(_UNKNOWN_TYPE)
            self._awaited.add(value)
        return value

    def _location(self, number: int) -> LocationAttr:
        if (known := self._locations.get(number)) is None:
            found = self._attributes.attribute(number)
            if not is_location(found):
                raise self._error(f"expected a location, but attribute {number} is '{found}'")
            known = self._locations[number] = found
        return known

    # Operations

    def _operations(self, block: Block, number: int, blocks: list[Block], following: int) -> int:
        """Read `number` operations into `block`, whose results have numbers from `following` on."""
        last: Operation | None = None
        for _ in range(number):
            op, defined = self._operation(block, blocks)
            if defined and self._values:
                following = self._define(defined, following)
            if op is None:
                continue
            if last is None:
                block._first_op = op
            else:
                last._next_op, op._prev_op = op, last
            last = op
        block._last_op = last
        return following

    def _operation(self, block: Block, blocks: list[Block]) -> tuple[Operation | None, list[Any]]:
        """The next operation, and the values that it defines. No operation if these are its operands."""
        varint = self._varint
        name = varint()
        kind = self._contents.kind(name)
        mask = self._byte()
        location = self._location(varint())
        attributes = varint() if mask & HAS_ATTRIBUTES else None
        properties = varint() if mask & HAS_PROPERTIES else None
        inner, outer = self._contents.contents(name, attributes, properties)

        parent = block.parent
        is_in_function = parent is not None and type(parent.parent) is FuncOp
        op = _new(kind.in_function if is_in_function else kind.op_type)
        state = vars(op)
        state.update(_NOTHING)
        state["properties"], state["attributes"] = dict(inner), dict(outer)
        state["location"], state["parent"] = location, block

        results: list[Any] = []
        if mask & HAS_RESULTS:
            for index in range(self._count()):
                result: Any = _new(OpResult)
                result._type, result.op, result.index = self._attributes.type(varint()), op, index
                results.append(result)
        state["results"] = SSAValues(results)
        if mask & HAS_OPERANDS:
            operands = [self._operand(varint()) for _ in range(self._count())]
            if kind.is_conversion and [o.type for o in operands] == [r.type for r in results]:
                if mask & HAS_USE_ORDERS:
                    self._skip_use_orders(len(results))
                return None, operands
            self._use(op, operands)
        if mask & HAS_SUCCESSORS:
            numbers = [varint() for _ in range(self._count())]
            if any(number >= len(blocks) for number in numbers):
                raise self._error(f"there is no block {max(numbers)}: there are {len(blocks)}")
            op.successors = [blocks[number] for number in numbers]
        if mask & HAS_USE_ORDERS:
            self._skip_use_orders(len(results))
        if mask & HAS_REGIONS:
            self._regions(op)
        return op, results

    @staticmethod
    def _use(op: Operation, operands: list[SSAValue]) -> None:
        """Let `operands` be those of `op`, which has none."""
        uses: list[Use] = []
        for index, value in enumerate(operands):
            use = _new(Use)
            following = value.first_use
            use._operation, use._index, use._next_use, use._prev_use = op, index, following, None
            if following is not None:
                following._prev_use = use
            value.first_use = use
            uses.append(use)
        op._operands, op._operand_uses = SSAValues(operands), tuple(uses)


_UNKNOWN_TYPE: Any = UNKNOWN_LOC
"""Stands for the type of a value until it is defined."""
