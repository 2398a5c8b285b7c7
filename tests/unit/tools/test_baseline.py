"""`xshardy compile --baseline`: kernels beside those of other PTX."""

from pathlib import Path

import pytest

from xshardy import compiler
from xshardy.lowering.ptxas import assemble, assemble_each
from xshardy.tools.baseline import kernels_in
from xshardy.tools.cli import main

OTHER = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry first(.param .u64 p)
.maxntid 64, 2, 1
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];
  setp.eq.s32 %p1, %r1, 0;
$L__BB0_1:
  @%p1 bra $L__BB0_2;
  st.global.b32 [%rd1], %r2;
$L__BB0_2:
  ret;
}

.entry second(.param .u64 p)
{
  ret;
}
"""

AXPY = str(Path(__file__).parents[2] / "numerics" / "fusions" / "f32_axpy_odd.hlo")


def rows_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if "│" in line]


def test_kernels_of_other_compilers():
    """Threads from either directive, instructions without labels and declarations, accesses with vectors."""
    first, second = kernels_in(OTHER)
    assert (first.name, first.threads, first.instructions) == ("first", 128, 6)
    assert (second.name, second.threads, second.instructions) == ("second", None, 1)
    assert "ld.global.v4" in first.text and "ld.global" not in second.text
    assert first.assembled is not None and first.assembled.registers > 4


def test_a_report_for_each_entry():
    each = assemble_each(OTHER, "sm_80")
    assert each.keys() == {"first", "second"}
    assert max(report.registers for report in each.values()) == assemble(OTHER, "sm_80").registers


def test_table(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """The kernel with the same entry, in a folder of files; one without a counterpart has dashes."""
    monkeypatch.setenv("COLUMNS", "200")
    kernel = compiler.compile(Path(AXPY).read_text(), math="expanded")
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump" / "kernel.ptx").write_text(OTHER + kernel.ptx[kernel.ptx.index(".visible") :])
    assert main(["compile", AXPY, "--baseline", str(tmp_path / "dump"), "-o", str(tmp_path / "o.ptx")]) == 0
    ours, theirs = rows_of(capsys.readouterr().err)
    assert ours[1:3] == ["ours", "128"] and theirs[1] == "baseline"

    (tmp_path / "dump" / "kernel.ptx").write_text(OTHER)
    assert main(["compile", AXPY, "--baseline", str(tmp_path / "dump"), "-o", str(tmp_path / "o.ptx")]) == 0
    _, theirs = rows_of(capsys.readouterr().err)
    assert set(theirs[2:]) == {"-"}


def test_one_kernel_on_each_side(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """They are compared whatever their names are."""
    monkeypatch.setenv("COLUMNS", "200")
    single = tmp_path / "single.ptx"
    single.write_text(OTHER[: OTHER.index(".entry second")])
    assert main(["compile", AXPY, "--baseline", str(single), "-o", str(tmp_path / "o.ptx")]) == 0
    _, theirs = rows_of(capsys.readouterr().err)
    assert theirs[2] == "128" and "1 x 128 bit" in theirs


def test_no_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["compile", AXPY, "--baseline", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert "no kernel in PTX" in captured.err and captured.out == ""
