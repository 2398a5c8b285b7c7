"""The choice of a transpose emitter. Source: XLA:GPU's fusion analysis; rows XGPU-02, XGPU-09."""

from collections.abc import Callable
from functools import partial

from xdsl.ir import Operation

from xshardy.emitters.analysis import Choice, Fusion, elements_in
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.emitters.transpose.emit import emit_transpose
from xshardy.emitters.transpose.normal_form import Transposition, is_tiled, transposition
from xshardy.emitters.transpose.packed import BANK_BITS, is_packed, packed_tiling, why_not_packed
from xshardy.emitters.transpose.tiling import TransposeTiling, transpose_tiling
from xshardy.gpus.devices import Device

Plan = Callable[[Transposition, int, int, Device], TransposeTiling | None]
"""Makes the tiling from a transposition, the width of an element and the number of tensors; None if there is none."""
Reason = Callable[[Transposition, int], str]
"""Describes the movement of elements in words, from a transposition and the width of an element."""


def choose_packed_transpose(fusion: Fusion) -> Choice | None:
    """
    The transpose emitter with packed tiles, if they are possible (`why_not_packed`) and fit into shared memory.

    The other conditions are those of `choose_transpose`.
    """

    def reason(moved: Transposition, width: int) -> str:
        return f"{BANK_BITS // width} elements of {width} bits at once"

    return _choose(fusion, "packed_transpose", is_packed, packed_tiling, reason)


def choose_transpose(fusion: Fusion) -> Choice | None:
    """
    The transpose emitter, if a result depends on a transposition for which tiles in shared memory pay off.

    All such transpositions must be equal, and every other result must have as many elements.
    """

    def reason(moved: Transposition, width: int) -> str:
        return f"not packed: {why_not_packed(moved, width) or 'there is not enough of it'}"

    return _choose(fusion, "transpose", is_tiled, transpose_tiling, reason)


def _choose(
    fusion: Fusion, emitter: str, is_hero: Callable[[Operation], bool], plan: Plan, reason: Reason
) -> Choice | None:
    found = [fusion.only_hero(root, is_hero) for root in fusion.roots]
    heroes = {number: hero for number, hero in enumerate(found) if hero is not None}
    if not heroes:
        return None
    first, *others = dict.fromkeys(heroes.values())
    moved, width = _movement(first)
    assert moved is not None
    same = all(_movement(other) == (moved, width) for other in others)
    if not same:
        return fusion.because(emitter, "two transpositions differ")
    if any(elements_in(root) != elements_in(first.results[0]) for root in fusion.roots):
        return fusion.because(emitter, "a result has another number of elements than the transposition")
    tiling = plan(moved, width, 1 + len(others), fusion.device)
    if tiling is None:
        return fusion.because(emitter, "its tiles do not fit, or too few elements move")
    order, shape = list(moved.permutation), list(moved.shape)
    because = f"it moves dimensions {order} of {shape} through shared memory, {reason(moved, width)}"
    return Choice(emitter, first, because, partial(emit_transpose, fusion.computation, heroes, tiling))


def _movement(hero: Operation) -> tuple[Transposition | None, int]:
    """The transposition of elements in memory, and the width of an element in bits."""
    return transposition(hero), bits_in_memory(hero.results[0].type)
