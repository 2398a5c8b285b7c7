"""Operations that combine many elements into one: reductions, products, windows, sorts, statistics."""

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from hypothesis import strategies as st
from xdsl.ir import Operation

from partitioning.movement import listed
from partitioning.samples import Draw, Sample, Sampler, array, body, extents, full_extents, program, shapes, tensor
from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.numerics.element_types import Array

COMBINERS = st.sampled_from(
    [
        *((type, name) for type in ("i32", "ui8") for name in ("add", "maximum", "minimum", "multiply")),
        *((type, name) for type in ("i32", "ui8", "i64") for name in ("and", "or", "xor")),
        *(("bf16", name) for name in ("add", "maximum", "minimum")),
        *(("i1", name) for name in ("add", "and", "or", "xor")),
    ]
)
WIDER = {"bf16": "f32", "i32": "i64", "ui8": "ui32"}


def initial_value(draw: Draw, element: str) -> tuple[Array | None, str]:
    """A constant or an argument, neutral or not."""
    start = array(draw, [], element, -1, 2)
    if draw(st.booleans()):
        return start, tensor([], element)
    literal = {"i1": str(start).lower(), "bf16": str(float(start))}.get(element, str(start))
    return None, f"dense<{literal}> : {tensor([], element)}"


def reduce(draw: Draw) -> Sample:
    """One tensor, at times in a wider type."""
    shape, (element, combiner) = draw(shapes()), draw(COMBINERS)
    accumulator = element if draw(st.integers(0, 3)) else WIDER.get(element, element)
    dims = sorted(draw(st.sets(st.sampled_from(range(len(shape)))))) if shape else []
    result = [size for dim, size in enumerate(shape) if dim not in dims]
    return program(
        "stablehlo.reduce",
        [(array(draw, shape, element, -2, 2), tensor(shape, element)), initial_value(draw, element)],
        [tensor(result, accumulator)],
        properties=f"dimensions = {listed(dims)}",
        regions=f"({body(combiner, accumulator)})",
    )


def argument_of_maximum(draw: Draw) -> Sample:
    """Two tensors at once: values, and where they are."""
    shape = draw(shapes(1, 2, full_extents))
    dims = [draw(st.integers(0, len(shape) - 1))]
    result = tensor([size for dim, size in enumerate(shape) if dim not in dims], "i32")
    type, scalar = tensor(shape, "i32"), tensor([], "i32")
    places = np.arange(prod(shape), dtype=np.int32).reshape(shape)
    region = """({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
        %left = stablehlo.compare GE, %a, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %value = stablehlo.select %left, %a, %c : tensor<i1>, tensor<i32>
        %place = stablehlo.select %left, %b, %d : tensor<i1>, tensor<i32>
        stablehlo.return %value, %place : tensor<i32>, tensor<i32>
    })"""
    distinct = np.random.default_rng(draw(st.integers(0, 9))).permutation(places.reshape(-1)).reshape(shape)
    given = [(distinct, type), (places, type), (None, f"dense<-1> : {scalar}"), (None, f"dense<-1> : {scalar}")]
    properties = f"dimensions = {listed(dims)}"
    return program("stablehlo.reduce", given, [result, result], properties=properties, regions=region)


def any_reduce(draw: Draw) -> Sample:
    return draw(st.sampled_from([reduce, reduce, argument_of_maximum]))(draw)


def dot_general(draw: Draw) -> Sample:
    batch, left, right, summed = (draw(st.lists(extents, max_size=count)) for count in (1, 1, 1, 2))
    roles = [*(("b", i) for i in range(len(batch))), *(("s", i) for i in range(len(summed)))]
    sizes = {("b", 0): batch, ("s", 0): summed}

    def operand(free: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
        """A shape with dimensions in any order, and where the batch and the summed dimensions are in it."""
        dims = draw(st.permutations([*roles, *(("f", i) for i in range(len(free)))]))
        known = {"b": batch, "s": summed, "f": free}
        places = {dim: place for place, dim in enumerate(dims)}
        shape = [known[kind][i] for kind, i in dims]
        return shape, [places["b", i] for i in range(len(batch))], [places["s", i] for i in range(len(summed))]

    _ = sizes
    (lhs, lhs_batch, lhs_summed), (rhs, rhs_batch, rhs_summed) = operand(left), operand(right)
    numbers = f"""#stablehlo.dot<lhs_batching_dimensions = {lhs_batch}, rhs_batching_dimensions = {rhs_batch},
        lhs_contracting_dimensions = {lhs_summed}, rhs_contracting_dimensions = {rhs_summed}>"""
    return program(
        "stablehlo.dot_general",
        [(array(draw, lhs, "i32"), tensor(lhs, "i32")), (array(draw, rhs, "i32"), tensor(rhs, "i32"))],
        [tensor([*batch, *left, *right], "i32")],
        properties=f"dot_dimension_numbers = {numbers}",
    )


def dot(draw: Draw) -> Sample:
    left, right, summed = draw(shapes(0, 1)), draw(shapes(0, 1)), draw(extents)
    lhs, rhs = [*left, summed], [summed, *right]
    given = [(array(draw, lhs, "i32"), tensor(lhs, "i32")), (array(draw, rhs, "i32"), tensor(rhs, "i32"))]
    return program("stablehlo.dot", given, [tensor([*left, *right], "i32")])


def einsum(draw: Draw) -> Sample:
    sizes = {letter: draw(full_extents) for letter in "bijk"}
    config = draw(st.sampled_from(["bij,bjk->bik", "ij,jk->ki", "ij,ij->i", "i,j->ji"]))
    (lhs, rhs), result = config.split("->")[0].split(","), config.split("->")[1]
    shapes_of = [[sizes[letter] for letter in letters] for letters in (lhs, rhs, result)]
    given = [(array(draw, shape, "i32"), tensor(shape, "i32")) for shape in shapes_of[:2]]
    return program("stablehlo.einsum", given, [tensor(shapes_of[2], "i32")], properties=f'einsum_config = "{config}"')


def unary_einsum(draw: Draw) -> Sample:
    sizes = {letter: draw(full_extents) for letter in "ij"}
    config = draw(st.sampled_from(["ij->ji", "ij->i", "ij->"]))
    source, result = ([sizes[letter] for letter in letters] for letters in config.split("->"))
    given = [(array(draw, source, "i32"), tensor(source, "i32"))]
    return program("stablehlo.unary_einsum", given, [tensor(result, "i32")], properties=f'einsum_config = "{config}"')


def map_(draw: Draw) -> Sample:
    shape = draw(shapes())
    type = tensor(shape, "i32")
    return program(
        "stablehlo.map",
        [(array(draw, shape, "i32"), type), (array(draw, shape, "i32"), type)],
        [type],
        properties=f"dimensions = {listed([*range(len(shape))])}",
        regions=f"({body('multiply', 'i32')})",
    )


def windows(draw: Draw, shape: Sequence[int], *, dilated: bool) -> list[WindowDimension]:
    """A window for each dimension: any one, or one that neither overlaps nor leaves anything out."""
    found: list[WindowDimension] = []
    for extent in shape:
        if draw(st.booleans()):  # these can be divided
            size = draw(st.sampled_from([1, 1, 2, 4]))
            each = WindowDimension(size, size)
            found.append(each if extent % size == 0 else WindowDimension(1))
            continue
        size = draw(st.sampled_from([1, 2, 3, 4]))
        stride = draw(st.sampled_from([1, 2, size]))
        base, window = draw(st.sampled_from([(1, 1)] * 4 + [(2, 1), (1, 2)])) if dilated else (1, 1)
        low, high = draw(st.sampled_from([(0, 0), (1, 0), (1, 2), (0, -1)]))
        each = WindowDimension(size, stride, base, window, low, high)
        found.append(each if each.positions(extent) > 0 else WindowDimension(1))
    return found


def window_text(window: Sequence[WindowDimension], *, dilated: bool) -> str:
    columns = {"window_dimensions": [of.size for of in window], "window_strides": [of.stride for of in window]}
    if dilated:
        columns["base_dilations"] = [of.base_dilation for of in window]
        columns["window_dilations"] = [of.window_dilation for of in window]
    written = ", ".join(f"{name} = {listed(values)}" for name, values in columns.items())
    padding = [[of.low, of.high] for of in window]
    return f"{written}, padding = dense<{padding}> : tensor<{len(window)}x2xi64>"


def reduce_window(draw: Draw) -> Sample:
    shape = draw(shapes(1, 3, full_extents))
    window = windows(draw, shape, dilated=True)
    result = [of.positions(size) for of, size in zip(window, shape, strict=True)]
    element, combiner = draw(COMBINERS)
    accumulator = element if draw(st.integers(0, 3)) else WIDER.get(element, element)
    return program(
        "stablehlo.reduce_window",
        [(array(draw, shape, element, -2, 2), tensor(shape, element)), initial_value(draw, element)],
        [tensor(result, accumulator)],
        properties=window_text(window, dilated=True),
        regions=f"({body(combiner, accumulator)})",
    )


def select_and_scatter(draw: Draw) -> Sample:
    shape = draw(shapes(1, 2, full_extents))
    window = windows(draw, shape, dilated=False)
    source = [of.positions(size) for of, size in zip(window, shape, strict=True)]
    select = """{
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %ge = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %ge : tensor<i1>
    }"""
    type = tensor(shape, "i32")
    initial = draw(st.sampled_from([0, 3]))
    return program(
        "stablehlo.select_and_scatter",
        [
            (array(draw, shape, "i32"), type),
            (array(draw, source, "i32"), tensor(source, "i32")),
            (None, f"dense<{initial}> : tensor<i32>"),
        ],
        [type],
        properties=window_text(window, dilated=False),
        regions=f"({select}, {body('add', 'i32')})",
    )


def convolution(draw: Draw) -> Sample:
    """One spatial dimension, with groups of batches or of features."""
    feature_groups, batch_groups = draw(st.sampled_from([(1, 1)] * 3 + [(4, 1), (2, 1), (1, 4), (1, 2)]))
    extent = draw(full_extents)
    (window,) = windows(draw, [extent], dilated=True)
    batch, features, outputs = (draw(st.sampled_from([4, 8])) for _ in range(3))
    reverse = draw(st.sampled_from(["false", "false", "true"]))
    lhs, rhs = [batch, extent, features], [window.size, features // feature_groups, outputs]
    result = [batch // batch_groups, window.positions(extent), outputs]
    numbers = "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>"
    return program(
        "stablehlo.convolution",
        [(array(draw, lhs, "i32"), tensor(lhs, "i32")), (array(draw, rhs, "i32"), tensor(rhs, "i32"))],
        [tensor(result, "i32")],
        properties=f"""batch_group_count = {batch_groups} : i64, dimension_numbers = {numbers},
            feature_group_count = {feature_groups} : i64, lhs_dilation = array<i64: {window.base_dilation}>,
            rhs_dilation = array<i64: {window.window_dilation}>, window_strides = array<i64: {window.stride}>,
            padding = dense<[[{window.low}, {window.high}]]> : tensor<1x2xi64>,
            window_reversal = array<i1: {reverse}>""",
    )


def sort(draw: Draw) -> Sample:
    shape = draw(shapes(1))
    dim = draw(st.integers(-len(shape), len(shape) - 1))
    compare = """({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
        %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %less : tensor<i1>
    })"""
    types = [tensor(shape, "i32"), tensor(shape, "f32")]
    return program(
        "stablehlo.sort",
        [(array(draw, shape, "i32"), types[0]), (array(draw, shape, "f32"), types[1])],
        types,
        properties=f"dimension = {dim} : i64, is_stable = true",
        regions=compare,
    )


def fft(draw: Draw) -> Sample:
    shape = draw(shapes(1, 3, full_extents))
    count = draw(st.integers(1, len(shape)))
    kind = draw(st.sampled_from(["FFT", "IFFT", "RFFT", "IRFFT"]))
    half = [*shape[:-1], shape[-1] // 2 + 1]
    source, before, result, after = {
        "RFFT": (shape, "f32", half, "complex<f32>"),
        "IRFFT": (half, "complex<f32>", shape, "f32"),
    }.get(kind, (shape, "complex<f32>", shape, "complex<f32>"))
    return program(
        "stablehlo.fft",
        [(array(draw, source, before), tensor(source, before))],
        [tensor(result, after)],
        properties=f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {listed(shape[-count:])}",
    )


def cholesky(draw: Draw) -> Sample:
    *batch, size = draw(shapes(1, 2, full_extents))
    root = array(draw, [*batch, size, size], "f32", -2, 2)
    a = root @ np.swapaxes(root, -1, -2) + 4 * np.eye(size, dtype=np.float32)
    type = tensor([*batch, size, size], "f32")
    lower = draw(st.sampled_from(["true", "false"]))
    return program("stablehlo.cholesky", [(a, type)], [type], properties=f"lower = {lower}")


def triangular_solve(draw: Draw) -> Sample:
    *batch, size = draw(shapes(1, 2, full_extents))
    count, left = draw(full_extents), draw(st.booleans())
    a = array(draw, [*batch, size, size], "f32", -1, 1) + 4 * np.eye(size, dtype=np.float32)
    b = [*batch, size, count] if left else [*batch, count, size]
    flags = {name: draw(st.sampled_from(["true", "false"])) for name in ("lower", "unit_diagonal")}
    written = ", ".join(f"{name} = {value}" for name, value in flags.items())
    form = draw(st.sampled_from(["NO_TRANSPOSE", "TRANSPOSE"]))
    return program(
        "stablehlo.triangular_solve",
        [(a, tensor([*batch, size, size], "f32")), (array(draw, b, "f32"), tensor(b, "f32"))],
        [tensor(b, "f32")],
        properties=f"left_side = {str(left).lower()}, {written}, transpose_a = #stablehlo<transpose {form}>",
    )


def batch_norm(kind: str, operands: str, results: str) -> Sampler:
    """A sampler. `x` stands for a tensor like the operand, `f` for one value for each feature."""

    def sampler(draw: Draw) -> Sample:
        shape = draw(shapes(2, 3, full_extents))
        feature = draw(st.integers(0, len(shape) - 1))
        of = {"x": shape, "f": [shape[feature]]}
        return program(
            f"stablehlo.batch_norm_{kind}",
            [(array(draw, of[each], "f32", 1, 9), tensor(of[each], "f32")) for each in operands],
            [tensor(of[each], "f32") for each in results],
            properties=f"epsilon = 1.0e-3 : f32, feature_index = {feature} : i64",
        )

    return sampler


SAMPLERS: Mapping[type[Operation], Sampler] = {
    stablehlo.BatchNormGradOp: batch_norm("grad", "xfffx", "xff"),
    stablehlo.BatchNormInferenceOp: batch_norm("inference", "xffff", "x"),
    stablehlo.BatchNormTrainingOp: batch_norm("training", "xff", "xff"),
    stablehlo.CholeskyOp: cholesky,
    stablehlo.ConvolutionOp: convolution,
    stablehlo.DotGeneralOp: dot_general,
    stablehlo.DotOp: dot,
    stablehlo.EinsumOp: einsum,
    stablehlo.FftOp: fft,
    stablehlo.MapOp: map_,
    stablehlo.ReduceOp: any_reduce,
    stablehlo.ReduceWindowOp: reduce_window,
    stablehlo.ReturnOp: map_,
    stablehlo.SelectAndScatterOp: select_and_scatter,
    stablehlo.SortOp: sort,
    stablehlo.TriangularSolveOp: triangular_solve,
    stablehlo.UnaryEinsumOp: unary_einsum,
}
