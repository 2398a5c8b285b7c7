"""
Canonicalization: fold, rewrite, and erase what is dead, until nothing changes.

The patterns are those of xDSL's and our own operations, and for upstream's arith, scf, tensor, vector and complex those
of `canonicalization`, which replace xDSL's. Constants are kept once per function, in front of its first block, as
upstream does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern
from xdsl.traits import (
    ConstantLike,
    HasCanonicalizationPatternsTrait,
    HasFolder,
    IsTerminator,
    NoMemoryEffect,
    SymbolOpInterface,
)

from xshardy.dialects.extensions.arith_elementwise import with_elementwise
from xshardy.dialects.extensions.effects import is_trivially_dead, memory_effects
from xshardy.ir.fields import operands_of
from xshardy.rewriting import TO_FIXPOINT, FixedClassPattern, PatternOfPatterns, PatternSet, Step, rewrite
from xshardy.rewriting.changes import Changes, IncrementalPass
from xshardy.rewriting.pattern import takes
from xshardy.transforms.canonicalization import arith_floats, arith_integers, arith_patterns, containers, scf_patterns
from xshardy.transforms.canonicalization.constants import Fold, constant_of, materialize
from xshardy.transforms.canonicalization.pool import ConstantPools
from xshardy.universe import installed_dialects

# -- Facts about classes of operations --------------------------------------------------------------------------------

FOLDS: Mapping[type[Operation], Fold] = with_elementwise(
    {
        **arith_integers.FOLDS,
        **arith_floats.FOLDS,
        **arith_patterns.FOLDS,
        **containers.FOLDS,
    }
)

PATTERNS: Sequence[RewritePattern] = (
    *arith_patterns.PATTERNS,
    *scf_patterns.PATTERNS,
    *containers.PATTERNS,
)


@cache
def is_constant(op_type: type[Operation]) -> bool:
    """Whether operations of a class are constants."""
    return op_type.has_trait(ConstantLike, value_if_unregistered=False)


@cache
def is_dead_if_unused(op_type: type[Operation]) -> bool | None:
    """Whether an operation of a class is dead when nothing uses its results. None: it depends on the operation."""
    if issubclass(op_type, UnregisteredOp) or op_type.has_trait(IsTerminator) or op_type.has_trait(SymbolOpInterface):
        return False
    effects = memory_effects(op_type)
    if not effects:
        return False
    return True if all(isinstance(trait, NoMemoryEffect) for trait in effects) else None


def is_dead(op: Operation) -> bool:
    """Whether nothing uses the results of `op`, and it has no effect."""
    for result in op.results:
        if result.first_use is not None:
            return False
    return is_dead_if_unused(type(op)) or is_trivially_dead(op)


@cache
def brought_along(op_type: type[Operation]) -> tuple[RewritePattern, ...]:
    """The canonicalization patterns that a class brings along; none where ours replace them."""
    if op_type in FOLDS or is_constant(op_type) or issubclass(op_type, UnregisteredOp):
        return ()
    if any(takes(pattern, op_type) for pattern in PATTERNS):
        return ()
    traits = (trait for trait in op_type.traits.traits if isinstance(trait, HasCanonicalizationPatternsTrait))
    patterns = (pattern for trait in traits for pattern in trait.get_patterns(op_type))
    return tuple(pattern for pattern in patterns if takes(pattern, op_type))


@cache
def brings_folder(op_type: type[Operation]) -> bool:
    """Whether operations of a class fold themselves, and have no fold of ours."""
    has_folder = op_type.has_trait(HasFolder, value_if_unregistered=False)
    return has_folder and op_type not in FOLDS and not is_constant(op_type)


@cache
def materializer_of(dialect: str) -> ConstantMaterializationInterface | None:
    """How a dialect makes constants of attributes; None if it does not."""
    make = installed_dialects().get(dialect)
    return None if make is None else make().get_interface(ConstantMaterializationInterface)


# -- Patterns ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EraseDead(FixedClassPattern):
    """`op(x)` -> nothing, where nothing uses its results, and it has no effect."""

    pools: ConstantPools

    @classmethod
    def takes_class(cls, op_type: type[Operation], /) -> bool:
        return is_dead_if_unused(op_type) is not False

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not is_dead(op):
            return
        if is_constant(type(op)) and op in (pool := self.pools.of(op)):
            pool.forget(op)
        rewriter.erase(op)


@dataclass(frozen=True)
class KeepConstantOnce(FixedClassPattern):
    """
    `constant 1`, again -> the first one; `constant 1`, in the middle of a function -> in front of its first block.

    Constants with discardable attributes stay as they are.
    """

    pools: ConstantPools

    @classmethod
    def takes_class(cls, op_type: type[Operation], /) -> bool:
        return is_constant(op_type)

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        pool = self.pools.of(op)
        if op in pool or op.attributes:
            return
        if (known := pool.find(op)) is not None:
            rewriter.replace(op, (), known.results)
        else:
            pool.adopt(op, rewriter)


@dataclass(frozen=True)
class FoldOperation(FixedClassPattern):
    """`op(x)` -> the value, or the constant, that it is equal to, by the fold of its class in `FOLDS`."""

    pools: ConstantPools

    @classmethod
    def takes_class(cls, op_type: type[Operation], /) -> bool:
        return op_type in FOLDS

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        found = FOLDS[type(op)](op, [constant_of(operand) for operand in operands_of(op)])
        if found is None or found in op.results:
            return
        value = found if isinstance(found, SSAValue) else self._constant(op, found, rewriter)
        rewriter.replace(op, (), (value,))

    def _constant(self, op: Operation, attr: Attribute, rewriter: PatternRewriter) -> SSAValue:
        """A constant of the pool for `attr`, which the result of `op` is equal to."""
        constant = materialize(attr, op.results[0].type)
        pool = self.pools.of(op)
        if (known := pool.find(constant)) is not None:
            return known.results[0]
        pool.insert(constant, rewriter)
        return constant.results[0]


class FoldByOwnFolder(FixedClassPattern):
    """`op(x)` -> the values and constants that it is equal to, by the folder that its class brings along."""

    @classmethod
    def takes_class(cls, op_type: type[Operation], /) -> bool:
        return brings_folder(op_type)

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        folder = op.get_trait(HasFolder)
        if folder is None or (folded := folder.fold(op)) is None:
            return
        values: list[SSAValue] = []
        constants: list[Operation] = []
        for value, result in zip(folded, op.results, strict=True):
            if isinstance(value, Attribute):
                materializer = materializer_of(op.dialect_name())
                assert isinstance(result.type, TypeAttribute)
                constant = None if materializer is None else materializer.materialize_constant(value, result.type)
                if constant is None:
                    return
                constants.append(constant)
                value = constant.results[0]
            values.append(value)
        rewriter.replace(op, constants, values)


class ApplyPatternsBroughtAlong(PatternOfPatterns):
    """`op(x)` -> what the canonicalization patterns of its own class make of it, for classes without patterns here."""

    @classmethod
    def patterns_of_class(cls, op_type: type[Operation], /) -> Sequence[RewritePattern]:
        return brought_along(op_type)


CANONICALIZATION = PatternSet((*PATTERNS, ApplyPatternsBroughtAlong()))
"""The patterns of all operations."""

# -- The pass ---------------------------------------------------------------------------------------------------------


def canonicalization_steps(patterns: PatternSet = CANONICALIZATION) -> Iterator[Step]:
    """
    The steps of a canonicalization with `patterns`: by default, those that operations bring along.

    What is dead is erased, and constants are folded and kept once, whatever the patterns are.
    """
    pools = ConstantPools()
    keep_once = KeepConstantOnce(pools)
    yield Step((keep_once,))
    always = (EraseDead(pools), keep_once, FoldOperation(pools), FoldByOwnFolder())
    yield Step(PatternSet(always, then=patterns), TO_FIXPOINT)


@dataclass(frozen=True)
class CanonicalizePass(IncrementalPass):
    """Apply all folds and canonicalization patterns until nothing changes."""

    name = "xla-gpu-canonicalize"
    source: ClassVar[str] = 'XLA:GPU emitters, "canonicalize" of the codegen pipeline (XGPU-10)'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        return canonicalization_steps()

    def rewrite_changes(self, module: ModuleOp, changes: Changes, listener: PatternRewriterListener | None) -> None:
        for step in self.steps(module):
            # Constants are few, and each has its place, so all of them are visited.
            among = changes if step.walk is TO_FIXPOINT else None
            rewrite(module, step.patterns, step.walk, listener, among)
