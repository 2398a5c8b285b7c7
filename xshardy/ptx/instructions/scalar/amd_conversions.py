"""
Conversions of floats of 8 bits by AMD's GPUs, as instructions `amdgcn.NAME.TARGET d, operands`.

PTX of no compiler has them: see `warp/waves.py`. Source: AMD's ISA documents of CDNA3 and RDNA4, `V_CVT_PK_FP8_F32`,
`V_CVT_F32_FP8` and others. They round to the nearest number, ties to even; what is too large becomes NaN or infinity.
"""

from collections.abc import Callable, Mapping
from functools import partial

import ml_dtypes
import numpy as np

from xshardy.gpus.targets import AMD_SMALL_FLOATS
from xshardy.numerics.element_types import Array, DType
from xshardy.ptx.instructions.form import Computation, Form, Rule, amd_target
from xshardy.ptx.instructions.row import Row, computation
from xshardy.ptx.types import TYPES

F32, U32, U64 = TYPES["f32"], TYPES["u32"], TYPES["u64"]

DTYPES: Mapping[str, DType] = {
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E4M3FNUZ": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E5M2FNUZ": np.dtype(ml_dtypes.float8_e5m2fnuz),
}


def with_format(rule: Callable[[DType], Computation]) -> Callable[[str], Rule]:
    """The rule of an instruction for a format by AMD's name, which is another one on other GPUs."""

    def of_name(name: str) -> Rule:
        def of_form(form: Form) -> Computation:
            if (type := amd_target(form).small_floats.get(name)) is None:
                raise form.error(f"this GPU has no {name}")
            return rule(DTYPES[type])

        return of_form

    return of_name


def _extended(dtype: DType, word: Array, byte: Array) -> Array:
    """The f32 in a byte of a word."""
    return (word >> 8 * byte).astype(np.uint8).view(dtype).astype(np.float32)


def _truncated(dtype: DType, value: Array) -> Array:
    """The code of an f32, as a word."""
    return value.astype(dtype).view(np.uint8).astype(np.uint32)


@with_format
def extend(dtype: DType) -> Computation:
    """`cvt_f32_fp8 d, word, byte`."""
    return Computation([F32], [U32, U32], partial(_extended, dtype))


@with_format
def extend_pair(dtype: DType) -> Computation:
    """`cvt_pk_f32_fp8 d, word, half`: two f32 in 64 bits, of the bytes of a half of the word."""

    def function(word: Array, half: Array) -> Array:
        bytes = ((2 * half + n).astype(np.uint32) for n in range(2))
        low, high = (_extended(dtype, word, byte).view(np.uint32).astype(np.uint64) for byte in bytes)
        return high << np.uint64(32) | low

    return Computation([U64], [U32, U32], function)


@with_format
def truncate_pair(dtype: DType) -> Computation:
    """`cvt_pk_fp8_f32 d, low, high, word, half`: two f32 in the bytes of a half of `word`."""

    def function(low: Array, high: Array, word: Array, half: Array) -> Array:
        pair = _truncated(dtype, low) | _truncated(dtype, high) << np.uint32(8)
        shift = (16 * half).astype(np.uint32)
        return word & ~(np.uint32(0xFFFF) << shift) | pair << shift

    return Computation([U32], [F32, F32, U32, U32], function)


AMD_CONVERSIONS: Mapping[str, Row] = {
    f"amdgcn.{name.format(format)}": computation(rule(format), counted_as="conversion")
    for format in AMD_SMALL_FLOATS
    for name, rule in (("cvt_f32_{}", extend), ("cvt_pk_f32_{}", extend_pair), ("cvt_pk_{}_f32", truncate_pair))
}
