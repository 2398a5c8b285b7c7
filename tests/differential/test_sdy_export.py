"""Our export passes against C++ Shardy's inside jaxlib: the same text on every FileCheck input of the pass."""

import re
from pathlib import Path

import pytest
from test_sdy_import import theirs

from xshardy.tools.xshardy_opt import run

INPUTS = Path(__file__).parents[1] / "filecheck" / "transforms" / "sdy_export"
MODULE_PASSES = {"sdy-remove-propagation-debug-info"}
"""Passes that C++ Shardy runs on modules; the others run on functions."""


@pytest.mark.parametrize("file", sorted(INPUTS.glob("*.mlir")), ids=lambda file: file.stem)
def test_same_text(file: Path) -> None:
    text = file.read_text()
    command = re.match(r'// RUN: xshardy-opt %s -p "?([^"|]+?)"? \|', text)
    assert command is not None
    code, output, errors = run(["-", "-p", command[1]], text)
    assert (code, errors) == (0, "")
    on_functions = command[1].partition("{")[0] not in MODULE_PASSES
    assert theirs(output) == theirs(text, f"func.func({command[1]})" if on_functions else command[1])
