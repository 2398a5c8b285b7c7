"""
What is done to a fused computation before it is emitted, so that emission meets few operations, in one form each.

Calls are inlined, random numbers and bitcasts between widths are spelled out, tuples and barriers go away. Emission
itself then needs no more than indexing maps and rules for elements. Source: rows XGPU-17, XGPU-18, XGPU-51.
"""

from collections.abc import Mapping

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker, RewritePattern

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.stablehlo.building import element_type
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.emitters.preparation.calls import InlineCall, ReplaceCustomCall, require_no_recursion
from xshardy.emitters.preparation.random_bits import ExpandRngBitGenerator
from xshardy.emitters.preparation.rewrites import (
    BitcastBetweenWidths,
    DotIsDotGeneral,
    ElementOfTuple,
    ForgetBarrier,
    KnownDimensionSize,
    WholeDimensionSize,
)

PREPARED = (
    CallOp,
    hlo.FusionOp,
    stablehlo.CompositeOp,
    stablehlo.CustomCallOp,
    stablehlo.DotOp,
    stablehlo.GetDimensionSizeOp,
    stablehlo.GetTupleElementOp,
    stablehlo.OptimizationBarrierOp,
    stablehlo.RngBitGeneratorOp,
    stablehlo.SetDimensionSizeOp,
    stablehlo.TupleOp,
)
"""What a computation is prepared for, if it has one of them."""


def prepare(computation: FuncOp) -> FuncOp:
    """
    A computation with the same results, of operations that can be emitted; `computation` itself if it is one.

    Raises `PassFailedException` for calls that recurse or have no body, and for random numbers from an unusual state.
    """
    if not any(needs_preparation(op) for op in computation.body.walk()):
        return computation
    functions = _functions_beside(computation)
    require_no_recursion(computation, functions)
    clone = computation.clone()
    patterns: list[RewritePattern] = [
        InlineCall(functions),
        ReplaceCustomCall(),
        ForgetBarrier(),
        ElementOfTuple(),
        DotIsDotGeneral(),
        KnownDimensionSize(),
        WholeDimensionSize(),
        BitcastBetweenWidths(),
        ExpandRngBitGenerator(),
    ]
    PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_region(clone.body)
    _return_elements_of_tuples(clone)
    _erase_unused(clone)
    return clone


def needs_preparation(op: Operation) -> bool:
    """Whether `op` cannot be emitted as it is, but in another form."""
    if isinstance(op, hlo.BitcastOp):
        return bit_width(element_type(op.operand)) != bit_width(element_type(op.result))
    return isinstance(op, PREPARED)


def _functions_beside(computation: FuncOp) -> Mapping[str, FuncOp]:
    module = computation.parent_op()
    functions = module.ops if isinstance(module, ModuleOp) else ()
    return {op.sym_name.data: op for op in functions if isinstance(op, FuncOp)}


def _return_elements_of_tuples(computation: FuncOp) -> None:
    """`return tuple(x, tuple(y, z))` -> `return x, y, z`"""
    returned = computation.get_return_op()
    if returned is None or not any(isinstance(value.owner, stablehlo.TupleOp) for value in returned.operands):
        return
    elements: list[SSAValue] = []
    pending = list(reversed(returned.operands))
    while pending:
        value = pending.pop()
        if isinstance(value.owner, stablehlo.TupleOp):
            pending += reversed(value.owner.operands)
        else:
            elements.append(value)
    block = computation.body.block
    block.erase_op(returned)
    block.add_op(ReturnOp(*elements))
    computation.function_type = FunctionType.from_lists(
        computation.function_type.inputs.data, [value.type for value in elements]
    )


def _erase_unused(computation: FuncOp) -> None:
    """Erase the operations that nothing reads: what was expanded, and tuples that were looked through."""
    for op in reversed(list(computation.body.block.ops)):
        if op.results and not any(result.uses for result in op.results):
            computation.body.block.erase_op(op)
