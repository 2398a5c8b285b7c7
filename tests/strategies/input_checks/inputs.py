"""The inputs of the FileCheck tests, and those of them whose syntax is checked."""

from pathlib import Path

from hypothesis import settings

FILECHECK = Path(__file__).parents[2] / "filecheck"
INPUTS = sorted(path for path in FILECHECK.rglob("*.mlir") if path.parent.name != "Output")  # files of other tests

PASSES = FILECHECK / "transforms"
"""Inputs of passes: hundreds of files with the operations and forms that those of dialects and syntax have."""
STEP = 4 if settings.default.max_examples < 100 else 1
"""Of the inputs of passes, the suite checks the syntax of each fourth, and `make soak` that of all."""
WITH_SYNTAX = frozenset(
    path
    for inputs, step in (
        ([path for path in INPUTS if PASSES in path.parents], STEP),
        ([path for path in INPUTS if PASSES not in path.parents], 1),
    )
    for path in inputs[::step]
)
