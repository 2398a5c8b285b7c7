"""The sharding half runs where only xDSL is installed: without numpy, ml_dtypes, rich, pygments and llvmlite."""

import json
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


RUNS = """
import json, os, tempfile
from xshardy.tools import entry
shown = []
for name, *arguments in json.loads(sys.argv[1]):
    with tempfile.TemporaryFile("w+") as file:
        stdout = os.dup(1)
        os.dup2(file.fileno(), 1)
        sys.argv = [name, *arguments]
        assert not getattr(entry, name)(), arguments
        sys.stdout.flush()
        os.dup2(stdout, 1)
        file.seek(0)
        shown.append(file.read())
print(json.dumps(shown))
"""
"""Runs commands one after the other, and prints the list of what they print."""

SHOWN: Sequence[tuple[str, Sequence[str], str]] = [
    ("xshardy", ["shard", MLP], '[{"data", ?}, {"model", ?}]'),
    ("xshardy", ["shard", MLP, "-o", "-", "-t", "hlo"], "HloModule"),
    ("xshardy", ["explain", MLP, "--result", "0"], "through stablehlo.dot (line 8)"),
    ("xshardy", ["explain", MLP, "--html", "-"], "<!DOCTYPE html>"),
    ("xshardy", ["plan", MLP, "--topology", "h100x8", "--advice"], "all-reduce of %2 (line 10), along model"),
    ("xshardy", ["plan", MLP, "--chrome-trace", "-"], '{"traceEvents": '),
    ("xshardy", ["plan", MLP, "--json"], '"kind": "all-reduce"'),
    ("xshardy", ["plan", LAYERS], "collectives: "),
    ("xshardy_opt", [MLP, "-p", "sdy-propagation-pipeline,sdy-partitioner-pipeline"], "stablehlo.all_reduce"),
    ("xshardy_opt", [GELU, "-p", "canonicalize,cse"], "stablehlo.constant dense<"),
    ("xshardy_opt", [GELU, "-t", "hlo"], "HloModule"),
]
"""Commands, and a part of what each prints."""


def test_commands():
    printed = json.loads(run_blocked(RUNS, json.dumps([[name, *arguments] for name, arguments, _ in SHOWN])))
    for (_, arguments, shown), text in zip(SHOWN, printed, strict=True):
        assert shown in text, arguments


@pytest.mark.parametrize(
    ("arguments", "place"),
    [(["ptx", GELU], "xshardy ptx"), (["puzzle", "9", GELU], GELU)],
)
def test_a_missing_package_is_named(arguments: Sequence[str], place: str):
    code = "from xshardy.tools.entry import xshardy; sys.exit(xshardy())"
    with pytest.raises(AssertionError, match=f"{place}: error: this needs numpy, which is not installed: `pip install"):
        run_blocked(code, *arguments)


def test_kernels():
    """As the playground emits them."""
    code = """
from xshardy.tools.playground import answer
for file in sys.argv[1:]:
    print(answer("kernel", open(file).read(), "unrolled"))
"""
    shown = run_blocked(code, GELU, SOFTMAX)
    assert "math.tanh" in shown and "gpu.shuffle" in shown
