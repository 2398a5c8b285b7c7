"""The output tensors of a kernel, whose elements are undefined until the kernel writes them. Source: row XGPU-22."""

from collections.abc import Sequence

from xdsl.dialects import scf, tensor, vector
from xdsl.dialects.builtin import FunctionType, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.attribute_names import xla_attribute
from xshardy.dialects.function_attributes import attributes_of_argument
from xshardy.dialects.xla_gpu.discardable import SLICE_INDEX
from xshardy.dialects.xla_gpu.ops import LoopOp, PredicatedExtractOp


def output_arguments(function: FuncOp) -> Sequence[BlockArgument]:
    """
    The arguments that the results of a kernel are written to (row XGPU-21): the last ones, one per result.

    None for a function with another signature, or without a body.
    """
    type = function.properties.get("function_type")
    if not function.body.blocks or not isinstance(type, FunctionType):
        return ()
    results = type.outputs.data
    args = function.body.blocks.first.args if function.body.blocks.first is not None else ()
    outputs = args[len(args) - len(results) :] if len(results) <= len(args) else ()
    is_kernel = all(isinstance(result, TensorType) for result in results)
    return outputs if is_kernel and tuple(output.type for output in outputs) == results else ()


def is_updated_in_place(function: FuncOp, output: BlockArgument) -> bool:
    """Whether `output` is in the buffer of another argument, which defines its elements."""
    index = _slice_index(function, output)
    others = (arg for arg in output.block.args if arg is not output)
    return index is not None and any(_slice_index(function, other) == index for other in others)


def _slice_index(function: FuncOp, arg: BlockArgument) -> object:
    return xla_attribute(attributes_of_argument(function, arg.index), SLICE_INDEX)


def verify_outputs_are_written_first(function: FuncOp) -> None:
    """
    Check that no operation of a kernel reads an output tensor that is still as the kernel got it.

    A loop carries an output in that state into its first iteration. An output that is updated in place may be read.
    """
    for output in output_arguments(function):
        if not is_updated_in_place(function, output):
            _verify_is_written_first(function, output)


def _verify_is_written_first(function: FuncOp, output: BlockArgument) -> None:
    pending: list[SSAValue] = [output]  # a loop has one argument per init, so each value is added once
    while pending:
        value = pending.pop()
        for use in value.uses:
            match use.operation:
                case tensor.ExtractOp() | PredicatedExtractOp() | vector.TransferReadOp() as op:
                    raise VerifyException(
                        f"'{op.name}' reads argument {output.index} of @{function.sym_name.data}, an output, before "
                        "it is written: its elements are undefined. Read what was inserted, or give the argument the "
                        "xla.slice_index of the input that it updates in place"
                    )
                case LoopOp() as loop if use.index >= len(loop.dims):
                    pending.append(loop.iter_args[use.index - len(loop.dims)])
                case scf.ForOp() as loop if use.index >= 3:
                    pending.append(loop.body.block.args[use.index - 2])
                case _:
                    pass
