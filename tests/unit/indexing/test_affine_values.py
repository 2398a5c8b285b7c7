"""What `simplify_affine` and `lower_affine` emit for an index, executed with plain integers, against the expression."""

import operator
from collections.abc import Callable, Mapping

from hypothesis import given
from indexing_strategies import exprs, intervals, points
from xdsl.context import Context
from xdsl.dialects import affine, arith, func
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineMap

from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.dialects.xla_gpu.ops import ApplyIndexingOp
from xshardy.transforms.xla_gpu.lower_affine import LowerAffinePass
from xshardy.transforms.xla_gpu.simplify_affine import SimplifyAffinePass


def unsigned(f: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """`f` on 64-bit patterns: a negative operand would give a huge, wrong result."""
    return lambda x, y: f(x % 2**64, y % 2**64)


def towards_zero(x: int, y: int) -> int:
    return abs(x) // y * (1 if x >= 0 else -1)


RULES: Mapping[type[Operation], Callable[..., int]] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    arith.MuliOp: operator.mul,
    arith.DivUIOp: unsigned(operator.floordiv),
    arith.RemUIOp: unsigned(operator.mod),
    arith.DivSIOp: towards_zero,
    arith.RemSIOp: lambda x, y: x - towards_zero(x, y) * y,
    arith.SelectOp: lambda condition, x, y: x if condition else y,
}


def execute(function: func.FuncOp, arguments: list[int]) -> list[int]:
    """The values that `function`, straight-line arith on indices, returns."""
    values = dict(zip(function.body.block.args, arguments, strict=True))
    for op in function.body.block.ops:
        operands = [values[operand] for operand in op.operands]
        match op:
            case func.ReturnOp():
                return operands
            case arith.ConstantOp(value=IntegerAttr() as attr):
                values[op.result] = attr.value.data
            case arith.CmpiOp():
                assert op.predicate.value.data == 2, "slt is all that is emitted"
                values[op.result] = operands[0] < operands[1]
            case _:
                values[op.results[0]] = RULES[type(op)](*operands)
    raise AssertionError("no return")


def function_of(count: int, make: Callable[..., Operation]) -> ModuleOp:
    """A function of `count` indices that returns the results of the operation that `make` creates."""
    function = func.FuncOp("f", ((IndexType(),) * count, ()))
    op = make(function.body.block.args)
    function.body.block.add_ops((op, func.ReturnOp(*op.results)))
    return ModuleOp([function])


@given(expr=exprs(), dims=intervals, symbols=intervals)
def test_apply_indexing_is_its_map_on_the_domain(expr, dims, symbols):
    bounds = [Variable("", interval) for interval in (dims, symbols)]
    map = IndexingMap((expr,), (bounds[0],) * 2, (bounds[1],) * 2)
    module = function_of(4, lambda arguments: ApplyIndexingOp(arguments, map))
    SimplifyAffinePass().apply(Context(), module)
    LowerAffinePass().apply(Context(), module)
    for point in points(map)[::7]:
        assert execute(module.ops.first, [*point[0], *point[1]]) == list(map.evaluate(*point))


@given(expr=exprs(extrema=()), dims=intervals, symbols=intervals)
def test_affine_apply_is_its_map_everywhere(expr, dims, symbols):
    attr = AffineMapAttr(AffineMap(2, 2, (expr,)))
    module = function_of(4, lambda arguments: affine.ApplyOp(arguments, attr))
    SimplifyAffinePass().apply(Context(), module)
    LowerAffinePass().apply(Context(), module)
    bounds = [Variable("", interval) for interval in (dims, symbols)]
    for point in points(IndexingMap((expr,), (bounds[0],) * 2, (bounds[1],) * 2))[::7]:
        assert execute(module.ops.first, [*point[0], *point[1]]) == [expr.eval(*point)]
