"""Sort: reorder slices by a comparison of their elements."""

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, TensorType, i1, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, region_def, traits_def, var_operand_def, var_result_def
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.control_flow import ReturnOp
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.types import TENSOR, is_compatible_shape, tensor_type

__all__ = ["SortOp"]


@irdl_op_definition
class SortOp(InfersResultTypes):
    """
    `inputs`, all reordered in one way along `dimension`, so that no element comes before its left neighbour.

    `comparator` takes two elements of each input, side by side, and returns whether the first ones come before the
    second. A negative `dimension` counts from the last one, which is the one sorted along unless it is given. Elements
    that compare equal stay in order if `is_stable`.
    """

    name = "stablehlo.sort"
    inputs = var_operand_def(TENSOR)
    dimension = opt_prop_def(IntegerAttr.constr(i64))
    is_stable = opt_prop_def(BoolAttr)
    comparator = region_def("single_block")
    outputs = var_result_def(TENSOR)
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(self, inputs: Sequence[SSAValue], comparator: Region, dimension: int = -1, is_stable: bool = False):
        super().__init__(
            operands=[inputs],
            result_types=[[value.type for value in inputs]],
            properties={"dimension": IntegerAttr(dimension, i64), "is_stable": IntegerAttr(int(is_stable), i1)},
            regions=[comparator],
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        if not self.inputs:
            raise VerifyException("expected 1 or more operands, but found 0")
        shape = tensor_type(self.inputs[0]).get_shape()
        values = (*self.inputs, *self.outputs)
        if any(not is_compatible_shape(tensor_type(value).get_shape(), shape) for value in values):
            raise VerifyException("requires the same shape for all operands and results")
        dimension, rank = -1 if self.dimension is None else self.dimension.value.data, len(shape)
        if not -rank <= dimension < rank:
            raise VerifyException(
                f"dimension attribute value must be in range [-{rank}, {rank}), but found {dimension}"
            )
        self.verify_comparator()
        return self.inputs.types

    def verify_comparator(self) -> None:
        """The comparator takes two scalars of each input and returns one predicate."""
        arguments = self.comparator.block.args
        if len(arguments) != 2 * len(self.inputs):
            raise VerifyException(f"comparator block should have {2 * len(self.inputs)} arguments")
        for argument in arguments:
            expected = TensorType(tensor_type(self.inputs[argument.index // 2]).element_type, [])
            if argument.type != expected:
                raise VerifyException(
                    f"comparator block argument #{argument.index} should be of type '{expected}' but got "
                    f"'{argument.type}'"
                )
        last = self.comparator.block.last_op
        returned = last.operand_types if isinstance(last, ReturnOp) else ()
        if len(returned) != 1:
            raise VerifyException(f"comparator must return single output but got {len(returned)}")
        if returned[0] != TensorType(i1, []):
            raise VerifyException(f"comparator must return tensor<i1> but got '{returned[0]}'")
