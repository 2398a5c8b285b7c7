"""Our export passes against C++ Shardy's inside jaxlib: the same text on every FileCheck input of the pass."""

import re
from pathlib import Path

import pytest
from test_sdy_import import theirs

from xshardy.tools.xshardy_opt import run

INPUTS = Path(__file__).parents[1] / "filecheck" / "transforms" / "sdy_export"
MODULE_PASSES = {
    "sdy-close-shardings",
    "sdy-convert-global-to-local",
    "sdy-drop-sharding-and-mesh",
    "sdy-export-named-computations",
    "sdy-export-pipeline",
    "sdy-insert-func-call-reshards",
    "sdy-propagate-to-func-results",
    "sdy-remove-propagation-debug-info",
    "sdy-remove-sharding-groups",
    "sdy-remove-sub-axes-in-input-output-shardings",
    "sdy-resolve-permutation-factors",
    "sdy-unflatten-call-graph",
    "sdy-update-non-divisible-input-output-shardings",
}
"""Passes that C++ Shardy runs on modules; the others run on functions."""

NEWER_THAN_JAXLIB = {
    "export_pipeline",
    "export_pipeline_collectives",
    "insert_explicit_reshards_single_device",
    "insert_func_call_reshards_unreduced",
    "reshard_to_collectives_single_device",
    "verify_unreduced_axes",
}
"""Inputs on which C++ Shardy has changed since jaxlib was built."""

CRASHES = {
    "insert_explicit_reshards_declaration",
    "propagate_to_func_results_declaration",
    "reshard_to_collectives_sizes",
}
"""Inputs on which C++ Shardy crashes, or makes what it then rejects."""

UNLIKE_UPSTREAM = {"canonicalize_collectives", "canonicalize_reshards"}
"""Inputs of passes that upstream has under no name of their own."""


def inputs() -> list[Path]:
    """The valid inputs on which C++ Shardy in jaxlib does what it does today."""
    left_out = NEWER_THAN_JAXLIB | CRASHES | UNLIKE_UPSTREAM
    files = sorted(INPUTS.glob("*.mlir"))
    return [f for f in files if not f.stem.endswith("_invalid") and f.stem not in left_out]


@pytest.mark.parametrize("file", inputs(), ids=lambda file: file.stem)
def test_same_text(file: Path) -> None:
    text = file.read_text()
    command = re.match(r'// RUN: xshardy-opt %s -p "?([^"|]+?)"? \|', text)
    assert command is not None
    code, output, errors = run(["-", "-p", command[1]], text)
    assert (code, errors) == (0, "")
    on_functions = command[1].partition("{")[0] not in MODULE_PASSES
    assert theirs(output) == theirs(text, f"func.func({command[1]})" if on_functions else command[1])
