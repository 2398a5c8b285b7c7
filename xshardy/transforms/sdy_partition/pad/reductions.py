"""Reductions of padded tensors: padding becomes the neutral element of the reduction."""

from collections.abc import Sequence

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.dialects.stablehlo.windows import WindowDimension, dilated
from xshardy.facts.neutral_elements import neutral_element
from xshardy.transforms.sdy_partition.pad.contractions import padding_of, window_over
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensors
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode
from xshardy.transforms.sdy_partition.pad.padding_pattern import PaddingPattern


def _kept(dims: Sequence[int], shape: Sequence[int]) -> list[int]:
    return [extent for dim, extent in enumerate(shape) if dim not in dims]


class PadReduce(PaddingPattern[stablehlo.ReduceOp, PaddedTensors]):
    """
    `reduce(%a) applies maximum` -> `reduce(select %is_valid, %a, -inf) applies maximum`

    Requires: a single input and a neutral element, if a padded dimension is reduced.
    """

    @staticmethod
    def decide(op: stablehlo.ReduceOp, tensors: PaddedTensors) -> PaddedTensors | None:
        sources, dims = tensors.operands[: len(op.inputs)], op.dimensions.get_values()
        if any(source.padded != sources[0].padded for source in sources):
            return None
        if any(_kept(dims, sources[0].padded) != [*target.padded] for target in tensors.results):
            return None
        is_reduced = any(dim in dims for dim in sources[0].padded_dims)
        has_neutral = len(sources) == 1 and neutral_element(op.body.block) is not None
        return tensors if has_neutral or not is_reduced else None

    def rewrite(self, op: stablehlo.ReduceOp, decision: PaddedTensors, code: PaddingCode) -> None:
        source, neutral = decision.operands[0], neutral_element(op.body.block)
        if neutral is None or not {*source.padded_dims} & {*op.dimensions.get_values()}:
            return
        if source.has_zeros and not any(neutral.data.data):
            return
        value = code.converted(op.operands[0], neutral.type.element_type, source.sharding)
        op.operands[0] = code.masked(value, source, neutral, op.dimensions.get_values())
        code.rewriter.notify_op_modified(op)


def reads_padding(dimension: WindowDimension, size: int, positions: int) -> bool:
    """Whether a window that has this many `positions` reaches beyond `size` elements."""
    last = (positions - 1) * dimension.stride + dilated(dimension.size, dimension.window_dilation) - 1
    return positions > 0 and last - dimension.low >= size * dimension.base_dilation


def windows_over(
    window: Sequence[WindowDimension], sizes: Sequence[int], positions: Sequence[int]
) -> list[WindowDimension]:
    """`window` with padding so that it has this many `positions` over dimensions of these `sizes`."""
    return [window_over(*each) for each in zip(window, sizes, positions, strict=True)]


class PadReduceWindow(PaddingPattern[stablehlo.ReduceWindowOp, PaddedTensors]):
    """
    `reduce_window(%a, %init)` -> `reduce_window((select %is_valid, %a, %init), %init)`, if windows reach the padding.

    Requires: equal padding of all inputs, and of all results.
    """

    @staticmethod
    def decide(op: stablehlo.ReduceWindowOp, tensors: PaddedTensors) -> PaddedTensors | None:
        sources = tensors.operands[: len(op.inputs)]
        fits = all(len({tensor.padded for tensor in alike}) == 1 for alike in (sources, tensors.results))
        return tensors if fits else None

    def rewrite(self, op: stablehlo.ReduceWindowOp, decision: PaddedTensors, code: PaddingCode) -> None:
        source, target, window = decision.operands[0], decision.results[0], op.window()
        cases = enumerate(zip(window, source.shape, target.shape, strict=True))
        dims = [dim for dim, case in cases if reads_padding(*case)]
        for index, tensor in enumerate(decision.operands[: len(op.inputs)]):
            if dims:
                accumulator = tensor_type(op.body.block.args[index]).element_type
                value = code.converted(op.inputs[index], accumulator, tensor.sharding)
                initial = code.converted(op.init_values[index], accumulator)
                op.operands[index] = code.masked(value, tensor, initial, dims)
        after = windows_over(window, source.padded, target.padded)
        if after != list(window):
            op.padding = padding_of(after)
        code.rewriter.notify_op_modified(op)


class PadSelectAndScatter(PaddingPattern[stablehlo.SelectAndScatterOp, PaddedTensors]):
    """
    `select_and_scatter(%a, %b)` -> `select_and_scatter(%a, (select %is_valid, %b, 0))`

    Requires: a neutral element of the scatter, if the source has padding.

    Refuses: windows that reach padding.
    """

    @staticmethod
    def decide(op: stablehlo.SelectAndScatterOp, tensors: PaddedTensors) -> PaddedTensors | None:
        operand, source, _ = tensors.operands
        cases = zip(op.window(), operand.shape, source.shape, strict=True)
        padded = {*operand.padded_dims}
        fits = (
            operand.padded == tensors.results[0].padded
            and not any(dim in padded and reads_padding(*case) for dim, case in enumerate(cases))
            and (not source.padded_dims or neutral_element(op.scatter.block) is not None)
            and tensor_type(op.scatter.block.args[0]).element_type == tensor_type(op.source).element_type
        )
        return tensors if fits else None

    def rewrite(self, op: stablehlo.SelectAndScatterOp, decision: PaddedTensors, code: PaddingCode) -> None:
        operand, source, _ = decision.operands
        if (neutral := neutral_element(op.scatter.block)) is not None:
            op.operands[1] = code.masked(op.source, source, neutral)
        after = windows_over(op.window(), operand.padded, source.padded)
        if after != list(op.window()):
            op.padding = padding_of(after)
        code.rewriter.notify_op_modified(op)
