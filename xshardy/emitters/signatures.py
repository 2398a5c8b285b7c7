"""The types of the values of a fusion in the signatures of emitted functions. Source: rows XGPU-19, XGPU-21."""

from typing import cast

from xdsl.dialects.builtin import AnyTensorType, DenseIntOrFPElementsAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects.hlo import layout_of
from xshardy.emitters.elemental.kinds import emitted_type


def emitted_tensor_type(value: SSAValue) -> AnyTensorType:
    """
    The tensor type in memory of a parameter or result.

    A layout other than row-major becomes the encoding: the dimensions from minor to major, `dense<[0, 1]>`.
    """
    type = cast(AnyTensorType, value.type)
    layout = layout_of(value)
    encoding: Attribute = type.encoding
    if layout is not None and layout != tuple(reversed(range(type.get_num_dims()))):
        encoding = DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(layout)]), list(layout))
    return TensorType(emitted_type(type.element_type), type.shape, encoding)
