"""
The maps of dot products and convolutions. Range variables run over the summed dimensions, shared by both operands.

Source: XLA indexing docs, "Dot"; StableHLO's specification of `dot_general` and `convolution`.
"""

from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym
from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.contraction import DotGeneralOp
from xshardy.dialects.stablehlo.convolution import ConvolutionOp
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.indexing.reductions import at_multiples, window_place, window_position
from xshardy.indexing.tensor_maps import Maps, values_of

# -- Dot products -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Side:
    """An operand of a dot product: the roles of its dimensions, and the place of the free ones in the result."""

    shape: tuple[int, ...]
    batching: tuple[int, ...]
    contracting: tuple[int, ...]
    free: tuple[int, ...]
    first_free: int
    """The dimension of the result for the first free dimension; the others follow."""

    def result_dim(self, d: int) -> int:
        """The dimension of the result for dimension `d`, which is not contracting."""
        return self.batching.index(d) if d in self.batching else self.first_free + self.free.index(d)


def _sides(op: DotGeneralOp) -> tuple[Side, Side]:
    numbers = op.dot_dimension_numbers
    sides: list[Side] = []
    first_free = len(values_of(numbers.lhs_batching_dimensions))
    for value, batching, contracting in (
        (op.lhs, numbers.lhs_batching_dimensions, numbers.lhs_contracting_dimensions),
        (op.rhs, numbers.rhs_batching_dimensions, numbers.rhs_contracting_dimensions),
    ):
        shape = shape_of(value)
        taken = (*values_of(batching), *values_of(contracting))
        free = tuple(d for d in range(len(shape)) if d not in taken)
        sides.append(Side(shape, values_of(batching), values_of(contracting), free, first_free))
        first_free += len(free)
    return sides[0], sides[1]


def dot_operand(op: DotGeneralOp) -> Maps:
    """Range variable `i` runs over contracting dimension `i` of both operands."""
    shape = shape_of(op.result)

    def map_of(side: Side) -> IndexingMap:
        results = [
            sym(side.contracting.index(d)) if d in side.contracting else dim(side.result_dim(d))
            for d in range(len(side.shape))
        ]
        return IndexingMap.from_tensor_sizes(results, shape, [side.shape[d] for d in side.contracting])

    return tuple((map_of(side),) for side in _sides(op))


def dot_result(op: DotGeneralOp) -> Maps:
    """An element contributes to all results along the free dimensions of the other operand."""
    shape = shape_of(op.result)

    def map_of(side: Side) -> IndexingMap:
        source = {side.result_dim(d): d for d in (*side.batching, *side.free)}
        spread = [d for d in range(len(shape)) if d not in source]
        results = [dim(source[d]) if d in source else sym(spread.index(d)) for d in range(len(shape))]
        return IndexingMap.from_tensor_sizes(results, side.shape, [shape[d] for d in spread])

    return tuple((map_of(side),) for side in _sides(op))


# -- Convolutions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Convolution:
    """
    The dimensions of a convolution by role, and its groups.

    With feature groups, each group of output features reads its own group of input features; with batch groups, its own
    part of the batch.
    """

    lhs: tuple[int, ...]
    rhs: tuple[int, ...]
    result: tuple[int, ...]
    window: tuple[WindowDimension, ...]
    is_reversed: tuple[bool, ...]
    batch: tuple[int, int]
    """Of the input and the result."""
    input_feature: tuple[int, int]
    """Of the input and the kernel."""
    output_feature: tuple[int, int]
    """Of the kernel and the result."""
    spatial: tuple[tuple[int, int, int], ...]
    """Of the input, the kernel and the result."""
    feature_groups: int
    batch_groups: int

    @property
    def outputs_per_group(self) -> int:
        """The output features of a group, for feature and batch groups."""
        return self.rhs[self.output_feature[0]] // (self.feature_groups * self.batch_groups)

    def tap(self, d: int, tap: AffineExpr) -> AffineExpr:
        """
        The kernel index for a window element in spatial dimension `d`, and the reverse: the map is its own inverse.
        """
        return add(constant(self.window[d].size - 1), mul(tap, constant(-1))) if self.is_reversed[d] else tap


def convolution_of(op: ConvolutionOp) -> Convolution:
    """The dimensions of `op` by role, and its groups."""
    numbers, window = op.dimension_numbers, op.window()
    reversal = () if op.window_reversal is None else tuple(op.window_reversal.get_values())
    return Convolution(
        shape_of(op.lhs),
        shape_of(op.rhs),
        shape_of(op.result),
        window,
        tuple(map(bool, reversal)) or (False,) * len(window),
        (numbers.input_batch_dimension.data, numbers.output_batch_dimension.data),
        (numbers.input_feature_dimension.data, numbers.kernel_input_feature_dimension.data),
        (numbers.kernel_output_feature_dimension.data, numbers.output_feature_dimension.data),
        tuple(
            zip(
                values_of(numbers.input_spatial_dimensions),
                values_of(numbers.kernel_spatial_dimensions),
                values_of(numbers.output_spatial_dimensions),
                strict=True,
            )
        ),
        op.feature_group_count.value.data,
        op.batch_group_count.value.data,
    )


def convolution_operand(op: ConvolutionOp) -> Maps:
    """Those of `operands_of_convolution`."""
    return operands_of_convolution(convolution_of(op))


def operands_of_convolution(c: Convolution) -> Maps:
    """
    The range variables run over the window, then over the input features of a group.

    The domain of both maps excludes padding and the gaps of a dilated input.
    """
    count = len(c.spatial)
    taps, feature = [sym(d) for d in range(count)], sym(count)
    sizes = [*(w.size for w in c.window), c.rhs[c.input_feature[1]]]
    output_feature = dim(c.output_feature[1])
    group = floordiv(output_feature, constant(c.outputs_per_group)) if c.outputs_per_group else constant(0)

    kernel: list[AffineExpr] = [constant(0)] * len(c.rhs)
    kernel[c.output_feature[0]], kernel[c.input_feature[1]] = output_feature, feature
    for d, (_, source, _) in enumerate(c.spatial):
        kernel[source] = c.tap(d, taps[d])

    places = [window_place(c.window[d], dim(target), taps[d]) for d, (_, _, target) in enumerate(c.spatial)]
    box = IndexingMap.from_tensor_sizes((), c.result, sizes)
    map, spatial = at_multiples(
        box, places, [w.base_dilation for w in c.window], [c.lhs[source] for source, _, _ in c.spatial]
    )
    batch = dim(c.batch[1])
    if c.batch_groups > 1:
        batch = add(mul(group, constant(c.result[c.batch[1]])), batch)
    if c.feature_groups > 1:
        feature = add(mul(group, constant(c.rhs[c.input_feature[1]])), feature)
    results: list[AffineExpr] = [constant(0)] * len(c.lhs)
    results[c.batch[0]], results[c.input_feature[0]] = batch, feature
    for (source, _, _), place in zip(c.spatial, spatial, strict=True):
        results[source] = place
    return (map.with_results(results).simplify(),), (map.with_results(kernel).simplify(),)


def convolution_result(op: ConvolutionOp) -> Maps:
    """
    An element of the input contributes to every window that contains it, for each output feature of its group.

    An element of the kernel contributes to every window in which it is not on padding, for each element of the batch.
    """
    c = convolution_of(op)
    return (_result_of_input(c),), (_result_of_kernel(c),)


def _result_of_input(c: Convolution) -> IndexingMap:
    count = len(c.spatial)
    box = IndexingMap.from_tensor_sizes((), c.lhs, [*(w.size for w in c.window), c.outputs_per_group])
    positions = [window_position(c.window[d], dim(source), sym(d)) for d, (source, _, _) in enumerate(c.spatial)]
    map, spatial = at_multiples(
        box, positions, [w.stride for w in c.window], [c.result[target] for _, _, target in c.spatial]
    )
    batch, feature = dim(c.batch[0]), sym(count)
    if c.batch_groups > 1:
        per_group = constant(max(c.result[c.batch[1]], 1))
        group, batch = floordiv(batch, per_group), mod(batch, per_group)
        feature = add(mul(group, constant(c.outputs_per_group)), feature)
    if c.feature_groups > 1:
        group = floordiv(dim(c.input_feature[0]), constant(max(c.rhs[c.input_feature[1]], 1)))
        feature = add(mul(group, constant(c.outputs_per_group)), feature)
    results: list[AffineExpr] = [constant(0)] * len(c.result)
    results[c.batch[1]], results[c.output_feature[1]] = batch, feature
    for (_, _, target), position in zip(c.spatial, spatial, strict=True):
        results[target] = position
    return map.with_results(results).simplify()


def _result_of_kernel(c: Convolution) -> IndexingMap:
    count = len(c.spatial)
    results: list[AffineExpr] = [constant(0)] * len(c.result)
    results[c.batch[1]], results[c.output_feature[1]] = sym(count), dim(c.output_feature[0])
    places: list[AffineExpr] = []
    for d, (_, source, target) in enumerate(c.spatial):
        results[target] = sym(d)
        places.append(window_place(c.window[d], sym(d), c.tap(d, dim(source))))
    box = IndexingMap.from_tensor_sizes(
        results, c.rhs, [*(c.result[target] for _, _, target in c.spatial), c.result[c.batch[1]]]
    )
    map, _ = at_multiples(
        box, places, [w.base_dilation for w in c.window], [c.lhs[source] for source, _, _ in c.spatial]
    )
    return map.simplify()
