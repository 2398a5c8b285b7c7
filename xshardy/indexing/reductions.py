"""
The maps of operations that combine many elements into one: reduce and reduce-window, also variadic.

Range variables run over the combined elements; initial values are scalars. Source: XLA indexing docs,
"(Variadic)Reduce", "ReduceWindow".
"""

from collections.abc import Sequence

from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, floordiv, mul, sym
from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.dialects.stablehlo.windows import ReduceWindowOp, WindowDimension
from xshardy.indexing.tensor_maps import Maps, divisible, inside, scalar_operand_map, scalar_result_map, values_of


def reduce_operand(op: ReduceOp) -> Maps:
    """One range variable per reduced dimension, in the order of the operand's dimensions."""
    shape, reduced = shape_of(op.inputs[0]), sorted(values_of(op.dimensions))
    kept = [d for d in range(len(shape)) if d not in reduced]
    results = [sym(reduced.index(d)) if d in reduced else dim(kept.index(d)) for d in range(len(shape))]
    map = IndexingMap.from_tensor_sizes(results, [shape[d] for d in kept], [shape[d] for d in reduced])
    return ((map,),) * len(op.inputs) + ((scalar_operand_map(op.outputs[0]),),) * len(op.inputs)


def reduce_result(op: ReduceOp) -> Maps:
    """The kept dimensions."""
    shape, reduced = shape_of(op.inputs[0]), values_of(op.dimensions)
    map = IndexingMap.from_tensor_sizes([dim(d) for d in range(len(shape)) if d not in reduced], shape)
    return ((map,),) * len(op.inputs) + ((scalar_result_map(op.outputs[0]),),) * len(op.inputs)


# -- Windows ----------------------------------------------------------------------------------------------------------


def window_place(dimension: WindowDimension, position: AffineExpr, tap: AffineExpr) -> AffineExpr:
    """
    The position of element `tap` of the window at `position`, in the dilated base without its padding.

    It is an element of the base if it is a multiple of the dilation and in bounds; otherwise it is padding or a gap.
    """
    place = add(mul(position, constant(dimension.stride)), mul(tap, constant(dimension.window_dilation)))
    return add(place, constant(-dimension.low))


def window_position(dimension: WindowDimension, index: AffineExpr, tap: AffineExpr) -> AffineExpr:
    """
    The position of a window whose element `tap` is element `index` of the base, times the stride.

    The window exists if this is a multiple of the stride and the quotient is in bounds.
    """
    place = add(mul(index, constant(dimension.base_dilation)), constant(dimension.low))
    return add(place, mul(tap, constant(-dimension.window_dilation)))


def at_multiples(
    map: IndexingMap, places: Sequence[AffineExpr], divisors: Sequence[int], shape: Sequence[int]
) -> tuple[IndexingMap, list[AffineExpr]]:
    """
    `map` constrained to multiples: each of `places` is divisible and its quotient is in `shape`.

    Returns the quotients too.
    """
    quotients = [floordiv(place, constant(divisor)) for place, divisor in zip(places, divisors, strict=True)]
    return inside(divisible(map, places, divisors), quotients, shape), quotients


def window_taps(window: Sequence[WindowDimension]) -> tuple[list[AffineExpr], list[int]]:
    """
    For each dimension, the number of an element in the window; and the sizes of the range variables that number them.
    """
    wide = [d for d, dimension in enumerate(window) if dimension.size > 1]
    taps = [sym(wide.index(d)) if d in wide else constant(0) for d in range(len(window))]
    return taps, [window[d].size for d in wide]


def reduce_window_operand(op: ReduceWindowOp) -> Maps:
    """Those of `elements_of_windows`; scalars for initial values."""
    read = elements_of_windows(op.window(), shape_of(op.inputs[0]), shape_of(op.outputs[0]))
    return ((read,),) * len(op.inputs) + ((scalar_operand_map(op.outputs[0]),),) * len(op.inputs)


def elements_of_windows(window: Sequence[WindowDimension], base: Sequence[int], shape: Sequence[int]) -> IndexingMap:
    """
    The element of a tensor of shape `base` under each element of the window at each position of `shape`, if any.

    Padding is skipped: it does not take part in the reduction.
    """
    taps, sizes = window_taps(window)
    places = [window_place(window[d], dim(d), taps[d]) for d in range(len(window))]
    box = IndexingMap.from_tensor_sizes((), shape, sizes)
    map, results = at_multiples(box, places, [w.base_dilation for w in window], base)
    return map.with_results(results).simplify()


def reduce_window_result(op: ReduceWindowOp) -> Maps:
    """Every window that contains the element of the input."""
    window, shape = op.window(), shape_of(op.inputs[0])
    taps, sizes = window_taps(window)
    positions = [window_position(window[d], dim(d), taps[d]) for d in range(len(window))]
    box = IndexingMap.from_tensor_sizes((), shape, sizes)
    map, results = at_multiples(box, positions, [w.stride for w in window], shape_of(op.outputs[0]))
    goes = map.with_results(results).simplify()
    return ((goes,),) * len(op.inputs) + ((scalar_result_map(op.outputs[0]),),) * len(op.inputs)
