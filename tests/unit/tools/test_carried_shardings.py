"""StableHLO of older versions of JAX: shardings in a notation of XLA are those of Shardy for functions and commands."""

from pathlib import Path

import numpy as np
import pytest
from sharded_programs import sharded_text

import xshardy
from xshardy.hlo_text import print_hlo
from xshardy.tools.cli import main

TYPES = "(tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>"

OF_SHARDY = f"""
module @jit_step {{
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func public @main(
      %x: tensor<8x16xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}, {{}}]>}},
      %w: tensor<16x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"b"}}]>}}) -> tensor<8x8xf32> {{
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : {TYPES}
    %1 = sdy.sharding_constraint %0 <@mesh, [{{"a", "b"}}, {{}}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }}
}}
"""

FOR_GSPMD = f"""
module @jit_step attributes {{mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32}} {{
  func.func public @main(
      %x: tensor<8x16xf32> {{mhlo.sharding = "{{devices=[2,1,2]<=[4] last_tile_dim_replicate}}"}},
      %w: tensor<16x8xf32> {{mhlo.sharding = "{{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}}"}})
      -> tensor<8x8xf32> {{
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : {TYPES}
    %1 = stablehlo.custom_call @Sharding(%0) {{mhlo.sharding = "{{devices=[4,1]<=[4]}}"}}
      : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }}
}}
"""


def as_text(key: str, sharding: str) -> str:
    """`sharding` as a text in a frontend attribute."""
    escaped = sharding.replace('"', r"\22")
    return f'mhlo.frontend_attributes = {{xla.sdy.{key} = "{escaped}"}}'


AS_TEXTS = f"""
module @jit_step attributes {{{as_text("meshes", '{mesh = #sdy.mesh<["a"=2, "b"=2]>}')}}} {{
  func.func public @main(
      %x: tensor<8x16xf32> {{{as_text("sharding", '#sdy.sharding<@mesh, [{"a"}, {}]>')}}},
      %w: tensor<16x8xf32> {{{as_text("sharding", '#sdy.sharding<@mesh, [{}, {"b"}]>')}}}) -> tensor<8x8xf32> {{
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : {TYPES}
    %1 = stablehlo.custom_call @Sharding(%0) {{
      {as_text("sharding", '#sdy.sharding_per_value<[<@mesh, [{"a", "b"}, {}]>]>')},
      mhlo.sharding = "{{devices=[4,1]<=[4]}}"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }}
}}
"""

NOTATIONS = pytest.mark.parametrize("text", [FOR_GSPMD, AS_TEXTS], ids=["for GSPMD", "as texts"])


@NOTATIONS
def test_a_program_is_partitioned_as_that_of_shardy(text: str):
    expected = str(xshardy.partition(OF_SHARDY)).split("{", 1)[1].splitlines()[1:]
    for source in (text, xshardy.parse(text), xshardy.write_bytecode(xshardy.parse(text))):
        program = xshardy.partition(source)
        assert program.devices == 4
        assert str(program).split("{", 1)[1].splitlines()[1:] == expected
    run = xshardy.run(text, check=True)
    assert run.program.devices == 4


@NOTATIONS
def test_propagation_knows_the_shardings(text: str):
    for source in (text, xshardy.parse(text)):
        signature = xshardy.print_module(xshardy.propagate(source)).split("func.func", 1)[1]
        assert signature.count("sdy.sharding = #sdy.sharding<@mesh") >= 2
        assert "mhlo.sharding" not in signature
    assert len(xshardy.plan(text).collectives) == len(xshardy.plan(OF_SHARDY).collectives)


@NOTATIONS
def test_commands_know_the_shardings(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "step.mlir").write_text(text)
    assert main(["shard", str(tmp_path / "step.mlir")]) == 0
    printed = capsys.readouterr()
    assert "0 of 2 are replicated" in printed.out
    assert printed.err == ""


def test_shardings_of_shardy_count_where_both_are_written():
    both = OF_SHARDY.replace('[{}, {"b"}]>}', '[{}, {"b"}]>, mhlo.sharding = "{devices=[4,1]<=[4]}"}')
    assert both != OF_SHARDY
    assert str(xshardy.partition(both).argument_shardings[1]) == '#sdy.sharding<@mesh, [{}, {"b"}]>'


def test_code_of_single_devices_runs():
    program = """
module @jit_step attributes {mhlo.num_partitions = 4 : i32} {
  func.func public @main(%x: tensor<4x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2,2]<=[4]}"}
      : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"}
      : (tensor<4x8xf32>) -> tensor<2x4xf32>
    %2 = call @shmap_body(%1) : (tensor<2x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2,2]<=[4]}"}
      : (tensor<4x4xf32>) -> tensor<8x8xf32>
    return %4 : tensor<8x8xf32>
  }
  func.func private @shmap_body(%a: tensor<2x4xf32>) -> tensor<4x4xf32> {
    %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, use_global_device_ids,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>} : (tensor<2x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
"""
    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    for source in (program, print_hlo(xshardy.parse(program))):
        run = xshardy.run(source, [x])
        assert run.program.devices == 4
        assert (np.asarray(run.results[0]) == np.concatenate([x, x])).all()


def test_refused_shardings_have_their_place():
    text = FOR_GSPMD.replace("devices=[4,1]<=[4]", "devices=[4,1]<=[8]")
    with pytest.raises(Exception, match=r"step.mlir:8: error: mhlo.sharding is no sharding"):
        sharded_text(text, "step.mlir")
