"""Calls of device functions, which are inlined."""

import numpy as np
import pytest

from xshardy.ptx import FaultError, Machine, inlining, read_ptx
from xshardy.ptx.errors import PtxError

FUNCTIONS = """
.version 8.0
.target sm_90
.address_size 64

.func (.param .b32 func_retval0) clamp(.param .b32 clamp_param_0)
.noinline
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [clamp_param_0];
  st.param.b32 [func_retval0], %r1;
  setp.lt.s32 %p1, %r1, 100;
  @%p1 ret;
  mov.b32 %r2, 100;
  st.param.b32 [func_retval0], %r2;
  ret;
}

.func (.param .b32 func_retval0) twice(.param .b32 twice_param_0, .param .b32 twice_param_1)
{
  .local .align 4 .b8 kept[4];
  .reg .b32 %r<6>;
  ld.param.b32 %r1, [twice_param_0];
  st.local.b32 [kept], %r1;
  ld.param.b32 %r2, [twice_param_1];
  mul.lo.s32 %r3, %r1, %r2;
  {
    .param .b32 param0;
    .param .b32 retval0;
    st.param.b32 [param0], %r3;
    call.uni (retval0), clamp, (param0);
    ld.param.b32 %r4, [retval0];
  }
  ld.local.b32 %r5, [kept];
  add.s32 %r4, %r4, %r5;
  st.param.b32 [func_retval0], %r4;
  ret;
}
"""

ENTRY = """
.entry k(.param .u64 k_0)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, 48;
  @%p1 bra $DONE;
  {
    .param .b32 param0;
    .param .b32 param1;
    .param .b32 retval0;
    st.param.b32 [param0], %r1;
    st.param.b32 [param1], 3;
    call.uni (retval0), twice, (param0, param1);
    ld.param.b32 %r2, [retval0];
  }
  {
    .param .b32 param0;
    .param .b32 retval0;
    st.param.b32 [param0], %r2;
    call (retval0), clamp, (param0);
    ld.param.b32 %r3, [retval0];
  }
  ld.param.u64 %rd1, [k_0];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.b32 [%rd3], %r3;
$DONE:
  ret;
}
"""


def test_functions_have_registers_and_variables_of_their_own():
    """Threads leave functions at different places; the names in two functions, and in two calls, are equal."""
    results = np.full(64, -1, np.int32)
    Machine(FUNCTIONS + ENTRY).run([1], [64], [results])
    thread = np.arange(64)
    expected = np.minimum(np.minimum(3 * thread, 100) + thread, 100)
    np.testing.assert_array_equal(results, np.where(thread < 48, expected, -1))


def test_operands_of_every_kind_are_those_of_the_function():
    """Pairs, negated predicates, vectors, and addresses with offsets: the caller has registers of the same names."""
    function = FUNCTIONS.replace(
        "  mul.lo.s32 %r3, %r1, %r2;",
        """  .reg .pred %p<4>;
  setp.lt.s32 %p1|%p2, %r1, 10;
  setp.gt.s32 %p3, %r1, 5;
  and.pred %p1, %p1, !%p3;
  selp.b32 %r2, %r2, 7, %p1;
  mul.lo.s32 %r3, %r1, %r2;""",
    )
    results = np.full(64, -1, np.int32)
    Machine(function + ENTRY).run([1], [64], [results])
    thread = np.arange(64)
    products = thread * np.where(thread <= 5, 3, 7)
    expected = np.minimum(np.minimum(products, 100) + thread, 100)
    np.testing.assert_array_equal(results, np.where(thread < 48, expected, -1))


def test_a_function_that_nothing_calls_is_not_read():
    Machine(FUNCTIONS + ".func other() { what.ever %x; ret; }" + ENTRY)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("(retval0), clamp, (param0)", "(retval0), nothing, (param0)", "the call of nothing, which has no body"),
        ("(retval0), clamp, (param0)", "(retval0), clamp, (param0, param0)", "clamp has 2 results and parameters"),
        ("call.uni (retval0), clamp", "call.uni (retval0), twice, (param0, param0); //", "twice calls itself"),
        ("call (retval0), clamp, (param0)", "call (retval0), 5, (param0)", "cannot read the call"),
    ],
)
def test_what_cannot_be_called_is_an_error_of_its_line(right: str, wrong: str, message: str):
    text = (FUNCTIONS + ENTRY).replace(right, wrong)
    line = next(number for number, line in enumerate(text.splitlines(), 1) if wrong.partition(";")[0] in line)
    with pytest.raises(PtxError, match=message) as raised:
        Machine(text)
    assert raised.value.line == line


POINTED = (
    FUNCTIONS
    + """
.func (.param .b32 func_retval0) negate(.param .b32 negate_param_0)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [negate_param_0];
  neg.s32 %r2, %r1;
  st.param.b32 [func_retval0], %r2;
  ret;
}
.global .align 8 .u64 table[2] = {clamp, negate};
.entry k(.param .u64 k_0)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  mul.wide.u32 %rd1, %r2, 8;
  mov.u64 %rd2, table;
  add.s64 %rd2, %rd2, %rd1;
  ld.global.u64 %rd3, [%rd2];
  CHANGE
  setp.ne.u32 %p1, %r1, 7;
  mov.b32 %r4, 5;
  mul.lo.u32 %r3, %r1, 30;
  {
    .param .b32 param0;
    .param .b32 retval0;
    st.param.b32 [param0], %r3;
    prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _);
    @%p1 call (retval0), %rd3, (param0), prototype_0;
    ld.param.b32 %r4, [retval0];
  }
  ld.param.u64 %rd4, [k_0];
  mul.wide.u32 %rd5, %r1, 4;
  add.s64 %rd6, %rd4, %rd5;
  st.global.b32 [%rd6], %r4;
  ret;
}
"""
)


def test_calls_by_pointers():
    """Every other thread calls another function, and one calls none; `twice` has other parameters."""
    results = np.zeros(8, np.int32)
    Machine(POINTED.replace("CHANGE", "")).run([1], [8], [results])
    assert results[:7].tolist() == [0, -30, 60, -90, 100, -150, 100]


def test_a_call_by_a_wrong_pointer_is_a_fault():
    results = np.zeros(8, np.int32)
    with pytest.raises(FaultError, match="trap"):
        Machine(POINTED.replace("CHANGE", "add.s64 %rd3, %rd3, 77;")).run([1], [8], [results])


def test_an_entry_whose_calls_are_refused_leaves_the_others():
    module = read_ptx(FUNCTIONS + ENTRY + ".entry other() { call nothing; ret; }")
    Machine(module, "k").run([1], [64], [np.zeros(64, np.int32)])
    with pytest.raises(PtxError, match="the call of nothing"):
        Machine(module, "other")


def test_calls_that_multiply_are_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inlining, "MOST_INSTRUCTIONS", 1 << 10)
    chain = "".join(
        f".func f{n}() {{ {f'call f{n - 1}; call f{n - 1};' if n else 'bar.warp.sync -1;'} ret; }}\n" for n in range(24)
    )
    with pytest.raises(PtxError, match="calls make more than 1,024 instructions"):
        Machine(f"{chain}.entry k() {{ call f23; ret; }}")


def test_a_function_takes_the_address_of_a_parameter():
    """As LLVM does to choose between two parameters; the kernel has parameters of its own at such addresses."""
    chosen = """
  .reg .b64 %rd<4>;
  mov.b64 %rd1, clamp_param_0;
  ld.param::func.b32 %r1, [%rd1];
"""
    text = FUNCTIONS.replace("  ld.param.b32 %r1, [clamp_param_0];\n", chosen, 1) + ENTRY
    assert text.count("%rd1, clamp_param_0") == 1
    expected, found = (np.zeros(64, np.int32) for _ in range(2))
    Machine(FUNCTIONS + ENTRY).run([1], [64], [expected])
    Machine(text).run([1], [64], [found])
    assert expected.any() and found.tolist() == expected.tolist()
    Machine(text.replace("param::func", "param")).run([1], [64], [found])
    assert found.tolist() == expected.tolist()


def test_a_call_with_a_guard_is_of_the_threads_for_which_it_holds():
    """Of the others, the variable of the result keeps its zeros."""
    plain, guarded = (np.zeros(64, np.int32) for _ in range(2))
    Machine(FUNCTIONS + ENTRY).run([1], [64], [plain])
    text = FUNCTIONS + ENTRY.replace("call (retval0), clamp", "setp.lt.u32 %p1, %r1, 16; @!%p1 call (retval0), clamp")
    Machine(text).run([1], [64], [guarded])
    assert plain[1:16].all() and not guarded[:16].any()
    assert guarded[16:].tolist() == plain[16:].tolist()


REGISTERS = """
.version 8.0
.target sm_90
.address_size 64
.func (.reg .u32 %y, .reg .pred %even) next(.reg .u32 %x)
{
  .reg .b32 %r<2>;
  add.u32 %y, %x, 1;
  and.b32 %r1, %y, 1;
  setp.eq.u32 %even, %r1, 0;
  ret;
}
.func (.param .u32 y) twice(.param .u32 x, .reg .u32 times)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  mul.lo.u32 %r2, %r1, times;
  st.param.u32 [y], %r2;
  ret;
}
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  call (%r2, %p1), next, (%r1);
  call (%r3), twice, (%r2, 2);
  call (%r4), twice, (%r3, 5);
  selp.b32 %r5, %r4, 7, %p1;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
}
"""


def test_parameters_and_results_in_registers():
    """Source: PTX ISA, `call`: registers and constants may be given for variables too."""
    found = np.zeros(32, np.uint32)
    Machine(REGISTERS).run([1], [32], [found])
    assert found.tolist() == [10 * (thread + 1) if thread % 2 else 7 for thread in range(32)]
