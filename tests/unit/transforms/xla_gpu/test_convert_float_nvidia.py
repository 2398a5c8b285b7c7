"""Where rounding ends and infinity begins, for every f16; and the intrinsics, as LLVM makes PTX of them."""

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import Float8E4M3FNType, Float8E5M2Type, ReducedPrecisionFloatType, f16, f32

from xshardy.transforms.xla_gpu.convert_float_nvidia import last_rounded_down

FORMATS = [(Float8E5M2Type(), ml_dtypes.float8_e5m2), (Float8E4M3FNType(), ml_dtypes.float8_e4m3fn)]


@pytest.mark.parametrize("small, dtype", FORMATS)
def test_every_f16(small: ReducedPrecisionFloatType, dtype: type):
    codes = np.arange(0x7C00, dtype=np.uint16)
    with np.errstate(over="ignore"):
        is_finite = np.isfinite(codes.view(np.float16).astype(dtype).astype(np.float32))
    np.testing.assert_array_equal(is_finite, codes <= last_rounded_down(f16, small))


@pytest.mark.parametrize("small, dtype", FORMATS)
def test_f32_around_the_last(small: ReducedPrecisionFloatType, dtype: type):
    last = last_rounded_down(f32, small)
    values = np.array([last - 1, last, last + 1], dtype=np.uint32).view(np.float32)
    with np.errstate(over="ignore"):
        assert np.isfinite(values.astype(dtype).astype(np.float32)).tolist() == [True, True, False]
