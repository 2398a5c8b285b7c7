"""Slices, pads, constants and sizes of padded tensors."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i32

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense, dense_values, is_splat
from xshardy.dialects.sdy import ops as sdy
from xshardy.transforms.sdy_partition.local.slices import parts_stay_local
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensors
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode
from xshardy.transforms.sdy_partition.pad.padding_pattern import PaddingPattern


class ExtendSlice(PaddingPattern[stablehlo.SliceOp, Sequence[int]]):
    """
    `slice %a [0:7]` -> `slice %a [0:8]`: the padding of the operand is that of the result.

    Requires: enough elements behind the limit.
    """

    @staticmethod
    def decide(op: stablehlo.SliceOp, tensors: PaddedTensors) -> Sequence[int] | None:
        """The limits of a slice of the padded operand that has the padded sizes; None without enough elements."""
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

    def rewrite(self, op: stablehlo.SliceOp, decision: Sequence[int], code: PaddingCode) -> None:
        slice = stablehlo.SliceOp(op.operand, op.start_indices.get_values(), decision, op.strides.get_values())
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


class ExtendPad(PaddingPattern[stablehlo.PadOp, PaddedTensors]):
    """`pad %a, %c, high = [2]` -> `pad (select %is_valid, %a, %c), %c, high = [3]`; the mask only if it is needed."""

    def rewrite(self, op: stablehlo.PadOp, decision: PaddedTensors, code: PaddingCode) -> None:
        high = _high(op, decision)
        dims = _dims_to_fill(op, decision, high)
        operand = code.masked(op.operand, decision.operands[0], op.padding_value, dims)
        low, interior = op.edge_padding_low.get_values(), op.interior_padding.get_values()
        pad = stablehlo.PadOp(operand, op.padding_value, low, high, interior, op.result.type)
        pad.attributes = dict(op.attributes)
        code.replace(op, code.insert(pad))


class PadSplat(PaddingPattern[stablehlo.ConstantOp | sdy.ConstantOp, PaddedTensors]):
    """
    `constant dense<1> : tensor<7xi32>` -> `constant dense<1> : tensor<8xi32>`

    Requires: a splat.
    """

    @staticmethod
    def decide(op: stablehlo.ConstantOp | sdy.ConstantOp, tensors: PaddedTensors) -> PaddedTensors | None:
        return tensors if is_splat(op.value) else None

    def rewrite(self, op: stablehlo.ConstantOp | sdy.ConstantOp, decision: PaddedTensors, code: PaddingCode) -> None:
        element = op.value.data.data[: op.value.get_element_type().compile_time_size]
        op.value = dense(op.results[0].type, element)
        code.rewriter.notify_op_modified(op)


class SizeWithoutPadding(PaddingPattern[stablehlo.GetDimensionSizeOp, int]):
    """`get_dimension_size %a, dim = 0` -> `constant dense<7> : tensor<i32>`"""

    @staticmethod
    def decide(op: stablehlo.GetDimensionSizeOp, tensors: PaddedTensors) -> int | None:
        """The number of elements that are no padding; None for a dimension without padding."""
        source, dim = tensors.operands[0], op.dimension.value.data
        return source.shape[dim] if dim in source.padded_dims else None

    def rewrite(self, op: stablehlo.GetDimensionSizeOp, decision: int, code: PaddingCode) -> None:
        code.replace(op, code.constant(dense_values(TensorType(i32, []), [decision])))
