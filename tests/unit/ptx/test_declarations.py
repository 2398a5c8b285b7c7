"""What declarations of variables say: sizes, alignments, and the values that memory starts with."""

import numpy as np
import pytest

from xshardy.ptx import Machine
from xshardy.ptx.declarations import read_parameters, read_variable
from xshardy.ptx.errors import LaunchError, PtxError

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
        (".global .u32 table[4]", ".global .u32 table = other", "line 5: 'other' is no integer constant"),
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


STRUCTURE = """
.version 8.0
.target sm_90
.address_size 64
.entry k(.param .align 4 .b8 pair[12], .param .u64 out, .param .u32 one)
{
  .reg .f32 %f<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  ld.param.f32 %f1, [pair];
  ld.param.f32 %f2, [pair+4];
  ld.param.f32 %f3, [pair+8];
  fma.rn.f32 %f1, %f1, %f2, %f3;
  st.global.f32 [%rd1+4], %f1;
  ret;
}
"""


def test_a_structure_is_passed_by_value():
    """The memory behind a pointer is that of its own argument, also where structures are before it."""
    pair, out = np.array([2, 3, 0.5], np.float32), np.zeros(3, np.float32)
    Machine(STRUCTURE).run([1], [1], [pair, out, 1])
    assert out.tolist() == [0, 6.5, 0]
    assert pair.tolist() == [2, 3, 0.5]


def test_a_structure_of_another_size_is_refused():
    with pytest.raises(LaunchError, match="parameter pair has 12 bytes, the argument 8"):
        Machine(STRUCTURE).run([1], [1], [np.zeros(2, np.float32), np.zeros(3, np.float32), 1])


def test_parameters_are_at_the_next_offset_of_their_alignment():
    found = read_parameters(".param .u8 a, .param .u64 b, .param .u32 c, .param .align 16 .b8 d[24], .param .u16 e")
    assert [(each.name, each.offset, each.size) for each in found] == [
        ("a", 0, 1),
        ("b", 8, 8),
        ("c", 16, 4),
        ("d", 32, 24),
        ("e", 56, 2),
    ]
