"""
The Fourier transforms that JAX before 0.4.22 calls on CPUs, `dynamic_ducc_fft`: numpy's, in f64.

The first operand holds a FlatBuffer, in bytes: tables begin with the distance to a list of offsets, one for each field.
Source: FlatBuffers' docs, "Internals"; the fields of `DynamicDuccFftDescriptor` in jaxlib 0.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from struct import unpack_from

import numpy as np

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.linear_algebra import wide
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.numerics.element_types import Array

KIND, AXES, IS_FORWARD = 2, 3, 4
"""The numbers of the fields of a descriptor."""

COMPLEX, TO_REAL, FROM_REAL = range(3)
"""The kinds of transforms: between complex numbers, or between real ones and half of the complex ones."""


def field_of(descriptor: bytes, number: int) -> int | None:
    """The place of a field of the table that is the whole descriptor; None if it has its default."""
    (table,) = unpack_from("<I", descriptor, 0)
    offsets = table - unpack_from("<i", descriptor, table)[0]
    (size,) = unpack_from("<H", descriptor, offsets)
    place = 4 + 2 * number
    (offset,) = unpack_from("<H", descriptor, offsets + place) if place < size else (0,)
    return table + offset if offset else None


def axes_of(descriptor: bytes) -> Sequence[int]:
    """The dimensions to transform. Only half of the last one is kept of the transform of real numbers."""
    if (place := field_of(descriptor, AXES)) is None:
        return ()
    (vector,) = unpack_from("<I", descriptor, place)
    (count,) = unpack_from("<I", descriptor, place + vector)
    return unpack_from(f"<{count}I", descriptor, place + vector + 4)


def byte_of(descriptor: bytes, number: int) -> int:
    place = field_of(descriptor, number)
    return descriptor[place] if place is not None else 0


TRANSFORMS: Mapping[tuple[int, bool], Callable[..., Array]] = {
    (COMPLEX, True): np.fft.fftn,
    (COMPLEX, False): np.fft.ifftn,
    (FROM_REAL, True): np.fft.rfftn,
    (TO_REAL, False): np.fft.irfftn,
}


def fft(evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Array) -> Sequence[Array]:
    """The sums times a factor: the fields of the descriptor, then the elements, strides, the factor and the shape."""
    fields, x, _, _, _, factor, shape = operands
    descriptor = fields.tobytes()
    kind, axes, is_forward = byte_of(descriptor, KIND), axes_of(descriptor), byte_of(descriptor, IS_FORWARD) != 0
    sizes = x.shape if kind == FROM_REAL else shape
    transform, unscaled = TRANSFORMS[kind, is_forward], "backward" if is_forward else "forward"
    return [transform(wide(x), s=[int(sizes[axis]) for axis in axes], axes=axes, norm=unscaled) * factor[0]]


FOURIER_CALLS: Mapping[str, Rule] = {"dynamic_ducc_fft": fft}
"""The rule of each target."""
