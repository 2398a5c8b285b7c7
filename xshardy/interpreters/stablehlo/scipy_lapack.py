"""
Custom calls of LAPACK that numpy has no function for: pivoted QR, Hessenberg, tridiagonal and Schur forms, by scipy.

jaxlib calls scipy's LAPACK too, so results are equal to rounding, conventions such as signs included. scipy is imported
when a call is evaluated. Source: LAPACK's users' guide; the operands and results are those of the calls in JAX's
`jax._src.lax.linalg`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from xdsl.ir import Attribute

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.stablehlo.lapack import letter, of_types, option
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported
from xshardy.numerics.element_types import Array, numpy_dtype


class Call(NamedTuple):
    """A call of LAPACK, and the types of its results in the order that rules give them."""

    op: stablehlo.CustomCallOp
    types: Sequence[Attribute]


def of_scipy(op: stablehlo.CustomCallOp, name: str, a: Array) -> Callable[..., Sequence[Array | int]]:
    """The function `name` of LAPACK for the elements of `a`. Raises `InterpretationError` without scipy."""
    try:
        linalg: Any = import_module("scipy.linalg")
    except ImportError as error:
        raise unsupported(op, "it needs scipy: run pip install scipy") from error
    return linalg.get_lapack_funcs((name,), (a,))[0]


def by_matrix(
    types: Sequence[Attribute], a: Array, function: Callable[[Array], Sequence[Array | int]]
) -> Sequence[Array]:
    """The results of `function`, of `types`, for each matrix of the batches of `a`; zeros for empty matrices."""
    results = [np.zeros(shape_of(type), numpy_dtype(type)) for type in types]
    for place in np.ndindex(a.shape[:-2]) if a.size else ():
        for result, value in zip(results, function(a[place]), strict=True):
            result[place] = value
    return results


def hessenberg(call: Call, a: Array, low: int, high: int) -> Sequence[Array]:
    """The Hessenberg form with the reflectors below it, their factors, `info`. Rows `low` to `high` count from 1."""
    reduced = of_scipy(call.op, "gehrd", a)
    return by_matrix(call.types, a, lambda matrix: reduced(matrix, lo=low - 1, hi=high - 1))


def gehrd(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    return hessenberg(Call(op, op.part_types), a, option(op, "low"), option(op, "high"))


def tridiagonal(call: Call, a: Array, *, is_lower: bool) -> Sequence[Array]:
    """The tridiagonal form with the reflectors beside it, its diagonal, its other diagonal, the factors, and `info`."""
    reduced = of_scipy(call.op, "hetrd" if np.iscomplexobj(a) else "sytrd", a)
    return by_matrix(call.types, a, lambda matrix: reduced(matrix, lower=is_lower))


def sytrd(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    return tridiagonal(Call(op, op.part_types), a, is_lower=letter(op, "uplo") == "L")


def nothing_first(*eigenvalue: float | complex) -> bool:
    """No eigenvalue is to be sorted to the front. scipy asks for this function, and does not call it."""
    return False


def schur(call: Call, a: Array, *, has_vectors: bool, is_sorted: bool) -> Sequence[Array]:
    """
    The Schur form, its vectors (zeros if not wanted), the eigenvalues (real numbers and imaginary ones for real
    matrices), how many are sorted to the front, and `info`. Raises `InterpretationError` if any are to be sorted.
    """
    if is_sorted:
        raise unsupported(call.op, "the eigenvalues are sorted by a function that the call does not name")
    reduced = of_scipy(call.op, "gees", a)

    def in_order(matrix: Array) -> Sequence[Array | int]:
        form, selected, *values, vectors, _, status = reduced(nothing_first, matrix, compute_v=has_vectors)
        return [form, vectors if has_vectors else 0, *values, selected, status]

    return by_matrix(call.types, a, in_order)


def gees(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array) -> Sequence[Array]:
    has_vectors, is_sorted = letter(op, "mode") == "V", letter(op, "sort") != "N"
    return schur(Call(op, op.part_types), a, has_vectors=has_vectors, is_sorted=is_sorted)


def geqp3(evaluator: Evaluator, op: stablehlo.CustomCallOp, a: Array, order: Array) -> Sequence[Array]:
    """
    R with the reflectors below it, the order of the columns from 1, and the factors of the reflectors.

    Raises `InterpretationError` if `order` moves columns to the front before: JAX passes zeros.
    """
    if order.any():
        raise unsupported(op, "columns are moved to the front before the factorization")
    factored = of_scipy(op, "geqp3", a)

    def factors(matrix: Array) -> Sequence[Array | int]:
        both, columns, scalars, _, _ = factored(matrix)
        return both, columns, scalars

    return by_matrix(op.part_types, a, factors)


BY_SCIPY: Mapping[str, Rule] = {
    **dict.fromkeys(of_types("sdcz", "gees"), gees),
    **dict.fromkeys(of_types("sdcz", "gehrd"), gehrd),
    **dict.fromkeys(of_types("sdcz", "geqp3"), geqp3),
    **dict.fromkeys((*of_types("sd", "sytrd"), *of_types("cz", "hetrd")), sytrd),
}
"""The rule of each target."""
