"""Which results of a program can be compared with its parts on devices."""

from xshardy.dialects.discardable import verify
from xshardy.engines.first_difference import observable, return_only
from xshardy.syntax import parse_module
from xshardy.transforms.sdy.main_function import main_function

PROGRAM = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %unsharded = stablehlo.negate %x : tensor<8xf32>
  %sharded = stablehlo.abs %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  %padded = stablehlo.slice %x [0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<6xf32>
  %unreduced = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return %unsharded : tensor<8xf32>
}
"""  # noqa: E501


def test_what_is_summed_up_later_or_divided_unevenly_is_not_compared():
    main = main_function(parse_module(PROGRAM))
    assert [result.op.name for result in observable(main)] == ["stablehlo.negate", "stablehlo.abs"]


def test_a_program_that_returns_what_is_compared_is_valid():
    module = parse_module(PROGRAM)
    main = main_function(module)
    return_only(main, [*observable(main)])
    verify(module)
    assert len(main.function_type.outputs) == 2
