"""
The steps of any canonicalization: fold and erase what is dead, beside the patterns that it is given.

Constants are kept once per function, in front of its first block, as upstream does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import ConstantLike, HasFolder, IsTerminator, NoMemoryEffect, SymbolOpInterface

from xshardy.dialects.extensions.effects import is_trivially_dead, memory_effects
from xshardy.ir.fields import operands_of
from xshardy.rewriting import TO_FIXPOINT, FixedClassPattern, PatternSet, Step
from xshardy.transforms.canonicalization.folds import fold_of
from xshardy.transforms.canonicalization.pool import ConstantPools
from xshardy.universe import installed_dialects

# -- Facts about classes of operations --------------------------------------------------------------------------------


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
def brings_folder(op_type: type[Operation]) -> bool:
    """Whether operations of a class fold themselves, and have no fold of ours."""
    has_folder = op_type.has_trait(HasFolder, value_if_unregistered=False)
    return has_folder and fold_of(op_type) is None and not is_constant(op_type)


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
    """`op(x)` -> the value, or the constant, that it is equal to, by the fold of its class."""

    pools: ConstantPools

    @classmethod
    def takes_class(cls, op_type: type[Operation], /) -> bool:
        return fold_of(op_type) is not None

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        from xshardy.transforms.canonicalization.constants import constant_of, materialize  # they load dialects

        fold = fold_of(type(op))
        assert fold is not None
        found = fold(op, [constant_of(operand) for operand in operands_of(op)])
        if found is None or found in op.results:
            return
        if not isinstance(found, SSAValue):
            found = self._kept_once(materialize(found, op.results[0].type), op, rewriter)
        rewriter.replace(op, (), (found,))

    def _kept_once(self, constant: Operation, op: Operation, rewriter: PatternRewriter) -> SSAValue:
        """The result of `constant`, or of the same one in the pool of `op`."""
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


# -- The steps --------------------------------------------------------------------------------------------------------


def canonicalization_steps(patterns: PatternSet) -> Iterator[Step]:
    """
    The steps of a canonicalization with `patterns`.

    What is dead is erased, and constants are folded and kept once, whatever the patterns are.
    """
    pools = ConstantPools()
    keep_once = KeepConstantOnce(pools)
    yield Step((keep_once,))
    always = (EraseDead(pools), keep_once, FoldOperation(pools), FoldByOwnFolder())
    yield Step(PatternSet(always, then=patterns), TO_FIXPOINT)
