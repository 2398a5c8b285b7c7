"""
One training step of a small transformer on a mesh of 8 devices, for `xshardy shard examples/transformer.py:step`.

Tokens are divided along "data", heads and hidden features along "model". Only arguments are sharded.
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_NUM_CPU_DEVICES", "8")

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

LAYERS, BATCH, LENGTH, HEADS, HEAD, HIDDEN, WORDS = 2, 8, 128, 8, 32, 1024, 4096
MODEL = HEADS * HEAD

SHAPES = {
    "embedding": ((WORDS, MODEL), (None, "model")),
    "query": ((MODEL, HEADS, HEAD), (None, "model", None)),
    "key": ((MODEL, HEADS, HEAD), (None, "model", None)),
    "value": ((MODEL, HEADS, HEAD), (None, "model", None)),
    "out": ((HEADS, HEAD, MODEL), ("model", None, None)),
    "up": ((MODEL, HIDDEN), (None, "model")),
    "down": ((HIDDEN, MODEL), ("model", None)),
}


def normalised(x):
    return x / jnp.sqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def block(x, w):
    h = normalised(x)
    q, k, v = (jnp.einsum("btm,mhd->bthd", h, w[name]) for name in ("query", "key", "value"))
    weights = jax.nn.softmax(jnp.einsum("bthd,bshd->bhts", q, k) / jnp.sqrt(HEAD))
    x = x + jnp.einsum("bhts,bshd,hdm->btm", weights, v, w["out"])
    return x + jax.nn.gelu(normalised(x) @ w["up"]) @ w["down"]


def loss(weights, tokens):
    x = weights["embedding"][tokens]
    for layer in range(LAYERS):
        x = block(x, weights[f"layer {layer}"])
    scores = jax.nn.log_softmax(normalised(x) @ weights["embedding"].T)
    return -jnp.mean(jnp.take_along_axis(scores[:, :-1], tokens[:, 1:, None], axis=-1))


def train(weights, tokens):
    gradients = jax.grad(loss)(weights, tokens)
    return jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradients)


def step():
    mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))

    def argument(shape, axes, dtype=jnp.float32):
        return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, PartitionSpec(*axes)))

    layer = {name: argument(*SHAPES[name]) for name in SHAPES if name != "embedding"}
    weights = {f"layer {number}": layer for number in range(LAYERS)} | {"embedding": argument(*SHAPES["embedding"])}
    return jax.jit(train).lower(weights, argument((BATCH, LENGTH), ("data", None), jnp.int32))
