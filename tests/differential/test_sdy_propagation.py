"""Our propagation against C++ Shardy's inside jaxlib: the same text, on FileCheck inputs, random and JAX's modules."""

import re
from pathlib import Path

import jax
import pytest
from jaxlib_versions import left_out, needs, since
from sdy_modules import random_sdy_module, seeds
from sdy_orders import random_race
from test_modules import PROGRAMS
from test_sdy_import import OPEN, theirs

from xshardy.tools.xshardy_opt import run

INPUTS = Path(__file__).parents[1] / "filecheck" / "transforms" / "sdy_propagation"

BEFORE_CALLS = (
    *("symbol-dce", "sdy-lift-inlined-meshes", "sdy-remove-size-one-axes", "sdy-propagate-sharding-from-func-to-call"),
    *("sdy-constant-or-scalar-splitter", "symbol-dce", "sdy-manual-axes-cleanup", "sdy-add-data-flow-edges"),
)
CONSTRAINTS = ("sdy-apply-sharding-constraints", "sdy-sharding-group-import")
LOOK_INTO_CALLS = ("sdy-flatten-call-graph", "symbol-dce", "sdy-import-func-calls", "symbol-dce", *CONSTRAINTS)
SHARE_CALLS = (*CONSTRAINTS, "sdy-add-func-data-flow-edges")
PROPAGATE = ("sdy-pre-order-funcs", "sdy-user-priority-propagate{keep-sharding-rules=true}")

PIPELINES = ("sdy-propagation-pipeline", "sdy-propagation-pipeline{dedup-functions-fully=true}")
UP_TO_PROPAGATION = (
    ",".join((*BEFORE_CALLS, *LOOK_INTO_CALLS, *PROPAGATE)),
    ",".join((*BEFORE_CALLS, *SHARE_CALLS, *PROPAGATE)),
)
"""The passes of the pipelines that come before export, which leaves less to compare."""

PASSES = (
    "sdy-basic-propagate",
    "sdy-basic-propagate{conservative-propagation=true}",
    "sdy-aggressive-propagate",
    "sdy-aggressive-propagate{propagation-strategy=basic-then-aggressive}",
    "sdy-op-priority-propagate",
    "sdy-user-priority-propagate",
)


def assert_same_result(text: str, ours: str, *upstream: str) -> None:
    """
    Check that our passes and those of C++ Shardy have the same result on `text`; by default they have the same names.
    """
    code, output, errors = run(["-", "-p", ours], text)
    assert code == 0, errors
    assert theirs(output) == theirs(text, *(upstream or (ours,)))


UNLIKE_UPSTREAM = ("pipeline_options", "pipeline_named_computations", "constant_indices", "debug_edges_in_order")
"""
Upstream's pipeline has most options in C++ only, and adds the edges of named computations in its input twice. The
Shardy in jaxlib crashes on the third input. On the last one, its order depends on addresses in memory.
"""


def cases() -> list[tuple[str, str, str]]:
    """For each function of a FileCheck file its name, the pipeline that runs on it, and the module."""
    found: list[tuple[str, str, str]] = []
    for file in sorted(INPUTS.glob("*propagat*.mlir")):
        command = re.match(r"// RUN: xshardy-opt %s -p '?([^ ']+)", file.read_text())
        if command is None or file.stem.endswith(("_invalid", *UNLIKE_UPSTREAM)):
            continue
        for part in file.read_text().split("// -----"):
            name = re.search(r"func\.func @(\w+)", part)
            found.append((f"{file.stem}-{name[1] if name else ''}", command[1], part))
    return found


CASES = cases()


@pytest.mark.parametrize(("pipeline", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_filecheck_inputs(pipeline: str, text: str) -> None:
    assert_same_result(text, pipeline)


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", PASSES)
def test_random_modules(name: str) -> None:
    for seed in seeds():
        prepared = theirs(random_sdy_module(seed), *BEFORE_CALLS, *LOOK_INTO_CALLS)
        assert_same_result(prepared, name)


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", PASSES)
def test_operations_that_race(name: str) -> None:
    for seed in seeds():
        assert_same_result(random_race(seed), name)


RESULTS = "results of @main get the shardings of what is returned"


@pytest.mark.hypothesis
@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=needs(RESULTS)) for name in PIPELINES),
        *(pytest.param(name, marks=needs(OPEN)) for name in UP_TO_PROPAGATION),
    ],
    ids=["looking", "sharing", "looked", "shared"],
)
def test_pipelines_on_random_modules(name: str) -> None:
    for seed in seeds(100):
        assert_same_result(random_sdy_module(seed), name)


BY_VERSION = {
    "more factors of updates and reshapes need permutation or replication": ("control_flow", "train_step"),
    "shifts and the windows of kernels need permutation": ("convolutions",),
}
"""Programs with other sharding rules in some versions of jaxlib."""


@pytest.mark.parametrize("program", PROGRAMS)
def test_modules_that_jax_lowers(program: str) -> None:
    """The same shardings, and the same rules but for those that depend on the version."""
    function, arguments = PROGRAMS[program]
    text = jax.jit(function).trace(*arguments).lower(lowering_platforms=("cpu",)).as_text()
    with_rules = () if program in left_out(BY_VERSION) else UP_TO_PROPAGATION
    for name in (*(PIPELINES if since(RESULTS) else ()), *with_rules):
        assert_same_result(text, name)
