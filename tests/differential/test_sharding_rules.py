"""Our sharding rules against those of C++ Shardy inside jaxlib, on every FileCheck input of the rules."""

import re
from pathlib import Path

import pytest
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir, passmanager
from jaxlib_versions import left_out

from xshardy.tools.xshardy_opt import run

INPUTS = Path(__file__).parents[1] / "filecheck" / "sharding" / "rules"

WITHOUT_TWIN = {"hlo", "linalg", "mhlo"}
"""Rules that C++ Shardy does not have, or not in jaxlib yet."""

BY_VERSION = {
    "more factors of updates and reshapes need permutation or replication": (
        *("dynamic_updates", "reshape_without_common_factors"),
    ),
    "shifts and the windows of kernels need permutation": ("convolution", "pad_that_shifts"),
}
"""Inputs that are left out with some versions of jaxlib."""


def theirs(text: str, pipeline: str) -> str:
    with make_ir_context():
        module = ir.Module.parse(text)
        passmanager.PassManager.parse(pipeline).run(module.operation)
        return str(module)


@pytest.mark.parametrize(
    "file",
    [f for f in sorted(INPUTS.glob("*.mlir")) if f.stem not in WITHOUT_TWIN | left_out(BY_VERSION)],
    ids=lambda file: file.stem,
)
def test_same_rules(file: Path) -> None:
    text = file.read_text()
    command = re.match(r'// RUN: xshardy-opt %s -p "?([^" ]+)', text)
    assert command is not None
    code, output, errors = run(["-", "-p", command[1]], text)
    assert (code, errors) == (0, "")
    assert theirs(output, "builtin.module()") == theirs(text, f"builtin.module(func.func({command[1]}))")
