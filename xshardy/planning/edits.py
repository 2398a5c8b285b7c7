"""Changes of the annotations of a program, to try out what they save."""

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.function_attributes import add_argument_attributes
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.syntax.source_names import SourceNames
from xshardy.transforms.sdy.main_function import main_function


@dataclass(frozen=True, slots=True)
class Place:
    """A value of a program as in its text: argument `index` of the main function, or result `index` of an operation."""

    index: int
    operation: int | None = None
    """Where the operation starts in the text; None for an argument."""


@dataclass(frozen=True, slots=True)
class Edit:
    """New shardings of values: of an argument, its annotation; of a constraint, what it asks for; else a constraint."""

    shardings: tuple[tuple[Place, TensorShardingAttr], ...]


def place_of(value: SSAValue, names: SourceNames, module: ModuleOp) -> Place | None:
    """The place of `value` in the text; None for one that is not there, or of an inner function."""
    if isinstance(value, BlockArgument):
        return Place(value.index) if value.block.parent_op() is main_function(module) else None
    assert isinstance(value, OpResult)
    span = names.spans.get(value.op)
    return None if span is None else Place(value.index, span.start)


def apply(edit: Edit, module: ModuleOp, names: SourceNames) -> None:
    """Apply `edit` to `module`, as it was read from the text."""
    at = {span.start: op for op, span in names.spans.items()}
    for place, sharding in edit.shardings:
        if place.operation is None:
            add_argument_attributes(main_function(module), {place.index: {SHARDING: sharding}})
        elif isinstance(op := at[place.operation], ShardingConstraintOp):
            op.properties["sharding"] = sharding
        else:
            constrain(op, place.index, sharding)


def constrain(op: Operation, index: int, sharding: TensorShardingAttr) -> None:
    """`f(op())` -> `f(sharding_constraint(op()))`"""
    value = op.results[index]
    constraint = ShardingConstraintOp.create(
        operands=[value], properties={"sharding": sharding}, result_types=[value.type]
    )
    for use in [*value.uses]:
        use.operation.operands[use.index] = constraint.result
    constraint.operands[0] = value
    Rewriter.insert_op(constraint, InsertPoint.after(op))


def with_axes(sharding: TensorShardingAttr, axes: Iterable[Iterable[AxisRefAttr]]) -> TensorShardingAttr:
    """`sharding` with other `axes` for each dimension, all closed."""
    dims = [DimensionShardingAttr(of_dim, is_closed=True) for of_dim in axes]
    return TensorShardingAttr(sharding.mesh_or_ref, dims)
