"""
What is done to a fused computation before it is emitted, so that emission meets few operations, in one form each.

Calls are inlined, random numbers and bitcasts between widths are spelled out, tuples and barriers go away. Emission
itself then needs no more than indexing maps and rules for elements. Source: rows XGPU-17, XGPU-18, XGPU-51.
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
    BitcastBetweenWidths,
    Decompose,
    DotIsDotGeneral,
    ElementOfTuple,
    EraseUnread,
    ForgetBarrier,
    KnownDimensionSize,
    ReturnElementsOfTuples,
    WholeDimensionSize,
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
"""What a computation is prepared for, if it has one of them."""


PATTERNS: Sequence[RewritePattern] = (
    ReplaceCustomCall(),
    ForgetBarrier(),
    ElementOfTuple(),
    DotIsDotGeneral(),
    KnownDimensionSize(),
    WholeDimensionSize(),
    BitcastBetweenWidths(),
    Decompose(),
    ExpandRngBitGenerator(),
)


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
    rewrite(clone, (EraseUnusedOperation(), InlineCall(functions), *PATTERNS), TO_FIXPOINT)
    rewrite(clone, (ReturnElementsOfTuples(),))
    rewrite(clone, (EraseUnread(clone.body.block),), BACKWARD)
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
