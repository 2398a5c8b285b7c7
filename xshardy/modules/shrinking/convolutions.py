"""The dimensions of a convolution, an operation or a call of cuDNN."""

from collections.abc import Mapping, Sequence
from functools import partial

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.convolution_numbers import LETTERS
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.modules.leaves import Leaf, leaves_of
from xshardy.modules.shrinking.atoms import Atom, equate, freeze, size_of, tie
from xshardy.modules.shrinking.dimensions import Dimensions
from xshardy.modules.shrinking.ratios import keeps_positions, keeps_window
from xshardy.transforms.hlo.expand_library_calls import geometry

Labelled = Mapping[str, Sequence[Atom]]
"""Dimensions by the labels that HLO text has for them: `b` or `o`, `f` or `i`, and the numbers of spatial ones."""

PLACES = {
    "__cudnn$convBackwardFilter": (0, 2, 1),
    "__cudnn$convBackwardInput": (2, 1, 0),
}
"""Where calls have what moves, the filter and the positions: 0 and 1 are operands, 2 is the result."""


def convolution(dimensions: Dimensions, op: stablehlo.ConvolutionOp) -> None:
    """An operation; with groups, batches and features keep their sizes."""
    tensors = zip(LETTERS, (op.lhs, op.rhs, op.result), op.dimension_numbers.roles, strict=True)
    moved, kernel, result = (
        {label: dimensions.of(Leaf(value))[d] for label, d in zip((*letters, *"0123456789"), roles, strict=False)}
        for letters, value, roles in tensors
    )
    if op.batch_group_count.value.data != 1:
        freeze([*moved["b"], *kernel["o"], *result["f"]])
    _convolved(moved, kernel, result, op.window(), op.feature_group_count.value.data)


def library_convolution(dimensions: Dimensions, op: stablehlo.CustomCallOp) -> None:
    """
    A call of cuDNN: the filter keeps its size, which the call has as text.

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
    _convolved(x, w, y, call.window, call.groups)
    for bias in others[:1]:
        equate(dimensions.of(bias)[0], y["f"])
    for side in others[1:]:
        dimensions.equal_leaves(side, result)


def _convolved(x: Labelled, w: Labelled, y: Labelled, window: Sequence[WindowDimension], groups: int) -> None:
    """`w` moves over `x`, and `y` has its positions."""
    equate(x["b"], y["b"])
    equate(w["o"], y["f"])
    if groups == 1:
        equate(x["f"], w["i"])
    else:
        freeze([*x["f"], *w["o"]])
    for number, dimension in enumerate(window):
        _moved(x[str(number)], w[str(number)], y[str(number)], dimension)


def _moved(moved: Sequence[Atom], kernel: Sequence[Atom], result: Sequence[Atom], window: WindowDimension) -> None:
    """
    One spatial dimension: a filter keeps its size, and what it moves over shrinks by the ratio of the result.

    In the gradient of a filter, the result is the filter, and the gradient of the result moves over the rest.
    """
    if window == WindowDimension(1):
        equate(moved, result)
    elif size_of(kernel) <= size_of(result):
        freeze(kernel)
        tie(moved, result, partial(keeps_window, window, size_of(moved), size_of(result)))
    else:
        freeze(result)
        tie(moved, kernel, partial(keeps_positions, window, size_of(moved), size_of(result)))
