"""
The meaning of rules, checked by brute force: operations are evaluated on the shards of each factor.

- Along a factor that passes through, the elements of a result depend on those at the same place in the operands.
- Along a reduction factor, the parts that each place contributes add up.
"""

from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr, TensorMappingAttr
from xshardy.interpreters.stablehlo.evaluator import RULES, evaluate
from xshardy.numerics.element_types import numpy_dtype
from xshardy.sharding.rules import shape_of, sharding_rule
from xshardy.syntax import parse_module

Array = NDArray[Any]
INPUTS = Path(__file__).parents[3] / "filecheck" / "sharding" / "rules"
NOT_EVALUATED = {"collectives", "custom_calls"}
"""Families whose operations need several devices, or functions of a target."""

AS_UPSTREAM_SAYS = {"reductions-sort_of_last"}
"""Rules that are C++ Shardy's, though they claim too much: a sorted dimension does not pass through."""

SUMS = (stablehlo.DotOp, stablehlo.DotGeneralOp, stablehlo.GatherOp, stablehlo.ReduceOp, stablehlo.ConvolutionOp)


def places(mapping: TensorMappingAttr, sizes: Sequence[int], factor: int) -> Array | None:
    """For each element of a tensor, its place along `factor`; None if the tensor does not have it, or not all of it."""
    shape = [prod(sizes[f] for f in dim.factors) for dim in mapping.dim_mappings]
    for number, dim in enumerate(mapping.dim_mappings):
        if factor in dim.factors:
            minor = prod(sizes[f] for f in dim.factors[dim.factors.index(factor) + 1 :])
            along = np.arange(shape[number]) // minor % sizes[factor]
            return np.broadcast_to(np.expand_dims(along, tuple(range(1, len(shape) - number))), shape)
    return None


def fits(mapping: TensorMappingAttr, sizes: Sequence[int], shape: Sequence[int]) -> bool:
    return all(prod(sizes[f] for f in d.factors) == size for d, size in zip(mapping.dim_mappings, shape, strict=True))


def numbers(rng: np.random.Generator, type: Attribute) -> Array:
    """Small whole numbers, whose sums are exact."""
    return rng.integers(1, 5, shape_of(type)).astype(numpy_dtype(type))


def check_meaning(op: Operation, run: Callable[[Sequence[Array]], Sequence[Array]]) -> int:
    """Check each factor of the rule of `op`, which `run` evaluates, that claims something; gives how many do."""
    rule = sharding_rule(op)
    assert isinstance(rule, OpShardingRuleAttr)
    sizes = [size.data for size in rule.factor_sizes]
    rng = np.random.default_rng(7)
    arguments = [numbers(rng, type) for type in op.operand_types]
    results = run(arguments)
    groups = rule.groups
    special = {factor for group in ("reduction", "need_replication", "permutation") for factor in groups[group]}
    checked = 0
    for factor, size in enumerate(sizes):
        mappings = (*rule.operand_mappings, *rule.result_mappings)
        shapes = [value.shape for value in (*arguments, *results)]
        at = [places(mapping, sizes, factor) for mapping in mappings]
        if not all(where is None or fits(m, sizes, s) for where, m, s in zip(at, mappings, shapes, strict=True)):
            continue
        of_operands, of_results = at[: len(arguments)], at[len(arguments) :]
        if factor not in special and any(w is not None for w in of_operands) and any(w is not None for w in of_results):
            check_pass_through(size, of_operands, of_results, arguments, results, run, rng)
            checked += 1
        elif factor in groups["reduction"] and isinstance(op, SUMS):
            check_reduction(size, of_operands, arguments, results, run)
            checked += 1
    return checked


def check_pass_through(
    size: int,
    of_operands: Sequence[Array | None],
    of_results: Sequence[Array | None],
    arguments: Sequence[Array],
    results: Sequence[Array],
    run: Callable[[Sequence[Array]], Sequence[Array]],
    rng: np.random.Generator,
) -> None:
    for place in range(size):
        changed = [
            argument if where is None else np.where(where == place, argument, rng.integers(1, 5, argument.shape))
            for where, argument in zip(of_operands, arguments, strict=True)
        ]
        changed = [new.astype(old.dtype) for new, old in zip(changed, arguments, strict=True)]
        for where, before, after in zip(of_results, results, run(changed), strict=True):
            if where is not None:
                np.testing.assert_array_equal(before[where == place], after[where == place])


def check_reduction(
    size: int,
    of_operands: Sequence[Array | None],
    arguments: Sequence[Array],
    results: Sequence[Array],
    run: Callable[[Sequence[Array]], Sequence[Array]],
) -> None:
    def part(place: int) -> Sequence[Array]:
        return run(
            [
                argument if where is None else np.where(where == place, argument, 0).astype(argument.dtype)
                for where, argument in zip(of_operands, arguments, strict=True)
            ]
        )

    parts = [part(place) for place in range(size)]
    for index, result in enumerate(results):
        np.testing.assert_array_equal(sum(part[index] for part in parts), result)


def of_one_operation(text: str) -> dict[str, FuncOp]:
    """The functions that return the results of one operation on their arguments, if the interpreter supports it."""
    found: dict[str, FuncOp] = {}
    for function in parse_module(text).ops:
        if isinstance(function, FuncOp) and function.body.blocks and len(function.body.block.ops) == 2:
            op = function.body.block.first_op
            assert op is not None
            if type(op) in RULES and tuple(op.operands) == function.args and sharding_rule(op) is not None:
                found[function.sym_name.data] = function
    return found


FUNCTIONS = {
    key: function
    for file in sorted(INPUTS.glob("*.mlir"))
    if file.stem not in NOT_EVALUATED
    for name, function in of_one_operation(file.read_text()).items()
    if (key := f"{file.stem}-{name}") not in AS_UPSTREAM_SAYS
}


def interpreted(op: Operation) -> Callable[[Sequence[Array]], Sequence[Array]]:
    """Evaluates a copy of `op` that returns all of its results."""
    block = Block(arg_types=op.operand_types)
    copy = op.clone(dict(zip(op.operands, block.args, strict=True)))
    block.add_ops([copy, ReturnOp(*copy.results)])
    module = ModuleOp([FuncOp("main", (op.operand_types, op.result_types), Region(block))])

    def run(arguments: Sequence[Array]) -> Sequence[Array]:
        # Reductions start from 0, so that parts add up.
        if isinstance(op, stablehlo.ReduceOp):
            count = len(op.inputs)
            arguments = [*arguments[:count], *(np.zeros_like(a) for a in arguments[count:])]
        return evaluate(module, arguments)

    return run


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rules_of_the_filecheck_inputs(name: str):
    op = FUNCTIONS[name].body.block.first_op
    assert op is not None
    check_meaning(op, interpreted(op))


def test_there_is_something_to_check():
    checked = 0
    for function in FUNCTIONS.values():
        op = function.body.block.first_op
        assert op is not None
        checked += check_meaning(op, interpreted(op))
    assert checked > 60


def tensor(*sizes: int) -> TensorType[Any]:
    return TensorType(f32, sizes)


def arguments_of(*types: TensorType[Any]) -> Block:
    return Block(arg_types=types)


SIZES = st.integers(1, 4)
SHAPES = st.lists(SIZES, max_size=4).map(tuple)


@given(shape=SHAPES, data=st.data())
def test_transposes(shape: tuple[int, ...], data: st.DataObject):
    permutation = data.draw(st.permutations(range(len(shape))))
    op = stablehlo.TransposeOp(arguments_of(tensor(*shape)).args[0], permutation)
    assert check_meaning(op, interpreted(op)) == len(shape)


@given(shape=SHAPES, data=st.data())
def test_broadcasts(shape: tuple[int, ...], data: st.DataObject):
    positions = data.draw(st.permutations(range(len(shape))))
    kept = data.draw(st.lists(st.booleans(), min_size=len(shape), max_size=len(shape)))
    dims = [position for position, keep in zip(positions, kept, strict=True) if keep]
    operand = tensor(*(data.draw(st.sampled_from([1, shape[dim]])) for dim in dims))
    op = stablehlo.BroadcastInDimOp(arguments_of(operand).args[0], dims, tensor(*shape))
    check_meaning(op, interpreted(op))


@given(batch=SHAPES, lhs=SHAPES, rhs=SHAPES, contracting=SHAPES, data=st.data())
def test_dots(
    batch: tuple[int, ...],
    lhs: tuple[int, ...],
    rhs: tuple[int, ...],
    contracting: tuple[int, ...],
    data: st.DataObject,
):
    batch, lhs, rhs, contracting = batch[:2], lhs[:2], rhs[:2], contracting[:2]

    def operand(free: Sequence[int]) -> tuple[TensorType[Any], list[int], list[int]]:
        """The dimensions in a random order, and where batching and contracting dimensions are then."""
        sizes = [*batch, *contracting, *free]
        order = data.draw(st.permutations(range(len(sizes))))
        at = [order.index(dim) for dim in range(len(batch) + len(contracting))]
        return tensor(*(sizes[dim] for dim in order)), at[: len(batch)], at[len(batch) :]

    lhs_type, lhs_batching, lhs_contracting = operand(lhs)
    rhs_type, rhs_batching, rhs_contracting = operand(rhs)

    def free_sizes(type: TensorType[Any], *used: list[int]) -> list[int]:
        return [size for dim, size in enumerate(type.get_shape()) if not any(dim in dims for dims in used)]

    op = stablehlo.DotGeneralOp.create(
        operands=arguments_of(lhs_type, rhs_type).args,
        result_types=[
            tensor(
                *batch,
                *free_sizes(lhs_type, lhs_batching, lhs_contracting),
                *free_sizes(rhs_type, rhs_batching, rhs_contracting),
            )
        ],
        properties={
            "dot_dimension_numbers": stablehlo.DotDimensionNumbersAttr(
                *map(stablehlo.integers, (lhs_batching, rhs_batching, lhs_contracting, rhs_contracting))
            )
        },
    )
    assert check_meaning(op, interpreted(op)) == len(batch) + len(lhs) + len(rhs) + len(contracting)


@given(left=SHAPES, right=SHAPES)
def test_reshapes_to_factors_whose_sizes_multiply_to_dimensions(left: tuple[int, ...], right: tuple[int, ...]):
    """Both sides get the elements of the other in dimensions of size 1 and more, in front or behind."""
    source, target = (*left, prod(right)), (prod(left), *right)
    op = stablehlo.ReshapeOp(arguments_of(tensor(*source)).args[0], tensor(*target))
    rule = sharding_rule(op)
    assert rule is not None
    sizes = [size.data for size in rule.factor_sizes]
    for mapping, shape in zip((*rule.operand_mappings, *rule.result_mappings), (source, target), strict=True):
        assert fits(mapping, sizes, shape)
        in_order = [factor for dim in mapping.dim_mappings for factor in dim.factors]
        assert in_order == sorted(in_order)
    check_meaning(op, interpreted(op))
