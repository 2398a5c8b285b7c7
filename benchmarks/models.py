"""
Twelve models as steps in JAX, with the annotations that published practice gives them. Nothing is allocated.

`step(NAME)` has real sizes; a `scale` below 1 makes them small enough to run. The annotations are Megatron's, those of
fully sharded data parallelism (ZeRO-3) and of sequence parallelism, GShard's experts, and tables divided by rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec

LEAST = 8
"""No size becomes smaller by its scale; smaller ones stay."""
ALL = ("data", "model")
"""Both axes for one dimension."""


@dataclass(frozen=True)
class Step:
    """A function with its arguments. The first `trained` of them are returned first, sharded as before."""

    function: Callable[..., Any]
    arguments: Sequence[Any]
    """Trees of `ShapeDtypeStruct`."""
    trained: int = 1

    def lower(self) -> Any:
        """The function as JAX lowers it, without devices."""
        kept = tuple(jax.tree.map(lambda leaf: leaf.sharding, tree) for tree in self.arguments[: self.trained])
        jitted = jax.jit(self.function, donate_argnums=range(self.trained), out_shardings=(*kept, None))
        return jitted.trace(*self.arguments).lower(lowering_platforms=("cpu",))


@dataclass(frozen=True)
class Setting:
    """A mesh, a number of layers, the scale of all other sizes, and the type of activations."""

    mesh: AbstractMesh
    layers: int
    scale: float
    dtype: Any

    def sizes(self, *real: int) -> Sequence[int]:
        """Sizes at this scale, multiples of `LEAST`."""
        return [min(size, max(1, round(size * self.scale / LEAST)) * LEAST) for size in real]

    def sharding(self, *axes: Any) -> NamedSharding:
        """The sharding of the first dimensions along `axes`, one entry each."""
        return NamedSharding(self.mesh, PartitionSpec(*axes))

    def array(self, shape: Sequence[int], *axes: Any, dtype: Any = None) -> jax.ShapeDtypeStruct:
        """An argument."""
        return jax.ShapeDtypeStruct(shape, dtype or self.dtype, sharding=self.sharding(*axes))

    def tokens(self, *shape: int, axes: Any = "data") -> jax.ShapeDtypeStruct:
        """Indices, with the first dimension divided."""
        return self.array(shape, axes, dtype=jnp.int32)

    def constrain(self, x: Any, *axes: Any) -> Any:
        """`x` with a person's constraint."""
        return jax.lax.with_sharding_constraint(x, self.sharding(*axes))

    def repeated(self, layer: Mapping[str, jax.ShapeDtypeStruct]) -> Sequence[Mapping[str, jax.ShapeDtypeStruct]]:
        """The weights of a layer, for each layer."""
        return [layer] * self.layers

    def stacked(self, layer: Mapping[str, jax.ShapeDtypeStruct]) -> Mapping[str, jax.ShapeDtypeStruct]:
        """The weights of a layer with a first dimension of layers, for `lax.scan`."""
        return {
            name: self.array((self.layers, *weight.shape), None, *weight.sharding.spec, dtype=weight.dtype)
            for name, weight in layer.items()
        }


def descent(loss: Callable[..., Any]) -> Callable[..., Any]:
    """A step of gradient descent."""

    def step(weights, *batch):
        value, gradients = jax.value_and_grad(loss)(weights, *batch)
        return jax.tree.map(lambda w, g: w - (0.01 * g).astype(w.dtype), weights, gradients), value

    return step


def adamw(loss: Callable[..., Any], dtype: Any) -> Callable[..., Any]:
    """A step of AdamW on float32 weights, whose loss is computed on copies in `dtype`."""

    def step(state, *batch):
        weights, means, squares = state
        value, gradients = jax.value_and_grad(
            lambda weights: loss(jax.tree.map(lambda w: w.astype(dtype), weights), *batch)
        )(weights)
        means = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, means, gradients)
        squares = jax.tree.map(lambda v, g: 0.95 * v + 0.05 * g * g, squares, gradients)
        weights = jax.tree.map(lambda w, m, v: w - 3e-4 * (m / (jnp.sqrt(v) + 1e-8) + 0.1 * w), weights, means, squares)
        return (weights, means, squares), value

    return step


def normalised(x, scale=1.0):
    """The root mean square norm of the last dimension."""
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def rotated(x):
    """Rotary embeddings of [batch, length, heads..., head]."""
    half = x.shape[-1] // 2
    angles = jnp.outer(jnp.arange(x.shape[1]), 10_000.0 ** -(jnp.arange(half) / half)).astype(x.dtype)
    angles = angles.reshape(1, x.shape[1], *(1,) * (x.ndim - 3), half)
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * jnp.cos(angles) - b * jnp.sin(angles), b * jnp.cos(angles) + a * jnp.sin(angles)], -1)


def causal(scores):
    """Scores [..., to, from] of places that are not later."""
    length = scores.shape[-1]
    return jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)


def attention(x, memory, w, *, bias=None, is_causal=False):
    """Attention of [batch, length, model] over `memory`, with weights by heads."""
    q = jnp.einsum("btm,mhd->bthd", x, w["query"])
    k, v = (jnp.einsum("bsm,mhd->bshd", memory, w[name]) for name in ("key", "value"))
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** 0.5
    scores = scores if bias is None else scores + bias
    weights = jax.nn.softmax(causal(scores) if is_causal else scores)
    return jnp.einsum("bhts,bshd,hdm->btm", weights, v, w["out"])


def heads_by(at: Setting, model: int, heads: int, head: int, *axes: Any) -> Mapping[str, jax.ShapeDtypeStruct]:
    """The weights of `attention`: the dimension of the model, and that of the heads, along `axes`."""
    inputs = {name: at.array((model, heads, head), *axes) for name in ("query", "key", "value")}
    return inputs | {"out": at.array((heads, head, model), axes[1], None, axes[0])}


def next_token_loss(logits, tokens):
    """The mean cross entropy of each token given those before it."""
    scores = jax.nn.log_softmax(logits[:, :-1].astype(jnp.float32))
    return -jnp.mean(jnp.take_along_axis(scores, tokens[:, 1:, None], axis=-1))


def llama(at: Setting, *, is_scanned: bool = False) -> Step:
    """LLaMA 3 of 8 billion parameters with AdamW, fully sharded along "data", tensor parallel along "model"."""
    model, hidden, words, groups, head, batch, length = at.sizes(4096, 14336, 128256, 8, 128, 16, 4096)
    weight = partial(at.array, dtype=jnp.float32)
    layer = {
        "query": weight((model, groups, 4, head), "data", "model"),
        "key": weight((model, groups, head), "data", "model"),
        "value": weight((model, groups, head), "data", "model"),
        "out": weight((groups, 4, head, model), "model", None, None, "data"),
        "gate": weight((model, hidden), "data", "model"),
        "up": weight((model, hidden), "data", "model"),
        "down": weight((hidden, model), "model", "data"),
        "norms": weight((2, model)),
    }
    weights = {"layers": at.stacked(layer) if is_scanned else at.repeated(layer)}
    weights |= {"embedding": weight((words, model), "model", "data"), "head": weight((model, words), "data", "model")}

    @jax.checkpoint
    def block(x, w):
        h = normalised(x, w["norms"][0])
        q, k = rotated(jnp.einsum("btm,mgqd->btgqd", h, w["query"])), rotated(jnp.einsum("bsm,mgd->bsgd", h, w["key"]))
        scores = jax.nn.softmax(causal(jnp.einsum("btgqd,bsgd->bgqts", q, k) / head**0.5))
        v = jnp.einsum("bsm,mgd->bsgd", h, w["value"])
        x = x + jnp.einsum("bgqts,bsgd,gqdm->btm", scores, v, w["out"])
        h = normalised(x, w["norms"][1])
        x = x + (jax.nn.silu(h @ w["gate"]) * (h @ w["up"])) @ w["down"]
        return at.constrain(x, "data")

    def loss(weights, tokens):
        x = at.constrain(weights["embedding"][tokens], "data")
        if is_scanned:
            x, _ = jax.lax.scan(lambda x, w: (block(x, w), None), x, weights["layers"])
        else:
            for w in weights["layers"]:
                x = block(x, w)
        return next_token_loss(normalised(x) @ weights["head"], tokens)

    return Step(adamw(loss, at.dtype), ((weights,) * 3, at.tokens(batch, length)))


def gpt(at: Setting) -> Step:
    """GPT-3 of 6.7 billion parameters: Megatron's tensor and sequence parallelism."""
    model, hidden, words, heads, head, batch, length = at.sizes(4096, 16384, 51200, 32, 128, 16, 2048)
    layer = dict(heads_by(at, model, heads, head, None, "model"))
    layer |= {"up": at.array((model, hidden), None, "model"), "down": at.array((hidden, model), "model")}
    weights = {
        "layers": at.repeated(layer),
        "words": at.array((words, model), "model"),
        "places": at.array((length, model), "model"),
    }

    def between(x):
        return at.constrain(x, "data", "model")

    def block(x, w):
        h = at.constrain(normalised(x), "data")
        x = x + between(attention(h, h, w, is_causal=True))
        h = at.constrain(normalised(x), "data")
        return x + between(jax.nn.gelu(h @ w["up"]) @ w["down"])

    def loss(weights, tokens):
        x = between(weights["words"][tokens] + weights["places"])
        for w in weights["layers"]:
            x = block(x, w)
        return next_token_loss(at.constrain(normalised(x), "data") @ weights["words"].T, tokens)

    return Step(descent(loss), (weights, at.tokens(batch, length)))


def moe(at: Setting) -> Step:
    """A mixture of 64 experts by GShard: groups of tokens and experts along "data", hidden features along "model"."""
    model, hidden, experts, groups, group, outputs = at.sizes(2048, 8192, 64, 32, 1024, 32000)
    capacity = max(4, 2 * group // experts)
    layer = {
        "gate": at.array((model, experts)),
        "up": at.array((experts, model, hidden), "data", None, "model"),
        "down": at.array((experts, hidden, model), "data", "model"),
    }
    weights = {"layers": at.repeated(layer), "head": at.array((model, outputs), None, "model")}

    def routes(gates):
        """[group, token, expert, place in the expert] -> weight: the two best experts, as far as they have room."""
        first = jax.nn.one_hot(jnp.argmax(gates, -1), experts, dtype=gates.dtype)
        second = jax.nn.one_hot(jnp.argmax(gates * (1 - first), -1), experts, dtype=gates.dtype)
        before = jnp.cumsum(first, axis=1) - first, jnp.cumsum(second, axis=1) - second + first.sum(1, keepdims=True)
        combine = jnp.zeros((*gates.shape, capacity), gates.dtype)
        for chosen, place in zip((first, second), before, strict=True):
            places = jax.nn.one_hot((place * chosen).sum(-1).astype(jnp.int32), capacity, dtype=gates.dtype)
            weight = (gates * chosen).sum(-1) / (gates * (first + second)).sum(-1)
            combine += jnp.einsum("gs,gse,gsc->gsec", weight, chosen, places)
        return combine

    def block(x, w):
        combine = at.constrain(routes(jax.nn.softmax(normalised(x) @ w["gate"])), "data")
        inputs = jnp.einsum("gsec,gsm->egcm", (combine > 0).astype(x.dtype), x)
        h = jax.nn.relu(jnp.einsum("egcm,emh->egch", at.constrain(inputs, "data"), w["up"]))
        outputs = at.constrain(jnp.einsum("egch,ehm->egcm", h, w["down"]), "data")
        return at.constrain(x + jnp.einsum("gsec,egcm->gsm", combine, outputs), "data")

    def loss(weights, x, labels):
        for w in weights["layers"]:
            x = block(x, w)
        return next_token_loss(x @ weights["head"], labels)

    return Step(descent(loss), (weights, at.array((groups, group, model), "data"), at.tokens(groups, group)))


def vit(at: Setting) -> Step:
    """ViT-L/16 with 197 tokens: batches along "data", heads and hidden features along "model"."""
    model, hidden, heads, head, batch, classes = at.sizes(1024, 4096, 16, 64, 256, 1000)
    side, patch = (14, 16) if at.scale == 1 else (3, 4)
    layer = dict(heads_by(at, model, heads, head, None, "model"))
    layer |= {"up": at.array((model, hidden), None, "model"), "down": at.array((hidden, model), "model")}
    weights = {
        "layers": at.repeated(layer),
        "patches": at.array((patch, patch, 3, model)),
        "class": at.array((1, model)),
        "places": at.array((side * side + 1, model)),
        "head": at.array((model, classes), None, "model"),
    }

    def loss(weights, images, labels):
        x = jax.lax.conv_general_dilated(
            images, weights["patches"], (patch, patch), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
        ).reshape(batch, side * side, model)
        first = jnp.broadcast_to(weights["class"], (batch, 1, model))
        x = at.constrain(jnp.concatenate([first, x], axis=1) + weights["places"], "data")
        for w in weights["layers"]:
            h = normalised(x)
            x = x + attention(h, h, w)
            x = at.constrain(x + jax.nn.gelu(normalised(x) @ w["up"]) @ w["down"], "data")
        scores = jax.nn.log_softmax(normalised(x[:, 0]) @ weights["head"])
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    images = at.array((batch, side * patch, side * patch, 3), "data")
    return Step(descent(loss), (weights, images, at.tokens(batch)))


def unet(at: Setting) -> Step:
    """A U-Net of images of 64 by 64 with `layers` blocks at each of three levels; data parallel along both axes."""
    width, batch = at.sizes(128, 512)
    size = 64 if at.scale == 1 else 8
    widths = [width, 2 * width, 4 * width]

    def kernels(*channels: int):
        return [at.array((3, 3, a, b)) for a, b in pairwise(channels)]

    weights = {
        "first": kernels(3, width),
        "down": [kernels(a, *[b] * at.layers) for a, b in zip([width, *widths], widths, strict=False)],
        "up": [kernels(b + a, *[a] * at.layers) for a, b in pairwise(widths)],
        "last": kernels(width, 3),
    }

    def convolved(x, kernel):
        return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def block(x, kernels):
        for kernel in kernels:
            x = jax.nn.silu(convolved(normalised(x), kernel))
        return x

    def pooled(x):
        return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4

    def loss(weights, images, noise):
        x = convolved(images + noise, weights["first"][0])
        skipped = []
        for level, kernels in enumerate(weights["down"]):
            x = block(pooled(x) if level else x, kernels)
            skipped.append(x)
        for skip, kernels in [*zip(skipped, weights["up"], strict=False)][::-1]:
            x = block(jnp.concatenate([jnp.repeat(jnp.repeat(x, 2, 1), 2, 2), skip], -1), kernels)
        return jnp.mean((convolved(x, weights["last"][0]) - noise) ** 2)

    images = at.array((batch, size, size, 3), ALL)
    return Step(descent(loss), (weights, images, images))


def t5(at: Setting) -> Step:
    """T5-large, an encoder and a decoder with relative biases: batches along "data", heads and words along "model"."""
    model, hidden, words, heads, head, batch, length = at.sizes(1024, 4096, 32128, 16, 64, 128, 512)
    buckets = 32
    feed = {"up": at.array((model, hidden), None, "model"), "down": at.array((hidden, model), "model")}
    own, other = ({name: heads_by(at, model, heads, head, None, "model")} for name in ("self", "cross"))
    biases = at.array((buckets, heads), None, "model")
    weights = {
        "words": at.array((words, model), "model"),
        "encoder": {"biases": biases, "layers": at.repeated(own | feed)},
        "decoder": {"biases": biases, "layers": at.repeated(own | other | feed)},
    }

    def relative(biases):
        distance = jnp.arange(length)[None] - jnp.arange(length)[:, None]
        near = jnp.minimum(jnp.abs(distance), buckets // 2 - 1)
        return biases[jnp.where(distance > 0, near + buckets // 2, near)].transpose(2, 0, 1)

    def fed(x, w):
        return at.constrain(x + jax.nn.relu(normalised(x) @ w["up"]) @ w["down"], "data")

    def loss(weights, inputs, outputs):
        x, y = (at.constrain(weights["words"][tokens], "data") for tokens in (inputs, outputs))
        bias = relative(weights["encoder"]["biases"])
        for w in weights["encoder"]["layers"]:
            h = normalised(x)
            x = fed(x + attention(h, h, w["self"], bias=bias), w)
        memory, bias = normalised(x), relative(weights["decoder"]["biases"])
        for w in weights["decoder"]["layers"]:
            h = normalised(y)
            y = y + attention(h, h, w["self"], bias=bias, is_causal=True)
            y = fed(y + attention(normalised(y), memory, w["cross"]), w)
        return next_token_loss(normalised(y) @ weights["words"].T, outputs)

    return Step(descent(loss), (weights, at.tokens(batch, length), at.tokens(batch, length)))


def dense(at: Setting, *widths: int) -> Sequence[jax.ShapeDtypeStruct]:
    """The weights of a perceptron, on every device."""
    return [at.array(pair) for pair in pairwise(widths)]


def perceptron(x, weights):
    """Products with `weights`, and a relu behind each."""
    for w in weights:
        x = jax.nn.relu(x @ w)
    return x


def dlrm(at: Setting) -> Step:
    """DLRM with `layers` tables of a million rows: rows and batches along both axes."""
    rows, width, batch = at.sizes(1_000_000, 128, 65536)
    features, hidden, top = at.sizes(13, 512, 1024)
    pairs = (at.layers + 1) * at.layers // 2
    weights = {
        "tables": [at.array((rows, width), ALL)] * at.layers,
        "bottom": dense(at, features, hidden, hidden // 2, width),
        "top": dense(at, width + pairs, top, top, top // 2),
        "last": at.array((top // 2, 1)),
    }

    def loss(weights, numbers, ids, clicks):
        x = perceptron(numbers, weights["bottom"])
        rows = [table[ids[:, number]] for number, table in enumerate(weights["tables"])]
        vectors = jnp.stack([x, *rows], axis=1)
        products = jnp.einsum("bnd,bmd->bnm", vectors, vectors)
        above = products[:, *jnp.triu_indices(at.layers + 1, 1)]
        logits = (perceptron(jnp.concatenate([x, above], -1), weights["top"]) @ weights["last"])[:, 0]
        return jnp.mean(jax.nn.softplus(logits) - clicks * logits)

    batches = at.array((batch, features), ALL), at.tokens(batch, at.layers, axes=ALL), at.array((batch,), ALL)
    return Step(descent(loss), (weights, *batches))


def lora(at: Setting) -> Step:
    """Adapters of rank 16 beside frozen weights, which are fully sharded along "data" and tensor parallel."""
    model, hidden, words, heads, head, batch, length = at.sizes(4096, 14336, 32000, 32, 128, 16, 2048)
    rank = 16
    frozen = dict(heads_by(at, model, heads, head, "data", "model"))
    frozen |= {"up": at.array((model, hidden), "data", "model"), "down": at.array((hidden, model), "model", "data")}
    adapter = {"into": at.array((model, rank)), "out of": at.array((rank, heads, head), None, "model")}
    base = {"layers": at.repeated(frozen), "words": at.array((words, model), "model", "data")}
    adapters = at.repeated(dict.fromkeys(("query", "value"), adapter))

    @jax.checkpoint
    def block(x, w, a):
        merged = dict(w)
        for name, change in a.items():
            merged[name] = w[name] + jnp.einsum("mr,rhd->mhd", change["into"], change["out of"])
        h = normalised(x)
        x = x + attention(h, h, merged, is_causal=True)
        return at.constrain(x + jax.nn.silu(normalised(x) @ w["up"]) @ w["down"], "data")

    def loss(adapters, base, tokens):
        x = at.constrain(base["words"][tokens], "data")
        for w, a in zip(base["layers"], adapters, strict=True):
            x = block(x, w, a)
        return next_token_loss(normalised(x) @ base["words"].T, tokens)

    return Step(descent(loss), (adapters, base, at.tokens(batch, length)))


def diffusion(at: Setting) -> Step:
    """A diffusion transformer (DiT-XL/2) of 256 tokens: weights and batches fully sharded along both axes."""
    model, hidden, heads, head, batch, tokens = at.sizes(1152, 4608, 16, 72, 256, 256)
    latent = 16
    layer = dict(heads_by(at, model, heads, head, ALL, None))
    layer |= {"up": at.array((model, hidden), ALL), "down": at.array((hidden, model), ALL)}
    layer |= {"modulation": at.array((model, 6, model), ALL)}
    weights = {
        "layers": at.repeated(layer),
        "patches": at.array((latent, model), None, ALL),
        "time": at.array((model, model), ALL),
        "last": at.array((model, latent), ALL),
    }

    def timed(times):
        angles = times[:, None] * 10_000.0 ** -(jnp.arange(model // 2, dtype=times.dtype) / model)
        return jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1)

    def block(x, condition, w):
        modulation = jnp.einsum("bm,mkn->kbn", condition, w["modulation"])[:, :, None]
        h = normalised(x) * (1 + modulation[0]) + modulation[1]
        x = x + modulation[2] * attention(h, h, w)
        h = normalised(x) * (1 + modulation[3]) + modulation[4]
        return at.constrain(x + modulation[5] * (jax.nn.gelu(h @ w["up"]) @ w["down"]), ALL)

    def loss(weights, latents, noise, times):
        condition = jax.nn.silu(timed(times) @ weights["time"])
        mixed = latents * jnp.cos(times)[:, None, None] + noise * jnp.sin(times)[:, None, None]
        x = at.constrain(mixed @ weights["patches"], ALL)
        for w in weights["layers"]:
            x = block(x, condition, w)
        return jnp.mean((normalised(x) @ weights["last"] - noise) ** 2)

    latents = at.array((batch, tokens, latent), ALL)
    return Step(descent(loss), (weights, latents, latents, at.array((batch,), ALL)))


def mamba(at: Setting) -> Step:
    """Mamba of 2.8 billion parameters, its selective scan as a loop: batches along "data", channels along "model"."""
    model, inner, words, batch, length = at.sizes(2560, 5120, 50280, 32, 2048)
    state, rank = 16, model // 8
    layer = {
        "in": at.array((model, 2, inner), None, None, "model"),
        "kernel": at.array((4, inner), None, "model"),
        "selection": at.array((inner, rank + 2 * state), "model"),
        "step": at.array((rank, inner), None, "model"),
        "decay": at.array((inner, state), "model"),
        "skip": at.array((inner,), "model"),
        "out": at.array((inner, model), "model"),
    }
    weights = {"layers": at.repeated(layer), "words": at.array((words, model), "model")}

    def selective_scan(u, w):
        selection = u @ w["selection"]
        steps = jax.nn.softplus(selection[..., :rank] @ w["step"])
        written, read = selection[..., rank : rank + state], selection[..., rank + state :]

        def advance(h, now):
            u, step, written, read = now
            h = h * jnp.exp(-step[..., None] * jnp.exp(w["decay"])) + (step * u)[..., None] * written[:, None]
            return h, jnp.einsum("bcs,bs->bc", h, read)

        by_time = [jnp.moveaxis(x, 1, 0) for x in (u, steps, written, read)]
        _, y = jax.lax.scan(advance, jnp.zeros((batch, inner, state), u.dtype), by_time)
        return jnp.moveaxis(y, 0, 1) + u * w["skip"]

    @jax.checkpoint
    def block(x, w):
        u, gate = jnp.moveaxis(jnp.einsum("btm,mkc->btkc", normalised(x), w["in"]), 2, 0)
        padded = jnp.pad(u, ((0, 0), (3, 0), (0, 0)))
        u = jax.nn.silu(sum(padded[:, i : i + length] * w["kernel"][i] for i in range(4)))
        return at.constrain(x + (selective_scan(u, w) * jax.nn.silu(gate)) @ w["out"], "data")

    def loss(weights, tokens):
        x = at.constrain(weights["words"][tokens], "data")
        for w in weights["layers"]:
            x = block(x, w)
        return next_token_loss(normalised(x) @ weights["words"].T, tokens)

    return Step(descent(loss), (weights, at.tokens(batch, length)))


def two_tower(at: Setting) -> Step:
    """Retrieval by two towers with `layers` layers each, and all items of the batch as negatives of each user."""
    users, items, width, hidden, batch, history = at.sizes(10_000_000, 2_000_000, 128, 1024, 16384, 50)
    tower = dense(at, width, *[hidden] * at.layers, width)
    weights = {
        "users": at.array((users, width), ALL),
        "items": at.array((items, width), ALL),
        "user tower": tower,
        "item tower": tower,
    }

    def unit(x):
        return x * jax.lax.rsqrt(jnp.sum(x * x, -1, keepdims=True) + 1e-6)

    def loss(weights, user, seen, item):
        past = weights["items"][seen].mean(axis=1)
        u = unit(perceptron(weights["users"][user] + past, weights["user tower"][:-1]) @ weights["user tower"][-1])
        v = unit(perceptron(weights["items"][item], weights["item tower"][:-1]) @ weights["item tower"][-1])
        scores = jax.nn.log_softmax(20 * at.constrain(u @ v.T, ALL))
        return -jnp.mean(jnp.diagonal(scores))

    batches = at.tokens(batch, axes=ALL), at.tokens(batch, history, axes=ALL), at.tokens(batch, axes=ALL)
    return Step(descent(loss), (weights, *batches))


def manual(at: Setting) -> Step:
    """A perceptron whose products are a manual computation: gathered along "model" before, scattered after them."""
    model, hidden, batch, length = at.sizes(4096, 16384, 16, 2048)
    layer = {"up": at.array((model, hidden), None, "model"), "down": at.array((hidden, model), "model")}
    rows = PartitionSpec("data", "model")

    def products(x, up, down):
        whole = jax.lax.all_gather(x, "model", axis=1, tiled=True)
        return jax.lax.psum_scatter(jax.nn.gelu(whole @ up) @ down, "model", scatter_dimension=1, tiled=True)

    mapped = jax.shard_map(
        products,
        mesh=at.mesh,
        in_specs=(rows, PartitionSpec(None, "model"), PartitionSpec("model")),
        out_specs=rows,
    )

    def loss(layers, x, y):
        for w in layers:
            x = x + mapped(normalised(x), w["up"], w["down"])
        return jnp.mean((x - y) ** 2)

    x = at.array((batch, length, model), *rows)
    return Step(descent(loss), (at.repeated(layer), x, x))


@dataclass(frozen=True)
class Model:
    """A model, and the sizes at which it is used."""

    build: Callable[[Setting], Step]
    layers: int
    mesh: tuple[int, int]
    """The devices along "data" and "model"."""


MODELS: Mapping[str, Model] = {
    "llama": Model(llama, 32, (2, 8)),
    "llama_scan": Model(partial(llama, is_scanned=True), 32, (2, 8)),
    "gpt": Model(gpt, 32, (2, 8)),
    "moe": Model(moe, 8, (8, 2)),
    "vit": Model(vit, 24, (4, 4)),
    "unet": Model(unet, 2, (4, 4)),
    "t5": Model(t5, 24, (4, 4)),
    "dlrm": Model(dlrm, 26, (4, 4)),
    "lora": Model(lora, 32, (2, 8)),
    "diffusion": Model(diffusion, 28, (4, 4)),
    "mamba": Model(mamba, 64, (4, 4)),
    "two_tower": Model(two_tower, 3, (4, 4)),
    "manual": Model(manual, 4, (2, 8)),
}


def step(
    name: str,
    *,
    layers: int | None = None,
    scale: float = 1,
    mesh: tuple[int, int] | None = None,
    dtype: Any = jnp.bfloat16,
) -> Step:
    """The step of a model, over a mesh of so many devices along "data" and "model"."""
    model = MODELS[name]
    axes = AbstractMesh(mesh or model.mesh, ALL, axis_types=(AxisType.Auto,) * 2)
    return model.build(Setting(axes, layers or model.layers, scale, dtype))
