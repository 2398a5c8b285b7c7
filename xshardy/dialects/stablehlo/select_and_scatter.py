"""Select-and-scatter: the gradient of a reduction over windows that picks one element of each."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import AnyFloat, AnyTensorType, DenseIntElementsAttr, TensorType, i1
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, region_def, result_def, traits_def
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.control_flow import ReturnOp
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.reduction import verify_reducer
from xshardy.dialects.stablehlo.types import TENSOR, is_compatible_shape, tensor_type
from xshardy.dialects.stablehlo.windows import I64_ARRAY, WindowDimension, window_of, window_properties

__all__ = ["SelectAndScatterOp"]


@irdl_op_definition
class SelectAndScatterOp(InfersResultTypes):
    """
    `init_value` everywhere, with the elements of `source` combined into it by `scatter`.

    Each element of `source` belongs to a position of a window over `operand`, and is combined into the element
    there that `select`, a comparison, chooses.
    """

    name = "stablehlo.select_and_scatter"
    operand = operand_def(TENSOR)
    source = operand_def(TENSOR)
    init_value = operand_def(TENSOR)
    window_dimensions = opt_prop_def(I64_ARRAY)
    window_strides = opt_prop_def(I64_ARRAY)
    padding = opt_prop_def(DenseIntElementsAttr)
    select = region_def("single_block")
    scatter = region_def("single_block")
    result = result_def(TENSOR)
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        operand: SSAValue,
        source: SSAValue,
        init_value: SSAValue,
        window: Sequence[WindowDimension],
        select: Region,
        scatter: Region,
    ):
        super().__init__(
            operands=[operand, source, init_value],
            result_types=[operand.type],
            properties=window_properties(window),
            regions=[select, scatter],
        )

    def window(self) -> tuple[WindowDimension, ...]:
        """The window. Raises `VerifyException` when its attributes do not fit together."""
        sizes = () if self.window_dimensions is None else self.window_dimensions.get_values()
        return window_of(sizes, self.window_strides, self.padding)

    def infer_result_types(self) -> Sequence[Attribute]:
        operand, source = tensor_type(self.operand), tensor_type(self.source)
        self.verify_select()
        scalar = TensorType(source.element_type, [])
        (accumulator,) = verify_reducer(self.scatter.block, [scalar], [self.init_value.type], ())
        count = 0 if self.window_dimensions is None else len(self.window_dimensions.get_values())
        if operand.get_num_dims() != count:
            raise VerifyException(
                f"expects window-dimensions size == operand rank, but got window-dimensions size: {count} and "
                f"operand-type: '{operand}' with rank = {operand.get_num_dims()}."
            )
        sizes = zip(self.window(), operand.get_shape(), strict=True)
        expected = TensorType(operand.element_type, [dimension.positions(size) for dimension, size in sizes])
        if not is_compatible_up_to_precision(expected, source):
            # (sic: upstream has no space there)
            raise VerifyException(f"expects source-type to be '{expected}', but got'{source}'")
        return [TensorType(tensor_type(accumulator).element_type, operand.shape, operand.encoding)]

    def verify_select(self) -> None:
        """`select` takes two scalars of the operand and returns one predicate."""
        arguments = self.select.block.args
        if len(arguments) != 2:
            raise VerifyException(f"expects the select-region to take 2 parameters, but takes {len(arguments)}")
        expected = TensorType(tensor_type(self.operand).element_type, [])
        for argument in arguments:
            if not is_compatible_up_to_precision(expected, argument.type):
                raise VerifyException(
                    f"expects the type of select-region's parameter at index {argument.index} to be '{expected}', "
                    f"but got '{argument.type}'"
                )
        last = self.select.block.last_op
        returned = last.operand_types if isinstance(last, ReturnOp) else ()
        if len(returned) != 1:
            raise VerifyException(f"expects select-region to return single value, but got: {len(returned)}")
        if returned[0] != TensorType(i1, []):
            raise VerifyException(
                f"expects the return-type of select-region to be tensor<i1>, but got: '{returned[0]}'"
            )


def is_compatible_up_to_precision(lhs: Attribute, rhs: Attribute) -> bool:
    """Whether two types are tensors of compatible shapes, of one element type or both of floats."""
    if not isinstance(lhs, TensorType) or not isinstance(rhs, TensorType):
        return False
    types = cast(AnyTensorType, lhs), cast(AnyTensorType, rhs)
    elements = [type.element_type for type in types]
    is_same = elements[0] == elements[1] or all(isinstance(element, AnyFloat) for element in elements)
    return is_same and is_compatible_shape(types[0].get_shape(), types[1].get_shape())
