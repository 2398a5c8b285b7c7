"""Our walks give what xDSL's give; unused operations are found through regions."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from xshardy.dialects.stablehlo import AddOp, NegOp
from xshardy.rewriting import BACKWARD, rewrite
from xshardy.rewriting.walk import operations_in, operations_of
from xshardy.syntax import parse_module
from xshardy.transforms.unused_operations import EraseUnusedOperation

LOOP = """func.func @main(%x: tensor<8xf32>, %p: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = stablehlo.while(%i = %x) : tensor<8xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %2 = stablehlo.add %0, %i : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  %3 = stablehlo.negate %x : tensor<8xf32>
  return %3 : tensor<8xf32>
}"""


def test_walks():
    module = parse_module(LOOP)
    assert list(operations_in(module)) == list(module.walk())[1:]
    assert list(operations_in(module, inner_first=True)) == list(module.walk(region_first=True))[:-1]


def test_operations_of_a_class():
    module = parse_module(LOOP)
    assert [type(op) for op in operations_of(module, NegOp, AddOp)] == [NegOp, AddOp, NegOp]
    assert list(operations_of(module, ModuleOp)) == []


def test_operands_of_a_dead_loop_are_dead():
    module = parse_module(LOOP)
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    rewrite(function, (EraseUnusedOperation(),), BACKWARD)
    assert [op.name for op in function.body.block.ops] == ["stablehlo.negate", "func.return"]
