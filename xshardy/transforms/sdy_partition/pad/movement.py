"""Slices, pads, reshapes, constants and sizes of padded tensors."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from operator import mul

from xdsl.dialects.builtin import TensorType, i32

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense, dense_values, is_splat
from xshardy.dialects.sdy import ops as sdy
from xshardy.transforms.sdy_partition.local.slices import parts_stay_local
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensor, PaddedTensors
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode
from xshardy.transforms.sdy_partition.pad.padding_pattern import PaddingPattern


def _limits(op: stablehlo.SliceOp, tensors: PaddedTensors) -> list[int] | None:
    """The limits of a slice of the padded operand that has the padded sizes; None if there are not enough elements."""
    (source,), (target,) = tensors.operands, tensors.results
    limits = list(op.limit_indices.get_values())
    rows = zip(op.start_indices.get_values(), op.strides.get_values(), strict=True)
    for dim, (start, stride) in enumerate(rows):
        if dim not in (*source.padded_dims, *target.padded_dims):
            continue
        count = target.padded[dim]
        limits[dim] = min(source.padded[dim], start + count * stride)
        if -(-(limits[dim] - start) // stride) != count:
            return None
    return limits


@dataclass(frozen=True)
class ExtendSlice(PaddingPattern[stablehlo.SliceOp]):
    """`slice %a [0:7]` -> `slice %a [0:8]`: the padding of the operand is that of the result."""

    op_types = (stablehlo.SliceOp,)

    @staticmethod
    def fits(op: stablehlo.SliceOp, tensors: PaddedTensors) -> bool:
        return _limits(op, tensors) is not None

    def rewrite(self, op: stablehlo.SliceOp, tensors: PaddedTensors, code: PaddingCode) -> None:
        # The operand may have its padded type already: `_limits` reads the tensors, not the types.
        limits = _limits(op, tensors)
        assert limits is not None
        slice = stablehlo.SliceOp(op.operand, op.start_indices.get_values(), limits, op.strides.get_values())
        slice.attributes = dict(op.attributes)
        code.replace(op, code.insert(slice))


def _high(op: stablehlo.PadOp, tensors: PaddedTensors) -> list[int]:
    """The padding after the padded operand that makes the padded result."""
    (source, _), (target,) = tensors.operands, tensors.results
    rows = zip(op.edge_padding_low.get_values(), op.interior_padding.get_values(), strict=True)
    return [
        after - before - low - max(before - 1, 0) * interior
        for (low, interior), before, after in zip(rows, source.padded, target.padded, strict=True)
    ]


def _dims_to_fill(op: stablehlo.PadOp, tensors: PaddedTensors, new_high: Sequence[int]) -> list[int]:
    """
    The dimensions whose padding in the operand takes the place of padding by `op`.

    As upstream, these are the dimensions that `op` pads less. There are others if elements move between devices, but
    then `op` does not become local.
    """
    source, target = tensors.operands[0], tensors.results[0]
    dims: list[int] = []
    for dim in source.padded_dims:
        low, high, interior = (
            padding.get_values()[dim] for padding in (op.edge_padding_low, op.edge_padding_high, op.interior_padding)
        )
        parts = source.whole.parts(dim)
        sizes = source.padded[dim] // parts, target.padded[dim] // parts
        replaces = high > interior and (parts == 1 or parts_stay_local(low, interior + 1, *sizes, parts))
        if replaces or new_high[dim] < high:
            dims.append(dim)
    return dims


@dataclass(frozen=True)
class ExtendPad(PaddingPattern[stablehlo.PadOp]):
    """`pad %a, %c, high = [2]` -> `pad (select %is_valid, %a, %c), %c, high = [3]`; the mask only if it is needed."""

    op_types = (stablehlo.PadOp,)

    @staticmethod
    def fits(op: stablehlo.PadOp, tensors: PaddedTensors) -> bool:
        return True

    def rewrite(self, op: stablehlo.PadOp, tensors: PaddedTensors, code: PaddingCode) -> None:
        high = _high(op, tensors)
        dims = _dims_to_fill(op, tensors, high)
        operand = code.masked(op.operand, tensors.operands[0], op.padding_value, dims)
        low, interior = op.edge_padding_low.get_values(), op.interior_padding.get_values()
        pad = stablehlo.PadOp(operand, op.padding_value, low, high, interior, op.result.type)
        pad.attributes = dict(op.attributes)
        code.replace(op, code.insert(pad))


def _groups(tensor: PaddedTensor, cuts: Collection[int]) -> dict[int, list[int]]:
    """
    The dimensions of `tensor` between two of `cuts`, which are counts of elements: by the cut before them.

    Dimensions of size 1 are left out.
    """
    groups, count = defaultdict[int, list[int]](list), 1
    for dim, extent in enumerate(tensor.shape):
        if tensor.padded[dim] != 1:
            groups[max(cut for cut in cuts if cut <= count)].append(dim)
        count *= extent
    return groups


def _common_cuts(before: Sequence[int], after: Sequence[int]) -> set[int]:
    """The counts of elements of leading dimensions that both shapes have."""
    return {1} | ({*accumulate(before, mul)} & {*accumulate(after, mul)})


@dataclass(frozen=True)
class PadReshape(PaddingPattern[stablehlo.ReshapeOp]):
    """`reshape %a : tensor<14xf32> -> tensor<7x2xf32>` -> `reshape %a : tensor<16xf32> -> tensor<8x2xf32>`"""

    op_types = (stablehlo.ReshapeOp,)

    @staticmethod
    def fits(op: stablehlo.ReshapeOp, tensors: PaddedTensors) -> bool:
        """
        Whether padding is at the end of the elements that are reshaped together, and as long on both sides.

        It is at the end if only the first dimension of them has padding.
        """
        sides = (tensors.operands[0], tensors.results[0])
        if 0 in sides[0].shape:
            return False
        cuts = _common_cuts(sides[0].shape, sides[1].shape)
        groups = [_groups(side, cuts) for side in sides]
        for side, of_side in zip(sides, groups, strict=True):
            if any(dim in side.padded_dims for dims in of_side.values() for dim in dims[1:]):
                return False
        counts = [
            {cut: prod(side.padded[dim] for dim in dims) for cut, dims in of_side.items()}
            for side, of_side in zip(sides, groups, strict=True)
        ]
        return counts[0] == counts[1]

    def rewrite(self, op: stablehlo.ReshapeOp, tensors: PaddedTensors, code: PaddingCode) -> None:
        """The types are padded already."""


@dataclass(frozen=True)
class PadSplat(PaddingPattern[stablehlo.ConstantOp | sdy.ConstantOp]):
    """`constant dense<1> : tensor<7xi32>` -> `constant dense<1> : tensor<8xi32>`"""

    op_types = (stablehlo.ConstantOp, sdy.ConstantOp)

    @staticmethod
    def fits(op: stablehlo.ConstantOp | sdy.ConstantOp, tensors: PaddedTensors) -> bool:
        return is_splat(op.value)

    def rewrite(self, op: stablehlo.ConstantOp | sdy.ConstantOp, tensors: PaddedTensors, code: PaddingCode) -> None:
        element = op.value.data.data[: op.value.get_element_type().compile_time_size]
        op.value = dense(op.results[0].type, element)
        code.rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class SizeWithoutPadding(PaddingPattern[stablehlo.GetDimensionSizeOp]):
    """`get_dimension_size %a, dim = 0` -> `constant dense<7> : tensor<i32>`"""

    op_types = (stablehlo.GetDimensionSizeOp,)

    @staticmethod
    def fits(op: stablehlo.GetDimensionSizeOp, tensors: PaddedTensors) -> bool:
        return op.dimension.value.data in tensors.operands[0].padded_dims

    def rewrite(self, op: stablehlo.GetDimensionSizeOp, tensors: PaddedTensors, code: PaddingCode) -> None:
        extent = tensors.operands[0].shape[op.dimension.value.data]
        code.replace(op, code.constant(dense_values(TensorType(i32, []), [extent])))
