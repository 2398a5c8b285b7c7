"""Drop the records that the debugging options of propagation write."""

from typing import ClassVar

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.sdy.sharding_origins import RECORDS
from xshardy.transforms.sdy_export.drop_sharding_and_mesh import drop_attributes, drop_signature_attributes


class DropFunctionRecords(RewritePattern):
    """`func @f(%x: T {sdy.sharding_origins = R}) -> (T {...})` -> `func @f(%x: T) -> T`"""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        drop_signature_attributes(op, RECORDS, rewriter)


class DropRecords(RewritePattern):
    """`f(%x) {sdy.propagation_edges = R}` -> `f(%x)`, also for the other records; functions keep their own."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op, FuncOp):
            drop_attributes(op, RECORDS, rewriter)


class RemovePropagationDebugInfoPass(PatternPass):
    """Remove the edges and origins of shardings from operations, and from arguments and results of functions."""

    name = "sdy-remove-propagation-debug-info"
    source: ClassVar[str] = (
        'Shardy, "Export passes", sdy-remove-propagation-debug-info (the records: SDY-ATTR-05, SDY-ATTR-15)'
    )
    fixed_patterns = (DropFunctionRecords(), DropRecords())
