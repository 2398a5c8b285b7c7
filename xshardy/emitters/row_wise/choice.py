"""
The choice of the row-wise emitter: whether a computation consists of rows, none of which needs another one.

Source: XLA:GPU compiles such computations as block-level fusions, with Triton.
"""

from collections.abc import Collection, Sequence
from functools import partial

from xdsl.ir import SSAValue

from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.emitters.analysis import Choice, Fusion, elements_in
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.emitters.row_wise.emit import emit_row_wise
from xshardy.emitters.row_wise.tiling import row_wise_tiling
from xshardy.indexing.fusions import maps_to_operands
from xshardy.indexing.reduction_dimensions import ReductionDimensions, reduction_dimensions, row_map

MIN_ELEMENTS = 16
"""The minimal number of elements of a row: for fewer, each thread reduces the row by itself, in XLA's loop fusions."""


def choose_row_wise(fusion: Fusion) -> Choice | None:
    """
    The row-wise emitter, if rows are reduced and then read again with the reduced values, and no row needs another one.

    Every result has one element per row, or one per element of the rows.
    """
    return _choose(fusion, read_again=True, reason="reads each again with its reduced values")


def choose_reduced_rows(fusion: Fusion) -> Choice | None:
    """
    The row-wise emitter, if rows are reduced, and results computed from several reduced values, once for each row.

    Not if other dimensions are reduced too: each thread would reduce these again, as with the loop emitter.
    Precondition: the emitter of reductions is not chosen. It applies only operations of one operand to what it reduces.
    """
    return _choose(fusion, read_again=False, reason="computes results from several reduced values")


def _choose(fusion: Fusion, read_again: bool, reason: str) -> Choice | None:
    reductions = _row_reductions(fusion)
    if not reductions:
        return None
    dimensions = max(reductions, key=lambda each: each.sizes[2])
    _, rows, minor = dimensions.sizes
    sizes = {elements_in(root) for root in fusion.roots}
    if not sizes <= {rows, rows * minor}:
        return fusion.because("row_wise", f"a result has neither {rows} nor {rows * minor} elements")
    if read_again and len(reductions[dimensions]) == 1 and sizes == {rows}:
        return None  # nothing reads the rows but the reduction
    steps = steps_of(reductions[dimensions], fusion.roots, minor)
    if steps is None:
        return fusion.because("row_wise", "no result depends on the rows, or a row needs reduced values of another one")
    fits = (
        _are_read_again(steps, fusion.roots, minor)
        if read_again
        else len(reductions[dimensions]) == len(_reductions(fusion))
    )
    if not fits:
        return None
    whole = [bits_in_memory(root.type) for root in fusion.roots if elements_in(root) == rows * minor]
    tiling = row_wise_tiling(rows, minor, fusion.narrowest_input, max(whole, default=0), fusion.device)
    reason = f"it reduces {rows} rows of {minor} elements, and {reason}"
    return Choice(tiling.name, steps[0][0], reason, partial(emit_row_wise, fusion.computation, steps, tiling))


def _are_read_again(steps: Sequence[Sequence[ReduceOp]], roots: Sequence[SSAValue], minor: int) -> bool:
    """Whether a row is read again with its reduced values: for another reduction, or for a result with its elements."""
    rows = elements_in(steps[0][0].results[0])
    whole = [root for root in roots if elements_in(root) != rows]
    return len(steps) > 1 or bool(_reduced_for(whole, steps[0], minor))


def _row_reductions(fusion: Fusion) -> dict[ReductionDimensions, list[ReduceOp]]:
    """The reductions of rows, by their dimensions, in program order."""
    found: dict[ReductionDimensions, list[ReduceOp]] = {}
    for op in _reductions(fusion):
        if (dimensions := row_dimensions(op)) is not None:
            found.setdefault(dimensions, []).append(op)
    return found


def _reductions(fusion: Fusion) -> list[ReduceOp]:
    """All reductions, in program order."""
    return [op for op in fusion.computation.body.block.ops if isinstance(op, ReduceOp)]


def row_dimensions(op: ReduceOp) -> ReductionDimensions | None:
    """The dimensions of `op` if it reduces rows that are long enough."""
    dimensions = reduction_dimensions(op) if elements_in(op.inputs[0]) else None
    if dimensions is None or not dimensions.is_row or dimensions.sizes[0] != 1:
        return None
    return dimensions if dimensions.sizes[2] >= MIN_ELEMENTS else None


def steps_of(
    reductions: Sequence[ReduceOp], roots: Sequence[SSAValue], minor: int
) -> Sequence[Sequence[ReduceOp]] | None:
    """
    The `reductions` that `roots` depend on, in steps: the inputs of a step depend on the results of earlier steps only.

    None if they depend on none, or if a row of `minor` elements needs reduced values of another row.
    Precondition: all of `reductions` have equal dimensions, and they are in program order.
    """
    numbers: dict[ReduceOp, int] = {}
    for hero in reductions:
        before = _reduced_for(hero.inputs, numbers, minor)
        if before is None or _reduced_for(hero.init_values, numbers, minor) != []:
            return None
        numbers[hero] = 1 + max((numbers[each] for each in before), default=-1)
    needed = _reduced_for(roots, numbers, minor)
    if not needed:
        return None
    return [[hero for hero in needed if numbers[hero] == n] for n in range(1 + max(numbers[hero] for hero in needed))]


def _reduced_for(values: Sequence[SSAValue], heroes: Collection[ReduceOp], minor: int) -> list[ReduceOp] | None:
    """
    The heroes whose results `values` depend on, in program order. None if an element needs those of another row.

    `values` have one element per row, or `minor`; others depend on no hero.
    """
    found: list[ReduceOp] = []
    reads = [(value, maps_to_operands(value)) for value in values]
    for hero in heroes:
        for value, maps_of in reads:
            for result in hero.results:
                if result not in maps_of:
                    continue
                maps = maps_of[result]
                if maps is None or any(map.results != row_map(value, hero, minor).results for map in maps):
                    return None
                found.append(hero)
    return list(dict.fromkeys(found))
