"""
Annotate the tensors of every function with the slice of the kernel's buffers.

The functions of a fusion take the tensors of its entry function first, in the same order (row XGPU-19), so the facts
about an entry argument hold for the argument at the same position. Source: row XGPU-39.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.function_attributes import argument_attributes, set_argument_attributes
from xshardy.dialects.xla_gpu.discardable import (
    ENTRY,
    INVARIANT,
    NOT_INVARIANT,
    SLICE_INDEX,
    entry_function,
    is_entry,
    set_entry,
)
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.signature import documented_name

PROPAGATED = frozenset((SLICE_INDEX, INVARIANT, NOT_INVARIANT))
"""The buffer facts that hold in every function."""


def slice_facts(entry: FuncOp) -> tuple[dict[str, Attribute], ...]:
    """The facts of each argument of the entry function about its buffer."""
    return tuple(
        {key: fact for key, fact in attributes.items() if documented_name(key) in PROPAGATED}
        for attributes in argument_attributes(entry)
    )


def leading_tensors(function: FuncOp) -> int:
    """The number of leading tensor arguments of `function`."""
    inputs = function.function_type.inputs.data
    return next((i for i, type_ in enumerate(inputs) if not isinstance(type_, TensorType)), len(inputs))


class MarkEntry(DecisionPattern[FuncOp, None]):
    """`func @f` -> `func @f attributes {xla.entry}`, for an unmarked entry function."""

    def rewrite(self, op: FuncOp, decision: None, rewriter: PatternRewriter, /) -> None:
        set_entry(op)
        rewriter.notify_op_modified(op)


class CopySliceFacts(DecisionPattern[FuncOp, Sequence[Mapping[str, Attribute]]]):
    """`@entry(%a {slice 0})`, `@f(%x, %i)` -> `@f(%x {slice 0}, %i)`, for every function except the entry function."""

    def rewrite(self, op: FuncOp, decision: Sequence[Mapping[str, Attribute]], rewriter: PatternRewriter, /) -> None:
        attributes = argument_attributes(op)
        for of_argument, facts in zip(attributes, decision, strict=False):
            of_argument.update(facts)
        set_argument_attributes(op, attributes)
        rewriter.notify_op_modified(op)


class PropagateSliceIndicesPass(PatternPass):
    """
    Copy the slice index and the invariance of each entry argument to the arguments of all functions.

    An unmarked entry function is marked: it is the only public function.
    """

    name = "xla-gpu-propagate-slice-indices"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM", propagate_slice_indices (XGPU-39, XGPU-59)'

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        functions = functions_of(module).values()
        entry = entry_function(module)
        if entry is None:
            if functions:
                raise PassFailedException(
                    f"{self.name}: the module has no entry function: mark the kernel with the attribute `{ENTRY}`"
                )
            return (MarkEntry({}), CopySliceFacts({}))
        facts = slice_facts(entry)
        copied = {function: facts[: leading_tensors(function)] for function in functions if function is not entry}
        return (MarkEntry({} if is_entry(entry) else {entry: None}), CopySliceFacts(copied))
