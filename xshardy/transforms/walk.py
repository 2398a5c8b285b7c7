"""Walks over the operations of a module, for passes that look at every one: a third of the time of `Operation.walk`."""

from collections.abc import Iterator
from typing import TypeVar

from xdsl.ir import Operation

OperationT = TypeVar("OperationT", bound=Operation)


def operations_in(root: Operation, *, inner_first: bool = False) -> Iterator[Operation]:
    """The operations in the regions of `root`, without itself, in the order of the text; or each after those in it."""
    for region in root.regions:
        for block in region.blocks:
            op = block.first_op
            while op is not None:
                following = op.next_op
                if not op.regions:
                    yield op
                elif inner_first:
                    yield from operations_in(op, inner_first=True)
                    yield op
                else:
                    yield op
                    yield from operations_in(op)
                op = following


def operations_of(root: Operation, *kinds: type[OperationT], inner_first: bool = False) -> Iterator[OperationT]:
    """Those of the operations in `root` whose class is one of `kinds`, not a class below it."""
    wanted = frozenset[type](kinds)
    return (op for op in operations_in(root, inner_first=inner_first) if type(op) in wanted)  # pyright: ignore[reportReturnType]
