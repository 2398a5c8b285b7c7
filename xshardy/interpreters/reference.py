"""What a kernel should compute: the results of the reference, and how far rounding may move each element."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xshardy.interpreters.check import Comparison, Tolerance, compare, distance, tolerance_of
from xshardy.interpreters.random_rounding import F32, RandomRounding, unit_in_last_place, widened
from xshardy.interpreters.reduction_order import ReductionOrder
from xshardy.interpreters.stablehlo import evaluate
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.numerics.element_types import KINDS, Array, Kind

EVALUATIONS = (1, 2, 4, 8, 32)
"""
The numbers of evaluations with random rounding errors.

More of them never allow less, so the next are made only for a result that still differs. A few show the spread of most
elements; an element may be beside a step of the computation, as that of a rounding to integers, which few cross.
"""

MARGIN = 4.0
"""The tolerance in units of the spread: the errors of a kernel are not random."""


Evaluation: TypeAlias = Callable[[FuncOp, Sequence[Any], Mapping[type[Operation], Rule]], list[Array]]
"""What computes the results of a function: `evaluate`, or an evaluation on several devices, whose results it joins."""


class Reference:
    """
    The reference results of a computation for some inputs.

    With `sums_in_parts`, what is compared with them comes from devices that sum parts of contractions.
    """

    def __init__(
        self,
        computation: FuncOp,
        inputs: Sequence[Any],
        *,
        sums_in_parts: bool = False,
        evaluation: Evaluation | None = None,
    ):
        order = ReductionOrder()
        self.computation = computation
        self.inputs = inputs
        self.sums_in_parts = sums_in_parts
        self.evaluation = evaluation or evaluate
        self.results = self.evaluation(computation, inputs, order.rules)
        self.undefined = order.reasons_of_results(computation)
        """The results, by number, that HLO does not define, and why."""
        self._spreads = [np.zeros(result.shape) for result in self.results]
        self._evaluations = 0

    def spread(self, index: int, evaluations: int) -> Array:
        """
        How far each element of result `index` is from those of evaluations with rounding errors, at most.

        The few bits of types narrower than f32 hide how near an element is to moving: each is taken to move by as many
        units in the last place as half of the elements do.
        """
        while self._evaluations < evaluations:
            rounding = RandomRounding(self._evaluations, sums_in_parts=self.sums_in_parts)
            moved = self.evaluation(self.computation, self.inputs, rounding.rules)
            self._spreads = [
                np.maximum(spread, distance(result, center))
                for spread, result, center in zip(self._spreads, moved, self.results, strict=True)
            ]
            self._evaluations += 1
        spread, result = self._spreads[index], self.results[index]
        if KINDS[result.dtype] is not Kind.FLOAT or result.dtype.itemsize >= F32.itemsize or not spread.size:
            return spread
        unit = unit_in_last_place(np.asarray(widened(result)), result.dtype)
        units = np.median(spread / unit)
        return np.maximum(spread, units * unit) if np.isfinite(units) else spread

    def compare(self, index: int, actual: Array, tolerance: Tolerance | None = None) -> Comparison:
        """
        Compare `actual` with result `index`. Without a `tolerance`, each element has its own: a few units in the last
        place, and `MARGIN` times the spread of its evaluations with rounding errors.
        """
        expected = self.results[index]
        usual = tolerance_of(expected.dtype)
        result = compare(actual, expected, tolerance=tolerance or usual)
        for evaluations in EVALUATIONS if tolerance is None else ():
            if not result:
                allowed = usual.absolute + MARGIN * self.spread(index, evaluations)
                result = compare(actual, expected, tolerance=Tolerance(usual.relative, allowed))
        return result
