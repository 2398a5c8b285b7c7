"""Bring a program into operations that the emitters know, before it is fused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.chlo.decompositions import DECOMPOSITIONS
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.stablehlo.building import Decomposition
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.decompose import DecomposeByTable


class CallDecomposition(RewritePattern):
    """`composite "f" %x {decomposition = @g}` -> `call @g(%x)`"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.CompositeOp, rewriter: PatternRewriter, /):
        rewriter.replace(op, CallOp(op.decomposition, op.inputs, op.result_types))


class DecomposeStructured(DecomposeByTable):
    """`chlo.top_k %a` -> a sort and slices: operations of CHLO other than functions of elements, which have kernels."""

    decompositions: ClassVar[Mapping[type[Operation], Decomposition]] = {
        kind: decomposition for kind, decomposition in DECOMPOSITIONS.items() if not kind.has_trait(Elementwise)
    }


@dataclass(frozen=True)
class PrepareFusionPass(PatternPass):
    """Replace composites by calls of their decompositions, and operations of CHLO that no kernel computes directly."""

    name = "hlo-prepare-fusion"
    source: ClassVar[str] = "StableHLO: composite; CHLO"

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return CallDecomposition(), DecomposeStructured()
