"""Replace deprecated operations of StableHLO."""

from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern

from xshardy.facts.decompositions.deprecated import DEPRECATED
from xshardy.rewriting import PatternPass
from xshardy.transforms.decompose import Decompose, check_decompositions


def is_deprecated(op: Operation) -> bool:
    return type(op) in DEPRECATED


class LegalizeDeprecatedOpsPass(PatternPass):
    """
    Write `broadcast`, `create_token`, `cross-replica-sum`, `dot`, `einsum`, `torch_index_select` and `unary_einsum` in
    the operations that have replaced them.

    A sum of products that takes the diagonal of an operand is refused; its module is left as it was.
    """

    name = "stablehlo-legalize-deprecated-ops"
    source: ClassVar[str] = "StableHLO, stablehlo-legalize-deprecated-ops"

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        check_decompositions(module, is_deprecated)
        return (Decompose(is_deprecated),)
