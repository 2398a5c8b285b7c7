"""Take off what the debugging options of propagation have written. Source: rows SDY-ATTR-05 and SDY-ATTR-15."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.value_shardings import (
    BLOCK_ARG_PROPAGATION_EDGES,
    PROPAGATION_EDGES,
    RESULT_PROPAGATION_EDGES,
)
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.sdy.function_shardings import without_attributes
from xshardy.transforms.sdy.sharding_origins import (
    BLOCK_ARG_SHARDING_ORIGINS,
    RESULT_SHARDING_ORIGINS,
    SHARDING_ORIGINS,
)

RECORDS = frozenset(
    {
        *(PROPAGATION_EDGES, BLOCK_ARG_PROPAGATION_EDGES, RESULT_PROPAGATION_EDGES),
        *(SHARDING_ORIGINS, BLOCK_ARG_SHARDING_ORIGINS, RESULT_SHARDING_ORIGINS),
    }
)
"""The attributes that hold records of propagation."""


@dataclass(frozen=True)
class RemovePropagationDebugInfoPass(ModulePass):
    """Remove the edges and origins of shardings from operations, and from arguments and results of functions."""

    name = "sdy-remove-propagation-debug-info"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in operations_in(op):
            if isinstance(inner, FuncOp):
                inner.arg_attrs = without_attributes(inner.arg_attrs, RECORDS)
                inner.res_attrs = without_attributes(inner.res_attrs, RECORDS)
            else:
                for name in RECORDS & inner.attributes.keys():
                    del inner.attributes[name]
