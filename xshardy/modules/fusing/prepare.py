"""Bring a program into operations that the emitters know, before it is fused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ComplexType, ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.chlo.decompositions import DECOMPOSITIONS
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.stablehlo.building import Decomposition, element_type
from xshardy.emitters.elemental.support import has_row
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.decompose import DecomposeByTable


class CallDecomposition(RewritePattern):
    """`composite "f" %x {decomposition = @g}` -> `call @g(%x)`"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.CompositeOp, rewriter: PatternRewriter, /):
        rewriter.replace(op, CallOp(op.decomposition, op.inputs, op.result_types))


class DecomposeWithoutKernel(DecomposeByTable):
    """`chlo.top_k %a` -> a sort and slices; `chlo.zeta %a, %b` -> arithmetic: what no kernel computes directly."""

    decompositions: ClassVar[Mapping[type[Operation], Decomposition]] = DECOMPOSITIONS

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        is_function = op.has_trait(Elementwise)
        if not is_function or not (has_row(op) or isinstance(element_type(op.operands[0]), ComplexType)):
            super().rewrite(op, rewriter)


@dataclass(frozen=True)
class PrepareFusionPass(PatternPass):
    """Replace composites by calls of their decompositions, and operations of CHLO that no kernel computes directly."""

    name = "hlo-prepare-fusion"
    source: ClassVar[str] = "StableHLO: composite; CHLO"

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return CallDecomposition(), DecomposeWithoutKernel()
