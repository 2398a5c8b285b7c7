"""Convolutions."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from xdsl.ir import Operation

from xshardy.dialects.stablehlo.convolution import ConvolutionOp
from xshardy.sharding.rules.builder import Factor, Factors, FactorType, Row, Shapes


class Roles(NamedTuple):
    """The roles of the dimensions of a tensor."""

    batch: int
    feature: int
    spatial: tuple[int, ...]


class Convolution(NamedTuple):
    """The roles of all dimensions, and the number of feature and batch groups."""

    input: Roles
    kernel: Roles
    """Its `batch` is its input feature dimension, its `feature` its output feature dimension."""
    output: Roles
    feature_groups: int
    batch_groups: int


def convolution(shapes: Shapes, numbers: Convolution) -> Factors:
    """
    `([b, sw, f], [f, o, w])->([b, s, o]) reduction={w, f} permutation={s}`: batch, spatial dimensions, then features.

    Groups of batches or of features are a factor in front of the batches or features of one group.
    A conservative rule leaves the spatial dimensions out: the sizes of their factors need not multiply to theirs.
    """
    lhs, rhs = shapes.operands
    (out,) = shapes.results
    input, kernel, output = numbers.input, numbers.kernel, numbers.output
    if numbers.batch_groups > 1:
        yield Factor((input.batch, kernel.feature), (output.feature,), numbers.batch_groups)
    yield Factor((input.batch, None), (output.batch,), out[output.batch])
    if not shapes.conservative:
        for dims in zip(input.spatial, kernel.spatial, output.spatial, strict=True):
            yield from spatial(dims, lhs[dims[0]], rhs[dims[1]], out[dims[2]])
    if numbers.feature_groups > 1:
        yield Factor((input.feature, kernel.feature), (output.feature,), numbers.feature_groups)
    yield Factor((input.feature, kernel.batch), (None,), rhs[kernel.batch], FactorType.REDUCTION)
    features = out[output.feature] // (numbers.batch_groups * numbers.feature_groups)
    if features > 1:
        yield Factor((None, kernel.feature), (output.feature,), features)


def spatial(dims: tuple[int, int, int], size: int, window: int, windows: int) -> Iterator[Factor]:
    """
    The factors of a spatial dimension, of `size` in the input, along which there are `windows` of `window` elements.

    The input can be sharded along the windows, as the output is, or along a window, as the kernel is. The larger of
    the two comes first, so that it is the one that most shardings go to; the other gets what is left of the input. If
    nothing is left, the output or the kernel has a factor of its own, along which its elements have to move.
    """
    input, kernel, output = dims
    along_windows = windows, (None, output), FactorType.PERMUTATION
    along_window = window, (kernel, None), FactorType.REDUCTION
    ordered = (along_windows, along_window) if windows >= window else (along_window, along_windows)
    for wanted, (kernel_dim, output_dim), type in ordered:
        taken = min(size, wanted)
        if taken > 1:
            yield Factor((input, kernel_dim), (output_dim,), taken, type)
            size //= taken
        elif wanted > 1:
            yield Factor((None, kernel_dim), (output_dim,), wanted, FactorType.PERMUTATION)


def _numbers(op: ConvolutionOp) -> Convolution:
    input, kernel, output = (Roles(first, second, tuple(rest)) for first, second, *rest in op.dimension_numbers.roles)
    return Convolution(input, kernel, output, op.feature_group_count.value.data, op.batch_group_count.value.data)


RULES: Mapping[type[Operation], Row] = {ConvolutionOp: Row(convolution, _numbers)}
