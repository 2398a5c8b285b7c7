"""
Tell every function which of its tensors are which slices of the buffers of the kernel.

The functions of a fusion take the tensors of its entry function, in the same order, before anything else (row
XGPU-19), so the facts of an entry argument hold for the argument at the same position. Source: row XGPU-39.
"""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.function_attributes import argument_attributes, set_argument_attributes
from xshardy.dialects.xla_gpu.discardable import ENTRY, INVARIANT, SLICE_INDEX, is_entry
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.signature import documented_name

PROPAGATED = frozenset((SLICE_INDEX, INVARIANT))
"""The facts about a buffer that every function may rely on."""


def leading_tensors(function: func.FuncOp) -> int:
    """How many tensors the arguments of `function` begin with."""
    inputs = function.function_type.inputs.data
    return next((i for i, type_ in enumerate(inputs) if not isinstance(type_, TensorType)), len(inputs))


def copy_slice_facts(entry_attributes: Sequence[dict[str, Attribute]], function: func.FuncOp) -> None:
    """`@entry(%a {slice 0})`, `@f(%x, %i)` -> `@f(%x {slice 0}, %i)`."""
    attributes = argument_attributes(function)
    count = leading_tensors(function)
    for of_entry, of_argument in zip(entry_attributes, attributes[:count], strict=False):
        of_argument.update({key: fact for key, fact in of_entry.items() if documented_name(key) in PROPAGATED})
    set_argument_attributes(function, attributes)


class PropagateSliceIndicesPass(ModulePass):
    """Copy the slice index and the invariance of each entry argument to the arguments of all functions."""

    name = "xla-gpu-propagate-slice-indices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = functions_of(op).values()
        entry = next((function for function in functions if is_entry(function)), None)
        if entry is None:
            raise PassFailedException(
                f"{self.name}: the module has no entry function: mark the kernel with the attribute `{ENTRY}`"
            )
        entry_attributes = argument_attributes(entry)
        for function in functions:
            if function is not entry:
                copy_slice_facts(entry_attributes, function)
