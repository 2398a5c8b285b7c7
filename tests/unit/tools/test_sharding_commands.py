"""`xshardy shard` and `xshardy explain`: their output for small programs, and their diagnostics for invalid input."""

import re
from pathlib import Path

import pytest
from sharded_programs import sharded_text
from xdsl.dialects.builtin import TensorType, f32, i1

from xshardy.programs.sharded import Sharded
from xshardy.tools.cli import main
from xshardy.tools.explain.page import page
from xshardy.tools.explain.page_data import page_data
from xshardy.tools.explain.picking import argument, named_value, result
from xshardy.tools.explain.story import story
from xshardy.tools.shard import Placement, in_bytes, placements
from xshardy.tools.source_file import read_source

EXAMPLE = str(Path(__file__).parents[3] / "examples" / "mlp.mlir")

CONFLICT = """
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @f(
    %x: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
    %y: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}) -> tensor<64x64xf32> {
  %0 = stablehlo.add %x, %y : tensor<64x64xf32>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"b", ?}, {?}]> : tensor<64x64xf32>
  %3 = stablehlo.dot %2, %0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}
"""


@pytest.fixture(scope="module")
def mlp() -> Sharded:
    return sharded_text(read_source(EXAMPLE).text, EXAMPLE)


def test_the_path_of_an_axis_begins_where_it_was_written(mlp: Sharded):
    assert list(story(mlp, named_value(mlp, "%2", EXAMPLE))) == [
        '%2 (line 10): [{"data", ?}, {?}]',
        '  Dimension 0 has "data":',
        '    argument 0 (%x) had it from the start: [{"data"}, {}], written in the text',
        '    step 0: "data" went on to %0 (line 8), through stablehlo.dot (line 8)',
        '    step 1: "data" went on to %1 (line 9), through stablehlo.tanh (line 9)',
        '    step 2: "data" went on to %2 (line 10), through stablehlo.dot (line 10)',
        "  Dimension 1 is not sharded.",
    ]


def test_axes_go_backwards_too(mlp: Sharded):
    lines = list(story(mlp, argument(mlp, 2, EXAMPLE)))
    assert lines[0] == 'argument 2 (%w1): [{"model", ?}, {?}]'
    assert lines[-2] == '    step 5: "model" went on to argument 2 (%w1), through stablehlo.dot (line 10)'


def test_results_are_the_returned_values(mlp: Sharded):
    lines = list(story(mlp, result(mlp, 0, EXAMPLE)))
    assert lines[0] == 'result 0 of @mlp: [{"data", ?}, {?}, {?}]'
    assert "went on to result 0 of @mlp, through func.return (line 12)" in lines[-3]


def test_conflicts_are_reported():
    program = sharded_text(CONFLICT, "conflict")
    lines = list(story(program, named_value(program, "%0", "conflict")))
    assert lines[-1] == (
        '    at stablehlo.add (line 6), operand 1 argument 1 (%y) has "b" in dimension 0, which is dimension 0 here: '
        'a conflict: the dimension has "a" here'
    )
    lines = list(story(program, argument(program, 0, "conflict")))
    assert "  Dimension 1 is not sharded, and closed: it may not be." in lines
    assert lines[-1].endswith(
        'result 0 %1 (line 7) has "b" in dimension 0, which is dimension 1 here: the dimension is closed here'
    )


def test_axes_that_must_not_divide_a_tensor_are_a_reason():
    text = """
sdy.mesh @mesh = <["a"=2]>
func.func @main(
    %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>},
    %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"a"}>}) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
    program = sharded_text(text, "replicated")
    assert list(story(program, argument(program, 1, "replicated")))[-2].endswith(
        'argument 0 (%x) has "a" in dimension 0, which is dimension 0 here: the axis is named as replicated or '
        "unreduced here"
    )


def test_a_constraint_that_changes_nothing_is_no_tensor_of_its_own():
    text = """
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.tanh %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %0 <@mesh, [{}]> : tensor<8xf32>
  %4 = stablehlo.add %2, %3 : tensor<8xf32>
  return %4 : tensor<8xf32>
}
"""
    shown = [each.name.partition(" ")[0] for each in placements(sharded_text(text, "constraints"))]
    assert shown == ["argument", "%0", "%2", "%3", "%4"]


def test_constraints_are_origins():
    program = sharded_text(CONFLICT, "conflict")
    assert list(story(program, named_value(program, "%3", "conflict")))[2] == (
        '    %2 (line 8) had it from the start: [{"b", ?}, {?}], of a sharding constraint'
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--value", "%9"], "there is no tensor %9"),
        (["--value", "2"], '"2" is not the name of a value: expected one such as %42'),
        (["--arg", "3"], "there is no tensor argument 3: the function has 3"),
        (["--result", "1"], "there is no tensor result 1"),
    ],
)
def test_a_tensor_that_is_not_there(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]):
    assert main(["explain", EXAMPLE, *arguments]) == 1
    assert complaint in capsys.readouterr().err


def test_calls_are_looked_into():
    text = """
      sdy.mesh @mesh = <["a"=4]>
      func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
        %0:2 = func.call @twice(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
        return %0#1 : tensor<8xf32>
      }
      func.func private @twice(%y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
        %0 = stablehlo.add %y, %y : tensor<8xf32>
        return %y, %0 : tensor<8xf32>, tensor<8xf32>
      }"""
    program = sharded_text(text, "calls")
    assert list(story(program, named_value(program, "%0#1", "calls")))[2:] == [
        '    argument 0 (%x) had it from the start: [{"a"}], written in the text',
        '    step 0: "a" went on to argument 0 inside the call of @twice (line 4) (%y), '
        "through the call of @twice (line 4)",
        '    step 2: "a" went on to %0 (line 8), through stablehlo.add (line 8)',
        '    step 3: "a" went on to %0#1 (line 4), through the call of @twice (line 4)',
    ]


def test_bytes_per_device(mlp: Sharded):
    found = {placement.name: placement for placement in placements(mlp)}
    weights = found["argument 2 (%w1)"]
    assert (weights.bytes_before, weights.bytes_after) == (4096 * 1024 * 4, 4096 * 1024 * 4 // 8)
    assert weights.is_argument
    assert not weights.is_replicated
    assert found["%0 (line 8)"].bytes_after == 64 // 4 * 4096 // 8 * 4


def test_arguments_have_the_parts_that_the_program_runs_with():
    """Four devices do not divide 6 rows: half of the axis does."""
    text = """
      sdy.mesh @mesh = <["a"=4]>
      func.func @f(
          %x: tensor<6x5xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
          %y: tensor<3xf32>) -> tensor<6x5xi1> {
        %0 = stablehlo.not %x : tensor<6x5xi1>
        return %0 : tensor<6x5xi1>
      }"""
    x, y, inside = placements(sharded_text(text, "padded"))
    assert (x.type, x.bytes_after, x.is_replicated) == (TensorType(i1, [6, 5]), 3 * 5, False)
    assert inside.bytes_after == 2 * 5  # padded
    assert y == Placement("argument 1 (%y)", TensorType(f32, [3]), None, 12, 12, True)


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (2**20, "1 MiB"), (2**50, "1024 TiB")]
)
def test_sizes_in_words(count: int, text: str):
    assert in_bytes(count) == text


def test_the_sharded_program_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    output = tmp_path / "out.mlir"
    assert main(["shard", EXAMPLE, "--top", "2", "-o", str(output)]) == 0
    table = capsys.readouterr().out.splitlines()
    assert table[1].split()[:4] == ["argument", "2", "(%w1)", "tensor<4096x1024xf32>"]
    assert len(table) == 5
    text = output.read_text()
    assert '%arg2: tensor<4096x1024xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}' in text
    assert "sharding_rule" not in text


@pytest.mark.parametrize(
    "written",
    [
        "{mesh['x'=2,'y'=4], [{'y'}, {}]}",
        "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}",
    ],
)
def test_the_sharded_program_has_the_notation_of_its_text(written: str, tmp_path: Path):
    program, output = tmp_path / "program.hlo", tmp_path / "out.hlo"
    program.write_text(
        f"HloModule m\nENTRY e {{\n x = f32[8,8] parameter(0), sharding={written}\n ROOT n = f32[8,8] negate(x)\n}}"
    )
    assert main(["shard", str(program), "-o", str(output)]) == 0
    assert f"negate(%x), sharding={written}" in output.read_text()


def test_a_program_that_cannot_be_sharded(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "dynamic.mlir"
    file.write_text(
        "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
        "  %0 = stablehlo.negate %x : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}"
    )
    assert main(["shard", str(file)]) == 1
    assert f"{file}:2: error: Shardy propagation only supports ranked tensors" in capsys.readouterr().err


def test_a_program_of_a_python_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "model.py"
    file.write_text(
        "class Lowered:\n"
        "  def as_text(self):\n"
        "    return 'func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }'\n"
        "def good(): return Lowered()\n"
        "def bad(): return 3\n"
        "def worse(): return 1 / 0\n"
        "def takes_arguments(x, y, z=1): return Lowered()\n"
        "value = Lowered()\n"
    )
    assert main(["shard", f"{file}:good"]) == 0
    assert main(["shard", f"{file}:value"]) == 0
    assert main(["shard", f"{file}:bad"]) == 1
    assert main(["shard", f"{file}:worse"]) == 1
    assert main(["shard", f"{file}:takes_arguments"]) == 1
    assert main(["shard", f"{file}:values"]) == 1
    assert main(["shard", f"{tmp_path}/none.py:f"]) == 1
    complaints = capsys.readouterr().err
    for complaint in (
        "model.py:bad: error: a int is no program: expected what `jax.jit(f).lower(...)` returns",
        "model.py:worse:6: error: ZeroDivisionError",
        "model.py:takes_arguments: error: takes_arguments needs arguments: x, y. Name a function without arguments",
        "model.py does not define values: did you mean value?",
        "there is no such file",
    ):
        assert complaint in complaints


def test_a_traced_program_over_a_mesh_without_devices(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("jax")
    file = tmp_path / "model.py"
    file.write_text(
        "import jax\n"
        "from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec\n"
        "mesh = AbstractMesh((2, 256), ('a', 'b'), axis_types=(AxisType.Auto, AxisType.Auto))\n"
        "x = jax.ShapeDtypeStruct((8, 512), jax.numpy.float32, sharding=NamedSharding(mesh, PartitionSpec('a', 'b')))\n"
        "traced = jax.jit(lambda x: x + 1).trace(x)\n"
    )
    assert main(["shard", f"{file}:traced"]) == 0
    assert "32 B" in capsys.readouterr().out


def test_the_page_has_all_that_it_shows(mlp: Sharded):
    text = page(mlp, "a < b")
    assert "<title>a &lt; b</title>" in text
    assert not re.search(r"(src|href)=|url\(|https?:", text)


def program_with_axis(name: str) -> str:
    """A program whose mesh has an axis called `name`, in MLIR's escapes."""
    sharding = f'#sdy.sharding<@mesh, [{{"{name}"}}]>'
    return (
        f'sdy.mesh @mesh = <["{name}"=2]>\n'
        f"func.func @main(%arg0: tensor<8xf32> {{sdy.sharding = {sharding}}}) -> tensor<8xf32> {{\n"
        "  %0 = stablehlo.abs %arg0 : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}\n"
    )


@pytest.mark.parametrize("name", ["[/red]", "[bold]y[/]", "[link=x]y", ":smile:"])
def test_a_name_is_not_markup_of_a_table(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "program.mlir"
    file.write_text(program_with_axis(name))
    assert main(["shard", str(file)]) == 0
    assert f'[{{"{name}", ?}}]' in capsys.readouterr().out


@pytest.mark.parametrize("name", [r"x\1B[2J\0A", r"\07", r"\E2\80\AEleft"])
@pytest.mark.parametrize("command", [["shard"], ["explain", "--arg", "0"], ["explain", "--arg", "7"]])
def test_a_name_does_not_control_the_terminal(
    command: list[str], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "\x1b[31mprogram.mlir"
    file.write_text(program_with_axis(name))
    assert main([*command, str(file)]) == (1 if "7" in command else 0)
    captured = capsys.readouterr()
    assert all(line.isprintable() for line in (captured.out + captured.err).split("\n"))


def test_a_broken_invariant_has_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "program.mlir"
    file.write_text(program_with_axis("x").replace("abs %arg0", "abs %0"))
    assert main(["shard", str(file)]) == 1
    assert capsys.readouterr().err.startswith(f"{file}:3:8: error: operand #0 does not dominate this use\n")


def test_help_says_that_a_file_of_python_runs(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["shard", "--help"])
    assert "FILE.py:NAME runs FILE.py as Python" in " ".join(capsys.readouterr().out.split())


def test_a_file_of_python_that_exits_is_a_diagnostic(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "program.py"
    file.write_text("import sys\n\nsys.exit(0)\n")
    assert main(["shard", f"{file}:f"]) == 1
    assert capsys.readouterr().err == f"{file}:f:3: error: SystemExit: 0\n"


LOCATED = """sdy.mesh @mesh = <["a"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>} loc("p['emb']"), %arg1: tensor<8x8xf32> loc("x")) -> tensor<8x8xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32> loc(#loc2)
  func.return %0 : tensor<8x8xf32> loc(#loc1)
}
#loc1 = loc("/home/me/model.py":42:7 to :9)
#loc2 = loc("jit(f)/add"(#loc1))
"""  # noqa: E501


def test_names_and_lines_of_the_program_stand_for_those_of_the_text():
    program = sharded_text(LOCATED, "located.mlir")
    names = {placement.name for placement in placements(program)}
    assert names == {"argument 0 (p['emb'])", "argument 1 (x)", "%0 add (model.py:42)"}
    lines = list(story(program, named_value(program, "x", "located.mlir")))
    assert lines[0] == 'argument 1 (x): [{"a", ?}, {?}]'
    assert "argument 0 (p['emb']) had it from the start" in lines[2]
    assert lines[3].endswith('"a" went on to argument 1 (x), through stablehlo.add (model.py:42)')


def test_the_page_shows_the_text_without_locations():
    shown = page(sharded_text(LOCATED, "located.mlir"), "located")
    assert "loc(" not in shown and "model.py:42" in shown


def test_the_page_begins_behind_the_definitions_of_locations():
    """Lines keep their numbers: MLIR defines the locations of arguments in front of the module."""
    lines = LOCATED.split("\n")
    before = page_data(sharded_text(LOCATED, "located.mlir"))
    in_front = '#loc8 = loc("a")\n#loc9 = loc("b")\n'
    after = page_data(sharded_text(in_front + LOCATED, "located.mlir"))
    assert before["first"] == 1 + (lines[0] == "") and after["first"] == before["first"] + 2
    assert after["lines"][2:] == before["lines"] and after["lines"][:2] == ["", ""]
    assert [value.line - 2 for value in after["values"]] == [value.line for value in before["values"]]


def test_other_sizes_of_the_mesh(capsys: pytest.CaptureFixture[str]):
    assert main(["shard", EXAMPLE, "--mesh", "model=2", "--top", "1"]) == 0
    assert re.search(r"argument 2 .* +8 MiB", capsys.readouterr().out)
    assert main(["explain", EXAMPLE, "--mesh", "data=1", "--value", "%2"]) == 0
    assert "every device has all of it" in capsys.readouterr().out
    assert main(["explain", EXAMPLE, "--mesh", "x=2", "--value", "%2"]) == 1
    assert 'no mesh of the module has an axis "x"' in capsys.readouterr().err
