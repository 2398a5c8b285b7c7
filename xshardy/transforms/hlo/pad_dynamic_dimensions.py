"""Programs with dynamic dimensions as programs of static ones."""

from collections.abc import Iterable
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from xshardy.rewriting import BACKWARD, TO_FIXPOINT, PatternPass, Step
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import is_dynamic
from xshardy.transforms.hlo.dynamic_dimensions.patterns import PATTERNS, check
from xshardy.transforms.hlo.dynamic_dimensions.sizes import EraseUnusedSize, SetToBound
from xshardy.transforms.hlo.split_dynamic_borders import BORDERS


class PadDynamicDimensionsPass(PatternPass):
    """
    Pad each dynamic dimension to its bound, and compute its size beside it: `f32[<=8]` becomes `f32[8]` and `s32[]`.

    An operation that would notice what is behind the size in use gets something there that it does not: a sum zeros.
    A parameter or a result of a function becomes its padded tensor, followed by the size of each dynamic dimension; the
    rest of a result is zero. An operation without a rule is refused, and its module left as it was; calls of functions
    have none: inline them first. A size that is negative, or beyond the bound, means nothing, as in XLA.
    """

    name = "hlo-pad-dynamic-dimensions"
    source: ClassVar[str] = "XLA: dynamic dimension inference, dynamic padder"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        dynamic = [op for op in operations_in(module) if is_dynamic(op)]
        for op in dynamic:
            check(op)
        if not dynamic and module.ops:  # an empty module lists the patterns, for the documentation
            return
        patterns = (*BORDERS, SetToBound(), *(pattern() for pattern in PATTERNS))
        yield Step(patterns, TO_FIXPOINT)
        yield Step((EraseUnusedSize(),), BACKWARD)
