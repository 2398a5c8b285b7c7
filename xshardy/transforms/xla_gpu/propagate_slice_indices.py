"""
Mark in every function which slice of the buffers of the kernel each of its tensors is.

The functions of a fusion take the tensors of its entry function, in the same order, before anything else (row
XGPU-19), so the facts of an entry argument hold for the argument at the same position. Source: row XGPU-39.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.function_attributes import argument_attributes, set_argument_attributes
from xshardy.dialects.xla_gpu.discardable import ENTRY, INVARIANT, SLICE_INDEX, entry_function, is_entry, set_entry
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.signature import documented_name

PROPAGATED = frozenset((SLICE_INDEX, INVARIANT))
"""The facts about a buffer that every function may rely on."""


def slice_facts(entry: FuncOp) -> tuple[dict[str, Attribute], ...]:
    """What each argument of the entry function says of its buffer."""
    return tuple(
        {key: fact for key, fact in attributes.items() if documented_name(key) in PROPAGATED}
        for attributes in argument_attributes(entry)
    )


def leading_tensors(function: FuncOp) -> int:
    """How many tensors the arguments of `function` begin with."""
    inputs = function.function_type.inputs.data
    return next((i for i, type_ in enumerate(inputs) if not isinstance(type_, TensorType)), len(inputs))


@dataclass(frozen=True)
class MarkEntry(RewritePattern):
    """`func @f` -> `func @f attributes {xla.entry}`, for the entry function, so that later passes find it marked."""

    entry: FuncOp | None

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /):
        if op is self.entry and not is_entry(op):
            set_entry(op)
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class CopySliceFacts(RewritePattern):
    """`@entry(%a {slice 0})`, `@f(%x, %i)` -> `@f(%x {slice 0}, %i)`, for every function but the entry function."""

    entry: FuncOp | None
    facts: Sequence[Mapping[str, Attribute]]
    """Of each argument of the entry function."""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /):
        count = leading_tensors(op)
        if op is self.entry or not any(self.facts[:count]):
            return
        attributes = argument_attributes(op)
        for facts, of_argument in zip(self.facts, attributes[:count], strict=False):
            of_argument.update(facts)
        set_argument_attributes(op, attributes)
        rewriter.notify_op_modified(op)


class PropagateSliceIndicesPass(PatternPass):
    """
    Copy the slice index and the invariance of each entry argument to the arguments of all functions.

    The entry function is marked if it is not yet: it is the only public function then.
    """

    name = "xla-gpu-propagate-slice-indices"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM", propagate_slice_indices (XGPU-39, XGPU-59)'

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        entry = entry_function(module)
        if entry is None and any(isinstance(op, FuncOp) for op in module.ops):
            raise PassFailedException(
                f"{self.name}: the module has no entry function: mark the kernel with the attribute `{ENTRY}`"
            )
        return (MarkEntry(entry), CopySliceFacts(entry, () if entry is None else slice_facts(entry)))
