"""
A small network fitted on a mesh of 2 x 4 devices with plain `jax.jit` and explicit axes: it knows nothing of xshardy.

    xshardy trace examples/two_functions.py --steps 2
"""

import argparse

import jax
import jax.numpy as jnp
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20)
steps = parser.parse_args().steps

jax.set_mesh(jax.make_mesh((2, 4), ("data", "model")))
rng = np.random.default_rng(0)


def normal(shape, *axes):
    return jax.device_put(rng.standard_normal(shape, np.float32), jax.P(*axes))


def loss(weights, inputs, targets):
    hidden = jnp.tanh(inputs @ weights["up"])
    return jnp.mean((jnp.dot(hidden, weights["down"], out_sharding=jax.P("data")) - targets) ** 2)


@jax.jit
def step(weights, inputs, targets):
    gradients = jax.grad(loss)(weights, inputs, targets)
    return jax.tree.map(lambda weight, gradient: weight - 0.01 * gradient, weights, gradients)


@jax.jit
def evaluate(weights, inputs, targets):
    return loss(weights, inputs, targets)


weights = {"up": normal((64, 256), None, "model"), "down": normal((256, 16), "model")}
inputs, targets = normal((32, 64), "data"), normal((32, 16), "data")
for _ in range(steps):
    weights = step(weights, inputs, targets)
print(f"loss {evaluate(weights, inputs, targets):.1f}")
