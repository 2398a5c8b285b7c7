"""StableHLO of JAX, printed as HLO text: XLA and our evaluator compute from the text what JAX computes."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp

import xshardy
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.transforms.hlo.to_opcodes import write_hlo

jax: Any = pytest.importorskip("jax")
jnp, lax = jax.numpy, jax.lax

Array = NDArray[Any]


def sum_and_product(sum: Array, row: Array) -> tuple[Array, Array]:
    return sum + row, sum * row


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "tile": lambda x: jnp.tile(x, (2, 1, 3)),
    "kron": lambda x: jnp.kron(x[0], x[1, :2, :3]),
    "cholesky": lambda x: jnp.linalg.cholesky(x[:, :6, :6] @ x[:, :6, :6].swapaxes(1, 2) + 9 * jnp.eye(6)),
    "qr": lambda x: jnp.abs(jnp.linalg.qr(x)[1]),
    "eigenvalues": lambda x: jnp.linalg.eigvalsh(x[:, :6, :6] + x[:, :6, :6].swapaxes(1, 2)),
    "singular_values": lambda x: jnp.linalg.svd(x, compute_uv=False),
    "solve": lambda x: jnp.linalg.solve(x[0, :, :8], x[1, :, :2]),
    "top_k": lambda x: lax.top_k(x, 3),
    "sort": lambda x: jnp.sort(x, 1),
    "argsort": lambda x: jnp.argsort(-x, 2),
    "softmax": lambda x: jax.nn.softmax(x @ x.swapaxes(1, 2)) @ x,
    "scan": lambda x: lax.scan(sum_and_product, x[0] * 0, x),
    "pooling": lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3), (1, 2, 2), "SAME"),
    "convolution": lambda x: lax.conv_general_dilated(x, x[:3, :8], (2,), "SAME"),
    "scatter": lambda x: x.at[jnp.array([1, 1, 3])].add(2),
    "gather": lambda x: x[jnp.array([1, 3]), :, jnp.array([0, 9])],
    "cumulative_sum": lambda x: jnp.cumsum(x, 1),
    "random": lambda x: jax.random.normal(jax.random.key(0), x.shape, x.dtype) + x,
    "algorithm": lambda x: lax.dot(x[0], x[1].T, precision=lax.DotAlgorithmPreset.F32_F32_F32),
    "fft": lambda x: jnp.fft.rfft(x).real,
}


@pytest.fixture(scope="module")
def run_hlo() -> Callable[[str, Array], list[Array]]:
    xla_client: Any = import_module("jax._src.lib").xla_client
    hlo: Any = import_module("jaxlib._hlo")
    mlir: Any = import_module("jaxlib._jax").mlir
    client: Any = import_module("jax.extend").backend.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(client.devices()[:1]))

    def run(text: str, argument: Array) -> list[Array]:
        module = hlo.hlo_module_from_text(text)
        bytecode = mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
        executable = client.compile_and_load(bytecode, devices, xla_client.CompileOptions())
        return [np.asarray(result) for result in executable.execute([jax.device_put(argument)])]

    return run


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_printed_program_computes_the_same(name: str, run_hlo: Callable[[str, Array], list[Array]]):
    x = np.random.default_rng(0).uniform(-3, 3, (6, 8, 10)).astype(np.float32)
    function = jax.jit(FUNCTIONS[name])
    want = [np.asarray(result) for result in jax.tree.leaves(function(x))]
    text = write_hlo(xshardy.parse(function.lower(x)))
    *_, entry = (op for op in parse_hlo(text).ops if isinstance(op, FuncOp))
    for results in run_hlo(text, x), evaluate(entry, [x]):
        for got, expected in zip(results, want, strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-3)


def test_the_integers_of_one_bit_of_xla_are_no_integers(run_hlo: Callable[[str, Array], list[Array]]):
    """Why the reader refuses them: XLA's conversion makes s1 pred, and StableHLO's verifier rejects u1."""
    text = (
        "HloModule m\nENTRY e {\n  x = s8[4] parameter(0)\n  y = TYPE[4] convert(x)\n  ROOT z = s8[4] convert(y)\n}\n"
    )
    (found,) = run_hlo(text.replace("TYPE", "s1"), np.array([0, 1, 2, 3], np.int8))
    assert found.tolist() == [0, 1, 1, 1]  # not [0, -1, 0, -1]
    with pytest.raises(Exception, match="must be ranked tensor of bool values, but got 'tensor<4xui1>'"):
        run_hlo(text.replace("TYPE", "u1"), np.array([0, 1, 2, 3], np.int8))
