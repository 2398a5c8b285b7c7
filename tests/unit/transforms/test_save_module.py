"""Modules written to files between passes."""

from pathlib import Path

import pytest

from xshardy.syntax import parse_module, print_module
from xshardy.transforms.save_module import SaveModulePass, save_module
from xshardy.universe import new_context

TEXT = """module {
  func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
"""


def test_numbers_the_file_and_leaves_the_module(tmp_path: Path):
    module = parse_module(TEXT)
    SaveModulePass(str(tmp_path), "after_propagation", 3).apply(new_context(), module)
    assert [path.name for path in tmp_path.iterdir()] == ["03.after_propagation.mlir"]
    saved = (tmp_path / "03.after_propagation.mlir").read_text()
    assert print_module(parse_module(saved)) == print_module(module)


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    SaveModulePass().apply(new_context(), parse_module(TEXT))
    assert list(tmp_path.iterdir()) == []


def test_reports_unwritable_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    save_module(parse_module(TEXT), str(tmp_path / "nowhere"), "x")
    assert capsys.readouterr().err.startswith(
        f"error when writing file {tmp_path / 'nowhere' / 'x.mlir'}: No such file"
    )
