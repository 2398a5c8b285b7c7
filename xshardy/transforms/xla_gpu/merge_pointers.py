"""
Merge arguments that hold the same slice of a buffer: arguments with the same slice index are the same pointer.

Buffer assignment may assign one slice to two tensors. The signature of an entry function is the interface of the
kernel, so its duplicate arguments remain, unused. Run `xla-gpu-propagate-slice-indices` and `xla-gpu-lower-tensors`
first. Source: row XGPU-39.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.attribute_names import xla_attribute
from xshardy.dialects.function_attributes import argument_attributes, set_argument_attributes
from xshardy.dialects.xla_gpu.discardable import NOT_INVARIANT, SLICE_INDEX, entry_function, is_entry
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.signature import documented_name, erase_arguments

NOALIAS = "llvm.noalias"
"""The argument attribute for LLVM that no other pointer accesses the same memory."""

Duplicates = Mapping[str, Mapping[int, int]]
"""For each function, by name: the positions of duplicate arguments, and of the first argument with the same slice."""


def duplicate_arguments(function: func.FuncOp) -> dict[int, int]:
    """
    For each argument of `function` with the slice of an earlier one, the position of the first argument with the slice.

    `(slice 0, slice 1, slice 0, no slice)` gives `{2: 0}`.
    """
    first: dict[Attribute, int] = {}
    duplicates: dict[int, int] = {}
    for position, attributes in enumerate(argument_attributes(function)):
        index = xla_attribute(attributes, SLICE_INDEX)
        if index is not None and first.setdefault(index, position) != position:
            duplicates[position] = first[index]
    return duplicates


def mark_slices_noalias(function: func.FuncOp, rewriter: PatternRewriter) -> None:
    """
    `%a {slice 0}` -> `%a {llvm.noalias}`: slices do not overlap, and each is now accessed through one pointer. A slice
    that is `xla.not_invariant` only loses its marks.
    """
    attributes = argument_attributes(function)
    slices = [
        (of_argument, key) for of_argument in attributes for key in of_argument if documented_name(key) == SLICE_INDEX
    ]
    for of_argument, key in slices:
        del of_argument[key]
        if xla_attribute(of_argument, NOT_INVARIANT) is None:
            of_argument[NOALIAS] = UnitAttr()
        for mark in [each for each in of_argument if documented_name(each) == NOT_INVARIANT]:
            del of_argument[mark]
    if slices:
        set_argument_attributes(function, attributes)
        rewriter.notify_op_modified(function)


@dataclass(frozen=True)
class UseFirstPointer(RewritePattern):
    """`@f(%a {slice 0}, %b {slice 0}) { use(%b) }` -> `@f(%a {noalias}, %b {noalias}) { use(%a) }`."""

    duplicates: Duplicates

    @match_op_type
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /):
        if not op.is_declaration:
            for duplicate, first in self.duplicates.get(op.sym_name.data, {}).items():
                rewriter.replace_all_uses_with(op.args[duplicate], op.args[first])
        mark_slices_noalias(op, rewriter)


@dataclass(frozen=True)
class EraseDuplicateArguments(RewritePattern):
    """`@f(%a, %b) { use(%a) }` -> `@f(%a) { use(%a) }`, for all but entry functions, if both held the same slice."""

    erased: Duplicates

    @match_op_type
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /):
        if positions := self.erased.get(op.sym_name.data):
            erase_arguments(op, positions)
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class DropDuplicateOperands(RewritePattern):
    """`call @f(%a, %b, %a)` -> `call @f(%a, %b)`, where the last argument of `@f` is erased."""

    erased: Duplicates

    @match_op_type
    def match_and_rewrite(self, op: func.CallOp, rewriter: PatternRewriter, /):
        if positions := self.erased.get(op.callee.string_value()):
            op.operands = [operand for position, operand in enumerate(op.operands) if position not in positions]
            rewriter.notify_op_modified(op)


class MergePointersPass(PatternPass):
    """Merge the arguments of each function that hold the same slice of a buffer, and mark the others `llvm.noalias`."""

    name = "xla-gpu-merge-pointers"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM", merge_pointers_to_same_slice (XGPU-39, XGPU-59)'

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        functions = functions_of(module)
        duplicates = {name: duplicate_arguments(function) for name, function in functions.items()}
        entries = {function for function in functions.values() if is_entry(function)} or {entry_function(module)}
        yield Step((UseFirstPointer(duplicates),))
        erased = {name: duplicates[name] for name, function in functions.items() if function not in entries}
        yield Step((EraseDuplicateArguments(erased), DropDuplicateOperands(erased)))
