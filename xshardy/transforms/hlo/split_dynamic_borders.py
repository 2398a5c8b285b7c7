"""Programs whose parameters and results are of static size, though dynamic inside."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.calls import PAD_TO_STATIC
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.call_graph import is_private
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import SIZE, PaddedCode
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import dynamic_dims, largest_shape, largest_type


class ParametersByParts(RewritePattern):
    """`func @main(%x: tensor<?xf32, bounds<8>>)` -> `func @main(%x: tensor<8xf32>, %size: tensor<i32>)`"""

    @match_op_type
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /):
        inputs = [*op.function_type.inputs]
        if op.body.blocks and not is_private(op) and any(map(dynamic_dims, inputs)):
            block = op.body.block
            PaddedCode(rewriter, InsertPoint.at_start(block)).arguments_by_parts(block)
            op.arg_attrs = attributes_of_parts(op.arg_attrs, inputs)
            op.function_type = FunctionType.from_lists([*block.arg_types], [*op.function_type.outputs])
            rewriter.notify_op_modified(op)


class ResultsByParts(RewritePattern):
    """`return %x` -> `return (custom_call @PadToStatic(%x))#0, #1`: the tensor, and its sizes"""

    @match_op_type
    def match_and_rewrite(self, op: func.ReturnOp, rewriter: PatternRewriter, /):
        function, types = op.parent_op(), [value.type for value in op.operands]
        if not isinstance(function, func.FuncOp) or is_private(function) or not any(map(dynamic_dims, types)):
            return
        parts: list[SSAValue] = []
        for value in op.operands:
            parts += static_parts(value, rewriter) if dynamic_dims(value.type) else [value]
        op.operands = parts
        function.res_attrs = attributes_of_parts(function.res_attrs, types)
        outputs = [value.type for value in parts]
        function.function_type = FunctionType.from_lists([*function.function_type.inputs], outputs)
        rewriter.notify_op_modified(op)
        rewriter.notify_op_modified(function)


def static_parts(value: SSAValue, rewriter: PatternRewriter) -> list[SSAValue]:
    """`value` with zeros up to its bounds, and the size of each dynamic dimension."""
    call = stablehlo.CustomCallOp.create(
        operands=[value],
        result_types=[largest_type(value.type), *(SIZE for _ in largest_shape(value.type))],
        properties={"call_target_name": StringAttr(PAD_TO_STATIC)},
    )
    rewriter.insert(call)
    whole, *sizes = call.results
    return [whole, *(sizes[d] for d in dynamic_dims(value.type))]


def attributes_of_parts(
    attributes: ArrayAttr[DictionaryAttr] | None, types: Sequence[Attribute]
) -> ArrayAttr[DictionaryAttr] | None:
    """The attributes of parameters, or of results, of `types`, for their parts: a size has none."""
    if attributes is None:
        return None
    parts: list[DictionaryAttr] = []
    for own, type in zip(attributes, types, strict=True):
        parts += [own, *(DictionaryAttr({}) for _ in dynamic_dims(type))]
    return ArrayAttr(parts)


BORDERS = (ParametersByParts(), ResultsByParts())


class SplitDynamicBordersPass(PatternPass):
    """
    Give a program a parameter of static size, and its sizes, for each dynamic parameter; the same for results.

    `f32[<=8]` becomes `f32[8]` and `s32[]`, one for each dynamic dimension. The rest of a result is zero.
    """

    name = "hlo-split-dynamic-borders"
    source: ClassVar[str] = "ours; XLA has the sizes behind the elements in memory"
    fixed_patterns = BORDERS
