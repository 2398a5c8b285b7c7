"""What docs/clinic.md says of wrong programs: `prove` refutes a program of one device with another reduction."""

from pathlib import Path

import pytest

import xshardy
from xshardy.tools.cli import main

CLINIC = Path(__file__).parents[3] / "examples" / "clinic"


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("largest.mlir", "stablehlo.maximum %arg1, %arg2", "stablehlo.add %arg1, %arg2"),
        ("reshard_of_sums.mlir", "stablehlo.add %arg2, %arg3", "stablehlo.maximum %arg2, %arg3"),
        ("sums_in_a_loop.mlir", "stablehlo.add", "stablehlo.subtract"),
    ],
)
def test_a_wrong_reduction_is_refuted(
    name: str, right: str, wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    local = str(xshardy.partition(CLINIC / name))
    assert right in local
    (tmp_path / "local.mlir").write_text(local.replace(right, wrong, 1))
    assert main(["prove", str(CLINIC / name), str(tmp_path / "local.mlir")]) == 1
    assert "refuted" in capsys.readouterr().out
