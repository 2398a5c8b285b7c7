"""Our export passes against C++ Shardy's inside jaxlib: the same text on FileCheck inputs, random and JAX's modules."""

import re
from pathlib import Path

import jax
import pytest
from jaxlib_versions import left_out, since
from sdy_modules import random_sdy_module
from test_modules import PROGRAMS
from test_sdy_import import BEFORE_CONSTRAINTS, theirs

from xshardy.tools.xshardy_opt import run

INPUTS = Path(__file__).parents[1] / "filecheck" / "transforms" / "sdy_export"
MODULE_PASSES = {
    "sdy-close-shardings",
    "sdy-convert-global-to-local",
    "sdy-drop-sharding-and-mesh",
    "sdy-export-named-computations",
    "sdy-export-pipeline",
    "sdy-insert-func-call-reshards",
    *(("sdy-pad-for-divisibility",) if since("padding is a pass on modules") else ()),
    "sdy-propagate-to-func-results",
    "sdy-remove-propagation-debug-info",
    "sdy-remove-sharding-groups",
    "sdy-remove-sub-axes-in-input-output-shardings",
    "sdy-resolve-permutation-factors",
    "sdy-unflatten-call-graph",
    "sdy-update-non-divisible-input-output-shardings",
}
"""Passes that C++ Shardy runs on modules; the others run on functions."""

AUGUST = "replica groups are axes of meshes, and passes of August 2026"
BY_VERSION = {
    AUGUST: (
        *("export_pipeline", "export_pipeline_collectives", "export_pipeline_place_of_reduce_scatter"),
        *("insert_explicit_reshards_single_device", "optimize_collectives"),
        *("reshard_to_collectives_meshes", "reshard_to_collectives_single_device", "verify_unreduced_axes"),
        *("drop_sharding_and_mesh_of_groups", "remove_all_gather_reduce_scatter_for_cmv1_without_sharding"),
    ),
    "results of @main get the shardings of what is returned": ("propagate_to_func_results_single_function",),
    "results of functions are not on a single device": ("propagate_to_func_results_single_device",),
    "tokens of an operation on one device keep their sharding": ("insert_explicit_reshards_single_device",),
}
"""Inputs that are left out with some versions of jaxlib."""

CRASHES = {
    "insert_explicit_reshards_declaration",
    "insert_explicit_reshards_single_device_calls",
    "propagate_to_func_results_declaration",
    "propagate_to_func_results_of_entry",
    "reshard_to_collectives_sizes",
    "unflatten_call_graph_types",
}
"""Inputs on which C++ Shardy crashes, or produces a module that it rejects."""

UNLIKE_UPSTREAM = {
    "canonicalize_collectives",
    "canonicalize_reshards",
    "constant_or_scalar_merger_unregistered",
    "locations",
}
"""
Inputs of passes that upstream has under no name of their own, one with operations that are not registered, and one
about what is printed beside the module.
"""


BEYOND_UPSTREAM = {
    "export_named_computations_threads",
    "insert_explicit_reshards_divided_sums",
    "insert_explicit_reshards_repeated",
    "insert_func_call_reshards_unreduced",
    "keep_partial_sums",
    "optimize_collectives_unlike_upstream",
    "update_non_divisible_pad_calls",
}
"""
Inputs of passes and options that upstream does not have, of operations that it leaves as they are, and those where
jaxlib's reduces twice, fails or moves more elements.
"""


def inputs() -> list[Path]:
    """The valid inputs on which C++ Shardy in jaxlib agrees with today's upstream."""
    others = left_out(BY_VERSION) | CRASHES | UNLIKE_UPSTREAM | BEYOND_UPSTREAM
    files = sorted(INPUTS.glob("*.mlir"))
    return [f for f in files if not f.stem.endswith("_invalid") and f.stem not in others]


def nested(name: str) -> str:
    """`name` as MLIR writes it in a pipeline on modules."""
    return name if name.partition("{")[0] in MODULE_PASSES else f"func.func({name})"


def assert_same_result(text: str, name: str, ours: str | None = None) -> None:
    """The pass `name` makes the same of `text` here, where it is spelled `ours`, and in C++ Shardy."""
    code, output, errors = run(["-", "-p", ours or name], text)
    assert (code, errors) == (0, "")
    assert theirs(output) == theirs(text, nested(name))


@pytest.mark.parametrize("file", inputs(), ids=lambda file: file.stem)
def test_same_text(file: Path) -> None:
    text = file.read_text()
    command = re.match(r'// RUN: xshardy-opt %s -p "?([^"|]+?)"? \|', text)
    assert command is not None
    assert_same_result(text, command[1])


# Modules after propagation

PROPAGATED = (
    *(*BEFORE_CONSTRAINTS, "sdy-flatten-call-graph", "sdy-import-func-calls", "sdy-apply-sharding-constraints"),
    *("sdy-sharding-group-import", "sdy-pre-order-funcs", "sdy-user-priority-propagate{keep-sharding-rules=true}"),
    *("sdy-export-named-computations", "sdy-propagate-to-func-results", "sdy-unflatten-call-graph"),
    "sdy-insert-func-call-reshards",
)
STEPS = (
    "sdy-constant-or-scalar-merger",
    "sdy-sink-data-flow-edges",
    "sdy-remove-sharding-groups",
    "sdy-sharding-constraint-to-reshard",
    "sdy-update-non-divisible-input-output-shardings",
    "sdy-remove-sub-axes-in-input-output-shardings",
    "sdy-close-shardings",
    "sdy-insert-explicit-reshards{enable-full-version=true}",
    "sdy-reshard-to-collectives",
)
PIPELINES = ("sdy-export-pipeline", "sdy-export-pipeline{enable-insert-explicit-collectives=true}")


def with_names_of_meshes(pipeline: str) -> str:
    """The export pipeline without its last step where jaxlib has none."""
    if since(AUGUST):
        return pipeline
    name, _, options = pipeline.rstrip("}").partition("{")
    return f"{name}{{{' '.join((*options.split(), 'inline-meshes=false'))}}}"


@pytest.mark.parametrize("seed", (1, 2, 3, 4))
def test_random_modules(seed: int) -> None:
    """Each step on C++ Shardy's result of the step before, and the pipelines. C++ Shardy fails on seeds 0 and 5."""
    propagated = theirs(random_sdy_module(seed), *PROPAGATED)
    for pipeline in PIPELINES:
        assert_same_result(propagated, pipeline, with_names_of_meshes(pipeline))
    text = propagated
    for step in STEPS:
        assert_same_result(text, step)
        text = theirs(text, nested(step))


@pytest.mark.parametrize("program", PROGRAMS)
def test_modules_that_jax_lowers(program: str) -> None:
    function, arguments = PROGRAMS[program]
    text = jax.jit(function).trace(*arguments).lower(lowering_platforms=("cpu",)).as_text()
    propagated = theirs(text, *PROPAGATED)
    for pipeline in PIPELINES:
        assert_same_result(propagated, pipeline, with_names_of_meshes(pipeline))
