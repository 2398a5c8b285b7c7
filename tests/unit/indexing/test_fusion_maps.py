"""
Maps through computations: both ways, through tuples, barriers, calls and fusions; and unsupported operations.

Row XGPU-50.
"""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue
from xdsl.parser import Parser

from xshardy.dialects.hlo import FusionOp
from xshardy.indexing.fusions import (
    MAX_MAPS,
    call_operand_maps,
    call_result_maps,
    maps_to_operands,
    maps_to_results,
)
from xshardy.universe import new_context


def module_of(text: str) -> ModuleOp:
    module = Parser(new_context(), text).parse_module()
    module.verify()
    return module


def function(module: ModuleOp, name: str = "f") -> FuncOp:
    return next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name)


def root_of(function: FuncOp) -> SSAValue:
    returned = function.get_return_op()
    assert returned is not None
    return returned.operands[0]


def to_parameters(text: str) -> list[list[str] | None]:
    """For each parameter of @f the maps from its first result."""
    f = function(module_of(text))
    found = maps_to_operands(root_of(f))
    sets = [found.get(parameter, ()) for parameter in f.body.block.args]
    return [None if maps is None else list(map(str, maps)) for maps in sets]


def to_result(text: str) -> list[list[str] | None]:
    """For each parameter of @f the maps to its first result."""
    f = function(module_of(text))
    sets = [maps_to_results(parameter).get(root_of(f), ()) for parameter in f.body.block.args]
    return [None if maps is None else list(map(str, maps)) for maps in sets]


CHAIN = """
func.func @f(%x: tensor<4x6xf32>, %unused: tensor<f32>) -> tensor<3x2x4xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %e = stablehlo.exponential %t : tensor<6x4xf32>
  %r = stablehlo.reshape %e : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  func.return %r : tensor<3x2x4xf32>
}
"""


def test_chains_are_composed_and_simplified():
    assert to_parameters(CHAIN) == [
        ["(d0, d1, d2) -> (d2, d0 * 2 + d1), domain: d0 in [0, 2], d1 in [0, 1], d2 in [0, 3]"],
        [],
    ]
    assert to_result(CHAIN) == [
        ["(d0, d1) -> (d1 floordiv 2, d1 mod 2, d0), domain: d0 in [0, 3], d1 in [0, 5]"],
        [],
    ]


def test_range_variables_add_up():
    """The sum of a product over rows, of which every element is used."""
    text = """
    func.func @f(%x: tensor<4x6xf32>, %y: tensor<6x5xf32>, %zero: tensor<f32>) -> tensor<4xf32> {
      %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
          : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
      %r = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
      func.return %r : tensor<4xf32>
    }
    """
    x, y, zero = to_parameters(text)
    assert x == ["(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 5]"]
    assert y == ["(d0)[s0, s1] -> (s0, s1), domain: d0 in [0, 3], s0 in [0, 5], s1 in [0, 4]"]
    assert zero == ["(d0) -> (), domain: d0 in [0, 3]"]


def test_tuples_and_barriers_are_looked_through():
    text = """
    func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %t = stablehlo.tuple %x, %y : tuple<tensor<4xf32>, tensor<4xf32>>
      %b = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
      %r:2 = stablehlo.optimization_barrier %x, %b : tensor<4xf32>, tensor<4xf32>
      func.return %r#1 : tensor<4xf32>
    }
    """
    identity = "(d0) -> (d0), domain: d0 in [0, 3]"
    assert to_parameters(text) == [[], [identity]]
    assert to_result(text) == [[], [identity]]


CALLS = """
func.func private @g(%a: tensor<4x6xf32>, %b: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4x6xf32>) {
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %u = stablehlo.add %t, %b : tensor<6x4xf32>
  func.return %u, %a : tensor<6x4xf32>, tensor<4x6xf32>
}
func.func @f(%x: tensor<4x6xf32>, %y: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %c:2 = func.call @g(%x, %y) : (tensor<4x6xf32>, tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4x6xf32>)
  %d:2 = hlo.fusion loop @g(%c#1, %c#0)
      : (tensor<4x6xf32>, tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4x6xf32>)
  func.return %d#0 : tensor<6x4xf32>
}
"""


def test_calls_and_fusions_are_looked_through():
    """`x` goes through both branches of both; it is read at one map all the same."""
    domain = "domain: d0 in [0, 5], d1 in [0, 3]"
    assert to_parameters(CALLS) == [[f"(d0, d1) -> (d1, d0), {domain}"], [f"(d0, d1) -> (d0, d1), {domain}"]]


def test_maps_of_a_call():
    module = module_of(CALLS)
    call, fusion = (
        next(op for op in function(module).body.block.ops if isinstance(op, kind)) for kind in (CallOp, FusionOp)
    )
    for op in (call, fusion):
        assert [len(maps or ()) for maps in call_operand_maps(op, 0)] == [1, 1]
        assert [len(maps or ()) for maps in call_operand_maps(op, 1)] == [1, 0]
        assert [str(maps[0]) for maps in call_result_maps(op, 0) if maps] == [
            "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 5]",
            "(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 3]",
        ]


def test_behind_an_operation_without_maps_anything_may_be_read():
    text = """
    func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %s = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      %r = stablehlo.add %s, %y : tensor<4xf32>
      func.return %r : tensor<4xf32>
    }
    """
    identity = "(d0) -> (d0), domain: d0 in [0, 3]"
    assert to_parameters(text) == [None, [identity]]
    assert to_result(text) == [None, [identity]]


def test_many_maps_are_not_followed():
    """Every step doubles the number of places that are read: it must not take exponential time."""
    size, steps, lines = 2**40, 30, list[str]()
    value = "%x"
    for i in range(steps):
        half = size // 2
        lines.append(
            f"%l{i} = stablehlo.slice {value} [0:{half}] : (tensor<{size}xi8>) -> tensor<{half}xi8>\n"
            f"%h{i} = stablehlo.slice {value} [{half}:{size}] : (tensor<{size}xi8>) -> tensor<{half}xi8>\n"
            f"%v{i} = stablehlo.add %l{i}, %h{i} : tensor<{half}xi8>"
        )
        value, size = f"%v{i}", half
    body = "\n".join(lines)
    end = f"func.return {value} : tensor<{size}xi8>"
    text = f"func.func @f(%x: tensor<{2**40}xi8>) -> tensor<{size}xi8> {{\n{body}\n{end}\n}}"
    f = function(module_of(text))
    found = maps_to_operands(root_of(f))
    assert found[f.body.block.args[0]] is None
    assert max(len(maps) for maps in found.values() if maps is not None) == MAX_MAPS
