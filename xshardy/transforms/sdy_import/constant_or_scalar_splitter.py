"""
Copy constant sub-computations and broadcasts of scalars, so that no sharding is propagated from one use to another.

Source: Shardy's docs, "Import passes", `sdy-constant-or-scalar-splitter`: the pass that upstream replaced
`sdy-constant-splitter` by. Reshapes, and calls and named computations of nothing but constants, preserve constants too;
scalars are not copied.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, Region

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.ops import NamedComputationOp
from xshardy.facts.movement import is_elementwise_bitcast
from xshardy.rewriting import BACKWARD, PatternPass, Step
from xshardy.rewriting.walk import operations_in, operations_of
from xshardy.transforms.sdy.call_order import acyclic_callees_first
from xshardy.transforms.sdy.function_copies import (
    Functions,
    calls_in,
    copies_for_calls,
    original_name,
    patterns_for_copies,
)
from xshardy.transforms.sdy_import.constant_copies import (
    CopyConstantToUse,
    EraseUnusedOriginal,
    UseShardyConstant,
    unused_originals,
)
from xshardy.transforms.sdy_import.constant_subcomputations import (
    DOCUMENTED,
    Splits,
    copied_calls,
    find_splits,
    is_of_kind,
)

PRESERVING = (*DOCUMENTED, stablehlo.ReshapeOp)
"""The operations that preserve constants, besides calls, named computations and bitcasts."""


class RegionSplits(NamedTuple):
    """The splits of a region, and in how many named computations it is."""

    depth: int
    splits: Splits


@dataclass(slots=True)
class SplitAnalysis:
    """Finds the splits of functions, callees first: a call is constant if its callee computes only constants."""

    functions: Functions
    non_constant_computations: set[str] = field(default_factory=set[str])
    non_constant_functions: set[str] = field(default_factory=set[str])

    def splits_of(self, function: FuncOp) -> Iterator[RegionSplits]:
        """The splits of the bodies of named computations in `function`, inner ones first, then of its own body."""
        for body in bodies_in(function):
            splits = find_splits(body.operations, self.preserves_constants, expansions=True)
            if not splits.is_constant:
                self.non_constant_functions.add(original_name(function))
                if isinstance(body.around, NamedComputationOp):
                    self.non_constant_computations.add(body.around.computation_name.data)
            yield RegionSplits(body.depth, splits)

    def preserves_constants(self, op: Operation) -> bool:
        """Whether `op` is constant if its operands are."""
        if is_of_kind(type(op), PRESERVING):  # most operations: this is one look-up
            return True
        match op:
            case CallOp():
                return original_name(self.functions.callee(op)) not in self.non_constant_functions
            case NamedComputationOp():
                return op.computation_name.data not in self.non_constant_computations
            case _:
                return is_elementwise_bitcast(op)


class Body(NamedTuple):
    """The operations of a function or named computation, without those of the named computations in it."""

    around: FuncOp | NamedComputationOp
    depth: int
    """In how many named computations the operations are."""
    operations: list[Operation]


def bodies_in(function: FuncOp) -> Iterable[Body]:
    """The bodies of the named computations in `function`, inner ones first, then its own. Reads each operation once."""
    computations = operations_of(function, NamedComputationOp, inner_first=True)
    operations = operations_in(function)
    if not computations:
        return (Body(function, 0, operations),)
    bodies: dict[Region | None, Body] = {function.body: Body(function, 0, [])}
    """By region: the body that the operations in it belong to."""
    for op in operations:
        body = bodies[op.parent_region()]
        body.operations.append(op)
        inner = Body(op, body.depth + 1, []) if isinstance(op, NamedComputationOp) else body
        bodies.update((region, inner) for region in op.regions)
    return [bodies[around.body] for around in (*computations, function)]


def by_depth(found: Iterable[RegionSplits]) -> Mapping[int, Splits]:
    """The splits of all regions of a depth together, the greatest depth first."""
    merged: dict[int, Splits] = {0: Splits()}
    for depth, splits in found:
        together = merged.setdefault(depth, Splits())
        together.uses |= splits.uses
        together.originals |= splits.originals
    return {depth: merged[depth] for depth in sorted(merged, reverse=True)}


class ConstantOrScalarSplitterPass(PatternPass):
    """Copy constant sub-computations and broadcasts of scalars, so that each has one use."""

    name = "sdy-constant-or-scalar-splitter"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-constant-or-scalar-splitter'

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        functions = Functions(module)
        callees_first = tuple(acyclic_callees_first(functions))
        analysis = SplitAnalysis(functions)
        found = [splits for function in callees_first for splits in analysis.splits_of(function)]
        # The body of a named computation is done before the computation itself is copied.
        for splits in by_depth(found).values():
            yield Step((CopyConstantToUse(splits.uses, with_scalars=False),))
            yield Step((EraseUnusedOriginal(unused_originals(splits)),), BACKWARD)
        yield Step((UseShardyConstant(),))  # last: the analysis walks over what it inserts
        calls = [call for _, splits in found for call in copied_calls(splits.uses)]
        calls_of = {function: calls_in(function) for function in callees_first} if calls else {}
        yield Step(patterns_for_copies(copies_for_calls(calls, calls_of, module), module))
