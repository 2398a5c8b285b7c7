"""Forget that a program was divided among devices. Source: Shardy's docs, "Export passes"."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.sdy.function_shardings import without_attributes


@dataclass(frozen=True)
class DropShardingAndMeshPass(ModulePass):
    """Remove `sdy.sharding` from operations, arguments and results, and every `sdy.mesh`. Operations of sdy stay."""

    name = "sdy-drop-sharding-and-mesh"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(operations_in(op)):
            inner.attributes.pop(SHARDING, None)
            if isinstance(inner, FuncOp):
                inner.arg_attrs = without_attributes(inner.arg_attrs, {SHARDING})
                inner.res_attrs = without_attributes(inner.res_attrs, {SHARDING})
            elif isinstance(inner, MeshOp):
                Rewriter.erase_op(inner)
