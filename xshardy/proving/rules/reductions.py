"""Products, convolutions and reductions: one application over the indices of the result and of what is summed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce as reduce_pairs
from itertools import product as product_of
from math import prod

import numpy as np
from xdsl.dialects.builtin import I64, DenseArrayBase, i1
from xdsl.ir import Attribute, Block, Operation
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr
from xdsl.utils.hints import isa

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.indexing.operations import operand_maps
from xshardy.indexing.tensor_maps import values_of
from xshardy.interpreters.constants import constant_array
from xshardy.proving.index import Index, identity, number, substitute, whole
from xshardy.proving.kernel import Kernel, Undecided, has_whole_pieces
from xshardy.proving.rules.elementwise import BOOLEAN_NAMES
from xshardy.proving.rules.keys import details_of, element_of, integer_range, kind_of_element
from xshardy.proving.rules.maps import indices_of, sizes_of
from xshardy.proving.rules.whole import applied_to_whole
from xshardy.proving.sources import Constant, Source, Term
from xshardy.proving.sources import Operation as Applied
from xshardy.proving.views import Piece, View, bounds, full_box, merged, refined

MAX_TRUTHS = 8
"""How many truths of several tensors, as of the components of an index vector, are combined one after another."""

COMBINERS: Mapping[type[Operation], str] = {
    stablehlo.AddOp: "add",
    stablehlo.AndOp: "and",
    stablehlo.MaxOp: "maximum",
    stablehlo.MinOp: "minimum",
    stablehlo.OrOp: "or",
}


def combiner_of(block: Block) -> str | None:
    """How a body combines its two arguments; None if it is not one operation on them."""
    first, end = block.first_op, block.last_op
    if first is None or end is None or first.next_op is not end or len(block.args) != 2:
        return None
    if set(first.operands) != set(block.args) or end.operands[0] is not first.results[0]:
        return None
    if element_of(block.args[0]) == i1:
        return BOOLEAN_NAMES.get(type(first))
    return COMBINERS.get(type(first))


def neutral_of(kind: str, element: Attribute) -> float | bool:
    """The element that a combiner does not notice. An infinity for integers is their last one."""
    if kind in ("and", "or"):
        return kind == "and"
    if kind == "add":
        return 0.0
    limits = integer_range(element)
    if limits is not None:
        return limits[0] if kind == "maximum" else limits[1]
    return -np.inf if kind == "maximum" else np.inf


def reduce(kernel: Kernel, op: stablehlo.ReduceOp, operands: Sequence[View]) -> Sequence[View]:
    """Reductions by one operation. Others take reduced dimensions as a whole."""
    count, kind = len(op.inputs), combiner_of(op.body.block)
    reduced = values_of(op.dimensions)
    if count > 1 or kind is None:
        dims = [None if dim in reduced else dim for dim in range(len(operands[0].shape))]
        kept = [dim for dim in dims if dim is not None]
        return applied_to_whole(kernel, op, operands, [*([dims] * count), *([[]] * count)], [kept] * count)
    return [_combined(kernel, op, kind, operands[0], operands[1], operand_maps(op)[0][0])]


def reduce_window(kernel: Kernel, op: stablehlo.ReduceWindowOp, operands: Sequence[View]) -> Sequence[View]:
    """Windows over one tensor by one operation; others take the dimensions that windows slide along as a whole."""
    count, kind = len(op.inputs), combiner_of(op.body.block)
    if count == 1 and kind is not None and _is_neutral(kernel, op, kind, operands[1]):
        try:
            return [_combined(kernel, op, kind, operands[0], operands[1], operand_maps(op)[0][0])]
        except Undecided:
            pass
    dims = single_elements(op, len(operands[0].shape))
    return applied_to_whole(kernel, op, operands, [*([dims] * count), *([[]] * count)], [dims] * count)


def single_elements(op: stablehlo.ReduceWindowOp | stablehlo.SelectAndScatterOp, rank: int) -> list[int | None]:
    """The dimensions along which the windows are the elements one after another, without padding; None for others."""
    padding = [(0, 0)] * rank if op.padding is None else constant_array(op.padding).reshape(rank, 2).tolist()
    names = ("window_dimensions", "window_strides", "base_dilations", "window_dilations")
    written = [values for name in names if (values := op.properties.get(name)) is not None]
    others = [values_of(values) for values in written if isa(values, DenseArrayBase[I64])]
    is_single = [all(values[dim] == 1 for values in others) and not any(padding[dim]) for dim in range(rank)]
    return [dim if is_single[dim] else None for dim in range(rank)]


def _combined(kernel: Kernel, op: Operation, kind: str, operand: View, initial: View, map: IndexingMap) -> View:
    """A reduction over the range variables of `map`, then with the initial value if that is not neutral."""
    element = element_of(op.results[0])
    neutral = neutral_of(kind, element)
    space, rank = sizes_of(map), len(map.dimensions)
    read = _read(kernel, operand, map, neutral)
    reduced = list(range(rank, len(space)))
    if kind in ("and", "or") and prod(space[rank:]) <= MAX_TRUTHS and not has_whole_pieces(read, reduced):
        places = [[number(at) for at in place] for place in product_of(*(range(size) for size in space[rank:]))]
        parts = [kernel.pulled(read, [*identity(space[:rank]), *place], space[:rank]) for place in places]
        return reduce_pairs(
            lambda a, b: joined(kernel, kind, neutral, "truth", a, b),
            [kernel.pulled(initial, (), space[:rank]), *parts],
        )
    applied = Applied("reduce", (kind, kind_of_element(element)), _roles(space, rank), space, kind=kind)
    found = kernel.apply(applied, [read], range(rank), neutral)
    return joined(kernel, kind, neutral, kind_of_element(element), found, kernel.pulled(initial, (), space[:rank]))


def joined(kernel: Kernel, kind: str, neutral: float | bool, element: object, found: View, initial: View) -> View:
    """A reduction combined with initial values that it does not have."""
    applied = Applied(kind, ("initial", element), "p" * len(found.shape), found.shape, commutes=True)
    pieces = list[Piece]()
    for box, chosen in refined([found.pieces, initial.pieces]):
        parts = [View(found.shape, (replace(each, box=box),)) for each in chosen if not kernel.is_number(each, neutral)]
        if len(parts) == 2:
            parts = [kernel.apply(applied, parts, range(len(found.shape)))]
        pieces += parts[0].pieces if parts else (replace(chosen[1], box=box),)
    return View(found.shape, merged(pieces))


def _is_neutral(kernel: Kernel, op: Operation, kind: str, initial: View) -> bool:
    """Whether a combiner does not notice this scalar."""
    neutral = neutral_of(kind, element_of(op.results[0]))
    return initial.is_known(kernel.devices) and all(kernel.is_number(piece, neutral) for piece in initial.pieces)


def _roles(space: Sequence[int], rank: int) -> str:
    return "p" * rank + "r" * (len(space) - rank)


def product(kernel: Kernel, op: Operation, operands: Sequence[View]) -> Sequence[View]:
    """A dot product or a convolution: the sum of products over the range variables of both maps."""
    maps = [maps[0] for maps in operand_maps(op)]
    space, rank = sizes_of(maps[0]), len(maps[0].dimensions)
    kind = kind_of_element(element_of(op.results[0]))
    try:
        reads = [_read(kernel, view, map, 0.0) for view, map in zip(operands, maps, strict=True)]
    except Undecided:
        if isinstance(op, stablehlo.ConvolutionOp):
            return _product_of_images(kernel, op, operands)
        raise
    applied = Applied("product", kind, _roles(space, rank), space, kind="add", commutes=True)
    return [kernel.apply(applied, reads, range(rank), 0.0)]


def dot(kernel: Kernel, op: stablehlo.DotOp, operands: Sequence[View]) -> Sequence[View]:
    """The sum of products over the last dimension of the first operand and the first one of the second."""
    lhs, rhs = (view.shape for view in operands)
    space = (*lhs[:-1], *rhs[1:], lhs[-1])
    rank = len(space) - 1
    places = [[*range(len(lhs) - 1), rank], [rank, *range(len(lhs) - 1, rank)]]
    reads = [
        kernel.pulled(view, [whole(dim, space[dim]) for dim in dims], space)
        for view, dims in zip(operands, places, strict=True)
    ]
    applied = Applied(
        "product", kind_of_element(element_of(op.results[0])), _roles(space, rank), space, (), "add", True
    )
    return [kernel.apply(applied, reads, range(rank), 0.0)]


def _product_of_images(kernel: Kernel, op: stablehlo.ConvolutionOp, operands: Sequence[View]) -> Sequence[View]:
    """A convolution that takes spatial dimensions as a whole; batches and features are parallel, input features summed."""
    numbers = op.dimension_numbers
    if op.feature_group_count.value.data > 1 or op.batch_group_count.value.data > 1:
        return applied_to_whole(kernel, op, operands)
    lhs, rhs = operands
    batch, feature = numbers.input_batch_dimension.data, numbers.input_feature_dimension.data
    kernel_input, kernel_output = (
        numbers.kernel_input_feature_dimension.data,
        numbers.kernel_output_feature_dimension.data,
    )
    lhs_spatial, rhs_spatial, spatial = (
        values_of(dims)
        for dims in (
            numbers.input_spatial_dimensions,
            numbers.kernel_spatial_dimensions,
            numbers.output_spatial_dimensions,
        )
    )
    places: tuple[list[int], list[int]] = ([0] * len(lhs.shape), [0] * len(rhs.shape))
    places[0][batch], places[0][feature], places[1][kernel_input], places[1][kernel_output] = 0, 2, 2, 1
    sizes = [lhs.shape[batch], rhs.shape[kernel_output], lhs.shape[feature]]
    for shape, dims, place in ((lhs.shape, lhs_spatial, places[0]), (rhs.shape, rhs_spatial, places[1])):
        for dim in dims:
            place[dim] = len(sizes)
            sizes.append(shape[dim])
    reads = [
        kernel.pulled(view, [whole(dim, sizes[dim]) for dim in place], sizes)
        for view, place in zip(operands, places, strict=True)
    ]
    shape = shape_of(op.result)
    out: list[int | None] = [None] * len(shape)
    out[numbers.output_batch_dimension.data], out[numbers.output_feature_dimension.data] = 0, 1
    details = details_of(op, frozenset({"dimension_numbers"})), tuple(sizes[3:])
    roles = "ppr" + "w" * (len(sizes) - 3)
    extra = tuple(shape[dim] for dim in sorted(spatial))
    order = tuple(sorted(spatial)) == tuple(spatial)
    applied = Applied("convolution", (details, order or tuple(spatial)), roles, tuple(sizes), extra, kind="add")
    return [kernel.apply(applied, reads, out, 0.0)]


def _read(kernel: Kernel, view: View, map: IndexingMap, neutral: float | bool) -> View:
    """`view` at the results of `map`; `neutral` outside of it, where the map has constraints."""
    at, space = indices_of(map), sizes_of(map)
    if not map.constraints:
        return kernel.pulled(view, at, space)
    if any(_has_remainder(constraint.expr) for constraint in map.constraints):
        raise Undecided("a window over a tensor with gaps")
    return _extended(kernel, view, at, space, neutral)


def _has_remainder(expr: AffineExpr) -> bool:
    if not isinstance(expr, AffineBinaryOpExpr):
        return False
    return expr.kind is AffineBinaryOpKind.Mod or _has_remainder(expr.lhs) or _has_remainder(expr.rhs)


def _extended(kernel: Kernel, view: View, at: Sequence[Index], space: Sequence[int], neutral: float | bool) -> View:
    """
    `view` at indices that may be outside of it, where it is `neutral`: one piece that continues outside of its source.

    Raises `Undecided` if it is no such piece: if what is beside the view in the source is not outside of the source.
    """
    piece = continued(kernel, view, neutral)
    box = full_box(space, kernel.devices)
    places = dict[int, int]()
    for number_, index in enumerate(piece.at):
        for digit in index.digits:
            if digit.div != 1 or digit.mod != view.shape[digit.dim] or digit.stride < 1:
                raise Undecided("a window over a tensor that was reshaped")
            places[digit.dim] = number_
    for dim, index in enumerate(at):
        low, high = bounds(index, box)
        size = view.shape[dim]
        if (low >= 0).all() and (high < size).all():
            continue
        if dim not in places or len(piece.at[places[dim]].digits) != 1:
            raise Undecided("a window over a tensor that does not vary")
        inner, source_size = piece.at[places[dim]], piece.source.shape[places[dim]]
        stride = inner.digits[0].stride
        before, after = inner.offset - stride, inner.offset + stride * size
        if ((low < 0) & (before >= 0)).any() or ((high >= size) & (after < source_size)).any():
            raise Undecided("a window reads padding where the whole program has elements")
    indices = [substitute(index, at, view.shape) for index in piece.at]
    if any(index is None for index in indices):
        raise Undecided("the index of a window is no sum of digits")
    outside = piece.outside or kernel.universe.constant(neutral)
    return View(tuple(space), (Piece(piece.source, tuple(i for i in indices if i is not None), box, None, outside),))


def _has_no_end(kernel: Kernel, source: Source) -> bool:
    """Whether a source has elements at any index, so that none is outside of it."""
    return source is kernel.universe.integers or (isinstance(source, Term) and source.operation.is_total)


def continued(kernel: Kernel, view: View, neutral: float | bool) -> Piece:
    """
    `view` as one piece that is `neutral` outside of its source. Raises `Undecided` if it is none.
    """
    if not view.is_known(kernel.devices):
        raise Undecided("a window over unknown elements")
    pieces = [piece for piece in view.pieces if not kernel.is_number(piece, neutral)]
    outside = kernel.universe.constant(neutral)
    if not pieces:
        return Piece(outside, (), full_box(view.shape, kernel.devices))
    first = pieces[0]
    if _has_no_end(kernel, first.source):
        raise Undecided("a window over positions, which continue outside of the tensor")
    if len(pieces) > 1 or first.partial is not None or isinstance(first.source, Constant):
        if first.partial is not None or any(piece.partial is not None for piece in pieces):
            raise Undecided("a window over a part of a sum")
        return kernel.single(view).pieces[0]
    here = first.box.active
    if not here.all():
        return kernel.single(view).pieces[0]
    for piece in view.pieces:
        if piece is first:
            continue
        is_outside = np.zeros(kernel.devices, bool)
        for index, size in zip(first.at, first.source.shape, strict=True):
            low, high = bounds(index, piece.box)
            is_outside = is_outside | (high < 0) | (low >= size)
        if not (is_outside | ~piece.box.active).all():
            return kernel.single(view).pieces[0]
    return Piece(first.source, first.at, full_box(view.shape, kernel.devices), None, outside)
