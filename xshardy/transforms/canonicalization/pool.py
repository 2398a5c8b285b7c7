"""The constants of a function, each kept once, side by side in front of its first block."""

from typing import TypeAlias, final

from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsolatedFromAbove

from xshardy.dialects.extensions.effects import has_trait

Key: TypeAlias = tuple[type[Operation], tuple[tuple[str, Attribute], ...], tuple[Attribute, ...]]
"""What makes two constants the same: the operation, its properties, its result types."""


def key_of(constant: Operation) -> Key:
    """The key under which a pool knows `constant`."""
    return type(constant), tuple(sorted(constant.properties.items())), tuple(constant.result_types)


def home_of(op: Operation) -> Region:
    """The region of the function, or of another operation isolated from above, that `op` is in."""
    while (around := op.parent_op()) is not None and not has_trait(type(around), IsolatedFromAbove):
        op = around
    region = op.parent_region()
    assert region is not None
    return region


@final
class ConstantPool:
    """The constants in front of `block`. A new one goes behind those that are there, as upstream places them."""

    def __init__(self, block: Block):
        self._block = block
        self._by_key: dict[Key, Operation] = {}
        self._last: Operation | None = None
        self._members: set[Operation] = set()

    def __contains__(self, constant: Operation) -> bool:
        return constant in self._members

    def find(self, constant: Operation) -> Operation | None:
        """The constant of the pool that is the same as `constant`."""
        return self._by_key.get(key_of(constant))

    def insert(self, constant: Operation, rewriter: PatternRewriter) -> None:
        """Put a new constant, which the pool does not have, into its place."""
        last = self._last
        rewriter.insert(constant, InsertPoint.at_start(self._block) if last is None else InsertPoint.after(last))
        self._join(constant)
        self._last = constant

    def adopt(self, constant: Operation, rewriter: PatternRewriter) -> None:
        """Make a constant of the function one of the pool. It moves in front of all others if it has to."""
        before = constant.prev_op
        if constant.parent is self._block and (before is None or before in self._members):
            if before is self._last:
                self._last = constant
            self._join(constant)
            return
        constant.detach()
        rewriter.insert(constant, InsertPoint.at_start(self._block))
        self._last = self._last or constant
        self._join(constant)

    def forget(self, constant: Operation) -> None:
        """Leave out `constant`, which is about to be erased."""
        self._members.discard(constant)
        if self._by_key.get(key_of(constant)) is constant:
            del self._by_key[key_of(constant)]
        if constant is self._last:
            before = constant.prev_op
            self._last = before if before in self._members else None

    def _join(self, constant: Operation) -> None:
        self._by_key[key_of(constant)] = constant
        self._members.add(constant)


@final
class ConstantPools:
    """The pools of the functions of a module, each made when it is first needed."""

    def __init__(self) -> None:
        self._pools: dict[Region, ConstantPool] = {}

    def of(self, op: Operation) -> ConstantPool:
        """The pool of the function that `op` is in."""
        region = home_of(op)
        if region not in self._pools:
            self._pools[region] = ConstantPool(region.blocks[0])
        return self._pools[region]
