"""
A training step of a language model of 0.5 billion parameters on 2 x 4 devices, for a tutorial in docs/.

`data_parallel`, `last_dimensions` and `megatron` differ in how the weights are sharded. Nothing else is annotated but
the batch, and no array is made.
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_NUM_CPU_DEVICES", "8")

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

LAYERS, BATCH, LENGTH, HEADS, HEAD, HIDDEN, WORDS = 2, 16, 2048, 32, 128, 16384, 32768
MODEL = HEADS * HEAD

SHAPES = {
    "embedding": (WORDS, MODEL),
    "query": (MODEL, HEADS, HEAD),
    "key": (MODEL, HEADS, HEAD),
    "value": (MODEL, HEADS, HEAD),
    "out": (HEADS, HEAD, MODEL),
    "up": (MODEL, HIDDEN),
    "down": (HIDDEN, MODEL),
}


def normalised(x):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def block(x, w):
    h = normalised(x)
    q, k, v = (jnp.einsum("btm,mhd->bthd", h, w[name]) for name in ("query", "key", "value"))
    attention = jax.nn.softmax(jnp.einsum("bthd,bshd->bhts", q, k) / HEAD**0.5)
    x = x + jnp.einsum("bhts,bshd,hdm->btm", attention, v, w["out"])
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


def step(axes):
    """The step, lowered; `axes` are those along which the dimensions of each weight are sharded, by its name."""
    mesh = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))

    def argument(shape, spec, dtype=jnp.bfloat16):
        return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, PartitionSpec(*spec)))

    layer = {name: argument(shape, axes[name]) for name, shape in SHAPES.items()}
    embedding = layer.pop("embedding")
    weights = {"embedding": embedding} | {f"layer {number}": layer for number in range(LAYERS)}
    return jax.jit(train, donate_argnums=0).lower(weights, argument((BATCH, LENGTH), ("data",), jnp.int32))


def data_parallel():
    return step(dict.fromkeys(SHAPES, ()))


def last_dimensions():
    return step({name: (None,) * (len(shape) - 1) + ("model",) for name, shape in SHAPES.items()})


def megatron():
    rows, columns = ("model",), (None, "model")
    return step(
        {"query": columns, "key": columns, "value": columns, "up": columns}
        | {"out": rows, "down": rows, "embedding": rows}
    )
