"""Reductions: what is behind the size in use becomes an element that the reduction does not notice."""

from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.building import element_type
from xshardy.dialects.stablehlo.windows import dilated
from xshardy.facts.neutral_elements import neutral_element
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, dynamic_dims, largest_shape


def fills(op: stablehlo.ReduceOp | stablehlo.ReduceWindowOp, code: PaddedCode) -> Sequence[SSAValue]:
    """The neutral element of each input: the initial value, which has to be one, if the computation shows none."""
    neutral = neutral_element(op.body.block)
    return op.init_values if neutral is None else [code(stablehlo.ConstantOp(neutral))]


def converted(value: SSAValue, element: Attribute, code: PaddedCode) -> SSAValue:
    """`value` with elements of this type; itself if it has such."""
    return value if element_type(value) == element else code.convert(value, element)


def masked(
    op: stablehlo.ReduceOp | stablehlo.ReduceWindowOp,
    operands: Sequence[Padded],
    sizes: Mapping[int, SSAValue],
    code: PaddedCode,
    dims: Sequence[int] | None = None,
) -> Sequence[SSAValue]:
    """
    The inputs with neutral elements behind `sizes`, in `dims` or in all.

    Inputs that are masked have the type in which `op` accumulates.
    """
    if not sizes.keys() & {*(range(len(operands[0].shape)) if dims is None else dims)}:
        return [each.value for each in operands]
    accumulators = [element_type(argument) for argument in op.body.block.args[: len(operands)]]
    return [
        code.masked(Padded(converted(each.value, type, code), sizes), converted(fill, type, code), dims)
        for each, fill, type in zip(operands, fills(op, code), accumulators, strict=True)
    ]


def common_sizes(inputs: Sequence[Padded]) -> dict[int, SSAValue]:
    """The sizes of tensors of one shape: each that one of them knows."""
    return {d: size for each in reversed(inputs) for d, size in each.sizes.items()}


class PadReduce(PadPattern[stablehlo.ReduceOp]):
    """`reduce (set_dimension_size %a, %n) applies add` -> `reduce (select (iota < %n), %a, 0) applies add`"""

    op_types = (stablehlo.ReduceOp,)

    @staticmethod
    def refusal(op: stablehlo.ReduceOp) -> str | None:
        shapes = {largest_shape(each.type) for each in op.inputs}
        return None if len(shapes) == 1 else "its inputs have different bounds"

    def padded(self, op: stablehlo.ReduceOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        count, dims = len(op.inputs), op.dimensions.get_values()
        sizes = common_sizes(operands[:count])
        inputs = masked(op, operands[:count], sizes, code, dims)
        kept = [d for d in range(len(operands[0].shape)) if d not in dims]
        of_result = {kept.index(d): size for d, size in sizes.items() if d in kept}
        made = code.remade(op, [*inputs, *(each.value for each in operands[count:])])
        return [Padded(value, of_result) for value in made]


class PadReduceWindow(PadPattern[stablehlo.ReduceWindowOp]):
    """`reduce_window (set_dimension_size %a, %n)` -> `reduce_window (select (iota < %n), %a, 0)`, of fewer positions"""

    op_types = (stablehlo.ReduceWindowOp,)

    @staticmethod
    def refusal(op: stablehlo.ReduceWindowOp) -> str | None:
        if len({largest_shape(each.type) for each in op.inputs}) != 1:
            return "its inputs have different bounds"
        dims = {d for each in op.inputs for d in dynamic_dims(each.type)}
        window = op.window()
        if any(window[d].base_dilation != 1 or window[d].low < 0 or window[d].high < 0 for d in dims):
            return "a dynamic dimension has gaps between its elements, or negative padding"
        return None

    def padded(self, op: stablehlo.ReduceWindowOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        count = len(op.inputs)
        sizes = common_sizes(operands[:count])
        inputs = masked(op, operands[:count], sizes, code)
        positions: dict[int, SSAValue] = {}
        for d, size in sizes.items():
            window = op.window()[d]
            beyond = window.low + window.high - dilated(window.size, window.window_dilation) + window.stride
            reached = code.at_least_zero(code.add(size, code.number(beyond)))
            positions[d] = code.divide(reached, code.number(window.stride))
        made = code.remade(op, [*inputs, *(each.value for each in operands[count:])])
        return [Padded(value, positions) for value in made]
