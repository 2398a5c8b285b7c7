"""The passes from a program, as JAX or HLO before optimisation has it, to one of fusions and library calls."""

from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.fusing.combine_collectives import CombineCollectivesPass
from xshardy.fusing.fuse import FusePass
from xshardy.fusing.normalize_layouts import NormalizeLayoutsPass
from xshardy.fusing.prepare import PrepareFusionPass
from xshardy.fusing.split_reductions import SplitReductionsPass
from xshardy.fusing.split_sorts import SplitSortsPass
from xshardy.ir import clone_operation
from xshardy.launch.prepared_program import prepared
from xshardy.launch.unfused import require_fused
from xshardy.transforms.canonicalize import CanonicalizePass
from xshardy.transforms.cse import CSEPass
from xshardy.transforms.hlo.buffers_to_arrays import BuffersToArraysPass
from xshardy.transforms.hlo.fold_dot_transposes import FoldDotTransposesPass
from xshardy.transforms.hlo.fuse_epilogues import FuseEpiloguesPass
from xshardy.transforms.hlo.pad_dynamic_dimensions import PadDynamicDimensionsPass
from xshardy.transforms.hlo.rewrite_convolutions import RewriteConvolutionsPass
from xshardy.transforms.hlo.rewrite_gemms import RewriteGemmsPass
from xshardy.transforms.hlo_async.schedule import AsyncSchedulePass
from xshardy.transforms.hlo_async.unwrap import AsyncUnwrapPass
from xshardy.transforms.hlo_async.wrap import AsyncWrapPass
from xshardy.transforms.inline import InlinePass
from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.stablehlo.legalize_arith_constants import LegalizeArithConstantsPass
from xshardy.transforms.stablehlo.legalize_deprecated_ops import LegalizeDeprecatedOpsPass
from xshardy.transforms.symbol_dce import SymbolDCEPass
from xshardy.universe import new_context


class FusionPipelinePass(PipelinePass):
    """
    Simplify a program, hand its matrix products to cuBLAS, and fuse the rest: what remains are steps that run.

    Collectives run beside other steps, one at a time, so that only one of their results waits in memory.
    """

    name = "hlo-fusion-pipeline"
    source: ClassVar[str] = "XLA:GPU's compiler: simplification, gemm rewriter, fusion, asynchronous collectives"

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        return (
            BuffersToArraysPass(),
            LegalizeArithConstantsPass(),
            PrepareFusionPass(),
            LegalizeDeprecatedOpsPass(),
            AsyncUnwrapPass(),
            InlinePass(),
            PadDynamicDimensionsPass(),
            NormalizeLayoutsPass(),
            CanonicalizePass(),
            CSEPass(),
            SplitReductionsPass(),
            SplitSortsPass(),
            RewriteConvolutionsPass(),
            FoldDotTransposesPass(),
            RewriteGemmsPass(),
            CSEPass(),
            FuseEpiloguesPass(),
            CSEPass(),
            CombineCollectivesPass(),
            FusePass(),
            SymbolDCEPass(),
            AsyncWrapPass(kinds=("collectives",)),
            AsyncSchedulePass(max_in_flight=1),
        )


def fused_program(module: ModuleOp) -> ModuleOp:
    """A copy of `module` with its operations fused. Raises `ModuleError` for operations that cannot be fused."""
    copy = clone_operation(module)
    FusionPipelinePass().apply(new_context(), copy)
    require_fused(prepared(copy), advice="")
    return copy
