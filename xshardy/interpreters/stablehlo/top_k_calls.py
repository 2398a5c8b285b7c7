"""Custom calls that choose the first elements in an order: `TopK`, `ApproxTopK`, JAX's forms for symbolic shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, DictionaryAttr, IntegerAttr
from xdsl.ir import Attribute, Block

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.stablehlo.chlo import largest, smallest
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported
from xshardy.interpreters.stablehlo.sorting import by_block, in_order
from xshardy.numerics.element_types import Array


def entries(op: stablehlo.CustomCallOp, name: str) -> Mapping[str, Attribute]:
    """The entries of the dictionary `name` among the attributes of `op`."""
    found = op.attributes.get(name)
    return found.data if isinstance(found, DictionaryAttr) else {}


def top_k(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array) -> Sequence[Array]:
    """The largest elements, or with `largest = false` the smallest."""
    flag = entries(op, "mhlo.attributes").get("largest")
    is_smallest = isinstance(flag, IntegerAttr) and not flag.value.data
    return (smallest if is_smallest else largest)(x, shape_of(op.part_types[0])[-1])


def counted_top_k(evaluator: Evaluator, op: stablehlo.CustomCallOp, x: Array, count: Array) -> Sequence[Array]:
    """The `count` largest elements: JAX's form for a symbolic count."""
    return largest(x, int(count))


def approximate_top_k(evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Array) -> Sequence[Array]:
    """
    The exact first elements in the order of the called comparator; the second half of the operands is initial values.

    Raises `InterpretationError` for a call that returns more elements than it is to choose, from parts of the operand.
    """
    count = entries(op, "mhlo.backend_config").get("top_k")
    if not isinstance(count, IntegerAttr):
        raise unsupported(op, "expected a top_k")
    return first_in_order(evaluator, op, operands[: len(operands) // 2], count.value.data)


def first_in_order(
    evaluator: Evaluator, op: stablehlo.CustomCallOp, arrays: Sequence[Array], wanted: int
) -> Sequence[Array]:
    """The first `wanted` elements of `arrays` along the dimension of the call, in the order of its comparator."""
    dimension = entries(op, "mhlo.backend_config").get("reduction_dim")
    if not isinstance(dimension, IntegerAttr):
        raise unsupported(op, "expected a reduction_dim")
    axis = dimension.value.data
    if shape_of(op.part_types[0])[axis] not in (wanted, DYNAMIC_INDEX):
        raise unsupported(op, f"it returns more than {wanted} elements: aggregate_to_topk is not set")
    if len(shapes := dict.fromkeys(x.shape for x in arrays)) > 1:
        raise unsupported(op, f"its operands have different shapes, {' and '.join(map(str, shapes))}")
    if wanted > arrays[0].shape[axis]:
        raise unsupported(op, f"it chooses {wanted} elements of {arrays[0].shape[axis]}")
    values = in_order(arrays, axis, by_block(evaluator, called(evaluator, op)))
    return [x.take(range(wanted), axis) for x in values]


def counted_approximate_top_k(evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Array) -> Sequence[Array]:
    """Arrays, an initial value for each, the count, and the shapes of the results: JAX's form for symbolic sizes."""
    count = len(op.result_types)
    return first_in_order(evaluator, op, operands[:count], int(operands[2 * count]))


def called(evaluator: Evaluator, op: stablehlo.CustomCallOp) -> Block:
    """The body of the function that the call applies. Raises `InterpretationError` unless there is one."""
    names = [symbol.string_value() for symbol in op.called_computations]
    if len(names) != 1:
        raise unsupported(op, "expected one called computation")
    return evaluator.functions[names[0]].body.block


TOP_K_CALLS: Mapping[str, Rule] = {
    "ApproxTopK": approximate_top_k,
    "TopK": top_k,
    "mhlo.topk": top_k,
    "stablehlo.dynamic_approx_top_k": counted_approximate_top_k,
    "stablehlo.dynamic_top_k": counted_top_k,
}
"""The rule of each target."""
