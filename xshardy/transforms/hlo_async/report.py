"""The report on aliasing and liveness as text: operations in flight, aliases of each buffer, and live ranges."""

from collections.abc import Iterator
from math import prod
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyTensorType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.hlo.async_operation import StartOp
from xshardy.dialects.naming import ValueNames
from xshardy.dialects.stablehlo.calls import contents_of, is_buffer
from xshardy.dialects.stablehlo.types import whole_bytes
from xshardy.transforms.hlo_async.aliasing import Buffer, ShapeIndex, leaves
from xshardy.transforms.hlo_async.liveness import ENTRY, InFlight, Liveness


def size_in_bytes(type: Attribute) -> int | None:
    """The size of an array or a buffer, each element in whole bytes; None for a token or an array of unknown size."""
    if is_buffer(type):
        type = contents_of(type)
    if not isinstance(type, TensorType):
        return None
    tensor = cast(AnyTensorType, type)
    if DYNAMIC_INDEX in tensor.get_shape():
        return None
    return prod(tensor.get_shape()) * whole_bytes(tensor.element_type)


class Reporter:
    """Writes the report on one block of `root`, with the value names of the printer."""

    def __init__(self, root: Operation, liveness: Liveness):
        self.names = ValueNames(root)
        self.liveness = liveness
        self.operations = tuple(liveness.block.ops)
        self.places = liveness.aliasing.places()

    def place(self, value: SSAValue, index: ShapeIndex) -> str:
        """`%0{1,0}`, as HLO writes an element of a shape; `%0` for the whole."""
        return self.names.of(value) + (f"{{{','.join(map(str, index))}}}" if index else "")

    def buffer(self, buffer: Buffer) -> str:
        """The first value that contains `buffer`."""
        return self.place(*self.places[buffer][0])

    def position(self, position: int) -> str:
        """`3 (hlo.async_done)`"""
        return "entry" if position == ENTRY else f"{position} ({self.operations[position].name})"

    def lines(self) -> Iterator[str]:
        """The report, without a heading."""
        for flight in self.liveness.in_flight:
            yield from self.flight_lines(flight)
        yield "buffers:"
        for buffer, range in self.liveness.ranges.items():
            first, *others = (self.place(*place) for place in self.places[buffer])
            size = size_in_bytes(buffer.type)
            also = f", also {' '.join(others)}" if others else ""
            yield (
                f"  {first}: {buffer.type}{'' if size is None else f', {size} bytes'}, alive from "
                f"{self.position(range.first)} to {self.position(range.last)}{also}"
            )

    def flight_lines(self, flight: InFlight) -> Iterator[str]:
        """The operations in flight, and the buffers in their bundles."""
        start, *updates, done = flight.chain
        assert isinstance(start, StartOp)
        yield (
            f"{start.opcode} {self.names.of(start.bundle)} of {start.callee}, {len(updates)} update(s): in flight from "
            f"{flight.first} to {flight.last}"
        )
        bundle = self.liveness.aliasing.bundles[start.bundle]
        for what, trees, why in (
            ("operand", bundle.operands, f"stays alive until {self.position(flight.last)} at least"),
            ("output", bundle.outputs, f"has its buffer from {self.position(flight.first)} on"),
            ("context", bundle.contexts, "keeps track of the operation"),
        ):
            for _, buffer in leaves(trees):
                aliases = " = ".join(
                    self.place(value, index)
                    for value, index in self.places[buffer]
                    if value in (*start.inputs, start.bundle, *done.results)
                )
                yield f"  {what} {aliases} {why}"


def report(root: Operation, block_of: func.FuncOp, liveness: Liveness) -> str:
    """The report on the body of a function of `root`, as comment lines to print before the module."""
    heading = (
        f"@{block_of.sym_name.data}: {len(tuple(liveness.block.ops))} operations, {len(liveness.in_flight)} "
        f"asynchronous, at most {liveness.max_in_flight()} in flight at once"
    )
    return "".join(f"// {line}\n" for line in (heading, *(f"  {line}" for line in Reporter(root, liveness).lines())))
