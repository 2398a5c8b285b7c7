"""Operations that move elements: which dimension of the result has which size."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i32, i64
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import element_type
from xshardy.dialects.stablehlo.types import largest_integer
from xshardy.indexing.tensor_maps import values_of
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, dynamic_dims, largest_shape


class PadBroadcast(PadPattern[stablehlo.BroadcastInDimOp]):
    """`broadcast_in_dim (set_dimension_size %a, %n)` -> `set_dimension_size (broadcast_in_dim %a), %n`"""

    op_types = (stablehlo.BroadcastInDimOp,)

    @staticmethod
    def refusal(op: stablehlo.BroadcastInDimOp) -> str | None:
        before, after = largest_shape(op.operand.type), largest_shape(op.result.type)
        moved = values_of(op.broadcast_dimensions)
        if {moved[d] for d in dynamic_dims(op.operand.type)} != {*dynamic_dims(op.result.type)}:
            return "a dimension is dynamic in its operand or its result only"
        if any(before[d] != after[moved[d]] for d in dynamic_dims(op.operand.type)):
            return "a dynamic dimension has another bound in the result"
        return None

    def padded(self, op: stablehlo.BroadcastInDimOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        moved = values_of(op.broadcast_dimensions)
        (made,) = code.remade(op, [operands[0].value])
        return [Padded(made, {moved[d]: size for d, size in operands[0].sizes.items()})]


class PadTranspose(PadPattern[stablehlo.TransposeOp]):
    """`transpose (set_dimension_size %a, %n)` -> `set_dimension_size (transpose %a), %n`"""

    op_types = (stablehlo.TransposeOp,)

    def padded(self, op: stablehlo.TransposeOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        moved = [*values_of(op.permutation)]
        (made,) = code.remade(op, [operands[0].value])
        return [Padded(made, {moved.index(d): size for d, size in operands[0].sizes.items()})]


class PadSlice(PadPattern[stablehlo.SliceOp]):
    """`slice (set_dimension_size %a, %n)` -> `set_dimension_size (slice %a), %n`: other dimensions are cut"""

    op_types = (stablehlo.SliceOp,)

    @staticmethod
    def refusal(op: stablehlo.SliceOp) -> str | None:
        shape, dims = largest_shape(op.operand.type), dynamic_dims(op.operand.type)
        bounds = [*zip(*map(values_of, (op.start_indices, op.limit_indices, op.strides)), strict=True)]
        if any(bounds[d] != (0, shape[d], 1) for d in dims):
            return "it takes a part of a dynamic dimension, which may not have these elements"
        return None if dims == dynamic_dims(op.result.type) else "its result has a dynamic dimension without its size"

    def padded(self, op: stablehlo.SliceOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        return [Padded(code.remade(op, [operands[0].value])[0], operands[0].sizes)]


class PadPad(PadPattern[stablehlo.PadOp]):
    """`pad (set_dimension_size %a, %n), %v` -> `pad (select (iota < %n), %a, %v), %v`, of a larger size"""

    op_types = (stablehlo.PadOp,)

    @staticmethod
    def refusal(op: stablehlo.PadOp) -> str | None:
        low, high = values_of(op.edge_padding_low), values_of(op.edge_padding_high)
        dims = dynamic_dims(op.operand.type)
        return "a dynamic dimension has negative padding" if any(low[d] < 0 or high[d] < 0 for d in dims) else None

    def padded(self, op: stablehlo.PadOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        operand, fill = operands
        amounts = (op.edge_padding_low, op.edge_padding_high, op.interior_padding)
        sizes: dict[int, SSAValue] = {}
        for d, size in operand.sizes.items():
            low, high, interior = (values_of(amount)[d] for amount in amounts)
            if interior:
                gaps = code.at_least_zero(code.subtract(size, code.number(1)))
                size = code.add(size, code.multiply(gaps, code.number(interior)))
            sizes[d] = code.add(size, code.number(low + high)) if low + high else size
        return [Padded(code.remade(op, [code.masked(operand, fill.value), fill.value])[0], sizes)]


class PadReverse(PadPattern[stablehlo.ReverseOp]):
    """`reverse (set_dimension_size %a, %n)` -> the end of `reverse %a`, moved to the beginning"""

    op_types = (stablehlo.ReverseOp,)

    def padded(self, op: stablehlo.ReverseOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        (operand,), dims = operands, op.dimensions.get_values()
        (made,) = code.remade(op, [operand.value])
        if moved := operand.sizes_in(dims):
            shape, none = operand.shape, [0] * len(operand.shape)
            high = [shape[d] if d in moved else 0 for d in range(len(shape))]
            type = TensorType(element_type(made), [a + b for a, b in zip(shape, high, strict=True)])
            wide = code(stablehlo.PadOp(made, code.zero(element_type(made)), none, high, none, type))
            starts = [
                code.subtract(code.number(shape[d]), moved[d]) if d in moved else code.number(0)
                for d in range(len(shape))
            ]
            made = code(stablehlo.DynamicSliceOp(wide, starts, shape))
        return [Padded(made, operand.sizes)]


class PadConcatenate(PadPattern[stablehlo.ConcatenateOp]):
    """
    `concatenate (set_dimension_size %a, %n), %b` -> `dynamic_update_slice (dynamic_update_slice 0, %a, 0), %b, %n`

    Each operand overwrites what is behind the size in use of the one before.
    """

    op_types = (stablehlo.ConcatenateOp,)

    def padded(self, op: stablehlo.ConcatenateOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        along = op.dimension.value.data
        sizes = {d: size for operand in reversed(operands) for d, size in operand.sizes.items()}
        if along not in sizes:
            return [Padded(code.remade(op, [operand.value for operand in operands])[0], sizes)]
        shape = largest_shape(op.result.type)
        made, start = code.splat(code.zero(element_type(operands[0].value)), shape), code.number(0)
        for operand in operands:
            starts = [start if d == along else code.number(0) for d in range(len(shape))]
            made = code(stablehlo.DynamicUpdateSliceOp(made, operand.value, starts))
            start = code.add(start, code.size(operand, along))
        return [Padded(made, {**sizes, along: start})]


class PadIota(PadPattern[stablehlo.DynamicIotaOp]):
    """`dynamic_iota %sizes` -> `set_dimension_size iota, %sizes[0]`"""

    op_types = (stablehlo.DynamicIotaOp,)

    def padded(self, op: stablehlo.DynamicIotaOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        type = TensorType(element_type(op.result), largest_shape(op.result.type))
        made = code(stablehlo.IotaOp(op.iota_dimension.value.data, type))
        sizes = operands[0].value
        return [Padded(made, {d: code.convert(code.element(sizes, d), i32) for d in dynamic_dims(op.result.type)})]


class PadDynamicSlice(PadPattern[stablehlo.DynamicSliceOp]):
    """`dynamic_slice (set_dimension_size %a, %n), %i` -> `dynamic_slice %a, (clamp 0, %i, %n - 2)`, for a slice of 2"""

    op_types = (stablehlo.DynamicSliceOp,)

    @staticmethod
    def refusal(op: stablehlo.DynamicSliceOp) -> str | None:
        return "its slice is dynamic" if dynamic_dims(op.result.type) else None

    def padded(self, op: stablehlo.DynamicSliceOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        operand, *starts = operands
        clamped = starts_within(operand, [start.value for start in starts], shape_of(op.result), code)
        return [Padded(code.remade(op, [operand.value, *clamped])[0])]


class PadDynamicUpdateSlice(PadPattern[stablehlo.DynamicUpdateSliceOp]):
    """`dynamic_update_slice (set_dimension_size %a, %n), %b, %i` -> the same of `%a`, at `clamp 0, %i, %n - 2`"""

    op_types = (stablehlo.DynamicUpdateSliceOp,)

    @staticmethod
    def refusal(op: stablehlo.DynamicUpdateSliceOp) -> str | None:
        return "its update is dynamic" if dynamic_dims(op.update.type) else None

    def padded(
        self, op: stablehlo.DynamicUpdateSliceOp, operands: Sequence[Padded], code: PaddedCode
    ) -> Sequence[Padded]:
        operand, update, *starts = operands
        clamped = starts_within(operand, [start.value for start in starts], update.shape, code)
        return [Padded(code.remade(op, [operand.value, update.value, *clamped])[0], operand.sizes)]


def starts_within(
    operand: Padded, starts: Sequence[SSAValue], part: Sequence[int], code: PaddedCode
) -> Sequence[SSAValue]:
    """`starts`, so that a part of these sizes is among the elements in use. Their type has every start."""
    if any(operand.shape[d] > largest_integer(element_type(starts[d])) for d in operand.sizes):
        starts = [code.convert(start, i64) for start in starts]
    clamped = [*starts]
    for d, size in operand.sizes.items():
        last = code.convert(code.at_least_zero(code.subtract(size, code.number(part[d]))), element_type(starts[d]))
        clamped[d] = code(stablehlo.ClampOp(code.zero(element_type(starts[d])), starts[d], last))
    return clamped
