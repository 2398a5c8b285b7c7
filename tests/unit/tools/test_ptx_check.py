"""`xshardy ptx check`: CUDA C++, several schedules, and what it writes."""

import json
from pathlib import Path

import pytest
from ptx_kernels import kernel

from xshardy.lowering import nvrtc
from xshardy.lowering.cuda_files import installed_file
from xshardy.tools import ptx_source
from xshardy.tools.cli import main

SHIFT = """
__device__ int* next(int* x) { return x + 1; }

__global__ void shift(int* x) {
  int i = threadIdx.x;
  x[i] = *next(x + i) +
         SCALE * x[i];
}
"""
LAUNCH = ["--grid", "1", "--block", "64"]
COMPILED = (
    kernel(
        """
  .loc 1 5 3
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  .loc 1 2 9, function_name $L__info_string0, inlined_at 1 6 9
  ld.global.u32 %r3, [%rd4+4];
  .loc 1 0 9
  .loc 1 7 3
  st.global.u32 [%rd4], %r3;
  st.global.u32 [%rd4], %r3;
""",
        parameters=1,
    ).replace("entry k(", "entry _Z5shiftPi(")
    + """.file 1 "/somewhere/shift.cu"\n"""
)


@pytest.fixture
def shift(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("shift.cu").write_text(SHIFT)
    return "shift.cu"


def test_faults_are_at_lines_of_cuda(shift: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    asked: list[object] = []

    def compiled(*arguments: object) -> str:
        asked.extend(arguments)
        return COMPILED

    monkeypatch.setattr(ptx_source, "compile_cuda", compiled)
    command = ["ptx", "check", shift, *LAUNCH, "--entry", "shift", "--arg", "s32[65]", "--target", "sm_80"]
    assert main([*command, "-D", "SCALE=0", "--schedules", "3", "--sarif", "out.sarif"]) == 1
    assert asked == [SHIFT, shift, ["-DSCALE=0", "--gpu-architecture=compute_80"]]
    (line,) = capsys.readouterr().err.splitlines()  # though two stores of two schedules race
    assert line.startswith("shift.cu:7: error: race: ")
    (run,) = json.loads(Path("out.sarif").read_text())["runs"]
    (result,) = run["results"]
    (place,) = result["locations"]
    assert place["physicalLocation"] == {"artifactLocation": {"uri": shift}, "region": {"startLine": 7}}
    assert result["ruleId"] == "race" and result["ruleId"] in {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert f"{shift}:7: error: {result['message']['text']}" == line


@pytest.mark.skipif(installed_file(nvrtc.LIBRARY) is None, reason="NVRTC is not installed")
def test_cuda_is_compiled(shift: str, capsys: pytest.CaptureFixture[str]):
    command = ["ptx", "check", shift, *LAUNCH, "--arg", "s32[65]"]
    assert main([*command, "-DSCALE=1"]) == 1
    assert {line.split(": ")[0] for line in capsys.readouterr().err.splitlines()} <= {"shift.cu:2", "shift.cu:6"}
    assert main(command) == 1
    assert capsys.readouterr().err == 'shift.cu:7: error: identifier "SCALE" is undefined\n'


def test_without_nvrtc_there_is_one_diagnostic(
    shift: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(nvrtc, "installed_file", lambda relative: None)
    assert main(["ptx", "check", shift, *LAUNCH]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("shift.cu: error: ") and "nvidia-cuda-nvrtc" in line


def test_a_verdict_says_how_many_schedules_were_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "k.ptx").write_text(kernel("", parameters=0))
    assert main(["ptx", "check", str(tmp_path / "k.ptx"), *LAUNCH, "--schedules", "4"]) == 0
    assert capsys.readouterr().out == "k: 1 blocks of 64 threads, 4 schedules, no faults\n"


@pytest.mark.parametrize("option", [["--schedules", "4"], ["--weak-volatile"], ["--sarif", "out.sarif"]])
def test_options_of_check_are_for_check(option: list[str], capsys: pytest.CaptureFixture[str]):
    assert main(["ptx", "run", "k.ptx", *LAUNCH, *option]) == 2
    assert "are for `check`" in capsys.readouterr().err
