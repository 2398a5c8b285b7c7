"""What JAX 0.4 calls of LAPACK computes what today's calls compute; its other results are workspaces."""

from typing import NamedTuple

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module

V, N, S = map(ord, "VNS")


class Call(NamedTuple):
    """A call of a function on two matrices."""

    options: list[int]
    today: str
    """The options of today's call."""
    shape: str
    """That of the matrices."""
    element: str
    results: list[str]
    """The types of the results; a name in front of those that today's call has too, in the order of the names."""

    @property
    def todays_results(self) -> list[str]:
        return [named.partition(" ")[2] for named in sorted(result for result in self.results if " " in result)]


CALLS = {
    "spotrf": Call([1, 2, 3], "uplo = 76 : ui8", "2x3x3", "f32", ["a 2x3x3xf32", "b 2xi32"]),
    "zpotrf": Call([0, 2, 3], "uplo = 85 : ui8", "2x3x3", "complex<f64>", ["a 2x3x3xcomplex<f64>", "b 2xi32"]),
    "sgetrf": Call([2, 4, 3], "", "2x4x3", "f32", ["a 2x4x3xf32", "b 2x3xi32", "c 2xi32"]),
    "sgeqrf": Call([2, 4, 3, 9], "", "2x4x3", "f32", ["a 2x4x3xf32", "b 2x3xf32", "2xi32", "9xf32"]),
    "sgesdd": Call(
        [1, 1, 2, 4, 3, 9],
        "mode = 65 : ui8",
        "2x4x3",
        "f32",
        ["a 2x4x3xf32", "b 2x3xf32", "c 2x4x4xf32", "d 2x3x3xf32", "e 2xi32", "9xi32", "9xf32"],
    ),
    "cgesdd": Call(
        [0, 1, 2, 4, 3, 9],
        "mode = 83 : ui8",
        "2x4x3",
        "complex<f32>",
        ["a 2x4x3xcomplex<f32>", "b 2x3xf32", "c 2x4x3xcomplex<f32>", "d 2x3x3xcomplex<f32>", "e 2xi32", "9xf32"],
    ),
    "dgesdd": Call(
        [1, 0, 2, 4, 3, 9],
        "mode = 78 : ui8",
        "2x4x3",
        "f64",
        ["a 2x4x3xf64", "b 2x3xf64", "c 2x4x4xf64", "d 2x3x3xf64", "e 2xi32", "9xi32", "9xf64"],
    ),
    "ssyevd": Call(
        [1, 2, 3], "uplo = 76 : ui8", "2x3x3", "f32", ["a 2x3x3xf32", "b 2x3xf32", "c 2xi32", "9xf32", "9xi32"]
    ),
    "zheevd": Call(
        [0, 2, 3],
        "uplo = 85 : ui8",
        "2x3x3",
        "complex<f64>",
        ["a 2x3x3xcomplex<f64>", "b 2x3xf64", "c 2xi32", "9xcomplex<f64>", "9xf64", "9xi32"],
    ),
    "sgeev": Call(
        [2, 3, V, N],
        "compute_left = 86 : ui8, compute_right = 78 : ui8",
        "2x3x3",
        "f32",
        [
            *("2x3x3xf32", "2x3x3xf32", "2x3x3xf32", "a 2x3xf32", "b 2x3xf32"),
            *("c 2x3x3xcomplex<f32>", "d 2x3x3xcomplex<f32>", "e 2xi32"),
        ],
    ),
    "zgeev": Call(
        [2, 3, N, V],
        "compute_left = 78 : ui8, compute_right = 86 : ui8",
        "2x3x3",
        "complex<f64>",
        [
            *("2x3x3xcomplex<f64>", "6xf64", "a 2x3xcomplex<f64>"),
            *("b 2x3x3xcomplex<f64>", "c 2x3x3xcomplex<f64>", "d 2xi32"),
        ],
    ),
    "sgees": Call(
        [2, 3, V, N],
        "mode = 86 : ui8, sort = 78 : ui8",
        "2x3x3",
        "f32",
        ["a 2x3x3xf32", "c 2x3xf32", "d 2x3xf32", "b 2x3x3xf32", "e 2xi32", "f 2xi32"],
    ),
    "cgees": Call(
        [2, 3, N, N],
        "mode = 78 : ui8, sort = 78 : ui8",
        "2x3x3",
        "complex<f32>",
        ["a 2x3x3xcomplex<f32>", "3xf32", "c 2x3xcomplex<f32>", "b 2x3x3xcomplex<f32>", "d 2xi32", "e 2xi32"],
    ),
    "sgehrd": Call(
        [3, 2, 3, 3, 2, 9],
        "low = 2 : i32, high = 3 : i32",
        "2x3x3",
        "f32",
        ["a 2x3x3xf32", "b 2x2xf32", "c 2xi32", "9xf32"],
    ),
    "dsytrd": Call(
        [3, 1, 3, 2, 9],
        "uplo = 76 : ui8",
        "2x3x3",
        "f64",
        ["a 2x3x3xf64", "b 2x3xf64", "c 2x2xf64", "d 2x2xf64", "e 2xi32", "9xf64"],
    ),
    "chetrd": Call(
        [3, 0, 3, 2, 9],
        "uplo = 85 : ui8",
        "2x3x3",
        "complex<f32>",
        ["a 2x3x3xcomplex<f32>", "b 2x3xf32", "c 2x2xf32", "d 2x2xcomplex<f32>", "e 2xi32", "9xcomplex<f32>"],
    ),
}


def called(target: str, options: list[int], attributes: str, operands: list[str], results: list[str]) -> str:
    """A function that calls `target` on its arguments, behind `options`, and returns all results."""
    constants = "\n".join(f"%o{i} = stablehlo.constant dense<{value}> : tensor<i32>" for i, value in enumerate(options))
    given = ", ".join([f"%o{i}" for i in range(len(options))] + [f"%x{i}" for i in range(len(operands))])
    types, returned = ["tensor<i32>"] * len(options) + operands, ", ".join(f"tensor<{type}>" for type in results)
    names = ", ".join(f"%r{i}" for i in range(len(results)))
    return f"""func.func @main({", ".join(f"%x{i}: {type}" for i, type in enumerate(operands))}) -> ({returned}) {{
      {constants}
      {names} = stablehlo.custom_call @{target}({given}) {{{attributes}}} : ({", ".join(types)}) -> ({returned})
      return {names} : {returned}
    }}"""


def matrices(dtype: str, *shape: int) -> Array:
    """Random matrices; square ones are positive definite."""
    random = np.random.default_rng(7)
    values = random.normal(size=shape) + (1j * random.normal(size=shape) if "c" in dtype else 0)
    if shape[-1] == shape[-2]:
        values = values @ values.conj().swapaxes(-1, -2) + 4 * np.eye(shape[-1])
    return values.astype({"f32": np.float32, "f64": np.float64, "complex<f32>": np.complex64}.get(dtype, complex))


@pytest.mark.parametrize("name", CALLS)
def test_as_todays_call(name: str):
    call = CALLS[name]
    a = matrices(call.element, *map(int, call.shape.split("x")))
    operands, types = [f"tensor<{call.shape}x{call.element}>"], [result.rpartition(" ")[2] for result in call.results]
    older = evaluate(parse_module(called(f"lapack_{name}", call.options, "", operands, types)), [a])
    config = f"mhlo.backend_config = {{{call.today}}}"
    today = evaluate(parse_module(called(f"lapack_{name}_ffi", [], config, operands, call.todays_results)), [a])
    by_name = {result: value for result, value in zip(call.results, older, strict=True) if " " in result}
    assert len(by_name) == len(today)
    for result, wanted in zip(sorted(by_name), today, strict=True):
        assert by_name[result].dtype == wanted.dtype, result
        np.testing.assert_array_equal(by_name[result], wanted, result)


def test_orgqr():
    """The reflectors of `geqrf` make up a Q of orthonormal columns, and Q R is the matrix."""
    a = matrices("f32", 2, 4, 3)
    factored = called("lapack_sgeqrf_ffi", [], "", ["tensor<2x4x3xf32>"], ["2x4x3xf32", "2x3xf32"])
    reflectors, scalars = evaluate(parse_module(factored), [a])
    operands = ["tensor<2x4x3xf32>", "tensor<2x3xf32>"]
    text = called("lapack_sorgqr", [2, 4, 3, 3, 9], "", operands, ["2x4x3xf32", "2xi32", "9xf32"])
    q, status, _ = evaluate(parse_module(text), [reflectors, scalars])
    np.testing.assert_allclose(q.swapaxes(-1, -2) @ q, np.broadcast_to(np.eye(3), (2, 3, 3)), atol=1e-6)
    np.testing.assert_allclose(q @ np.triu(reflectors[:, :3]), a, rtol=1e-4, atol=1e-6)
    assert not status.any()


@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("lower", [0, 1])
@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize("transpose", [0, 1, 2])
def test_trsm(left: int, lower: int, unit: int, transpose: int):
    """Transposes are numbered: none, the transpose, the adjoint. The right side is multiplied by a factor."""
    a, b, factor = matrices("complex<f32>", 3, 3), matrices("complex<f32>", *((3, 2) if left else (2, 3))), np.array(2j)
    operands = ["tensor<complex<f32>>", "tensor<3x3xcomplex<f32>>", f"tensor<{'3x2' if left else '2x3'}xcomplex<f32>>"]
    text = called("blas_ctrsm", [left, lower, transpose, unit, *b.shape, 1], "", operands, [operands[2][7:-1]])
    (x,) = evaluate(parse_module(text), [factor.astype(np.complex64), a, b])
    triangle = np.tril(a) if lower else np.triu(a)
    triangle = triangle - np.diag(np.diag(triangle)) + np.eye(3) if unit else triangle
    of_triangle = (triangle, triangle.T, triangle.conj().T)[transpose]
    np.testing.assert_allclose(of_triangle @ x if left else x @ of_triangle, factor * b, rtol=1e-4)


def test_sorted_eigenvalues_are_refused():
    types = ["2x3x3xf32", "2x3xf32", "2x3xf32", "2x3x3xf32", "2xi32", "2xi32"]
    text = called("lapack_sgees", [2, 3, V, S], "", ["tensor<2x3x3xf32>"], types)
    with pytest.raises(InterpretationError, match="sorted by a function"):
        evaluate(parse_module(text), [matrices("f32", 2, 3, 3)])
