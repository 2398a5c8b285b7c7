"""Array functions of HLO that StableHLO lacks or has in another form."""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    FlatSymbolRefAttrConstr,
    IntegerType,
    StringAttr,
    TupleType,
)
from xdsl.dialects.builtin import i64 as i64_type
from xdsl.ir import SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.decomposable import DecomposableOpInterface
from xshardy.dialects.hlo.instruction import I64_ATTR, InstructionOp, elements
from xshardy.dialects.stablehlo.attributes import ComparisonDirection
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.top_k import first_in_order
from xshardy.dialects.stablehlo.types import INTEGER_TENSOR, TENSOR, VALUE, tensor_type

__all__ = [
    "DynamicReshapeOp",
    "ElidedConstantOp",
    "RngGetAndUpdateStateOp",
    "ScanOp",
    "TopKOp",
    "TupleConstantOp",
]

I64_ARRAY = DenseArrayBase.constr(i64_type)


class ArrayFunctionOp(InstructionOp):
    """A function without effects."""

    traits = traits_def(Pure())


@irdl_op_definition
class TopKOp(ArrayFunctionOp, DecomposableOpInterface):
    """The `k` largest (or smallest) elements along the last dimension, and their indices."""

    name = "hlo.topk"
    operand = operand_def(TENSOR)
    k = prop_def(I64_ATTR)
    largest = prop_def(BoolAttr)
    is_stable = opt_prop_def(BoolAttr)
    values = result_def(TENSOR)
    indices = result_def(INTEGER_TENSOR)

    def verify_(self) -> None:
        operand = tensor_type(self.operand)
        if not (sizes := operand.get_shape()):
            raise VerifyException("the operand has at least one dimension")
        expected = (*sizes[:-1], self.k.value.data)
        for result in self.results:
            if tensor_type(result).get_shape() != expected:
                raise VerifyException(f"result '{result.type}' has not the shape {list(expected)}")
        if tensor_type(self.values).element_type != operand.element_type:
            raise VerifyException(f"values '{self.values.type}' have not the element type of '{operand}'")

    def decompose(self, t: Tensors) -> Sequence[SSAValue]:
        """The first elements of a stable sort of the elements and their indices."""
        direction = ComparisonDirection.GT if self.largest.value.data else ComparisonDirection.LT
        index = cast(IntegerType, element_type(self.indices))
        return first_in_order(t, self.operand, self.k.value.data, direction, index)


@irdl_op_definition
class DynamicReshapeOp(ArrayFunctionOp):
    """The elements of `operand` in a shape whose sizes are scalar operands, one per dimension."""

    name = "hlo.dynamic_reshape"
    operand = operand_def(TENSOR)
    sizes = var_operand_def(INTEGER_TENSOR)
    result = result_def(TENSOR)

    def verify_(self) -> None:
        if len(self.sizes) != (rank := tensor_type(self.result).get_num_dims()):
            raise VerifyException(f"takes a size for each of the {rank} dimensions, got {len(self.sizes)}")


@irdl_op_definition
class RngGetAndUpdateStateOp(InstructionOp):
    """The state of the random number generator, to which `delta` is then added."""

    name = "hlo.rng_get_and_update_state"
    delta = prop_def(I64_ATTR)
    result = result_def(INTEGER_TENSOR)
    assembly_format = "attr-dict `:` type($result)"


@irdl_op_definition
class ScanOp(ArrayFunctionOp):
    """Apply a computation along a dimension with carried values."""

    name = "hlo.scan"
    inputs = var_operand_def(VALUE)
    to_apply = prop_def(FlatSymbolRefAttrConstr)
    dimensions = opt_prop_def(I64_ARRAY)
    num_carries = opt_prop_def(I64_ATTR)
    is_reverse = opt_prop_def(BoolAttr)
    is_associative = opt_prop_def(StringAttr)
    outputs = var_result_def(VALUE)

    def verify_(self) -> None:
        if self.num_carries is not None and not 0 <= self.num_carries.value.data <= len(self.inputs):
            raise VerifyException(
                f"carries {self.num_carries.value.data} values, but takes {len(self.inputs)} operand(s)"
            )


@irdl_op_definition
class ElidedConstantOp(ArrayFunctionOp):
    """A constant whose value the text omits, as `{...}`."""

    name = "hlo.elided_constant"
    ERROR: ClassVar[str] = (
        "the value was left out when the text was printed: "
        "print the module with large constants (`--xla_dump_large_constants` in XLA), or `xshardy run --draw-elided`"
    )
    """Why what needs the value cannot be done."""
    result = result_def(VALUE)
    assembly_format = "attr-dict `:` type($result)"


@irdl_op_definition
class TupleConstantOp(ArrayFunctionOp):
    """A constant tuple. Its parts are constants, flattened in order."""

    name = "hlo.tuple_constant"
    parts = var_operand_def(TENSOR)
    result = result_def(base(TupleType))

    def verify_(self) -> None:
        leaves = list(elements(self.result.type))
        while any(isinstance(leaf, TupleType) for leaf in leaves):
            leaves = [part for leaf in leaves for part in elements(leaf)]
        if tuple(leaves) != tuple(self.parts.types):
            raise VerifyException("the operands are the parts of the result, in order")
