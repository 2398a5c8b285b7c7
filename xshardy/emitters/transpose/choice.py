"""
Which fusions the transpose emitter takes.

Source: XLA:GPU's fusion analysis; rows XGPU-02, XGPU-09.
"""

from functools import partial

from xshardy.dialects.stablehlo.types import bit_width
from xshardy.emitters.analysis import Choice, Fusion, elements_in
from xshardy.emitters.elemental.kinds import element_type_of
from xshardy.emitters.transpose.emit import emit_transpose
from xshardy.emitters.transpose.normal_form import is_tiled, transposition
from xshardy.emitters.transpose.tiling import transpose_tiling


def choose_transpose(fusion: Fusion) -> Choice | None:
    """
    The transpose emitter, if a result is made of a transposition that goes through shared memory.

    All such transpositions must be alike, and every other result have as many elements.
    """
    found = [fusion.only_hero(root, is_tiled) for root in fusion.roots]
    heroes = {number: hero for number, hero in enumerate(found) if hero is not None}
    if not heroes:
        return None
    first, *others = dict.fromkeys(heroes.values())
    moved = transposition(first)
    assert moved is not None
    widths = [bit_width(element_type_of(hero.results[0].type)) for hero in (first, *others)]
    same = all(transposition(other) == moved for other in others) and len(set(widths)) == 1
    if not same or any(elements_in(root) != elements_in(first.results[0]) for root in fusion.roots):
        return None
    tiling = transpose_tiling(moved, max(widths), len(widths), fusion.device)
    reason = f"it moves dimensions {list(moved.permutation)} of {list(moved.shape)} through shared memory"
    return Choice("transpose", first, reason, partial(emit_transpose, fusion.computation, heroes, tiling))
