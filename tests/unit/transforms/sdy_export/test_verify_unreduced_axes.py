"""Unreduced axes of a module that passes have made, and that was not parsed so."""

import pytest
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.collectives import AllReduceOp
from xshardy.rewriting.walk import operations_of
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shardable_values import set_sharding
from xshardy.transforms.sdy_export.verify_unreduced_axes import VerifyUnreducedAxesPass
from xshardy.universe import new_context


def module_of(body: str) -> ModuleOp:
    return parse_module(f'sdy.mesh @mesh = <["x"=2, "y"=2]>\n{body}')


def test_a_collective_is_verified_against_the_new_sharding_of_its_operand():
    module = module_of("""func.func @f(%a: tensor<8xf32>) {
      %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>}
        : tensor<8xf32>
      %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
      return
    }""")
    (reduction,) = operations_of(module, AllReduceOp)
    VerifyUnreducedAxesPass().apply(new_context(), module)
    divided = DimensionShardingAttr([AxisRefAttr("y")], is_closed=True)
    set_sharding(reduction.tensor, TensorShardingAttr(SymbolRefAttr("mesh"), [divided]))
    with pytest.raises(OperationFailedException, match=r"'sdy\.all_reduce' op"):
        VerifyUnreducedAxesPass().apply(new_context(), module)


def test_nothing_is_said_of_a_function_that_is_not_there():
    module = module_of("""func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
      func.call @elsewhere(%a) : (tensor<8xf32>) -> ()
      return
    }""")
    VerifyUnreducedAxesPass().apply(new_context(), module)
