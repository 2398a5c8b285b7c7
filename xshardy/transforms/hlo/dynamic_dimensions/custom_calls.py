"""The calls by which XLA goes between dynamic tensors and tensors of their largest sizes."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TupleType

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.calls import PAD_TO_STATIC, SLICE_TO_DYNAMIC
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, dynamic_dims


class DynamicBorder(PadPattern[stablehlo.CustomCallOp]):
    """
    `custom_call @SliceToDynamic(%a, %n)` -> `set_dimension_size %a, %n`; `custom_call @PadToStatic` is the inverse

    Both have a size for each dimension of the tensor. What is behind the size in use becomes zero.
    """

    op_types = (stablehlo.CustomCallOp,)

    @staticmethod
    def refusal(op: stablehlo.CustomCallOp) -> str | None:
        name = op.call_target_name.data
        if name not in (PAD_TO_STATIC, SLICE_TO_DYNAMIC):
            return f"what @{name} does with sizes is not known"
        return None

    def padded(self, op: stablehlo.CustomCallOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        operand, *sizes = operands
        if op.call_target_name.data == PAD_TO_STATIC:
            parts = [code.masked_by_zero(operand), *(code.size(operand, d) for d in range(len(operand.shape)))]
            is_tuple = isinstance(op.results[0].type, TupleType)  # as HLO text has it
            return [Padded(code(stablehlo.TupleOp(parts)))] if is_tuple else [Padded(part) for part in parts]
        return [Padded(operand.value, {d: sizes[d].value for d in dynamic_dims(op.results[0].type)})]
