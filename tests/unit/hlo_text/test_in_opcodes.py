"""What is rewritten for HLO text needs no rewrite again."""

from pathlib import Path

from xshardy.hlo_text.in_opcodes import is_in_opcodes, rewrite_in_opcodes
from xshardy.syntax import parse_module

PROGRAM = Path(__file__).parents[2] / "filecheck" / "hlo_text" / "in_opcodes.mlir"


def test_a_module_is_in_opcodes_after_the_rewrite():
    module = parse_module(PROGRAM.read_text())
    assert not is_in_opcodes(module)
    rewrite_in_opcodes(module)
    assert is_in_opcodes(module)
