"""`xshardy ptx step`: a debugger for PTX."""

from pathlib import Path
from typing import Protocol

import pytest
from ptx_kernels import kernel, line_of

from xshardy.tools import ptx_source
from xshardy.tools.cli import main

BODY = """
  mul.lo.u32 %r3, %r1, 3;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  setp.ge.u32 %p1, %r1, 40;
  @%p1 bra $wait;
  st.shared.u32 [s+4], %r2;
$wait:
  bar.sync 0;
  mov.b32 %r4, 0x3fc00000;
  st.global.u32 [%rd4], %r3;
"""
KERNEL = kernel(BODY, parameters=1, shared=16)


class Steps(Protocol):
    """Runs commands on a kernel; gives the lines that they print."""

    def __call__(self, commands: str, text: str = KERNEL, *, status: int = 0) -> list[str]: ...


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Steps:
    monkeypatch.chdir(tmp_path)

    def steps(commands: str, text: str = KERNEL, *, status: int = 0) -> list[str]:
        Path("k.ptx").write_text(text)
        launch = ["--grid", "2", "--block", "64", "--arg", "s32[64]"]
        assert main(["ptx", "step", "k.ptx", *launch, "--run", commands]) == status
        said = capsys.readouterr()
        return (said.out + said.err).splitlines()

    return steps


def at(marker: str, text: str = KERNEL) -> str:
    """The line with `marker`, as the debugger shows it."""
    line = line_of(text, marker)
    return f"k.ptx:{line}: {' '.join(text.splitlines()[line - 1].split())}"


def behind(lines: list[str], command: str) -> list[str]:
    """What a command prints."""
    rest = lines[lines.index(f"> {command}") + 1 :]
    return rest[: next((number for number, line in enumerate(rest) if line.startswith("> ")), len(rest))]


def test_registers_are_those_at_the_line(step: Steps):
    lines = step(f"break {line_of(KERNEL, 'setp.ge')}; continue; print %r3; print %ctaid.x; print")
    assert lines[0] == at("ld.param") and lines[1].strip() == "blocks 0-1: threads 0-63"
    assert behind(lines, "continue") == [at("setp.ge"), "    blocks 0-1: threads 0-63"]
    assert behind(lines, "print %r3") == ["%r3: blocks 0-1: threads 0-63: 0, 3, ..., 189"]
    assert behind(lines, "print %ctaid.x") == [f"%ctaid.x: block {n}: threads 0-63: {n}" for n in (0, 1)]
    assert [line.split(":")[0] for line in behind(lines, "print")] == ["%p1", "%r1"]


def test_where_says_who_waits_for_what(step: Steps):
    later = line_of(KERNEL, "mov.b32")
    lines = step(f"until {line_of(KERNEL, 'st.shared')}; where; until {later}; stepi; print %r4 f32")
    assert behind(lines, "where") == [
        "blocks 0-1: threads 0-39: run",
        f"    {at('st.shared')}",
        "blocks 0-1: threads 40-63: can go on",
        f"    {at('bar.sync')}",
    ]
    assert behind(lines, "print %r4 f32") == ["%r4: blocks 0-1: threads 0-63: 1.5"]


def test_threads_that_wait_at_a_barrier(step: Steps):
    text = KERNEL.replace("@%p1 bra $wait;", "@!%p1 bra $wait;\n  bar.sync 0;")
    lines = step(f"until {line_of(text, '$wait:') + 1}; focus 1 1; where", text)
    waiting = "block 1: threads 40-63: wait at barrier 0, where 24 threads of 64 are"
    assert waiting in behind(lines, "where")


LOOP = """
  mov.b32 %r4, 0;
  st.shared.u32 [s], %r4;
  bar.sync 0;
  setp.ge.u32 %p1, %r1, 32;
  setp.ge.u32 %p2, %r1, 50;
  @%p2 ret;
  @%p1 bra $later;
  setp.ne.u32 %p3, %r1, 5;
  @%p3 bra $rest;
$spin:
  ld.volatile.shared.u32 %r5, [s];
  setp.eq.u32 %p4, %r5, 0;
  @%p4 bra $spin;
$rest:
  bra $end;
$later:
  mov.b32 %r6, 1;
  st.volatile.shared.u32 [s], %r6;
$end:
"""
MEETING = """
  mov.b32 %r3, s;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [%r3], 1;
  bar.sync 0;
  setp.lt.u32 %p2, %r1, 32;
  @!%p2 bra $other;
  setp.lt.u32 %p3, %r1, 16;
  @!%p3 bra $others;
$together:
  shfl.sync.bfly.b32 %r6, %r1, 1, 31, -1;
  bra $end;
$other:
  mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r3], 0;
  bra $end;
$others:
  mov.b32 %r4, 1;
  @%p1 mbarrier.arrive.shared::cta.b64 _, [%r3];
  bra $together;
$end:
"""


def test_threads_that_wait_in_a_loop_those_of_their_warps_and_those_that_have_ended(step: Steps):
    text = kernel(LOOP, parameters=1, shared=16)
    assert behind(step(f"until {line_of(text, 'mov.b32 %r6')}; focus 1; where", text), "where") == [
        "block 1: threads 32-49: run",
        f"    {at('mov.b32 %r6', text)}",
        "block 1: thread 5: wait in a loop until memory changes",
        f"    {at('@%p4 bra', text)}",
        "block 1: threads 0-4, 6-31: wait for threads of their warps, which wait in a loop",
        f"    {at('bra $end', text)}",
        "block 1: threads 50-63: have ended",
    ]


def test_threads_that_wait_for_their_warps_and_for_an_mbarrier(step: Steps):
    text = kernel(MEETING, parameters=1, shared=16)
    assert behind(step(f"until {line_of(text, 'mov.b32 %r4')}; focus 1; where", text), "where") == [
        "block 1: threads 16-31: run",
        f"    {at('mov.b32 %r4', text)}",
        "block 1: threads 32-63: waits for phase 0 of the mbarrier at byte 0 of shared memory, which lacks 1 arrivals "
        "and 0 bytes",
        f"    {at('mbarrier.try_wait', text)}",
        "block 1: threads 0-15: wait for the threads of their warps that their member masks name",
        f"    {at('shfl', text)}",
    ]


def test_faults_stop_it(step: Steps):
    text = KERNEL.replace("[s+4], %r2", "[s+4], %r3")
    lines = step("continue; quit", text, status=1)
    error, place = behind(lines, "continue")[:2]
    assert error.startswith(f"k.ptx:{line_of(text, 'st.shared')}: error: race: ") and place == at("bar.sync", text)


def test_steps_are_lines_of_the_file_for_threads_in_focus(step: Steps):
    lines = step(f"focus 1 0; until {line_of(KERNEL, 'bra $wait')}; step; focus 1 1; step 1", status=0)
    assert behind(lines, "step") == [at("st.shared"), "    blocks 0-1: threads 0-39"]
    assert behind(lines, "step 1")[0] == at("bar.sync")


def test_watchpoints_name_the_instruction_that_writes(step: Steps):
    lines = step("watch k_0[5]; watch shared[1]; continue; continue; memory k_0[1:5]; memory 0[4] u8; memory shared u8")
    first, second = (lines[number + 1] for number, line in enumerate(lines) if line == "> continue")
    assert first == f"shared[1] was 0, 0, and is 0, 1 behind {at('st.shared')}"
    assert second.startswith("k_0[5] was ") and second.endswith(f", and is 15 behind {at('st.global')}")
    assert behind(lines, "memory k_0[1:5]") == ["k_0: elements 1-4: 3, 6, ..., 12"]
    assert behind(lines, "memory 0[4] u8") == ["0: element 4: 3"]
    assert behind(lines, "memory shared u8") == [
        "shared: block 0: elements 0-15: 0",
        "shared: block 1: elements 0-3: 0",
        "shared: block 1: element 4: 1",
        "shared: block 1: elements 5-15: 0",
    ]


def test_watchpoints_are_for_all_blocks(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """More blocks than are executed together: the others have shared memory of their own."""
    (tmp_path / "k.ptx").write_text(
        kernel("  add.u32 %r3, %r2, 1;\n  st.shared.u32 [s], %r3;", parameters=0, shared=16)
    )
    commands = "watch shared[0]; focus 40; continue; focus; continue; continue"
    launch = ["--grid", "48", "--block", "512", "--run", commands]
    assert main(["ptx", "step", str(tmp_path / "k.ptx"), *launch]) == 0
    changes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("shared[0] was 0")]
    assert len(changes) == 2 and "and is 1, 2, 3" in changes[0] and "and is 33, 34, 35" in changes[1]


def test_lines_behind_loc(step: Steps):
    located = KERNEL.replace("  setp.ge", "  .loc 1 7 3\n  setp.ge").replace("  bar.sync", "  .loc 1 9 3\n  bar.sync")
    located = located.replace("  st.shared", "  .loc 1 7 3\n  st.shared") + '.file 1 "/somewhere/k.py"\n'
    lines = step("break k.py:8; continue; delete; continue", located)
    assert behind(lines, "break k.py:8")[0].startswith("breakpoint at /somewhere/k.py:9")
    assert behind(lines, "continue")[0] == at("bar.sync", located)


def test_lines_of_cuda(
    step: Steps, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    compiled = kernel("  .loc 1 2 3\n  add.s32 %r3, %r1, 1;\n  .loc 1 3 3\n  add.s32 %r4, %r3, 1;", parameters=0)

    def compiler(*_: object) -> str:
        return compiled + '.file 1 "/x/k.cu"\n'

    monkeypatch.setattr(ptx_source, "compile_cuda", compiler)
    (tmp_path / "k.cu").write_text("void k() {\n  int i = t + 1;\n  i++;\n}\n")
    commands = "step; break ptx:1; list; step"
    assert main(["ptx", "step", "k.cu", "--grid", "1", "--block", "32", "--run", commands]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert behind(lines, "break ptx:1")[0].startswith("breakpoint at ptx:")
    assert "k.cu:2: int i = t + 1;  [add.s32 %r3, %r1, 1;]" in lines
    assert "->    2   int i = t + 1;" in lines and "      3   i++;" in lines
    assert "k.cu:3: i++;  [add.s32 %r4, %r3, 1;]" in lines


@pytest.mark.parametrize(
    "command, error",
    [
        ("jump", "there is no command 'jump'"),
        ("print %r77", "k has no register %r77"),
        ("print %r3 f64", "%r3 has 32 bits, and .f64 64"),
        ("print %rd4 pred", "%rd4 has 64 bits, and .pred 1"),
        ("print %r3 f33", "f33 is no type"),
        ("break 99", "k has no instructions at 99 or behind it"),
        ("break x.cu:1", "k has no instructions at x.cu:1 or behind it"),
        ("break here", "'here' is no line"),
        ("step two", "'two' is no number"),
        ("memory k_9", "k_9 is no pointer: the parameters are k_0"),
        ("memory k_0[64]", "k_0 has 64 elements of 4 bytes"),
        ("memory k_0[", "names no memory"),
        ("continue; step", "k has ended"),
    ],
)
def test_wrong_commands_are_errors(step: Steps, command: str, error: str):
    assert error in step(command, status=2)[-1]


def test_commands_come_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "k.ptx").write_text(KERNEL)
    (tmp_path / "commands").write_text("help\n\nstep 2\n")
    with (tmp_path / "commands").open() as commands:
        monkeypatch.setattr("sys.stdin", commands)
        assert main(["ptx", "step", str(tmp_path / "k.ptx"), "--grid", "1", "--block", "64", "--arg", "s32[64]"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "  quit: end" in lines and lines[-2].endswith("mov.u32 %r2, %ctaid.x;")


def test_arguments_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "k.ptx").write_text(KERNEL)
    assert main(["ptx", "step", str(tmp_path / "k.ptx"), "--grid", "1", "--block", "64", "--run", "step"]) == 1
    assert "give the 1 arguments of k with --arg" in capsys.readouterr().err


def test_a_kernel_may_have_the_name_that_others_are_mangled_from():
    ptx = ".visible .entry _Z1fPi(\n.visible .entry f(\n.visible .entry _Z1gPi(\n"
    source = ptx_source.PtxSource(ptx, "k.cu", is_compiled=True)
    assert [source.entry(name) for name in ("f", "g", "h", None)] == ["f", "_Z1gPi", "h", None]


def test_special_registers_are_those_of_each_thread(step: Steps):
    lines = step("print %tid.x")
    assert behind(lines, "print %tid.x")[0] == "%tid.x: blocks 0-1: threads 0-63: 0, 1, ..., 63"


def test_a_kernel_without_instructions_has_no_registers(step: Steps):
    empty = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n}\n"
    assert step("print %r1", empty, status=2)[-1] == "error: k has executed nothing"


def test_a_number_for_a_pointer_points_to_no_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "k.ptx").write_text(KERNEL)
    launch = ["--grid", "1", "--block", "32", "--arg", "7", "--run", "memory k_0"]
    assert main(["ptx", "step", str(tmp_path / "k.ptx"), *launch]) == 2
    assert capsys.readouterr().err == "error: k_0 is no pointer\n"
