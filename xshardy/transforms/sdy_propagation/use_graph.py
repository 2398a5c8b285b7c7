"""
Uses of values in a module, for the propagation engine: dependents, single-use operations, dead operations.

Dead operations are removed from the graph and stay in the module. The order of dependents is that of MLIR's use lists,
which start with the latest use; xDSL's have the same order.
"""

from collections.abc import Iterator, Sequence

from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue, Use
from xdsl.traits import IsTerminator

from xshardy.dialects.extensions.effects import would_be_trivially_dead
from xshardy.dialects.sdy.interfaces import ShardableDataFlowOpInterface
from xshardy.dialects.sdy.ops import DataFlowEdgeOp
from xshardy.dialects.shapes import is_scalar
from xshardy.sharding.program import Dead
from xshardy.transforms.sdy.data_flow import has_data_flow, owner_of
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy_propagation.call_sites import CallSites
from xshardy.transforms.sdy_propagation.live_uses import LiveUses
from xshardy.transforms.sdy_propagation.numbering import FunctionResult, Numbering


class ModuleUseGraph:
    """The `UseGraph` of one module, with the numbers of `numbering`."""

    def __init__(self, numbering: Numbering, calls: CallSites):
        self._numbering = numbering
        self._calls = calls
        self._single_use: list[bool | None] = []
        """By operation, whether it is single-use; empty until the first query, None where it is computed per query."""
        self._live = LiveUses()

    @property
    def dead(self) -> Sequence[Operation]:
        """The operations that were removed, users before the operations that they use."""
        return self._live.dead

    # Dependents

    def dependents(self, value: int) -> tuple[Sequence[int], Sequence[int]]:
        """See `UseGraph`."""
        numbering = self._numbering
        if value in numbering.indirect:
            return self._indirect_dependents(value)
        users = numbering.users[value]
        if len(users) > 1:  # in text order, which may differ from the order of the use list
            home, operations = numbering.homes[value], numbering.operations
            assert isinstance(home, OpResult), "a value that is not indirect is the result of an operation"
            users = [operations[use.operation] for use in home.uses]
        dependents = [numbering.definitions[value], *users]
        return dependents, dependents

    def _indirect_dependents(self, value: int) -> tuple[Sequence[int], Sequence[int]]:
        """`dependents` of a value on an edge, in a region, or used by operations that forward it."""
        home, is_aliased = self._numbering.homes[value], value in self._numbering.aliased
        to_enqueue: list[int] = []
        later: list[int] = []
        if isinstance(home, OpResult):
            traits = traits_of(type(home.op))
            if is_aliased and isinstance(home.op, DataFlowEdgeOp):
                for target in _other_targets(home.op.input):
                    self._add_users(target, to_enqueue, later)
            elif is_aliased and traits.has_flow:
                for target in _other_targets(home):
                    self._add_users(target, later, later)
            self._add(home.op, to_enqueue)
            self._add_users(home, to_enqueue, later)
        elif isinstance(home, BlockArgument):
            self._add(home.block.parent_op(), to_enqueue)
            self._add_users(home, to_enqueue, later)
        if not later and (not to_enqueue or min(to_enqueue) >= 0):
            return to_enqueue, to_enqueue
        return to_enqueue, [number for number in (*to_enqueue, *later) if number >= 0]

    def _add(self, op: Operation | None, dependents: list[int]) -> None:
        """Append the number of `op`, then `~outer` for each operation around it, to `dependents`."""
        number = None if op is None else self._numbering.operations.get(op)
        if number is not None:
            dependents.append(number)
            if number in self._numbering.around:
                dependents += [~outer for outer in self._numbering.around[number]]

    def _add_users(
        self, value: SSAValue, dependents: list[int], later: list[int], seen: set[SSAValue] | None = None
    ) -> None:
        """
        Append the dependents of each use of `value` to `dependents`, or to `later` for uses by sdy's data flow.

        `seen` has the values that were reached through calls: a function that two others call leads around.
        """
        for use in self._live.uses(value):
            user = use.operation
            if not traits_of(type(user)).forwards_operands:
                self._add(user, dependents)
            elif (edge := self._edge_from(use)) is not None:
                self._add(edge, dependents)
            elif isinstance(user, ShardableDataFlowOpInterface):
                entry = user.edge_owner_from_source(use)
                self._add(self._live.only_user(entry) if entry is not None else None, later)
            elif isinstance(user, CallOp | ReturnOp):
                seen = {value} if seen is None else seen
                for target in self._across_call(user, use.index):
                    if target not in seen:
                        seen.add(target)
                        self._add_users(target, dependents, later, seen)
            else:
                self._add(user.parent_op() if user.has_trait(IsTerminator) else user, dependents)

    def _across_call(self, user: CallOp | ReturnOp, index: int) -> list[SSAValue]:
        """The argument of the function that operand `index` of a call is, or the results of calls that are returned."""
        if isinstance(user, CallOp):
            callee = self._calls.callee(user)
            return [callee.args[index]] if callee is not None and callee.body.blocks else []
        function = user.parent_op()
        calls = self._calls.calls_of(function) if isinstance(function, FuncOp) else ()
        return [call.results[index] for call in calls]

    def _edge_from(self, use: Use) -> DataFlowEdgeOp | None:
        """
        The data flow edge that the value flows into in this use; None if there is none.

        As in upstream, an operand of an operation of sdy with a body does not lead to the edge of the argument of the
        body: that edge is visited in the next round only.
        """
        user = use.operation
        ends = user.has_trait(IsTerminator)
        around = user.parent_op() if ends else user
        if around is None or not has_data_flow(around):
            return None
        if not ends and isinstance(around, ShardableDataFlowOpInterface):
            owner: SSAValue = around.operands[use.index]
        elif use.index < len(around.results):
            owner = around.results[use.index]
        else:
            return None
        edge = self._live.only_user(owner)
        return edge if isinstance(edge, DataFlowEdgeOp) else None

    # Single-use operations

    def is_single_use(self, op: int) -> bool:
        """See `UseGraph`."""
        if not self._single_use:
            self._single_use = self._compute_single_use()
        known = self._single_use[op]
        if known is None:
            known = self._single_use[op] = self._has_single_uses(op)
        return known

    def _compute_single_use(self) -> list[bool | None]:
        """`is_single_use` of all operations, from the values with several uses, which are few."""
        numbering = self._numbering
        found: list[bool | None] = [True] * len(numbering.ops)
        for value, users in enumerate(numbering.users):
            if len(users) < 2 and value not in numbering.indirect:
                continue
            home = numbering.homes[value]
            if value in numbering.aliased:
                for op in users:
                    found[op] = None
            elif not isinstance(home, FunctionResult | None) and self._live.has_several(home) and not is_scalar(home):
                for op in users:
                    found[op] = False
        return found

    def _has_single_uses(self, op: int) -> bool:
        return all(self._live.has_one(operand) or is_scalar(operand) for operand in self._numbering.ops[op].operands)

    # Dead operations

    def remove_if_dead(self, op: int) -> Dead | None:
        """See `UseGraph`. Removes the operations inside `op` as well."""
        operation = self._numbering.ops[op]
        if self._live.is_dead(operation) or any(map(self._live.has_any, operation.results)):
            return None
        if not would_be_trivially_dead(operation):
            return None
        candidates: list[int] = []
        operands: list[SSAValue] = []
        removed: list[int] = []
        for inner in _users_first(operation):
            number = self._numbering.operations.pop(inner, None)
            if number is not None:
                removed.append(number)
            operands += inner.operands
            self._numbering.indirect.update(map(self._numbering.value, inner.operands))
            self._live.remove(inner)
            candidates += self._definitions_with_one_user(inner)
        single = self._now_single_use(operands)
        if self._single_use:
            for number in single:
                self._single_use[number] = True
        gone = set(removed)
        return Dead(removed, single, [number for number in dict.fromkeys(candidates) if number not in gone])

    def _definitions_with_one_user(self, op: Operation) -> Iterator[int]:
        """The operations that define operands of `op`, a dead operation, and have at most one other user."""
        for operand in op.operands:
            if len(self._live.users(operand)) <= 1 and isinstance(operand.owner, Operation):
                number = self._numbering.operations.get(operand.owner)
                if number is not None:
                    yield number

    def _now_single_use(self, values: Sequence[SSAValue]) -> Sequence[int]:
        """The operations with the only use of one of `values`, and of their other operands."""
        users = map(self._live.only_user, values)
        numbers = (self._numbering.operations.get(user) for user in users if user is not None)
        return tuple(number for number in numbers if number is not None and self._has_single_uses(number))


def _users_first(op: Operation) -> Iterator[Operation]:
    """`op` and the operations in it, users before the operations that they use."""
    for region in reversed(op.regions):
        for block in reversed(region.blocks):
            for inner in reversed(tuple(block.ops)):
                yield from _users_first(inner)
    yield op


def _other_targets(owner: SSAValue) -> Sequence[SSAValue]:
    """The targets of the edge that `owner` owns, without `owner`: the arguments of the regions of a loop."""
    op = owner.owner
    if not isinstance(op, Operation) or not isinstance(owner, OpResult):
        return ()
    arguments = (args[owner.index] for region in op.regions if owner.index < len(args := region.block.args))
    return tuple(argument for argument in arguments if owner_of(argument) is owner)
