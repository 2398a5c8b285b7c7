"""The numpy types of the element types of the IR. `ml_dtypes` provides those that numpy lacks."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Any, TypeAlias, cast

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import builtin
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from xshardy.dialects.quant import UniformQuantizedType

Array: TypeAlias = NDArray[Any]
DType: TypeAlias = np.dtype[Any]


class UnsupportedElementError(DiagnosticException, NotImplementedError):
    """An element type without a numpy counterpart."""


FLOATS: Mapping[type[Attribute], DType] = {
    kind: np.dtype(scalar)
    for kind, scalar in (
        (builtin.Float64Type, np.float64),
        (builtin.Float32Type, np.float32),
        (builtin.Float16Type, np.float16),
        (builtin.BFloat16Type, ml_dtypes.bfloat16),
        (builtin.Float8E3M4Type, ml_dtypes.float8_e3m4),
        (builtin.Float8E4M3Type, ml_dtypes.float8_e4m3),
        (builtin.Float8E4M3FNType, ml_dtypes.float8_e4m3fn),
        (builtin.Float8E4M3FNUZType, ml_dtypes.float8_e4m3fnuz),
        (builtin.Float8E4M3B11FNUZType, ml_dtypes.float8_e4m3b11fnuz),
        (builtin.Float8E5M2Type, ml_dtypes.float8_e5m2),
        (builtin.Float8E5M2FNUZType, ml_dtypes.float8_e5m2fnuz),
        (builtin.Float8E8M0FNUType, ml_dtypes.float8_e8m0fnu),
        (builtin.Float6E2M3FNType, ml_dtypes.float6_e2m3fn),
        (builtin.Float6E3M2FNType, ml_dtypes.float6_e3m2fn),
        (builtin.Float4E2M1FNType, ml_dtypes.float4_e2m1fn),
    )
}

SIGNED_INTEGERS: Mapping[int, DType] = {
    bits: np.dtype(scalar)
    for bits, scalar in (
        (1, np.bool_),
        (2, ml_dtypes.int2),
        (4, ml_dtypes.int4),
        (8, np.int8),
        (16, np.int16),
        (32, np.int32),
        (64, np.int64),
    )
}

UNSIGNED_INTEGERS: Mapping[int, DType] = {
    bits: np.dtype(scalar)
    for bits, scalar in (
        (1, np.bool_),
        (2, ml_dtypes.uint2),
        (4, ml_dtypes.uint4),
        (8, np.uint8),
        (16, np.uint16),
        (32, np.uint32),
        (64, np.uint64),
    )
}

COMPLEX: Mapping[type[Attribute], DType] = {
    builtin.Float32Type: np.dtype(np.complex64),
    builtin.Float64Type: np.dtype(np.complex128),
}


class Kind(Enum):
    """The kind of an element. `PRED` is a single bit: `i1` in the IR, `bool` in numpy."""

    PRED = auto()
    INTEGER = auto()
    FLOAT = auto()
    COMPLEX = auto()


KINDS: Mapping[DType, Kind] = {
    **dict.fromkeys((*SIGNED_INTEGERS.values(), *UNSIGNED_INTEGERS.values()), Kind.INTEGER),
    **dict.fromkeys(FLOATS.values(), Kind.FLOAT),
    **dict.fromkeys(COMPLEX.values(), Kind.COMPLEX),
    np.dtype(np.longdouble): Kind.FLOAT,
    np.dtype(np.clongdouble): Kind.COMPLEX,
    np.dtype(np.bool_): Kind.PRED,
}
"""The kind of each element type, and of the two types in which rounding errors of f64 are measured."""

BITS: Mapping[DType, int] = {
    dtype: bits for table in (SIGNED_INTEGERS, UNSIGNED_INTEGERS) for bits, dtype in table.items()
}
"""The width of each integer type in bits. Those of fewer than 8 bits are stored in a byte each."""


@dataclass(frozen=True, slots=True)
class FloatInfo:
    """The largest number of a float type, its two smallest positive ones, and the step from 1 to the next number."""

    largest: float
    smallest_normal: float
    smallest_subnormal: float
    epsilon: float


@cache
def float_info(dtype: DType) -> FloatInfo:
    """
    The numbers of `dtype`.

    The smallest subnormal is computed: numpy's is 0 where subnormals are flushed, as in a function that XLA calls.
    """
    finfo: Any = ml_dtypes.finfo
    info = finfo(dtype)
    smallest_normal, epsilon = float(info.smallest_normal), float(info.eps)
    return FloatInfo(float(info.max), smallest_normal, smallest_normal * epsilon, epsilon)


def as_tensor_type(kind: Attribute) -> builtin.TensorType[Attribute] | None:
    """`kind` if it is the type of a tensor, else None."""
    return cast(builtin.TensorType[Attribute], kind) if isinstance(kind, builtin.TensorType) else None


def numpy_dtype(kind: Attribute) -> DType:
    """
    The numpy type of an element of `kind`, a scalar, vector or tensor type.

    Signless integers are held as signed ones, `i1` as `bool`, `index` as `int64`. Raises `UnsupportedElementError` for
    a type without a numpy counterpart, such as `i24` or `f80`.
    """
    match kind:
        case builtin.TensorType() | builtin.VectorType():
            return numpy_dtype(kind.element_type)
        case builtin.IntegerType():
            unsigned = kind.signedness.data is builtin.Signedness.UNSIGNED
            dtype = (UNSIGNED_INTEGERS if unsigned else SIGNED_INTEGERS).get(kind.width.data)
        case builtin.IndexType():
            dtype = np.dtype(np.int64)
        case builtin.ComplexType():
            dtype = COMPLEX.get(type(kind.element_type))
        case _:
            dtype = FLOATS.get(type(kind))
    if dtype is None:
        raise UnsupportedElementError(
            f"no numpy type holds {kind}: use integers of 1, 2, 4, 8, 16, 32 or 64 bits, floats of at most 64 bits, or "
            "complex numbers of f32 or f64"
        )
    return dtype


def stored_dtype(kind: Attribute) -> DType:
    """As `numpy_dtype`, but for quantized elements the type of the integers that they are stored as."""
    tensor = as_tensor_type(kind)
    element = kind if tensor is None else tensor.element_type
    return numpy_dtype(element.storage if isinstance(element, UniformQuantizedType) else element)


def bits_in_memory(dtype: DType) -> int:
    """The bits of an element in memory; a predicate takes a byte."""
    if dtype == np.bool_:
        return 8
    return 4 if dtype == np.dtype(ml_dtypes.float4_e2m1fn) else BITS.get(dtype, dtype.itemsize * 8)


def packed(array: Array) -> Array:
    """The bytes of `array` in memory: elements of less than a byte are packed, the first one in the lowest bits."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    bits = bits_in_memory(array.dtype)
    if bits >= 8:
        return data
    per_byte = 8 // bits
    data = np.pad(data & ((1 << bits) - 1), (0, -data.size % per_byte)).reshape(-1, per_byte)
    return np.bitwise_or.reduce(data << (bits * np.arange(per_byte, dtype=np.uint8)), axis=1).astype(np.uint8)


def unpacked(memory: Array, like: Array) -> Array:
    """The inverse of `packed`: an array of the shape and type of `like`."""
    bits = bits_in_memory(like.dtype)
    if bits >= 8:
        return memory.view(like.dtype).reshape(like.shape).copy()
    shifts = bits * np.arange(8 // bits, dtype=np.uint8)
    data = ((memory[:, None] >> shifts) & ((1 << bits) - 1)).reshape(-1)[: like.size].astype(np.uint8)
    if like.dtype in SIGNED_INTEGERS.values():
        sign = np.uint8(1 << (bits - 1))
        data = (data ^ sign) - sign  # numpy holds each element in a byte
    return data.view(like.dtype).reshape(like.shape)
