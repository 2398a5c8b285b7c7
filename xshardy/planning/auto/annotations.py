"""Placements as annotations: of arguments, of values where they are produced, and of values where they are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.function_attributes import add_argument_attributes, add_result_attributes
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.planning.auto.placements import Placement
from xshardy.planning.auto.prepared import Prepared
from xshardy.planning.edits import constrain
from xshardy.programs.program import Program
from xshardy.transforms.sdy.main_function import main_function

Use = tuple[Operation, int]
"""An operand."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """What is written into a program."""

    arguments: Mapping[int, Placement] = field(default_factory=dict[int, Placement])
    """By index of the argument of the main function."""
    values: Mapping[SSAValue, Placement] = field(default_factory=dict[SSAValue, Placement])
    """A constraint behind each of these."""
    reads: Mapping[Use, Placement] = field(default_factory=dict[Use, Placement])
    """A constraint in front of each of these; equal ones of one operation and value are one."""

    def simplified(self) -> Sequence["Annotations"]:
        """Those of arguments only; with the constraints of values, or with those of reads; and all."""
        kinds = replace(self, values={}, reads={}), replace(self, reads={}), replace(self, values={}), self
        return [kind for number, kind in enumerate(kinds) if kind not in kinds[:number]]

    def with_values(self, values: Mapping[SSAValue, Placement]) -> "Annotations":
        """These, and constraints of `values`."""
        return replace(self, values={**self.values, **values})


def annotated(prepared: Prepared, annotations: Annotations) -> tuple[Program, Mapping[Operation, Operation]]:
    """
    A copy of a program with `annotations`, and its operations by those of the whole program.

    A result that is the new value of an argument gets the sharding of that. Annotations in layers that the program does
    not have are left out.
    """
    program, copies = prepared.copy()
    sharding = prepared.axes.sharding
    attributes = {index: {SHARDING: sharding(placement)} for index, placement in annotations.arguments.items()}
    main = main_function(program.module)
    add_argument_attributes(main, attributes)
    add_result_attributes(
        main, {result: attributes[argument] for result, argument in prepared.ties if argument in attributes}
    )
    made: dict[tuple[Operation, SSAValue, Placement], SSAValue] = {}
    for (op, index), placement in annotations.reads.items():
        if (reader := copies.get(op)) is None:
            continue
        key = reader, reader.operands[index], placement
        if key not in made:
            constraint = ShardingConstraintOp(reader.operands[index], sharding(placement))
            constraint.location = reader.location
            Rewriter.insert_op(constraint, InsertPoint.before(reader))
            made[key] = constraint.result
        reader.operands[index] = made[key]
    for value, placement in annotations.values.items():
        if operation_with(value) in copies:
            constrain(copied(value, copies), sharding(placement))
    return program, copies


def operation_with(value: SSAValue) -> Operation:
    """The operation whose result `value` is, or in whose region it is an argument."""
    around = value.block.parent_op() if isinstance(value, BlockArgument) else value.owner
    assert isinstance(around, Operation)
    return around


def copied(value: SSAValue, copies: Mapping[Operation, Operation]) -> SSAValue:
    """The value of the copy for `value`."""
    if isinstance(value, BlockArgument):
        around = operation_with(value)
        region = next(number for number, each in enumerate(around.regions) if each is value.block.parent_region())
        return copies[around].regions[region].block.args[value.index]
    assert isinstance(value, OpResult)
    return copies[value.op].results[value.index]
