"""
Inline small functions that read tensors into short loops that call them, so that the reads can be vectorized; and
functions with a single call left, so that their indices are simplified together with those of the caller.

The inliner keeps a function with several calling loops, whose reads then stay scalar. LLVM would inline the function
too, but cannot prove the alignment of its reads any more. The inliner also keeps a function whose calls were equal, and
became one only afterwards; LLVM does not cancel the linearization of delinearized indices.
"""

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from xdsl.dialects import func, scf, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from xshardy.dialects.xla_gpu import PureCallOp
from xshardy.rewriting import TO_FIXPOINT, PatternPass, Step
from xshardy.rewriting.walk import operations_from
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.inline import (
    NOINLINE,
    BlockCensus,
    Call,
    CallCensus,
    CopyBody,
    InliningRule,
    MoveBodyOfOnlyCall,
)
from xshardy.transforms.xla_gpu.counted_loops import trip_count
from xshardy.transforms.xla_gpu.vectorize_loads_stores import LENGTHS

MAX_SIZE = 64
"""The maximal number of operations of an inlined function."""


def is_small_reader(function: func.FuncOp) -> bool:
    """Whether `function` reads tensors in straight-line code without calls, small enough to be cloned."""
    if len(function.body.blocks) != 1 or any(op.regions for op in function.body.block.ops):
        return False
    block = function.body.block
    census = BlockCensus.of(block)
    return census.size <= MAX_SIZE and not census.calls and any(isinstance(op, tensor.ExtractOp) for op in block.ops)


def is_vector_loop(loop: scf.ForOp) -> bool:
    """Whether the trip count of `loop` is the length of a vector."""
    return trip_count(loop) in LENGTHS


def calls_to_inline(module: ModuleOp) -> tuple[PureCallOp, ...]:
    """
    The calls of small readers by loops over the elements of a vector, in program order.

    A function that a loop calls several times per iteration reads at several positions; inlining it does not pay off.
    """
    readers = {name for name, function in functions_of(module).items() if is_small_reader(function)}
    bodies: dict[Block, Counter[str]] = {}
    calls: list[PureCallOp] = []
    for call in operations_from(module):
        if not isinstance(call, PureCallOp) or NOINLINE in call.attributes:
            continue
        name, block, loop = call.callee.string_value(), call.parent_block(), call.parent_op()
        if name not in readers or block is None or not isinstance(loop, scf.ForOp) or not is_vector_loop(loop):
            continue
        if block not in bodies:
            bodies[block] = BlockCensus.of(block).calls
        if bodies[block][name] == 1:
            calls.append(call)
    return tuple(calls)


class InlineIntoLoopsPass(PatternPass):
    """Inline small functions that read tensors into loops over the elements of a vector, and functions called once."""

    name = "xla-gpu-inline-into-loops"
    source: ClassVar[str] = 'none upstream: it lets XGPU-35, "Vectorization", see the reads of small functions'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        calls = frozenset[Operation](calls_to_inline(module))
        census = CallCensus.of(module)
        rule = InliningRule(census, recursive=frozenset())

        def is_chosen(call: Call, callee: func.FuncOp) -> bool:
            is_only_call = census.is_only_call(callee) and not callee.is_ancestor(call)
            return call in calls or (is_only_call and rule(call, callee))

        yield Step((MoveBodyOfOnlyCall(census, is_chosen), CopyBody(census, is_chosen)), TO_FIXPOINT)
