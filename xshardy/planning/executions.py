"""How often a device executes each operation of a program: loops repeat their bodies, calls those of functions."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.trip_counts import trip_count
from xshardy.transforms.sdy.call_order import callees_first
from xshardy.transforms.sdy.main_function import main_function


@dataclass(frozen=True, slots=True)
class Executions:
    """A number of executions."""

    count: int
    is_exact: bool = True
    """
    False in a loop whose number of iterations is unknown, which counts as one; and in a branch, which counts as taken.
    """

    def times(self, factor: int | None) -> "Executions":
        """`factor` executions for each of these; None for an unknown factor, which counts as one."""
        return Executions(self.count, False) if factor is None else Executions(self.count * factor, self.is_exact)


NEVER = Executions(0)
ONCE = Executions(1)


def executed_operations(module: ModuleOp) -> Iterator[tuple[Operation, Executions]]:
    """
    The operations that the main function of `module` executes, and how often, one execution of it counted as one.

    Regions that compute single elements, such as those of reductions, are left out. Linear in the operations.
    """
    functions = {function.sym_name.data: function for function in module.ops if isinstance(function, FuncOp)}
    counts = {main_function(module).sym_name.data: ONCE}
    for function in reversed([*callees_first(module)]):
        executions = counts.get(function.sym_name.data, NEVER)
        if not executions.count:
            continue
        for op, inner in _in_block(function.body.block, executions):
            yield op, inner
            if type(op) is CallOp and (name := op.callee.string_value()) in functions:
                known = counts.get(name, NEVER)
                counts[name] = Executions(known.count + inner.count, known.is_exact and inner.is_exact)


def _in_block(block: Block, executions: Executions) -> Iterator[tuple[Operation, Executions]]:
    for op in block.ops:
        yield op, executions
        if not op.regions:
            continue
        match op:
            case stablehlo.WhileOp():
                trips = trip_count(op)
                yield from _in_block(op.cond.block, executions.times(None if trips is None else trips + 1))
                yield from _in_block(op.body.block, executions.times(trips))
            case stablehlo.IfOp() | stablehlo.CaseOp():
                for region in op.regions:
                    yield from _in_block(region.block, executions.times(None))
            case _:
                pass
