"""`ldmatrix` and `stmatrix` of bytes, and of elements of 6 and 4 bits, beside numpy; and what is a fault."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from ptx_kernels import kernel, line_of, matrix_store_kernel
from ptx_matrices import G, T, accepted_by_ptxas, is_taken

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import Fault, FaultKind
from xshardy.ptx.machine import Machine, Options

BITS = {"b8": 8, "b8x16.b6x16_p32": 6, "b8x16.b4x16_p64": 4}
USED = {8: 16, 6: 12, 4: 8}
"""The bytes of a row that are not padding."""


def packed(values: Array, bits: int) -> Array:
    """Sixteen values of so many bits at the start of each row of 16 bytes."""
    digits = (values[..., None] >> np.arange(bits) & 1).astype(np.uint8)
    rows = np.packbits(digits.reshape(len(values), -1), axis=-1, bitorder="little")
    return np.pad(rows, ((0, 0), (0, 16 - rows.shape[1])))


def load_kernel(opcode: str, registers: int, used: int = 16, wrong: str = "") -> str:
    """Lane i copies row i to shared memory, in reverse order, and then the warp loads matrices."""
    copies = "\n".join(f"ld.global.b32 %r20, [%rd9+{at}];\nst.shared.b32 [%r5+{at}], %r20;" for at in range(0, used, 4))
    vector = "{" + ", ".join(f"%r1{number}" for number in range(registers)) + "}"
    stores = "\n".join(f"st.global.b32 [%rd9+{4 * number}], %r1{number};" for number in range(registers))
    body = f"""
  mov.u32 %r3, s;
  shl.b32 %r4, %r1, 4;
  sub.u32 %r5, %r3, %r4;
  add.u32 %r5, %r5, 496;
  mul.wide.u32 %rd8, %r1, 16;
  add.s64 %rd9, %rd1, %rd8;
{copies}
  bar.sync 0;
{wrong}
  {opcode} {vector}, [%r5];
  mul.wide.u32 %rd8, %r1, {4 * registers};
  add.s64 %rd9, %rd2, %rd8;
{stores}
"""
    return kernel(body, shared=512)


LOADS = [
    *(("m16n16", "trans.", f"x{count}", type) for count in (1, 2) for type in BITS),
    *(("m8n16", "", f"x{count}", type) for count in (1, 2, 4) for type in list(BITS)[1:]),
]


@pytest.mark.parametrize("shape, order, count, type", LOADS)
def test_loads(shape: str, order: str, count: str, type: str):
    """Of each 8 rows, a lane has 4 neighbouring columns of row g; those of 16 rows are transposed."""
    bits, number = BITS[type], int(count[1:])
    values = np.random.default_rng(bits + number).integers(0, 1 << bits, (32, 16)).astype(np.uint8)
    per = 2 if shape == "m16n16" else 1
    out = np.zeros((32, number * per), np.uint32)
    opcode = f"ldmatrix.sync.aligned.{shape}.{count}.{order}shared.{type}"
    ptx = load_kernel(opcode, number * per, USED[bits])
    assert Machine(ptx).run([1], [32], [packed(values, bits), out], Options(checks=True)) == []
    found = out.view(np.uint8).reshape(32, number * per, 4)
    for matrix, register, at in product(range(number), range(per), range(4)):
        rows = values[8 * per * matrix :][: 8 * per]
        matrix_of = rows.T if order else rows
        expected = matrix_of[G + 8 * register, 4 * T + at]
        np.testing.assert_array_equal(found[:, matrix * per + register, at], expected)


@pytest.mark.parametrize("number", [1, 2, 4])
def test_stores(number: int):
    """A lane has columns 2t and 2t + 1 of rows g and g + 8 of a matrix of 16 by 8, whose columns are rows of memory."""
    matrices = np.random.default_rng(number).integers(0, 256, (number, 16, 8)).astype(np.uint8)
    held = np.zeros((32, number, 4), np.uint8)
    for matrix, at in product(range(number), range(4)):
        held[:, matrix, at] = matrices[matrix, G + 8 * (at // 2), 2 * T + at % 2]
    loads = "\n".join(f"ld.global.b32 %r1{each}, [%rd9+{4 * each}];" for each in range(number))
    ptx = matrix_store_kernel(f"stmatrix.sync.aligned.m16n8.x{number}.trans.shared.b8", number, loads, 4 * number)
    out = np.zeros((number, 8, 16), np.uint8)
    arguments = [held.view(np.uint32), out]
    assert Machine(ptx).run([1], [32], arguments, Options(checks=True)) == []
    np.testing.assert_array_equal(out, matrices.swapaxes(1, 2))


def faults(ptx: str, threads: int = 32) -> Sequence[Fault]:
    source, out = np.zeros((threads, 16), np.uint8), np.zeros((threads, 4), np.uint32)
    return Machine(ptx).run([1], [threads], [source, out], Options(checks=True, collects_faults=True))


PACKED = "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64"


def test_rows_of_packed_elements_begin_at_multiples_of_16_bytes():
    """Though their 8 bytes could be read at multiples of 8."""
    ptx = load_kernel(PACKED, 4, wrong="add.u32 %r5, %r5, 8;")
    first = faults(ptx)[0]
    assert first.kind is FaultKind.MISALIGNED and first.line == line_of(ptx, PACKED)
    assert "no multiple of 16" in first.message


def test_bytes_that_nobody_has_written():
    (fault,) = faults(load_kernel(PACKED, 4, used=4))
    assert fault.kind is FaultKind.UNINITIALIZED


def test_a_race_of_two_warps():
    ptx = load_kernel("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", 4).replace("bar.sync 0;", "")
    ptx = ptx.replace("sub.u32 %r5, %r3, %r4;", "and.b32 %r4, %r4, 511;\n  sub.u32 %r5, %r3, %r4;")
    assert FaultKind.RACE in {fault.kind for fault in faults(ptx, 64)}


def test_loads_need_their_registers():
    with pytest.raises(PtxError, match="1 registers where the instruction has 2"):
        faults(load_kernel("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", 1))


def test_forms_that_ptxas_takes():
    forms = list[str]()
    tried = product(("m8n8", "m8n16", "m16n8", "m16n16"), ("x1", "x2", "x4"), ("", "trans."), range(1, 9))
    for shape, count, order, registers in tried:
        vector = "{" + ", ".join(f"%r{number}" for number in range(registers)) + "}"
        for type in ("b16", "b8", "b8x16", "b8x16.b6x16_p32", "b8x16.b4x16_p64", "b6x16_p32"):
            forms.append(f"ldmatrix.sync.aligned.{shape}.{count}.{order}shared.{type} {vector}, [%rd1];")
            forms.append(f"stmatrix.sync.aligned.{shape}.{count}.{order}shared.{type} [%rd1], {vector};")
    declared = ".reg .b32 %r<9>; .reg .b64 %rd<9>;"
    expected = accepted_by_ptxas(forms, declared, "sm_120a")
    assert sum(expected) == 27
    assert [form for form, is_right in zip(forms, expected, strict=True) if is_right != is_taken(form, declared)] == []
