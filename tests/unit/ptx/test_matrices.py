"""Matrix products of a warp, loads of their fragments, and asynchronous copies."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_kernels import kernel, matrix_store_kernel
from ptx_matrices import LANE

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.machine import Machine, Options


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


@pytest.mark.parametrize(
    ("shape", "rows", "depth"), [("m8n8k4", 8, 4), ("m16n8k4", 16, 4), ("m16n8k8", 16, 8), ("m16n8k16", 16, 16)]
)
def test_products_of_f64(shape: str, rows: int, depth: int):
    """Each thread has elements of row lane / 4 (and 8 below), and of depth lane % 4, then 4 more and so on."""
    rng = np.random.default_rng(depth)
    a, b, c = (rng.integers(-8, 8, size).astype(np.float64) for size in ((rows, depth), (depth, 8), (rows, 8)))
    counts = (rows * depth // 32, depth // 4, rows // 4)
    of_a = [(LANE // 4 + 8 * (n % (rows // 8)), LANE % 4 + 4 * (n // (rows // 8))) for n in range(counts[0])]
    of_b = [(LANE % 4 + 4 * n, LANE // 4) for n in range(counts[1])]
    of_c = [(LANE // 4 + 8 * (n // 2), LANE % 4 * 2 + n % 2) for n in range(counts[2])]
    held = np.stack([m[at] for m, places in ((a, of_a), (b, of_b), (c, of_c)) for at in places], axis=1)
    names = [f"%rd{10 + number}" for number in range(held.shape[1])]
    groups = [", ".join(names[: counts[0]]), ", ".join(names[counts[0] : -counts[2]]), ", ".join(names[-counts[2] :])]
    body = [f"mul.wide.u32 %rd8, %r1, {8 * len(names)};\nadd.s64 %rd8, %rd1, %rd8;"]
    body += [f"ld.global.b64 {name}, [%rd8+{8 * number}];" for number, name in enumerate(names)]
    left, right, total = (f"{{{group}}}" for group in groups)
    mode = ".rn" if depth == 8 else ""
    body.append(f"mma.sync.aligned.{shape}.row.col{mode}.f64.f64.f64.f64 {total}, {left}, {right}, {total};")
    body.append(f"mul.wide.u32 %rd8, %r1, {8 * counts[2]};\nadd.s64 %rd8, %rd2, %rd8;")
    body += [f"st.global.b64 [%rd8+{8 * n}], {name};" for n, name in enumerate(names[-counts[2] :])]
    out = np.zeros((32, counts[2]))
    Machine(kernel("\n".join(body))).run([1], [32], [np.ascontiguousarray(held), out])
    expected = a @ b + c
    for number, at in enumerate(of_c):
        np.testing.assert_array_equal(out[:, number], expected[at])


@pytest.mark.parametrize(
    ("opcode", "message"),
    [
        ("m8n8k8.row.col.f32.f16.f16.f32", "products of .f16 of this shape are not supported"),
        ("m16n8k32.row.col.f32.f16.f16.f32", "products of .f16 of this shape are not supported"),
        ("m16n8k8.row.col.f32.f16.f16.f32", "the registers do not hold matrices of this shape"),
        ("m16n8k16.row.col.rn.f32.f16.f16.f32", "unknown modifier .rn"),
    ],
)
def test_products_that_are_refused(opcode: str, message: str):
    quad = "{%r4, %r5, %r6, %r7}"
    body = f"mma.sync.aligned.{opcode} {quad}, {quad}, {{%r8, %r9}}, {quad};"
    with pytest.raises(PtxError, match=message.replace(".", r"\.")):
        Machine(kernel(body, parameters=0)).run([1], [32], [])


def test_small_products_of_integers():
    """8 rows, 16 columns of A, and sums that stay within 32 bits."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 256, (8, 16)).astype(np.uint8), rng.integers(-128, 128, (16, 8)).astype(np.int8)
    held = np.zeros((32, 2), np.uint32)
    for lane in range(32):
        first = lane % 4 * 4
        held[lane, 0] = a[lane // 4, first : first + 4].view(np.uint32)[0]
        held[lane, 1] = np.ascontiguousarray(b[first : first + 4, lane // 4]).view(np.uint32)[0]
    body = """
  mul.wide.u32 %rd8, %r1, 8;
  add.s64 %rd9, %rd1, %rd8;
  add.s64 %rd10, %rd2, %rd8;
  ld.global.v2.b32 {%r3, %r4}, [%rd9];
  mov.b32 %r5, START;
  mov.b32 %r6, START;
  mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32 {%r5, %r6}, {%r3}, {%r4}, {%r5, %r6};
  st.global.v2.b32 [%rd10], {%r5, %r6};
"""
    for start in (0, 2**31 - 1):
        out = np.zeros((32, 2), np.int32)
        Machine(kernel(body.replace("START", str(start)))).run([1], [32], [held, out])
        expected = np.clip(a.astype(np.int64) @ b.astype(np.int64) + start, -(2**31), 2**31 - 1)
        for number in range(2):
            np.testing.assert_array_equal(out[:, number], expected[LANE // 4, LANE % 4 * 2 + number])


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


@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_fragments_to_shared_memory(transposed: bool, count: int):
    """The inverse of `ldmatrix`: register m of lane l has two numbers of matrix m, row l / 4."""
    held = np.arange(1, 32 * count + 1, dtype=np.uint32).reshape(count, 32) * np.uint32(65537)
    loads = "\n".join(f"ld.global.b32 %r1{number}, [%rd9+{128 * number}];" for number in range(count))
    opcode = f"stmatrix.sync.aligned.m8n8.x{count}{'.trans' if transposed else ''}.shared.b16"
    ptx = matrix_store_kernel(opcode, count, loads, 4)
    out = np.zeros((count, 8, 8), np.uint16)
    assert Machine(ptx).run([1], [32], [held, out], Options(checks=True)) == []
    expected = np.zeros((count, 8, 8), np.uint16)
    for matrix in range(count):
        for lane in range(32):
            pair = held[matrix, lane : lane + 1].view(np.uint16)
            for number in range(2):
                row, column = lane // 4, lane % 4 * 2 + number
                place = (column, row) if transposed else (row, column)
                expected[matrix][place] = pair[number]
    np.testing.assert_array_equal(out, expected)


def test_stores_of_fragments_need_their_registers():
    body = "mov.u32 %r3, s;\nstmatrix.sync.aligned.m8n8.x2.shared.b16 [%r3], {%r4};"
    with pytest.raises(PtxError, match="1 registers where the instruction has 2"):
        Machine(kernel(body, parameters=0, shared=512)).run([1], [32], [])
