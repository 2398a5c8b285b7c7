"""What commands print with `--json`, beside what they print without."""

import json
from pathlib import Path
from typing import Any

import pytest

from xshardy.tools.cli import main
from xshardy.tools.output import print_json

EXAMPLES = Path(__file__).parents[3] / "examples"
MLP, GELU, PTX = (str(EXAMPLES / name) for name in ("mlp.mlir", "gelu.hlo", "block_sum.ptx"))

PROGRAM = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""

FUSION = """HloModule m
f {
  %p = f32[4] parameter(0)
  ROOT %n = f32[4] negate(%p)
}
ENTRY main {
  %p = f32[4] parameter(0)
  ROOT %fusion = f32[4] fusion(%p), kind=kLoop, calls=f
}
"""


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0
        shown = capsys.readouterr()
        assert shown.err == ""
        return json.loads(shown.out)

    return run


def test_shard(printed: Any):
    x, w0, w1, *others = printed("shard", MLP)["tensors"]
    assert [x["argument"], w0["argument"], w1["argument"], others[0]["argument"]] == [True, True, True, False]
    assert (w1["sharding"], w1["bytes"], w1["bytes_before"]) == ('[{"model", ?}, {?}]', 2 << 20, 16 << 20)


def test_explain(printed: Any, capsys: pytest.CaptureFixture[str]):
    found = printed("explain", MLP, "--value", "%2")
    data, feature = found["dimensions"]
    (path,) = data["paths"]
    assert (path["axis"], path["not_divided"], feature["paths"]) == ('"data"', None, [])
    assert [step["tensor"] for step in path["steps"]] == ["%0 (line 8)", "%1 (line 9)", "%2 (line 10)"]
    assert main(["explain", MLP, "--value", "%2"]) == 0
    assert path["origin"] in capsys.readouterr().out


def test_run_on_all_devices(tmp_path: Path, printed: Any):
    file = tmp_path / "program.mlir"
    file.write_text(PROGRAM)
    found = printed("run", str(file), "--check")
    (result,) = found["results"]
    assert (found["devices"], result["type"], result["agrees"]) == (2, "tensor<8xf32>", True)
    assert "agrees" not in printed("run", str(file))["results"][0]


@pytest.mark.parametrize("entry", [(), ("--fusion", "f")])
def test_run_of_a_module_and_of_a_fusion(entry: tuple[str, ...], tmp_path: Path, printed: Any):
    file = tmp_path / "fusion.hlo"
    file.write_text(FUSION)
    (result,) = printed("run", str(file), "--check", *entry)["results"]
    assert (result["level"], result["agrees"], result["max_ulp"]) == ("xla_gpu", True, 0)


def test_hlo_stats(tmp_path: Path, printed: Any):
    (tmp_path / "fusion.hlo").write_text(FUSION)
    stats = printed("hlo-stats", str(tmp_path / "fusion.hlo"))
    assert stats["opcodes"]["negate"] == {"count": 1, "bytes": 16} and stats["fusions"] == {"loop": 1}
    assert printed("hlo-stats", str(tmp_path)) == {"fusion.hlo": stats}


def test_ptx_profile(printed: Any):
    found = printed("ptx", "profile", PTX, "--grid", "64", "--block", "128")
    assert (found["blocks_executed"], found["blocks"]) == (32, 64)
    assert found["instructions"] == sum(found["classes"].values())
    assert found["sectors"] == sum(access["sectors"] for access in found["accesses"])
    assert found["seconds"][0] <= found["seconds"][1]


def test_numbers_that_json_lacks_are_null(capsys: pytest.CaptureFixture[str]):
    print_json({"a": [float("nan"), 1.5, True], "b": {"c": float("inf")}})
    assert json.loads(capsys.readouterr().out) == {"a": [None, 1.5, True], "b": {"c": None}}
