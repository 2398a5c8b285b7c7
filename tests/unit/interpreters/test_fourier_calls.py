"""`dynamic_ducc_fft`, which JAX to 0.4.20 calls on CPUs: numpy's transforms, over any axes, times a factor."""

from collections.abc import Callable, Sequence
from struct import pack
from typing import Any

import numpy as np
import pytest

from xshardy.interpreters.stablehlo import evaluate
from xshardy.interpreters.stablehlo.fourier_calls import axes_of
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module

COMPLEX, TO_REAL, FROM_REAL = range(3)


def descriptor(kind: int, axes: Sequence[int], *, is_forward: bool) -> bytes:
    """A FlatBuffer: the place of the table, the offsets of its five fields, the table, the axes. Zeros are left out."""
    offsets = [4 + 10, 12, 4, 0, 8 if kind else 0, 12, 9 if is_forward else 0]
    table = pack("<iIBBxxI", 14, 2, kind, is_forward, 4)
    return pack("<I", 20) + b"\0\0" + pack("<7H", *offsets) + table + pack(f"<I{len(axes)}I", len(axes), *axes)


def call(fields: bytes, x: Array, shape: Sequence[int], *types: str) -> Array:
    operand, result = types
    text = f"""func.func @main(%d: tensor<{len(fields)}xui8>, %x: {operand}) -> {result} {{
      %strides = stablehlo.constant dense<0> : tensor<2xi32>
      %factor = stablehlo.constant dense<0.5> : tensor<1xf64>
      %shape = stablehlo.constant dense<{[*shape]}> : tensor<2xi32>
      %0 = stablehlo.custom_call @dynamic_ducc_fft(%d, %x, %shape, %strides, %strides, %factor, %shape)
        : (tensor<{len(fields)}xui8>, {operand}, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<1xf64>,
           tensor<2xi32>) -> {result}
      return %0 : {result}
    }}"""
    return evaluate(parse_module(text), [np.frombuffer(fields, np.uint8), x])[0]


def test_a_descriptor_without_axes_transforms_none():
    fields = bytearray(descriptor(COMPLEX, (0, 1), is_forward=True))
    assert axes_of(bytes(fields)) == (0, 1)
    fields[4 + 2 + 2 * (2 + 3) : 4 + 2 + 2 * (2 + 3) + 2] = b"\0\0"  # behind two sizes, the offset of field 3
    assert axes_of(bytes(fields)) == ()


@pytest.mark.parametrize("axes", [(1,), (0,), (0, 1)])
@pytest.mark.parametrize(("is_forward", "transform"), [(True, np.fft.fftn), (False, np.fft.ifftn)])
def test_complex_numbers(axes: Sequence[int], is_forward: bool, transform: Callable[..., Any]):
    """The inverse is not divided by the number of elements: the factor is for that."""
    random = np.random.default_rng(0)
    x = (random.normal(size=(3, 4)) + 1j * random.normal(size=(3, 4))).astype(np.complex64)
    type = "tensor<3x4xcomplex<f32>>"
    found = call(descriptor(COMPLEX, axes, is_forward=is_forward), x, (3, 4), type, type)
    count = 1 if is_forward else np.prod([x.shape[axis] for axis in axes])
    np.testing.assert_allclose(found, transform(x, axes=axes) * count / 2, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("size", [4, 5])
def test_real_numbers(size: int):
    """Half of the last axis is kept; the shape of the result says whether the number of elements is even."""
    x = np.random.default_rng(1).normal(size=(3, size)).astype(np.float32)
    real, half = f"tensor<3x{size}xf32>", "tensor<3x3xcomplex<f32>>"
    found = call(descriptor(FROM_REAL, (0, 1), is_forward=True), x, (3, 3), real, half)
    np.testing.assert_allclose(found, np.fft.rfft2(x) / 2, rtol=1e-5, atol=1e-5)
    back = call(descriptor(TO_REAL, (0, 1), is_forward=False), found, (3, size), half, real)
    np.testing.assert_allclose(back, x * 3 * size / 4, rtol=1e-4, atol=1e-5)
