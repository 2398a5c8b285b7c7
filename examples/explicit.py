"""
A training step of a network of two layers over explicit axes, for docs/explicit_axes.md.

`step` divides the hidden features, Megatron's layout. In `fully_sharded`, the axis of the batch divides weights, too.
"""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("JAX_NUM_CPU_DEVICES", "8")

import jax
import jax.numpy as jnp
from jax import P


def loss(weights, x):
    hidden = jax.nn.relu(x @ weights["up"])
    y = jnp.dot(hidden, weights["down"], out_sharding=P("data"))
    return jnp.mean(y**2)


def train(weights, x):
    gradients = jax.grad(loss)(weights, x)
    return jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, weights, gradients)


def lowered(up, down):
    mesh = jax.make_mesh((2, 4), ("data", "model"))

    def argument(shape, spec):
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=jax.NamedSharding(mesh, spec))

    weights = {"up": argument((512, 2048), up), "down": argument((2048, 512), down)}
    with jax.set_mesh(mesh):
        return jax.jit(train, donate_argnums=0).lower(weights, argument((64, 512), P("data")))


def step():
    return lowered(P(None, "model"), P("model"))


def fully_sharded():
    return lowered(P("data", "model"), P("model", "data"))
