"""The signature of a function as passes see it: the attributes of its arguments, and arguments that go away."""

from collections.abc import Collection, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType
from xdsl.ir import Attribute


def argument_attributes(function: func.FuncOp) -> list[dict[str, Attribute]]:
    """The attributes of each argument of `function`: a fresh dictionary per argument, empty where it has none."""
    if function.arg_attrs is None:
        return [{} for _ in function.function_type.inputs]
    return [dict(attributes.data) for attributes in function.arg_attrs]


def set_argument_attributes(function: func.FuncOp, attributes: Sequence[dict[str, Attribute]]) -> None:
    """Give `function` these attributes, one dictionary per argument."""
    if any(attributes):
        function.arg_attrs = ArrayAttr(DictionaryAttr(of_argument) for of_argument in attributes)
    else:
        function.properties.pop("arg_attrs", None)


def documented_name(key: str) -> str:
    """The documented name of a discardable attribute: `xla.slice_index`, of `xla_gpu.slice_index` too."""
    return key.replace("xla_gpu.", "xla.", 1)


def erase_arguments(function: func.FuncOp, positions: Collection[int]) -> None:
    """Erase the arguments at `positions`, which nothing may use, and their attributes. Calls stay as they are."""
    attributes = argument_attributes(function)
    inputs = function.function_type.inputs.data
    kept = [position for position in range(len(inputs)) if position not in positions]
    if not function.is_declaration:
        for argument in [function.args[position] for position in positions]:
            function.body.block.erase_arg(argument)
    function.function_type = FunctionType.from_lists(
        [inputs[position] for position in kept], function.function_type.outputs.data
    )
    set_argument_attributes(function, [attributes[position] for position in kept])
