"""
Pad tensors that their sharding does not divide evenly, so that every device has a part of the same shape.

Source: Shardy's docs, "Export passes", `sdy-pad-for-divisibility`.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from xdsl.dialects.builtin import FunctionType, ModuleOp, UnregisteredOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.sdy import collectives as sdy
from xshardy.dialects.sdy.ops import (
    DataFlowEdgeOp,
    ManualComputationOp,
    PropagationBarrierOp,
    ReshardOp,
    ReturnOp,
    ShardingConstraintOp,
)
from xshardy.dialects.sdy.value_shardings import local_sharding
from xshardy.dialects.stablehlo.control_flow import IfOp
from xshardy.dialects.stablehlo.control_flow import ReturnOp as StableReturnOp
from xshardy.ir.fields import values_defined_by
from xshardy.ir.hashing import are_equal
from xshardy.rewriting import PatternPass, Step
from xshardy.rewriting.walk import operations_in
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.transforms.call_graph import functions_of, is_private
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.data_flow import argument_owners, has_data_flow, result_owners, sources_of
from xshardy.transforms.sdy_export.likeness import Likeness
from xshardy.transforms.sdy_export.sink_data_flow_edges import FLOW_OPS
from xshardy.transforms.sdy_partition.by_sharding import BySharding, function_type
from xshardy.transforms.sdy_partition.local.convert_global_to_local import GiveFunctionType, GiveValuesTypes
from xshardy.transforms.sdy_partition.operations import OPERATIONS, PLAIN, patterns_of
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensor, PaddedTensors, padded_type
from xshardy.transforms.sdy_partition.pad.whole import ComputeWhole, Whole, dims_to_gather

HELP = "divide what it reads and what it gives into as many parts"


class PaddedTypes(BySharding[Attribute]):
    """The padded types of the values of `module`."""

    def __init__(self, module: ModuleOp) -> None:
        super().__init__(padded_type)
        self.functions = functions_of(module)

    def is_padded(self, value: SSAValue, op: Operation) -> bool:
        """Whether `value`, which `op` defines or reads, gets padding."""
        return not are_equal(self.of_value(value, op), value.type)


def check_function(op: FuncOp, types: PaddedTypes) -> None:
    """Raises `OperationFailedException` if an argument or a result needs padding."""
    before, after = op.function_type, function_type(op, types)
    for what, listed, padded in (
        ("argument", before.inputs, after.inputs),
        ("result", before.outputs, after.outputs),
    ):
        for index, (type, of_padded) in enumerate(zip(listed, padded, strict=True)):
            if type != of_padded:
                raise OperationFailedException(
                    op,
                    f"'func.func' op {what} #{index} has a non-divisible sharding. Shardy expects function IO to be "
                    "divisible: let sdy-update-non-divisible-input-output-shardings run first (failed to legalize "
                    "operation 'func.func')",
                )


# -- Operations that give values on -----------------------------------------------------------------------------------


def _padded_differently(op: Operation, one: Attribute, other: Attribute) -> OperationFailedException:
    return OperationFailedException(op, f"'{op.name}' op has a value that is padded to {one}, and to {other}: {HELP}")


def check_returned(op: FuncReturnOp, types: PaddedTypes) -> None:
    """Raises `OperationFailedException` if `op` returns values with other padding than its function has."""
    function = op.parent_op()
    assert isinstance(function, FuncOp)
    for value, wanted in zip(op.operands, function_type(function, types).outputs, strict=True):
        if (padded := types.of_value(value, op)) != wanted:
            raise _padded_differently(op, padded, wanted)


def check_without_padding(op: Operation, values: Sequence[SSAValue], types: PaddedTypes) -> None:
    """Raises `OperationFailedException` if one of `values`, which `op` gets or gives as they are, needs padding."""
    for value in values:
        if not are_equal(padded := types.of_value(value, op), value.type):
            raise OperationFailedException(
                op,
                f"'{op.name}' op has a value of {value.type}, which its sharding {local_sharding(value)} makes "
                f"{padded}: shard what functions and manual computations take and return so that parts are equal",
            )


def check_border(op: ManualComputationOp, types: PaddedTypes) -> None:
    check_without_padding(op, (*op.operands, *op.results), types)


def check_call(op: CallOp, types: PaddedTypes) -> None:
    """Raises `OperationFailedException` if `op` takes or returns values with other padding than its function."""
    if (callee := types.functions.get(op.callee.string_value())) is None:
        return check_without_padding(op, (*op.operands, *op.results), types)
    inside = function_type(callee, types)
    for value, wanted in zip((*op.operands, *op.results), (*inside.inputs, *inside.outputs), strict=True):
        if (padded := types.of_value(value, op)) != wanted:
            raise _padded_differently(op, padded, wanted)


def check_end(op: Operation, types: PaddedTypes) -> None:
    """The check of the end of a region; the operation around it is checked for values that go to its results."""
    around = op.parent_op()
    if not isinstance(around, IfOp) and (not has_data_flow(around) or isinstance(around, ManualComputationOp)):
        check_without_padding(op, op.operands, types)


def check_flow(op: Operation, types: PaddedTypes) -> None:
    """Raises `OperationFailedException` if the values of a data flow edge of `op` have different padding."""
    for owner in (*argument_owners(op), *result_owners(op)):
        wanted = types.of_value(owner, op)
        for source in sources_of(owner):
            if (padded := types.of_value(source, op)) != wanted:
                raise _padded_differently(op, padded, wanted)


def check_branches(op: IfOp, types: PaddedTypes) -> None:
    """Raises `OperationFailedException` if a branch of `op` returns a value with other padding than its result has."""
    for branch in op.regions:
        end = branch.block.last_op
        assert end is not None
        for value, result in zip(end.operands, op.results, strict=True):
            if (padded := types.of_value(value, end)) != (wanted := types.of_value(result, op)):
                raise _padded_differently(end, padded, wanted)


def check_same_padding(op: Operation, types: PaddedTypes) -> None:
    """Raises `OperationFailedException` if the result of `op`, which is its operand, has other padding."""
    if op.results and types.of_value(op.operands[0], op) != types.of_value(op.results[0], op):
        raise OperationFailedException(op, f"'{op.name}' op pads its operand and its result differently: {HELP}")


FLOW_CHECKS: tuple[tuple[tuple[type, ...], Callable[[Any, PaddedTypes], None]], ...] = (
    ((FuncReturnOp,), check_returned),
    ((CallOp,), check_call),
    ((ManualComputationOp,), check_border),
    (FLOW_OPS, check_flow),
    ((IfOp,), check_branches),
    ((ReturnOp, StableReturnOp, UnregisteredOp), check_end),
    (
        (
            *(sdy.AllReduceOp, sdy.CollectivePermuteOp, sdy.ReplicatedToUnreducedOp),
            *(DataFlowEdgeOp, PropagationBarrierOp, ReshardOp, ShardingConstraintOp),
        ),
        check_same_padding,
    ),
)
"""
What operations need that only give values on, as loops, calls and returns do: the same padding on both sides. The first
row counts that an operation is in.
"""


@cache
def flow_check(kind: type[Operation]) -> Callable[[Any, PaddedTypes], None] | None:
    """The check of operations of the class `kind`; None if these compute something, and have a padded form."""
    return next((check for kinds, check in FLOW_CHECKS if issubclass(kind, kinds)), None)


# -- Operations that compute something --------------------------------------------------------------------------------


def check_no_partial_results(
    op: Operation, rule: FactorRule | None, tensors: PaddedTensors, gathered: Sequence[Collection[int]]
) -> None:
    """
    Raises `OperationFailedException` if something adds up results of `op` that would be partial but for the gather of
    the dimensions `gathered` of each operand.
    """
    is_reduced = any(isinstance(use.operation, sdy.Reduction) for result in op.results for use in result.uses)
    if rule is None or not rule.reduction or not is_reduced:
        return
    for tensor, mapping, dims in zip(tensors.operands, rule.operands, gathered, strict=False):
        for dim in dims:
            if tensor.whole.axes(dim) and {*mapping[dim]} & {*rule.reduction}:
                raise OperationFailedException(
                    op,
                    f"'{op.name}' op reduces a dimension that its sharding does not divide, and takes no padding "
                    "there, so that each device needs it whole; but an all-reduce adds up the results: let a sharding "
                    "constraint replicate the dimension",
                )


@dataclass(frozen=True, slots=True)
class PaddedProgram:
    """The padded types and the decisions, computed before anything is padded."""

    types: dict[Operation, Sequence[tuple[SSAValue, Attribute]]]
    """For each operation, the results and block arguments whose type changes, with their padded types."""
    function_types: dict[FuncOp, FunctionType]
    padded: dict[Operation, object]
    """The decision for each operation that a pattern pads."""
    whole: dict[Operation, Whole]
    """The dimensions that are not divided, for each operation that gets tensors without padding."""


def zeros_after(op: Operation, zeros: set[SSAValue], types: PaddedTypes) -> bool:
    """
    Whether the padding of the result of `op` is zero, if that of `zeros` is.

    Collectives keep it, and add zeros.
    """
    if isinstance(op, sdy.AllGatherOp | sdy.CollectivePermuteOp):
        return op.tensor in zeros
    if isinstance(op, sdy.AllSliceOp | sdy.ReduceScatterOp | sdy.AllToAllOp):
        return op.tensor in zeros or not types.is_padded(op.tensor, op)
    return False


def needs_padding(module: ModuleOp, types: PaddedTypes) -> bool:
    """Whether the parts of any value differ in size; of none, in most modules."""
    likeness, even = Likeness(module), set[int]()
    for op in operations_in(module):
        if (number := likeness.of(op)) in even:
            continue
        if any(types.is_padded(value, op) for value in values_defined_by(op)):
            return True
        if type(op) is FuncOp and function_type(op, types) != op.function_type:
            return True
        if number is not None:
            even.add(number)
    return False


def padded_program(module: ModuleOp, *, pads_functions: bool = False) -> PaddedProgram:
    """
    The analysis of the pass. Raises `OperationFailedException` for a module that cannot be padded.

    With `pads_functions`, all functions return padded tensors, and take tensors that are padded with zeros; else only
    private ones do, with any padding, and public ones must not need it.
    """
    types, rules = PaddedTypes(module), ShardingRules(beyond_upstream=True)
    program = PaddedProgram({}, {}, {}, {})
    if not needs_padding(module, types):
        return program
    zeros: set[SSAValue] = set()
    for op in operations_in(module):
        if changed := [
            (value, after)
            for value in values_defined_by(op)
            if not are_equal(after := types.of_value(value, op), value.type)
        ]:
            program.types[op] = changed
        if zeros_after(op, zeros, types):
            zeros.add(op.results[0])
        if isinstance(op, FuncOp):
            if not pads_functions and not is_private(op):
                check_function(op, types)
            program.function_types[op] = function_type(op, types)
            if pads_functions:
                zeros.update(values_defined_by(op))
        elif (check := flow_check(type(op))) is not None:
            check(op, types)
        elif any(types.is_padded(value, op) for value in (*op.operands, *op.results)):
            tensors = PaddedTensors(
                [PaddedTensor.of(value, op, has_zeros=value in zeros) for value in op.operands],
                [PaddedTensor.of(value, op) for value in op.results],
            )
            row, rule = OPERATIONS.get(type(op), PLAIN), rules.factor_rule(op)
            if row.padding is not None and (decision := row.padding.decide(op, tensors)) is not None:
                program.padded[op] = decision
            elif row.padding is not None or not row.pads_types(op, rule, tensors):
                gathered = dims_to_gather(rule, tensors)
                check_no_partial_results(op, rule, tensors, gathered)
                program.whole[op] = Whole(tensors, gathered)
    return program


# -- The pass ---------------------------------------------------------------------------------------------------------


class PadForDivisibilityPass(PatternPass):
    """
    Pad tensors at the end of each dimension that has no equal parts, and mask padding where it would be noticed.

    Arguments and results of public functions must have equal parts; those of private ones are padded. An operation that
    cannot take padding gets the dimension whole on each device. A module that cannot be padded is left as it was.
    """

    name = "sdy-pad-for-divisibility"
    pads_functions: ClassVar[bool] = False
    """Whether public functions take and return padded tensors, too."""
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-pad-for-divisibility'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        program = padded_program(module, pads_functions=self.pads_functions)
        yield Step((GiveFunctionType(program.function_types),))
        yield Step((GiveValuesTypes(program.types),))
        padded = patterns_of(lambda row: row.padding, program.padded)
        yield Step((*(pattern(decided) for pattern, decided in padded.items()), ComputeWhole(program.whole)))
