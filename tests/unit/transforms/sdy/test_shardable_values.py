"""A sharding that is set on a value is the one that is read from it, wherever the value keeps it."""

import pytest
from xdsl.dialects.func import ReturnOp

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.rewriting.walk import operations_of
from xshardy.syntax import parse_module
from xshardy.transforms.sdy.shardable_values import set_sharding, sharding_of

OPERATIONS = (
    'sdy.all_gather [{"a"}] %x out_sharding=<@mesh, [{}]> : tensor<8xf32>',
    "sdy.reshard %x <@mesh, [{}]> : tensor<8xf32>",
    "sdy.sharding_constraint %x <@mesh, [{}]> : tensor<8xf32>",
    "sdy.data_flow_edge %x : tensor<8xf32>",
    "stablehlo.negate %x : tensor<8xf32>",
    """sdy.named_computation<"f">(%x) (%y: tensor<8xf32>) {
      sdy.return %y : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>""",
)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_sharding_that_is_set_is_read(operation: str):
    module = parse_module(f"""
        sdy.mesh @mesh = <["a"=2, "b"=2]>
        func.func @f(%x: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a"}}]>}}) -> tensor<8xf32> {{
          %0 = {operation}
          return %0 : tensor<8xf32>
        }}""")
    (end,) = operations_of(module, ReturnOp)
    wanted = TensorShardingAttr.fully_open("mesh", 1)
    set_sharding(end.operands[0], wanted)
    assert sharding_of(end.operands[0]) == wanted
