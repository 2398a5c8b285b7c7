"""`layout_of`: the layout attribute of a value, and no attribute for the default layout."""

import pytest
from xdsl.dialects import func

from xshardy.dialects.hlo import FusionOp, layout_of
from xshardy.syntax import parse_module

MODULE = parse_module(
    """
    func.func private @f(%a: tensor<2x3xf32> {hlo.layout = array<i64: 0, 1>}, %b: tensor<2xf32>)
        -> (tensor<2xf32>, tensor<2x3xf32>) {
      func.return %b, %a : tensor<2xf32>, tensor<2x3xf32>
    }
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
      %0:2 = hlo.fusion loop @f(%a, %b) {hlo.layout = [unit, array<i64: 0, 1>]}
          : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2x3xf32>)
      %1 = hlo.copy %0#1 {hlo.layout = array<i64: 0, 1>} : tensor<2x3xf32>
      %2 = hlo.copy %1 : tensor<2x3xf32>
      func.return
    }
    """
)


@pytest.mark.parametrize(("name", "expected"), [("f", [(0, 1), None]), ("main", [None, None])])
def test_of_arguments(name: str, expected: list[tuple[int, ...] | None]):
    (function,) = (op for op in MODULE.ops if isinstance(op, func.FuncOp) and op.sym_name.data == name)
    assert [layout_of(argument) for argument in function.body.block.args] == expected


def test_of_several_results():
    (fusion,) = (op for op in MODULE.walk() if isinstance(op, FusionOp))
    assert [layout_of(result) for result in fusion.results] == [None, (0, 1)]


def test_of_one_result():
    copies = [op for op in MODULE.walk() if op.name == "hlo.copy"]
    assert [layout_of(copy.results[0]) for copy in copies] == [(0, 1), None]
