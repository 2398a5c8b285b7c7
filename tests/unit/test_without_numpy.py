"""The sharding half runs where only xDSL is installed: without numpy, ml_dtypes, rich, pygments and llvmlite."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from xshardy.universe import DIALECTS, PASSES

EXAMPLES = Path(__file__).parents[2] / "examples"
MLP, GELU, LAYERS = (str(EXAMPLES / name) for name in ("mlp.mlir", "gelu.hlo", "async_layers.hlo"))
SOFTMAX = str(EXAMPLES / "softmax_sum.hlo")

BLOCKED = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "ml_dtypes", "rich", "pygments", "llvmlite"):
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Missing())
"""

SHARDING = ("sdy-", "xla-sdy-", "stablehlo-", "chlo-")
"""What the names of passes begin with that change programs over a mesh."""


def run_blocked(code: str, *arguments: str) -> str:
    """The standard output of Python `code` in a process of its own."""
    command = [sys.executable, "-c", BLOCKED + code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_modules_are_blocked():
    with pytest.raises(AssertionError, match="is blocked"):
        run_blocked("import xshardy.numerics.element_types")


def test_dialects_and_passes_are_loaded():
    references = [*DIALECTS.values(), *(reference for name, reference in PASSES.items() if name.startswith(SHARDING))]
    assert len(references) > 60
    run_blocked("import importlib; [importlib.import_module(name) for name in sys.argv[1:]]", *map(module, references))


def module(reference: str) -> str:
    return f"xshardy.{reference.partition(':')[0]}"


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["shard", MLP], '[{"data", ?}, {"model", ?}]'),
        (["shard", MLP, "-o", "-", "-t", "hlo"], "HloModule"),
        (["explain", MLP, "--result", "0"], "through stablehlo.dot (line 8)"),
        (["explain", MLP, "--html", "-"], "<!DOCTYPE html>"),
        (["plan", MLP, "--topology", "h100x8", "--advice"], "all-reduce of %2 (line 10), along model"),
        (["plan", MLP, "--chrome-trace", "-"], '{"traceEvents": '),
        (["plan", MLP, "--json"], '"kind": "all-reduce"'),
        (["plan", LAYERS], "collectives: "),
    ],
)
def test_commands(arguments: Sequence[str], shown: str):
    code = "from xshardy.tools.entry import xshardy; sys.exit(xshardy())"
    assert shown in run_blocked(code, *arguments)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [(["emit", GELU], "xshardy emit"), (["puzzle", "9", GELU], GELU)],
)
def test_a_missing_package_is_named(arguments: Sequence[str], place: str):
    code = "from xshardy.tools.entry import xshardy; sys.exit(xshardy())"
    with pytest.raises(AssertionError, match=f"{place}: error: this needs numpy, which is not installed: `pip install"):
        run_blocked(code, *arguments)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ([MLP, "-p", "sdy-propagation-pipeline,sdy-partitioner-pipeline"], "stablehlo.all_reduce"),
        ([GELU, "-p", "canonicalize,cse"], "stablehlo.constant dense<"),
        ([GELU, "-t", "hlo"], "HloModule"),
    ],
)
def test_pipelines(arguments: Sequence[str], shown: str):
    code = "from xshardy.tools.entry import xshardy_opt; sys.exit(xshardy_opt())"
    assert shown in run_blocked(code, *arguments)


def test_kernels():
    """As the playground emits them."""
    code = """
from xshardy.tools.playground import answer
for file in sys.argv[1:]:
    print(answer("kernel", open(file).read(), "unrolled"))
"""
    shown = run_blocked(code, GELU, SOFTMAX)
    assert "math.tanh" in shown and "gpu.shuffle" in shown
