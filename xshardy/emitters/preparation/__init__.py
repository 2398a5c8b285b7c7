"""
Preparation of a fused computation: rewrite it to fewer kinds of operations before emission.

Calls are inlined or become calls of functions of elements, conditionals become selections, and counted loops are
unrolled. Random numbers, batch normalization, select-and-scatter and bitcasts between widths are expanded, tuples and
barriers are removed. Emission then needs only indexing maps and rules for elements. Source: rows XGPU-17, XGPU-18,
XGPU-51.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.decomposable import DecomposableOpInterface
from xshardy.dialects.stablehlo.building import element_type
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.emitters.preparation.called_functions import element_functions
from xshardy.emitters.preparation.calls import CallElementFunction, ElementFunction, InlineCall, ReplaceCustomCall
from xshardy.emitters.preparation.control_flow import SelectBranch, UnrollLoop
from xshardy.emitters.preparation.normalization import (
    ExpandBatchNormGrad,
    ExpandBatchNormInference,
    ExpandBatchNormTraining,
)
from xshardy.emitters.preparation.random_bits import ExpandRngBitGenerator
from xshardy.emitters.preparation.rewrites import (
    ElementOfTuple,
    EraseBarrier,
    EraseSetDimensionSize,
    EraseUnused,
    FoldGetDimensionSize,
    ReturnElementsOfTuples,
    SplitBitcastBetweenWidths,
    is_complex,
)
from xshardy.emitters.preparation.select_and_scatter import ExpandSelectAndScatter
from xshardy.facts.decompositions.chlo import OF_COMPLEX
from xshardy.facts.decompositions.deprecated import DEPRECATED
from xshardy.ir import clone_operation
from xshardy.rewriting import BACKWARD, TO_FIXPOINT, rewrite
from xshardy.rewriting.pattern import is_below_one
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.decompose import Decompose
from xshardy.transforms.unused_operations import EraseUnusedOperation

PREPARED = (
    CallOp,
    DecomposableOpInterface,
    *DEPRECATED,
    hlo.FusionOp,
    stablehlo.BatchNormGradOp,
    stablehlo.BatchNormInferenceOp,
    stablehlo.BatchNormTrainingOp,
    stablehlo.CaseOp,
    stablehlo.CompositeOp,
    stablehlo.CustomCallOp,
    stablehlo.GetDimensionSizeOp,
    stablehlo.IfOp,
    stablehlo.OptimizationBarrierOp,
    stablehlo.RngBitGeneratorOp,
    stablehlo.SelectAndScatterOp,
    stablehlo.SetDimensionSizeOp,
    stablehlo.TupleOp,
    stablehlo.WhileOp,
)
"""Operations that trigger preparation."""


def needs_preparation(op: Operation) -> bool:
    """Whether `op` must be rewritten before it can be emitted."""
    if isinstance(op, hlo.BitcastOp):
        return bit_width(element_type(op.operand)) != bit_width(element_type(op.result))
    if type(op) in OF_COMPLEX:
        return is_complex(op)
    return is_below_one(PREPARED, type(op))


def not_emitted(op: Operation, reason: str) -> Exception:
    return PassFailedException(f"{op.name} cannot be emitted: {reason}")


PATTERNS: Sequence[RewritePattern] = (
    ReplaceCustomCall(),
    EraseBarrier(),
    ElementOfTuple(),
    FoldGetDimensionSize(),
    EraseSetDimensionSize(),
    SplitBitcastBetweenWidths(),
    Decompose(needs_preparation, not_emitted),
    ExpandRngBitGenerator(),
    ExpandBatchNormInference(),
    ExpandBatchNormTraining(),
    ExpandBatchNormGrad(),
    ExpandSelectAndScatter(),
    SelectBranch(),
)


def prepare(computation: FuncOp) -> FuncOp:
    """
    A computation with the same results and only operations that can be emitted; `computation` itself if no change is
    needed.

    If it calls functions of elements, it is in a new module with them, prepared, too. Raises `PassFailedException` for
    recursive calls, calls without a body, calls that cannot be inlined and cannot stay, and random number states of
    unsupported size.
    """
    if not any(needs_preparation(op) for op in computation.body.walk()):
        return computation
    functions = _functions_beside(computation)

    def prepared(function: FuncOp, called: Mapping[str, ElementFunction]) -> FuncOp:
        clone = clone_operation(function)
        patterns = (EraseUnusedOperation(), CallElementFunction(called), InlineCall(functions), *PATTERNS)
        rewrite(clone, patterns, TO_FIXPOINT)
        rewrite(clone, (UnrollLoop(),), TO_FIXPOINT)  # the computations of loops, which are calls, are inlined now
        rewrite(clone, (ReturnElementsOfTuples(),))
        rewrite(clone, (EraseUnused(clone.body.block),), BACKWARD)
        return clone

    called = element_functions(computation, functions, prepared)
    result = prepared(computation, called)
    if called:
        ModuleOp([result, *(callee.function for callee in called.values())])
    return result


def _functions_beside(computation: FuncOp) -> Mapping[str, FuncOp]:
    module = computation.parent_op()
    return functions_of(module) if isinstance(module, ModuleOp) else {}
