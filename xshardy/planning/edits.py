"""Changes of the annotations of a program, to try out what they save."""

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.ir import Block, BlockArgument, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.function_attributes import add_argument_attributes
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.programs.program import Program
from xshardy.transforms.sdy.main_function import main_function


@dataclass(frozen=True, slots=True)
class Edit:
    """
    New shardings of values of a program: of an argument of the main function, its annotation; of a constraint, what it
    asks for; else a constraint.
    """

    shardings: tuple[tuple[SSAValue, TensorShardingAttr], ...]

    def applied(self, program: Program) -> Program:
        """A copy of `program` with these shardings."""
        edited, copies = program.copy()
        for value, sharding in self.shardings:
            if isinstance(value, BlockArgument):
                add_argument_attributes(main_function(edited.module), {value.index: {SHARDING: sharding}})
                continue
            assert isinstance(value, OpResult)
            if isinstance(op := copies[value.op], ShardingConstraintOp):
                op.properties["sharding"] = sharding
            else:
                constrain(op.results[value.index], sharding)
        return edited


def constrain(value: SSAValue, sharding: TensorShardingAttr) -> None:
    """`f(x)` -> `f(sharding_constraint(x))`, for all readers of `value`, a result or an argument of a block."""
    uses = [*value.uses]
    constraint = ShardingConstraintOp(value, sharding)
    for use in uses:
        use.operation.operands[use.index] = constraint.result
    owner = value.owner
    place = InsertPoint.at_start(owner) if isinstance(owner, Block) else InsertPoint.after(owner)
    Rewriter.insert_op(constraint, place)


def with_axes(sharding: TensorShardingAttr, axes: Iterable[Iterable[AxisRefAttr]]) -> TensorShardingAttr:
    """`sharding` with other `axes` for each dimension, all closed."""
    dims = [DimensionShardingAttr(dim_axes, is_closed=True) for dim_axes in axes]
    return TensorShardingAttr(sharding.mesh_or_ref, dims)
