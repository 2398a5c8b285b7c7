"""A feed-forward layer of JAX, with a residual, layer normalization and softmax: two products, one kernel."""

import jax
import jax.numpy as jnp

WIDTH, HIDDEN, ROWS = 256, 512, 64


def layer(x, w1, b1, w2, scale):
    hidden = jax.nn.gelu(x @ w1 + b1)
    y = hidden @ w2 + x
    centred = y - y.mean(-1, keepdims=True)
    normalised = centred * jax.lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale
    return jax.nn.softmax(normalised)


def lowered():
    """What `xshardy compile --fuse examples/layer.py:lowered` reads."""
    shapes = (ROWS, WIDTH), (WIDTH, HIDDEN), (HIDDEN,), (HIDDEN, WIDTH), (WIDTH,)
    return jax.jit(layer).lower(*(jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes))
