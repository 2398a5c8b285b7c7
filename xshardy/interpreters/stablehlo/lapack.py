"""
Custom calls for factorizations of matrices, as JAX emits them for CPUs (LAPACK) and in portable form: numpy's, in f64.

A call works on batches of matrices. Its last result is `info` for LAPACK: 0 where it succeeded. Source: LAPACK's users'
guide; the operands and results are those of the calls in JAX's `jax._src.lax.linalg`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, StringAttr

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.linear_algebra import Transpose
from xshardy.interpreters.stablehlo.linear_algebra import Triangle, adjoint, lower_factor, solved, wide
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported
from xshardy.numerics.element_types import Array

TRANSPOSES = {"N": Transpose.NO_TRANSPOSE, "T": Transpose.TRANSPOSE, "C": Transpose.ADJOINT}


def option(op: stablehlo.CustomCallOp, name: str) -> int:
    """The option `name` of a call, a number. Raises `InterpretationError` if the call has none."""
    config = op.attributes.get("mhlo.backend_config", op.backend_config)
    value = config.data.get(name) if isinstance(config, DictionaryAttr) else None
    if not isinstance(value, IntegerAttr):
        raise unsupported(op, f"'{op.call_target_name.data}' has no option '{name}', an integer")
    return value.value.data


def letter(op: stablehlo.CustomCallOp, name: str) -> str:
    """The option `name` of a call, a letter of LAPACK."""
    return chr(option(op, name))


def info(a: Array, failed: ArrayLike = False) -> Array:
    """0 for each matrix of `a`, and 1 where the call `failed`."""
    return np.broadcast_to(np.asarray(failed, np.int32), a.shape[:-2])


def cholesky(a: Array, *, is_lower: bool) -> Sequence[Array]:
    """The factor, whose other triangle is that of the operand, and `info`."""
    if is_lower:
        factor = lower_factor(wide(a))
        whole = np.tril(factor) + np.triu(wide(a), 1)
    else:
        factor = adjoint(lower_factor(adjoint(wide(a))))
        whole = np.triu(factor) + np.tril(wide(a), -1)
    return [whole, info(a, np.isnan(factor).any((-1, -2)))]


def potrf(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    return cholesky(a, is_lower=letter(op, "uplo") == "L")


def trsm(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array, b: Array) -> Sequence[Array]:
    triangle = Triangle(letter(op, "uplo") == "L", letter(op, "diag") == "U", TRANSPOSES[letter(op, "trans_x")])
    return [solved(triangle, a, b, on_the_left=letter(op, "side") == "L")]


def qr(a: Array) -> tuple[Array, Array]:
    """
    The factor R, with the elementary reflectors below it, and their scalar factors.
    """
    reflectors, factors = np.linalg.qr(wide(a), mode="raw")
    return np.swapaxes(reflectors, -1, -2), factors


def geqrf(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    return [*qr(a)]


def reflected(a: Array, factors: Array, c: Array) -> Array:
    """`Q c`: Q is the product of the elementary reflectors that `a` has below its diagonal."""
    result = wide(c)
    for index in reversed(range(factors.shape[-1])):
        is_below = np.arange(int(a.shape[-2])) > index
        vector = np.where(is_below, wide(a)[..., :, index], 0)
        vector[..., index] = 1
        along = np.einsum("...m,...mn->...n", vector.conj(), result)
        result = result - wide(factors)[..., index, None, None] * vector[..., :, None] * along[..., None, :]
    return result


def orgqr(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array, factors: Array) -> Sequence[Array]:
    """As many columns of Q as `a` has."""
    return [reflected(a, factors, np.broadcast_to(np.eye(*a.shape[-2:]), a.shape))]


def ormqr(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array, factors: Array, c: Array) -> Sequence[Array]:
    """`Q c` or `c Q`, with Q or its adjoint."""
    is_left, is_adjoint = bool(option(op, "left")), bool(option(op, "transpose"))
    rows = a.shape[-2]
    q = reflected(a, factors, np.broadcast_to(np.eye(rows), (*a.shape[:-2], rows, rows)))
    q = adjoint(q) if is_adjoint else q
    return [q @ wide(c) if is_left else wide(c) @ q]


def hermitian(a: Array, *, is_lower: bool) -> tuple[Array, Array, Array]:
    """Eigenvectors, eigenvalues and `info`, in ascending order; NaN if the algorithm does not converge, as for NaN."""
    batch, size = a.shape[:-2], a.shape[-1]
    vectors, values = np.full(a.shape, np.nan, wide(a).dtype), np.full((*batch, size), np.nan)
    for place in np.ndindex(batch):
        if np.isfinite(a[place]).all():
            values[place], vectors[place] = np.linalg.eigh(wide(a[place]), "L" if is_lower else "U")
    return vectors, values, info(a, np.isnan(values).any(-1))


def syevd(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    return hermitian(a, is_lower=letter(op, "uplo") == "L")


def eigh(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    """The first number of the configuration, as in "1,1,100,1e-6", says whether the lower triangle is read."""
    config = op.backend_config
    text = config.data if isinstance(config, StringAttr) else ""
    return hermitian(a, is_lower=not text.startswith("0"))[:2]


def singular(a: Array, *, is_full: bool) -> tuple[Array, Array, Array, Array]:
    """The left vectors, the singular values, the adjoint of the right vectors, and `info`; NaN for NaN."""
    finite = np.asarray(np.isfinite(a).all((-1, -2)))
    matrices = np.where(finite[..., None, None], wide(a), 0)
    u, values, vt = np.linalg.svd(matrices, full_matrices=is_full)
    missing = ~finite[..., None]
    left, right = (np.where(missing[..., None], np.nan, vectors) for vectors in (u, vt))
    return left, np.where(missing, np.nan, values), right, info(a, ~finite)


def divided(op: stablehlo.CustomCallOp, a: Array, *, has_vectors: bool, is_full: bool) -> Sequence[Array]:
    """The first result is the memory of the operand, which LAPACK overwrites. Without vectors, theirs are zeros."""
    left, values, right, status = singular(a, is_full=has_vectors and is_full)
    if not has_vectors:
        left, right = (np.zeros(shape_of(result)) for result in op.part_types[2:4])
    return [a, values, left, right, status]


def gesdd(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    mode = letter(op, "mode")
    return divided(op, a, has_vectors=mode != "N", is_full=mode == "A")


def lu(a: Array) -> tuple[Array, Array, Array]:
    """Both factors in one matrix, the row that each step exchanges with its own, and the order of the rows."""
    matrices = wide(a).copy()
    rows, columns = a.shape[-2:]
    steps = min(rows, columns)
    pivots = np.zeros((*a.shape[:-2], steps), np.int32)
    order = np.broadcast_to(np.arange(rows, dtype=np.int32), a.shape[:-1]).copy()
    for place in np.ndindex(a.shape[:-2]):
        matrix = matrices[place]
        for step in range(steps):
            column = matrix[step:, step]
            sizes = np.abs(np.real(column)) + np.abs(np.imag(column))  # what LAPACK compares
            pivot = pivots[(*place, step)] = step + int(np.argmax(sizes))
            for exchanged in (matrix, order[place]):
                exchanged[[step, pivot]] = exchanged[[pivot, step]]
            if matrix[step, step] != 0:
                matrix[step + 1 :, step] /= matrix[step, step]
            matrix[step + 1 :, step + 1 :] -= np.outer(matrix[step + 1 :, step], matrix[step, step + 1 :])
    return matrices, pivots, order


def pivoted(a: Array) -> Sequence[Array]:
    """As `lu`, but pivots count from 1. `info` is the first step, from 1, with a zero on the diagonal."""
    factors, pivots, _ = lu(a)
    is_zero = np.diagonal(factors, axis1=-2, axis2=-1) == 0
    first = np.where(is_zero.any(-1), is_zero.argmax(-1) + 1, 0) if is_zero.shape[-1] else np.zeros(a.shape[:-2])
    return [factors, pivots + 1, first]


def getrf(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    return pivoted(a)


def lu_decomposition(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    """Pivots count from 0."""
    return [*lu(a)]


def eigen(a: Array, *, has_left: bool, has_right: bool) -> Sequence[Array]:
    """
    Eigenvalues, for real matrices in two results; left and right eigenvectors of norm 1, zeros if not wanted; `info`.
    """
    values, right = np.linalg.eig(wide(a))
    left = adjoint(np.linalg.inv(right)) if has_left else np.zeros_like(right)
    norms = np.linalg.norm(left, axis=-2, keepdims=True)
    left = np.where(norms > 0, left / np.where(norms > 0, norms, 1), 0)
    right = right if has_right else np.zeros_like(right)
    parts = [values] if np.iscomplexobj(a) else [np.real(values), np.imag(values)]
    return [*parts, left, right, info(a)]


def geev(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    return eigen(a, has_left=letter(op, "compute_left") == "V", has_right=letter(op, "compute_right") == "V")


def tridiagonal_solution(below: Array, diagonal: Array, above: Array, b: Array) -> Array:
    """The solution of a tridiagonal system; the first element of `below` and the last one of `above` mean nothing."""
    size = b.shape[-2]
    matrix = np.zeros((*b.shape[:-2], size, size), wide(b).dtype)
    for offset, elements in ((-1, below), (0, diagonal), (1, above)):
        rows = np.arange(max(0, -offset), int(size) - max(0, offset))
        matrix[..., rows, rows + offset] = elements[..., rows]
    return np.linalg.solve(matrix, wide(b))


def gtsv(
    evaluator: Evaluator, op: stablehlo.CustomCallOp, below: Array, diagonal: Array, above: Array, b: Array
) -> Sequence[Array]:
    """The first three results are memory that LAPACK overwrites."""
    return [below, diagonal, above, tridiagonal_solution(below, diagonal, above, b), info(b)]


def of_types(kinds: str, *names: str) -> tuple[str, ...]:
    """The targets of the functions `names` of LAPACK, for the types of elements in `kinds`."""
    return tuple(f"lapack_{kind}{name}_ffi" for kind in kinds for name in names)


FACTORIZATIONS: Mapping[str, Rule] = {
    **dict.fromkeys(of_types("sdcz", "geev"), geev),
    **dict.fromkeys((*of_types("sdcz", "geqrf"), "Qr"), geqrf),
    **dict.fromkeys(of_types("sdcz", "gesdd"), gesdd),
    **dict.fromkeys(of_types("sdcz", "getrf"), getrf),
    **dict.fromkeys(of_types("sdcz", "gtsv"), gtsv),
    **dict.fromkeys(
        (*of_types("sd", "orgqr"), *of_types("cz", "ungqr"), "ProductOfElementaryHouseholderReflectors"), orgqr
    ),
    **dict.fromkeys((*of_types("sd", "ormqr"), *of_types("cz", "unmqr")), ormqr),
    **dict.fromkeys(of_types("sdcz", "potrf"), potrf),
    **dict.fromkeys((*of_types("sd", "syevd"), *of_types("cz", "heevd")), syevd),
    **dict.fromkeys(of_types("sdcz", "trsm"), trsm),
    "Eigh": eigh,
    "LuDecomposition": lu_decomposition,
}
"""The rule of each target. Its results may be of wider types than those of the call."""
