"""Widths, packing and alignment of elements in memory."""

import pytest
from xdsl.dialects.builtin import (
    ComplexType,
    Float4E2M1FNType,
    Float8E4M3FNType,
    IndexType,
    IntegerType,
    TensorType,
    bf16,
    f32,
    f64,
    i1,
    i8,
    i32,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMStructType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import PassFailedException

from xshardy.transforms.xla_gpu.memory_types import ElementLayout, array_type, element_count

i4 = IntegerType(4)
COMPLEX_F32 = LLVMStructType.from_type_list([f32, f32])


@pytest.mark.parametrize(
    "element, stored, count, size, alignment",
    [
        (i1, i8, 10, 10, 1),
        (i4, i8, 5, 5, 1),
        (Float4E2M1FNType(), i8, 5, 5, 1),
        (Float8E4M3FNType(), i8, 10, 10, 1),
        (bf16, bf16, 10, 20, 2),
        (i32, i32, 10, 40, 4),
        (f64, f64, 10, 80, 8),
        (ComplexType(f32), COMPLEX_F32, 10, 80, 4),
    ],
)
def test_ten_elements(element: Attribute, stored: Attribute, count: int, size: int, alignment: int):
    layout = ElementLayout(element)
    assert array_type(TensorType(element, [10])) == LLVMArrayType(count, stored)
    assert (layout.size(10), layout.alignment) == (size, alignment)


def test_an_odd_packed_element_takes_a_byte():
    assert ElementLayout(i4).size(3) == 2
    assert array_type(TensorType(i4, [3])) == LLVMArrayType(2, i8)


def test_a_scalar_tensor_has_one_element():
    assert element_count(TensorType(f32, [])) == 1


def test_an_index_has_no_place_in_memory():
    with pytest.raises(PassFailedException, match="elements of type index have no width in memory"):
        _ = ElementLayout(IndexType()).bits
