"""
What `--fuse` makes of programs of JAX: kernels, the bytes that they read and write, library calls, and CPU seconds.

Bytes are those of the operands and results of each kernel, in the body of a loop once. With `--check`, programs are
executed instead, in small shapes: each step beside the evaluator, and the results beside JAX's. Other arguments are
parts of names of programs.

`--beside BEFORE AFTER` counts those of a module of HLO before XLA's optimiser, fused here, beside those that XLA made
of it. A module with shardings is partitioned first.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import prod
from pathlib import Path
from time import process_time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.shapes import shape_of
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.fusing.fuse import blocks_of
from xshardy.fusing.pipeline import FusionPipelinePass, fused_program
from xshardy.hlo_text import parse_hlo
from xshardy.launch.checked_run import planned
from xshardy.launch.cpu_machine import CpuMachine
from xshardy.launch.execution import Execution
from xshardy.programs.partitioned import partition_module
from xshardy.programs.source import source_of
from xshardy.syntax import parse_module
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.universe import new_context

TARGET = "sm_90"


@dataclass(frozen=True)
class Sizes:
    """The sizes of models."""

    batch: int = 8
    length: int = 512
    width: int = 512
    heads: int = 8
    words: int = 8192
    layers: int = 2
    image: int = 64


SMALL = Sizes(batch=2, length=8, width=32, heads=4, words=53, layers=2, image=8)
"""Sizes of programs that a CPU executes step by step."""

Program = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function of JAX, and its arguments as shapes."""


def floats(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, np.float32)


def integers(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, np.int32)


# -- Layers ------------------------------------------------------------------------------------------------------------


def layer_norm(x: Any, scale: Any, bias: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def norm_weights(width: int) -> dict[str, Any]:
    return {"scale": floats(width), "bias": floats(width)}


def dense(x: Any, w: Any) -> Any:
    return x @ w["kernel"] + w["bias"]


def dense_weights(inputs: int, outputs: int) -> dict[str, Any]:
    return {"kernel": floats(inputs, outputs), "bias": floats(outputs)}


def attention(x: Any, w: Any, heads: int) -> Any:
    batch, length, width = x.shape
    split = (batch, length, heads, width // heads)
    q, k, v = (part.reshape(split) for part in jnp.split(dense(x, w["qkv"]), 3, -1))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / (width // heads) ** 0.5
    masked = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e30)
    return dense(jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(masked), v).reshape(x.shape), w["out"])


def transformer_layer(x: Any, w: Any, heads: int) -> Any:
    x = x + attention(layer_norm(x, **w["before"]), w, heads)
    return x + dense(jax.nn.gelu(dense(layer_norm(x, **w["after"]), w["up"])), w["down"])


def transformer_weights(s: Sizes) -> dict[str, Any]:
    layer = {
        "before": norm_weights(s.width),
        "qkv": dense_weights(s.width, 3 * s.width),
        "out": dense_weights(s.width, s.width),
        "after": norm_weights(s.width),
        "up": dense_weights(s.width, 4 * s.width),
        "down": dense_weights(4 * s.width, s.width),
    }
    return {
        "words": floats(s.words, s.width),
        "places": floats(s.length, s.width),
        "layers": [layer] * s.layers,
        "norm": norm_weights(s.width),
    }


def logits(w: Any, ids: Any, heads: int) -> Any:
    x = w["words"][ids] + w["places"]
    for each in w["layers"]:
        x = transformer_layer(x, each, heads)
    return layer_norm(x, **w["norm"]) @ w["words"].T


def adam(w: Any, first: Any, second: Any, gradient: Any, step: Any) -> Any:
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)

    def update(w: Any, m: Any, v: Any) -> Any:
        return w - 1e-3 * (m / (1 - 0.9**step)) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8)

    return jax.tree.map(update, w, first, second), first, second


def trained(loss: Callable[..., Any]) -> Callable[..., Any]:
    """A step of Adam: `loss` takes weights and a batch."""

    def train(w: Any, first: Any, second: Any, step: Any, *batch: Any) -> Any:
        value, gradient = jax.value_and_grad(loss)(w, *batch)
        return *adam(w, first, second, gradient, step), value

    return train


def cross_entropy(scores: Any, labels: Any) -> Any:
    return -jnp.take_along_axis(jax.nn.log_softmax(scores), labels[..., None], -1).mean()


def convolve(x: Any, kernel: Any, stride: int = 1) -> Any:
    return jax.lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def batch_norm(x: Any, scale: Any, bias: Any) -> Any:
    mean, squares = x.mean((0, 1, 2)), (x * x).mean((0, 1, 2))
    return (x - mean) * jax.lax.rsqrt(squares - mean * mean + 1e-5) * scale + bias


# -- Programs ----------------------------------------------------------------------------------------------------------


def transformer(s: Sizes) -> Program:
    return partial(logits, heads=s.heads), (transformer_weights(s), integers(s.batch, s.length))


def transformer_training(s: Sizes) -> Program:
    w = transformer_weights(s)

    def loss(w: Any, ids: Any, labels: Any) -> Any:
        return cross_entropy(logits(w, ids, s.heads), labels)

    ids = integers(s.batch, s.length)
    return trained(loss), (w, w, w, floats(), ids, ids)


def mixer(s: Sizes) -> Program:
    def block(x: Any, w: Any) -> Any:
        y = layer_norm(x, **w["before"]).swapaxes(1, 2)
        x = x + dense(jax.nn.gelu(dense(y, w["tokens"])), w["tokens_down"]).swapaxes(1, 2)
        return x + dense(jax.nn.gelu(dense(layer_norm(x, **w["after"]), w["up"])), w["down"])

    w = {
        "before": norm_weights(s.width),
        "tokens": dense_weights(s.length, s.length // 2),
        "tokens_down": dense_weights(s.length // 2, s.length),
        "after": norm_weights(s.width),
        "up": dense_weights(s.width, 4 * s.width),
        "down": dense_weights(4 * s.width, s.width),
    }
    return block, (floats(s.batch, s.length, s.width), w)


def convolutional(s: Sizes) -> tuple[Callable[..., Any], Any, Any, Any]:
    def loss(w: Any, x: Any, labels: Any) -> Any:
        for i, each in enumerate(w["convolutions"]):
            x = jax.nn.relu(batch_norm(convolve(x, each["kernel"], 1 + i % 2), **each["norm"]))
        return cross_entropy(dense(x.mean((1, 2)), w["dense"]), labels)

    channels = [3, *(16 << i for i in range(s.layers))]
    layers = [{"kernel": floats(3, 3, a, b), "norm": norm_weights(b)} for a, b in pairwise(channels)]
    w = {"convolutions": layers, "dense": dense_weights(channels[-1], 10)}
    return loss, w, floats(s.batch, s.image, s.image, 3), integers(s.batch)


def convolutions(s: Sizes) -> Program:
    loss, *arguments = convolutional(s)
    return loss, tuple(arguments)


def convolutions_training(s: Sizes) -> Program:
    loss, w, x, labels = convolutional(s)
    return trained(loss), (w, w, w, floats(), x, labels)


def decoding(s: Sizes) -> Program:
    """Words, greedily, with caches of keys and values that are updated in place."""

    def decode(w: Any, keys: Any, values: Any, word: Any) -> Any:
        def step(carried: Any) -> Any:
            keys, values, word, place = carried
            x = w["words"][word]
            y = layer_norm(x, **w["norm"])
            q, k, v = (part.reshape(s.batch, 1, s.heads, -1) for part in jnp.split(dense(y, w["qkv"]), 3, -1))
            keys = jax.lax.dynamic_update_slice(keys, k, (0, place, 0, 0))
            values = jax.lax.dynamic_update_slice(values, v, (0, place, 0, 0))
            scores = jnp.einsum("bqhd,bkhd->bhqk", q, keys) / (s.width // s.heads) ** 0.5
            masked = jnp.where(jnp.arange(s.length) <= place, scores, -1e30)
            x = x + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(masked), values).reshape(x.shape)
            return keys, values, jnp.argmax(x @ w["words"].T, -1).astype(np.int32), place + 1

        return jax.lax.while_loop(lambda carried: carried[3] < 3, step, (keys, values, word, 0))

    w = {
        "words": floats(s.words, s.width),
        "norm": norm_weights(s.width),
        "qkv": dense_weights(s.width, 3 * s.width),
    }
    cache = floats(s.batch, s.length, s.heads, s.width // s.heads)
    return decode, (w, cache, cache, integers(s.batch))


def rows(s: Sizes) -> Program:
    """Layer normalization, GELU and softmax, several times."""

    def stack(x: Any, ws: Any) -> Any:
        for w in ws:
            x = x + jax.nn.softmax(jax.nn.gelu(layer_norm(x, **w)))
        return x

    return stack, (floats(s.batch, s.length, s.width), [norm_weights(s.width)] * 3)


def rows_training(s: Sizes) -> Program:
    function, (x, ws) = rows(s)
    return jax.grad(lambda x, ws: (function(x, ws) ** 2).sum(), argnums=(0, 1)), (x, ws)


def experts(s: Sizes) -> Program:
    """A mixture of experts, each with a capacity."""
    count, capacity = 4, s.length // 2

    def mixture(x: Any, w: Any) -> Any:
        gates = jax.nn.softmax(x @ w["router"])
        gate, chosen = gates.max(-1), jnp.argmax(gates, -1)
        mask = jax.nn.one_hot(chosen, count)
        place = (jnp.cumsum(mask, 1) * mask).sum(-1).astype(np.int32) - 1
        dispatch = mask[..., None] * jax.nn.one_hot(place, capacity)[:, :, None]
        inner = jax.nn.gelu(jnp.einsum("bsd,bsec,edf->ebcf", x, dispatch, w["up"]))
        return jnp.einsum("ebcf,efd,bsec->bsd", inner, w["down"], dispatch * gate[..., None, None])

    w = {
        "router": floats(s.width, count),
        "up": floats(count, s.width, 2 * s.width),
        "down": floats(count, 2 * s.width, s.width),
    }
    return mixture, (floats(s.batch, s.length, s.width), w)


def lstm(s: Sizes) -> Program:
    def scan(w: Any, x: Any) -> Any:
        def step(carried: Any, x: Any) -> Any:
            hidden, cell = carried
            i, f, g, o = jnp.split(dense(jnp.concatenate([x, hidden], -1), w), 4, -1)
            cell = jax.nn.sigmoid(f) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
            hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
            return (hidden, cell), hidden

        zeros = jnp.zeros((s.batch, s.width), x.dtype)
        return jax.lax.scan(step, (zeros, zeros), x)

    return scan, (dense_weights(2 * s.width, 4 * s.width), floats(s.length, s.batch, s.width))


def lstm_gradients(s: Sizes) -> Program:
    function, arguments = lstm(s)
    return jax.grad(lambda w, x: (function(w, x)[1] ** 2).sum()), arguments


def batch_norms(s: Sizes) -> Program:
    """Gradients of batch normalizations with running statistics."""

    def train(w: Any, running: Any, x: Any) -> Any:
        def loss(w: Any) -> Any:
            y, kept = x, []
            for each, old in zip(w, running, strict=True):
                mean, variance = y.mean((0, 1, 2)), y.var((0, 1, 2))
                kept.append((0.9 * old[0] + 0.1 * mean, 0.9 * old[1] + 0.1 * variance))
                y = jax.nn.relu((y - mean) * jax.lax.rsqrt(variance + 1e-5) * each["scale"] + each["bias"])
            return (y**2).mean(), kept

        return jax.value_and_grad(loss, has_aux=True)(w)

    channels = s.width // 2
    running = [(floats(channels), floats(channels))] * 2
    return train, ([norm_weights(channels)] * 2, running, floats(s.batch, s.image, s.image, channels))


PROGRAMS: Mapping[str, Callable[[Sizes], Program]] = {
    "transformer": transformer,
    "transformer, training": transformer_training,
    "MLP-Mixer block": mixer,
    "convolutions": convolutions,
    "convolutions, training": convolutions_training,
    "decoding loop": decoding,
    "rows": rows,
    "rows, gradients": rows_training,
    "experts": experts,
    "LSTM": lstm,
    "LSTM, gradients": lstm_gradients,
    "batch norms, gradients": batch_norms,
}


def sized(s: Sizes) -> dict[str, Program]:
    return {name: program(s) for name, program in PROGRAMS.items()}


# -- Measurement -------------------------------------------------------------------------------------------------------


def lowered(program: Program) -> ModuleOp:
    function, arguments = program
    return parse_module(jax.jit(function).lower(*arguments).as_text())


def fuse(module: ModuleOp) -> float:
    """Fuse `module`; returns the CPU seconds."""
    start = process_time()
    FusionPipelinePass().apply(new_context(), module)
    return process_time() - start


def steps(module: ModuleOp) -> Iterator[Operation]:
    return (op for block in blocks_of(module) for op in block.ops)


def accesses(fusion: FusionOp) -> int:
    """The bytes of the operands and results of `fusion`."""
    values = *fusion.operands, *fusion.results
    return sum(prod(shape_of(value)) * bits_in_memory(value.type) // 8 for value in values)


def row_of(name: str, program: Program) -> tuple[str, ...]:
    module = lowered(program)
    operations = sum(1 for _ in steps(module))
    seconds = fuse(module)
    kernels, megabytes, _ = counted(module)
    calls = Counter(
        op.call_target_name.data.partition("$")[0] for op in steps(module) if isinstance(op, stablehlo.CustomCallOp)
    )
    figures = kernels, f"{megabytes:,.1f}", calls["__cublas"], calls["__cudnn"]
    return name, f"{operations:,}", *map(str, figures), f"{seconds:.1f}", f"{seconds / operations * 1e3:.1f}"


HEADER = "program", "operations", "kernels", "MB", "cuBLAS", "cuDNN", "s", "ms/operation"


def measure(parts: list[str], console: Console) -> None:
    programs = sized(Sizes())
    for layers in (8, 32):
        programs[f"transformer, training, {layers} layers"] = transformer_training(Sizes(layers=layers))
    console.print(f"| {' | '.join(HEADER)} |\n|{'---|' * len(HEADER)}", soft_wrap=True)
    for name, program in programs.items():
        if all(part in name for part in parts):
            console.print(f"| {' | '.join(row_of(name, program))} |", soft_wrap=True)


def counted(module: ModuleOp) -> tuple[int, float, int]:
    """The kernels of a fused module, the MB that they read and write, and its library calls."""
    kernels = [op for op in steps(module) if isinstance(op, FusionOp)]
    calls = sum(isinstance(op, stablehlo.CustomCallOp) for op in steps(module))
    return len(kernels), sum(map(accesses, kernels)) / 1e6, calls


def beside(before: Path, after: Path, console: Console) -> None:
    """A row of kernels, MB and library calls, ours of `before` and XLA's of `after`."""
    with imported_program(source_of(before)) as program:
        ours = counted(fused_program(partition_module(program.module, program.context).module))
    theirs = counted(parse_hlo(after.read_text()))
    figures = (f"{one:,.0f} | {other:,.0f}" for one, other in zip(ours, theirs, strict=True))
    ratios = (f"{one / other:.2f}" for one, other in zip(ours[:2], theirs[:2], strict=True))
    console.print(f"| {after.stem} | {' | '.join([*figures, *ratios])} |", soft_wrap=True)


# -- Execution ---------------------------------------------------------------------------------------------------------


def drawn(leaf: Any, rng: np.random.Generator) -> Any:
    if leaf.dtype == np.int32:
        return rng.integers(0, 10, leaf.shape, np.int32)
    return (np.abs(rng.standard_normal(leaf.shape)) / 4 + 0.01).astype(np.float32)


def check(program: Program) -> str:
    """Execute the steps beside the evaluator, and the whole beside JAX; says what agrees or differs first."""
    function, arguments = program
    rng = np.random.default_rng(0)
    values = jax.tree.map(lambda leaf: drawn(leaf, rng), arguments)
    module = lowered(program)
    fuse(module)
    execution = Execution(planned(module, TARGET), CpuMachine("xla_gpu", TARGET), True)
    results = execution.run([np.asarray(leaf) for leaf in jax.tree.leaves(values)])
    if execution.wrong is not None:
        return f"wrong: {execution.wrong}"
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*values))]
    pairs = [(result.reshape(leaf.shape), leaf) for result, leaf in zip(results, expected, strict=True)]
    error = max(float(np.max(np.abs(a - b) / (np.max(np.abs(b)) + 1e-30), initial=0)) for a, b in pairs)
    return f"every step agrees; {error:.1e} of the largest element from JAX's results"


def main(arguments: list[str]) -> None:
    parts = [argument for argument in arguments if argument != "--check"]
    console = Console()
    if arguments[:1] == ["--beside"]:
        beside(Path(arguments[1]), Path(arguments[2]), console)
        return
    if "--check" not in arguments:
        measure(parts, console)
        return
    for name, program in sized(SMALL).items():
        if all(part in name for part in parts):
            console.print(f"{name}: {check(program)}", soft_wrap=True)


if __name__ == "__main__":
    main(sys.argv[1:])
