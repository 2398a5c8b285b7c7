"""Assembling PTX with NVIDIA's assembler: what it reports, and what it rejects."""

import subprocess
from subprocess import CompletedProcess

import pytest

from xshardy import compiler
from xshardy.lowering.ptxas import AssemblerError, PtxasReport, assemble, assemble_each

FUNCTION = """
.visible .entry {name}(.param .u64 p) {{
  .reg .u64 %a; .reg .f32 %x<8>;
  .shared .align 4 .b8 tile[{bytes}];
  ld.param.u64 %a, [p];
  {lines}
  ret;
}}
"""


def ptx(*functions: str) -> str:
    return "\n".join((".version 8.0", ".target sm_90", ".address_size 64", *functions))


def function(name: str, size: int) -> str:
    lines = [*(f"ld.global.f32 %x{i}, [%a+{4 * i}];" for i in range(size)), "st.shared.f32 [tile], %x0;", "bar.sync 0;"]
    lines += ["ld.shared.f32 %x7, [tile];", "st.global.f32 [%a], %x7;"]
    lines += [f"st.global.f32 [%a+{4 * i + 64}], %x{i};" for i in range(size)]
    return FUNCTION.format(name=name, bytes=16 * size, lines="\n  ".join(lines))


def test_resources_are_the_largest_of_any_function():
    one, four = assemble(ptx(function("f", 1))), assemble(ptx(function("g", 4)))
    assert (one.shared_memory, four.shared_memory) == (16, 64)
    both = assemble(ptx(function("f", 1), function("g", 4)))
    assert both.shared_memory == 64
    assert both.registers == max(one.registers, four.registers) > 0
    assert not both.spills


def test_rejected_ptx_is_an_error_with_the_message_of_the_assembler():
    with pytest.raises(AssemblerError, match=r"(?s)ptxas rejects the PTX for sm_90:\n.*[Uu]nknown|Parsing error"):
        assemble(ptx("this is no PTX"))


def test_unknown_architectures_are_an_error_that_says_so():
    with pytest.raises(
        AssemblerError, match="the installed ptxas makes no machine code for sm_10: assemble for a newer"
    ):
        assemble(ptx(function("f", 1)), "sm_10")


LOG = """ptxas info    : Compiling entry function 'f' for 'sm_90'
    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 20 bytes smem
ptxas info    : Compiling entry function 'g' for 'sm_90'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers
"""


def test_each_number_of_the_log_is_in_the_report(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(subprocess, "run", lambda command, **_: CompletedProcess(command, 0, "", LOG))
    report = PtxasReport(registers=255, spill_stores=12, spill_loads=16, stack=8, shared_memory=20)
    assert assemble("") == report
    assert assemble_each("") == {"f": report, "g": PtxasReport(8, 0, 0, 0, 0)}


@pytest.mark.parametrize(("stores", "loads", "spills"), [(0, 0, False), (1, 0, True), (0, 1, True), (1, 1, True)])
def test_registers_are_spilled_by_stores_or_loads(stores: int, loads: int, spills: bool):
    assert PtxasReport(8, stores, loads, 0, 0).spills == spills


EXPONENTIALS_AND_MAXIMA = """HloModule spill

maximum {
  a = f32[] parameter(1)
  b = f32[] parameter(0)
  ROOT m = f32[] maximum(b, a)
}

fused {
  x = f32[600,600] parameter(0)
  y = f32[600] parameter(1)
  finite = pred[600] is-finite(y)
  zero = f32[] constant(0)
  zeros = f32[600] broadcast(zero), dimensions={}
  s = f32[600] select(finite, y, zeros)
  b = f32[600,600] broadcast(s), dimensions={1}
  d = f32[600,600] subtract(x, b)
  e = f32[600,600] exponential(d)
  low = f32[] constant(-inf)
  m = f32[600] reduce(x, low), dimensions={1}, to_apply=maximum
  ROOT t = (f32[600,600], f32[600]) tuple(e, m)
}

ENTRY main {
  p0 = f32[600,600] parameter(0)
  p1 = f32[600] parameter(1)
  ROOT f = (f32[600,600], f32[600]) fusion(p0, p1), kind=kInput, calls=fused
}
"""


def test_ptxas_spills_a_pointer_rather_than_run_fewer_blocks():
    """See docs/emitters.md, `--report`: two registers more would do, but then 6 blocks fit instead of 8."""
    text = compiler.compile(EXPONENTIALS_AND_MAXIMA).ptx
    report = assemble(text)
    assert report.spill_stores <= 8 and report.spill_loads <= 8 and report.registers <= 34
    assert not assemble(text.replace(".reqntid 256, 1, 1", ".reqntid 256, 1, 1\n.maxnreg 34")).spills
