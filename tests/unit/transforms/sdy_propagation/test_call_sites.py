"""What flows into arguments of functions and results of calls."""

from xdsl.dialects.func import CallOp, FuncOp

from xshardy.syntax import parse_module
from xshardy.transforms.sdy_propagation.call_sites import CallSites

MODULE = """
func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  %0:2 = func.call @swap(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1:2 = func.call @swap(%0#1, %y) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %2 = func.call @elsewhere(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = func.call @undefined(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = func.call @unfinished(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %5 = stablehlo.negate %x : tensor<8xf32>
  func.return
}
func.func private @swap(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  func.return %y, %x : tensor<8xf32>, tensor<8xf32>
}
func.func private @elsewhere(tensor<8xf32>) -> tensor<8xf32>
func.func private @unfinished(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
}
"""


def test_sources():
    module = parse_module(MODULE)
    main, swap, *_ = (op for op in module.ops if isinstance(op, FuncOp))
    sites = CallSites(module)
    calls = [op for op in main.body.block.ops if isinstance(op, CallOp)]
    for call in calls:
        sites.add(call)
    first, second, elsewhere, undefined, unfinished = calls
    x, y = main.args
    assert sites.calls_of(swap) == [first, second]
    assert sites.calls_of(main) == ()
    assert sites.callee(first) is swap
    assert sites.callee(undefined) is None
    assert [*sites.sources(swap.args[0])] == [x, first.results[1]]
    assert [*sites.sources(swap.args[1])] == [y, y]
    assert [*sites.sources(x)] == []
    assert [*sites.sources(first.results[0])] == [swap.args[1]]
    assert [*sites.sources(second.results[1])] == [swap.args[0]]
    for call in (elsewhere, undefined, unfinished):
        assert [*sites.sources(call.results[0])] == []
    (negated,) = (op for op in main.body.block.ops if op.name == "stablehlo.negate")
    assert [*sites.sources(negated.results[0])] == []
