"""Models that were once partitioned wrongly: attention with large logits, and U-Nets. JAX writes them."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from partitioned import Outcome, check_partitioned
from partitioning.samples import Sample
from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType

from xshardy.dialects import stablehlo
from xshardy.dialects.function_attributes import add_argument_attributes
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.interpreters.stablehlo.evaluator import entry_of
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

MESH = MeshAttr.of([("x", 2), ("y", 2)])
Shardings = dict[int, str]
"""For some arguments, an axis for each dimension, or `-`."""


def drawn(*shape: int, scale: float = 1) -> Array:
    return (np.random.default_rng(sum(shape)).normal(size=shape) * scale).astype(np.float32)


def partitioned_outcome(function: Callable[..., Any], arguments: list[Array], shardings: Shardings) -> Outcome:
    """What becomes of a JAX function whose arguments are sharded; fails if it computes something else."""
    jax: Any = import_module("jax")
    text = jax.jit(function).lower(*arguments).as_text()
    module = parse_module(text)
    module.body.block.insert_op_before(MeshOp("mesh", MESH), module.body.block.first_op)  # pyright: ignore
    main: func.FuncOp = entry_of(module)
    for index, letters in shardings.items():
        type = main.function_type.inputs.data[index]
        assert isinstance(type, TensorType) and len(letters) == len(type.get_shape())
        axes = [[] if letter == "-" else [AxisRefAttr(letter)] for letter in letters]
        dims = [DimensionShardingAttr(of, is_closed=True) for of in axes]
        add_argument_attributes(main, {index: {SHARDING: TensorShardingAttr("mesh", dims)}})
    PropagationPipelinePass(enable_insert_explicit_collectives=True).apply(new_context(), module)
    return check_partitioned(module, Sample(text, arguments), MESH, stablehlo.AddOp)


@pytest.mark.parametrize("masked", [-np.inf, float(np.finfo(np.float32).min), -1e9])
@pytest.mark.parametrize("shardings", [{1: "---x", 2: "--x-"}, {0: "xy--", 1: "xy--"}, {0: "--y-", 1: "---x", 4: "y-"}])
def test_attention_with_large_logits(shardings: Shardings, masked: float):
    """As in T5: logits are not scaled. A softmax over sharded keys was NaN when maxima were added up."""
    jax: Any = import_module("jax")
    jnp = jax.numpy

    def attention(query: Any, key: Any, value: Any, bias: Any, mask: Any) -> Any:
        logits = jnp.einsum("bhqd,bhdk->bhqk", query, key) + bias
        logits = jnp.where(mask[:, None, None, :], logits, masked)
        return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(logits, -1), value)

    mask = np.ones((2, 8), np.bool_)
    mask[:, 5:] = mask[1, 3:] = False
    arguments = [drawn(2, 4, 8, 4, scale=40), drawn(2, 4, 4, 8, scale=40), drawn(2, 4, 8, 4), drawn(4, 8, 8), mask]
    assert partitioned_outcome(attention, arguments, shardings) is Outcome.RAN_IN_PARTS


@pytest.mark.parametrize("up", ["nearest", "bilinear", "transposed"])
@pytest.mark.parametrize("down", ["stride", "pool"])
@pytest.mark.parametrize(
    ("shardings", "expected"),
    [
        ({0: "x---", 1: "---y", 2: "--y-"}, Outcome.RAN_IN_PARTS),
        ({0: "---y", 1: "--y-", 3: "---x", 4: "--xy"}, Outcome.RAN_IN_PARTS),
        ({0: "-x--"}, Outcome.REFUSED),  # windows reach over the parts of an image
    ],
)
def test_u_net(shardings: Shardings, expected: Outcome, down: str, up: str):
    """Strided and transposed convolutions, pools, group normalization, resizes, and skip connections."""
    jax: Any = import_module("jax")
    lax, jnp = jax.lax, jax.numpy
    dims = ("NHWC", "HWIO", "NHWC")

    def convolution(x: Any, kernel: Any, stride: int = 1) -> Any:
        return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=dims)

    def normalized(x: Any) -> Any:
        grouped = x.reshape(*x.shape[:3], 4, -1)
        centered = grouped - grouped.mean((1, 2, 4), keepdims=True)
        return (centered * lax.rsqrt((centered * centered).mean((1, 2, 4), keepdims=True) + 1e-5)).reshape(x.shape)

    def u_net(x: Any, first: Any, inner: Any, transposed: Any, last: Any) -> Any:
        skipped = jax.nn.silu(normalized(convolution(x, first)))
        window = (1, 2, 2, 1)
        small = convolution(skipped, inner, 2) if down == "stride" else skipped
        small = lax.reduce_window(skipped, -jnp.inf, lax.max, window, window, "VALID") if down == "pool" else small
        if up == "transposed":
            large = lax.conv_transpose(small, transposed, (2, 2), "SAME", dimension_numbers=dims)
        else:
            large = jax.image.resize(small, skipped.shape, up)
        return convolution(jnp.concatenate([skipped, large], -1), last) + transposed.sum() + inner.sum()

    kernels = [drawn(3, 3, 4, 8), drawn(3, 3, 8, 8), drawn(2, 2, 8, 8), drawn(3, 3, 16, 4, scale=0.1)]
    assert partitioned_outcome(u_net, [drawn(4, 8, 8, 4), *kernels], shardings) is expected
