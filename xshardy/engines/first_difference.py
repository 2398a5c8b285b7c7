"""The first operation of a partitioned program whose parts are not those of the whole program's result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult
from xdsl.utils.exceptions import InterpretationError, PassFailedException

from xshardy.dialects.function_attributes import add_result_attributes
from xshardy.dialects.sdy.collectives import AllReduceOp, ReduceScatterOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.shapes import is_tensor
from xshardy.interpreters.check import Comparison
from xshardy.interpreters.reference import Reference
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.ir import clone_operation
from xshardy.numerics.element_types import Array
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.partitioned import PARTITIONING, PartitionedProgram
from xshardy.transforms.pipeline_pass import IndexedPipeline
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.universe import new_context


@dataclass(frozen=True, slots=True)
class Difference:
    """A result of an operation that has a wrong part on a device; all operations before it have right ones."""

    operation: Operation
    """The operation, in `PartitionedProgram.propagated`."""
    result: int
    device: int
    comparison: Comparison
    """The part of the device, compared with the same part of the whole tensor."""


def first_difference(program: PartitionedProgram, arguments: Sequence[Array]) -> Difference | None:
    """
    The first difference between `program` and the same program on whole tensors, for whole `arguments`.

    `program` has its module `propagated`, which is evaluated on whole tensors beside the program of each device.
    Operations of the main function are compared: of a loop, a branch or a call, the results. None if all of these
    agree, or if the program cannot return the results of its operations.
    """
    if program.propagated is None:
        return None
    observed = clone_operation(program.propagated)
    main = main_function(observed)
    values = [*observable(main)]
    tensors = [_distributed(value, program.devices) for value in values]
    return_only(main, values)
    local = clone_operation(observed)
    given = [tensor.parts(array) for tensor, array in zip(program.arguments, arguments, strict=True)]
    try:
        IndexedPipeline(PARTITIONING).apply(new_context(), local)
        found = evaluate_spmd(local, [[parts[device] for parts in given] for device in range(program.devices)])
        reference = Reference(main, arguments, sums_in_parts=True)
    except (InterpretationError, PassFailedException):
        return None
    operations = dict(zip(observed.walk(), program.propagated.walk(), strict=True))
    for index, (value, tensor) in enumerate(zip(values, tensors, strict=True)):
        parts = [results[index] for results in found]
        if (wrong := first_wrong_part(reference, index, tensor, parts)) is not None:
            return Difference(operations[value.op], value.index, *wrong)
    return None


def first_wrong_part(
    reference: Reference, index: int, tensor: DistributedTensor, parts: Sequence[Array]
) -> tuple[int, Comparison] | None:
    """The first device with a wrong part of result `index`, and the comparison; None if all are right, or undefined."""
    if index in reference.undefined:
        return None
    whole = reference.results[index]
    for device, (place, part) in enumerate(zip(tensor.slices, parts, strict=True)):
        if whole[place].tobytes() == part.tobytes():
            continue
        changed = whole.copy()
        changed[place] = part
        if not (comparison := reference.compare(index, changed)):
            return device, comparison
    return None


def observable(main: FuncOp) -> Iterator[OpResult]:
    """
    The results of the operations of `main` that devices have parts of, in order.

    What an all-reduce completes is left out, and what is not divided evenly.
    """
    for op in main.body.block.ops:
        for result in op.results:
            is_partial = any(isinstance(use.operation, AllReduceOp | ReduceScatterOp) for use in result.uses)
            if is_tensor(result.type) and result.type.has_static_shape() and not is_partial:
                sharding = sharding_of(result)
                if sharding is not None and sharding.unreduced_axes.data:
                    continue
                tensor = _distributed(result, 1)
                whole = [size * count for size, count in zip(tensor.local_shape, tensor.part_numbers, strict=True)]
                if whole == [*tensor.shape]:
                    yield result


def _distributed(value: OpResult, devices: int) -> DistributedTensor:
    """How `value`, a tensor, is divided between `devices`."""
    assert is_tensor(value.type)
    return DistributedTensor.under(value.type, sharding_of(value), value.op, devices)


def return_only(main: FuncOp, values: Sequence[OpResult]) -> None:
    """Make `main` return `values`, with their shardings, instead of its results."""
    end = main.body.block.last_op
    assert end is not None
    end.operands = values
    main.function_type = FunctionType.from_lists(main.function_type.inputs.data, [value.type for value in values])
    main.res_attrs = None
    shardings = {index: sharding for index, value in enumerate(values) if (sharding := sharding_of(value)) is not None}
    add_result_attributes(main, {index: {SHARDING: sharding} for index, sharding in shardings.items()})
