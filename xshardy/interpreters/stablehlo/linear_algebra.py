"""Rules for linear algebra and Fourier transforms, on batches of matrices and signals: numpy's, in f64."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.fourier import FftType
from xshardy.dialects.stablehlo.linear_algebra import Transpose
from xshardy.interpreters.element_types import Array, numpy_dtype
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule


def _wide(x: Array) -> Array:
    """`x` as f64 or complex numbers of f64."""
    return x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)


def _adjoint(x: Array) -> Array:
    """The transposed conjugates of the matrices in the last two dimensions."""
    return np.swapaxes(x, -1, -2).conj()


def cholesky(evaluator: Evaluator, op: stablehlo.CholeskyOp, a: Array) -> Array:
    """Reads only one triangle of `a`. The other triangle of the result, which may be anything, has zeros."""
    is_lower = bool(op.lower.value.data)
    lower = np.tril(_wide(a)) if is_lower else np.tril(_adjoint(_wide(a)))
    whole = lower + _adjoint(np.tril(lower, -1))
    factors = np.full_like(whole, np.nan)
    for place in np.ndindex(whole.shape[:-2]):
        try:
            factors[place] = np.linalg.cholesky(whole[place])
        except np.linalg.LinAlgError:  # not positive definite: NaN, as XLA
            continue
    return (factors if is_lower else _adjoint(factors)).astype(a.dtype)


def triangular_solve(evaluator: Evaluator, op: stablehlo.TriangularSolveOp, a: Array, b: Array) -> Array:
    """Reads only one triangle of `a`, and takes ones for its diagonal if that is a unit diagonal."""
    matrix = np.tril(_wide(a)) if op.lower.value.data else np.triu(_wide(a))
    if op.unit_diagonal.value.data:
        matrix = np.where(np.eye(matrix.shape[-1]), 1, matrix)
    transposed: Mapping[Transpose, Callable[[Array], Array]] = {
        Transpose.TRANSPOSE: lambda x: np.swapaxes(x, -1, -2),
        Transpose.ADJOINT: _adjoint,
    }
    matrix = transposed.get(op.transpose_a.data, lambda x: x)(matrix)
    if op.left_side.value.data:
        return np.linalg.solve(matrix, _wide(b)).astype(b.dtype)
    solved = np.linalg.solve(np.swapaxes(matrix, -1, -2), np.swapaxes(_wide(b), -1, -2))
    return np.swapaxes(solved, -1, -2).astype(b.dtype)


FOURIER: Mapping[FftType, Callable[..., Any]] = {
    FftType.FFT: np.fft.fftn,
    FftType.IFFT: np.fft.ifftn,
    FftType.RFFT: np.fft.rfftn,
    FftType.IRFFT: np.fft.irfftn,
}


def fft(evaluator: Evaluator, op: stablehlo.FftOp, x: Array) -> Array:
    lengths: Sequence[int] = op.fft_length.get_values()
    dtype, shape = numpy_dtype(op.result.type), op.result.type.get_shape()
    if 0 in shape or 0 in x.shape:
        return np.zeros(shape, dtype)
    axes = range(x.ndim - len(lengths), x.ndim)
    return FOURIER[op.fft_type.data](_wide(x), s=lengths, axes=axes).astype(dtype)


LINEAR_ALGEBRA: Mapping[type[Operation], Rule] = {
    stablehlo.CholeskyOp: cholesky,
    stablehlo.FftOp: fft,
    stablehlo.TriangularSolveOp: triangular_solve,
}
