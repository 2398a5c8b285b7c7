"""Programs that `xshardy.run` is given: without arguments that JAX left out, and with branches between blocks."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import xshardy
from xshardy.tools.cli import main

jax: Any = import_module("jax")  # without its types, which are incomplete

BLOCKS = """func.func public @main(%n: tensor<i32>) -> tensor<i32> {
  cf.br ^end(%n : tensor<i32>)
^end(%i: tensor<i32>):
  return %i : tensor<i32>
}
"""


def test_arguments_that_jax_left_out_are_left_out():
    def twice_the_second(unused: Any, x: Any) -> Any:
        return 2 * x

    x, y = np.ones(8, np.float32), np.ones(3, np.float32)
    for lowered in (jax.jit(twice_the_second).lower(x, y), jax.jit(twice_the_second, keep_unused=True).lower(x, y)):
        run = xshardy.run(lowered, [x, y], check=True)
        assert run.agrees and run.results[0].tolist() == [2, 2, 2]


@pytest.mark.parametrize("engine", ["simulated", "kernels", "pjrt"])
def test_a_function_of_several_blocks_is_one_diagnostic(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "f.mlir").write_text(BLOCKS)
    assert main(["run", "--on", engine, str(tmp_path / "f.mlir")]) == 1
    assert "f.mlir:1: error: @main has 2 blocks, and" in capsys.readouterr().err
