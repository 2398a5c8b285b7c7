"""
Memory effects and speculatability of operations, with the traits that xDSL's operations lack.

The functions correspond to those of `xdsl.traits` and `xdsl.transforms.dead_code_elimination`, which read only the
traits of the classes. Source: the traits of upstream's operations.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from typing import TypeAlias

from xdsl.dialects.builtin import MemRefType, UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import (
    ConditionallySpeculatable,
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    NoMemoryEffect,
    OpTrait,
    Pure,
    RecursivelySpeculatable,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)


class TransferEffect(MemoryEffect):
    """A transfer reads or writes memory if it works on a memref. On a tensor it has no effect."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        if not any(isinstance(value.type, MemRefType) for value in op.operands):
            return frozenset()
        kind = MemoryEffectKind.READ if op.name == "vector.transfer_read" else MemoryEffectKind.WRITE
        return frozenset({EffectInstance(kind)})


MISSING_TRAITS: Mapping[str, OpTrait] = {
    "arith.extsi": Pure(),
    "arith.remui": NoMemoryEffect(),
    **dict.fromkeys(
        (
            "gpu.block_dim",
            "gpu.block_id",
            "gpu.global_id",
            "gpu.grid_dim",
            "gpu.lane_id",
            "gpu.num_subgroups",
            "gpu.subgroup_id",
            "gpu.subgroup_size",
            "gpu.thread_id",
        ),
        Pure(),
    ),
    "scf.for": RecursivelySpeculatable(),
    "scf.index_switch": RecursivelySpeculatable(),
    "tensor.yield": NoMemoryEffect(),
    "vector.bitcast": Pure(),
    "vector.create_mask": Pure(),
    "vector.reduction": Pure(),
    "vector.transfer_read": TransferEffect(),
    "vector.transfer_write": TransferEffect(),
}
"""The trait that xDSL's class of an operation lacks, by the name of the operation."""


@cache
def traits_of(op_type: type[Operation]) -> tuple[OpTrait, ...]:
    """The traits of a class of operations: its own, and the one that it lacks."""
    if issubclass(op_type, UnregisteredOp):
        return ()
    own = tuple(op_type.traits.traits)
    missing = MISSING_TRAITS.get(op_type.name)
    return own if missing is None or op_type.has_trait(type(missing)) else (*own, missing)


@cache
def has_trait(op_type: type[Operation], trait: type[OpTrait], value_if_unregistered: bool = False) -> bool:
    """`op_type.has_trait`, which searches all traits, remembered for each pair."""
    return op_type.has_trait(trait, value_if_unregistered=value_if_unregistered)


@cache
def memory_effects(op_type: type[Operation]) -> tuple[MemoryEffect, ...]:
    """The traits of a class that declare effects. Without any, the effects of its operations are unknown."""
    return tuple(trait for trait in traits_of(op_type) if isinstance(trait, MemoryEffect))


@cache
def _speculatability(op_type: type[Operation]) -> ConditionallySpeculatable | None:
    return next((trait for trait in traits_of(op_type) if isinstance(trait, ConditionallySpeculatable)), None)


KnownEffects: TypeAlias = dict[Operation, AbstractSet[EffectInstance] | None]
"""
The effects of operations with regions, while nothing changes.

Whoever asks for the effects of nested operations one by one would read each as often as it has operations around it.
"""


def effects_of(op: Operation, known: KnownEffects | None = None) -> AbstractSet[EffectInstance] | None:
    """The memory effects of `op`; None if they are unknown. Those of operations with regions are kept in `known`."""
    if not op.regions or known is None:
        return _effects_of(op, known)
    if op not in known:
        known[op] = _effects_of(op, known)
    return known[op]


def _effects_of(op: Operation, known: KnownEffects | None) -> AbstractSet[EffectInstance] | None:
    traits = memory_effects(type(op))
    if not traits:
        return None
    found: set[EffectInstance] = set()
    for trait in traits:
        effects = _effects_inside(op, known) if isinstance(trait, RecursiveMemoryEffect) else trait.get_effects(op)
        if effects is None:
            return None
        found |= effects
    return found


def _effects_inside(op: Operation, known: KnownEffects | None) -> AbstractSet[EffectInstance] | None:
    found: set[EffectInstance] = set()
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if (effects := effects_of(inner, known)) is None:
                    return None
                found |= effects
    return found


def is_side_effect_free(op: Operation) -> bool:
    """Whether `op` is known to have no memory effects."""
    effects = effects_of(op)
    return effects is not None and not effects


def is_speculatable(op: Operation) -> bool:
    """Whether `op` may be executed where the program does not execute it."""
    trait = _speculatability(type(op))
    if isinstance(trait, RecursivelySpeculatable):
        return all(is_speculatable(inner) for region in op.regions for block in region.blocks for inner in block.ops)
    return trait is not None and trait.is_speculatable(op)


def is_trivially_dead(op: Operation) -> bool:
    """Whether no result of `op` is used, and its only effects are reads and allocations of its results."""
    for result in op.results:  # hot path: a generator for `all` takes longer
        if result.first_use is not None:
            return False
    return would_be_trivially_dead(op)


def would_be_trivially_dead(op: Operation) -> bool:
    """Whether `op` is trivially dead once its results have no uses."""
    if has_trait(type(op), IsTerminator) or has_trait(type(op), SymbolOpInterface):
        return False
    effects = effects_of(op)
    return effects is not None and all(
        effect.kind is MemoryEffectKind.READ or _allocates_inside(effect, op) for effect in effects
    )


def _allocates_inside(effect: EffectInstance, op: Operation) -> bool:
    value = effect.value
    return effect.kind is MemoryEffectKind.ALLOC and isinstance(value, SSAValue) and op.is_ancestor(value.owner)
