"""
The rest of a canonicalization, beside its patterns: dead operations go, constants are kept once, operations are folded.

A pass that canonicalizes some operations only has the steps of `canonicalized`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from xshardy.rewriting import TO_FIXPOINT, DecisionPattern, Step
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.canonicalization.constants import constant_of, materialize
from xshardy.transforms.canonicalization.pool import Key, home_of, key_of
from xshardy.transforms.canonicalize import FOLDS, facts_of


def canonicalized(module: ModuleOp, patterns: Sequence[RewritePattern]) -> Iterator[Step]:
    """The steps of a pass that canonicalizes by `patterns` until nothing changes."""
    places = places_of_constants(module)
    yield Step([ReplaceByEqualConstant(places.equal), MoveConstantToFront(places.moved)])
    yield Step([EraseUnused(), Fold(), *patterns], TO_FIXPOINT)


# -- Constants --------------------------------------------------------------------------------------------------------


class PlacesOfConstants(NamedTuple):
    """Which constants go, and which move to the front of their function. Those that carry attributes stay."""

    equal: Mapping[Operation, Operation]
    """For each constant that repeats an earlier one of its function, the earlier one."""
    moved: Mapping[Operation, Block]
    """For each other constant that is not at the front, the first block of its function."""


def places_of_constants(module: ModuleOp) -> PlacesOfConstants:
    """The places of the constants of `module`. Reads each operation once."""
    equal: dict[Operation, Operation] = {}
    moved: dict[Operation, Block] = {}
    first: dict[Region, dict[Key, Operation]] = {}
    front: dict[Block, Operation] = {}
    """The last of the constants that a block begins with, as far as it is read."""
    for op in operations_in(module):
        if not facts_of(type(op)).is_constant or op.attributes:
            continue
        home = home_of(op)
        if home is None or (block := home.blocks.first) is None:
            continue
        is_in_front = op.parent is block and op.prev_op is front.get(block)
        if is_in_front:
            front[block] = op
        kept = first.setdefault(home, {}).setdefault(key_of(op), op)
        if kept is not op:
            equal[op] = kept
        elif not is_in_front:
            moved[op] = block
    return PlacesOfConstants(equal, moved)


@dataclass(frozen=True)
class ReplaceByEqualConstant(DecisionPattern[Operation, Operation]):
    """`%0 = constant 1; ...; %1 = constant 1; f(%1)` -> `%0 = constant 1; ...; f(%0)`"""

    def rewrite(self, op: Operation, decision: Operation, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, (), decision.results)


@dataclass(frozen=True)
class MoveConstantToFront(DecisionPattern[Operation, Block]):
    """`...; %0 = constant 1; f(%0)` -> `%0 = constant 1; ...; f(%0)`, in front of all others, as upstream."""

    def rewrite(self, op: Operation, decision: Block, rewriter: PatternRewriter, /) -> None:
        op.detach()
        rewriter.insert(op, InsertPoint.at_start(decision))


# -- Folding and dead operations --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EraseUnused(RewritePattern):
    """`%0 = f(x)` -> nothing, when `f` has no effect and nothing reads its results."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        is_dead_if_unused = facts_of(type(op)).is_dead_if_unused
        if is_dead_if_unused is False or any(result.first_use is not None for result in op.results):
            return
        if is_dead_if_unused or is_trivially_dead(op):
            rewriter.erase(op)


@dataclass(frozen=True)
class Fold(RewritePattern):
    """`addi 1, 2` -> `constant 3`, `addi x, 0` -> `x`: by the rows of `FOLDS`."""

    @property
    def op_types(self) -> tuple[type, ...]:
        """What the driver reads."""
        return tuple(FOLDS)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        fold = FOLDS.get(type(op))
        found = fold(op, [constant_of(operand) for operand in op.operands]) if fold is not None else None
        if found is None or found in op.results:
            return
        value = found if isinstance(found, SSAValue) else _constant_in_front(op, found, rewriter)
        if value is not None:
            rewriter.replace(op, (), (value,))


def _constant_in_front(op: Operation, attr: Attribute, rewriter: PatternRewriter) -> SSAValue | None:
    """The constant for `attr`, which the result of `op` is equal to, behind those at the front of the function."""
    constant, home = materialize(attr, op.results[0].type), home_of(op)
    if constant is None or home is None or (block := home.blocks.first) is None:
        return None
    following = block.first_op
    while following is not None and facts_of(type(following)).is_constant and not following.attributes:
        if key_of(following) == key_of(constant):
            return following.results[0]
        following = following.next_op
    at = InsertPoint.at_end(block) if following is None else InsertPoint.before(following)
    rewriter.insert(constant, at)
    return constant.results[0]
