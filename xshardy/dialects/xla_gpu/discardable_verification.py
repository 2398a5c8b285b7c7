"""
Verification of `xla.range` and `xla.entry` on operations, functions and arguments of any dialect.

Source: rows XGPU-21, XGPU-22 and XGPU-30. `dialects/discardable.py` calls this for every operation.
"""

from collections.abc import Callable, Mapping
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.discardable import DiscardableAttributeVerifier
from xshardy.dialects.xla_gpu.discardable import ENTRY, RANGE
from xshardy.dialects.xla_gpu.output_tensors import verify_outputs_are_written_first


class XlaAttributeVerifier(DiscardableAttributeVerifier):
    """Verifies the attributes `xla.NAME`, which may also be written `xla_gpu.NAME`."""

    def verify_operation_attribute(self, op: Operation, name: str, attribute: Attribute) -> None:
        if (verify := _ON_OPERATIONS.get(_documented_name(name))) is not None:
            verify(op, attribute)

    def verify_argument_attribute(self, op: Operation, index: int, name: str, attribute: Attribute) -> None:
        if _documented_name(name) == RANGE:
            try:
                _verify_range(op, attribute)
            except VerifyException as error:
                raise VerifyException(f"arg {index} - {error}") from None


def _documented_name(name: str) -> str:
    return name.replace("xla_gpu.", "xla.", 1)


def _verify_range(op: Operation, attribute: Attribute) -> None:
    bounds = cast(ArrayAttr[Attribute], attribute).data if isinstance(attribute, ArrayAttr) else ()
    numbers = [bound.value.data for bound in bounds if isinstance(bound, IntegerAttr)]
    if len(bounds) != 2 or len(numbers) != 2:
        raise VerifyException(
            f"{RANGE} should be two integers, the lowest and the highest value, as in `[0 : index, 127 : index]`, "
            f"but is {attribute}"
        )
    if numbers[0] > numbers[1]:
        raise VerifyException(
            f"{RANGE} has no values: {numbers[0]} to {numbers[1]}; write the lowest value first, both included"
        )


def _verify_entry(op: Operation, attribute: Attribute) -> None:
    if isinstance(op, FuncOp):
        verify_outputs_are_written_first(op)


_ON_OPERATIONS: Mapping[str, Callable[[Operation, Attribute], None]] = {ENTRY: _verify_entry, RANGE: _verify_range}
