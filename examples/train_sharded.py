"""
Ten steps of training a small transformer on a mesh of 2 x 4 devices, each loss beside that of plain `jax.jit`.

    python examples/train_sharded.py                   # 8 virtual CPUs in this process
    python examples/train_sharded.py --processes 2     # 2 processes of 4 virtual CPUs, joined over Gloo

On a cluster, each process gets `--coordinator HOST:PORT --processes K --process-id I` (docs/running.md).
"""

import argparse
import sys

import xshardy
from xshardy.engines.pjrt.processes import LOOPBACK, free_port, run_together

DEVICES, STEPS, RATE = 8, 10, 0.5
LAYERS, BATCH, LENGTH, HEADS, HEAD, HIDDEN, WORDS = 2, 8, 16, 4, 8, 64, 96
MODEL = HEADS * HEAD

# Shapes, and the mesh axis of each dimension: heads and hidden features along "model"; the batch along "data".
LAYER = {
    "query": ((MODEL, HEADS, HEAD), (None, "model")),
    "key": ((MODEL, HEADS, HEAD), (None, "model")),
    "value": ((MODEL, HEADS, HEAD), (None, "model")),
    "out": ((HEADS, HEAD, MODEL), ("model",)),
    "up": ((MODEL, HIDDEN), (None, "model")),
    "down": ((HIDDEN, MODEL), ("model",)),
}
SHAPES = {"embedding": ((WORDS, MODEL), ("model",))} | {
    f"{name} {layer}": what for layer in range(LAYERS) for name, what in LAYER.items()
}


def train() -> None:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax.sharding import AxisType, PartitionSpec

    def normalised(x):
        return x / jnp.sqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)

    def loss(w, tokens):
        x = w["embedding"][tokens]
        future = jnp.triu(jnp.full((LENGTH, LENGTH), -1e9), 1)
        for layer in range(LAYERS):
            h = normalised(x)
            q, k, v = (jnp.einsum("btm,mhd->bthd", h, w[f"{name} {layer}"]) for name in ("query", "key", "value"))
            weights = jax.nn.softmax(jnp.einsum("bthd,bshd->bhts", q, k) / HEAD**0.5 + future)
            x = x + jnp.einsum("bhts,bshd,hdm->btm", weights, v, w[f"out {layer}"])
            x = x + jax.nn.gelu(normalised(x) @ w[f"up {layer}"]) @ w[f"down {layer}"]
        scores = jax.nn.log_softmax(normalised(x) @ w["embedding"].T)
        return -jnp.mean(jnp.take_along_axis(scores[:, :-1], tokens[:, 1:, None], axis=-1))

    def step(w, tokens):
        value, gradients = jax.value_and_grad(loss)(w, tokens)
        return value, jax.tree.map(lambda weight, gradient: weight - RATE * gradient, w, gradients)

    mesh = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))
    of_weights = {name: PartitionSpec(*axes) for name, (_, axes) in SHAPES.items()}
    sharded = xshardy.jax.jit(
        step,
        mesh=mesh,
        in_shardings=(of_weights, PartitionSpec("data")),
        out_shardings=(PartitionSpec(), of_weights),
        donate_argnums=0,
    )
    plain = jax.jit(step)

    rng = np.random.default_rng(0)
    weights = {n: (rng.standard_normal(shape) / shape[0] ** 0.5).astype(np.float32) for n, (shape, _) in SHAPES.items()}
    on_mesh, alone = weights, weights
    tokens = rng.integers(0, WORDS, (BATCH, LENGTH), dtype=np.int32)
    for number in range(STEPS):
        found, on_mesh = sharded(on_mesh, tokens)
        expected, alone = plain(alone, tokens)
        if jax.process_index() == 0:
            print(f"step {number}: loss {found:.6f} on {mesh.size} devices, {expected:.6f} on one", flush=True)
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--coordinator", metavar="HOST:PORT")
    parser.add_argument("--process-id", type=int, default=0)
    args = parser.parse_args()
    if args.processes > 1 and args.coordinator is None:
        joined = (sys.executable, __file__, "--processes", str(args.processes), "--coordinator")
        coordinator = f"{LOOPBACK}:{free_port()}"
        run_together(
            [(*joined, coordinator, "--process-id", str(i)) for i in range(args.processes)], time_out=600, quiet=False
        )
        return
    xshardy.jax.start(
        DEVICES // args.processes,
        coordinator=args.coordinator,
        processes=args.processes,
        process_id=args.process_id,
    )
    train()


if __name__ == "__main__":
    main()
