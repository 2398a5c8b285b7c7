"""Our import passes against C++ Shardy's inside jaxlib: the same text on every FileCheck input of the pass."""

import re
from pathlib import Path

import pytest
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir, passmanager

from xshardy.tools.xshardy_opt import run

INPUTS = Path(__file__).parents[1] / "filecheck" / "transforms" / "sdy_import"

FUNCTION_PASSES = {"sdy-constant-splitter", "sdy-explicit-gather-scatter-batching"}
"""Passes that C++ Shardy runs on functions."""


NEWER_THAN_JAXLIB = {"inline_meshes_replica_groups", "lift_inlined_meshes_replica_groups"}
"""Inputs with attributes that StableHLO has got since jaxlib was built."""

OURS = {"explicit_gather_scatter_batching_mixed_rows", "verify_strict"}
"""Inputs of passes that upstream does not have, or that it miscompiles."""


def inputs() -> list[Path]:
    """The valid inputs of passes that jaxlib has."""
    files = sorted(INPUTS.glob("*.mlir"))
    return [f for f in files if not f.stem.endswith("_invalid") and f.stem not in NEWER_THAN_JAXLIB | OURS]


def theirs(text: str, name: str) -> str:
    pipeline = f"func.func({name})" if name in FUNCTION_PASSES else name
    with make_ir_context():
        module = ir.Module.parse(text)
        passmanager.PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
        return str(module)


def theirs_again(text: str) -> str:
    """Text as jaxlib prints it."""
    with make_ir_context():
        return str(ir.Module.parse(text))


@pytest.mark.parametrize("file", inputs(), ids=lambda file: file.stem)
def test_same_text(file: Path) -> None:
    text = file.read_text()
    command = re.match(r"// RUN: xshardy-opt %s -p (\S+)", text)
    assert command is not None
    code, output, errors = run(["-", "-p", command[1]], text)
    assert code == 0 and "error:" not in errors
    assert theirs_again(output) == theirs(text, command[1])
