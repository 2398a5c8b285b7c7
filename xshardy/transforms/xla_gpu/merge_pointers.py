"""
Pass a slice of a buffer once: arguments with the same slice index hold the same pointer.

Buffer assignment may give two tensors one slice. The signature of an entry function is the interface of the kernel, so
there the duplicates remain, unused. Run `xla-gpu-propagate-slice-indices` and `xla-gpu-lower-tensors` first.
Source: row XGPU-39.
"""

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from xshardy.dialects.function_attributes import argument_attributes, set_argument_attributes
from xshardy.dialects.xla_gpu.discardable import SLICE_INDEX, is_entry, read
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.signature import documented_name, erase_arguments

NOALIAS = "llvm.noalias"
"""The argument attribute with which LLVM may assume that no other pointer reaches the same memory."""


def duplicate_arguments(function: func.FuncOp) -> dict[int, int]:
    """
    For each argument of `function` that holds the slice of an earlier one, the position of the first that holds it.

    `(slice 0, slice 1, slice 0, no slice)` gives `{2: 0}`.
    """
    first: dict[Attribute, int] = {}
    duplicates: dict[int, int] = {}
    for position, attributes in enumerate(argument_attributes(function)):
        index = read(attributes, SLICE_INDEX)
        if index is not None and first.setdefault(index, position) != position:
            duplicates[position] = first[index]
    return duplicates


def use_first_of_slice(function: func.FuncOp, duplicates: Mapping[int, int]) -> None:
    """`f(%a {slice 0}, %b {slice 0}) { use(%b) }` -> `f(%a, %b) { use(%a) }`."""
    if function.is_declaration:
        return
    for duplicate, first in duplicates.items():
        function.args[duplicate].replace_all_uses_with(function.args[first])


def replace_slices_by_noalias(function: func.FuncOp) -> None:
    """`%a {slice 0}` -> `%a {llvm.noalias}`: two slices never overlap, and each is now used through one pointer."""
    attributes = argument_attributes(function)
    for of_argument in attributes:
        for key in [key for key in of_argument if documented_name(key) == SLICE_INDEX]:
            del of_argument[key]
            of_argument[NOALIAS] = UnitAttr()
    set_argument_attributes(function, attributes)


def drop_operands(call: func.CallOp, positions: Mapping[int, int]) -> None:
    """`call @f(%a, %b, %a)` -> `call @f(%a, %b)` for position 2."""
    call.operands = [operand for position, operand in enumerate(call.operands) if position not in positions]


class MergePointersPass(ModulePass):
    """Merge the arguments of each function that hold the same slice of a buffer, and mark the others `llvm.noalias`."""

    name = "xla-gpu-merge-pointers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = functions_of(op)
        duplicates = {name: duplicate_arguments(function) for name, function in functions.items()}
        erased = {name: duplicates[name] for name, function in functions.items() if not is_entry(function)}
        for call in op.walk():
            if isinstance(call, func.CallOp) and (positions := erased.get(call.callee.string_value())):
                drop_operands(call, positions)
        for name, function in functions.items():
            use_first_of_slice(function, duplicates[name])
            if name in erased:
                erase_arguments(function, erased[name])
            replace_slices_by_noalias(function)
