"""The signature of a function as passes see it: the attributes of its arguments, and arguments that go away."""

from collections.abc import Collection

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType

from xshardy.dialects.function_attributes import argument_attributes, set_argument_attributes
from xshardy.ir.blocks import erase_arguments as erase_block_arguments


def documented_name(key: str) -> str:
    """The documented name of a discardable attribute: `xla.slice_index`, of `xla_gpu.slice_index` too."""
    return key.replace("xla_gpu.", "xla.", 1)


def erase_arguments(function: func.FuncOp, positions: Collection[int]) -> None:
    """Erase the arguments at `positions`, which nothing may use, and their attributes. Calls stay as they are."""
    attributes = argument_attributes(function)
    inputs = function.function_type.inputs.data
    kept = [position for position in range(len(inputs)) if position not in positions]
    if not function.is_declaration:
        arguments = function.args
        erase_block_arguments(function.body.block, [arguments[position] for position in positions])
    function.function_type = FunctionType.from_lists(
        [inputs[position] for position in kept], function.function_type.outputs.data
    )
    set_argument_attributes(function, [attributes[position] for position in kept])
