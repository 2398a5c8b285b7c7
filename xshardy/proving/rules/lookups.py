"""Gathers, scatters, dynamic slices and updates: indices that are known at run time only."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.slice_dims import SliceDims
from xshardy.indexing.tensor_maps import values_of
from xshardy.proving.index import UNLIMITED, Index, combine, identity, number, whole
from xshardy.proving.kernel import Kernel, Undecided
from xshardy.proving.rules import movement, piecewise
from xshardy.proving.rules.keys import TRUTH, element_of, fingerprint, kind_of_element
from xshardy.proving.rules.look_up_windows import (
    LOOKUP,
    SCATTER,
    Details,
    Looked,
    Pick,
    aligned,
    every,
    looked_up,
    sliced,
    updated,
)
from xshardy.proving.rules.piecewise import Function
from xshardy.proving.rules.reductions import combiner_of, joined, neutral_of, roles_of
from xshardy.proving.rules.runtime import Value, value_of
from xshardy.proving.rules.whole import Dims, applied_to_whole
from xshardy.proving.sources import Operation as Applied
from xshardy.proving.views import Piece, View, bounds, full_box, merged, overlaid, refined

MAX_PIECES = 16
"""How many pieces of indices have look-ups of their own, at most."""

NUMBERS = frozenset({"dimension_numbers", "slice_sizes", "scatter_dimension_numbers"})


def gather(kernel: Kernel, op: stablehlo.GatherOp, operands: Sequence[View]) -> Sequence[View]:
    """A look-up along the dimensions that windows move along; the others are those of the result."""
    dims, sizes, shape = op.dimension_numbers.dims, values_of(op.slice_sizes), shape_of(op.result)
    operand, batch = operands[0], dims.batch_dims(len(shape))
    walked = {place: whole(place, shape[place]) for place in batch}
    indices = {
        dim: _component(kernel, dims, operands[1], dim, walked, shape)
        for dim in dims.started
        if dim not in dims.batch_of and sizes[dim] < operand.shape[dim]
    }
    places = {**dims.offset_of(len(operand.shape)), **{dim: batch[place] for dim, place in dims.batch_of.items()}}
    return [_windows(kernel, op.result, operand, indices, kind_of_element(element_of(op.operands[1])), sizes, places)]


def dynamic_slice(kernel: Kernel, op: stablehlo.DynamicSliceOp, operands: Sequence[View]) -> Sequence[View]:
    """A slice where the starts are known; otherwise a look-up along the dimensions in which they are not."""
    shape, operand = shape_of(op.result), operands[0]
    indices = {
        dim: kernel.pulled(operands[1 + dim], (), shape) for dim, size in enumerate(shape) if size < operand.shape[dim]
    }
    kind = kind_of_element(element_of(op.operands[1])) if indices else TRUTH
    return [_windows(kernel, op.result, operand, indices, kind, shape, {dim: dim for dim in range(len(shape))})]


def _windows(
    kernel: Kernel,
    result: SSAValue,
    operand: View,
    indices: Mapping[int, View],
    kind: Attribute,
    sizes: Sequence[int],
    places: Mapping[int, int],
) -> View:
    """
    Windows of `sizes` of an operand, which start at `indices` along some dimensions, and at 0 along others.

    `places` has the dimension of the result for each one of the operand that it has. Each piece of the indices has its
    own look-up: beside the indices of the whole program, those of a device have padding.
    """
    shape, given = shape_of(result), [*indices.values()]
    if prod(len(view.pieces) for view in given) > MAX_PIECES:
        given = [kernel.single(view) for view in given]
    pieces, walked = list[Piece](), [places.get(dim) for dim in range(len(operand.shape))]
    base = [number(0) if place is None else whole(place, shape[place]) for place in walked]
    is_slice = places == {dim: dim for dim in range(len(shape))} and len(shape) == len(operand.shape)
    for box, chosen in refined([view.pieces for view in given]) if given else [(full_box(shape, kernel.devices), ())]:
        starts = dict(zip(indices, chosen, strict=True))
        at, picks = list(base), list[Pick]()
        for dim, piece in starts.items():
            start = _start(kernel, replace(piece, box=box), kind, operand.shape[dim] - sizes[dim])
            at[dim] = _at(start, places.get(dim), shape, picks, operand.shape[dim])
        sliced_ = sliced(kernel, operand, picks[0], shape) if is_slice and len(picks) == 1 else None
        found = _looked_up(kernel, result, operand, at, picks) if sliced_ is None else looked_up(kernel, sliced_)
        pieces += (replace(piece, box=part) for piece in found.pieces if (part := piece.box.meet(box)).active.any())
    return View(shape, merged(pieces))


def _component(
    kernel: Kernel, dims: SliceDims, indices: View, dim: int, batch: dict[int, Index], space: Sequence[int]
) -> View:
    """The component of the index vectors that moves along `dim`; `batch` has what walks the slices, in order."""
    at = list(batch.values())
    if dims.index_vector < len(indices.shape):
        at.insert(dims.index_vector, number(dims.started.index(dim)))
    return kernel.pulled(indices, at, space)


def _start(kernel: Kernel, piece: Piece, kind: Attribute, greatest: int) -> Index | Pick:
    """An index clamped to `[0, greatest]`: an index if it is known, otherwise a window of its functions of the atom."""
    found = value_of(kernel, piece, kind)
    if found is None:
        raise Undecided("its index is no integer that is known everywhere")
    clamped = found.mapped(lambda f: piecewise.smaller(piecewise.larger(f, 0), greatest))
    if found.atom is None:
        return number(np.array([f.lines[0].constant for f in clamped.functions]))
    if found.atom.source is kernel.universe.integers:
        low, high = bounds(found.atom.at[0], piece.box)
        is_inside = ((low >= 0) & (high <= greatest) | ~piece.box.active).all()
        if is_inside and all(f == piecewise.everything(f) for f in found.functions):
            return found.atom.at[0]
    return Pick(found.atom, None, tuple(every(f, 1) for f in clamped.functions))


def _one_piece(kernel: Kernel, view: View) -> tuple[Piece, bool]:
    """An index as one piece, and whether it is known everywhere: padding is not."""
    if len(view.pieces) == 1 and view.pieces[0].partial is None:
        return view.pieces[0], view.is_known(kernel.devices)
    return kernel.single(view).pieces[0], True


def _at(start: Index | Pick, place: int | None, shape: Sequence[int], picks: list[Pick], size: int) -> Index:
    """The index into an operand along a dimension in which a window starts there: a dimension of its own for a pick."""
    if isinstance(start, Index):
        return start if place is None else combine((1, start), (1, whole(place, shape[place])))
    length = 1 if place is None else shape[place]
    picks.append(replace(start, place=place, windows=tuple(every(w.start, length) for w in start.windows)))
    return whole(len(shape) + len(picks) - 1, size)


def _looked_up(kernel: Kernel, result: SSAValue, operand: View, at: Sequence[Index], picks: Sequence[Pick]) -> View:
    shape, kind = shape_of(result), kind_of_element(element_of(result))
    sizes = {d.dim: d.mod for index in at for d in index.digits if d.dim >= len(shape)}
    space = (*shape, *(sizes[len(shape) + number_] for number_ in range(len(picks))))
    view = kernel.pulled(operand, at, space)
    if not picks:
        return view
    return looked_up(kernel, Looked(view, tuple(picks), kind))


def dynamic_update_slice(
    kernel: Kernel, op: stablehlo.DynamicUpdateSliceOp, operands: Sequence[View]
) -> Sequence[View]:
    """An update. Dimensions are taken as a whole where some starts are known, not 0, and others are not."""
    shape, (operand, update) = shape_of(op.result), operands[:2]
    starts = list[Index | Pick]()
    for value, view, extent, size in zip(op.operands[2:], operands[2:], shape, update.shape, strict=True):
        known = movement.known_integers(kernel, view)
        if extent == size:
            starts.append(number(0))
        elif known is not None:
            starts.append(number(np.clip(known, 0, extent - size)))
        else:
            piece, is_known = _one_piece(kernel, kernel.pulled(view, (), shape))
            if not is_known:
                raise Undecided("its index is not known on all devices")
            starts.append(_start(kernel, piece, kind_of_element(element_of(value)), extent - size))
    known = [start.offset for start in starts if isinstance(start, Index) and start.is_known]
    if len(known) == len(starts):
        return [movement.updated_at(kernel, operand, update, known)]
    picks = [replace(start, place=dim) for dim, start in enumerate(starts) if isinstance(start, Pick)]
    if any(update.shape[dim] != size and not isinstance(starts[dim], Pick) for dim, size in enumerate(shape)):
        return _updated_as_whole(kernel, op, operands)
    element = kind_of_element(element_of(op.results[0]))
    return [updated(kernel, operand, update, picks, element)]


def _updated_as_whole(kernel: Kernel, op: stablehlo.DynamicUpdateSliceOp, operands: Sequence[View]) -> Sequence[View]:
    """An update, of which dimensions are taken as a whole where it has a part of the elements."""
    operand, update, *starts = operands
    taken = [dim for dim, size in enumerate(operand.shape) if size != update.shape[dim]]
    dims = [None if dim in taken else dim for dim in range(len(operand.shape))]
    reads = [operand, update, *(starts[dim] for dim in taken)]
    return applied_to_whole(kernel, op, reads, [dims, dims, *([] for _ in taken)], [dims])


def scatter(kernel: Kernel, op: stablehlo.ScatterOp, operands: Sequence[View]) -> Sequence[View]:
    """
    An application over the elements of the operand and the slices of updates: those whose index is that of the element.

    Those are reduced, if the body combines by one operation. Otherwise updates are taken as a whole: that both programs
    apply those of one element in the same order is assumed. An index out of bounds is that of no element.
    """
    dims, shape, updates_shape = op.scatter_dimension_numbers.dims, operands[0].shape, operands[-1].shape
    rank, batch, count = len(shape), dims.batch_dims(len(updates_shape)), len(op.inputs)
    inner, indices = dims.offset_of(rank), operands[count]
    moves = {dim: (updates_shape[inner[dim]] if dim in inner else 1) for dim in range(rank) if dim not in dims.batching}
    walked = {batch[place]: whole(dim, shape[dim]) for dim, place in dims.batch_of.items()}
    started, single = list[int](), set[int]()
    for dim in dims.started:
        start = _known_start(kernel, dims, indices, dim)
        place = None if start is None or moves[dim] > 1 else _walked_by(start, batch, updates_shape, shape[dim])
        if start is not None and place is not None and place not in walked:
            walked[place] = whole(dim, shape[dim]).plus(-start.offset)
            single.add(dim)
        elif start is None or moves[dim] < shape[dim] or start.digits or start.offset.any():
            started.append(dim)
            single.add(dim)
    if any(size != (1 if dim in single else shape[dim]) for dim, size in moves.items()):
        return _scattered_whole(kernel, op, operands)
    at = [number(0)] * len(updates_shape)
    for dim, place in inner.items():
        at[place] = number(0) if dim in single else whole(dim, shape[dim])
    space = list(shape)
    for place in batch:
        at[place] = walked.get(place, whole(len(space), updates_shape[place]))
        if place not in walked:
            space.append(updates_shape[place])
    masks, functions, touched = list[View](), list[Function](), full_box(shape, kernel.devices)
    for dim in started:
        index = _component(kernel, dims, indices, dim, {place: at[place] for place in batch}, space)
        piece, is_known = _one_piece(kernel, index)
        value = value_of(kernel, piece, kind_of_element(element_of(op.operands[count]))) if is_known else None
        if value is not None and value.atom is None:  # all updates are of one element
            place = np.array([f.lines[0].constant for f in value.functions])
            touched = touched.along(dim, place, place + 1)
            continue
        found = None if value is None else _position(kernel, value, index.shape, whole(dim, shape[dim]), shape[dim])
        if found is None:
            return _scattered_whole(kernel, op, operands)
        functions.append(found[0])
        masks += (kernel.pulled(view, identity(space), space) for view in found[1:])
    body, elements = op.regions[0], [element_of(result) for result in op.results]
    kind, updates = combiner_of(body.block), [kernel.pulled(view, at, space) for view in operands[count + 1 :]]
    details = [
        Details(tuple(functions), kind_of_element(element), kind or f"{number_} of {fingerprint(body)}")
        for number_, element in enumerate(elements)
    ]
    if kind is None:
        if prod(space[rank:]) > 1 and not (op.unique_indices is not None and op.unique_indices.value.data):
            kernel.universe.assumptions.add("a scatter applies the updates of one element in the order that they have")
        reads = [*updates, *(kernel.pulled(view, identity(shape), space) for view in operands[:count]), *masks]
        roles = "p" * rank + "w" * (len(space) - rank)
        applied = [Applied(SCATTER, each, roles, tuple(space)) for each in details]
        results = [kernel.apply(each, reads, range(rank)) for each in applied]
        return [overlaid(found, touched, view) for found, view in zip(results, operands[:count], strict=True)]
    (element,), roles = elements, roles_of(space, rank)
    applied, neutral = Applied(SCATTER, details[0], roles, tuple(space), kind=kind), neutral_of(kind, element)
    found = kernel.apply(applied, [*updates, *masks], range(rank), neutral, masks=len(masks))
    return [overlaid(joined(kernel, kind, element, found, operands[0]), touched, operands[0])]


def _known_start(kernel: Kernel, dims: SliceDims, indices: View, dim: int) -> Index | None:
    """The integer, of the place in the batch, at which windows start along a dimension; None if that is not known."""
    batch = [size for d, size in enumerate(indices.shape) if d != dims.index_vector]
    piece, is_known = _one_piece(
        kernel, _component(kernel, dims, indices, dim, dict(enumerate(identity(batch))), batch)
    )
    return piece.at[0] if is_known and piece.source is kernel.universe.integers else None


def _walked_by(start: Index, batch: Sequence[int], shape: Sequence[int], size: int) -> int | None:
    """
    The place in the batch whose slices start one after another, one at each of the `size` elements of a dimension.

    None if there is none: then several slices, or none, may start at an element.
    """
    for number_, place in enumerate(batch):
        first, end = -start.offset, size - start.offset
        if start.digits and start.digits == whole(number_, shape[place]).digits and (first >= 0).all():
            return place if (end <= shape[place]).all() else None
    return None


def _position(
    kernel: Kernel, value: Value, shape: Sequence[int], element: Index, size: int
) -> tuple[Function, View, View] | None:
    """
    Where an index is that of an element: a function, where it has the second view is the first view.

    The elements of a device are `size` ones of the whole tensor. None if its index is not known to be one of that.
    """
    assert value.atom is not None
    atom, function, offset = value.atom, value.functions[0], number(0)
    if atom.source is kernel.universe.integers and all(f == piecewise.everything(f) for f in value.functions):
        difference = combine((1, element), (-1, atom.at[0]))
        zero = piecewise.everywhere(0, piecewise.identity(0, 0))
        return zero, kernel.integer(difference, shape), kernel.integer(number(0), shape)
    if not kernel.is_whole:
        pick = Pick(atom, None, tuple(every(f, 1) for f in value.functions))
        extent = np.zeros(kernel.devices, np.int64), np.full(kernel.devices, size)
        aligned_ = aligned(kernel, pick, *extent, 1, (SCATTER, LOOKUP))
        if aligned_ is None:
            return None
        function, offsets, never = aligned_
        if never.any() and function.greatest >= UNLIMITED:
            return None
        offset = number(np.where(never, min(function.greatest + 1, UNLIMITED), offsets))
    return function, kernel.integer(combine((1, element), (1, offset)), shape), View(tuple(shape), (atom,))


def _scattered_whole(kernel: Kernel, op: stablehlo.ScatterOp, operands: Sequence[View]) -> Sequence[View]:
    """Parallel: batching dimensions, and dimensions of which updates have all. All updates of these are one sum."""
    dims, count = op.scatter_dimension_numbers.dims, len(op.inputs)
    shape, updates_shape = operands[0].shape, operands[-1].shape
    inner = dims.offset_of(len(shape))
    sizes = [updates_shape[inner[dim]] if dim in inner else 1 for dim in range(len(shape))]
    tensor, indices, updates = _roles(dims, shape, sizes, len(operands[count].shape), len(updates_shape))
    batching = {dims.batch_dims(len(updates_shape))[place] for place in dims.batch_of.values()}
    kept = set(tensor) - {None}
    updates = [dim if dim in kept or place in batching else None for place, dim in enumerate(updates)]
    indices = [dim if dim in kept else None for dim in indices]
    given = [*([tensor] * count), indices, *([updates] * count)]
    taken = tuple(place in dims.offset for place, dim in enumerate(updates) if dim is None)
    more = (_unnumbered(dims, tensor, sizes), dims.index_vector, taken)
    return applied_to_whole(kernel, op, operands, given, [tensor] * count, leave_out=NUMBERS, more=more)


def _roles(
    dims: SliceDims, shape: Sequence[int], sizes: Sequence[int], indices_rank: int, slices_rank: int
) -> tuple[Dims, Dims, Dims]:
    """The parallel dimensions of the tensor, of the indices and of the slices: numbers of dimensions of the slices."""
    batch, inner = dims.batch_dims(slices_rank), dims.offset_of(len(shape))
    tensor: list[int | None] = [None] * len(shape)
    for dim, place in inner.items():
        if dim not in dims.started and sizes[dim] == shape[dim]:
            tensor[dim] = place
    for dim, place in dims.batch_of.items():
        tensor[dim] = batch[place]
    indices: list[int | None] = [None] * indices_rank
    for place, dim in enumerate(d for d in range(indices_rank) if d != dims.index_vector):
        indices[dim] = batch[place]
    slices: list[int | None] = [place if place in batch or place in tensor else None for place in range(slices_rank)]
    return tensor, indices, slices


def _unnumbered(dims: SliceDims, tensor: Dims, sizes: Sequence[int]) -> object:
    """
    What decides beside the parallel dimensions: the sizes of slices along the others, which of them a slice lacks, and
    the component of an index that moves along each.
    """
    return tuple(
        (sizes[dim], dim in dims.collapsed, dims.started.index(dim) if dim in dims.started else None)
        for dim, place in enumerate(tensor)
        if place is None
    )
