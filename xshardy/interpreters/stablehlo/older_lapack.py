"""
LAPACK and BLAS as JAX 0.4 called them: options are operands in front of the tensors, and some results are workspaces.

JAX has replaced these calls one by one, by `lapack_spotrf_ffi` and so on, with options as attributes: see `lapack`.
Source: LAPACK's users' guide; the operands and results are those of the calls in jaxlib 0.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.linear_algebra import Transpose
from xshardy.interpreters.stablehlo.lapack import cholesky, divided, eigen, hermitian, info, pivoted, qr, reflected
from xshardy.interpreters.stablehlo.linear_algebra import Triangle, solved, wide
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.interpreters.stablehlo.scipy_lapack import Call, hessenberg, schur, tridiagonal
from xshardy.numerics.element_types import Array, numpy_dtype

TRANSPOSES = (Transpose.NO_TRANSPOSE, Transpose.TRANSPOSE, Transpose.ADJOINT)

Options = Mapping[str, int]


def potrf(call: Call, options: Options, a: Array) -> Sequence[Array]:
    return cholesky(a, is_lower=bool(options["lower"]))


def trsm(call: Call, options: Options, factor: Array, a: Array, b: Array) -> Sequence[Array]:
    triangle = Triangle(bool(options["lower"]), bool(options["unit"]), TRANSPOSES[options["transpose"]])
    return [wide(factor) * solved(triangle, a, b, on_the_left=bool(options["left"]))]


def geqrf(call: Call, options: Options, a: Array) -> Sequence[Array]:
    return [*qr(a), info(a)]


def orgqr(call: Call, options: Options, a: Array, factors: Array) -> Sequence[Array]:
    return [reflected(a, factors, np.broadcast_to(np.eye(*a.shape[-2:]), a.shape)), info(a)]


def getrf(call: Call, options: Options, a: Array) -> Sequence[Array]:
    return pivoted(a)


def gesdd(call: Call, options: Options, a: Array) -> Sequence[Array]:
    return divided(call.op, a, has_vectors=bool(options["vectors"]), is_full=bool(options["full"]))


def syevd(call: Call, options: Options, a: Array) -> Sequence[Array]:
    return hermitian(a, is_lower=bool(options["lower"]))


def geev(call: Call, options: Options, a: Array) -> Sequence[Array]:
    return eigen(a, has_left=options["left"] == ord("V"), has_right=options["right"] == ord("V"))


def gees(call: Call, options: Options, a: Array) -> Sequence[Array]:
    return schur(call, a, has_vectors=options["vectors"] == ord("V"), is_sorted=options["sort"] != ord("N"))


def gehrd(call: Call, options: Options, a: Array) -> Sequence[Array]:
    return hessenberg(call, a, options["low"], options["high"])


def sytrd(call: Call, options: Options, a: Array) -> Sequence[Array]:
    return tridiagonal(call, a, is_lower=bool(options["lower"]))


@dataclass(frozen=True, slots=True)
class OlderCall:
    """A function of LAPACK as JAX 0.4 called it."""

    options: str
    """The names of the first operands; `_` for a size, which the tensors have too."""
    results: Sequence[int]
    """The places of what `compute` returns among the results. The others are workspaces."""
    compute: Callable[..., Sequence[Array]]

    def __call__(self, evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Array) -> Sequence[Array]:
        names = self.options.split()
        options = {name: int(value) for name, value in zip(names, operands, strict=False)}
        values = [np.zeros(shape_of(type), numpy_dtype(type)) for type in op.part_types]
        call = Call(op, [op.part_types[place] for place in self.results])
        for place, value in zip(self.results, self.compute(call, options, *operands[len(names) :]), strict=True):
            values[place] = value
        return values


def of_types(kinds: str, name: str) -> tuple[str, ...]:
    """The targets of the function `name` of LAPACK, for the types of elements in `kinds`."""
    return tuple(f"lapack_{kind}{name}" for kind in kinds)


REAL, COMPLEX, ANY = "sd", "cz", "sdcz"

OLDER_LAPACK: Mapping[str, Rule] = {
    **dict.fromkeys(of_types(REAL, "gees"), OlderCall("_ _ vectors sort", (0, 3, 1, 2, 4, 5), gees)),
    **dict.fromkeys(of_types(COMPLEX, "gees"), OlderCall("_ _ vectors sort", (0, 3, 2, 4, 5), gees)),
    **dict.fromkeys(of_types(REAL, "geev"), OlderCall("_ _ left right", (3, 4, 5, 6, 7), geev)),
    **dict.fromkeys(of_types(COMPLEX, "geev"), OlderCall("_ _ left right", (2, 3, 4, 5), geev)),
    **dict.fromkeys(of_types(ANY, "gehrd"), OlderCall("_ low high _ _ _", (0, 1, 2), gehrd)),
    **dict.fromkeys(of_types(ANY, "geqrf"), OlderCall("_ _ _ _", (0, 1, 2), geqrf)),
    **dict.fromkeys(of_types(ANY, "gesdd"), OlderCall("full vectors _ _ _ _", (0, 1, 2, 3, 4), gesdd)),
    **dict.fromkeys(of_types(ANY, "getrf"), OlderCall("_ _ _", (0, 1, 2), getrf)),
    **dict.fromkeys((*of_types(REAL, "orgqr"), *of_types(COMPLEX, "ungqr")), OlderCall("_ _ _ _ _", (0, 1), orgqr)),
    **dict.fromkeys(of_types(ANY, "potrf"), OlderCall("lower _ _", (0, 1), potrf)),
    **dict.fromkeys((*of_types(REAL, "syevd"), *of_types(COMPLEX, "heevd")), OlderCall("lower _ _", (0, 1, 2), syevd)),
    **dict.fromkeys(
        (*of_types(REAL, "sytrd"), *of_types(COMPLEX, "hetrd")), OlderCall("_ lower _ _ _", (0, 1, 2, 3, 4), sytrd)
    ),
    **dict.fromkeys([f"blas_{kind}trsm" for kind in ANY], OlderCall("left lower transpose unit _ _ _", (0,), trsm)),
}
"""The rule of each target."""
