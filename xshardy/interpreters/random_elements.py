"""Seeded random arrays of every element type."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.ir import Attribute
from xdsl.utils.exceptions import InterpretationError

from xshardy.dialects.shapes import is_static
from xshardy.interpreters.memory_limit import require_memory
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import (
    BITS,
    KINDS,
    SIGNED_INTEGERS,
    Array,
    DType,
    Kind,
    as_tensor_type,
    float_info,
    stored_dtype,
)
from xshardy.numerics.integers import wrapped

Generator: TypeAlias = np.random.Generator

SPECIAL_SHARE = 1 / 32
"""The share of special elements in an input: zeros, infinities, NaN, the bounds of the type, and the like."""

PIECE_SIZE = 2**20
"""The number of elements generated at a time."""


def plain_floats(rng: Generator, size: int, dtype: DType) -> Array:
    """Numbers around 0."""
    return rng.normal(0, 2, size).astype(dtype)


def random_floats(rng: Generator, size: int, dtype: DType) -> Array:
    """Mostly numbers around 0 and 1."""
    info = float_info(dtype)
    bounds = info.largest, -info.largest, info.smallest_subnormal
    specials = np.array([0.0, -0.0, 1.0, -1.0, 0.5, *bounds, np.inf, -np.inf, np.nan])
    is_special = rng.random(size) < SPECIAL_SHARE
    return np.where(is_special, rng.choice(specials, size), rng.normal(0, 2, size)).astype(dtype)


def random_complex(rng: Generator, size: int, dtype: DType) -> Array:
    """Mostly numbers around 0; the special ones are finite, because XLA leaves the results for infinite ones open."""
    numbers = rng.normal(0, 2, size) + 1j * rng.normal(0, 2, size)
    specials = np.array([0, 1, -1, 1j, -1j, 0.5 + 0.5j])
    return np.where(rng.random(size) < SPECIAL_SHARE, rng.choice(specials, size), numbers).astype(dtype)


def random_integers(rng: Generator, size: int, dtype: DType) -> Array:
    """Half of the elements are uniform over the type, the other half are small numbers."""
    bits = rng.integers(0, 2**64, size, dtype=np.uint64)
    lowest = -8 if dtype in SIGNED_INTEGERS.values() else 0
    small = rng.integers(lowest, 8, size).astype(np.uint64)
    bounds = np.array([0, 1, 2**64 - 1, 2 ** (BITS[dtype] - 1), 2 ** (BITS[dtype] - 1) - 1], np.uint64)
    mixed = np.where(rng.random(size) < 0.5, bits, small)
    return wrapped(np.where(rng.random(size) < SPECIAL_SHARE, rng.choice(bounds, size), mixed), dtype)


def random_preds(rng: Generator, size: int, dtype: DType) -> Array:
    return convert(rng.integers(0, 2, size), dtype)


Make: TypeAlias = Callable[[Generator, int, DType], Array]

GENERATORS: Mapping[Kind, Make] = {
    Kind.PRED: random_preds,
    Kind.INTEGER: random_integers,
    Kind.FLOAT: random_floats,
    Kind.COMPLEX: random_complex,
}


def random_inputs(types: Sequence[Attribute], seed: int, generators: Mapping[Kind, Make] = GENERATORS) -> list[Array]:
    """
    An array for each type, a scalar or a tensor of static shape. The same types and seed give the same arrays
    everywhere. Raises `InterpretationError` for a tensor of unknown size, and `MemoryError` for more than fits.
    """
    shapes = [_shape(kind) for kind in types]
    dtypes = [stored_dtype(kind) for kind in types]
    needed = sum(prod(shape) * dtype.itemsize for shape, dtype in zip(shapes, dtypes, strict=True))
    require_memory(needed, "the inputs")
    rng = np.random.default_rng(seed)
    return [
        _generate_in_pieces(generators[KINDS[dtype]], rng, prod(shape), dtype).reshape(shape)
        for shape, dtype in zip(shapes, dtypes, strict=True)
    ]


def _shape(kind: Attribute) -> Sequence[int]:
    """The shape of an input, () for a scalar. Raises `InterpretationError` if it is not known."""
    tensor = as_tensor_type(kind)
    if tensor is None:
        return ()
    if not is_static(tensor):
        raise InterpretationError(f"an input is a {kind}: only tensors of known size can be drawn")
    return tensor.get_shape()


def _generate_in_pieces(make: Make, rng: Generator, size: int, dtype: DType) -> Array:
    """`size` elements by `make`, in pieces: `make` takes many times the memory of its result."""
    if size <= PIECE_SIZE:
        return make(rng, size, dtype)
    return np.concatenate([make(rng, min(PIECE_SIZE, size - start), dtype) for start in range(0, size, PIECE_SIZE)])
