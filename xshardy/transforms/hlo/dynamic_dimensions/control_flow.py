"""Loops and conditionals: a dynamic tensor that crosses their borders becomes its parts."""

from collections.abc import Sequence

from xdsl.ir import Attribute, Block, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
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
