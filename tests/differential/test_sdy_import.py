"""Our import passes against C++ Shardy's inside jaxlib: the same text on FileCheck inputs, random and JAX's modules."""

import re
from collections.abc import Sequence
from pathlib import Path

import jax
import pytest
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir, passmanager
from jaxlib_versions import left_out, needs
from sdy_modules import random_sdy_module, seeds
from test_modules import PROGRAMS

from xshardy.tools.xshardy_opt import run

INPUTS = Path(__file__).parents[1] / "filecheck" / "transforms" / "sdy_import"

FUNCTION_PASSES = {"sdy-explicit-gather-scatter-batching"}
"""Passes that C++ Shardy runs on functions."""

OPEN = "a fully open sharding does not keep a constraint from its input"
BY_VERSION = {
    OPEN: ("apply_sharding_constraints", "apply_sharding_constraints_debug"),
    "replica groups are axes of meshes, and passes of August 2026": (
        *("inline_meshes_replica_groups", "lift_inlined_meshes_replica_groups"),
    ),
    "only returns of @main read what is before a chain of constraints": ("apply_sharding_constraints_returns",),
}
"""Inputs that are left out with some versions of jaxlib."""

UNLIKE_UPSTREAM = {
    "apply_sharding_constraints_dynamic",
    "apply_sharding_constraints_unordered",
    "constant_splitter",
    "explicit_gather_scatter_batching_mixed_rows",
    "import_func_calls_threads",
    "import_pipeline_batching",
    "lift_inlined_meshes_equal_groups",
    "verify_strict",
}
"""Inputs of passes and options that upstream does not have, or that it aborts at, miscompiles or makes invalid."""

BEFORE_EDGES = (
    "symbol-dce",
    "sdy-lift-inlined-meshes",
    "sdy-remove-size-one-axes",
    "sdy-propagate-sharding-from-func-to-call",
    "sdy-constant-or-scalar-splitter",
    "sdy-manual-axes-cleanup",
)
BEFORE_CONSTRAINTS = (*BEFORE_EDGES, "sdy-add-data-flow-edges")

PASSES: dict[str, Sequence[str]] = {
    **{name: BEFORE_EDGES[:index] for index, name in enumerate(BEFORE_EDGES)},
    "sdy-add-data-flow-edges": BEFORE_EDGES,
    "sdy-explicit-gather-scatter-batching": BEFORE_EDGES[:5],
    "sdy-apply-sharding-constraints": BEFORE_CONSTRAINTS,
    "sdy-apply-sharding-constraints{debug-sharding-origins=true debug-propagation-edge-sharding=true}": (
        BEFORE_CONSTRAINTS
    ),
    "sdy-sharding-group-import": BEFORE_CONSTRAINTS,
    "sdy-flatten-call-graph": BEFORE_CONSTRAINTS,
    "sdy-import-func-calls": BEFORE_CONSTRAINTS,
    "sdy-import-func-calls{add-data-flow-edges-on-named-computations=false}": BEFORE_CONSTRAINTS,
    "sdy-add-func-data-flow-edges": BEFORE_CONSTRAINTS,
    "sdy-pre-order-funcs": BEFORE_CONSTRAINTS,
    "sdy-inline-meshes": (),
    "sdy-import-pipeline": (),
    "sdy-import-pipeline{dedup-functions-fully=true}": (),
}
"""Each pass, and those that C++ Shardy runs first on the module that both are given."""


def inputs() -> list[Path]:
    """The valid inputs of passes that jaxlib has."""
    files = sorted(INPUTS.glob("*.mlir"))
    return [
        f for f in files if not f.stem.endswith("_invalid") and f.stem not in left_out(BY_VERSION) | UNLIKE_UPSTREAM
    ]


def theirs(text: str, *passes: str) -> str:
    """The result of C++ Shardy's `passes` on `text`; without passes, `text` as jaxlib prints it."""
    nested = [f"func.func({name})" if name.partition("{")[0] in FUNCTION_PASSES else name for name in passes]
    with make_ir_context():
        module = ir.Module.parse(text)
        passmanager.PassManager.parse(f"builtin.module({','.join(nested)})").run(module.operation)
        return str(module)


def assert_same_result(text: str, name: str) -> None:
    """The pass called `name`, with its options, makes the same of `text` here and there."""
    code, output, errors = run(["-", "-p", name], text)
    assert code == 0, errors
    assert theirs(output) == theirs(text, name)


@pytest.mark.parametrize("file", inputs(), ids=lambda file: file.stem)
def test_filecheck_inputs(file: Path) -> None:
    text = file.read_text()
    command = re.match(r'// RUN: xshardy-opt %s -p "?(\S+?(?:{.*?})?)"? ', text)
    assert command is not None
    assert_same_result(text, command[1])


APPLY_CONSTRAINTS = ("sdy-apply-sharding-constraints", "sdy-import-pipeline{")
"""How passes begin that apply constraints; random modules have open ones."""


@pytest.mark.hypothesis
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs(OPEN) if name.startswith(APPLY_CONSTRAINTS) else ()) for name in PASSES]
)
def test_random_modules(name: str) -> None:
    for seed in seeds():
        assert_same_result(theirs(random_sdy_module(seed), *PASSES[name]), name)


@pytest.mark.parametrize("program", PROGRAMS)
def test_modules_that_jax_lowers(program: str) -> None:
    function, arguments = PROGRAMS[program]
    text = jax.jit(function).trace(*arguments).lower(lowering_platforms=("cpu",)).as_text()
    assert_same_result(text, "sdy-import-pipeline{dedup-functions-fully=true}")
