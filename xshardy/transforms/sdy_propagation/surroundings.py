"""
What the propagation engine asks of the IR: who hears of a change, whose operands have no other use, and what is dead.

The order in which a change is told is that of MLIR's list of uses, which has the latest use first. xDSL keeps the same.
"""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ShapedType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue, Use
from xdsl.traits import IsTerminator
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from xshardy.dialects.sdy.interfaces import ShardableDataFlowOpInterface
from xshardy.dialects.sdy.ops import DataFlowEdgeOp
from xshardy.sharding.propagation import Erased
from xshardy.transforms.sdy.data_flow import has_data_flow, owner_of
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy_propagation.call_sites import CallSites
from xshardy.transforms.sdy_propagation.numbering import Numbering


class ModuleSurroundings:
    """The answers for one module, with the numbers of `numbering`. Dead operations are erased from the module."""

    def __init__(self, numbering: Numbering, calls: CallSites):
        self._numbering = numbering
        self._calls = calls
        self._single_use: list[bool | None] = []
        """By operation the answer of `is_single_use`, for all when first asked; None where its operands must be."""

    # Notifications

    def hearers(self, value: int) -> tuple[Sequence[int], Sequence[int]]:
        """Whom a change of the sharding of `value` concerns: see `Surroundings`."""
        numbering = self._numbering
        if value in numbering.indirect:
            return self._hearers_of_indirect(value)
        users = numbering.users[value]
        if len(users) > 1:  # they are in the order of the text, which need not be that of the list of uses
            home, operations = numbering.homes[value], numbering.operations
            assert isinstance(home, OpResult), "only operations make values that nothing else has to do with"
            users = [operations[id(use.operation)] for use in home.uses]
        notified = [numbering.makers[value], *users]
        return notified, notified

    def _hearers_of_indirect(self, value: int) -> tuple[Sequence[int], Sequence[int]]:
        home, is_aliased = self._numbering.homes[value], value in self._numbering.aliased
        notified: list[int] = []
        later: list[int] = []
        if isinstance(home, OpResult):
            traits = traits_of(type(home.op))
            if is_aliased and isinstance(home.op, DataFlowEdgeOp):
                for target in _other_targets(home.op.input):
                    self._tell_users(target, notified, later)
            elif is_aliased and traits.has_flow:
                for target in _other_targets(home):
                    self._tell_users(target, later, later)
            self._tell(home.op, notified)
            self._tell_users(home, notified, later)
        elif isinstance(home, BlockArgument):
            self._tell(home.block.parent_op(), notified)
            self._tell_users(home, notified, later)
        if not later and (not notified or min(notified) >= 0):
            return notified, notified
        return notified, [number for number in (*notified, *later) if number >= 0]

    def _tell(self, op: Operation | None, notified: list[int]) -> None:
        """Notify `op` and what is around it, if they have a number."""
        number = self._numbering.operations.get(id(op))
        if number is not None:
            notified.append(number)
            if number in self._numbering.around:
                notified += [~outer for outer in self._numbering.around[number]]

    def _tell_users(self, value: SSAValue, notified: list[int], later: list[int]) -> None:
        """Notify what hears that the sharding of `value` has changed, for each of its uses, at once or later."""
        for use in value.uses:
            user = use.operation
            if traits_of(type(user)).only_reads:
                self._tell(user, notified)
            elif (edge := _edge_fed_by(use)) is not None:
                self._tell(edge, notified)
            elif isinstance(user, ShardableDataFlowOpInterface):
                entry = user.edge_owner_from_source(use)
                self._tell(entry.get_user_of_unique_use() if entry is not None else None, later)
            elif isinstance(user, CallOp):
                callee = self._calls.callee(user)
                if callee is not None and callee.body.blocks:
                    self._tell_users(callee.args[use.index], notified, later)
            elif isinstance(user, ReturnOp):
                self._tell_callers(user, use.index, notified, later)
            else:
                self._tell(user.parent_op() if user.has_trait(IsTerminator) else user, notified)

    def _tell_callers(self, terminator: ReturnOp, index: int, notified: list[int], later: list[int]) -> None:
        """Notify what hears that operand `index` of the end of a function has changed: who uses it after a call."""
        function = terminator.parent_op()
        if isinstance(function, FuncOp):
            for call in self._calls.calls_of(function):
                self._tell_users(call.results[index], notified, later)

    # Uses

    def is_single_use(self, op: int) -> bool:
        """Whether no operand of `op`, scalars aside, has another use."""
        if not self._single_use:
            self._single_use = self._by_shared_values()
        known = self._single_use[op]
        if known is None:
            known = self._single_use[op] = self._has_single_uses(op)
        return known

    def _by_shared_values(self) -> list[bool | None]:
        """`is_single_use` of all operations, found from the values that have several uses, which are few."""
        numbering = self._numbering
        found: list[bool | None] = [True] * len(numbering.ops)
        for value, users in enumerate(numbering.users):
            if len(users) < 2 and value not in numbering.indirect:
                continue
            home = numbering.homes[value]
            if value in numbering.aliased:
                for op in users:
                    found[op] = None
            elif isinstance(home, SSAValue) and home.has_more_than_one_use() and not _is_scalar(home):
                for op in users:
                    found[op] = False
        return found

    def _has_single_uses(self, op: int) -> bool:
        return all(operand.has_one_use() or _is_scalar(operand) for operand in self._numbering.ops[op].operands)

    def erase_if_dead(self, op: int) -> Erased | None:
        """Erase `op` and what is in it if nothing uses it and it has no effect; None if it stays."""
        operation = self._numbering.ops[op]
        if operation.parent is None or not is_trivially_dead(operation):
            return None
        notified: list[int] = []
        operands: list[SSAValue] = []
        gone: list[int] = []
        for inner in tuple(_users_first(operation)):
            number = self._numbering.operations.pop(id(inner), None)
            if number is not None:
                gone.append(number)
            operands += inner.operands
            self._numbering.indirect.update(map(self._numbering.value, inner.operands))
            notified += self._makers_to_see_again(inner)
            inner.detach()
            inner.erase()
        single = self._now_single_use(operands)
        if self._single_use:
            for number in single:
                self._single_use[number] = True
        alive = [number for number in dict.fromkeys(notified) if number not in gone]
        return Erased(alive, single, gone)

    def _makers_to_see_again(self, op: Operation) -> Iterator[int]:
        """What makes an operand of `op` that at most one other operation uses."""
        for operand in op.operands:
            others = {id(user) for use in operand.uses if (user := use.operation) is not op}
            if len(others) <= 1 and isinstance(operand.owner, Operation):
                number = self._numbering.operations.get(id(operand.owner))
                if number is not None:
                    yield number

    def _now_single_use(self, values: Sequence[SSAValue]) -> Sequence[int]:
        """The operations that are the only user left of one of `values`, and of their other operands."""
        users = (value.get_user_of_unique_use() for value in values)
        numbers = (self._numbering.operations.get(id(user)) for user in users if user is not None)
        return tuple(number for number in numbers if number is not None and self._has_single_uses(number))


def _users_first(op: Operation) -> Iterator[Operation]:
    """`op` and what is in it, so that each value is used only by what comes before its maker."""
    for region in reversed(op.regions):
        for block in reversed(region.blocks):
            for inner in reversed(tuple(block.ops)):
                yield from _users_first(inner)
    yield op


def _is_scalar(value: SSAValue) -> bool:
    return isinstance(value.type, ShapedType) and not value.type.get_shape()


def _other_targets(owner: SSAValue) -> Sequence[SSAValue]:
    """The targets of the edge that `owner` owns but for itself: the arguments of the regions of a loop."""
    op = owner.owner
    if not isinstance(op, Operation) or not isinstance(owner, OpResult):
        return ()
    return tuple(
        argument
        for region in op.regions
        for argument in region.block.args
        if argument.index == owner.index and owner_of(argument) is owner
    )


def _edge_fed_by(use: Use) -> DataFlowEdgeOp | None:
    """
    The data flow edge that the value flows into in this use; None if there is none.

    As upstream has it, the edge of an argument of a body of sdy is not found from the operand that feeds it: it hears
    of a change only when all operations are visited again.
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
    edge = owner.get_user_of_unique_use()
    return edge if isinstance(edge, DataFlowEdgeOp) else None
