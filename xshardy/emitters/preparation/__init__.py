"""
Preparation of a fused computation: rewrite it to fewer kinds of operations before emission.

Calls are inlined, random numbers and bitcasts between widths are expanded, tuples and barriers are removed. Emission
then needs only indexing maps and rules for elements. Source: rows XGPU-17, XGPU-18, XGPU-51.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.decomposable import DecomposableOpInterface
from xshardy.dialects.stablehlo.building import element_type
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.emitters.preparation.calls import InlineCall, ReplaceCustomCall, require_no_recursion
from xshardy.emitters.preparation.random_bits import ExpandRngBitGenerator
from xshardy.emitters.preparation.rewrites import (
    Decompose,
    DotToDotGeneral,
    ElementOfTuple,
    EraseBarrier,
    EraseSetDimensionSize,
    EraseUnused,
    FoldGetDimensionSize,
    ReturnElementsOfTuples,
    SplitBitcastBetweenWidths,
)
from xshardy.rewriting import BACKWARD, TO_FIXPOINT, rewrite
from xshardy.transforms.unused_operations import EraseUnusedOperation

PREPARED = (
    CallOp,
    DecomposableOpInterface,
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
"""Operations that trigger preparation."""


PATTERNS: Sequence[RewritePattern] = (
    ReplaceCustomCall(),
    EraseBarrier(),
    ElementOfTuple(),
    DotToDotGeneral(),
    FoldGetDimensionSize(),
    EraseSetDimensionSize(),
    SplitBitcastBetweenWidths(),
    Decompose(),
    ExpandRngBitGenerator(),
)


def prepare(computation: FuncOp) -> FuncOp:
    """
    A computation with the same results and only operations that can be emitted; `computation` itself if no change is
    needed.

    Raises `PassFailedException` for recursive calls, calls without a body, and random number states of unsupported
    size.
    """
    if not any(needs_preparation(op) for op in computation.body.walk()):
        return computation
    functions = _functions_beside(computation)
    require_no_recursion(computation, functions)
    clone = computation.clone()
    rewrite(clone, (EraseUnusedOperation(), InlineCall(functions), *PATTERNS), TO_FIXPOINT)
    rewrite(clone, (ReturnElementsOfTuples(),))
    rewrite(clone, (EraseUnused(clone.body.block),), BACKWARD)
    return clone


def needs_preparation(op: Operation) -> bool:
    """Whether `op` must be rewritten before it can be emitted."""
    if isinstance(op, hlo.BitcastOp):
        return bit_width(element_type(op.operand)) != bit_width(element_type(op.result))
    return isinstance(op, PREPARED)


def _functions_beside(computation: FuncOp) -> Mapping[str, FuncOp]:
    module = computation.parent_op()
    functions = module.ops if isinstance(module, ModuleOp) else ()
    return {op.sym_name.data: op for op in functions if isinstance(op, FuncOp)}
