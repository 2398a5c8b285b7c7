"""The first operation of a partitioned program whose parts are not those of the whole program's result."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from xshardy.engines.program import PartitionedProgram
from xshardy.interpreters.check import Comparison
from xshardy.interpreters.element_types import Array


@dataclass(frozen=True, slots=True)
class Difference:
    """A result of an operation that has a wrong part on a device; all operations before it have right ones."""

    operation: Operation
    """The operation, in `PartitionedProgram.with_collectives`."""
    result: int
    device: int
    comparison: Comparison
    """The part of the device, compared with the same part of the whole tensor."""


def first_difference(program: PartitionedProgram, arguments: Sequence[Array]) -> Difference | None:
    """
    The first difference between `program` and the same program on whole tensors, for whole `arguments`.

    `program` has its module `with_collectives`, which is evaluated on whole tensors, operation by operation, beside the
    program of each device. None if all parts agree, or if no operation can be found.
    """
    return None
