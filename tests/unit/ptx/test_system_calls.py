"""What kernels print, and assertions that fail."""

import ctypes

import numpy as np
import pytest

from xshardy.ptx import FaultError, FaultKind, Machine, Options

HEADER = """
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 g, .param .b64 s);
"""


def string(name: str, text: str) -> str:
    numbers = [*text.encode(), 0]
    return f".global .align 1 .b8 {name}[{len(numbers)}] = {{{', '.join(map(str, numbers))}}};\n"


def printed(template: str, stores: str, threads: int = 1) -> tuple[list[str], list[int]]:
    """What each thread prints, and what `vprintf` gives; `stores` puts arguments to `[%rd4]`, the thread in `%r1`."""
    ptx = f"""{HEADER}{string("text", template)}{string("word", "shard")}
.visible .entry k(.param .u64 out)
{{
  .local .align 8 .b8 depot[64];
  .reg .b32 %r<8>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u64 %rd3, depot;
  cvta.local.u64 %rd4, %rd3;
{stores}
  mov.u64 %rd5, text;
  cvta.global.u64 %rd6, %rd5;
  {{
    .param .b64 param0;
    .param .b64 param1;
    .param .b32 retval0;
    st.param.b64 [param0], %rd6;
    st.param.b64 [param1], %rd4;
    call.uni (retval0), vprintf, (param0, param1);
    ld.param.b32 %r2, [retval0];
  }}
  mul.wide.u32 %rd7, %r1, 4;
  add.s64 %rd8, %rd1, %rd7;
  st.global.u32 [%rd8], %r2;
  ret;
}}
"""
    lines: list[str] = []
    results = np.zeros(threads, np.int32)
    Machine(ptx).run([1], [threads], [results], Options(output=lines.append))
    return lines, results.tolist()


def test_each_thread_prints_its_line():
    lines, results = printed("thread %d%%\n", "st.u32 [%rd4], %r1;", threads=3)
    assert lines == [f"thread {number}%\n" for number in range(3)]
    assert results == [1, 1, 1]


def test_conversions_are_those_of_c():
    """Values lie as in a structure: an integer, a number of f64, a pointer to text, 64 bits, a character."""
    template = "[%5d|%-4u|%#x|%08.3f|%e|%6.3s|%s|%lld|%c|%i]"
    stores = """
  st.u32 [%rd4], -7;
  st.u32 [%rd4+4], 8;
  st.u32 [%rd4+8], 255;
  st.f64 [%rd4+16], 0d400921FB54442D18;
  st.f64 [%rd4+24], 0dC0F86A0000000000;
  mov.u64 %rd2, word;
  st.u64 [%rd4+32], %rd2;
  st.u64 [%rd4+40], %rd2;
  st.u64 [%rd4+48], -5000000000;
  st.u32 [%rd4+56], 65;
  st.u32 [%rd4+60], -1;
"""
    buffer = ctypes.create_string_buffer(200)
    arguments = [ctypes.c_int(-7), 8, 255, ctypes.c_double(np.pi), ctypes.c_double(-100000.0), b"shard", b"shard"]
    arguments += [ctypes.c_longlong(-5000000000), 65, ctypes.c_int(-1)]
    ctypes.CDLL(None).snprintf(buffer, 200, template.encode(), *arguments)
    lines, results = printed(template, stores)
    assert lines == [buffer.value.decode()]
    assert results == [10]


def test_kernels_print_to_standard_output_by_default(capsys: pytest.CaptureFixture[str]):
    text = ASSERT.replace("call.uni __assertfail, (a, b, c, d, e)", ".param .b32 r;\n  call.uni (r), vprintf, (a, e)")
    Machine(text).run([1], [1], [np.full(1, 100, np.float32)])
    assert capsys.readouterr().out == "x < 100"


def test_pointers_are_printed_in_hexadecimal_digits():
    lines, _ = printed("%p %12p|", "st.u64 [%rd4], 255;\n st.u64 [%rd4+8], 4096;")
    assert lines == ["0xff       0x1000|"]


ASSERT = f"""{HEADER}{string("what", "x < 100")}{string("file", "a.py")}{string("who", "kernel")}
.visible .entry k(.param .u64 x)
{{
  .reg .pred %p<2>;
  .reg .f32 %f<3>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  setp.lt.f32 %p1, %f1, 0f42C80000;
  @%p1 bra $fine;
  mov.u64 %rd4, what;
  mov.u64 %rd5, file;
  mov.u64 %rd6, who;
  {{
  .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
  st.param.b64 [a], %rd4;
  st.param.b64 [b], %rd5;
  st.param.b32 [c], 12;
  st.param.b64 [d], %rd6;
  st.param.b64 [e], 1;
  call.uni __assertfail, (a, b, c, d, e);
  }}
$fine:
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd3], %f2;
  ret;
}}
"""


def test_an_assertion_that_fails_is_a_fault_and_ends_its_threads():
    numbers = np.array([1, 2, 100, 3], np.float32)
    (fault,) = Machine(ASSERT).run([1], [4], [numbers], Options(collects_faults=True))
    assert fault.kind is FaultKind.ASSERTION
    assert fault.message.endswith("fails the assertion `x < 100` in kernel (a.py:12)")
    assert numbers.tolist() == [2, 4, 100, 6]
    with pytest.raises(FaultError, match=r"thread \(2, 0, 0\) of block \(0, 0, 0\) fails the assertion"):
        Machine(ASSERT).run([1], [4], [np.array([1, 2, 100, 3], np.float32)])
    fine = np.ones(4, np.float32)
    assert Machine(ASSERT).run([1], [4], [fine], Options(checks=True)) == []
    assert fine.tolist() == [2] * 4
