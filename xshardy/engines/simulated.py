"""Engine `simulated`: our evaluator, whose devices take turns, on a mesh of any size."""

from collections.abc import Sequence

from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.numerics.element_types import Array
from xshardy.programs.partitioned import PartitionedProgram


class Simulated:
    """Executes each device's program with numpy. Needs nothing but xshardy."""

    def execute(self, program: PartitionedProgram, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        """See `Engine`. Raises `InterpretationError` for an operation without a rule, and for a deadlock."""
        return evaluate_spmd(program.module, arguments)
