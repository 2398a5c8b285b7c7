"""Fusions: computations that run as one kernel."""

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import FlatSymbolRefAttrConstr, SymbolRefAttr
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.stablehlo.inference import type_list
from xshardy.dialects.stablehlo.types import VALUE
from xshardy.dialects.symbols import function_called

__all__ = ["FusionCalleeExists", "FusionKind", "FusionKindAttr", "FusionOp", "check_callee_types"]


class FusionKind(StrEnum):
    """The kind of a fusion: around the output of a loop, around an input such as a reduction, custom."""

    LOOP = "loop"
    INPUT = "input"
    OUTPUT = "output"
    CUSTOM = "custom"


@irdl_attr_definition
class FusionKindAttr(EnumAttribute[FusionKind], SpacedOpaqueSyntaxAttribute):
    name = "hlo.fusion_kind"


class FusionCalleeExists(SymbolUserOpInterface):
    """The callee of a fusion is a function with its operand and result types."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, FusionOp)
        check_callee_types(op, op.callee_function())


def check_callee_types(op: "FusionOp | func.CallOp", callee: func.FuncOp) -> None:
    """Raise `VerifyException` unless `op` has the operand and result types of `callee`."""
    for what, expected, types in (
        ("operand", callee.function_type.inputs.data, op.operand_types),
        ("result", callee.function_type.outputs.data, op.result_types),
    ):
        if tuple(expected) != tuple(types):
            raise VerifyException(
                f"{what} types {type_list(types) or 'none'} differ from those of the callee {op.callee}: "
                f"{type_list(expected) or 'none'}"
            )


@irdl_op_definition
class FusionOp(IRDLOperation):
    """Execute the computation `callee` as one kernel."""

    name = "hlo.fusion"
    inputs = var_operand_def(VALUE)
    kind = prop_def(FusionKindAttr)
    callee = prop_def(FlatSymbolRefAttrConstr)
    outputs = var_result_def(VALUE)
    traits = traits_def(Pure(), FusionCalleeExists())
    assembly_format = "$kind $callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(
        self,
        kind: FusionKind,
        callee: str | SymbolRefAttr,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
    ):
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            properties={
                "kind": FusionKindAttr(kind),
                "callee": SymbolRefAttr(callee) if isinstance(callee, str) else callee,
            },
        )

    def callee_function(self) -> func.FuncOp:
        """The fused computation. Raises `VerifyException` when the symbol does not name a function."""
        return function_called(self, self.callee)
