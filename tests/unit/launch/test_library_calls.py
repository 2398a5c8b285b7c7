"""Expansions of library calls compute what JAX computes: convolutions and their gradients, matrix products."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.prepared_program import entry_of
from xshardy.transforms.hlo.expand_library_calls import ExpandLibraryCallsPass
from xshardy.transforms.hlo.library_calls.scalars import LibraryCallError

GEOMETRIES = [
    ("{size=3x3 pad=1_1x1_1}", (1, 1), ((1, 1), (1, 1)), (3, 3), (1, 1)),
    ("{size=3x3 stride=2x2 pad=1_1x1_1}", (2, 2), ((1, 1), (1, 1)), (3, 3), (1, 1)),
    ("{size=1x1 stride=2x2}", (2, 2), ((0, 0), (0, 0)), (1, 1), (1, 1)),
    ("{size=7x5 stride=2x3 pad=3_2x0_1}", (2, 3), ((3, 2), (0, 1)), (7, 5), (1, 1)),
    ("{size=3x2 pad=2_2x1_0 rhs_dilate=2x1}", (1, 1), ((2, 2), (1, 0)), (3, 2), (2, 1)),
]


def run(target: str, types: list[str], result: str, config: str, arrays: list[Any], fields: str = "") -> Any:
    """The first result of a library call."""
    inputs = "".join(f"  p{i} = {type} parameter({i})\n" for i, type in enumerate(types))
    operands = ", ".join(f"p{i}" for i in range(len(types)))
    module = parse_hlo(
        f"HloModule m\nENTRY main {{\n{inputs}  call = ({result}, u8[0]) custom-call({operands}), {fields}"
        f'custom_call_target="{target}", backend_config={config}\n'
        f"  ROOT r = {result} get-tuple-element(call), index=0\n}}\n"
    )
    ExpandLibraryCallsPass().rewrite_module(module)
    return evaluate(entry_of(module), arrays)[0]


def typed(array: Any) -> str:
    return f"f32[{','.join(map(str, array.shape))}]"


@pytest.mark.parametrize("window, strides, padding, size, dilation", GEOMETRIES)
def test_convolutions_and_gradients(window: str, strides: Any, padding: Any, size: tuple[int, int], dilation: Any):
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-3, 4, shape).astype(np.float32) for shape in [(2, 11, 12, 3), (4, *size, 3)])

    def convolve(x: Any, w: Any) -> Any:
        numbers = ("NHWC", "OHWI", "NHWC")
        return jax.lax.conv_general_dilated(x, w, strides, padding, rhs_dilation=dilation, dimension_numbers=numbers)

    y, gradients = jax.vjp(convolve, x, w)
    dy = rng.integers(-3, 4, y.shape).astype(np.float32)
    dx, dw = gradients(dy)
    fields = f"window={window}, dim_labels=b01f_o01i->b01f, "
    config = '{"cudnn_conv_backend_config":{"activation_mode":"kNone","conv_result_scale":1,"side_input_scale":0}}'
    for target, operands, expected in (
        ("__cudnn$convForward", [x, w], y),
        ("__cudnn$convBackwardInput", [dy, w], dx),
        ("__cudnn$convBackwardFilter", [x, dy], dw),
    ):
        found = run(target, [*map(typed, operands)], typed(expected), config, operands, fields)
        np.testing.assert_array_equal(found, expected, target)


def test_bias_side_input_and_activation():
    rng = np.random.default_rng(0)
    x, w, bias, side = (
        rng.integers(-3, 4, s).astype(np.float32) for s in [(2, 5, 5, 3), (4, 1, 1, 3), (4,), (2, 5, 5, 4)]
    )
    config = '{"cudnn_conv_backend_config":{"activation_mode":"kRelu","conv_result_scale":2,"side_input_scale":3}}'
    fields = "window={size=1x1}, dim_labels=b01f_o01i->b01f, "
    operands = [x, w, bias, side]
    found = run("__cudnn$convBiasActivationForward", [*map(typed, operands)], "f32[2,5,5,4]", config, operands, fields)
    expected = np.maximum(2 * np.einsum("bhwi,oi->bhwo", x, w[:, 0, 0]) + 3 * side + bias, 0)
    np.testing.assert_array_equal(found, expected)


def test_complex_product_with_a_factor():
    rng = np.random.default_rng(0)
    x, y = ((rng.integers(-3, 4, s) + 1j * rng.integers(-3, 4, s)).astype(np.complex64) for s in [(2, 3), (3, 4)])
    config = (
        '{"gemm_backend_config":{"alpha_real":2,"beta":0,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],'
        '"rhs_contracting_dimensions":["0"]}}}'
    )
    found = run("__cublas$gemm", ["c64[2,3]", "c64[3,4]"], "c64[2,4]", config, [x, y])
    np.testing.assert_array_equal(found, 2 * x @ y)


def test_unknown_precision():
    fields = "window={size=1x1}, dim_labels=b01f_o01i->b01f, operand_precision={high,best}, "
    with pytest.raises(
        LibraryCallError, match="'BEST' is not a valid Precision: expected one of DEFAULT, HIGH, HIGHEST"
    ):
        run("__cudnn$convForward", ["f32[2,5,5,3]", "f32[4,1,1,3]"], "f32[2,5,5,4]", "{}", [], fields)


EPILOGUES: dict[str, Callable[[Any], Any]] = {
    "DEFAULT": lambda x: x,
    "GELU": lambda x: jax.nn.gelu(x, approximate=True),
    "RELU": jax.nn.relu,
}


@pytest.mark.parametrize("epilogue", EPILOGUES)
@pytest.mark.parametrize("bias", [False, True])
def test_matrix_products(epilogue: str, bias: bool):
    rng = np.random.default_rng(0)
    x, y, c, b = (rng.standard_normal(s).astype(np.float32) for s in [(3, 5, 4), (3, 6, 5), (3, 4, 6), (6,)])
    name = f"BIAS_{epilogue}".removesuffix("_DEFAULT") if bias else epilogue
    config = (
        '{"gemm_backend_config":{"alpha_real":0.5,"beta":2,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],'
        '"rhs_contracting_dimensions":["2"],"lhs_batch_dimensions":["0"],"rhs_batch_dimensions":["0"]},'
        f'"alpha_imag":0,"epilogue":"{name}"}}}}'
    )
    operands = [x, y, c, b][: 4 if bias else 3]
    found = run("__cublas$lt$matmul", [*map(typed, operands)], "f32[3,4,6]", config, operands)
    expected = EPILOGUES[epilogue](0.5 * jnp.einsum("bkm,bnk->bmn", x, y) + 2 * c + (b if bias else 0))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            '{"gemm_backend_config":{"dot_dimension_numbers":{},"epilogue":"D_SWISH"}}',
            "a matrix product with epilogue D_SWISH",
        ),
        ('""', "a matrix product without dot_dimension_numbers"),
        ('"7"', "the backend_config of a call of __cublas.gemm is no dictionary: 7"),
        ("{alpha_real: 1}", "the backend_config of a call of __cublas.gemm is no JSON: Expecting"),
    ],
)
def test_what_is_not_supported(config: str, message: str):
    x = np.ones((4, 4), np.float32)
    with pytest.raises(LibraryCallError, match=message):
        run("__cublas$gemm", ["f32[4,4]"] * 2, "f32[4,4]", config, [x, x])


def test_a_convolution_whose_shapes_do_not_fit():
    x, w = np.ones((2, 9, 9, 3), np.float32), np.ones((3, 3, 3, 4), np.float32)
    fields = "window={size=3x3}, dim_labels=b01f_01io->b01f, "
    with pytest.raises(LibraryCallError, match="a convolution that is none: inferred shape"):
        run("__cudnn$convForward", [typed(x), typed(w)], "f32[2,9,9,4]", "{}", [x, w], fields)


@pytest.mark.parametrize("bias", [False, True])
def test_a_product_before_its_activation_is_a_second_result(bias: bool):
    rng = np.random.default_rng(0)
    x, y, b = (rng.standard_normal(s).astype(np.float32) for s in [(4, 5), (5, 6), (6,)])
    name = "BIAS_GELU_AUX" if bias else "GELU_AUX"
    operands = [x, y, b][: 3 if bias else 2]
    inputs = "".join(f"  p{i} = {typed(each)} parameter({i})\n" for i, each in enumerate(operands))
    module = parse_hlo(
        f"HloModule m\nENTRY main {{\n{inputs}"
        f"  ROOT call = (f32[4,6], f32[4,6]) custom-call({', '.join(f'p{i}' for i in range(len(operands)))}), "
        'custom_call_target="__cublas$lt$matmul", backend_config={"gemm_backend_config":{"dot_dimension_numbers":'
        '{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"]},'
        f'"epilogue":"{name}"}}}}\n}}\n'
    )
    ExpandLibraryCallsPass().rewrite_module(module)
    expected = x @ y + (b if bias else 0)
    for found, value in zip(evaluate(entry_of(module), operands), (jax.nn.gelu(expected), expected), strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-5)


FACTORS = {
    "a bias is missing": ("BIAS", 0, 0, 2),
    "an operand too many": ("DEFAULT", 0, 0, 3),
    "the summand is missing": ("DEFAULT", 1, 0, 2),
    "a complex factor": ("DEFAULT", 0, 2, 2),
}


@pytest.mark.parametrize(("epilogue", "beta", "imaginary", "operands"), FACTORS.values(), ids=FACTORS)
def test_products_with_other_operands_than_they_say(epilogue: str, beta: int, imaginary: int, operands: int):
    x = np.ones((4, 4), np.float32)
    config = (
        '{"gemm_backend_config":{"dot_dimension_numbers":{},'
        f'"epilogue":"{epilogue}","beta":{beta},"alpha_imag":{imaginary}}}}}'
    )
    with pytest.raises(LibraryCallError, match="a matrix product with epilogue"):
        run("__cublas$gemm", ["f32[4,4]"] * operands, "f32[4,4]", config, [x] * operands)


@pytest.mark.parametrize("target", ["__cudnn$convBackwardInput", "__cudnn$convBackwardFilter"])
def test_gradients_of_convolutions_in_groups_are_refused(target: str):
    x, w = np.ones((2, 5, 5, 4), np.float32), np.ones((4, 1, 1, 2), np.float32)
    fields = "window={size=1x1}, dim_labels=b01f_o01i->b01f, feature_group_count=2, "
    with pytest.raises(LibraryCallError, match="the gradient of a convolution with 2 groups of features"):
        run(target, [typed(x), typed(w)], "f32[2,5,5,4]", "{}", [x, w], fields)


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "kElu": jax.nn.elu,
    "kNone": lambda x: x,
    "kRelu": jax.nn.relu,
    "kRelu6": jax.nn.relu6,
}


@pytest.mark.parametrize("mode", ACTIVATIONS)
def test_activations_of_convolutions(mode: str):
    x, w = np.linspace(-4, 9, 16, dtype=np.float32).reshape(1, 4, 4, 1), np.ones((1, 1, 1, 1), np.float32)
    config = f'{{"cudnn_conv_backend_config":{{"activation_mode":"{mode}"}}}}'
    fields = "window={size=1x1}, dim_labels=b01f_o01i->b01f, "
    found = run("__cudnn$convBiasActivationForward", [typed(x), typed(w)], typed(x), config, [x, w], fields)
    np.testing.assert_allclose(found, ACTIVATIONS[mode](x), rtol=1e-6)


def test_the_gradient_of_a_filter_that_is_moved_in_reverse_is_refused():
    x, dy = np.ones((2, 5, 5, 3), np.float32), np.ones((2, 3, 3, 4), np.float32)
    fields = "window={size=3x3 rhs_reversal=1x1}, dim_labels=b01f_o01i->b01f, "
    with pytest.raises(LibraryCallError, match="the gradient of a filter that is moved in reverse"):
        run("__cudnn$convBackwardFilter", [typed(x), typed(dy)], "f32[4,3,3,3]", "{}", [x, dy], fields)


def test_workspace_has_no_contents():
    module = parse_hlo("""HloModule m
ENTRY main {
  x = f32[4,4] parameter(0)
  call = (f32[4,4], s8[64]) custom-call(x, x), custom_call_target="__cublas$gemm", backend_config={"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"]}}}
  ROOT workspace = s8[64] get-tuple-element(call), index=1
}
""")  # noqa: E501
    with pytest.raises(LibraryCallError, match=r"get_tuple_element reads the workspace of a call of __cublas\$gemm"):
        ExpandLibraryCallsPass().rewrite_module(module)
