"""`xshardy hlo-stats`: counts and bytes of a dump."""

from pathlib import Path

import pytest

from xshardy.hlo_text import read_hlo
from xshardy.tools.cli import main
from xshardy.tools.hlo_stats import byte_size, stats_of

TEXT = """HloModule m

fused {
  p = f32[4] parameter(0)
  ROOT n = f32[4] negate(p)
}

ENTRY e {
  x = f32[4] parameter(0)
  f = f32[4] fusion(x), kind=kLoop, calls=fused
  t = (f32[4], f32[4]) tuple(f, x)
  g = f32[4] get-tuple-element(t), index=1
  s = ((f32[4]), s4[3], s32[]) convert-start(g)
  ROOT d = s4[3] convert-done(s)
}
"""
STATS_TEXT = TEXT.replace("s4[3]", "s4[4]")


def test_counts_and_bytes():
    stats = stats_of(read_hlo(STATS_TEXT))
    counts = {opcode: (tally.count, tally.bytes) for opcode, tally in stats.opcodes.items()}
    assert counts["parameter"] == (2, 0)
    assert counts["negate"] == (1, 16)
    assert counts["fusion"] == (1, 16)
    assert counts["tuple"] == counts["get-tuple-element"] == (1, 0)
    assert counts["async-start"] == (1, 2)
    assert dict(stats.fusions) == {"loop": 1}
    assert stats.computations["e"] == 6
    assert stats.computations["fused"] == 2


def test_an_unknown_opcode_is_counted_by_its_name():
    module = read_hlo("HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] frobnicate(x)\n}")
    tally = stats_of(module).opcodes["frobnicate"]
    assert (tally.count, tally.bytes) == (1, 16)


def test_sizes():
    module = read_hlo(
        "HloModule m\nf { ROOT p = (pred[3], (c64[2], s4[3]), token[], f32[<=5], b(s16[3])) parameter(0) }"
    )
    (function,) = module.ops
    (type,) = function.function_type.inputs  # pyright: ignore
    assert byte_size(type) == 3 + 16 + 2 + 20 + 6


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "m.hlo"
    path.write_text(STATS_TEXT)
    assert main(["hlo-stats", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "instructions in" in printed and "negate" in printed and "loop" in printed


def test_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Modules at any depth, one row each; other files of a dump are skipped; a bad one is a diagnostic."""
    (tmp_path / "step").mkdir()
    (tmp_path / "first.hlo").write_text(STATS_TEXT)
    (tmp_path / "step" / "second.txt").write_text(STATS_TEXT)
    (tmp_path / "module.ll").write_text("define void @f()")
    assert main(["hlo-stats", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in captured.out.splitlines() if "│" in line]
    rows = {name: cells for name, *cells in lines}
    assert rows["first.hlo"] == rows["step/second.txt"]
    assert rows["first.hlo"][:3] == ["8", "2", "1"]
    assert rows["negate"][:2] == ["2", "32"]
    assert rows["loop"] == ["2"]
    assert not captured.err

    (tmp_path / "bad.txt").write_text("HloModule m\nENTRY e { x }")
    assert main(["hlo-stats", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert "first.hlo" in captured.out and "bad.txt:2:13: error: expected '='" in captured.err


def test_a_folder_without_modules(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "module.ll").write_text("define void @f()")
    assert main(["hlo-stats", str(tmp_path)]) == 1
    assert "no HLO text in this folder" in capsys.readouterr().err


def test_bad_input_is_one_diagnostic(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "m.hlo"
    path.write_text("HloModule m\nENTRY e { x }")
    assert main(["hlo-stats", str(path)]) == 1
    assert f"{path}:2:13: error: expected '='" in capsys.readouterr().err
