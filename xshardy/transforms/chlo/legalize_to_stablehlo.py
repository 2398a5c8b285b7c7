"""Replace CHLO by StableHLO."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import RewritePattern

from xshardy.dialects.chlo.decompositions import DECOMPOSITIONS
from xshardy.rewriting import PatternPass
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.decompose import DecomposeByTable, check_decomposition


class Decompose(DecomposeByTable):
    """`chlo.tan %a` -> `stablehlo.tan %a`: the decomposition of an operation, with its sharding."""

    decompositions = DECOMPOSITIONS


@dataclass(frozen=True)
class LegalizeToStablehloPass(PatternPass):
    """
    Write every operation of CHLO in operations of StableHLO.

    Functions of f32 are computed as f64 where a formula would lose precision otherwise, those of complex numbers
    always. Ragged dot products and scans are refused. A module with an operation that is refused is left as it was.
    """

    name = "chlo-legalize-to-stablehlo"
    source: ClassVar[str] = "StableHLO, chlo-legalize-to-stablehlo"

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        for op in operations_in(module):
            if op.name.startswith("chlo."):
                check_decomposition(op, DECOMPOSITIONS)
        return (Decompose(),)
