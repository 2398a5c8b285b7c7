"""
Custom calls as JAX emits them for GPUs: factorizations of cuSOLVER and hipSOLVER, and kernels of jaxlib.

Their results are those of LAPACK (`lapack`, `scipy_lapack`) up to the signs of vectors. Source: the operands, options
and results are those of the calls in JAX's `jax._src.lax.linalg` and `jax._src.prng`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.stablehlo.lapack import (
    cholesky,
    eigen,
    geqrf,
    getrf,
    hermitian,
    option,
    orgqr,
    ormqr,
    singular,
    tridiagonal_solution,
)
from xshardy.interpreters.stablehlo.linear_algebra import adjoint, wide
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.random_bits import double_word, threefry
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.interpreters.stablehlo.scipy_lapack import Call, tridiagonal
from xshardy.numerics.element_types import Array

PLATFORMS = ("cu", "hip")


def is_set(op: stablehlo.CustomCallOp, name: str) -> bool:
    """The option `name` of a call. Raises `InterpretationError` if the call has none."""
    return bool(option(op, name))


def potrf(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    return cholesky(a, is_lower=is_set(op, "lower"))


def syevd(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    return hermitian(a, is_lower=is_set(op, "lower"))


def sytrd(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    return tridiagonal(Call(op, op.part_types), a, is_lower=is_set(op, "lower"))


def hybrid_eig(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    """As `geev` of LAPACK, which it calls on the host."""
    return eigen(a, has_left=is_set(op, "left"), has_right=is_set(op, "right"))


def gesvd(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    """
    The memory of the operand, the singular values, left and right vectors and `info`.

    A `transposed` call has the right vectors first. Without vectors, theirs are zeros of any shape.
    """
    left, values, right, status = singular(a, is_full=is_set(op, "full_matrices"))
    vectors = [right, left] if is_set(op, "transposed") else [left, right]
    if not is_set(op, "compute_uv"):
        vectors = [np.zeros(shape_of(result)) for result in op.part_types[2:4]]
    return [a, values, *vectors, status]


def gesvdj(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    """As `gesvd`, with the right vectors as columns, and with vectors in any case."""
    left, values, right, status = singular(a, is_full=is_set(op, "full_matrices"))
    return [a, values, left, adjoint(right), status]


def gtsv2(
    evaluator: Evaluator, op: stablehlo.CustomCallOp, below: Array, diagonal: Array, above: Array, b: Array
) -> Sequence[Array]:
    return [tridiagonal_solution(below, diagonal, above, b)]


def syrk(
    evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array, c: Array, alpha: Array, beta: Array
) -> Sequence[Array]:
    """`alpha a a^T + beta c`, or with `transpose` `alpha a^T a + beta c`."""
    left = np.swapaxes(wide(a), -1, -2) if is_set(op, "transpose") else wide(a)
    return [alpha * (left @ np.swapaxes(left, -1, -2)) + beta * wide(c)]


def permutation(evaluator: Evaluator, op: stablehlo.CustomCallOp, pivots: Array) -> Sequence[Array]:
    """
    The order of the rows after step i has exchanged rows i and `pivots[i]`, which count from 0.

    A step exchanges nothing if there is no such row.
    """
    shape = shape_of(op.part_types[0])
    order = np.broadcast_to(np.arange(shape[-1], dtype=np.int32), shape).copy()
    for place in np.ndindex(pivots.shape[:-1]):
        for step, pivot in enumerate(pivots[place].tolist()):
            if 0 <= pivot < shape[-1]:
                order[place][[step, pivot]] = order[place][[pivot, step]]
    return [order]


def threefry2x32(
    evaluator: Evaluator, op: stablehlo.CustomCallOp, key0: Array, key1: Array, x0: Array, x1: Array
) -> Sequence[Array]:
    """The two words of random bits for each counter `(x0, x1)` under the key `(key0, key1)`."""
    return threefry(double_word(x0, x1), double_word(key0, key1))


SOLVER: Mapping[str, Rule] = {
    "geqrf": geqrf,
    "gesdd": gesvd,
    "gesvd": gesvd,
    "gesvdj": gesvdj,
    "gesvdp": gesvdj,
    "getrf": getrf,
    "orgqr": orgqr,
    "ormqr": ormqr,
    "potrf": potrf,
    "syevd": syevd,
    "syrk": syrk,
    "sytrd": sytrd,
}
"""The functions of cuSOLVER and hipSOLVER."""

GPU_LIBRARIES: Mapping[str, Rule] = {
    **{f"{platform}solver_{name}_ffi": rule for platform in PLATFORMS for name, rule in SOLVER.items()},
    **{f"{platform}hybrid_eig_{kind}": hybrid_eig for platform in PLATFORMS for kind in ("real", "comp")},
    **{f"{platform}sparse_gtsv2_ffi": gtsv2 for platform in PLATFORMS},
    **{f"{platform}_lu_pivots_to_permutation": permutation for platform in PLATFORMS},
    **{f"{platform}_threefry2x32_ffi": threefry2x32 for platform in PLATFORMS},
}
"""The rule of each target."""
