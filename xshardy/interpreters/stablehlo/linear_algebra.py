"""Rules for linear algebra and Fourier transforms, on batches of matrices and signals: numpy's, in f64."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.fourier import FftType
from xshardy.dialects.stablehlo.linear_algebra import Transpose
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported
from xshardy.numerics.element_types import Array, numpy_dtype


def wide(x: Array) -> Array:
    """`x` as f64 or complex numbers of f64."""
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)


def adjoint(x: Array) -> Array:
    """The transposed conjugates of the matrices in the last two dimensions."""
    return np.swapaxes(x, -1, -2).conj()


def lower_factor(a: Array) -> Array:
    """The lower factor of the positive definite matrices whose lower triangles `a` has; NaN for others, as XLA."""
    lower = np.tril(a)
    whole = lower + adjoint(np.tril(lower, -1))
    factors = np.full_like(whole, np.nan)
    for place in np.ndindex(whole.shape[:-2]):
        try:
            factors[place] = np.linalg.cholesky(whole[place])
        except np.linalg.LinAlgError:
            continue
    return factors


def cholesky(evaluator: Evaluator, op: stablehlo.CholeskyOp, a: Array) -> Array:
    """Reads only one triangle of `a`. The other triangle of the result, which may be anything, has zeros."""
    is_lower = bool(op.lower.value.data)
    factors = lower_factor(wide(a) if is_lower else adjoint(wide(a)))
    return (factors if is_lower else adjoint(factors)).astype(a.dtype)


TRANSPOSED: Mapping[Transpose, Callable[[Array], Array]] = {
    Transpose.NO_TRANSPOSE: lambda x: x,
    Transpose.TRANSPOSE: lambda x: np.swapaxes(x, -1, -2),
    Transpose.ADJOINT: adjoint,
}


@dataclass(frozen=True, slots=True)
class Triangle:
    """Which triangle of a matrix is read, whether its diagonal is ones, and how the matrix is transposed."""

    is_lower: bool
    has_unit_diagonal: bool
    transpose: Transpose


def solved(triangle: Triangle, a: Array, b: Array, *, on_the_left: bool) -> Array:
    """`x` with `a x = b`, or `x a = b`: by substitution, so that a zero on the diagonal gives infinities and NaN."""
    matrix = np.tril(wide(a)) if triangle.is_lower else np.triu(wide(a))
    if triangle.has_unit_diagonal:
        matrix = np.where(np.eye(matrix.shape[-1]), 1, matrix)
    matrix = TRANSPOSED[triangle.transpose](matrix)
    is_lower = triangle.is_lower == (triangle.transpose is Transpose.NO_TRANSPOSE)
    if not on_the_left:  # x a = b  <=>  a' x' = b'
        matrix, b, is_lower = np.swapaxes(matrix, -1, -2), np.swapaxes(b, -1, -2), not is_lower
    x = wide(b).copy()
    rows = range(matrix.shape[-1])
    for row in rows if is_lower else reversed(rows):
        known = slice(0, row) if is_lower else slice(row + 1, None)
        products = np.einsum("...k,...kn->...n", matrix[..., row, known], x[..., known, :])
        x[..., row, :] = (x[..., row, :] - products) / matrix[..., row, row, None]
    return (x if on_the_left else np.swapaxes(x, -1, -2)).astype(b.dtype)


def triangular_solve(evaluator: Evaluator, op: stablehlo.TriangularSolveOp, a: Array, b: Array) -> Array:
    """Reads only one triangle of `a`, and takes ones for its diagonal if that is a unit diagonal."""
    triangle = Triangle(bool(op.lower.value.data), bool(op.unit_diagonal.value.data), op.transpose_a.data)
    return solved(triangle, a, b, on_the_left=bool(op.left_side.value.data))


FOURIER: Mapping[FftType, Callable[..., Array]] = {
    FftType.FFT: np.fft.fftn,
    FftType.IFFT: np.fft.ifftn,
    FftType.RFFT: np.fft.rfftn,
    FftType.IRFFT: np.fft.irfftn,
}


def fft(evaluator: Evaluator, op: stablehlo.FftOp, x: Array) -> Array:
    lengths: Sequence[int] = op.fft_length.get_values()
    dtype, shape = numpy_dtype(op.result.type), op.result.type.get_shape()
    if 0 in shape:
        return np.zeros(shape, dtype)
    if 0 in lengths:
        raise unsupported(op, "a length is 0, but there are elements to transform")
    axes = range(x.ndim - len(lengths), x.ndim)
    return FOURIER[op.fft_type.data](wide(x), s=lengths, axes=axes).astype(dtype)


LINEAR_ALGEBRA: Mapping[type[Operation], Rule] = {
    stablehlo.CholeskyOp: cholesky,
    stablehlo.FftOp: fft,
    stablehlo.TriangularSolveOp: triangular_solve,
}
