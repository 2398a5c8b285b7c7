"""Programs with buffers, `b(f32[4])` in HLO text, as programs of arrays."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.hlo import AsyncBundleType
from xshardy.dialects.hlo.instruction import elements
from xshardy.dialects.stablehlo import CustomCallOp
from xshardy.dialects.stablehlo.calls import contents_of
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.rewriting.walk import operations_of

IN_PLACE = ("Pin", "Unpin")
"""The calls that make an array a buffer, and a buffer an array."""


def of_arrays(type: Attribute) -> Attribute:
    """`tuple<memref<4xf32>, tensor<i32>>` -> `tuple<tensor<4xf32>, tensor<i32>>`"""
    match type:
        case MemRefType():
            return contents_of(type)
        case TupleType():
            return tuple_type([of_arrays(part) for part in elements(type)])
        case AsyncBundleType():
            parts = (type.operands, type.outputs, type.contexts)
            return AsyncBundleType.of(*([of_arrays(part) for part in types] for types in parts))
        case _:
            return type


class EraseInPlaceCalls(RewritePattern):
    """`custom_call @Pin(%x)` -> `%x`; the same for `Unpin`"""

    @match_op_type
    def match_and_rewrite(self, op: CustomCallOp, rewriter: PatternRewriter, /):
        if op.call_target_name.data in IN_PLACE:
            rewriter.replace(op, (), op.inputs)


class RetypeBuffers(RewritePattern):
    """`%b = custom_call @f(%x) : memref<4xf32>` -> `%b = custom_call @f(%x) : tensor<4xf32>`; also block arguments"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if not isinstance(op, FuncOp):
            retype([*op.results, *arguments_in(op)], rewriter)


class RetypeSignatures(RewritePattern):
    """`func @f(memref<4xf32>)` -> `func @f(tensor<4xf32>)`"""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /):
        inputs, outputs = op.function_type.inputs, op.function_type.outputs
        types = FunctionType.from_lists([*map(of_arrays, inputs)], [*map(of_arrays, outputs)])
        if types != op.function_type:
            retype(arguments_in(op), rewriter)
            op.function_type = types
            rewriter.notify_op_modified(op)


def arguments_in(op: Operation) -> list[BlockArgument]:
    """The arguments of the blocks in the regions of `op`."""
    return [argument for region in op.regions for block in region.blocks for argument in block.args]


def retype(values: Sequence[SSAValue], rewriter: PatternRewriter) -> None:
    """Make the buffers among `values` arrays."""
    for value in values:
        if holds_buffer(value):
            rewriter.replace_value_with_new_type(value, of_arrays(value.type))


def holds_buffer(value: SSAValue) -> bool:
    """Whether `value` is a buffer, or has one in it."""
    return of_arrays(value.type) != value.type


def has_buffers(module: ModuleOp) -> bool:
    """Whether there are buffers in `module`: a call makes each of them."""
    calls = operations_of(module, CustomCallOp)
    return any(holds_buffer(value) for call in calls for value in (*call.operands, *call.results))


class BuffersToArraysPass(PatternPass):
    """
    Replace buffers, which calls write in place, by arrays.

    A buffer is written once, so that each of its values is an array of its own. Which results of calls are in the
    memory of which operands stays written on the calls.
    """

    name = "hlo-buffers-to-arrays"
    source: ClassVar[str] = "ours, so that programs with buffers are compiled as others"
    fixed_patterns = (EraseInPlaceCalls(), RetypeBuffers(), RetypeSignatures())
