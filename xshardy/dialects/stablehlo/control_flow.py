"""Control flow, and terminators of regions."""

from abc import abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect, ReturnLike
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.naming import Names, SuggestsNames
from xshardy.dialects.stablehlo.formats import PairwiseValues, SameOperandsAndResultType
from xshardy.dialects.stablehlo.inference import InfersResultTypes, least_specific_type, type_list
from xshardy.dialects.stablehlo.types import (
    I32_TENSOR,
    LOOP_VALUE,
    PER_AXIS_TENSOR_OR_TOKEN,
    PRED_TENSOR,
    TENSOR_OR_TOKEN,
    TokenType,
    are_all_compatible,
    is_compatible,
    tensor_type,
)

__all__ = ["AfterAllOp", "CaseOp", "IfOp", "OptimizationBarrierOp", "ReturnOp", "WhileOp"]


@irdl_op_definition
class AfterAllOp(IRDLOperation):
    """A token that is ready when all of `inputs` are."""

    name = "stablehlo.after_all"
    inputs = var_operand_def(base(TokenType))
    result = result_def(base(TokenType))
    traits = traits_def(Pure())
    custom_directives = (SameOperandsAndResultType,)
    assembly_format = "operands attr-dict `:` custom<SameOperandsAndResultType>(type(operands), type(results))"

    def __init__(self, inputs: Sequence[SSAValue]):
        super().__init__(operands=[inputs], result_types=[TokenType()])


@irdl_op_definition
class OptimizationBarrierOp(IRDLOperation):
    """The operands, none of which may be used before all of them have been computed."""

    name = "stablehlo.optimization_barrier"
    operand = var_operand_def(TENSOR_OR_TOKEN)
    result = var_result_def(TENSOR_OR_TOKEN)
    traits = traits_def(Pure())
    custom_directives = (PairwiseValues,)
    assembly_format = "attr-dict custom<PairwiseValues>($operand, type($operand), type($result))"

    def __init__(self, operands: Sequence[SSAValue]):
        super().__init__(operands=[operands], result_types=[[operand.type for operand in operands]])

    def verify_(self) -> None:
        if len(self.operand) != len(self.result):
            raise VerifyException("requires the same number of operands and results")
        for i, (operand, result) in enumerate(zip(self.operand_types, self.result_types, strict=True)):
            if not is_compatible(operand, result):
                raise VerifyException(f"requires the same type for operand and result at index {i}")


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The results of a region."""

    name = "stablehlo.return"
    # Upstream calls them `results`, which every xDSL operation already has.
    returned = var_operand_def(LOOP_VALUE)
    traits = traits_def(Pure(), IsTerminator(), ReturnLike())
    assembly_format = "$returned attr-dict (`:` type($returned)^)?"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])

    def verify_(self) -> None:
        """A function may also end in this. Upstream does not compare the types then."""
        function = self.parent_op()
        if isinstance(function, FuncOp):
            found, wanted = self.operand_types, function.function_type.outputs.data
            if not are_all_compatible(found, wanted):
                raise VerifyException(
                    f"returns ({', '.join(map(str, found))}) from @{function.sym_name.data}, whose results are "
                    f"({', '.join(map(str, wanted))})"
                )


def returned_values(region: Region) -> Sequence[SSAValue]:
    """The values that a region of one block returns. Raises `VerifyException` if it ends in another way."""
    last = region.block.last_op
    if not isinstance(last, ReturnOp):
        found = "nothing" if last is None else f"'{last.name}'"
        raise VerifyException(f"expects regions to end with 'stablehlo.return', found {found}")
    return last.operands


def types_of(values: Sequence[SSAValue]) -> tuple[Attribute, ...]:
    """The types of `values`."""
    return tuple(value.type for value in values)


class ConditionalOp(InfersResultTypes):
    """One of several regions is executed, none of which takes arguments; the results are what it returns."""

    traits = traits_def(RecursiveMemoryEffect())

    @property
    @abstractmethod
    def selector(self) -> SSAValue:
        """The operand that chooses the region."""

    def infer_result_types(self) -> Sequence[Attribute]:
        if rank := tensor_type(self.selector).get_num_dims():
            raise VerifyException(f"operand should be rank 0 tensor but got rank {rank}")
        if not self.regions:
            raise VerifyException("expect at least one branch")
        returned: list[tuple[Attribute, ...]] = []
        for i, region in enumerate(self.regions):
            returned.append(types_of(returned_values(region)))
            if count := len(region.block.args):
                raise VerifyException(f"branch {i} must have 0 arguments, but found {count}")
            if not are_all_compatible(returned[0], returned[i]):
                raise VerifyException(
                    f"branch 0 and branch {i} have mismatched return types: {type_list(returned[0])} vs "
                    f"{type_list(returned[i])}"
                )
        return [least_specific_type(types) for types in zip(*returned, strict=True)]


@irdl_op_definition
class IfOp(ConditionalOp):
    """What `true_branch` returns if `pred` holds, else what `false_branch` returns."""

    name = "stablehlo.if"
    pred = operand_def(PRED_TENSOR)
    true_branch = region_def("single_block")
    false_branch = region_def("single_block")
    outputs = var_result_def(PER_AXIS_TENSOR_OR_TOKEN)

    def __init__(self, pred: SSAValue, true_branch: Region, false_branch: Region):
        result_types = types_of(returned_values(true_branch))
        super().__init__(operands=[pred], result_types=[result_types], regions=[true_branch, false_branch])

    @property
    def selector(self) -> SSAValue:
        return self.pred


@irdl_op_definition
class CaseOp(ConditionalOp):
    """What the branch numbered `index` returns; an index that has no branch stands for the last one."""

    name = "stablehlo.case"
    index = operand_def(I32_TENSOR)
    branches = var_region_def("single_block")
    outputs = var_result_def(PER_AXIS_TENSOR_OR_TOKEN)

    def __init__(self, index: SSAValue, branches: Sequence[Region]):
        result_types = types_of(returned_values(branches[0]))
        super().__init__(operands=[index], result_types=[result_types], regions=[branches])

    @property
    def selector(self) -> SSAValue:
        return self.index


@irdl_op_definition
class WhileOp(InfersResultTypes, SuggestsNames):
    """Replace the values by the results of `body` while `cond` holds for them; the results are the final values."""

    name = "stablehlo.while"
    operand = var_operand_def(LOOP_VALUE)
    cond = region_def("single_block")
    body = region_def("single_block")
    outputs = var_result_def(LOOP_VALUE)
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, operands: Sequence[SSAValue], cond: Region, body: Region):
        super().__init__(operands=[operands], result_types=[types_of(operands)], regions=[cond, body])

    def argument_names(self, region: Region) -> Names:
        return ("iterArg",) * len(self.operand)

    @classmethod
    def parse(cls, parser: Parser) -> "WhileOp":
        def parse_pair() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
            argument = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            return argument, parser.parse_unresolved_operand()

        position = parser.pos
        pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_pair)
        types: Sequence[Attribute] = ()
        if pairs:
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        operands = parser.resolve_operands([operand for _, operand in pairs], types, position)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        arguments = [argument.resolve(type) for (argument, _), type in zip(pairs, types, strict=True)]
        parser.parse_keyword("cond")
        cond = parser.parse_region(arguments)
        parser.parse_keyword("do")
        body = parser.parse_region(arguments)
        return cls.create(
            operands=operands,
            result_types=types,
            attributes=attributes.data if attributes is not None else {},
            regions=[cond, body],
        )

    def print(self, printer: Printer) -> None:
        def print_pair(pair: tuple[SSAValue, SSAValue]) -> None:
            printer.print_ssa_value(pair[0])
            printer.print_string(" = ")
            printer.print_ssa_value(pair[1])

        with printer.in_parens():
            printer.print_list(zip(self.body.block.args, self.operand, strict=True), print_pair)
        if self.operand:
            printer.print_string(" : ")
            printer.print_list(self.operand_types, printer.print_attribute)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string("\ncond ")
        printer.print_region(self.cond, print_entry_block_args=False)
        printer.print_string(" do ")
        printer.print_region(self.body, print_entry_block_args=False)

    def infer_result_types(self) -> Sequence[Attribute]:
        types = self.operand.types
        for name, region in (("condition", self.cond), ("body", self.body)):
            if not are_all_compatible(types, arguments := region.block.arg_types):
                raise VerifyException(
                    f"expect operands to be compatible with {name} block arguments but got {type_list(types)} vs "
                    f"{type_list(arguments)}"
                )
        if not are_all_compatible(types, returned := types_of(returned_values(self.body))):
            raise VerifyException(
                f"expect operands to be compatible with body block return types but got {type_list(types)} vs "
                f"{type_list(returned)}"
            )
        conditions = types_of(returned_values(self.cond))
        if len(conditions) != 1:
            raise VerifyException(f"expect condition body returns a single value but got {len(conditions)}")
        if conditions[0] != TensorType(i1, []):
            raise VerifyException(
                f"expect condition block return a zero-ranked tensor of i1 but got {type_list(conditions)}"
            )
        return types


CONTROL_FLOW = (CaseOp, IfOp, WhileOp)
"""The operations whose regions are executed as a condition or an index says."""
