"""
Common subexpression elimination: of equal operations, the first one that dominates the others stays.

It merges what xDSL's `cse` would merge if it knew the effects of upstream's operations, but compares the attributes of
operations of one class with equal operands only. Where a pipeline repeats it, functions in which nothing changed are
left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import ClassVar, TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffectKind,
)

from xshardy.dialects.extensions.effects import effects_of, is_side_effect_free, only_reads
from xshardy.rewriting import FORWARD, rewrite
from xshardy.rewriting.changes import Changes, IncrementalPass
from xshardy.rewriting.walk import operations_from
from xshardy.transforms.canonicalize import is_dead, is_dead_if_unused

# -- Which operations are equal ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommonSubexpressions:
    """What can be erased: `dead` operations, and those that are `equal` to one that dominates them."""

    dead: set[Operation] = field(default_factory=set[Operation])
    equal: dict[Operation, Operation] = field(default_factory=dict[Operation, Operation])
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The results of equal operations, and those that take their place."""

    def merge(self, op: Operation, kept: Operation) -> None:
        """Note that `op` is equal to `kept`."""
        self.equal[op] = kept
        self.values.update(zip(op.results, kept.results, strict=True))


Key: TypeAlias = tuple[type[Operation], tuple[SSAValue | Attribute, ...]]
"""
Operations can only be equal if these are: their class, and their operands once equal operations are merged.

Without operands, it is their properties instead: many constants have the same class.
"""


@dataclass(slots=True)
class Scope:
    """The operations, none equal to another, that dominate what comes next in a block."""

    around: "Scope | None"
    """The scope of the block around; None where operations from outside may not be read."""
    known: dict[Key, list[Operation]] = field(default_factory=dict[Key, list[Operation]])

    def find(self, key: Key, op: Operation, found: CommonSubexpressions) -> Operation | None:
        """The operation that is equal to `op`, of that key."""
        scope: Scope | None = self
        while scope is not None:
            for other in scope.known.get(key, ()):
                if computes_the_same(op, other, found, {}):
                    return other
            scope = scope.around
        return None


def common_subexpressions(region: Region, found: CommonSubexpressions, around: Scope | None = None) -> None:
    """
    Add those of the operations in `region` to `found`. A region of several blocks is left out.

    Reads each operation once. Two operations are compared if they have the same key.
    """
    if len(region.blocks) != 1:
        return
    scope = Scope(around)
    merged = found.values.get
    for op in region.block.ops:
        if op.regions:
            isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=True)
            for inner in op.regions:
                common_subexpressions(inner, found, None if isolated else scope)
        if is_dead(op):
            found.dead.add(op)
        elif can_be_merged(op):
            key = type(op), tuple([merged(value, value) for value in op.operands]) or tuple(op.properties.values())
            other = scope.find(key, op, found)
            if other is not None and (is_pure(op) or reads_the_same(other, op)):
                found.merge(op, other)
            else:
                scope.known.setdefault(key, []).insert(0, op)


def is_pure(op: Operation) -> bool:
    """Whether `op` has no effect."""
    return is_dead_if_unused(type(op)) is True or is_side_effect_free(op)


def can_be_merged(op: Operation) -> bool:
    """Whether `op` does no more than compute results, or read memory."""
    if not op.regions and is_dead_if_unused(type(op)):
        return True
    if op.has_trait(IsTerminator) or any(len(region.blocks) > 1 for region in op.regions):
        return False
    return is_pure(op) or only_reads(op)


def reads_the_same(first: Operation, last: Operation) -> bool:
    """Whether two equal operations that read memory stand in one block, and nothing between them may write."""
    if first.parent is not last.parent:
        return False
    op: Operation | None = first
    while op is not None and op is not last:
        effects = effects_of(op)
        if effects is None or any(effect.kind is MemoryEffectKind.WRITE for effect in effects):
            return False
        op = op.next_op
    return True


Inside: TypeAlias = dict[SSAValue | Block, SSAValue | Block]
"""For values and blocks inside of an operation, those in the same place inside of another one."""


def are_equal(op: Operation, other: Operation, found: CommonSubexpressions, inside: Inside) -> bool:
    """Whether two operations compute the same of the same operands."""
    if type(op) is not type(other) or len(op.operands) != len(other.operands):
        return False
    merged = found.values.get
    for operand, other_operand in zip(op.operands, other.operands, strict=True):
        value = merged(operand, operand)
        if inside.get(value, value) is not merged(other_operand, other_operand):
            return False
    return computes_the_same(op, other, found, inside)


def computes_the_same(op: Operation, other: Operation, found: CommonSubexpressions, inside: Inside) -> bool:
    """Whether two operations of one class do the same with their operands."""
    if not _same(op.properties, other.properties) or not _same(op.attributes, other.attributes):
        return False
    if isinstance(op, UnregisteredOp) and op.op_name != cast(UnregisteredOp, other).op_name:
        return False
    if len(op.results) != len(other.results) or len(op.regions) != len(other.regions):
        return False
    for result, other_result in zip(op.results, other.results, strict=True):
        if result.type is not other_result.type and result.type != other_result.type:
            return False
    if [inside.get(block, block) for block in op.successors] != list(other.successors):
        return False
    return all(_regions_equal(a, b, found, inside) for a, b in zip(op.regions, other.regions, strict=True))


def _same(attributes: Mapping[str, Attribute], others: Mapping[str, Attribute]) -> bool:
    if len(attributes) != len(others):
        return False
    for name, attribute in attributes.items():
        other = others.get(name)
        if other is not attribute and other != attribute:
            return False
    return True


def _regions_equal(region: Region, other: Region, found: CommonSubexpressions, inside: Inside) -> bool:
    if len(region.blocks) != len(other.blocks):
        return False
    for block, other_block in zip(region.blocks, other.blocks, strict=True):
        if [arg.type for arg in block.args] != [arg.type for arg in other_block.args]:
            return False
        inside[block] = other_block
        inside.update(zip(block.args, other_block.args, strict=True))
        ops, other_ops = tuple(block.ops), tuple(other_block.ops)
        if len(ops) != len(other_ops):
            return False
        for op, other_op in zip(ops, other_ops, strict=True):
            if not are_equal(op, other_op, found, inside):
                return False
            inside.update(zip(op.results, other_op.results, strict=True))
    return True


# -- Patterns ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EraseDeadOperation(RewritePattern):
    """`op(x)` -> nothing, where it is one of `dead`: nothing uses its results, and it has no effect."""

    dead: AbstractSet[Operation]

    @property
    def op_types(self) -> tuple[type, ...]:
        """What the driver reads."""
        return tuple({type(op) for op in self.dead})

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if op in self.dead:
            rewriter.erase(op)


@dataclass(frozen=True)
class ReplaceByEqual(RewritePattern):
    """`%a = op(%x); %b = op(%x)` -> `%a = op(%x)`, and `%a` in the place of `%b`, as `equal` says."""

    equal: Mapping[Operation, Operation]

    @property
    def op_types(self) -> tuple[type, ...]:
        """What the driver reads."""
        return tuple({type(op) for op in self.equal})

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if (other := self.equal.get(op)) is not None:
            rewriter.replace(op, (), other.results)


# -- The pass ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CSEPass(IncrementalPass):
    """Erase operations that compute what another one computes before them, and those whose results nothing uses."""

    name = "xla-gpu-cse"
    source: ClassVar[str] = "MLIR, -cse; xDSL, cse"
    may_do_more: ClassVar[bool] = True

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return self._patterns_for((module.body,))

    def rewrite_changes(self, module: ModuleOp, changes: Changes, listener: PatternRewriterListener | None) -> bool:
        changed = [op for op in module.ops if any(inner in changes for inner in operations_from(op))]
        if not all(op.has_trait(IsolatedFromAbove, value_if_unregistered=False) for op in changed):
            return self.rewrite_module(module, listener)
        found = self._patterns_for(region for op in changed for region in op.regions)
        merged = False
        for op in changed:
            merged |= rewrite(op, found, FORWARD, listener)
        return merged

    @staticmethod
    def _patterns_for(regions: Iterable[Region]) -> Sequence[RewritePattern]:
        found = CommonSubexpressions()
        for region in regions:
            common_subexpressions(region, found)
        return EraseDeadOperation(found.dead), ReplaceByEqual(found.equal)
