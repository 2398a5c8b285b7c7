"""
A small network fitted on a mesh of 2 x 4 devices with plain `jax.jit`: it knows nothing of xshardy.

    xshardy trace examples/two_functions.py --steps 2
"""

import argparse

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20)
steps = parser.parse_args().steps

mesh = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))


def normal(seed, shape, *axes):
    return jax.device_put(jax.random.normal(jax.random.key(seed), shape), NamedSharding(mesh, PartitionSpec(*axes)))


def loss(weights, inputs, targets):
    hidden = jnp.tanh(inputs @ weights["up"])
    return jnp.mean((hidden @ weights["down"] - targets) ** 2)


@jax.jit
def step(weights, inputs, targets):
    gradients = jax.grad(loss)(weights, inputs, targets)
    return jax.tree.map(lambda weight, gradient: weight - 0.01 * gradient, weights, gradients)


@jax.jit
def evaluate(weights, inputs, targets):
    return loss(weights, inputs, targets)


weights = {"up": normal(0, (64, 256), None, "model"), "down": normal(1, (256, 16), "model")}
inputs, targets = normal(2, (32, 64), "data"), normal(3, (32, 16), "data")
for _ in range(steps):
    weights = step(weights, inputs, targets)
print(f"loss {evaluate(weights, inputs, targets):.1f}")
