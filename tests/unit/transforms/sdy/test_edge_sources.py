"""The sources of data flow edges of operations of StableHLO."""

from xdsl.dialects.func import FuncOp

from xshardy.dialects.stablehlo.control_flow import WhileOp
from xshardy.rewriting.walk import operations_of
from xshardy.syntax import parse_module
from xshardy.transforms.sdy.data_flow import sources_of

LOOP = """
func.func @main(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.while(%i = %x) : tensor<8xf32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = stablehlo.negate %i : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
"""


def test_a_result_of_a_loop_owns_its_edge_and_an_argument_owns_none():
    module = parse_module(LOOP)
    (function,), (loop,) = operations_of(module, FuncOp), operations_of(module, WhileOp)
    (negated,) = (op for op in loop.regions[1].block.ops if op.name == "stablehlo.negate")
    assert [*sources_of(loop.results[0])] == [function.args[0], negated.results[0]]
    assert [*sources_of(loop.regions[1].block.args[0])] == []
