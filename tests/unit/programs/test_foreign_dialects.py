"""Attributes and operations of dialects that nobody here knows, in programs of other compilers."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.utils.exceptions import ParseError

import xshardy
from xshardy.programs.program import read_program
from xshardy.programs.source import source_of
from xshardy.tools.cli import main
from xshardy.transforms.failures import OperationWarning

ATTRIBUTES = """module attributes {vendor.meshes = #vendor.meshes<[<"mesh" = 1x4>]>} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, vendor.kind = #vendor.kind<input>})
      -> tensor<16xf32> {
    %0 = stablehlo.sine %a {vendor.stage = #vendor.stage<1>} : tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
"""
OPERATION = """sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<16xf32> {
  %0 = stablehlo.sine %a : tensor<16xf32>
  %1 = "vendor.roll"(%0) : (tensor<16xf32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
"""


def test_attributes_are_kept():
    assert "#vendor.kind<input>" in xshardy.print_module(xshardy.propagate(ATTRIBUTES))
    assert xshardy.plan(ATTRIBUTES).argument_bytes == 16
    assert xshardy.run(ATTRIBUTES, [np.ones(16, np.float32)], check=True).agrees


def test_operations_get_whole_tensors_and_it_is_said():
    with pytest.warns(OperationWarning, match=r"vendor.roll is not known to work on parts of tensors"):
        program = xshardy.partition(OPERATION)
    assert '"vendor.roll"' in str(program) and "(tensor<16xf32>) -> tensor<16xf32>" in str(program)
    with pytest.warns(OperationWarning):
        assert [collective.kind for collective in xshardy.plan(OPERATION).collectives] == ["all-gather"]


@pytest.mark.parametrize("text", [ATTRIBUTES, OPERATION], ids=["attributes", "operation"])
@pytest.mark.parametrize("command", [["plan"], ["shard"], ["explain", "--arg", "0"]], ids=" ".join)
def test_commands_take_them(command: list[str], text: str, tmp_path: Path):
    (tmp_path / "f.mlir").write_text(text)
    assert main([*command, str(tmp_path / "f.mlir")]) == 0
    assert main([*command, str(tmp_path / "f.mlir"), "--allow-unregistered-dialect"]) == 0


@pytest.mark.parametrize(
    "command", ["emit --fuse", "compile --fuse -o", "run --fuse --check --levels all", "explore -o"]
)
def test_commands_of_kernels_take_attributes(command: str, tmp_path: Path):
    (tmp_path / "f.mlir").write_text(ATTRIBUTES)
    output = [str(tmp_path / "out")] if command.endswith("-o") else []
    assert main([*command.split(), *output, "--allow-unregistered-dialect", str(tmp_path / "f.mlir")]) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OPERATION.replace("vendor.roll", "stablehlo.sinee"), "did you mean stablehlo.sine"),
        (ATTRIBUTES.replace("vendor.", "sdy."), "is not registered"),
    ],
    ids=["operation", "attribute"],
)
def test_an_unknown_name_of_a_known_dialect_is_an_error(text: str, message: str):
    with pytest.raises(ParseError, match=message):
        read_program(source_of(text))
