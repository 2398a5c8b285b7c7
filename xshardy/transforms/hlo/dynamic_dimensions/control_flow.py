"""Loops, conditionals and functions: a dynamic tensor that crosses their borders becomes its parts."""

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.rewriting import match_op_type
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_code import PaddedCode, types_of_parts
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import Padded, dynamic_dims


def return_parts(block: Block, types: Sequence[Attribute], rewriter: PatternRewriter) -> None:
    """`return %x` -> `return (set_dimension_size %x, 8), (get_dimension_size %x)`, for results of `types`."""
    end = block.last_op
    assert end is not None
    code = PaddedCode(rewriter, InsertPoint.before(end))
    end.operands = [part for each in zip(end.operands, types, strict=True) for part in code.parts(*each)]


def from_parts(values: Sequence[SSAValue], types: Sequence[Attribute]) -> list[Padded]:
    """`%whole, %size, %other` -> `(%whole, {0: %size}), (%other, {})`, for values of `types`."""
    rest = iter(values)
    return [Padded(next(rest), {d: next(rest) for d in dynamic_dims(type)}) for type in types]


class CarryParts(PadPattern[stablehlo.WhileOp]):
    """`while (%x = set_dimension_size %a, %n)` -> `while (%x = %a, %size = %n)`"""

    op_types = (stablehlo.WhileOp,)

    def padded(self, op: stablehlo.WhileOp, operands: Sequence[Padded], code: PaddedCode) -> Sequence[Padded]:
        types, rewriter = [*op.result_types], code.rewriter
        carried: list[SSAValue] = []
        for operand, type in zip(operands, types, strict=True):
            carried += [operand.value, *(code.size(operand, d) for d in dynamic_dims(type))]
        return_parts(op.body.block, types, rewriter)
        for block in (op.cond.block, op.body.block):
            PaddedCode(rewriter, InsertPoint.at_start(block)).arguments_by_parts(block)
        rewriter.insertion_point = InsertPoint.before(op)
        return from_parts(code.remade(op, carried, [value.type for value in carried]), types)


class ReturnParts(PadPattern[stablehlo.IfOp | stablehlo.CaseOp]):
    """`if %p { return %x }` -> `if %p { return %whole, %size }`"""

    op_types = (stablehlo.IfOp, stablehlo.CaseOp)

    def padded(
        self, op: stablehlo.IfOp | stablehlo.CaseOp, operands: Sequence[Padded], code: PaddedCode
    ) -> Sequence[Padded]:
        types = [*op.result_types]
        for region in op.regions:
            return_parts(region.block, types, code.rewriter)
        code.rewriter.insertion_point = InsertPoint.before(op)
        made = code.remade(op, [*op.operands], [part for type in types for part in types_of_parts(type)])
        return from_parts(made, types)


class ParametersByParts(RewritePattern):
    """`func @main(%x: tensor<?xf32, bounds<8>>)` -> `func @main(%x: tensor<8xf32>, %size: tensor<i32>)`"""

    @match_op_type
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /):
        inputs = [*op.function_type.inputs]
        if op.body.blocks and any(map(dynamic_dims, inputs)):
            block = op.body.block
            PaddedCode(rewriter, InsertPoint.at_start(block)).arguments_by_parts(block)
            op.arg_attrs = attributes_of_parts(op.arg_attrs, inputs)
            op.function_type = FunctionType.from_lists([*block.arg_types], [*op.function_type.outputs])
            rewriter.notify_op_modified(op)


class ResultsByParts(RewritePattern):
    """`return (set_dimension_size %a, %n)` -> `return (select (iota < %n), %a, 0), %n`, of a function"""

    @match_op_type
    def match_and_rewrite(self, op: func.ReturnOp, rewriter: PatternRewriter, /):
        function, types = op.parent_op(), [value.type for value in op.operands]
        operands = [Padded.of(operand) for operand in op.operands]
        if not isinstance(function, func.FuncOp) or not any(map(dynamic_dims, types)) or None in operands:
            return
        code, parts = PaddedCode(rewriter), list[SSAValue]()
        for operand, type in zip(operands, types, strict=True):
            if operand is not None:
                dims = dynamic_dims(type)
                parts += [code.masked_by_zero(operand) if dims else operand.value]
                parts += [code.size(operand, d) for d in dims]
        op.operands = parts
        function.res_attrs = attributes_of_parts(function.res_attrs, types)
        function.function_type = FunctionType.from_lists(
            [*function.function_type.inputs], [value.type for value in parts]
        )
        rewriter.notify_op_modified(op)
        rewriter.notify_op_modified(function)


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
