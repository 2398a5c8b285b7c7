"""
Canonicalization: fold, rewrite, and drop what is dead, until nothing changes.

The patterns are those of xDSL's and our own operations, and for upstream's arith, scf, tensor, vector and complex those
of `canonicalization`, which replace xDSL's. Constants are kept once per function, in front of its first block, as
upstream does. One worklist is worked off once: an operation is looked at again only when something beside it changed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.folder import Folder
from xdsl.ir import Attribute, ErasedSSAValue, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import (
    ConstantLike,
    HasCanonicalizationPatternsTrait,
    HasFolder,
    IsTerminator,
    NoMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.worklist import Worklist

from xshardy.dialects.extensions.arith_elementwise import with_elementwise
from xshardy.dialects.extensions.effects import is_trivially_dead, memory_effects
from xshardy.transforms.canonicalization import arith_floats, arith_integers, arith_patterns, containers, scf_patterns
from xshardy.transforms.canonicalization.constants import Fold, constant_of, materialize
from xshardy.transforms.canonicalization.pool import ConstantPool, home_of

FOLDS: Mapping[type[Operation], Fold] = with_elementwise(
    {
        **arith_integers.FOLDS,
        **arith_floats.FOLDS,
        **arith_patterns.FOLDS,
        **containers.FOLDS,
    }
)

PATTERNS: Sequence[tuple[RewritePattern, Sequence[type[Operation]]]] = (
    *arith_patterns.PATTERNS,
    *scf_patterns.PATTERNS,
    *containers.PATTERNS,
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What there is to try on the operations of a class."""

    is_constant: bool
    is_dead_if_unused: bool | None
    """None: it depends on the operation."""
    fold: Fold | None
    has_folder: bool
    patterns: tuple[RewritePattern, ...]


@cache
def facts_of(op: type[Operation]) -> Facts:
    """The facts, looked up once per class."""
    ours = tuple(pattern for pattern, matched in PATTERNS if issubclass(op, tuple(matched)))
    fold = FOLDS.get(op)
    patterns = ours
    if fold is None and not ours:
        traits = op.traits.traits if not issubclass(op, UnregisteredOp) else ()
        theirs = (trait for trait in traits if isinstance(trait, HasCanonicalizationPatternsTrait))
        patterns = tuple(pattern for trait in theirs for pattern in trait.get_patterns(op))
    return Facts(
        is_constant=op.has_trait(ConstantLike, value_if_unregistered=False),
        is_dead_if_unused=_is_dead_if_unused(op),
        fold=fold,
        has_folder=fold is None and op.has_trait(HasFolder, value_if_unregistered=False),
        patterns=patterns,
    )


def _is_dead_if_unused(op: type[Operation]) -> bool | None:
    if issubclass(op, UnregisteredOp) or op.has_trait(IsTerminator) or op.has_trait(SymbolOpInterface):
        return False
    effects = memory_effects(op)
    if not effects:
        return False
    return True if all(isinstance(trait, NoMemoryEffect) for trait in effects) else None


class Canonicalizer:
    """
    Works off the operations of a module: drops what is dead, folds, keeps constants once, and applies patterns.

    The patterns are those of `patterns` where given, and else those that the operations bring along.
    """

    def __init__(self, ctx: Context, patterns: Mapping[type[Operation], Sequence[RewritePattern]] | None = None):
        self._folder = Folder(ctx)
        self._patterns = patterns
        self._worklist: Worklist[Operation] = Worklist()
        self._pools: dict[Region, ConstantPool] = {}
        self._changed = False
        self._rewriter: PatternRewriter | None = None

    def run(self, module: ModuleOp) -> bool:
        """Canonicalize. Says whether anything changed."""
        for op in list(module.body.walk()):
            if facts_of(type(op)).is_constant:
                self._pool_constant(op, self._rewriter_at(op))
        for op in module.body.walk(reverse=True, region_first=True):
            self._worklist.push(op)
        while self._worklist:
            op = self._worklist.pop()
            if op.parent is not None:
                self._visit(op)
        return self._changed

    def _visit(self, op: Operation) -> None:
        facts = facts_of(type(op))
        rewriter = self._rewriter_at(op)
        operands = tuple(op.operands)
        if self._is_dead(op, facts):
            if op.regions:
                operands += _captured(op)
            rewriter.erase(op)
        elif facts.is_constant:
            self._pool_constant(op, rewriter)
        elif not self._fold(op, facts, rewriter):
            for pattern in facts.patterns if self._patterns is None else self._patterns.get(type(op), ()):
                pattern.match_and_rewrite(op, rewriter)
                if rewriter.has_done_action:
                    break
        if rewriter.has_done_action:
            self._changed = True
            self._push_producers(operands)

    def _rewriter_at(self, op: Operation) -> PatternRewriter:
        """The rewriter, which is made once, before `op`."""
        rewriter = self._rewriter
        if rewriter is None:
            rewriter = self._rewriter = PatternRewriter(op)
            rewriter.operation_insertion_handler.append(self._worklist.push)
            rewriter.operation_modification_handler.append(self._worklist.push)
            rewriter.operation_removal_handler.append(self._on_removal)
            rewriter.operation_replacement_handler.append(self._on_replacement)
        rewriter.has_done_action = False
        rewriter.insertion_point = InsertPoint.before(op)
        rewriter.name_hint = None
        return rewriter

    def _is_dead(self, op: Operation, facts: Facts) -> bool:
        if facts.is_dead_if_unused is False or any(result.first_use is not None for result in op.results):
            return False
        return facts.is_dead_if_unused or is_trivially_dead(op)

    # Folding

    def _fold(self, op: Operation, facts: Facts, rewriter: PatternRewriter) -> bool:
        if facts.fold is not None:
            found = facts.fold(op, [constant_of(operand) for operand in op.operands])
            if found is None or found in op.results:
                return False
            value = found if isinstance(found, SSAValue) else self._constant(op, found)
            if value is None:
                return False
            rewriter.replace(op, (), (value,))
            return True
        if not facts.has_folder or (folded := self._folder.try_fold(op)) is None:
            return False
        values, constants = folded
        rewriter.replace(op, constants, values)
        return True

    def _pool_of(self, op: Operation) -> ConstantPool | None:
        """The constants of the function that `op` is in."""
        region = home_of(op)
        if region is None or region.blocks.first is None:
            return None
        if (pool := self._pools.get(region)) is None:
            pool = self._pools[region] = ConstantPool(region.blocks.first)
        return pool

    def _constant(self, op: Operation, attr: Attribute) -> SSAValue | None:
        """A constant for `attr`, which the result of `op` is equal to."""
        constant = materialize(attr, op.results[0].type)
        pool = self._pool_of(op)
        if constant is None or pool is None:
            return None
        if (known := pool.find(constant)) is not None:
            return known.results[0]
        pool.insert(constant)
        return constant.results[0]

    def _pool_constant(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Replace `op` by the same constant of the pool, or make it one. What carries attributes is left alone."""
        pool = self._pool_of(op)
        if pool is None or op in pool or op.attributes:
            return
        if (known := pool.find(op)) is not None:
            rewriter.replace(op, (), known.results)
        else:
            self._changed |= pool.adopt(op)

    # What else to look at

    def _push_producers(self, values: Iterable[SSAValue]) -> None:
        """What makes a value that lost a use, and what is now alone in using it, can often be made simpler."""
        for value in values:
            if isinstance(value, ErasedSSAValue):
                continue
            if isinstance(value.owner, Operation):
                self._worklist.push(value.owner)
            if (user := value.get_user_of_unique_use()) is not None:
                self._worklist.push(user)

    def _on_removal(self, op: Operation) -> None:
        """The operations that `op` reads may now be dead, or have a single user."""
        for inner in op.walk() if op.regions else (op,):
            self._worklist.remove(inner)
            if facts_of(type(inner)).is_constant and (pool := self._pool_of(inner)) is not None and inner in pool:
                pool.forget(inner)
            self._push_producers(inner.operands)

    def _on_replacement(self, op: Operation, values: Sequence[SSAValue | None]) -> None:
        """Whatever reads `op` now reads something simpler."""
        for result in op.results:
            for use in result.uses:
                self._worklist.push(use.operation)


def _captured(op: Operation) -> tuple[SSAValue, ...]:
    """What operations in `op` read of what is defined outside of it."""
    inner = [*op.walk()]
    defined: set[SSAValue] = {result for each in inner for result in each.results}
    defined |= {arg for each in inner for region in each.regions for block in region.blocks for arg in block.args}
    return tuple(operand for each in inner for operand in each.operands if operand not in defined)


@dataclass(frozen=True)
class CanonicalizePass(ModulePass):
    """Apply all folds and canonicalization patterns until nothing changes."""

    name = "xla-gpu-canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        Canonicalizer(ctx).run(op)
