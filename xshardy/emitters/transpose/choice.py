"""
Which fusions the transpose emitters take.

Source: XLA:GPU's fusion analysis; rows XGPU-02, XGPU-09.
"""

from collections.abc import Callable
from functools import partial

from xdsl.ir import Operation

from xshardy.emitters.analysis import Choice, Fusion, elements_in
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.emitters.launch_dimensions import Device
from xshardy.emitters.transpose.emit import emit_transpose
from xshardy.emitters.transpose.normal_form import Transposition, is_tiled, transposition
from xshardy.emitters.transpose.packed import BANK_BITS, is_packed, packed_tiling, why_not_packed
from xshardy.emitters.transpose.tiling import TransposeTiling, transpose_tiling

Plan = Callable[[Transposition, int, int, Device], TransposeTiling | None]
"""From a transposition, the bits of an element and the number of tensors that it moves, to how it is done, if it is."""
Reason = Callable[[Transposition, int], str]
"""From a transposition and the bits of an element to how it is moved, in words."""


def choose_packed_transpose(fusion: Fusion) -> Choice | None:
    """
    The transpose emitter with packed tiles, if nothing speaks against them (`why_not_packed`), and they fit.

    Apart from that, the conditions are those of `choose_transpose`.
    """

    def reason(moved: Transposition, width: int) -> str:
        return f"{BANK_BITS // width} elements of {width} bits at once"

    return _choose(fusion, "packed_transpose", is_packed, packed_tiling, reason)


def choose_transpose(fusion: Fusion) -> Choice | None:
    """
    The transpose emitter, if a result is made of a transposition that goes through shared memory.

    All such transpositions must be alike, and every other result have as many elements.
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
    moved, width = _what_it_moves(first)
    assert moved is not None
    same = all(_what_it_moves(other) == (moved, width) for other in others)
    if not same or any(elements_in(root) != elements_in(first.results[0]) for root in fusion.roots):
        return None
    tiling = plan(moved, width, 1 + len(others), fusion.device)
    if tiling is None:
        return None
    order, shape = list(moved.permutation), list(moved.shape)
    because = f"it moves dimensions {order} of {shape} through shared memory, {reason(moved, width)}"
    return Choice(emitter, first, because, partial(emit_transpose, fusion.computation, heroes, tiling))


def _what_it_moves(hero: Operation) -> tuple[Transposition | None, int]:
    """The order of elements before and after, and the bits of an element."""
    return transposition(hero), bits_in_memory(hero.results[0].type)
