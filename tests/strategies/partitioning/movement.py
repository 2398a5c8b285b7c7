"""Operations that move elements without computing, and those that make them."""

from collections.abc import Mapping
from math import prod

import numpy as np
from hypothesis import strategies as st
from xdsl.ir import Operation

from partitioning.samples import Draw, Sample, Sampler, array, extents, full_extents, program, shapes, tensor
from xshardy.dialects import stablehlo

ELEMENTS = st.sampled_from(["i32", "f32", "i1"])


def listed(values: list[int]) -> str:
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def constant(draw: Draw) -> Sample:
    """A splat, or different elements."""
    shape = draw(shapes(sizes=full_extents))
    literal = "7" if draw(st.booleans()) else str(np.arange(prod(shape)).reshape(shape).tolist())
    type = tensor(shape, "i32")
    return program("stablehlo.constant", [], [type], properties=f"value = dense<{literal}> : {type}")


def iota(draw: Draw) -> Sample:
    shape = draw(shapes(1))
    dim = draw(st.integers(0, len(shape) - 1))
    return program(
        "stablehlo.iota",
        [],
        [tensor(shape, draw(st.sampled_from(["i32", "f32", "ui8"])))],
        properties=f"iota_dimension = {dim} : i64",
    )


def broadcast_in_dim(draw: Draw) -> Sample:
    """Dimensions of size 1 may grow; the order of the dimensions may change."""
    result = draw(shapes(0, 4))
    dims = draw(st.permutations(range(len(result))))[: draw(st.integers(0, len(result)))]
    operand = [1 if draw(st.integers(0, 3)) == 0 else result[dim] for dim in dims]
    return program(
        "stablehlo.broadcast_in_dim",
        [(array(draw, operand, "i32"), tensor(operand, "i32"))],
        [tensor(result, "i32")],
        properties=f"broadcast_dimensions = {listed([*dims])}",
    )


def broadcast(draw: Draw) -> Sample:
    shape, sizes = draw(shapes(0, 2)), draw(shapes(0, 2))
    return program(
        "stablehlo.broadcast",
        [(array(draw, shape, "i32"), tensor(shape, "i32"))],
        [tensor([*sizes, *shape], "i32")],
        properties=f"broadcast_sizes = {listed(sizes)}",
    )


def concatenate(draw: Draw) -> Sample:
    shape, element = draw(shapes(1)), draw(ELEMENTS)
    dim = draw(st.integers(0, len(shape) - 1))
    parts = draw(st.lists(extents, min_size=1, max_size=3))
    given = [[*shape[:dim], size, *shape[dim + 1 :]] for size in parts]
    return program(
        "stablehlo.concatenate",
        [(array(draw, each, element), tensor(each, element)) for each in given],
        [tensor([*shape[:dim], sum(parts), *shape[dim + 1 :]], element)],
        properties=f"dimension = {dim} : i64",
    )


def pad(draw: Draw) -> Sample:
    """Also by negative amounts."""
    shape = draw(shapes(0, 2))
    low, high, interior, result = [], [], [], []
    for size in shape:
        inner = draw(st.sampled_from([0, 0, 0, 1, 2]))
        spread = size + max(size - 1, 0) * inner
        before = draw(st.sampled_from([0, 0, 0, 1, 4, 8, -1]))
        after = draw(st.sampled_from([0, 0, 1, 4, 8, -1, inner]))
        before, after = (before, after) if spread + before + after >= 0 else (0, 0)
        low, high, interior = [*low, before], [*high, after], [*interior, inner]
        result.append(spread + before + after)
    properties = f"edge_padding_low = {listed(low)}, edge_padding_high = {listed(high)}, "
    return program(
        "stablehlo.pad",
        [(array(draw, shape, "i32"), tensor(shape, "i32")), (array(draw, [], "i32"), tensor([], "i32"))],
        [tensor(result, "i32")],
        properties=properties + f"interior_padding = {listed(interior)}",
    )


FACTORS: Mapping[int, list[list[int]]] = {
    6: [[6], [2, 3], [3, 2], [6, 1]],
    8: [[8], [2, 4], [4, 2], [2, 2, 2], [1, 8], [8, 1]],
    24: [[24], [4, 6], [6, 4], [2, 3, 4], [3, 8], [2, 12], [12, 2]],
    32: [[32], [8, 4], [4, 8], [2, 4, 4], [4, 2, 4], [16, 2], [1, 32]],
    1: [[], [1], [1, 1]],
    5: [[5], [1, 5]],
    0: [[0], [0, 4], [4, 0]],
}


def reshape(draw: Draw) -> Sample:
    shapes_of_size = st.sampled_from(FACTORS[draw(st.sampled_from([*FACTORS]))])
    source, target = draw(shapes_of_size), draw(shapes_of_size)
    more = draw(st.sampled_from([[], [4]]))
    source, target = [*more, *source], [*more, *target]
    given = [(array(draw, source, "i32"), tensor(source, "i32"))]
    return program("stablehlo.reshape", given, [tensor(target, "i32")])


def reverse(draw: Draw) -> Sample:
    shape = draw(shapes())
    dims = sorted(draw(st.sets(st.sampled_from(range(len(shape)))))) if shape else []
    type = tensor(shape, "i32")
    return program(
        "stablehlo.reverse", [(array(draw, shape, "i32"), type)], [type], properties=f"dimensions = {listed(dims)}"
    )


def transpose(draw: Draw) -> Sample:
    shape, element = draw(shapes()), draw(ELEMENTS)
    order = draw(st.permutations(range(len(shape))))
    return program(
        "stablehlo.transpose",
        [(array(draw, shape, element), tensor(shape, element))],
        [tensor([shape[dim] for dim in order], element)],
        properties=f"permutation = {listed([*order])}",
    )


def slice_(draw: Draw) -> Sample:
    shape = draw(shapes())
    starts, limits, strides = [], [], []
    for size in shape:
        whole = draw(st.booleans())
        start = 0 if whole else draw(st.integers(0, size))
        starts.append(start)
        limits.append(size if whole else draw(st.integers(start, size)))
        strides.append(draw(st.sampled_from([1, 1, 2, 3])))
    result = [-(-(limit - start) // stride) for start, limit, stride in zip(starts, limits, strides, strict=True)]
    properties = f"start_indices = {listed(starts)}, limit_indices = {listed(limits)}, strides = {listed(strides)}"
    given = [(array(draw, shape, "i32"), tensor(shape, "i32"))]
    return program("stablehlo.slice", given, [tensor(result, "i32")], properties=properties)


def get_dimension_size(draw: Draw) -> Sample:
    shape = draw(shapes(1))
    dim = draw(st.integers(0, len(shape) - 1))
    return program(
        "stablehlo.get_dimension_size",
        [(array(draw, shape, "i32"), tensor(shape, "i32"))],
        [tensor([], "i32")],
        properties=f"dimension = {dim} : i64",
    )


SAMPLERS: Mapping[type[Operation], Sampler] = {
    stablehlo.BroadcastInDimOp: broadcast_in_dim,
    stablehlo.BroadcastOp: broadcast,
    stablehlo.ConcatenateOp: concatenate,
    stablehlo.ConstantOp: constant,
    stablehlo.GetDimensionSizeOp: get_dimension_size,
    stablehlo.IotaOp: iota,
    stablehlo.PadOp: pad,
    stablehlo.ReshapeOp: reshape,
    stablehlo.ReverseOp: reverse,
    stablehlo.SliceOp: slice_,
    stablehlo.TransposeOp: transpose,
}
