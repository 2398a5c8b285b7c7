"""The module after each user priority, as a file."""

from pathlib import Path

from xshardy.tools.xshardy_opt import run

TEXT = """
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(
    %x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}p1]>},
    %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"c", ?}p3]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32>
  func.return %0 : tensor<8x8xf32>
}
"""


def propagate(folder: Path) -> tuple[int, str, str]:
    return run(["-", "-p", f'sdy-user-priority-propagate{{module-dump-directory="{folder}"}}'], TEXT)


def test_one_file_for_each_priority_but_the_last(tmp_path: Path):
    code, output, errors = propagate(tmp_path)
    assert (code, errors) == (0, "")
    first, second = sorted(tmp_path.iterdir())
    assert first.name == "00.propagation_after_user_priority_0.mlir"
    assert second.name == "00.propagation_after_user_priority_1.mlir"
    for shardings, text in (('{"a", ?}, {?}', first.read_text()), ('{"a", ?}, {"b", ?}', second.read_text())):
        assert f"#sdy.sharding_per_value<[<@mesh, [{shardings}]>]>" in text
    assert 'replicated={"b"}' in first.read_text(), "axes are kept free until their turn"
    assert "replicated" not in second.read_text().partition("%arg1")[0]
    assert '#sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>' in output


def test_a_folder_that_is_not_there(tmp_path: Path):
    code, output, errors = propagate(tmp_path / "missing")
    assert code == 0 and "sdy.sharding_per_value" in output
    assert "error when writing file" in errors and "No such file or directory" in errors
