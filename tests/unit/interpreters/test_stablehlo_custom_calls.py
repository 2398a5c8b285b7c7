"""Custom calls that JAX emits, for CPUs and in portable form: factorizations, top-k, ragged products. As JAX itself."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module
from xshardy.transforms.sdy.main_function import main_function

jax: Any = import_module("jax")
jnp: Any = jax.numpy
lax: Any = jax.lax


def drawn(*shape: int, dtype: str = "float32") -> Array:
    random = np.random.default_rng(sum(shape))
    values = random.normal(size=shape)
    return (values + 1j * random.normal(size=shape) if dtype.startswith("complex") else values).astype(dtype)


def squares(dtype: str) -> Array:
    """Two well-conditioned matrices."""
    return drawn(2, 4, 4, dtype=dtype) + 4 * np.eye(4, dtype=dtype)


def check(function: Callable[..., Any], arguments: list[Array], platform: str = "cpu") -> None:
    """Evaluate what `function` is lowered to for `platform`, and compare it with what JAX computes."""
    text = jax.jit(function).trace(*arguments).lower(lowering_platforms=(platform,)).as_text()
    wanted = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*arguments))]
    for ours, theirs in zip(evaluate(parse_module(text), arguments), wanted, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=2e-3)


def gram(x: Any) -> Any:
    return x @ x.swapaxes(-1, -2).conj()


def qr_with_signs(x: Any, *, full: bool) -> Any:
    """The signs of the columns of Q are a convention, which numpy's LAPACK shares."""
    return lax.linalg.qr(x, full_matrices=full)


def hermitian_eigenvectors(x: Any) -> Any:
    """Eigenvectors without their phases."""
    values, vectors = jnp.linalg.eigh(gram(x))
    return values, jnp.abs(vectors), (vectors * values[..., None, :]) @ vectors.swapaxes(-1, -2).conj()


def singular_vectors(x: Any, *, full: bool) -> Any:
    u, values, vh = jnp.linalg.svd(x, full_matrices=full)
    count = values.shape[-1]
    return values, jnp.abs(u[..., :count]), (u[..., :count] * values[..., None, :]) @ vh[..., :count, :]


def eigenvectors(x: Any) -> Any:
    values, left, right = lax.linalg.eig(x)
    order = jnp.argsort(values.real + 1e-3 * values.imag, axis=-1)
    return jnp.take_along_axis(values, order, -1), jnp.abs(left).sum(), jnp.abs(right).sum()


FACTORIZATIONS: dict[str, Callable[[Any], Any]] = {
    "cholesky": lambda x: jnp.linalg.cholesky(gram(x)),
    "cholesky, upper": lambda x: jnp.linalg.cholesky(gram(x), upper=True),
    "not positive": lambda x: jnp.linalg.cholesky(-gram(x)),
    "eigh": hermitian_eigenvectors,
    "lu": lax.linalg.lu,
    "solve": lambda x: jnp.linalg.solve(x, x[..., :2]),
    "inverse": jnp.linalg.inv,
    "determinant": jnp.linalg.det,
    "qr": lambda x: qr_with_signs(x, full=False),
    "qr of a wide matrix": lambda x: qr_with_signs(x[:, :2], full=True),
    "qr of a tall matrix": lambda x: qr_with_signs(x[..., :2], full=True),
    "triangular, right": lambda x: lax.linalg.triangular_solve(x, x, transpose_a=True),
    "triangular, left": lambda x: lax.linalg.triangular_solve(
        x, x, left_side=True, lower=True, unit_diagonal=True, conjugate_a=True, transpose_a=True
    ),
}

ON_CPU_ONLY: dict[str, Callable[[Any], Any]] = {
    "eig": eigenvectors,
    "ormqr": lambda x: lax.linalg.ormqr(x, x[..., 0], x, left=False, transpose=True),
    "svd": lambda x: singular_vectors(x[:, :3], full=True),
    "svd, reduced": lambda x: singular_vectors(x[..., :3], full=False),
    "singular values": lambda x: jnp.linalg.svd(x, compute_uv=False),
    "hessenberg": lax.linalg.hessenberg,
    "pivoted qr": lambda x: lax.linalg.qr(x, full_matrices=False, pivoting=True),
    "pivoted qr of a wide matrix": lambda x: lax.linalg.qr(x[:, :2], pivoting=True),
    "pivoted qr of no columns": lambda x: lax.linalg.qr(x[..., :0], full_matrices=False, pivoting=True),
    "schur": lax.linalg.schur,
    "schur, form alone": lambda x: lax.linalg.schur(x, compute_schur_vectors=False),
    "tridiagonal form": lambda x: lax.linalg.tridiagonal(gram(x), lower=True),
    "tridiagonal form, upper": lambda x: lax.linalg.tridiagonal(gram(x), lower=False),
    "tridiagonal": lambda x: lax.linalg.tridiagonal_solve(x[0, 0], x[1, 0] + 4, x[0, 1], x[1]),
}


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("name", [*FACTORIZATIONS, *ON_CPU_ONLY])
def test_lapack(name: str, dtype: str):
    if name == "ormqr" and not hasattr(lax.linalg, "ormqr"):
        pytest.skip("this version of JAX has no ormqr")
    check({**FACTORIZATIONS, **ON_CPU_ONLY}[name], [squares(dtype)])


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (
            "@lapack_sgees_ffi(%x) {mhlo.backend_config = {mode = 86 : ui8, sort = 83 : ui8}} : (tensor<2x2xf32>)",
            "sorted by a function",
        ),
        ("@lapack_sgees_ffi(%x) : (tensor<2x2xf32>)", "'lapack_sgees_ffi' has no option 'mode', an integer"),
        ("@lapack_sgeqp3_ffi(%x, %i) : (tensor<2x2xf32>, tensor<2xi32>)", "columns are moved to the front"),
    ],
)
def test_what_jax_does_not_ask_of_lapack_is_refused(call: str, reason: str):
    text = f"""func.func @main(%i: tensor<2xi32>, %x: tensor<2x2xf32>) -> tensor<2x2xf32> {{
      %0 = stablehlo.custom_call {call} -> tensor<2x2xf32>
      return %0 : tensor<2x2xf32>
    }}"""
    with pytest.raises(InterpretationError, match=reason):
        evaluate(parse_module(text), [np.array([0, 1], np.int32), drawn(2, 2)])


def test_scipy_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch):
    check(lax.linalg.hessenberg, [squares("float32")])  # JAX itself needs scipy, once in a process
    monkeypatch.setitem(sys.modules, "scipy.linalg", None)
    with pytest.raises(InterpretationError, match="it needs scipy"):
        check(lax.linalg.hessenberg, [squares("float32")])


@pytest.mark.parametrize("name", FACTORIZATIONS)
def test_portable_factorizations(name: str):
    """As JAX lowers them for a TPU: `Qr`, `Eigh`, `LuDecomposition`, `ProductOfElementaryHouseholderReflectors`."""
    check(FACTORIZATIONS[name], [squares("float32")], platform="tpu")


ON_GPU: dict[str, Callable[[Any], Any]] = {
    **FACTORIZATIONS,
    "eig": lambda x: jnp.sort(jnp.abs(jnp.linalg.eigvals(x)), axis=-1),
    "ormqr": ON_CPU_ONLY["ormqr"],
    "pivots": lambda x: lax.linalg.lu_pivots_to_permutation(jnp.int32([[2, 2, 2], [1, 1, 4]]) + (x[0, 0, 0] > 99), 5),
    "svd": lambda x: singular_vectors(x, full=True),
    "svd of a wide matrix": lambda x: singular_vectors(x[:, :3], full=True),
    "svd of a wide matrix, reduced": lambda x: singular_vectors(x[:, :3], full=False),
    "svd of a tall matrix": lambda x: singular_vectors(x[..., :3], full=True),
    "svd of a tall matrix, reduced": lambda x: singular_vectors(x[..., :3], full=False),
    "svd of a large matrix": lambda x: singular_vectors(drawn(36, 40) + x[0, 0, 0], full=False),
    "svd, by another algorithm": lambda x: singular_vectors_by_qr(x[:, :3]),
    "singular values": ON_CPU_ONLY["singular values"],
    "singular values of a tall matrix": lambda x: jnp.linalg.svd(x[..., :2], compute_uv=False),
    "tridiagonal form": ON_CPU_ONLY["tridiagonal form"],
    "tridiagonal form, upper": ON_CPU_ONLY["tridiagonal form, upper"],
    "tridiagonal": ON_CPU_ONLY["tridiagonal"],
}


def singular_vectors_by_qr(x: Any) -> Any:
    """Without the absolute values of vectors whose singular value is 0."""
    u, values, vh = lax.linalg.svd(x, full_matrices=False, algorithm=lax.linalg.SvdAlgorithm.QR)
    return values, (u * values[..., None, :]) @ vh


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
@pytest.mark.parametrize("name", ON_GPU)
def test_factorizations_on_gpus(name: str, platform: str):
    """As JAX lowers them for GPUs: `cusolver_potrf_ffi`, `hipsolver_gesvd_ffi`, `cu_lu_pivots_to_permutation`."""
    if name == "ormqr" and not hasattr(lax.linalg, "ormqr"):
        pytest.skip("this version of JAX has no ormqr")
    check(ON_GPU[name], [squares("complex64" if "form" in name or "svd" in name else "float32")], platform)


@pytest.mark.parametrize("platform", ["cuda", "rocm"])
def test_random_numbers_on_gpus(platform: str):
    """JAX's generator is a kernel of its own on GPUs: `cu_threefry2x32_ffi`."""

    def draw(seed: Any) -> Any:
        key = jax.random.key(seed)
        return jax.random.bits(key, (3, 5)), jax.random.normal(key, (4,)), jax.random.permutation(key, 7)

    check(draw, [np.array(7, np.uint32)], platform)


def test_random_bits_of_counters_under_a_key():
    """JAX's generator on GPUs, as its implementation on other devices computes it."""
    text = """func.func @main(%k: tensor<3xui32>, %l: tensor<3xui32>, %x: tensor<3xui32>, %y: tensor<3xui32>)
        -> (tensor<3xui32>, tensor<3xui32>) {
      %0:2 = stablehlo.custom_call @cu_threefry2x32_ffi(%k, %l, %x, %y)
        : (tensor<3xui32>, tensor<3xui32>, tensor<3xui32>, tensor<3xui32>) -> (tensor<3xui32>, tensor<3xui32>)
      return %0#0, %0#1 : tensor<3xui32>, tensor<3xui32>
    }"""
    random: Any = import_module("jax.extend.random")
    counters = np.array([0, 1, 2**32 - 1, 7, 0, 5], np.uint32)
    key = np.array([123, 2**31 + 5], np.uint32)
    wanted = np.asarray(random.threefry_2x32(key, counters))
    found = evaluate(parse_module(text), [*(np.full(3, word) for word in key), counters[:3], counters[3:]])
    np.testing.assert_array_equal(np.concatenate(found), wanted)


def test_update_of_a_symmetric_product():
    update = getattr(lax.linalg, "symmetric_product", None)
    if update is None:
        pytest.skip("this version of JAX has no symmetric_product")
    check(lambda x: update(x[:, :3], gram(x), alpha=2.0, beta=0.5), [drawn(4, 4)], "cuda")


@pytest.mark.parametrize("chosen", [lax.approx_max_k, lax.approx_min_k])
@pytest.mark.parametrize("dimension", [0, 1])
def test_approximate_top_k(chosen: Callable[..., Any], dimension: int):
    """XLA's fallback, and our evaluator, choose exactly."""

    def choose(x: Any) -> Any:
        return chosen(x, 3, reduction_dimension=dimension)

    check(choose, [drawn(5, 8)])


@pytest.mark.parametrize(
    ("places", "count", "reason"),
    [
        ("2x3", 3, r"its operands have different shapes, \(2, 4\) and \(2, 3\)"),
        ("2x4", 5, "it chooses 5 elements of 4"),
    ],
)
def test_an_approximate_top_k_of_shapes_that_do_not_fit_is_refused(places: str, count: int, reason: str):
    text = f"""
    func.func private @first(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {{
      %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      return %0 : tensor<i1>
    }}
    func.func @main(%x: tensor<2x4xf32>, %p: tensor<{places}xi32>, %v: tensor<f32>, %n: tensor<i32>)
        -> (tensor<2x{count}xf32>, tensor<2x{count}xi32>) {{
      %0:2 = stablehlo.custom_call @ApproxTopK(%x, %p, %v, %n) {{called_computations = [@first],
          mhlo.backend_config = {{reduction_dim = 1 : i64, top_k = {count} : i64}}}}
        : (tensor<2x4xf32>, tensor<{places}xi32>, tensor<f32>, tensor<i32>)
        -> (tensor<2x{count}xf32>, tensor<2x{count}xi32>)
      return %0#0, %0#1 : tensor<2x{count}xf32>, tensor<2x{count}xi32>
    }}"""
    module = parse_module(text)
    with pytest.raises(InterpretationError, match=reason):
        evaluate(module, inputs_of(main_function(module), 0))


NO_DIMS: list[int] = []


@pytest.mark.parametrize(
    ("contracting", "batch", "ragged", "groups", "left", "right"),
    [
        ([1], NO_DIMS, 0, [0], [7, 3], [3, 3, 4]),
        ([2], [0], 1, [1], [2, 7, 3], [2, 3, 3, 4]),
        ([0], NO_DIMS, 0, NO_DIMS, [7, 3], [7, 4]),
    ],
)
def test_ragged_dot(
    contracting: list[int], batch: list[int], ragged: int, groups: list[int], left: list[int], right: list[int]
):
    dims = (contracting, contracting), (batch, batch)
    numbers = lax.RaggedDotDimensionNumbers(dims, [ragged], groups)

    def product(lhs: Any, rhs: Any, sizes: Any) -> Any:
        return lax.ragged_dot_general(lhs, rhs, sizes, numbers)

    sizes = np.array([2, 0, 4], np.int32)
    check(product, [drawn(*left), drawn(*right), sizes], platform="tpu")


COUNTED = """
    func.func private @first(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
      %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      return %0 : tensor<i1>
    }
    func.func @main(%x: tensor<2x4xf32>, %p: tensor<2x4xi32>, %k: tensor<i32>, %s: tensor<2xi32>)
        -> (tensor<2x?xf32>, tensor<2x?xi32>) {
      %v = stablehlo.constant dense<0.0> : tensor<f32>
      %n = stablehlo.constant dense<-1> : tensor<i32>
      %0:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %p, %v, %n, %k, %s, %s) {CALLED
          mhlo.backend_config = {CONFIG}, indices_of_shape_operands = dense<[5, 6]> : tensor<2xi64>}
        : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>)
        -> (tensor<2x?xf32>, tensor<2x?xi32>)
      return %0#0, %0#1 : tensor<2x?xf32>, tensor<2x?xi32>
    }"""
CALLED, ALONG_ROWS = "called_computations = [@first],", "reduction_dim = 1 : i64"


def test_as_many_first_elements_as_an_operand_says():
    x = np.array([[3, 1, 5, 2], [0, -1, -5, -2]], np.float32)
    places = np.tile(np.arange(4, dtype=np.int32), (2, 1))
    arguments = [x, places, np.array(3, np.int32), np.array([2, 3], np.int32)]
    text = COUNTED.replace("CALLED", CALLED).replace("CONFIG", ALONG_ROWS)
    values, indices = evaluate(parse_module(text), arguments)
    np.testing.assert_array_equal(values, [[5, 3, 2], [0, -1, -2]])
    np.testing.assert_array_equal(indices, [[2, 0, 3], [0, 1, 3]])
    for wrong, message in (
        (COUNTED.replace("CALLED", CALLED).replace("CONFIG", ""), "expected a reduction_dim"),
        (COUNTED.replace("CALLED", "").replace("CONFIG", ALONG_ROWS), "expected one called computation"),
    ):
        with pytest.raises(InterpretationError, match=message):
            evaluate(parse_module(wrong), arguments)


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("reduction_dim = 1 : i64", "expected a top_k"),
        ("reduction_dim = 1 : i64, top_k = 2 : i64", "returns more than 2 elements: aggregate_to_topk is not set"),
    ],
)
def test_an_approximate_top_k_says_how_many_it_chooses(config: str, reason: str):
    text = f"""func.func @main(%x: tensor<2x4xf32>, %v: tensor<f32>) -> tensor<2x3xf32> {{
      %0 = stablehlo.custom_call @ApproxTopK(%x, %v) {{mhlo.backend_config = {{{config}}}}}
        : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }}"""
    with pytest.raises(InterpretationError, match=reason):
        evaluate(parse_module(text), [drawn(2, 4), drawn()])


@pytest.mark.parametrize("target", ["SPMDFullToShardShape", "SPMDShardToFullShape"])
def test_a_tensor_that_is_its_own_part_stays(target: str):
    text = f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %0 = stablehlo.custom_call @{target}(%x) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {{has_side_effect = true}} : (tensor<4xf32>) -> ()
      return %0 : tensor<4xf32>
    }}"""
    (found,) = evaluate(parse_module(text), [drawn(4)])
    np.testing.assert_array_equal(found, drawn(4))


def test_chosen_elements_of_a_custom_call():
    text = """func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>) {
      %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = false}}
        : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
      return %0#0, %0#1 : tensor<2x2xf32>, tensor<2x2xi32>
    }"""
    x = np.array([[3, 1, 2, 1], [0, -1, 5, -2]], np.float32)
    values, indices = evaluate(parse_module(text), [x])
    np.testing.assert_array_equal(values, [[1, 1], [-2, -1]])
    np.testing.assert_array_equal(indices, [[1, 3], [3, 1]])


def test_words_of_64_bits():
    text = """func.func @main(%x: tensor<2xi64>) -> (tensor<2xui32>, tensor<2xi64>) {
      %low = stablehlo.custom_call @X64SplitLow(%x) : (tensor<2xi64>) -> tensor<2xui32>
      %high = stablehlo.custom_call @X64SplitHigh(%x) : (tensor<2xi64>) -> tensor<2xui32>
      %both = stablehlo.custom_call @X64Combine(%low, %high) : (tensor<2xui32>, tensor<2xui32>) -> tensor<2xi64>
      return %high, %both : tensor<2xui32>, tensor<2xi64>
    }"""
    x = np.array([-1, 5 << 33], np.int64)
    high, both = evaluate(parse_module(text), [x])
    np.testing.assert_array_equal(high, [2**32 - 1, 10])
    np.testing.assert_array_equal(both, x)


@pytest.mark.parametrize("target", ["user_kernel", "SPMDFullToShardShape"])
def test_an_unknown_function_is_refused(target: str):
    text = f"""func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {{
      %0 = stablehlo.custom_call @{target}(%x) : (tensor<4xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }}"""
    with pytest.raises(InterpretationError, match=f"'{target}' is not a function that is known here"):
        evaluate(parse_module(text), [drawn(4)])


@pytest.mark.parametrize("target", ["xla_python_cpu_callback", "xla_ffi_partitioned_python_gpu_callback"])
def test_a_callback_into_python_is_refused(target: str):
    text = f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      stablehlo.custom_call @{target}(%x) {{has_side_effect = true}} : (tensor<4xf32>) -> ()
      return %x : tensor<4xf32>
    }}"""
    with pytest.raises(InterpretationError, match=f"'{target}': a Python callback .*take the callback out"):
        evaluate(parse_module(text), [drawn(4)])


BUFFERS = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call MADE memref<2xf32>
  %1 = stablehlo.custom_call @Unpin(%0) : (memref<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}"""


def test_a_buffer_has_the_contents_of_its_array():
    text = BUFFERS.replace("MADE", "@Pin(%x) : (tensor<2xf32>) ->")
    (result,) = evaluate(parse_module(text), [drawn(2)])
    np.testing.assert_array_equal(result, drawn(2))


def test_a_buffer_without_contents_is_refused():
    text = BUFFERS.replace("MADE", "@CreateBuffer() : () ->")
    with pytest.raises(InterpretationError, match="CreateBuffer gives memory without contents"):
        evaluate(parse_module(text), [drawn(2)])


def exported(function: Callable[..., Any], shapes: str, arguments: list[Array]) -> str:
    """StableHLO of `function` for arguments whose shapes are symbolic: `b, 4; _`."""
    export: Any = import_module("jax.export")
    symbolic = export.symbolic_args_specs(tuple(arguments), tuple(shapes.split("; ")))
    return export.export(jax.jit(function), platforms=["tpu"])(*symbolic).mlir_module()


SYMBOLIC: dict[str, tuple[Callable[..., Any], str, list[Array]]] = {
    "top-k": (lambda x: lax.top_k(x, x.shape[1] // 2), "_, b", [drawn(3, 6)]),
    "approximate top-k": (lambda x: lax.approx_max_k(x, 3), "b + 3,", [drawn(8)]),
    "windows": (lambda x: jnp.cumsum(x, axis=0), "b, 4", [drawn(3, 4)]),
    "windows of two arrays": (
        lambda x, y: lax.reduce_window(
            (x, y),
            (np.float32(0), np.float32(1)),
            lambda a, b: (a[0] + b[0], a[1] * b[1]),
            (x.shape[0], 2),
            (1, 2),
            "VALID",
        ),
        "b, 4; b, 4",
        [drawn(3, 4), drawn(3, 4)],
    ),
}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_programs_exported_with_symbolic_shapes(name: str):
    function, shapes, arguments = SYMBOLIC[name]
    wanted = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*arguments))]
    for ours, theirs in zip(
        evaluate(parse_module(exported(function, shapes, arguments)), arguments), wanted, strict=True
    ):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def test_shapes_that_do_not_fit_are_refused_in_the_words_of_the_program():
    text = exported(lambda x: x.reshape(-1, 2), "2*b,", [drawn(4)])
    with pytest.raises(InterpretationError, match="Input shapes do not match the polymorphic shapes specification"):
        evaluate(parse_module(text), [drawn(5)])


def test_random_bits_of_a_symbolic_shape():
    key = jax.random.key(3, impl="rbg")
    words = np.asarray(jax.random.key_data(key))

    def draw(x: Any, key: Any) -> Any:
        return jax.random.bits(jax.random.wrap_key_data(key, impl="rbg"), x.shape)

    text = exported(draw, "b, 4; _", [drawn(3, 4), words])
    (bits,) = evaluate(parse_module(text), [drawn(3, 4), words])
    np.testing.assert_array_equal(bits, np.asarray(jax.random.bits(key, (3, 4))))
