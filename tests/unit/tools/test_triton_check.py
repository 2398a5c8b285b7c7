"""`xshardy ptx check FILE.py`: kernels that Triton launches, with a fake of it and with itself."""

import json
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from fake_triton import write_fake_triton
from ptx_kernels import kernel

from xshardy.ptx import Machine
from xshardy.ptx.machine import PointerInto
from xshardy.pytest_plugin import PtxCheck
from xshardy.tools.cli import main

SHIFT = (
    kernel(
        """
  .loc 1 7 3
  ld.param.b32 %r3, [k_1];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r4, [%rd4+4];
  BARRIER
  .loc 1 8 3
  add.s32 %r4, %r4, %r3;
  st.global.u32 [%rd4], %r4;
""",
        parameters=2,
    )
    .replace("param .u64 .ptr .align 16 k_1", "param .u32 k_1")
    .replace("  ld.param.b64 %rd2, [k_1];\n", "")
)

SCRIPT = """
import torch
import triton

@triton.jit
def shift(x: "*i32", n: "i32", size: "constexpr"):
    PTX = {ptx!r}
    return PTX.replace("BARRIER", "{barrier}") + '.file 1 "{file}"\\n'

x = torch.arange(65, device="cuda:0")
print(torch.cuda.is_available(), torch.cuda.get_device_capability(), triton.testing.do_bench(lambda: None))
triton.testing.Mark().run()
for _ in range(2):
    shift[(1, 1, 1)](x, 10, 64)
print(x.data[0], x.data[63], x.data[64])
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Triton and PyTorch are fakes, and the working folder is an empty one."""
    (tmp_path / "packages").mkdir()
    write_fake_triton(tmp_path / "packages")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("triton", "torch")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.chdir(tmp_path)
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in ("triton", "torch")]:
        del sys.modules[name]


def script(barrier: str = "bar.sync 0;", more: str = "") -> str:
    Path("shift.py").write_text(SCRIPT.format(ptx=SHIFT, barrier=barrier, file=Path("shift.py").resolve()) + more)
    return "shift.py"


@pytest.mark.usefixtures("fake")
def test_a_script_runs_as_it_is_on_its_tensors(capsys: pytest.CaptureFixture[str]):
    ends_well = script(more="\nraise SystemExit(0)")
    assert main(["ptx", "check", ends_well, "--target", "sm_80", "--schedules", "2"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "True (8, 0) 1.0",
        "22 74 64",  # each launch adds 10 to the next number; the last one stays
        "shift.py: 2 launches of 1 kernels, 2 schedules, no faults",
    ]
    assert not said.err
    assert sys.modules["triton"].driver._active is None


@pytest.mark.usefixtures("fake")
def test_faults_are_at_lines_of_the_script_and_once(capsys: pytest.CaptureFixture[str]):
    assert main(["ptx", "check", script(barrier=""), "--sarif", "out.sarif"]) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if ": error: " in line]
    assert len(lines) == 1 and lines[0].startswith("shift.py:8: error: race: ")
    (result,) = json.loads(Path("out.sarif").read_text())["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 8}


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize(
    "more, error",
    [
        ("\nassert x is None, 'wrong'", "shift.py:17: error: AssertionError: wrong"),
        ("\nraise SystemExit(3)", "shift.py:17: error: the script exits with 3"),
        ("\nx.device.type = 'xpu'\nshift[(1, 1, 1)](x, 1, 2)", "shift.py: error: shift: a tensor is on "),
        ("\nshift[(1, 1, 1)](x[1:], 1, 64)", "shift.py:7: error: access out of bounds: thread (63, 0, 0)"),
        ("\nundefined", "shift.py:17: error: NameError: name 'undefined' is not defined"),
    ],
)
def test_what_goes_wrong_in_a_script(more: str, error: str, capsys: pytest.CaptureFixture[str]):
    assert main(["ptx", "check", script(more=more)]) == 1
    assert error in capsys.readouterr().err


@pytest.mark.usefixtures("fake")
def test_unknown_instructions_are_at_lines_of_the_script(capsys: pytest.CaptureFixture[str]):
    assert main(["ptx", "check", script(barrier="frob.b32 %r3, %r3;")]) == 1
    assert capsys.readouterr().err.startswith("shift.py:7: error: the PTX of this kernel: line 22: frob")


@pytest.mark.usefixtures("fake")
def test_a_script_without_launches_is_an_error(capsys: pytest.CaptureFixture[str]):
    Path("empty.py").write_text("import triton\n")
    assert main(["ptx", "check", "empty.py"]) == 1
    assert capsys.readouterr().err == "empty.py: error: it launches no kernel of Triton\n"


@pytest.mark.parametrize(
    "arguments, error",
    [
        (["run", "k.py"], "scripts of Triton are for `check`"),
        (["check", "k.py", "--grid", "4"], "leave --grid out"),
        (["check", "k.ptx", "--grid", "4"], "--grid and --block"),
    ],
)
def test_launches_are_given_for_ptx_only(arguments: list[str], error: str, capsys: pytest.CaptureFixture[str]):
    assert main(["ptx", *arguments]) == 2
    assert error in capsys.readouterr().err


def test_without_triton_there_is_one_diagnostic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "k.py").write_text("import triton\n")
    monkeypatch.setattr("xshardy.tools.triton_check.script.find_spec", lambda name: None)
    assert main(["ptx", "check", str(tmp_path / "k.py")]) == 1
    assert "k.py: error: triton is not installed: `pip install triton torch`" in capsys.readouterr().err


def test_pointers_into_one_array_share_its_bytes():
    text = (
        SHIFT.replace("BARRIER", "")
        .replace(".param .u32 k_1", ".param .u64 k_1")
        .replace("ld.param.b32 %r3, [k_1];", "ld.param.b64 %rd2, [k_1];\n  ld.global.u32 %r3, [%rd2];")
    )
    numbers = np.arange(65, dtype=np.int32)
    faults = Machine(text).check([1], [64], [PointerInto(numbers, 0), PointerInto(numbers, 8)])
    assert [fault.kind.value for fault in faults] == ["race"]  # element 2 is read by all, and written by thread 2
    assert numbers[:3].tolist() == [3, 4, 5] and numbers[64] == 64


REAL = """
import torch, triton
import triton.language as tl

@triton.jit
def add(x, y, z, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(z + at, tl.load(x + at, at < n) + tl.load(y + at, at < n){mask})

x, y = torch.rand(1000, device="cuda"), torch.rand(1000).cuda()
z = torch.empty_like(x)
add[(2,)](x, y, z, 1000, B=512)
assert torch.equal(z, x + y)
"""


needs_triton = pytest.mark.skipif(find_spec("triton") is None or find_spec("torch") is None, reason="needs Triton")


@needs_triton
def test_triton_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(tmp_path)
    Path("add.py").write_text(REAL.format(mask=", at < n"))
    assert main(["ptx", "check", "add.py"]) == 0
    assert capsys.readouterr().out == "add.py: 1 launches of 1 kernels, no faults\n"
    Path("wrong.py").write_text(REAL.format(mask=""))
    assert main(["ptx", "check", "wrong.py"]) == 1
    assert "wrong.py:8: error: access out of bounds" in capsys.readouterr().err


@needs_triton
def test_a_kernel_in_several_contexts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "kernels_of_test.py").write_text(REAL.partition("x, y =")[0].format(mask=""))
    monkeypatch.syspath_prepend(tmp_path)
    torch, add = import_module("torch"), import_module("kernels_of_test").add
    check, x = PtxCheck(), torch.ones(512)
    for target in ("sm_80", "sm_90"):
        with check.triton(target):
            add[(1,)](x, x, z := torch.zeros(512), 512, B=512)
        assert z.tolist() == [2.0] * 512
        failed = pytest.raises(pytest.fail.Exception, match=r"kernels_of_test\.py:8: error: access out of bounds")
        with failed, check.triton(target):
            add[(1,)](x, x, z[1:], 512, B=512)
