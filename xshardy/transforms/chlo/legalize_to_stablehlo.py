"""Replace CHLO by StableHLO."""

from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern

from xshardy.rewriting import PatternPass
from xshardy.transforms.decompose import Decompose, check_decompositions


def is_chlo(op: Operation) -> bool:
    return op.dialect_name() == "chlo"


class LegalizeToStablehloPass(PatternPass):
    """
    Write every operation of CHLO in operations of StableHLO.

    Functions of f32 are computed as f64 where a formula would lose precision otherwise, those of complex numbers
    always. Ragged dot products and scans are refused. A module with an operation that is refused is left as it was.
    """

    name = "chlo-legalize-to-stablehlo"
    source: ClassVar[str] = "StableHLO, chlo-legalize-to-stablehlo"

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        check_decompositions(module, is_chlo)
        return (Decompose(is_chlo),)
