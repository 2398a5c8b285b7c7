"""Uses of values while operations are removed, without a change of the module."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import Operation, SSAValue, Use


class LiveUses:
    """
    The uses of values by operations that were not removed.

    The uses of a value are counted once, when they are first asked for after a removal: reading them for each removal
    would be quadratic in the unused readers of one value.
    """

    def __init__(self):
        self._dead: dict[Operation, None] = {}
        """The removed operations, in that order."""
        self._users: dict[SSAValue, dict[Operation, int]] = {}
        """How often each operation uses a value."""

    @property
    def dead(self) -> Sequence[Operation]:
        """The operations that were removed, in that order."""
        return tuple(self._dead)

    def is_dead(self, op: Operation) -> bool:
        """Whether `op` was removed."""
        return op in self._dead

    def remove(self, op: Operation) -> None:
        """Remove `op`, with its uses of its operands."""
        self._dead[op] = None
        for operand in op.operands:
            if (users := self._users.get(operand)) is not None:
                users.pop(op, None)

    def uses(self, value: SSAValue) -> Iterable[Use]:
        """The uses of `value`, in the order of its use list."""
        return [use for use in value.uses if use.operation not in self._dead] if self._dead else value.uses

    def users(self, value: SSAValue) -> Mapping[Operation, int]:
        """The operations that use `value`, and how often each does."""
        if (users := self._users.get(value)) is None:
            users = self._users[value] = Counter([use.operation for use in self.uses(value)])
        return users

    def only_user(self, value: SSAValue) -> Operation | None:
        """The operation with the only use of `value`; None if there is no use, or several."""
        if not self._dead:
            return value.get_user_of_unique_use()
        users = self.users(value)
        return next((user for user, count in users.items() if count == 1), None) if len(users) == 1 else None

    def has_any(self, value: SSAValue) -> bool:
        """Whether `value` has a use."""
        return bool(self.users(value)) if self._dead else value.first_use is not None

    def has_one(self, value: SSAValue) -> bool:
        """Whether `value` has exactly one use."""
        return self.only_user(value) is not None if self._dead else value.has_one_use()

    def has_several(self, value: SSAValue) -> bool:
        """Whether `value` has two uses or more."""
        return sum(self.users(value).values()) > 1 if self._dead else value.has_more_than_one_use()
