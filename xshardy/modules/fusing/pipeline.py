"""The passes from a program, as JAX or HLO before optimisation has it, to one of fusions and library calls."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.passes import ModulePass

from xshardy.modules.fusing.fuse import FusePass
from xshardy.modules.fusing.prepare import PrepareFusionPass
from xshardy.modules.fusing.split_reductions import SplitReductionsPass
from xshardy.transforms.canonicalize import CanonicalizePass
from xshardy.transforms.cse import CSEPass
from xshardy.transforms.hlo.fold_dot_transposes import FoldDotTransposesPass
from xshardy.transforms.hlo.rewrite_convolutions import RewriteConvolutionsPass
from xshardy.transforms.hlo.rewrite_gemms import RewriteGemmsPass
from xshardy.transforms.inline import InlinePass
from xshardy.transforms.pipeline_pass import PipelinePass
from xshardy.transforms.stablehlo.legalize_deprecated_ops import LegalizeDeprecatedOpsPass
from xshardy.transforms.symbol_dce import SymbolDCEPass


@dataclass(frozen=True)
class FusionPipelinePass(PipelinePass):
    """Simplify a program, hand its matrix products to cuBLAS, and fuse the rest: what remains are steps that run."""

    name = "hlo-fusion-pipeline"
    source: ClassVar[str] = "XLA:GPU's compiler: simplification, gemm rewriter, fusion"

    @property
    def passes(self) -> tuple[ModulePass, ...]:
        """The passes, in order."""
        return (
            PrepareFusionPass(),
            LegalizeDeprecatedOpsPass(),
            InlinePass(),
            CanonicalizePass(),
            CSEPass(),
            SplitReductionsPass(),
            RewriteConvolutionsPass(),
            FoldDotTransposesPass(),
            RewriteGemmsPass(),
            CSEPass(),
            FusePass(),
            SymbolDCEPass(),
        )
