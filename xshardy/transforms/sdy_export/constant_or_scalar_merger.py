"""
Merge the copies of constants that import made and propagation sharded alike.

Source: Shardy's docs, "Export passes", `sdy-constant-or-scalar-merger`.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import ConstantLike

from xshardy.dialects.sdy.ops import ConstantOp
from xshardy.rewriting.memo import once_per_object
from xshardy.rewriting.walk import operations_in, operations_of
from xshardy.transforms.sdy.op_kinds import is_scalar_expansion


@cache
def is_constant(kind: type[Operation]) -> bool:
    """Whether operations of this kind are constants."""
    return kind is ConstantOp or kind.has_trait(ConstantLike, value_if_unregistered=False)


@dataclass(frozen=True)
class ConstantOrScalarMergerPass(ModulePass):
    """
    Replace constants, and broadcasts of one scalar, by the first one in their region that is equal to them.

    Shardings are told apart, and so are all other attributes. No value is carried into another region, in which its
    sharding could have no meaning.
    """

    name = "sdy-constant-or-scalar-merger"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        numbers: dict[Attribute, int] = {}

        @once_per_object
        def number(attribute: Attribute) -> int:
            return numbers.setdefault(attribute, len(numbers))

        def identity(op: Operation) -> Hashable:
            """Equal for two operations of which the same is said, sharding included, in whatever dialect."""
            attributes = ((name, number(attribute)) for name, attribute in op.attributes.items())
            properties = ((name, number(attribute)) for name, attribute in op.properties.items())
            return (
                *(op.parent_region(), tuple(op.operands), tuple(map(number, op.result_types))),
                *(frozenset(attributes), frozenset(properties)),
            )

        for function in operations_of(op, FuncOp):
            first: dict[Hashable, Operation] = {}
            for inner in list(operations_in(function, inner_first=True)):
                if not (is_constant(type(inner)) or is_scalar_expansion(inner)):
                    continue
                kept = first.setdefault(identity(inner), inner)
                if kept is not inner:
                    inner.results[0].replace_all_uses_with(kept.results[0])
                    Rewriter.erase_op(inner)
