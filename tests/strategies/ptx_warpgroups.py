"""Kernels of one `wgmma`, and matrices in shared memory, laid out element by element."""

from typing import Any

import ml_dtypes
import numpy as np
from ptx_kernels import kernel

from xshardy.numerics.element_types import Array

THREAD = np.arange(128)
MODES = {0: 0, 128: 1, 64: 2, 32: 3}
TYPES: dict[str, tuple[type[Any], int]] = {
    "f16": (np.float16, 16),
    "bf16": (ml_dtypes.bfloat16, 16),
    "tf32": (np.float32, 8),
    "e4m3": (ml_dtypes.float8_e4m3fn, 32),
    "e5m2": (ml_dtypes.float8_e5m2, 32),
    "s8": (np.int8, 32),
    "u8": (np.uint8, 32),
}
"""By the type of A and B: that of numpy, and the columns of a dense A."""
SCALES = {"f16": ", 1, 1, 0, 0", "bf16": ", 1, 1, 0, 0", "s8": "", "u8": ""}
"""What ends the operands, if it is not `, 1, 1`: the signs of A and B, and whether each is transposed."""
SECOND = 32 * 1024
"""Where B begins in shared memory."""


def image(matrix: Array, span: int, transposed: bool, depth: int) -> tuple[bytes, int, list[int]]:
    """
    A matrix [rows, depth] in shared memory, the bits of its descriptor, and what each step of `depth` adds to it.

    With a swizzle, a row of an atom has `span` bytes, of which the chunks are exchanged by the number of the row.
    """
    rows, whole = matrix.shape
    size = matrix.itemsize
    per_chunk = 16 // size
    data = bytearray(SECOND)
    if transposed and span:
        leading, stride = span * 8 * (whole // 8), span * 8
        step = stride * (depth // 8)
    elif transposed:
        leading, stride = 128, 128 * (whole // 8)
        step = 128 * (depth // 8)
    elif span:
        leading, stride, step = 16, 8 * span, depth * size
    else:
        leading, stride = 128 * (rows // 8), 128
        step = 2 * leading
    for row in range(rows):
        for at in range(whole):
            along, across = (row, at) if transposed else (at, row)
            if span:
                in_row, atom = along * size % span, along * size // span
                moved = in_row // 16 ^ across % 8 * span // 128
                start = across // 8 * stride + atom * leading + across % 8 * span
                place = start + moved * 16 + in_row % 16
            elif transposed:
                place = row // per_chunk * stride + at // 8 * leading + at % 8 * 16 + row % per_chunk * size
            else:
                place = row // 8 * stride + at // per_chunk * leading + row % 8 * 16 + at % per_chunk * size
            data[place : place + size] = matrix[row, at].tobytes()
    bits = leading >> 4 << 16 | stride >> 4 << 32 | MODES[span] << 62
    return bytes(data), bits, [step >> 4] * (whole // depth)


def signed(bits: int) -> int:
    return bits - (bits >> 63 << 64)


def product_kernel(
    columns: int, form: str, operands: list[tuple[str, str]], trailing: str, per_thread: int, sparse: str = ""
) -> str:
    """A kernel that copies 64 KiB to shared memory, executes a `wgmma` for each of `operands` and stores `d`."""
    d = ", ".join(f"%d{number}" for number in range(per_thread))
    body = [
        f".reg .b32 %d<{per_thread}>;",
        "mov.b32 %r3, s;",
        *(f"mov.b32 %d{number}, 0;" for number in range(per_thread)),
        "shl.b32 %r4, %r1, 4;\nadd.u32 %r5, %r3, %r4;\ncvt.u64.u32 %rd8, %r4;\nadd.s64 %rd9, %rd1, %rd8;",
        "mov.b32 %r6, 0;\n$copy:",
        "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd9];\nst.shared.v4.b32 [%r5], {%r10, %r11, %r12, %r13};",
        "add.u32 %r5, %r5, 2048;\nadd.s64 %rd9, %rd9, 2048;\nadd.u32 %r6, %r6, 1;",
        "setp.lt.u32 %p1, %r6, 32;\n@%p1 bra $copy;",
        "mul.wide.u32 %rd8, %r1, 16;\nadd.s64 %rd8, %rd2, %rd8;\nld.global.v4.b32 {%r20, %r21, %r22, %r23}, [%rd8];",
        "fence.proxy.async.shared::cta;\nbar.sync 0;\nwgmma.fence.sync.aligned;\nmov.pred %p2, 1;",
    ]
    for left, right in operands:
        body.append(f"wgmma.mma_async{sparse}.sync.aligned.{form} {{{d}}}, {left}, {right}, %p2{trailing};")
    body.append("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;")
    body.append(f"mul.wide.u32 %rd8, %r1, {4 * per_thread};\nadd.s64 %rd8, %rd3, %rd8;")
    body += [f"st.global.b32 [%rd8+{4 * number}], %d{number};" for number in range(per_thread)]
    return kernel("\n".join(body), parameters=3, shared=2 * SECOND)


def assembled(out: Array, columns: int) -> Array:
    """The matrix: thread t has row t / 4 % 8 of its warp's 16 and the one 8 below, two columns in each eight."""
    result = np.zeros((64, columns), out.dtype)
    for thread in range(128):
        for number in range(columns // 2):
            row = thread // 32 * 16 + thread % 32 // 4 + number // 2 % 2 * 8
            result[row, number // 4 * 8 + thread % 4 * 2 + number % 2] = out[thread, number]
    return result
