"""
The memory that `xla-gpu-lower-tensors` makes of tensors, executed: functions without threads run on the host.

Every element type is read, written and updated atomically at every index, and its neighbours must stay as they were.

Row XGPU-58.
"""

import ctypes
from collections.abc import Callable
from functools import cache

import llvmlite.binding as binding
import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from xshardy.lowering.llvm_text import module_text
from xshardy.lowering.pipeline import LowerToLLVMPass
from xshardy.syntax import parse_module
from xshardy.transforms.xla_gpu.expand_float_ops import ExpandFloatOpsPass
from xshardy.transforms.xla_gpu.lower_tensors import LowerTensorsPass
from xshardy.universe import new_context

Array = npt.NDArray[np.generic]

COUNT = 11
"""Elements: neither a whole number of words nor of bytes of packed elements."""

TYPES = {
    "i1": np.dtype(np.bool_),
    "i4": np.dtype(ml_dtypes.int4),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f4E2M1FN": np.dtype(ml_dtypes.float4_e2m1fn),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "complex<f32>": np.dtype(np.complex64),
}
PACKED = ("i4", "f4E2M1FN")
NO_ARITHMETIC = {"bf16", "f16", "f8E5M2"}
"""Hosts convert these with functions of a library that is not everywhere."""
WITHOUT_COMPLEX = [type for type in TYPES if not type.startswith("complex")]


@cache
def compiled(text: str, arrays: int, device: str) -> Callable[..., None]:
    """`@f` of `text`, which takes pointers to arrays and an index, as a function of the host."""
    module = parse_module(text)
    for step in (LowerTensorsPass(gpu_device_info=device), ExpandFloatOpsPass(), LowerToLLVMPass()):
        step.apply(new_context(), module)
        module.verify()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    # llvmlite's memory manager puts code and constants close enough for the jumps between them.
    engine = binding.create_mcjit_compiler(binding.parse_assembly(module_text(module)), machine, use_lmm=True)
    engine.finalize_object()
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * arrays, ctypes.c_int64)
    function = signature(engine.get_function_address("f"))
    function.engine = engine  # lives as long as its code
    return function


def run(text: str, *memory: Array, index: int, device: str = "") -> None:
    """Call `@f` of `text` with pointers to `memory`, and with `index`. The arrays are changed."""
    compiled(text, len(memory), device)(*[array.ctypes.data for array in memory], index)


def in_memory(values: Array, type: str) -> Array:
    """The bytes of a tensor, and a few more, which belong to others."""
    if type in PACKED:
        codes = np.append(values.view(np.uint8) & 15, np.uint8(0))
        raw = codes[0::2] | codes[1::2] << 4
    else:
        raw = np.frombuffer(values.tobytes(), np.uint8)
    padding = np.full(-len(raw) % 16 + 16, 0xA5, np.uint8)
    memory = np.empty((len(raw) + len(padding)) // 8, np.uint64).view(np.uint8)  # aligned
    memory[:] = np.concatenate([raw, padding])
    return memory


def values_of(type: str, seed: int = 0) -> Array:
    """Elements that every type represents, none equal to the values that tests write."""
    numbers = np.random.default_rng(seed).integers(0, 2 if type == "i1" else 4, COUNT)
    return numbers.astype(np.float32).astype(TYPES[type])


@pytest.mark.parametrize("type", TYPES)
def test_elements_move_to_their_place(type: str):
    text = f"""
    func.func @f(%t: tensor<{COUNT}x{type}>, %u: tensor<{COUNT}x{type}>, %i: index) -> tensor<{COUNT}x{type}> {{
      %x = tensor.extract %t[%i] : tensor<{COUNT}x{type}>
      %v = tensor.insert %x into %u[%i] : tensor<{COUNT}x{type}>
      return %v : tensor<{COUNT}x{type}>
    }}"""
    source, target = values_of(type, seed=1), values_of(type, seed=2)
    for index in range(COUNT):
        memory = in_memory(target, type)
        run(text, in_memory(source, type), memory, index=index)
        target[index] = source[index]
        assert (memory == in_memory(target, type)).all(), f"element {index}"


def literal(number: int, type: str) -> str:
    """`number` as an element of a dense constant."""
    if type.startswith("complex"):
        return f"({number}.0, 0.0)"
    if type == "i1":
        return "true" if number else "false"
    return f"{number}.0" if "f" in type else str(number)


@pytest.mark.parametrize("type", TYPES)
def test_constants_are_laid_out_like_tensors(type: str):
    elements = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1]
    literals = [literal(element, type) for element in elements]
    text = f"""
    func.func @f(%u: tensor<{COUNT}x{type}>, %i: index) -> tensor<{COUNT}x{type}> {{
      %t = arith.constant dense<[{", ".join(literals)}]> : tensor<{COUNT}x{type}>
      %x = tensor.extract %t[%i] : tensor<{COUNT}x{type}>
      %v = tensor.insert %x into %u[%i] : tensor<{COUNT}x{type}>
      return %v : tensor<{COUNT}x{type}>
    }}"""
    target = values_of(type)
    for index in (0, 1, 7, COUNT - 1):
        memory = in_memory(target, type)
        run(text, memory, index=index)
        target[index] = np.float32(elements[index]).astype(TYPES[type])
        assert (memory == in_memory(target, type)).all(), f"element {index}"


@pytest.mark.parametrize("device", ["", "cuda_compute_capability {major: 9}"])
@pytest.mark.parametrize("constant_index", [False, True])
@pytest.mark.parametrize("type", [type for type in TYPES if type not in NO_ARITHMETIC])
def test_atomic_addition(type: str, constant_index: bool, device: str):
    add = {"i": "arith.addi", "c": "complex.add"}.get(type[0], "arith.addf")
    target, addend = values_of(type), values_of(type, seed=3)
    for index in (0, 1, 2, 3, COUNT - 1) if constant_index else range(COUNT):  # a module of each constant
        place = f"%k = arith.constant {index} : index" if constant_index else "%k = arith.addi %i, %zero : index"
        text = f"""
        func.func @f(%t: tensor<{COUNT}x{type}>, %u: tensor<{COUNT}x{type}>, %i: index) -> tensor<{COUNT}x{type}> {{
          %zero = arith.constant 0 : index
          {place}
          %x = tensor.extract %u[%k] : tensor<{COUNT}x{type}>
          %v = xla_gpu.atomic_rmw %t[%k] : tensor<{COUNT}x{type}> {{
          ^bb0(%current: {type}):
            %sum = {add} %current, %x : {type}
            xla_gpu.yield %sum : {type}
          }}
          return %v : tensor<{COUNT}x{type}>
        }}"""
        memory = in_memory(target, type)
        run(text, memory, in_memory(addend, type), index=index, device=device)
        target[index] = target[index] ^ addend[index] if type == "i1" else target[index] + addend[index]
        assert (memory == in_memory(target, type)).all(), f"element {index}"


@pytest.mark.parametrize("type", [type for type in TYPES if type != "bf16"])
def test_atomic_replacement(type: str):
    text = f"""
    func.func @f(%t: tensor<{COUNT}x{type}>, %u: tensor<{COUNT}x{type}>, %i: index) -> tensor<{COUNT}x{type}> {{
      %x = tensor.extract %u[%i] : tensor<{COUNT}x{type}>
      %v = xla_gpu.atomic_rmw %t[%i] : tensor<{COUNT}x{type}> {{
      ^bb0(%current: {type}):
        xla_gpu.yield %x : {type}
      }}
      return %v : tensor<{COUNT}x{type}>
    }}"""
    target, source = values_of(type), values_of(type, seed=6)
    for index in range(COUNT):
        memory = in_memory(target, type)
        run(text, memory, in_memory(source, type), index=index)
        target[index] = source[index]
        assert (memory == in_memory(target, type)).all(), f"element {index}"


FLOATS = np.array([0.0, -0.0, 1.5, -1.5, 3e38, -3e38, 1e-45, -1e-45, np.inf, -np.inf, np.nan], dtype=np.float32)


@pytest.mark.parametrize("new", FLOATS)
def test_atomic_maximum_of_floats_by_integers(new: np.float32):
    """The maximum is that of `maximumf`: NaN if one is NaN. That of two zeros may have either sign."""
    text = f"""
    func.func @f(%t: tensor<{COUNT}xf32>, %n: tensor<f32>, %i: index) -> tensor<{COUNT}xf32> {{
      %x = tensor.extract %n[] : tensor<f32>
      %v = xla_gpu.atomic_rmw %t[%i] : tensor<{COUNT}xf32> {{
      ^bb0(%current: f32):
        %max = arith.maximumf %current, %x : f32
        xla_gpu.yield %max : f32
      }}
      return %v : tensor<{COUNT}xf32>
    }}"""
    memory = FLOATS.copy()
    for index in range(COUNT):
        run(text, memory, np.array([new]), index=index)
    np.testing.assert_array_equal(memory, np.maximum(FLOATS, new))


def test_minus_nan_is_a_maximum_too():
    text = """
    func.func @f(%t: tensor<1xf32>, %n: tensor<f32>, %i: index) -> tensor<1xf32> {
      %x = tensor.extract %n[] : tensor<f32>
      %v = xla_gpu.atomic_rmw %t[%i] : tensor<1xf32> {
      ^bb0(%current: f32):
        %max = arith.maximumf %x, %current : f32
        xla_gpu.yield %max : f32
      }
      return %v : tensor<1xf32>
    }"""
    memory = np.array([1.0], dtype=np.float32)
    run(text, memory, np.array([0xFFC00000], dtype=np.uint32), index=0)
    assert np.isnan(memory[0])


@pytest.mark.parametrize("type", WITHOUT_COMPLEX)
def test_vectors(type: str):
    text = f"""
    func.func @f(%t: tensor<{COUNT}x{type}>, %u: tensor<{COUNT}x{type}>, %i: index) -> tensor<{COUNT}x{type}> {{
      %c0 = arith.constant 0 : index
      %two = arith.constant 2 : index
      %pad = tensor.extract %t[%c0] : tensor<{COUNT}x{type}>
      %j = arith.muli %i, %two : index
      %x = vector.transfer_read %t[%j], %pad {{in_bounds = [true]}} : tensor<{COUNT}x{type}>, vector<2x{type}>
      %v = vector.transfer_write %x, %u[%j] {{in_bounds = [true]}} : vector<2x{type}>, tensor<{COUNT}x{type}>
      return %v : tensor<{COUNT}x{type}>
    }}"""
    source, target = values_of(type, seed=4), values_of(type, seed=5)
    for index in range(COUNT // 2):
        memory = in_memory(target, type)
        run(text, in_memory(source, type), memory, index=index)
        target[2 * index : 2 * index + 2] = source[2 * index : 2 * index + 2]
        assert (memory == in_memory(target, type)).all(), f"elements {2 * index} and {2 * index + 1}"
