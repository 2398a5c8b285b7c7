"""`xshardy reduce`: what is left of a text, and which commands it is for."""

from collections.abc import Callable
from math import inf
from pathlib import Path

import pytest
from xdsl.utils.exceptions import ParseError, VerifyException

import xshardy
from xshardy.hlo_text import HLOError
from xshardy.ptx.errors import PtxError
from xshardy.ptx.machine import Machine
from xshardy.tools.cli import main
from xshardy.tools.outcomes import Outcome
from xshardy.tools.reducing import blocks_of, reduced

MLIR = """\
func.func private @other(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.exponential %a : tensor<8xf32>
  %1 = stablehlo.add %0, %b : tensor<8xf32>
  %2 = stablehlo.tanh %1 : tensor<8xf32>
  %3 = stablehlo.multiply %2, %1 : tensor<8xf32>
  %4 = stablehlo.add %3, %3 : tensor<8xf32>
  return %4 : tensor<8xf32>
}
"""

HLO = """\
HloModule m

ENTRY main {
  p = f32[8] parameter(0)
  q = f32[8] parameter(1)
  a = f32[8] add(p, q)
  t = f32[8] tanh(a)
  m = f32[8] multiply(t, a)
  ROOT r = f32[8] negate(m)
}
"""

PTX = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry first() {
  .reg .b32 %r<5>;
  mov.u32 %r1, %tid.x;
  add.s32 %r2, %r1, 7;
  mul.lo.s32 %r3, %r2, %r2;
  add.s32 %r4, %r3, 1;
  ret;
}
.visible .entry second() {
  ret;
}
"""

ERRORS = (ParseError, VerifyException, HLOError, PtxError, ValueError)


def is_valid(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ERRORS:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "read", "needed", "most"),
    [
        (MLIR, xshardy.parse, "stablehlo.tanh", 4),
        (HLO, xshardy.read_hlo, "tanh(", 6),
        (PTX, lambda text: Machine(text, "first"), "mul.lo", 7),
    ],
    ids=("mlir", "hlo", "ptx"),
)
def test_a_valid_text_gets_smaller(text: str, read: Callable[[str], object], needed: str, most: int):
    def is_kept(smaller: str) -> bool:
        return needed in smaller and is_valid(read, smaller)

    assert is_kept(text)
    smaller = reduced(text, is_kept, inf)
    assert is_kept(smaller)
    assert len([line for line in smaller.splitlines() if line.strip()]) <= most, smaller


def test_blocks_are_functions():
    first, second = blocks_of(MLIR)
    assert first.count("\n") == 4 and second.startswith("func.func @main") and first + second == MLIR


def test_nothing_is_tried_after_the_deadline():
    assert reduced(MLIR, lambda text: pytest.fail(text), -inf) == MLIR


@pytest.mark.parametrize(
    ("printed", "error"),
    [
        ('warning: x\na.mlir:3:4: error: axis "z" of %12 is missing\nerror: other', " axis _ of _ is missing"),
        ("Traceback\n  File\nKeyError: 'a1'\n", "KeyError: _"),
        ("", ""),
    ],
)
def test_the_error_of_a_command_has_nothing_of_one_program(printed: str, error: str):
    assert Outcome(1, printed).error == error


BAD_AXIS = """\
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %a : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"z"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
"""


def test_a_command_of_ours_fails_in_the_same_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = str(tmp_path / "bug.mlir")
    Path(file).write_text(BAD_AXIS)
    assert main(["shard", file]) == 1
    error = capsys.readouterr().err.partition("error:")[2].splitlines()[0]
    assert main(["reduce", "--time", "3", "-o", file, file, "--", "xshardy", "shard", file]) == 0
    assert "tanh" not in Path(file).read_text() and '{"z"}' in Path(file).read_text()
    assert main(["shard", file]) == 1
    assert error in capsys.readouterr().err


def test_any_other_command_reads_the_file_or_standard_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "words.txt"
    file.write_text("one\ntwo words\nthree\n")
    for command in (["grep", "words", str(file)], ["grep", "words"]):
        assert main(["reduce", "--match", "wor", str(file), "--", *command]) == 0
        assert capsys.readouterr().out == "words\n"


def test_a_command_that_hangs_is_reduced_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "words.txt"
    file.write_text("sleep 9\ntrue\n")
    assert main(["reduce", "--time-out", "0.3", str(file), "--", "sh", str(file)]) == 0
    assert capsys.readouterr().out == "sleep 9\n"
