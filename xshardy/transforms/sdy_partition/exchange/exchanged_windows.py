"""Windows along sharded dimensions: each device gets what its windows reach of other parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, Block, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import Dense
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import WindowDimension, dilated
from xshardy.facts.neutral_elements import identity_of
from xshardy.rewriting.captured import captured
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.exchange.pattern import (
    NO_NEUTRAL_ELEMENT,
    READS_OUTSIDE,
    Gathered,
    has_same_axes,
    is_movable,
    manual_results,
    padded_input,
    part_size,
)
from xshardy.transforms.sdy_partition.exchange.readings import Movement, Reading, dilated_windows
from xshardy.transforms.sdy_partition.local.convolutions import local_groups
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors
from xshardy.transforms.sdy_partition.local.windows import stay_in_parts


def windows_stay(window: WindowDimension, dim: int, source: WholeTensor) -> bool:
    """Whether the windows along `dim` of each part are those of the whole tensor."""
    extent, parts = source.shape[dim], source.parts(dim)
    return extent % parts == 0 and stay_in_parts(window, extent // parts, parts)


def reading_of(window: WindowDimension, windows: int, parts: int) -> Reading:
    """What each part reads that has `windows` windows, of `parts`."""
    step = windows * window.stride
    size = (windows - 1) * window.stride + dilated(window.size, window.window_dilation) if windows else 0
    return dilated_windows(parts, step, -window.low, size, window.base_dilation)


def readings_of(
    windows: Mapping[int, tuple[WindowDimension, int]], source: WholeTensor, target: WholeTensor
) -> dict[int, Reading]:
    """
    What is read along each sharded dimension of `source` where windows leave parts.

    `windows` has the window along each dimension of `source`, and the dimension of `target` with their results.
    """
    return {
        dim: reading_of(window, part_size(target, target_dim), source.parts(dim))
        for dim, (window, target_dim) in windows.items()
        if source.parts(dim) > 1 and not windows_stay(window, dim, source)
    }


def without_base(window: WindowDimension) -> WindowDimension:
    """`window` over what a part reads, which has padding and gaps already."""
    return replace(window, low=0, high=0, base_dilation=1)


def neutral_elements(op: stablehlo.ReduceWindowOp) -> Sequence[Dense | None]:
    """For each input, a scalar that does not change what the windows make of other elements; None if none is known."""
    end, arguments, count = op.body.block.last_op, op.body.block.args, len(op.inputs)
    return [
        neutral_element(combined, {arguments[index], arguments[count + index]})
        for index, combined in enumerate(() if end is None else end.operands)
    ]


def neutral_element(combined: SSAValue, arguments: set[SSAValue]) -> Dense | None:
    """The neutral element of the operation that makes `combined` of exactly these `arguments`."""
    op, element = combined.owner, tensor_type(combined).element_type
    if isinstance(op, Block) or {*op.operands} != arguments:
        return None
    return identity_of(type(op), element)


# -- Reductions of windows --------------------------------------------------------------------------------------------


class ExchangeOfReduceWindow(LocalPattern[stablehlo.ReduceWindowOp, Movement]):
    """
    `reduce_window %x` -> `manual_computation(%x) { reduce_window (exchange %part) }`: the windows of a part.

    Requires: inputs and results sharded alike; a body with a neutral element, which takes the place of padding.
    """

    @staticmethod
    def decide(op: stablehlo.ReduceWindowOp, before: WholeTensors) -> Movement | Gathered | None:
        source, target = before.operands[0], before.results[0]
        inputs, others = before.operands[: len(op.inputs)], before.operands[len(op.inputs) :]
        tensors = (*inputs, *before.results)
        if not is_movable(before) or not all(has_same_axes(tensor, source) for tensor in tensors):
            return None
        if any(tensor.mesh != source.mesh for tensor in tensors) or not all(each.is_replicated for each in others):
            return None
        readings = readings_of({dim: (window, dim) for dim, window in enumerate(op.window())}, source, target)
        if not readings:
            return None
        elements = [tensor_type(value).element_type for value in (*op.inputs, *op.init_values)]
        if captured([op.body]):
            return Gathered(READS_OUTSIDE)
        if elements != [tensor_type(value).element_type for value in op.outputs] * 2:
            return Gathered("inputs, initial values and results have different element types")
        if any(element is None for element in neutral_elements(op)):
            return Gathered(NO_NEUTRAL_ELEMENT)
        return Movement.of(source, readings)

    def rewrite(self, op: stablehlo.ReduceWindowOp, decision: Movement, code: DeviceCode) -> None:
        before, count = WholeTensors.of(op), len(op.inputs)
        paddings = [code.constant(element) for element in neutral_elements(op) if element is not None]
        inputs = [
            *(
                padded_input(value, source, code, padding)
                for value, source, padding in zip(op.inputs, before.operands, paddings, strict=False)
            ),
            *((value, None) for value in (*op.init_values, *paddings)),
        ]

        def body(parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
            values, initials, paddings = parts[:count], parts[count : 2 * count], parts[2 * count :]
            read = [decision.windows(*each, code) for each in zip(values, paddings, strict=True)]
            window = [
                without_base(window) if dim in decision.readings else window for dim, window in enumerate(op.window())
            ]
            types = [local_part(target) for target in before.results]
            region = code.rewriter.move_region_contents_to_new_regions(op.body)
            return code.rewriter.insert(stablehlo.ReduceWindowOp(read, initials, window, region, types)).outputs

        code.replace(op, *manual_results(inputs, before.results, body, code))


def local_part(tensor: WholeTensor) -> TensorType[Attribute]:
    """The type of each part, padding included."""
    return TensorType(tensor_type(tensor.type).element_type, tensor.part_shape)


# -- Convolutions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LocalConvolution:
    """The exchange of the input, and the numbers of groups of features and of batches of a device."""

    movement: Movement
    feature_groups: int
    batch_groups: int


class ExchangeOfConvolution(LocalPattern[stablehlo.ConvolutionOp, LocalConvolution]):
    """
    `convolution %x, %k` -> `manual_computation(%x, %k) { convolution (exchange %part), %k }`: the windows of a part.

    Requires: input and output sharded alike along windows, and the kernel not; all other dimensions divide evenly.
    """

    @staticmethod
    def decide(op: stablehlo.ConvolutionOp, before: WholeTensors) -> LocalConvolution | Gathered | None:
        (input, kernel), (output,) = before.operands, before.results
        if not is_movable(before) or not (kernel.is_replicated or kernel.mesh == input.mesh):
            return Gathered("input, kernel and output are not sharded over one mesh")
        spatial = [*zip(*(dims[2:] for dims in op.dimension_numbers.roles), strict=True)]
        windows = {
            of_input: (window, of_output) for window, (of_input, _, of_output) in zip(op.window(), spatial, strict=True)
        }
        if any(
            kernel.axes(of_kernel) or tuple(input.axes(of_input)) != tuple(output.axes(of_output))
            for of_input, of_kernel, of_output in spatial
        ):
            return Gathered("the kernel is sharded along windows, or input and output are sharded otherwise along them")
        readings = readings_of(windows, input, output)
        if not readings:
            return None
        try:
            groups = local_groups(op, before)
        except OperationFailedException:
            return None  # refused when the program becomes local
        if not _divide_elsewhere(input, {*windows}) or not _divide_elsewhere(kernel, ()):
            return Gathered("a dimension of batches or features does not divide evenly")
        movement = Movement.of(input, readings)
        return movement if isinstance(movement, Gathered) else LocalConvolution(movement, *groups)

    def rewrite(self, op: stablehlo.ConvolutionOp, decision: LocalConvolution, code: DeviceCode) -> None:
        (input, kernel), (output,) = (tensors := WholeTensors.of(op)).operands, tensors.results
        padding = code.zero(tensor_type(op.lhs).element_type)
        inputs = [padded_input(op.lhs, input, code, padding), (op.rhs, kernel.sharding), (padding, None)]

        def body(parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
            part, kernel, padding = parts
            local = stablehlo.ConvolutionOp.create(
                operands=[decision.movement.windows(part, padding, code), kernel],
                result_types=[local_part(output)],
                properties={**op.properties, **_local_properties(op, decision)},
            )
            return [code.insert(local)]

        code.replace(op, *manual_results(inputs, [output], body, code))


def _divide_elsewhere(tensor: WholeTensor, dims: Sequence[int] | set[int]) -> bool:
    """Whether all dimensions other than `dims` divide."""
    shape = enumerate(tensor.shape)
    return all(dim in dims or extent % tensor.parts(dim) == 0 for dim, extent in shape)


def _local_properties(op: stablehlo.ConvolutionOp, decision: LocalConvolution) -> dict[str, Attribute]:
    """The properties of the convolution of a device, other than those that stay."""
    of_input = op.dimension_numbers.input_spatial_dimensions.get_values()
    windows = [
        without_base(window) if dim in decision.movement.readings else window
        for dim, window in zip(of_input, op.window(), strict=True)
    ]
    padding = [amount for window in windows for amount in (window.low, window.high)]
    type = TensorType(i64, [len(windows), 2])
    return {
        "lhs_dilation": integers(window.base_dilation for window in windows),
        "padding": DenseIntOrFPElementsAttr.from_list(type, padding),
        "feature_group_count": IntegerAttr(decision.feature_groups, i64),
        "batch_group_count": IntegerAttr(decision.batch_groups, i64),
    }
