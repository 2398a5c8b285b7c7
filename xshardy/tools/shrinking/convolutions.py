"""The dimensions of a convolution, an operation or a call of cuDNN."""

from collections.abc import Mapping, Sequence
from functools import partial

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.convolution_numbers import LETTERS
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.launch.leaves import Leaf, leaves_of
from xshardy.tools.shrinking.atoms import Atom, equate, freeze, size_of
from xshardy.tools.shrinking.dimensions import Dimensions
from xshardy.tools.shrinking.divisions import keeps_groups, keeps_positions, keeps_window
from xshardy.transforms.hlo.expand_library_calls import geometry

Labelled = Mapping[str, Sequence[Atom]]
"""Dimensions by the labels that HLO text has for them: `b` or `o`, `f` or `i`, and the numbers of spatial ones."""

PLACES = {
    "__cudnn$convBackwardFilter": (0, 2, 1),
    "__cudnn$convBackwardInput": (2, 1, 0),
}
"""Where calls have what moves, the filter and the positions: 0 and 1 are operands, 2 is the result."""


def labelled(dimensions: Dimensions, op: stablehlo.ConvolutionOp) -> tuple[Labelled, Labelled, Labelled]:
    """What moves, the filter and the positions."""
    tensors = zip(LETTERS, (op.lhs, op.rhs, op.result), op.dimension_numbers.roles, strict=True)
    moved, kernel, result = (
        {label: dimensions.of(Leaf(value))[d] for label, d in zip((*letters, *"0123456789"), roles, strict=False)}
        for letters, value, roles in tensors
    )
    return moved, kernel, result


def convolution(dimensions: Dimensions, op: stablehlo.ConvolutionOp) -> None:
    """An operation; the number of groups shrinks with what is divided into them, their size stays."""
    x, w, y = labelled(dimensions, op)
    for place, part, count in (("f", w["i"], op.feature_group_count), ("b", y["b"], op.batch_group_count)):
        if count.value.data == 1:
            equate(x[place], part)
        else:
            freeze(part)
            sizes = size_of(x[place]), size_of(part), size_of(w["o"])
            dimensions.tie(x[place], w["o"], partial(keeps_groups, *sizes))
    equate(w["o"], y["f"])
    _windows(dimensions, x, w, y, op.window())


def library_convolution(dimensions: Dimensions, op: stablehlo.CustomCallOp) -> None:
    """
    A call of cuDNN: the filter keeps its size, which the call has as text, and so do features in groups.

    Source: `transforms/hlo/library_calls/convolution.py`, which has the places of the three tensors.
    """
    call = geometry(op)
    first, second, *others = map(Leaf, op.operands)
    result = next(leaves_of(op.results[0]))
    tensors = (first, second, result)
    places = PLACES.get(op.call_target_name.data, (0, 1, 2))
    x, w, y = (
        {label: dimensions.of(tensors[place])[i] for i, label in enumerate(labels)}
        for place, labels in zip(places, call.labels, strict=True)
    )
    for number in range(len(call.window)):
        freeze(w[str(number)])
    equate(x["b"], y["b"])
    equate(w["o"], y["f"])
    if call.groups == 1:
        equate(x["f"], w["i"])
    else:
        freeze([*x["f"], *w["o"]])
    _windows(dimensions, x, w, y, call.window)
    for bias in others[:1]:
        equate(dimensions.of(bias)[0], y["f"])
    for side in others[1:]:
        dimensions.equal_leaves(side, result)


def _windows(dimensions: Dimensions, x: Labelled, w: Labelled, y: Labelled, window: Sequence[WindowDimension]) -> None:
    """`w` moves over `x`, and `y` has its positions."""
    for number, dimension in enumerate(window):
        _moved(dimensions, x[str(number)], w[str(number)], y[str(number)], dimension)


def _moved(
    dimensions: Dimensions,
    moved: Sequence[Atom],
    kernel: Sequence[Atom],
    result: Sequence[Atom],
    window: WindowDimension,
) -> None:
    """
    One spatial dimension: a filter keeps its size, and what it moves over shrinks by the ratio of the positions.

    In the gradient of a filter, the result is the filter, and the gradient of the result moves over the rest.
    """
    if window == WindowDimension(1):
        equate(moved, result)
    elif not _is_gradient(window, size_of(result)):
        freeze(kernel)
        dimensions.tie(moved, result, partial(keeps_window, window, size_of(moved), size_of(result)))
    else:
        freeze(result)
        dimensions.tie(moved, kernel, partial(keeps_positions, window, size_of(moved), size_of(result)))


def _is_gradient(window: WindowDimension, positions: int) -> bool:
    """
    Whether the result is a filter: then the window is larger. Of patches, which do not overlap, either may be.

    In the gradient of a filter for patches, all positions are in the gaps between the elements of the window.
    """
    if window.window_dilation > 1:
        return window.size > positions or window.window_dilation >= positions
    return window.size > positions and window.stride < window.size
