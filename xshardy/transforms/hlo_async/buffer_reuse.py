"""
Requested sharing of memory between buffers, and its verification: buffers that share memory must not be live together.

Three attributes request sharing:

- `hlo.buffers = array<i64: 3, -1>` on an operation, or on an argument of a function: the number of the piece of memory
  for each buffer that it provides, -1 if unassigned. A start provides its outputs and its contexts;
- `tf.aliasing_output = 1` on an argument of a function: the argument is donated, and result 1 is written there;
- `output_operand_aliases` on a custom call: the result is written into the operand.

An asynchronous operation in flight uses its operands until its done, and its outputs from its start on, although no
operation between start and done uses the values.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.dialects.function_attributes import argument_attributes
from xshardy.dialects.stablehlo.elementwise_binary import BinaryElementwiseOp
from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.hlo_async.aliasing import Buffer, Tree, leaves
from xshardy.transforms.hlo_async.liveness import Liveness

BUFFERS = "hlo.buffers"
DONATED_TO = "tf.aliasing_output"


@dataclass(frozen=True, slots=True)
class Sharing:
    """Buffers that share memory, and the reason."""

    why: str
    buffers: tuple[Buffer, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two buffers share memory, and the first is live when the second is provided."""

    why: str
    first: Buffer
    second: Buffer


def chosen_memory(
    op: Operation, attribute: Attribute | None, buffers: tuple[Buffer, ...]
) -> Iterator[tuple[int, Buffer]]:
    """
    The numbers that `attribute` assigns to `buffers`, which `op` provides.

    Raises `OperationFailedException` unless the attribute is a list of integers, one for each buffer.
    """
    if attribute is None:
        return
    if not isa(attribute, DenseArrayBase[I64]):
        raise OperationFailedException(op, f"{BUFFERS} is a list of integers like `array<i64: 0, 1>`, not {attribute}")
    numbers = attribute.get_values()
    if len(numbers) != len(buffers):
        raise OperationFailedException(
            op, f"{BUFFERS} has {len(numbers)} number(s), but '{op.name}' provides {len(buffers)} buffer(s) here"
        )
    yield from ((number, buffer) for number, buffer in zip(numbers, buffers, strict=True) if number >= 0)


def shared_by_number(liveness: Liveness) -> Iterator[Sharing]:
    """The buffers with the same assigned number."""
    pieces: dict[int, list[Buffer]] = {}
    for op, buffers in liveness.aliasing.provided.items():
        if op is not None and BUFFERS in op.attributes:
            for number, buffer in chosen_memory(op, op.attributes[BUFFERS], buffers):
                pieces.setdefault(number, []).append(buffer)
    function = liveness.block.parent_op()
    if isinstance(function, func.FuncOp):
        for argument, attributes in zip(function.args, argument_attributes(function), strict=True):
            provided = tuple(liveness.aliasing.buffers_of(argument))
            for number, buffer in chosen_memory(function, attributes.get(BUFFERS), provided):
                pieces.setdefault(number, []).append(buffer)
    for number, buffers in pieces.items():
        yield Sharing(f"memory {number} is chosen for both", tuple(buffers))


def shared_by_donation(liveness: Liveness) -> Iterator[Sharing]:
    """Donated arguments, and the results written into them."""
    function = liveness.block.parent_op()
    last = liveness.block.last_op
    if not isinstance(function, func.FuncOp) or not isinstance(last, func.ReturnOp):
        return
    for i, (argument, attributes) in enumerate(zip(function.args, argument_attributes(function), strict=True)):
        result = attributes.get(DONATED_TO)
        if isinstance(result, IntegerAttr) and 0 <= result.value.data < len(last.arguments):
            trees = (liveness.aliasing.trees[value] for value in (argument, last.arguments[result.value.data]))
            yield from shared_leaves(f"argument {i} is donated to result {result.value.data}", *trees)


def shared_in_place(liveness: Liveness) -> Iterator[Sharing]:
    """Results of custom calls, and the operands they are written into."""
    trees = liveness.aliasing.trees
    for op in liveness.block.ops:
        if not isinstance(op, stablehlo.CustomCallOp) or not op.output_operand_aliases:
            continue
        results: Tree = tuple(trees[result] for result in op.results)
        for alias in op.output_operand_aliases:
            path = alias.output_tuple_indices.get_values()
            output = element(results if len(op.results) > 1 else trees[op.results[0]], path)
            operand = element(trees[op.inputs[alias.operand_index.data]], alias.operand_tuple_indices.get_values())
            yield from shared_leaves("the custom call writes its result into its operand", operand, output)


def element(tree: Tree, path: tuple[int, ...]) -> Tree:
    """The part of `tree` at `path`."""
    for i in path:
        assert isinstance(tree, tuple), "a custom call verifies its aliases"
        tree = tree[i]
    return tree


def shared_leaves(why: str, before: Tree, after: Tree) -> Iterator[Sharing]:
    """The arrays of `before` share memory with those of `after`, pairwise."""
    for (_, first), (_, second) in zip(leaves(before), leaves(after), strict=False):
        yield Sharing(why, (first, second))


def may_write_over(op: Operation | None, buffer: Buffer, liveness: Liveness) -> bool:
    """
    Whether `op` may write its result into `buffer`, one of its operands: it reads each position before it writes it.
    """
    holders = [i for i, value in enumerate(op.operands) if buffer in liveness.aliasing.buffers_of(value)] if op else []
    match op:
        case UnaryElementwiseOp() | BinaryElementwiseOp() | stablehlo.SelectOp() | stablehlo.ClampOp():
            return all(op.operands[i].type == op.results[0].type for i in holders)
        case stablehlo.DynamicUpdateSliceOp():
            return holders == [0]
        case stablehlo.CustomCallOp():
            return [alias.operand_index.data for alias in op.output_operand_aliases or ()] == holders
        case _:
            return False


def conflicts(liveness: Liveness) -> Iterator[Conflict]:
    """
    The buffers of a block that share memory and are live together, each with the conflicting buffer that lives longest.

    Raises `OperationFailedException` for an invalid `hlo.buffers`.
    """
    ranges = liveness.ranges
    providers = {buffer: op for op, buffers in liveness.aliasing.provided.items() for buffer in buffers}
    for sharing in (*shared_by_number(liveness), *shared_by_donation(liveness), *shared_in_place(liveness)):
        buffers = sorted(set(sharing.buffers), key=lambda buffer: (ranges[buffer].first, buffer.number))
        holder = buffers[0]
        for buffer in buffers[1:]:
            may_meet = may_write_over(providers[buffer], holder, liveness)
            if ranges[holder].overlaps(ranges[buffer], may_meet=may_meet):
                yield Conflict(sharing.why, holder, buffer)
            if ranges[buffer].last >= ranges[holder].last:
                holder = buffer
