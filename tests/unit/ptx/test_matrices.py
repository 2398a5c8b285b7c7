"""Matrix products of a warp, loads of their fragments, and asynchronous copies."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.interpreters.element_types import Array
from xshardy.ptx.machine import Machine

LANE = np.arange(32)


def product(shape: str, dtype: type[Any], a: Array, b: Array) -> Array:
    """The product of two matrices by `mma.sync`, whose fragments are filled element by element from global memory."""
    bits = 8 * np.dtype(dtype).itemsize
    elements, depth = 32 // bits, a.shape[1]
    registers = {"a": depth * 16 * bits // 1024, "b": depth * 8 * bits // 1024}
    fragments = {name: np.zeros((32, count, elements), dtype) for name, count in registers.items()}
    for lane in range(32):
        g, t = divmod(lane, 4)
        for register in range(registers["a"]):
            for element in range(elements):
                column = t * elements + element + register // 2 * 4 * elements
                fragments["a"][lane, register, element] = a[g + register % 2 * 8, column]
        for register in range(registers["b"]):
            for element in range(elements):
                fragments["b"][lane, register, element] = b[t * elements + element + register * 4 * elements, g]
    body = list[str]()
    for number, count in enumerate(registers.values()):
        body.append(f"mul.wide.u32 %rd8, %r1, {4 * count};\nadd.s64 %rd8, %rd{number + 1}, %rd8;")
        body += [f"ld.global.b32 %r{10 * number + 10 + r}, [%rd8+{4 * r}];" for r in range(count)]
    left, right = (", ".join(f"%r{10 * n + 10 + r}" for r in range(c)) for n, c in enumerate(registers.values()))
    body += [f"mov.b32 %r{30 + r}, 0;" for r in range(4)]
    total = "{%r30, %r31, %r32, %r33}"
    body.append(f"mma.sync.aligned.{shape} {total}, {{{left}}}, {{{right}}}, {total};")
    body.append(f"mul.wide.u32 %rd8, %r1, 16;\nadd.s64 %rd8, %rd3, %rd8;\nst.global.v4.b32 [%rd8], {total};")
    out = np.zeros((32, 4), np.float32 if np.dtype(dtype).kind != "i" else np.int32)
    Machine(kernel("\n".join(body), parameters=3)).run([1], [32], [fragments["a"], fragments["b"], out])
    result = np.zeros((16, 8), out.dtype)
    for number in range(4):
        result[LANE // 4 + number // 2 * 8, LANE % 4 * 2 + number % 2] = out[:, number]
    return result


@pytest.mark.parametrize(
    "shape, dtype, depth",
    [
        ("m16n8k16.row.col.f32.f16.f16.f32", np.float16, 16),
        ("m16n8k8.row.col.f32.bf16.bf16.f32", ml_dtypes.bfloat16, 8),
        ("m16n8k8.row.col.f32.tf32.tf32.f32", np.float32, 8),
        ("m16n8k32.row.col.s32.s8.s8.s32", np.int8, 32),
    ],
)
def test_products(shape: str, dtype: type[Any], depth: int):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-8, 8, size).astype(dtype) for size in ((16, depth), (depth, 8)))
    expected = a.astype(np.int64) @ b.astype(np.int64)
    np.testing.assert_array_equal(product(shape, dtype, a, b), expected)


@pytest.mark.parametrize("wait", ["wait_group 0", "wait_all"])
@pytest.mark.parametrize("transposed", [False, True])
def test_fragments_from_shared_memory(transposed: bool, wait: str):
    """Copied there by `cp.async`, of which the last row is filled with zeros."""
    matrices = np.arange(1, 257, dtype=np.uint16).reshape(4, 8, 8)
    suffix = ".trans" if transposed else ""
    body = f"""
  mov.u32 %r3, s;
  shl.b32 %r4, %r1, 4;
  add.u32 %r5, %r3, %r4;
  mul.wide.u32 %rd8, %r1, 16;
  add.s64 %rd9, %rd1, %rd8;
  setp.eq.u32 %p1, %r1, 31;
  selp.b32 %r6, 0, 16, %p1;
  cp.async.cg.shared.global [%r5], [%rd9], 16, %r6;
  cp.async.commit_group;
  cp.async.{wait};
  bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x4{suffix}.shared.b16 {{%r10, %r11, %r12, %r13}}, [%r5];
  add.s64 %rd9, %rd2, %rd8;
  st.global.v4.b32 [%rd9], {{%r10, %r11, %r12, %r13}};
"""
    out = np.zeros((32, 4), np.uint32)
    Machine(kernel(body, shared=512)).run([1], [32], [matrices, out])
    matrices[3, 7] = 0
    held = np.swapaxes(matrices, 1, 2) if transposed else matrices
    pairs = np.ascontiguousarray(held).view(np.uint32)
    np.testing.assert_array_equal(out, pairs[:, LANE // 4, LANE % 4].T)
