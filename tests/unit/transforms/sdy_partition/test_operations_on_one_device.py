"""Operations on one device among divided tensors: partitioned, planned, run and proved."""

import pytest
from sharded_programs import sharded_text

import xshardy
from xshardy.tools.shard import placements

MESHES = """
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @second = <[], device_ids=[2]>
sdy.mesh @third = <[], device_ids=[3]>
"""
CHAIN = f"""{MESHES}
func.func @main(%a: tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}})
    -> (tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) {{
  %0 = stablehlo.sine %a {{sdy.sharding = #sdy.sharding_per_value<[<@second, []>]>}} : tensor<8x4xf32>
  %1 = stablehlo.cosine %0 {{sdy.sharding = #sdy.sharding_per_value<[<@second, []>]>}} : tensor<8x4xf32>
  %2 = stablehlo.multiply %1, %a : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}}
"""
LOOP = f"""{MESHES}
func.func @main(%a: tensor<9xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x", ?}}]>}}) -> tensor<9xi32> {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<9xi32>
      attributes {{sdy.sharding = #sdy.sharding_per_value<[<@third, []>, <@third, []>]>}}
  cond {{
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %n = stablehlo.add %i, %one : tensor<i32>
    %y = stablehlo.add %x, %a {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}]>]>}} : tensor<9xi32>
    %z = stablehlo.negate %y {{sdy.sharding = #sdy.sharding_per_value<[<@second, []>]>}} : tensor<9xi32>
    stablehlo.return %n, %z : tensor<i32>, tensor<9xi32>
  }}
  %1 = stablehlo.add %0#1, %a {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"y"}}]>]>}} : tensor<9xi32>
  return %1 : tensor<9xi32>
}}
"""
HLO = """
HloModule m, num_partitions=4
ENTRY e {
  a = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}
  s = f32[8,4] sine(a), sharding={maximal device=2}
  c = f32[8,4] cosine(s), sharding={maximal device=3}
  ROOT r = f32[8,4] multiply(c, a), sharding={devices=[4,1]<=[4]}
}
"""


@pytest.mark.parametrize("text", [CHAIN, LOOP, HLO])
def test_the_results_are_those_of_the_whole_program(text: str):
    assert xshardy.run(text, check=True).agrees


@pytest.mark.parametrize("text", [CHAIN, HLO])
def test_the_partition_is_proved(text: str):
    assert xshardy.prove(text)


def test_the_plan_counts_what_the_device_reads_and_what_others_read_of_it():
    gather, *reductions = xshardy.plan(CHAIN).collectives
    assert (gather.kind, gather.bytes) == ("all-gather", 64)
    assert gather.cause.text.endswith("but stablehlo.sine (line 8) computes on device 2 alone, with whole tensors")
    assert [(each.kind, each.bytes) for each in reductions] == [("reduce-scatter", 64), ("all-reduce", 64)]
    assert {each.cause.text for each in reductions} == {
        "stablehlo.cosine (line 9) computes on device 2 alone, and others read that"
    }


def test_a_table_of_shardings_names_the_device():
    assert [placement.place for placement in placements(sharded_text(CHAIN, "chain"))][1:3] == ["on device 2"] * 2
