"""Rules for scans: slices along a dimension, one after the other, with carried values."""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import chlo, hlo
from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value, unsupported
from xshardy.numerics.element_types import Array, numpy_dtype

Step = Callable[[Sequence[Array]], Sequence[Value]]
"""Takes a slice of each input and the carried values; gives a slice of each output and the values to carry on."""


def scanned(
    outputs: Sequence[SSAValue],
    inputs: Sequence[Array],
    carried: Sequence[Value],
    dimension: int,
    order: range,
    step: Step,
) -> Sequence[Value]:
    """
    The `outputs` and the last carried values of `step`, applied to the slices at the places of `order`.

    A slice of an output has the place of the slices of the inputs that it is made of.
    """
    slices: dict[int, Sequence[Value]] = {}
    for place in order:
        returned = step([*(x.take(place, dimension) for x in inputs), *cast(Sequence[Array], carried)])
        slices[place], carried = returned[: len(outputs)], returned[len(outputs) :]
    stacked = [
        np.stack([cast(Array, slices[place][index]) for place in sorted(slices)], dimension)
        if slices
        else np.zeros(shape_of(result), numpy_dtype(result.type))
        for index, result in enumerate(outputs)
    ]
    return [*stacked, *carried]


def places(size: int, *, is_reverse: bool) -> range:
    """The places from first to last, or from last to first."""
    return range(size)[::-1] if is_reverse else range(size)


def chlo_scan(evaluator: Evaluator, op: chlo.ScanOp, *operands: Array) -> Sequence[Value]:
    count, is_reverse = len(op.inputs), op.is_reverse is not None and bool(op.is_reverse.value.data)
    order = places(op.scan_size(), is_reverse=is_reverse)

    def step(arguments: Sequence[Array]) -> Sequence[Value]:
        return evaluator.run(op.body.block, arguments)

    return scanned(op.outputs, operands[:count], operands[count:], op.dimension.value.data, order, step)


def hlo_scan(evaluator: Evaluator, op: hlo.ScanOp, *operands: Array) -> Sequence[Value]:
    if op.num_carries is None or op.dimensions is None or not (carries := op.num_carries.value.data) < len(operands):
        raise unsupported(op, "expected `dimensions`, `num_carries`, and an input before the carried values")
    count, (dimension,) = len(operands) - carries, op.dimensions.get_values()
    is_reverse = op.is_reverse is not None and bool(op.is_reverse.value.data)
    order = places(operands[0].shape[dimension], is_reverse=is_reverse)

    def step(arguments: Sequence[Array]) -> Sequence[Value]:
        return evaluator.call(op.to_apply.root_reference.data, arguments)

    outputs = op.results[: len(op.results) - carries]
    return scanned(outputs, operands[:count], operands[count:], dimension, order, step)


SCANS: Mapping[type[Operation], Rule] = {chlo.ScanOp: chlo_scan, hlo.ScanOp: hlo_scan}
