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
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern
from xdsl.traits import (
    EffectInstance,
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffectKind,
)

from xshardy.dialects.extensions.effects import KnownEffects, effects_of, has_trait
from xshardy.ir.fields import operands_of
from xshardy.rewriting import FORWARD, rewrite
from xshardy.rewriting.changes import Changes, IncrementalPass
from xshardy.rewriting.walk import operations_from
from xshardy.transforms.canonicalization.steps import is_dead, is_dead_if_unused

# -- Which operations are equal ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommonSubexpressions:
    """What can be erased: `dead` operations, and those that are `equal` to one that dominates them."""

    dead: set[Operation] = field(default_factory=set[Operation])
    equal: dict[Operation, Operation] = field(default_factory=dict[Operation, Operation])
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """For results of equal operations, those that take their place."""

    def merge(self, op: Operation, kept: Operation) -> None:
        """Note that `op` is equal to `kept`."""
        self.equal[op] = kept
        self.values.update(zip(op.results, kept.results, strict=True))


Key: TypeAlias = tuple[type[Operation], tuple[SSAValue | Attribute, ...]]
"""
Operations can only be equal if these are: their class, and their operands once equal operations are
merged.

Without operands, it is their properties instead: many constants have the same class.
"""


@dataclass(slots=True)
class Scope:
    """The operations, none equal to another, that dominate what comes next in a block."""

    known: dict[Key, list[Operation]]
    """Also those of the blocks around, the newest last."""
    effects: KnownEffects
    added: list[list[Operation]] = field(default_factory=list[list[Operation]])
    """The lists of `known` that end with an operation of this block, once for each."""
    writes: int = 0
    """How many operations of the block up to here may write memory."""
    writes_before: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """What `writes` was at each operation that reads memory."""

    def with_key(self, key: Key) -> list[Operation]:
        """The operations with a key: a list to be given to `add`. Keys take long to hash, so this is asked for once."""
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = []
        return known

    def add(self, op: Operation, with_key: list[Operation]) -> None:
        """Note `op`, which is equal to none of those with its key."""
        with_key.append(op)
        self.added.append(with_key)

    def leave(self) -> None:
        """Forget the operations of the block: they do not dominate what comes next."""
        for with_key in self.added:
            with_key.pop()


def find_equal(op: Operation, others: Sequence[Operation], found: CommonSubexpressions) -> Operation | None:
    """The last one of `others`, operations with the key of `op`, that is equal to it."""
    for other in reversed(others):
        if computes_the_same(op, other, found, {}):
            return other
    return None


def common_subexpressions(region: Region, found: CommonSubexpressions) -> None:
    """
    Add those of the operations in `region`, which is isolated from what is around it, to `found`.

    A region of several blocks is left out. Reads each operation once. Two operations are compared if they have the same
    key.
    """
    _visit(region, found, Scope({}, {}))


def _visit(region: Region, found: CommonSubexpressions, scope: Scope) -> None:
    if len(region.blocks) != 1:
        return
    merged = found.values.get
    for op in region.block.ops:
        if op.regions:
            isolated = has_trait(type(op), IsolatedFromAbove, True)
            for inner in op.regions:
                _visit(inner, found, Scope({} if isolated else scope.known, scope.effects))
        if is_dead(op):
            found.dead.add(op)
            continue
        effects: AbstractSet[EffectInstance] | None = frozenset()
        if op.regions or is_dead_if_unused(type(op)) is not True:
            effects = effects_of(op, scope.effects)
            if is_known_to_read(effects):
                scope.writes_before[op] = scope.writes
            elif effects is None or any(effect.kind is MemoryEffectKind.WRITE for effect in effects):
                scope.writes += 1
            if not can_be_merged(op, effects):
                continue
        operands = tuple([merged(value, value) for value in operands_of(op)])
        key = type(op), operands or tuple(op.properties.values())
        others = scope.with_key(key)
        other = find_equal(op, others, found)
        if other is not None and (not effects or scope.writes_before.get(other) == scope.writes):
            found.merge(op, other)
        else:
            scope.add(op, others)
    scope.leave()


def can_be_merged(op: Operation, effects: AbstractSet[EffectInstance] | None) -> bool:
    """Whether `op`, which has `effects`, does no more than compute results, or read memory."""
    if has_trait(type(op), IsTerminator, True):
        return False
    return effects is not None and (not effects or is_known_to_read(effects))


def is_known_to_read(effects: AbstractSet[EffectInstance] | None) -> bool:
    """Whether there are effects, and all are reads."""
    return bool(effects) and all(effect.kind is MemoryEffectKind.READ for effect in effects or ())


Inside: TypeAlias = dict[SSAValue, SSAValue]
"""For values inside of an operation, those in the same place inside of another one."""


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
    if len(region.blocks) > 1 or len(region.blocks) != len(other.blocks):
        return False
    for block, other_block in zip(region.blocks, other.blocks, strict=True):
        if [arg.type for arg in block.args] != [arg.type for arg in other_block.args]:
            return False
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


class CSEPass(IncrementalPass):
    """Erase operations that compute what another one computes before them, and those whose results nothing uses."""

    name = "xla-gpu-cse"
    source: ClassVar[str] = "MLIR, -cse; xDSL, cse"
    may_do_more: ClassVar[bool] = True

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return self._patterns_for((module.body,))

    def rewrite_changes(self, module: ModuleOp, changes: Changes, listener: PatternRewriterListener | None) -> None:
        changed = [op for op in module.ops if any(inner in changes for inner in operations_from(op))]
        if not all(op.has_trait(IsolatedFromAbove, value_if_unregistered=False) for op in changed):
            self.rewrite_module(module, listener)
            return
        found = self._patterns_for(region for op in changed for region in op.regions)
        for op in changed:
            rewrite(op, found, FORWARD, listener)

    @staticmethod
    def _patterns_for(regions: Iterable[Region]) -> Sequence[RewritePattern]:
        found = CommonSubexpressions()
        for region in regions:
            common_subexpressions(region, found)
        return EraseDeadOperation(found.dead), ReplaceByEqual(found.equal)
