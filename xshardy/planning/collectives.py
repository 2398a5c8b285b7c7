"""The collectives that a device executes, what they send, and why."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.planning.causes import Cause, Causes
from xshardy.planning.collective_bytes import bytes_sent, groups_of, kind_of, operand_bytes
from xshardy.planning.device_axes import DeviceAxes
from xshardy.planning.executions import executed_operations
from xshardy.planning.origins import visible
from xshardy.planning.traced_partition import TracedPartition
from xshardy.transforms.failures import OperationFailedException


@dataclass(frozen=True, slots=True)
class Collective:
    """Collectives that are alike, and executed for the same reason."""

    kind: str
    """As in HLO: `all-gather`."""
    axes: tuple[str, ...]
    """The mesh axes that they communicate along; `x:(2)4` for a part of one. Empty without a mesh."""
    group: int
    """The number of devices in a group, the largest."""
    operand: int
    """The bytes of a device's operand, in one execution."""
    bytes: int
    """The bytes that a device sends in one execution; `collective_bytes` has the formulas."""
    count: int
    """The number of executions."""
    is_exact: bool
    """False if some are in branches, or in loops of unknown length: a branch counts as taken, and a loop as once."""
    tensor: str
    """The tensor that is moved or reduced."""
    operation: str
    """The operation that needs it, with its place."""
    line: str
    """The place of the operation: `model.py:42`, or `line 12`; empty if it is unknown."""
    cause: Cause

    @property
    def total(self) -> int:
        """The bytes that a device sends in all executions."""
        return self.bytes * self.count


def collectives_of(traced: TracedPartition, causes: Causes) -> Sequence[Collective]:
    """
    The collectives of a partitioned program that send something, in its order, alike ones together.

    Raises what `each_collective` raises.
    """
    found = dict[Hashable, Collective]()
    for _, collective in each_collective(traced.partitioned.module, traced, causes):
        key = replace(collective, count=0)
        known = found.get(key)
        found[key] = collective if known is None else replace(known, count=known.count + collective.count)
    return tuple(found.values())


def each_collective(
    module: ModuleOp, traced: TracedPartition, causes: Causes
) -> Iterator[tuple[Operation, Collective]]:
    """
    The operations of `module` that send something. Linear in its operations.

    `module` is the partitioned program, or a copy whose calls are inlined. Raises what `groups_of` raises, and
    `OperationFailedException` for a collective with devices that do not exist.
    """
    program = traced.partitioned
    axes = None if program.mesh is None else DeviceAxes(program.mesh)
    for op, executions in executed_operations(module):
        kind = kind_of(op)
        sent = bytes_sent(op, traced.grid) if kind is not None else 0
        if kind is None or not sent or not executions.count:
            continue
        groups = groups_of(op, traced.grid)
        movement, needed_by = traced.traces.movement(op), traced.traces.operation(op)
        if (last := max(map(max, groups))) >= program.devices:
            why = f"device {last} is in a {kind}, but there are {program.devices}"
            raise OperationFailedException(needed_by or op, why)
        cause = causes.of(movement, needed_by)
        moved = movement.tensor if movement is not None else _first_value(needed_by)
        place = None if needed_by is None else causes.origins.names.place(visible(needed_by))
        yield (
            op,
            Collective(
                kind,
                () if axes is None else axes.of(groups),
                max(map(len, groups)),
                operand_bytes(op),
                sent,
                executions.count,
                executions.is_exact,
                "" if moved is None else causes.origins.value(moved),
                "" if needed_by is None else causes.origins.operation(needed_by),
                place or "",
                cause,
            ),
        )


def _first_value(op: Operation | None):
    """What `op` reads first, or else computes."""
    return None if op is None else next(iter((*op.operands, *op.results)), None)


def summed(collectives: Iterable[Collective], key_of: Callable[[Collective], str]) -> Sequence[tuple[str, int, int]]:
    """For each key, the total bytes and the number of executions of the collectives with it, most bytes first."""
    sent, executed = Counter[str](), Counter[str]()
    for collective in collectives:
        if key := key_of(collective):
            sent[key] += collective.total
            executed[key] += collective.count
    return [(key, bytes, executed[key]) for key, bytes in sent.most_common()]


# What to sum by: the sum's key for a collective, empty for none.


def annotations_of(collective: Collective) -> str:
    """The annotations that the cause comes from, together; the cause if it comes from none."""
    return " and ".join(collective.cause.annotations) or collective.cause.text


def axes_of(collective: Collective) -> str:
    """The axes, together."""
    return " and ".join(collective.axes)


def line_of(collective: Collective) -> str:
    """The place of the operation."""
    return collective.line
