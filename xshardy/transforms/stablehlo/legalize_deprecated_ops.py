"""Replace deprecated operations of StableHLO."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import RewritePattern

from xshardy.dialects.stablehlo.deprecated import DEPRECATED
from xshardy.rewriting import PatternPass
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.decompose import DecomposeByTable, check_decomposition


class ReplaceDeprecated(DecomposeByTable):
    """`stablehlo.dot %a, %b` -> `stablehlo.dot_general %a, %b`: the operations that replace one, with its sharding."""

    decompositions = DEPRECATED


@dataclass(frozen=True)
class LegalizeDeprecatedOpsPass(PatternPass):
    """
    Write `broadcast`, `create_token`, `cross-replica-sum`, `dot`, `einsum`, `torch_index_select` and `unary_einsum` in
    the operations that have replaced them.

    A sum of products that takes the diagonal of an operand is refused; its module is left as it was.
    """

    name = "stablehlo-legalize-deprecated-ops"
    source: ClassVar[str] = "StableHLO, stablehlo-legalize-deprecated-ops"

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        for op in operations_in(module):
            if type(op) in DEPRECATED:
                check_decomposition(op, DEPRECATED)
        return (ReplaceDeprecated(),)
