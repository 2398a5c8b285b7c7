"""Drop all shardings and meshes."""

from collections.abc import Set
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.replica_groups import ReplicaGroupMeshAxesAttr
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.function_shardings import without_attributes
from xshardy.transforms.sdy.sharding_origins import RECORDS


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


DROPPED = {SHARDING, *RECORDS}


class DropFunctionShardings(RewritePattern):
    """`func @f(%x: T {sdy.sharding = S}) -> (T {sdy.sharding = S})` -> `func @f(%x: T) -> T`"""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        drop_signature_attributes(op, DROPPED, rewriter)


@dataclass(frozen=True)
class EraseMesh(RewritePattern):
    """`sdy.mesh @mesh = <["x"=2]>` -> nothing, unless replica groups name the mesh"""

    kept: Set[str]

    @match_op_type
    def match_and_rewrite(self, op: MeshOp, rewriter: PatternRewriter, /) -> None:
        if op.sym_name.data not in self.kept:
            rewriter.erase(op)


class DropSharding(RewritePattern):
    """`f(%x) {sdy.sharding = S}` -> `f(%x)`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        drop_attributes(op, DROPPED, rewriter)


SHARDINGS = frozenset[type[Attribute]]({TensorShardingAttr, TensorShardingPerValueAttr})


def mesh_of_groups(op: Operation) -> str | None:
    """The name of the mesh whose axes are the replica groups of `op`, a collective."""
    groups = op.properties.get("replica_groups")
    if type(groups) is not ReplicaGroupMeshAxesAttr or not isinstance(groups.mesh, SymbolRefAttr):
        return None
    return groups.mesh.string_value()


def check_has_no_sharding_inside(op: Operation) -> None:
    """Raises `OperationFailedException` if a property of `op` is a sharding, such as that of a reshard."""
    if not SHARDINGS.isdisjoint(map(type, op.properties.values())):
        raise OperationFailedException(
            op,
            f"'{op.name}' op has a sharding of its own, whose mesh goes: lower it first, with "
            "sdy-reshard-to-collectives and sdy-convert-global-to-local",
        )


class DropShardingAndMeshPass(PatternPass):
    """
    Remove shardings and records of propagation from operations, arguments and results, and every `sdy.mesh`.

    A mesh that replica groups name stays. An operation of sdy with a sharding of its own, such as `sdy.reshard`, is
    refused.
    """

    name = "sdy-drop-sharding-and-mesh"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-drop-sharding-and-mesh'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        kept: set[str] = set()
        for op in operations_in(module):
            check_has_no_sharding_inside(op)
            if (name := mesh_of_groups(op)) is not None:
                kept.add(name)
        return DropFunctionShardings(), EraseMesh(kept), DropSharding()
