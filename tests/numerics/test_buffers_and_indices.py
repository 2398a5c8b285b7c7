"""What depends on the memory around a kernel: packed vectors, shared buffers, and more than 2^31 elements."""

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp

from xshardy import compiler
from xshardy.interpreters.simt import find_kernel, run_kernel
from xshardy.launch.kernel_levels import compiled_at, first_of_buffer, run_compiled
from xshardy.lowering.code_generators import compile_module
from xshardy.lowering.ptxas import assemble
from xshardy.syntax import parse_module
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

Array = npt.NDArray[np.generic]

THREADS, BLOCKS, EACH = 32, 4, 8
COUNT = THREADS * BLOCKS * EACH
LAUNCH = f"""attributes {{xla.entry, gpu.known_block_size = array<i32: {THREADS}, 1, 1>,
                         gpu.known_grid_size = array<i32: {BLOCKS}, 1, 1>}}"""
IDS = f"""%thread = gpu.thread_id x {{xla.range = [0 : index, {THREADS - 1} : index]}}
          %block = gpu.block_id x {{xla.range = [0 : index, {BLOCKS - 1} : index]}}"""
MAP = f"""#xla_gpu.indexing_map<"(d0, d1)[s0] -> (d0 * {EACH} + d1 * {THREADS * EACH} + s0),
          domain: d0 in [0, {THREADS - 1}], d1 in [0, {BLOCKS - 1}], s0 in [0, {EACH - 1}]">""".replace(
    "\n          ", " "
)


def written_at_every_level(module: ModuleOp, arguments: list[Array], results: int) -> dict[str, list[Array]]:
    """What a kernel writes in its last `results` arguments, by level."""
    written_in = first_of_buffer(find_kernel(module))[len(arguments) - results :]
    found: dict[str, list[Array]] = {}
    for level in compiler.lower_by_level(module):
        module.verify()
        copies = [array.copy() for array in arguments]
        if level == LEVELS[-1]:
            found[level] = run_compiled(compiled_at(level, module), copies, written_in)
        else:
            found[level] = run_kernel(module, copies)
    return found


# -- Packed vectors ---------------------------------------------------------------------------------------------------

PACKED = {
    "i1": (np.dtype(np.bool_), "%y = arith.xori %x, %x2 : i1"),
    "i4": (np.dtype(ml_dtypes.int4), "%y = arith.addi %x, %x2 : i4"),
    "f4E2M1FN": (np.dtype(ml_dtypes.float4_e2m1fn), "%y = arith.maximumf %x, %x2 : f4E2M1FN"),
}


@pytest.mark.parametrize("type", PACKED)
def test_vectors_of_packed_elements(type: str):
    dtype, combine = PACKED[type]
    module = parse_module(
        f"""func.func @main(%a: tensor<{COUNT}x{type}> {{llvm.align = 16 : i64, xla.invariant, xla.slice_index = 0}},
                            %b: tensor<{COUNT}x{type}> {{llvm.align = 16 : i64, xla.invariant, xla.slice_index = 1}},
                            %c: tensor<{COUNT}x{type}> {{llvm.align = 16 : i64, xla.slice_index = 2}})
            -> tensor<{COUNT}x{type}> {LAUNCH} {{
          {IDS}
          %written = xla_gpu.loop (%thread, %block)[%i] -> (%at) in {MAP} iter_args(%to = %c)
              -> (tensor<{COUNT}x{type}>) {{
            %x = tensor.extract %a[%at] : tensor<{COUNT}x{type}>
            %x2 = tensor.extract %b[%at] : tensor<{COUNT}x{type}>
            {combine}
            %next = tensor.insert %y into %to[%at] : tensor<{COUNT}x{type}>
            xla_gpu.yield %next : tensor<{COUNT}x{type}>
          }}
          func.return %written : tensor<{COUNT}x{type}>
        }}"""
    )
    bits = np.random.default_rng(0).integers(0, 2 if type == "i1" else 16, (2, COUNT)).astype(np.uint8)
    a, b = bits.astype(np.int8).astype(dtype) if type != "f4E2M1FN" else bits.view(dtype)
    found = written_at_every_level(module, [a, b, np.zeros(COUNT, dtype)], 1)
    match type:
        case "i1":
            expected = a ^ b
        case "i4":
            expected = (a.astype(np.int8) + b.astype(np.int8)).astype(dtype)
        case _:
            expected = np.maximum(a.astype(np.float32), b.astype(np.float32)).astype(dtype)
    for level, (actual,) in found.items():
        np.testing.assert_array_equal(actual.astype(np.float32), expected.astype(np.float32), err_msg=level)
    ptx = compile_module(module).ptx
    # Eight truth values are a vector of eight bytes. Of eight numbers of 4 bits LLVM makes two halves.
    width, times = ("v2.b32", 1) if type == "i1" else ("b16", 2)
    assert ptx.count(f"ld.global.nc.{width}") == ptx.count("ld.global") == 2 * times
    assert ptx.count(f"st.global.{width}") == ptx.count("st.global") == times
    assemble(ptx, "sm_90")


# -- Shared buffers ---------------------------------------------------------------------------------------------------


def test_arguments_in_one_buffer_are_one_pointer():
    """`%b` and the result lie where `%a` does: `%out[i] = %a[i] + %c[i] + %b[i]`, in part through a function."""
    kind = f"tensor<{COUNT}xf32>"
    module = parse_module(
        f"""func.func @main(%a: {kind} {{xla.slice_index = 0}}, %b: {kind} {{xla.slice_index = 0}},
                            %c: {kind} {{xla.invariant, xla.slice_index = 1}}, %out: {kind} {{xla.slice_index = 0}})
            -> {kind} {LAUNCH} {{
          {IDS}
          %written = xla_gpu.loop (%thread, %block)[%i] -> (%at) in {MAP} iter_args(%to = %out) -> ({kind}) {{
            %x = tensor.extract %a[%at] : {kind}
            %y = xla_gpu.pure_call @read(%c, %b, %at) : ({kind}, {kind}, index) -> f32
            %z = arith.addf %x, %y : f32
            %next = tensor.insert %z into %to[%at] : {kind}
            xla_gpu.yield %next : {kind}
          }}
          func.return %written : {kind}
        }}
        func.func private @read(%c: {kind}, %b: {kind}, %at: index) -> f32 {{
          %x = tensor.extract %c[%at] : {kind}
          %y = tensor.extract %b[%at] : {kind}
          %z = arith.addf %x, %y : f32
          func.return %z : f32
        }}"""
    )
    values = np.random.default_rng(0).standard_normal((2, COUNT)).astype(np.float32)
    shared, c = values
    found = written_at_every_level(module, [shared, shared, c, shared], 1)
    for level, (actual,) in found.items():
        np.testing.assert_array_equal(actual, shared + (c + shared), err_msg=level)
    ptx = compile_module(module).ptx
    assert [f"main_param_{i}]" in ptx for i in range(4)] == [True, False, True, False]
    assemble(ptx, "sm_90")


# -- Wide indices -----------------------------------------------------------------------------------------------------

ROWS, COLUMNS, TAIL = 2_000_000_000, 1500, 3001

PRODUCTS = f"""HloModule products

fused {{
  x = f32[{COLUMNS}] parameter(0)
  rows = s64[{ROWS}] iota(), iota_dimension=0
  repeated = f32[{ROWS},{COLUMNS}] broadcast(x), dimensions={{1}}
  counted = s64[{ROWS},{COLUMNS}] broadcast(rows), dimensions={{0}}
  floats = f32[{ROWS},{COLUMNS}] convert(counted)
  product = f32[{ROWS},{COLUMNS}] multiply(repeated, floats)
  flat = f32[{ROWS * COLUMNS}] reshape(product)
  ROOT tail = f32[{TAIL}] slice(flat), slice={{[{ROWS * COLUMNS - TAIL}:{ROWS * COLUMNS}]}}
}}

ENTRY main {{
  x = f32[{COLUMNS}] parameter(0)
  ROOT fusion = f32[{TAIL}] fusion(x), kind=kLoop, calls=fused
}}
"""


def test_indices_of_more_than_32_bits():
    """The tensor in the middle, which no memory holds, has 3 * 10^12 elements; the last of them are computed."""
    module = compiler.emit(PRODUCTS)
    assert "index = 32" not in str(module)
    x = np.random.default_rng(0).standard_normal(COLUMNS).astype(np.float32)
    places = np.arange(ROWS * COLUMNS - TAIL, ROWS * COLUMNS)
    expected = x[places % COLUMNS] * (places // COLUMNS).astype(np.float32)
    found = written_at_every_level(module, [x, np.zeros(TAIL, np.float32)], 1)
    for level, (actual,) in found.items():
        np.testing.assert_array_equal(actual, expected, err_msg=level)
    assemble(compile_module(module).ptx, "sm_90")
