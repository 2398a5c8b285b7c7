"""
Calls in a computation: inline calls, nested fusions and composites; replace custom calls of elementwise functions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import stablehlo
from xshardy.dialects.chlo.custom_calls import ELEMENTWISE_CUSTOM_CALLS
from xshardy.dialects.hlo import FusionOp
from xshardy.rewriting import match_op_type

Call = CallOp | FusionOp | stablehlo.CompositeOp


def callee_name(op: Call) -> str:
    """The name of the function that `op` executes."""
    symbol = op.decomposition if isinstance(op, stablehlo.CompositeOp) else op.callee
    return symbol.string_value()


def require_no_recursion(computation: FuncOp, functions: Mapping[str, FuncOp]) -> None:
    """Raise `PassFailedException` if a call in `computation`, or in one of its callees, is recursive."""
    finished: set[FuncOp] = set()
    path: list[tuple[FuncOp, Iterator[FuncOp]]] = [(computation, _callees(computation, functions))]
    while path:
        callee = next(path[-1][1], None)
        if callee is None:
            finished.add(path.pop()[0])
        elif any(callee is entered for entered, _ in path):
            names = " -> ".join(f"@{entered.sym_name.data}" for entered, _ in path)
            raise PassFailedException(
                f"@{callee.sym_name.data} calls itself, by way of {names}: a kernel cannot recurse"
            )
        elif callee not in finished:
            path.append((callee, _callees(callee, functions)))


def _callees(function: FuncOp, functions: Mapping[str, FuncOp]) -> Iterator[FuncOp]:
    return (
        callee
        for op in function.body.walk()
        if isinstance(op, Call) and (callee := functions.get(callee_name(op))) is not None
    )


@dataclass(frozen=True)
class InlineCall(RewritePattern):
    """`call @f(x)` -> the operations of `@f` on `x`; alike for a nested fusion and for a composite."""

    functions: Mapping[str, FuncOp]

    @match_op_type
    def match_and_rewrite(self, op: Call, rewriter: PatternRewriter, /):
        callee = self.functions.get(callee_name(op))
        if callee is None or not callee.body.blocks:
            raise PassFailedException(f"{op.name} of @{callee_name(op)}: the module has no body for it")
        block = callee.body.clone().detach_block(0)
        rewriter.inline_block(block, InsertPoint.before(op), op.operands)
        returned = op.prev_op
        assert returned is not None
        results = tuple(returned.operands)
        rewriter.erase(returned)
        rewriter.replace(op, [], results)


class ReplaceCustomCall(RewritePattern):
    """`custom_call @mhlo.erf(x)` -> `chlo.erf(x)`"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.CustomCallOp, rewriter: PatternRewriter, /):
        function = ELEMENTWISE_CUSTOM_CALLS.get(op.call_target_name.data)
        if function is not None:
            rewriter.replace(op, function.create(operands=op.operands, result_types=op.result_types))
