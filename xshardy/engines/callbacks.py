"""Programs that call back into Python, which no engine can run."""

from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.dialects.stablehlo.python_callbacks import (
    CANNOT_CALL,
    CANNOT_PARTITION,
    CUSTOM_PARTITIONING,
    is_python_callback,
)
from xshardy.programs.custom_partitioning import callback_of
from xshardy.programs.errors import OperationRefusedError
from xshardy.rewriting.walk import operations_of


def refuse_callbacks(module: ModuleOp) -> None:
    """
    Raises `OperationRefusedError` for the first call of `module` into Python, or to a function that Python partitions.

    XLA looks for the function in the process that executes the call, and crashes if another process traced it.
    """
    for call in operations_of(module, CustomCallOp):
        if is_python_callback(call):
            raise OperationRefusedError(call, f"{call.name} @{call.call_target_name.data}: {CANNOT_CALL}")
        if call.call_target_name.data == CUSTOM_PARTITIONING and callback_of(call) is None:
            raise OperationRefusedError(call, f"{call.name} @{CUSTOM_PARTITIONING}: {CANNOT_PARTITION}")
