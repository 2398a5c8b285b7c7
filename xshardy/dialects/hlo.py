"""
What HLO has and StableHLO lacks: fusions, layout-aware copies and bitcasts, a few elementwise functions.

A layout that is not the default (row-major) rides along as the discardable attribute `hlo.layout`: the dimensions from
minor to major, `array<i64: 0, 1>` for the column-major matrix `f32[2,3]{0,1}`. An operation with several results has an
array with one entry for each, `unit` for the default. What else HLO text says about an instruction (metadata, sharding,
backend_config) is kept in discardable attributes too.
"""

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FlatSymbolRefAttrConstr, SymbolRefAttr
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, BlockArgument, Dialect, Operation, OpResult, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure, SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.dialects.stablehlo.inference import type_list
from xshardy.dialects.stablehlo.types import (
    FLOAT_OR_COMPLEX_TENSOR,
    FLOAT_TENSOR,
    TENSOR,
    VALUE,
    bit_width,
    is_static,
    tensor_type,
)

LAYOUT = "hlo.layout"
MEMORY = "hlo.memory"
"""What else a layout says: tiles, the size of an element in bits, the memory space, as in `T(8,128)S(1)`."""


class FusionKind(StrEnum):
    """Who fuses, and around what: around the output of a loop, around an input (a reduction, say), by hand (custom)."""

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
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if not isinstance(callee, func.FuncOp):
            raise VerifyException(f"callee {op.callee} is not a function of this module: define it, or name another")
        check_callee_types(op, callee)


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
        callee = SymbolTable.lookup_symbol(self, self.callee)
        if not isinstance(callee, func.FuncOp):
            raise VerifyException(f"callee {self.callee} is not a function of this module")
        return callee


@irdl_op_definition
class BitcastOp(IRDLOperation):
    """The bytes of the operand, read with another shape, layout or element type; nothing moves in memory."""

    name = "hlo.bitcast"
    operand = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, result_type: Attribute):
        super().__init__(operands=[operand], result_types=[result_type])

    def verify_(self) -> None:
        source, target = tensor_type(self.operand), tensor_type(self.result)
        if not is_static(source) or not is_static(target):
            return
        bits, expected = (_size_in_bits(type) for type in (target, source))
        if bits != expected:
            raise VerifyException(
                f"result '{target}' has {bits} bits but operand '{source}' has {expected}: a bitcast keeps the size"
            )


def _size_in_bits(type: Attribute) -> int:
    """The size of all elements of a static tensor."""
    tensor = tensor_type(type)
    return prod(tensor.get_shape()) * bit_width(tensor.element_type)


@irdl_op_definition
class CopyOp(UnaryElementwiseOp):
    """The operand in a buffer of its own, perhaps in another layout."""

    name = "hlo.copy"


class ComplexFunctionOp(UnaryElementwiseOp):
    """A function of floats and complex numbers."""

    operand = operand_def(FLOAT_OR_COMPLEX_TENSOR)


@irdl_op_definition
class AcosOp(ComplexFunctionOp):
    name = "hlo.acos"


@irdl_op_definition
class AcoshOp(ComplexFunctionOp):
    name = "hlo.acosh"


@irdl_op_definition
class AsinOp(ComplexFunctionOp):
    name = "hlo.asin"


@irdl_op_definition
class AsinhOp(ComplexFunctionOp):
    name = "hlo.asinh"


@irdl_op_definition
class AtanhOp(ComplexFunctionOp):
    name = "hlo.atanh"


@irdl_op_definition
class CoshOp(ComplexFunctionOp):
    name = "hlo.cosh"


@irdl_op_definition
class SinhOp(ComplexFunctionOp):
    name = "hlo.sinh"


@irdl_op_definition
class ErfOp(UnaryElementwiseOp):
    """The error function."""

    name = "hlo.erf"
    operand = operand_def(FLOAT_TENSOR)


def layout_of(value: SSAValue) -> tuple[int, ...] | None:
    """The dimensions of `value` from minor to major, or None when they have the default order, row-major."""
    match value:
        case OpResult(op=op, index=index):
            attribute = op.attributes.get(LAYOUT)
            if isinstance(attribute, ArrayAttr):
                attribute = cast(ArrayAttr[Attribute], attribute).data[index]
        case BlockArgument(block=block, index=index):
            attribute = _argument_attributes(block.parent_op(), index).get(LAYOUT)
        case _:
            return None
    return tuple(attribute.get_values()) if isinstance(attribute, DenseArrayBase) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def _argument_attributes(op: Operation | None, index: int) -> dict[str, Attribute]:
    """The attributes of argument `index` of a function; none for the arguments of other operations."""
    if not isinstance(op, func.FuncOp) or op.arg_attrs is None:
        return {}
    return dict(op.arg_attrs.data[index].data)


HLO = Dialect(
    "hlo",
    [
        FusionOp,
        BitcastOp,
        CopyOp,
        AcosOp,
        AcoshOp,
        AsinOp,
        AsinhOp,
        AtanhOp,
        CoshOp,
        SinhOp,
        ErfOp,
    ],
    [FusionKindAttr],
)
