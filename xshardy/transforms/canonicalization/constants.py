"""Constants as attributes: read from values, computed elementwise, and made into operations again."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import arith, complex
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects.dense_elements import dense_values
from xshardy.dialects.extensions.arith_elementwise import element_type_of

INDEX_WIDTH = 64


def constant_of(value: SSAValue) -> Attribute | None:
    """The attribute of the constant that `value` is; None if it is not one."""
    op = value.owner
    # Asked for every operand, and `isinstance` is slow to miss.
    return op.value if type(op) is arith.ConstantOp or type(op) is complex.ConstantOp else None


def integer_of(value: SSAValue) -> int | None:
    """The integer that `value` is, as signed; None if it is no constant integer."""
    attr = constant_of(value)
    return attr.value.data if isinstance(attr, IntegerAttr) else None


def width_of(type: Attribute) -> int:
    """The bits of an integer type, or of index."""
    return cast(IntegerType, type).width.data if isinstance(type, IntegerType) else INDEX_WIDTH


def signed(value: int, width: int) -> int:
    """The low `width` bits of `value`, as a signed integer."""
    value &= (1 << width) - 1
    return value - (1 << width) if width and value >> (width - 1) else value


def unsigned(value: int, width: int) -> int:
    """The low `width` bits of `value`, as an unsigned integer."""
    return value & ((1 << width) - 1)


def scalar_attr(value: int | float, type: Attribute) -> IntegerAttr | FloatAttr:
    """`value` as a constant of an integer or float `type`, wrapped or rounded to it; infinite where it overflows."""
    width = width_of(type)
    if isinstance(type, IntegerType | IndexType):
        return IntegerAttr(signed(int(value), width), cast(IntegerType | IndexType, type))
    assert isinstance(type, AnyFloat)
    try:
        return FloatAttr(float(value), type)
    except OverflowError:
        return FloatAttr(float("inf") if value > 0 else float("-inf"), type)


def splat_attr(value: int | float, type: Attribute) -> Attribute | None:
    """`value` as a constant of `type`: a scalar, or a vector or tensor with that value everywhere."""
    element_type = element_type_of(type)
    if element_type is type:
        return scalar_attr(value, type)
    return dense_attr([value], type) if isinstance(element_type, IntegerType | IndexType | AnyFloat) else None


def dense_attr(values: Sequence[int | float], type: Attribute) -> Attribute:
    """A constant of a vector or tensor `type` with these elements; one value is all of them."""
    return dense_values(type, values)


def scalar_values(attr: Attribute | None) -> Sequence[int | float] | None:
    """The numbers of a constant: one of a scalar or a splat, else one per element. None: it has no such numbers."""
    if attr is None:  # most operands are no constants, and class patterns are slow to miss
        return None
    match attr:
        case IntegerAttr() | FloatAttr():
            return (attr.value.data,)
        case DenseIntOrFPElementsAttr() if not isinstance(attr.get_element_type(), ComplexType) and attr.data.data:
            data, size = attr.data.data, attr.get_element_type().compile_time_size
            count = len(data) // size
            if data == data[:size] * count:
                data, count = data[:size], 1
            return attr.get_element_type().unpack(data, count)  # pyright: ignore
        case _:
            return None


def is_splat_of(attr: Attribute | None, value: int | float) -> bool:
    """Whether every number of a constant is `value`. Floats must agree in the sign of zero too."""
    values = scalar_values(attr)
    return values is not None and len(values) == 1 and values[0] == value and str(values[0]) == str(value)


def elementwise(
    compute: Callable[[Any], int | float | None] | Callable[[Any, Any], int | float | None],
    operands: Sequence[Attribute | None],
    result_type: Attribute,
) -> Attribute | None:
    """The constant of `result_type` whose elements `compute` gives from those of the operands; None if one is None."""
    columns = [scalar_values(attr) for attr in operands]
    if any(column is None or not column for column in columns):
        return None
    size = max(len(column) for column in columns if column is not None)
    rows = zip(*(column if len(column) == size else [*column] * size for column in columns if column), strict=True)
    results: list[int | float] = []
    for row in rows:
        result = cast(Callable[..., int | float | None], compute)(*row)
        if result is None:
            return None
        results.append(result)
    element = element_type_of(result_type)
    attrs = [scalar_attr(result, element) for result in results]
    if element is result_type:
        return attrs[0]
    return dense_attr([attr.value.data for attr in attrs], result_type)


def materialize(attr: Attribute, type: Attribute) -> Operation:
    """The constant of `type` with the value `attr`, numbers."""
    return arith.ConstantOp(cast(Any, attr), type)
