"""
Programs of JAX as fused kernels: all steps of their launch plans beside the evaluator, and results beside JAX's.

A transformer's training step and its decoding loop, a convolutional network's gradients, random numbers, branches.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from xshardy.fusing.pipeline import FusionPipelinePass
from xshardy.hlo_text import parse_hlo
from xshardy.launch.checked_run import planned
from xshardy.launch.cpu_machine import CpuMachine
from xshardy.launch.execution import Execution
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module
from xshardy.universe import new_context

TARGET = "sm_90"
WIDTH, HEADS, WORDS, LENGTH, BATCH = 32, 4, 53, 9, 3
RNG = np.random.default_rng(0)


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape).astype(np.float32) / 4


def words(*shape: int) -> Array:
    return RNG.integers(0, WORDS, shape, np.int32)


def normalized(x: Any, scale: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale


def attention(x: Any, weights: Any) -> Any:
    heads = (BATCH, -1, HEADS, WIDTH // HEADS)
    q, k, v = (part.reshape(heads).transpose(0, 2, 1, 3) for part in jnp.split(x @ weights["qkv"], 3, -1))
    scores = q @ k.swapaxes(-1, -2) / (WIDTH // HEADS) ** 0.5
    masked = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e30)
    return (jax.nn.softmax(masked) @ v).transpose(0, 2, 1, 3).reshape(x.shape) @ weights["out"]


def block(x: Any, weights: Any) -> Any:
    x = x + attention(normalized(x, weights["scale"]), weights)
    return x + jax.nn.gelu(normalized(x, weights["scale"]) @ weights["up"]) @ weights["down"]


def layer() -> dict[str, Array]:
    return {
        "qkv": normal(WIDTH, 3 * WIDTH),
        "out": normal(WIDTH, WIDTH),
        "up": normal(WIDTH, 4 * WIDTH),
        "down": normal(4 * WIDTH, WIDTH),
        "scale": normal(WIDTH),
    }


def loss(weights: Any, ids: Any) -> Any:
    x = weights["words"][ids[:, :-1]]
    x, _ = jax.lax.scan(lambda x, each: (block(x, each), None), x, weights["layers"])
    logs = jax.nn.log_softmax(normalized(x, weights["scale"]) @ weights["words"].T)
    return -jnp.take_along_axis(logs, ids[:, 1:, None], -1).mean()


def train(weights: Any, moments: Any, ids: Any) -> Any:
    value, gradient = jax.value_and_grad(loss)(weights, ids)
    moments = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments, gradient)
    return jax.tree.map(lambda w, m: w - 0.1 * m, weights, moments), moments, value


def model() -> Any:
    layers = jax.tree.map(lambda *each: np.stack(each), layer(), layer())
    return {"words": normal(WORDS, WIDTH), "scale": normal(WIDTH), "layers": layers}


def decode(weights: Any, cache: Any, word: Any) -> Any:
    """Three words, greedily, with a cache of keys that is updated in place."""

    def step(carried: Any) -> Any:
        cache, word, place = carried
        x = weights["words"][word]
        cache = jax.lax.dynamic_update_slice(cache, (x @ weights["key"])[:, None], (0, place, 0))
        scores = jnp.where(jnp.arange(LENGTH) <= place, jnp.einsum("bd,bsd->bs", x, cache), -1e30)
        x = x + jnp.einsum("bs,bsd->bd", jax.nn.softmax(scores), cache)
        return cache, jnp.argmax(x @ weights["words"].T, -1).astype(jnp.int32), place + 1

    return jax.lax.while_loop(lambda carried: carried[2] < 3, step, (cache, word, 0))


def convolutions(x: Any, first: Any, second: Any) -> Any:
    convolve = partial(jax.lax.conv_general_dilated, padding="SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    y = convolve(x, first, (2, 2))
    y = jax.nn.relu((y - y.mean((0, 1, 2))) * jax.lax.rsqrt(y.var((0, 1, 2)) + 1e-5))
    y = jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    return jax.nn.softmax(convolve(y, second, (1, 1)).mean((1, 2)))


def gradients(x: Any, first: Any, second: Any) -> Any:
    return jax.grad(lambda *kernels: (convolutions(x, *kernels) ** 2).sum(), argnums=(0, 1))(first, second)


PROGRAMS: dict[str, tuple[Callable[..., Any], Sequence[Any]]] = {
    "a training step": (train, (weights := model(), jax.tree.map(np.zeros_like, weights), words(BATCH, LENGTH))),
    "a decoding loop": (
        decode,
        (
            {"words": normal(WORDS, WIDTH), "key": normal(WIDTH, WIDTH)},
            np.zeros((BATCH, LENGTH, WIDTH), np.float32),
            words(BATCH),
        ),
    ),
    "gradients of convolutions": (gradients, (normal(2, 9, 9, 3), normal(3, 3, 3, 4), normal(3, 3, 4, 5))),
    "random numbers": (lambda key: jax.random.normal(key, (33,)), (np.array([1, 2], np.uint32),)),
    "a branch": (
        lambda which, x: jax.lax.cond(
            which, lambda x: jax.nn.softmax(x @ x.T), lambda x: jnp.zeros((7, 7), x.dtype), x
        ),
        (np.array(True), normal(7, 20)),
    ),
    "orders": (lambda x: (jnp.sort(x), jnp.argsort(x), jnp.median(x), jax.lax.top_k(x, 3)), (normal(7, 33),)),
    "functions without a row of the emitters": (
        lambda x: (
            jax.scipy.special.i1e(x),
            jax.scipy.special.zeta(x + 3, x),
            jax.grad(jax.scipy.special.digamma)(x[0]),
        ),
        (np.abs(normal(9)) + 0.1,),
    ),
    "scattered sums": (lambda x, i: jax.ops.segment_sum(jnp.exp(x), i, 9), (normal(40, 8), words(40) % 9)),
    "products of integers": (
        lambda x, y: x @ y + 1,
        (words(9, 20).astype(np.int8), words(20, 5).astype(np.int8)),
    ),
}


def check_fused(module: ModuleOp, program: Callable[..., Any], arguments: Sequence[Any]) -> None:
    """Fuse `module`, and compare all steps with the evaluator, and the results with those of `program`."""
    FusionPipelinePass().apply(new_context(), module)
    module.verify()
    execution = Execution(planned(module, TARGET), CpuMachine("xla_gpu", TARGET), True)
    results = execution.run([np.asarray(leaf) for leaf in jax.tree.leaves(arguments)])
    assert execution.wrong is None, execution.wrong
    for result, expected in zip(results, jax.tree.leaves(jax.jit(program)(*arguments)), strict=True):
        np.testing.assert_allclose(result.reshape(expected.shape), np.asarray(expected), rtol=2e-3, atol=2e-5)


@pytest.mark.parametrize(("program", "arguments"), PROGRAMS.values(), ids=PROGRAMS)
def test_fused_programs_compute_what_jax_does(program: Callable[..., Any], arguments: Sequence[Any]):
    check_fused(parse_module(jax.jit(program).lower(*arguments).as_text()), program, arguments)


# -- HLO before optimisation, in which transposes have layouts ---------------------------------------------------------

TRANSPOSED: dict[str, tuple[Callable[..., Any], Sequence[Any]]] = {
    "a result": (lambda x: x.T, (normal(3, 2),)),
    "a result of a loop": (lambda x: jax.lax.fori_loop(0, 2, lambda i, y: y + i, x.T), (normal(3, 2),)),
    "a result of a call": (lambda x: jax.jit(lambda x: x.T)(x) + 1, (normal(3, 2),)),
    "a branch": (lambda x: jax.lax.cond(x[0, 0] > 0, lambda x: x.T, lambda x: x.T + 1, x), (normal(3, 2),)),
    "a matrix that LAPACK inverts in a loop": (
        lambda x: jax.lax.fori_loop(0, 2, lambda _, y: jnp.linalg.inv(y.T + 2 * jnp.eye(3)), x.T),
        (normal(3, 3),),
    ),
    "an exponential of a matrix": (lambda x: jax.scipy.linalg.expm(x), (normal(3, 3),)),
}


@pytest.mark.parametrize(("program", "arguments"), TRANSPOSED.values(), ids=TRANSPOSED)
def test_fused_hlo_computes_what_jax_does(program: Callable[..., Any], arguments: Sequence[Any]):
    text = jax.jit(program).lower(*arguments).compiler_ir("hlo").as_hlo_text(print_large_constants=True)
    check_fused(parse_hlo(text), program, arguments)
