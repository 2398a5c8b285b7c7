"""A command loads what its work needs: most of the time of a short one is the import of modules."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CODE = """
import sys
from xshardy.tools.cli import main
status = main(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize(
    ("command", "needless"),
    [
        (
            ["shard", "examples/mlp.mlir"],
            [
                "xshardy.hlo_text",
                "xshardy.compiler",
                "xshardy.transforms.sdy_partition.operations",
                "xdsl.dialects.llvm",
            ],
        ),
        (
            [
                "ptx",
                "run",
                "examples/block_sum.ptx",
                "--grid",
                "4",
                "--block",
                "128",
                "--arg",
                "f32[512]",
                "--arg",
                "f32[4]",
            ],
            ["xshardy.compiler", "xshardy.emitters", "xshardy.dialects.stablehlo", "llvmlite"],
        ),
        (
            ["prove", "examples/mlp.mlir"],
            ["jax", "llvmlite", "xshardy.compiler", "xshardy.emitters", "xdsl.dialects.llvm"],
        ),
        (
            ["plan", "examples/mlp.mlir"],
            [
                *("xdsl.dialects.arith", "xdsl.dialects.gpu", "xdsl.dialects.scf", "xshardy.dialects.xla_gpu"),
                *("difflib", "llvmlite", "numpy"),
            ],
        ),
        (
            ["compile", "examples/gelu.hlo"],
            [
                *("numpy", "xshardy.interpreters.stablehlo", "xshardy.programs.program"),
                *("xshardy.sharding", "xshardy.transforms.sdy_partition", "xshardy.transforms.xla_sdy"),
            ],
        ),
        (["indexing", "examples/softmax_sum.hlo"], ["llvmlite"]),
    ],
    ids=lambda words: words[0],
)
def test_what_a_command_does_not_need_is_not_loaded(command: list[str], needless: list[str]):
    done = subprocess.run([sys.executable, "-c", CODE, *command], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.splitlines()[-1].split())
    assert f"xshardy.tools.commands.{command[0]}" in loaded
    assert not loaded.intersection(needless)
