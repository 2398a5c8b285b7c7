"""Bring a program into operations that the emitters know, before it is fused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.chlo.decompositions import DECOMPOSITIONS
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.hlo import LAYOUT
from xshardy.dialects.stablehlo.building import Decomposition
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.decompose import DecomposeByTable

COMPUTING = ("chlo", "stablehlo")
"""The dialects of operations that compute the same in any layout."""
IN_LAYOUTS = (hlo.BitcastOp, hlo.FusionOp, stablehlo.CustomCallOp)
"""Operations that depend on layouts: in a module with any of them, layouts were assigned."""


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


class DropLayout(RewritePattern):
    """`f(%x) {hlo.layout = [0, 1]}` -> `f(%x)`, unless a function returns the result: the default layout."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        is_returned = any(isinstance(use.operation, ReturnOp) for result in op.results for use in result.uses)
        if op.dialect_name() in COMPUTING and not is_returned and op.attributes.pop(LAYOUT, None) is not None:
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class PrepareFusionPass(PatternPass):
    """
    Replace composites by calls of their decompositions, and operations of CHLO that no kernel computes directly.

    Layouts of intermediate results are dropped if nothing depends on them: HLO text of JAX has those of transposes, and
    XLA assigns others.
    """

    name = "hlo-prepare-fusion"
    source: ClassVar[str] = "StableHLO: composite; CHLO; XLA's layout assignment"

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        patterns = CallDecomposition(), DecomposeStructured()
        return patterns if any(operations_of(module, *IN_LAYOUTS)) else (*patterns, DropLayout())
