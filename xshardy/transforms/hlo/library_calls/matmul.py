"""
Matrix products of cuBLAS and cuBLASLt: `epilogue(alpha * lhs * rhs + beta * c)`.

Source: XLA, xla/service/gpu/cublas_cudnn.h and xla/service/gpu/backend_configs.proto; NVIDIA, cuBLAS documentation,
cublasLtEpilogue_t.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.building import Tensors
from xshardy.transforms.hlo.library_calls.scalars import (
    LibraryCallError,
    added_to_last,
    converted,
    gelu,
    precisions,
    relu,
    scaled,
    working_type,
)

DIMENSIONS = (
    "lhs_batch_dimensions",
    "rhs_batch_dimensions",
    "lhs_contracting_dimensions",
    "rhs_contracting_dimensions",
)

EPILOGUES: Mapping[str, tuple[str, ...]] = {
    "BIAS": ("bias",),
    "BIAS_GELU": ("bias", "gelu"),
    "BIAS_GELU_AUX": ("bias", "aux", "gelu"),
    "BIAS_RELU": ("bias", "relu"),
    "DEFAULT": (),
    "GELU": ("gelu",),
    "GELU_AUX": ("aux", "gelu"),
    "RELU": ("relu",),
}
"""What is done with the product, in order; `aux` is a second result with the value so far."""


def matmul(
    operands: Sequence[SSAValue], types: Sequence[TensorType], config: Mapping[str, Any], t: Tensors
) -> list[SSAValue]:
    """
    The results of a call with `operands`, of which the first ones have `types`, and the `gemm_backend_config` `config`.

    Raises `LibraryCallError` for complex factors, unknown epilogues, precisions and numbers of operands, and without
    `dot_dimension_numbers`.
    """
    if (numbers := config.get("dot_dimension_numbers")) is None:
        raise LibraryCallError("a matrix product without dot_dimension_numbers in its backend_config")
    epilogue = config.get("epilogue", "DEFAULT")
    if config.get("alpha_imag", 0) or epilogue not in EPILOGUES:
        raise LibraryCallError(
            f"a matrix product with epilogue {epilogue} and a factor of {config.get('alpha_imag')} i"
        )
    lists = [[int(dimension) for dimension in numbers.get(name, ())] for name in DIMENSIONS]
    type = types[0]
    working = TensorType(working_type(type.element_type), type.get_shape())
    lhs, rhs, *others = operands
    precision = precisions(config.get("precision_config", {}).get("operand_precision", ()))
    dimensions = stablehlo.DotDimensionNumbersAttr(*map(integers, lists))
    dot = stablehlo.DotGeneralOp(lhs, rhs, dimensions, working, precision)
    value = scaled(t, t(dot), config.get("alpha_real", 1))
    steps = EPILOGUES[epilogue]
    beta = config.get("beta", 0)
    if len(others) != (beta != 0) + ("bias" in steps):
        raise LibraryCallError(f"a matrix product with epilogue {epilogue}, beta {beta} and {len(operands)} operands")
    if beta:
        value = t.add(value, scaled(t, in_type(t, others.pop(0), working), beta))
    auxiliary: list[SSAValue] = []
    for step in steps:
        match step:
            case "aux":
                auxiliary.append(value)
            case "bias":
                value = added_to_last(t, value, others.pop(0))
            case "gelu":
                value = gelu(t, value)
            case _:
                value = relu(t, value)
    return [in_type(t, result, as_type) for result, as_type in zip([value, *auxiliary], types, strict=False)]


def in_type(t: Tensors, x: SSAValue, type: TensorType) -> SSAValue:
    """`x` in the element type and shape of `type`."""
    return t.reshape(converted(t, x, type.element_type), type.get_shape())
