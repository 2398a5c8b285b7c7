"""What declarations of variables say: sizes, alignments, and the values that memory starts with."""

import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.ptx import Machine
from xshardy.ptx.declarations import read_parameters, read_variable
from xshardy.ptx.errors import PtxError

ENTRY = """
.version 8.0
.target sm_90
.address_size 64
{declaration}
.entry k(.param .u64 k_0)
{{
  .reg .b32 %r<4>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd1, %r1, 4;
  mov.u64 %rd2, table;
  add.s64 %rd3, %rd2, %rd1;
  ld.{space}.b32 %r2, [%rd3];
  ld.param.u64 %rd4, [k_0];
  add.s64 %rd5, %rd4, %rd1;
  st.global.b32 [%rd5], %r2;
  ret;
}}
"""


@pytest.mark.parametrize("space", ["const", "global"])
@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (".u32 table[4] = {1, 2, 3, 4}", [1, 2, 3, 4]),
        (".s32 table[4] = {-1, 0x7fffffff}", [-1, 2**31 - 1, 0, 0]),
        (".b8 table[16] = {1, 2, 0, 0, 255, 255, 255, 255, 7}", [513, -1, 7, 0]),
        (".align 8 .u64 table[2] = {4294967298, -1}", [2, 1, -1, -1]),
        (".u32 table[] = {5, 6, 7, 8}", [5, 6, 7, 8]),
        (".u32 table[4]", [0, 0, 0, 0]),
        (".u32 table[1+1<<1] = {1 << 4, (7 > 3) ? 5 : 6, WARP_SZ}", [16, 5, 32, 0]),
        (".u32 table[2][2] = {{1}, {2, 3}}", [1, 0, 2, 3]),
        (".v2 .u32 table[2] = {{1, 2}, {3, 4}}", [1, 2, 3, 4]),
        (".f32 table[4] = {1.5, 0f3F800000, 0d3FF8000000000000, -2.0}", [0x3FC00000, 0x3F800000, 0x3FC00000, -(2**30)]),
        (".align 8 .f64 table[2] = {0f3FC00000, 1.0}", [0, 0x3FF80000, 0, 0x3FF00000]),
        (".b32 table[4] = {0f3FC00000, 1.5, 3}", [0x3FC00000, 0x3FC00000, 3, 0]),
        (".align 8 .b64 table[2] = {0f3FC00000, 1.5}", [0x3FC00000, 0, 0, 0x3FF80000]),
    ],
)
def test_kernels_read_the_initial_values_of_a_variable(space: str, declared: str, expected: list[int]):
    """The rest of an array is zero."""
    results = np.full(4, 99, np.int32)
    Machine(ENTRY.format(declaration=f".visible .{space} {declared};", space=space)).run([1], [4], [results])
    np.testing.assert_array_equal(results, expected)


@pytest.mark.parametrize(
    ("declared", "size", "alignment"),
    [
        (".global .align 16 .b8 a[5]", 5, 16),
        (".shared .f32 a[3][4]", 48, 4),
        (".local .b64 a", 8, 8),
        (".extern .shared .align 16 .b8 a[]", 0, 16),
    ],
)
def test_sizes_and_alignments_of_variables(declared: str, size: int, alignment: int):
    """The alignment is by default that of an element; the launch determines the size of an array without one."""
    variable = read_variable(declared, line=1)
    assert (variable.size, variable.alignment, variable.initial) == (size, alignment, b"")


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            ".global .u32 table[4]",
            ".global .u32 table[4",
            r"line 5: cannot read the declaration '\.global \.u32 table\[4'",
        ),
        (".global .u32 table[4]", ".tex .u64 table", r"line 5: cannot read the declaration '\.tex \.u64 table'"),
        (".global .u32 table[4]", ".global .u33 table", r"line 5: unknown type \.u33"),
        (".global .u32 table[4]", ".global .u32 table = other", "line 5: other is not declared"),
        (".global .u32 table[4]", ".global .u32 table = 1.5", "line 5: '1.5' is no integer, as a variable of .u32"),
        (".global .u32 table[4]", ".global .f32 table = 1", "line 5: '1' is no floating-point constant, as a variable"),
        (".global .u32 table[4]", ".global .u32 table = 1 +", "line 5: '1 \\+' is no integer constant"),
        (".param .u64 k_0", ".param u64 k_0", "line 6: cannot read the parameter '.param u64 k_0'"),
        (".reg .b32 %r<4>", ".reg b32 %r<4>", "line 8: cannot read the declaration '.reg b32 %r<4>'"),
        (".reg .b32 %r<4>", ".reg .b32 %r<4>, %s<>", "line 8: cannot read the register '%s<>'"),
        (".reg .b32 %r<4>", ".local .u32 %r(4)", r"line 8: cannot read the declaration '\.local \.u32 %r\(4\)'"),
    ],
)
def test_declarations_that_cannot_be_read_are_errors_of_their_line(right: str, wrong: str, message: str):
    text = ENTRY.format(declaration=".global .u32 table[4];", space="global")
    Machine(text)
    with pytest.raises(PtxError, match=message):
        Machine(text.replace(right, wrong))


def test_parameters_are_at_the_next_offset_of_their_alignment():
    found = read_parameters(".param .u8 a, .param .u64 b, .param .u32 c, .param .align 16 .b8 d[24], .param .u16 e")
    assert [(each.name, each.offset, each.size) for each in found] == [
        ("a", 0, 1),
        ("b", 8, 8),
        ("c", 16, 4),
        ("d", 32, 24),
        ("e", 56, 2),
    ]


POINTERS = """
.version 8.0
.target sm_90
.address_size 64
.extern .func vprintf(.param .b64 a);
.func one() { ret; }
.global .u32 numbers[4] = {10, 20, 30, 40};
.const .u32 fixed[2] = {50, 60};
.global .u64 places[5] = {numbers, generic(numbers)+8, numbers+4, generic(fixed)+4, 0};
.global .align 8 .b8 bytes[16] = {255, BYTES, 1, 2};
.global .u64 calls[2] = {one, k};
.visible.entry k(.param.u64 out)
{
  .reg.b32 %r<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.global.u64 %rd2, [places+PLACE];
  ld.u32 %r1, [%rd2];
  st.global.u32 [%rd1], %r1;
  ld.global.u8 %r2, [bytes+0];
  st.global.u32 [%rd1+4], %r2;
  ld.global.u64 %rd3, [calls];
  ld.global.u64 %rd4, [calls+8];
  sub.s64 %rd5, %rd4, %rd3;
  st.global.u32 [%rd1+8], %rd5;
  ret;
}
"""
BYTES = ", ".join(f"0xFF{'00' * number}(generic(numbers)+12)" for number in range(7))


@pytest.mark.parametrize(("place", "value"), [(0, 10), (8, 30), (16, 20), (24, 60)])
def test_addresses_are_initial_values(place: int, value: int):
    """Those of functions differ from zero and from each other."""
    results = np.zeros(3, np.uint32)
    Machine(POINTERS.replace("PLACE", str(place)).replace("BYTES", BYTES)).run([1], [1], [results])
    assert results[:2].tolist() == [value, 255] and results[2]


def test_bytes_of_an_address_are_initial_values():
    """As LLVM writes structures with pointers: `0xFF00(generic(name)+offset)` is the second byte."""
    shifted = ", ".join(f"0xFF{'00' * number}(generic(numbers)+12)" for number in range(8))
    text = POINTERS.replace("bytes[16] = {255, BYTES, 1, 2}", f"bytes[16] = {{{shifted}}}")
    results = np.zeros(3, np.uint32)
    Machine(text.replace("places+PLACE", "bytes")).run([1], [1], [results])
    assert results[0] == 40


def test_registers_of_vectors():
    """Source: PTX ISA, "Vectors": elements are named by coordinates or colours, and a vector is loaded as a whole."""
    body = """
  .reg .v4 .b32 v;
  .reg.v2.f32 w, u;
  ld.global.v4.b32 v, [%rd1];
  { .reg .v4 .b32 v; mov.b32 v.x, 77; }
  add.u32 v.y, v.x, v.b;
  mov.b32 v.r, v.w;
  st.global.v4.b32 [%rd2], v;
  ld.global.v2.f32 w, [%rd1];
  mov.f32 u.x, w.y;
  mov.f32 u.y, w.x;
  st.global.v2.f32 [%rd2+16], u;
"""
    found = np.zeros(6, np.uint32)
    Machine(kernel(body)).run([1], [1], [np.array([1, 2, 3, 4], np.uint32), found])
    assert found.tolist() == [4, 4, 3, 4, 2, 1]
    with pytest.raises(PtxError, match=r"w\.z is not declared"):
        Machine(kernel(".reg .v2 .b32 w;\nmov.b32 %r3, w.z;")).run([1], [1], [found, found])


def test_registers_of_128_bits():
    """Source: PTX ISA 8.3, `.b128`. No bits are lost, also where they would be NaN as numbers."""
    body = """
  .reg .b128 q<4>;
  ld.global.b128 q1, [%rd1];
  mov.b128 {%rd4, %rd5}, q1;
  mov.b128 q2, {%rd5, %rd4};
  st.global.b128 [%rd2], q2;
  mov.b128 q3, q1;
  atom.global.cas.b128 q0, [%rd2+16], q3, q2;
  st.global.b128 [%rd2+32], q0;
  atom.global.exch.b128 q0, [%rd2+48], q1;
  st.global.b128 [%rd2+64], q0;
"""
    signalling, negative_zero = 0x7FF0000000000001, 1 << 63
    for pair in ([signalling, 5], [0, negative_zero]):
        given, other = np.array(pair, np.uint64), np.array([0, 0], np.uint64)
        for kept in (given, other):
            found = np.concatenate([np.zeros(2, np.uint64), kept, np.zeros(6, np.uint64)])
            found[6:8] = kept
            Machine(kernel(body)).run([1], [1], [given, found])
            swapped = given[::-1] if (kept == given).all() else kept
            expected = [given[::-1], swapped, kept, given, kept]
            assert found.tolist() == np.concatenate(expected).tolist()
