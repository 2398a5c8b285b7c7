"""Drop all shardings and meshes."""

from collections.abc import Set
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.sdy.function_shardings import without_attributes


def drop_attributes(op: Operation, names: Set[str], rewriter: PatternRewriter) -> None:
    """Drop the discardable attributes of `op` with a name in `names`."""
    if found := names & op.attributes.keys():
        for name in found:
            del op.attributes[name]
        rewriter.notify_op_modified(op)


def drop_signature_attributes(function: FuncOp, names: Set[str], rewriter: PatternRewriter) -> None:
    """Drop the attributes of arguments and results of `function` with a name in `names`."""
    before = function.arg_attrs, function.res_attrs
    after = without_attributes(function.arg_attrs, names), without_attributes(function.res_attrs, names)
    if after != before:
        function.arg_attrs, function.res_attrs = after
        rewriter.notify_op_modified(function)


@dataclass(frozen=True)
class DropFunctionShardings(RewritePattern):
    """`func @f(%x: T {sdy.sharding = S}) -> (T {sdy.sharding = S})` -> `func @f(%x: T) -> T`"""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        drop_attributes(op, {SHARDING}, rewriter)
        drop_signature_attributes(op, {SHARDING}, rewriter)


@dataclass(frozen=True)
class EraseMesh(RewritePattern):
    """`sdy.mesh @mesh = <["x"=2]>` -> nothing"""

    @match_op_type
    def match_and_rewrite(self, op: MeshOp, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


@dataclass(frozen=True)
class DropSharding(RewritePattern):
    """`f(%x) {sdy.sharding = S}` -> `f(%x)`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        drop_attributes(op, {SHARDING}, rewriter)


@dataclass(frozen=True)
class DropShardingAndMeshPass(PatternPass):
    """Remove `sdy.sharding` from operations, arguments and results, and every `sdy.mesh`. Operations of sdy stay."""

    name = "sdy-drop-sharding-and-mesh"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-drop-sharding-and-mesh'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return DropFunctionShardings(), EraseMesh(), DropSharding()
