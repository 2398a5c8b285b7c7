"""Small modules of library steps: element types, layouts, epilogues, places that other steps have, empty tensors."""

import json
from collections.abc import Mapping
from typing import Any

FORWARD = "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_o01i->b01f"
CONV = json.dumps({"cudnn_conv_backend_config": {"activation_mode": "kNone", "conv_result_scale": 1}})
RELU = json.dumps(
    {"cudnn_conv_backend_config": {"activation_mode": "kRelu", "conv_result_scale": 2, "side_input_scale": 3}}
)


def gemm_config(
    beta: float = 0, epilogue: str = "DEFAULT", batch: tuple[str, ...] = (), contracting: tuple[str, str] = ("1", "0")
) -> str:
    """The `backend_config` of a matrix product."""
    numbers = {
        "lhs_contracting_dimensions": [contracting[0]],
        "rhs_contracting_dimensions": [contracting[1]],
        "lhs_batch_dimensions": [*batch],
        "rhs_batch_dimensions": [*batch],
    }
    config: Mapping[str, Any] = {
        "alpha_real": 2,
        "beta": beta,
        "epilogue": epilogue,
        "dot_dimension_numbers": numbers,
        "precision_config": {"operand_precision": ["DEFAULT", "DEFAULT"]},
    }
    return json.dumps({"gemm_backend_config": config})


def call(types: list[str], results: list[str], target: str, config: str, fields: str = "") -> str:
    """A module that is one call of `target`, whose first results are those of the module."""
    inputs = "".join(f"  p{i} = {type} parameter({i})\n" for i, type in enumerate(types))
    operands = ", ".join(f"p{i}" for i in range(len(types)))
    parts = "".join(f"  r{i} = {type} get-tuple-element(call), index={i}\n" for i, type in enumerate(results))
    return (
        f"HloModule {target.strip('_').replace('$', '_')}\nENTRY main {{\n{inputs}"
        f"  call = ({', '.join([*results, 'u8[64]'])}) custom-call({operands}), "
        f'custom_call_target="{target}", {fields}backend_config={config}\n{parts}'
        f"  ROOT r = ({', '.join(results)}) tuple({', '.join(f'r{i}' for i in range(len(results)))})\n}}\n"
    )


def gemm(types: list[str], results: list[str], config: str, target: str = "__cublas$gemm") -> str:
    return call(types, results, target, config)


def convolution(kind: str, types: list[str], result: str, config: str = CONV, geometry: str = FORWARD) -> str:
    return call(types, [result], f"__cudnn$conv{kind}", config, f"{geometry}, ")


SORT = """HloModule sort
less {{
  a = {key}[] parameter(0)
  b = {key}[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT
}}
ENTRY main {{
  x = {key}[5,6]{{0,1}} parameter(0)
  i = s32[5,6]{{0,1}} parameter(1)
  ROOT s = ({key}[5,6]{{0,1}}, s32[5,6]{{0,1}}) sort(x, i), dimensions={{0}}, is_stable=true, to_apply=less
}}
"""
FFT = """HloModule fft
ENTRY main {
  x = c64[3,8]{0,1} parameter(0)
  ROOT y = c64[3,8]{1,0} fft(x), fft_type=FFT, fft_length={8}
}
"""
SOLVE = """HloModule solve
ENTRY main {
  a = f64[4,4]{0,1} parameter(0)
  b = f64[4,3]{1,0} parameter(1)
  ROOT x = f64[4,3]{0,1} triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, transpose_a=TRANSPOSE
}
"""

STEPS: Mapping[str, str] = {
    "product": gemm(["f32[3,5]{1,0}", "f32[5,4]{1,0}"], ["f32[3,4]{1,0}"], gemm_config()),
    "product in other layouts": gemm(["f32[3,5]{0,1}", "f32[5,4]{0,1}"], ["f32[3,4]{0,1}"], gemm_config()),
    "product of halves": gemm(["bf16[3,5]{0,1}", "bf16[5,4]{1,0}"], ["bf16[3,4]{1,0}"], gemm_config()),
    "product of doubles": gemm(["f64[3,5]{1,0}", "f64[5,4]{0,1}"], ["f64[3,4]{1,0}"], gemm_config()),
    "complex product": gemm(["c64[3,5]{1,0}", "c64[5,4]{0,1}"], ["c64[3,4]{1,0}"], gemm_config()),
    "product of f8": gemm(["f8e4m3fn[3,5]{1,0}", "f8e5m2[5,4]{1,0}"], ["f32[3,4]{1,0}"], gemm_config()),
    "batched product": gemm(
        ["f32[2,3,5]{1,2,0}", "f32[2,5,4]{2,0,1}"],
        ["f32[2,3,4]{2,0,1}"],
        gemm_config(batch=("0",), contracting=("2", "1")),
    ),
    "product of nothing": gemm(["f32[3,0]{1,0}", "f32[0,4]{1,0}"], ["f32[3,4]{1,0}"], gemm_config()),
    "empty product": gemm(["f32[0,5]{1,0}", "f32[5,4]{1,0}"], ["f32[0,4]{1,0}"], gemm_config()),
    "sum with another tensor": gemm(
        ["f32[3,5]{1,0}", "f32[5,4]{1,0}", "f32[3,4]{1,0}"], ["f32[3,4]{1,0}"], gemm_config(beta=3)
    ),
    "bias, auxiliary result and gelu": gemm(
        ["f32[3,5]{1,0}", "f32[5,4]{1,0}", "f32[4]{0}"],
        ["f32[3,4]{1,0}", "f32[3,4]{1,0}"],
        gemm_config(epilogue="BIAS_GELU_AUX"),
        "__cublas$lt$matmul",
    ),
    "convolution": convolution("Forward", ["f32[2,5,6,3]", "f32[4,3,3,3]"], "f32[2,5,6,4]"),
    "convolution, features first in memory": convolution(
        "Forward", ["f32[2,5,6,3]{2,1,3,0}", "f32[4,3,3,3]{2,1,3,0}"], "f32[2,5,6,4]{2,1,3,0}"
    ),
    "convolution with bias, side input and relu": convolution(
        "BiasActivationForward", ["f32[2,5,6,3]", "f32[4,3,3,3]", "f32[4]", "f32[2,5,6,4]"], "f32[2,5,6,4]", RELU
    ),
    "gradient of an input": convolution("BackwardInput", ["f32[2,5,6,4]", "f32[4,3,3,3]"], "f32[2,5,6,3]"),
    "gradient of a filter": convolution("BackwardFilter", ["f32[2,5,6,3]", "f32[2,5,6,4]"], "f32[4,3,3,3]"),
    "sort": SORT.format(key="f32"),
    "sort by booleans": SORT.format(key="pred"),
    "sort by bytes": SORT.format(key="u8"),
    "Fourier transform": FFT,
    "triangular solution": SOLVE,
}
"""Each is one library step that XLA computes on any platform."""

FACTORIZATION = """HloModule factorization
ENTRY main {
  x = f32[4,4]{0,1} parameter(0)
  k = (f32[4,4]{0,1}, s32[]) custom-call(x), custom_call_target="lapack_spotrf_ffi", api_version=API_VERSION_TYPED_FFI, backend_config={uplo = 76 : ui8}
  l = f32[4,4]{0,1} get-tuple-element(k), index=0
  status = s32[] get-tuple-element(k), index=1
  ROOT r = (f32[4,4]{0,1}, s32[]) tuple(l, status)
}
"""  # noqa: E501
"""A kernel of JAX, which wants its matrices column by column."""

IN_PLACE = f"""HloModule in_place
double {{
  x = f32[3,3] parameter(0)
  ROOT r = f32[3,3] add(x, x)
}}
ENTRY main {{
  x = f32[3,3] parameter(0)
  y = f32[3,3] parameter(1)
  z = f32[3,3] fusion(y), kind=kLoop, calls=double
  call = (f32[3,3], s8[16]) custom-call(x, x, z), custom_call_target="__cublas$gemm", output_to_operand_aliasing={{{{0}}: (2, {{}})}}, backend_config={gemm_config(beta=1)}
  sum = f32[3,3] get-tuple-element(call), index=0
  ROOT r = f32[3,3] fusion(sum), kind=kLoop, calls=double
}}
"""  # noqa: E501
"""A product that is added to a tensor in its memory."""

POWERS = f"""HloModule powers
next {{
  x = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT r = s32[] add(x, one)
}}
is_less {{
  x = s32[] parameter(0)
  limit = s32[] constant(3)
  ROOT r = pred[] compare(x, limit), direction=LT
}}
half {{
  x = f32[3,3] parameter(0)
  h = f32[] constant(0.5)
  hs = f32[3,3] broadcast(h), dimensions={{}}
  ROOT r = f32[3,3] multiply(x, hs)
}}
condition {{
  state = (s32[], f32[3,3], f32[3,3]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  ROOT go = pred[] fusion(i), kind=kLoop, calls=is_less
}}
body {{
  state = (s32[], f32[3,3], f32[3,3]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[3,3] get-tuple-element(state), index=1
  power = f32[3,3] get-tuple-element(state), index=2
  halved = f32[3,3] fusion(power), kind=kLoop, calls=half
  call = (f32[3,3], s8[16]) custom-call(halved, x), custom_call_target="__cublas$gemm", backend_config={gemm_config()}
  product = f32[3,3] get-tuple-element(call), index=0
  following = s32[] fusion(i), kind=kLoop, calls=next
  ROOT next = (s32[], f32[3,3], f32[3,3]) tuple(following, x, product)
}}
ENTRY main {{
  x = f32[3,3] parameter(0)
  zero = s32[] constant(0)
  start = f32[3,3] fusion(x), kind=kLoop, calls=half
  state = (s32[], f32[3,3], f32[3,3]) tuple(zero, x, start)
  loop = (s32[], f32[3,3], f32[3,3]) while(state), condition=condition, body=body
  power = f32[3,3] get-tuple-element(loop), index=2
  ROOT r = f32[3,3] fusion(power), kind=kLoop, calls=half
}}
"""
"""A product in a loop, between kernels."""

PACKED = """HloModule packed
less {
  a = s4[] parameter(0)
  b = s4[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
}
ENTRY main {
  x = s4[9] parameter(0)
  ROOT s = s4[9] sort(x), dimensions={0}, is_stable=true, to_apply=less
}
"""
"""A sort of elements of four bits."""
