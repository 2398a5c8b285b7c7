"""
Give each use of a constant its own copy, so that no sharding is carried from one use to another.

Source: row SDY-PASS-03, and Shardy's docs, "Import passes", `sdy-constant-or-scalar-splitter`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, OpResult, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator, Pure

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.ops import (
    ConstantOp,
    NamedComputationOp,
    PropagationBarrierOp,
    ReshardOp,
    ShardingGroupOp,
)
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy.call_order import acyclic_callees_first
from xshardy.transforms.sdy.function_copies import Functions, original_name
from xshardy.transforms.sdy.shapes import rank_of, shape_of

CONSTANTS = (ConstantOp, stablehlo.IotaOp)
"""Constant sub-computations without operands."""

PRESERVING = (
    stablehlo.BinaryElementwiseOp,
    stablehlo.UnaryElementwiseOp,
    stablehlo.BroadcastInDimOp,
    stablehlo.ClampOp,
    stablehlo.CompareOp,
    stablehlo.ComplexOp,
    stablehlo.IsFiniteOp,
    stablehlo.ReshapeOp,
    stablehlo.SelectOp,
    stablehlo.SliceOp,
    PropagationBarrierOp,
    ReshardOp,
)
"""What is constant if its operands are: a broadcast, a reshape, a slice, and what works element by element."""


@cache
def preserves_constants(kind: type[Operation]) -> bool:
    """Whether operations of this kind are constant if their operands are."""
    return issubclass(kind, PRESERVING) and kind.has_trait(Pure)


def is_elementwise_bitcast(op: Operation) -> bool:
    """Whether `op` is a bitcast between elements of one width: it keeps the shape."""
    return isinstance(op, stablehlo.BitcastConvertOp) and shape_of(op.operands[0]) == shape_of(op.results[0])


def is_scalar_expansion(op: Operation) -> bool:
    """Whether `op` broadcasts a scalar: its uses are kept apart, whether the scalar is a constant or not."""
    return type(op) is stablehlo.BroadcastInDimOp and rank_of(op.operands[0]) == 0


@dataclass(slots=True)
class ConstantSplitter:
    """Splits the constants of functions, callees first, and remembers which functions and computations compute more."""

    functions: Functions
    non_constant_computations: set[str] = field(default_factory=set[str])
    non_constant_functions: set[str] = field(default_factory=set[str])

    def split(self, function: FuncOp) -> None:
        for op in list(operations_of(function, NamedComputationOp, inner_first=True)):
            self.split_region(op.body, function)
        self.split_region(function.body, function)

    def split_region(self, region: Region, function: FuncOp) -> None:
        """Split what is in `region`, and not in a named computation in it."""
        constants: dict[Operation, None] = {}
        expansions: dict[Operation, None] = {}
        is_constant = True
        for op in tuple(_outside_named_computations(region)):
            if type(op) is ShardingGroupOp:
                continue
            if self.is_constant(op, constants):
                constants[op] = None
                continue
            is_constant &= self.is_preserving(op) or op.has_trait(IsTerminator)
            if is_scalar_expansion(op):
                expansions[op] = None
                continue
            for index, operand in enumerate(op.operands):
                if operand.owner in constants or operand.owner in expansions:
                    op.operands[index] = self.copied(operand)
        _erase_unused((*expansions, *reversed(constants)))
        if not is_constant:
            self.non_constant_functions.add(original_name(function))
            if (computation := _named_computation_around(region)) is not None:
                self.non_constant_computations.add(computation.computation_name.data)

    def is_preserving(self, op: Operation) -> bool:
        """Whether `op` is constant if its operands are."""
        if preserves_constants(type(op)):  # most operations: this is one look-up
            return True
        match op:
            case CallOp():
                return original_name(self.functions.callee(op)) not in self.non_constant_functions
            case NamedComputationOp():
                return op.computation_name.data not in self.non_constant_computations
            case _:
                return is_elementwise_bitcast(op)

    def is_constant(self, op: Operation, constants: dict[Operation, None]) -> bool:
        """Whether `op` is part of a constant sub-computation, given those before it."""
        if type(op) in CONSTANTS:
            return True
        return self.is_preserving(op) and all(operand.owner in constants for operand in op.operands)

    def copied(self, root: SSAValue) -> SSAValue:
        """`root` computed by a copy of all that it takes, each copy before its original. Scalars are not copied."""
        copies: dict[SSAValue, SSAValue] = {}
        pending = [root]
        while pending:
            value = pending[-1]
            op = value.owner
            if value in copies or not isinstance(op, Operation) or rank_of(value) == 0:
                pending.pop()
                continue
            missing = [
                operand
                for operand in op.operands
                if isinstance(operand, OpResult) and rank_of(operand) and operand not in copies
            ]
            if missing:
                pending.extend(reversed(missing))
                continue
            copy = op.clone(copies)
            Rewriter.insert_op(copy, InsertPoint.before(op))
            if isinstance(copy, CallOp):
                self.functions.call_copy(copy)
            for group in [use.operation for use in value.uses if isinstance(use.operation, ShardingGroupOp)]:
                Rewriter.insert_op(group.clone(copies), InsertPoint.before(op))
            pending.pop()
        return copies.get(root, root)


def _outside_named_computations(region: Region) -> Iterable[Operation]:
    """The operations in `region`, outer ones first, without those of the named computations in it."""
    for block in region.blocks:
        for op in block.ops:
            yield op
            if op.regions and not isinstance(op, NamedComputationOp):
                for inner in op.regions:
                    yield from _outside_named_computations(inner)


def _named_computation_around(region: Region) -> NamedComputationOp | None:
    around = region.parent_op()
    while around is not None and not isinstance(around, NamedComputationOp):
        around = around.parent_op()
    return around


def _erase_unused(ops: Iterable[Operation]) -> None:
    """Erase those of `ops` that nothing but sharding groups reads, and the groups."""
    for op in ops:
        users = {use.operation for result in op.results for use in result.uses}
        if all(isinstance(user, ShardingGroupOp) for user in users):
            for user in (*users, op):
                Rewriter.erase_op(user)


def to_sdy_constant(op: stablehlo.ConstantOp) -> None:
    """`stablehlo.constant` -> `sdy.constant`, which is not merged with its equals."""
    constant = ConstantOp.create(
        result_types=op.result_types, properties={"value": op.value}, attributes=op.attributes.copy()
    )
    Rewriter.replace_op(op, constant)


@dataclass(frozen=True)
class ConstantOrScalarSplitterPass(ModulePass):
    """Copy constant sub-computations and broadcasts of scalars, so that each has one use."""

    name = "sdy-constant-or-scalar-splitter"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = Functions(op)
        in_order = tuple(acyclic_callees_first(functions))
        for constant in list(operations_of(op, stablehlo.ConstantOp)):
            to_sdy_constant(constant)
        splitter = ConstantSplitter(functions)
        for function in in_order:
            splitter.split(function)


@dataclass(frozen=True)
class ConstantSplitterPass(ConstantOrScalarSplitterPass):
    """The same under the name it had before it split scalars too."""

    name = "sdy-constant-splitter"
