"""`xshardy plan`: its JSON, programs in HLO, and its diagnostics."""

import json
from pathlib import Path

import pytest

from xshardy.tools.cli import main

EXAMPLE = str(Path(__file__).parents[3] / "examples" / "mlp.mlir")

HLO = r"""HloModule jit_step, num_partitions=4
ENTRY %main {
  %x = f32[8,16] parameter(0), sharding={devices=[2,2]<=[4]}
  %w = f32[16,8] parameter(1), sharding={devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}
  ROOT %dot.1 = f32[8,8] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""


def test_json_has_collectives_memory_and_times(capsys: pytest.CaptureFixture[str]):
    assert main(["plan", EXAMPLE, "--json", "--topology", "tpu-v5e-16"]) == 0
    plan = json.loads(capsys.readouterr().out)
    (collective,) = plan["collectives"]
    assert (collective["kind"], collective["axes"], collective["bytes"]) == ("all-reduce", ["model"], 114688)
    assert collective["count"] == 1 and collective["line"] == "line 10" and collective["cause"]
    assert plan["peak_bytes"] >= plan["argument_bytes"] > 0
    assert plan["topology"] == "tpu-v5e-16"
    assert plan["communication_seconds"] == collective["seconds"] > 0


def test_a_dump_of_hlo_is_planned(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "dump.txt").write_text(HLO)
    assert main(["plan", str(tmp_path / "dump.txt")]) == 0
    assert "1 all-reduce" in capsys.readouterr().out


def test_a_program_that_does_not_communicate(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "f.mlir").write_text(
        "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }"
    )
    assert main(["plan", str(tmp_path / "f.mlir"), "--advice"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("no collectives") and "advice: no other sharding" in out


@pytest.mark.parametrize(("options", "rows"), [([], 10), (["--top", "11"], 11)])
def test_the_largest_rows_are_listed(options: list[str], rows: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    sizes, sharding = range(8, 104, 8), 'sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>'
    arguments = ", ".join(f"%x{size}: tensor<{size}xf32> {{{sharding}}}" for size in sizes)
    types, results = (", ".join(form.format(size) for size in sizes) for form in ("tensor<{}xf32>", "%y{}"))
    body = "".join(f"%y{n} = sdy.sharding_constraint %x{n} <@mesh, [{{}}]> : tensor<{n}xf32>\n" for n in sizes)
    main_function = f"func.func @main({arguments}) -> ({types}) {{\n{body}return {results} : {types}\n}}"
    text = f'sdy.mesh @mesh = <["x"=4]>\n{main_function}'
    (tmp_path / "f.mlir").write_text(text)
    assert main(["plan", str(tmp_path / "f.mlir"), *options]) == 0
    assert capsys.readouterr().out.count(" all-gather of ") == rows


def test_what_partitioning_refuses_has_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "f.mlir").write_text("""sdy.mesh @mesh = <["x"=4]>
sdy.mesh @third = <[], device_ids=[2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@third, []>},
                %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}
""")
    assert main(["plan", str(tmp_path / "f.mlir")]) == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'f.mlir'}:3: error: 'func.func' op function argument 0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.mlir"], "error: nowhere.mlir: No such file"),
        ([EXAMPLE, "--topology", "nowhere.yaml"], "error: nowhere.yaml: No such file"),
        ([EXAMPLE, "--mesh", "pipe=2"], 'no mesh of the module has an axis "pipe"'),
    ],
)
def test_what_is_wrong_is_a_diagnostic(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert main(["plan", *arguments]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "internal error" not in error and "Traceback" not in error
