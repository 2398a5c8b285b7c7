"""The maps that XLA's documentation of the indexing analysis shows, one test for each of its sections."""

from collections.abc import Mapping

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.parser import Parser

from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.text import parse_indexing_map
from xshardy.dialects.hlo import FusionOp
from xshardy.hlo_text import parse_hlo
from xshardy.indexing.fusions import maps_to_operands
from xshardy.indexing.operations import operand_maps, result_maps
from xshardy.universe import new_context


def operation(text: str) -> Operation:
    """The operation before the return of the only function of a module."""
    function = next(iter(module(text).ops))
    assert isinstance(function, FuncOp)
    op = function.body.block.ops.last
    assert op is not None and op.prev_op is not None
    return op.prev_op


def module(text: str) -> ModuleOp:
    parsed = Parser(new_context(), text).parse_module()
    parsed.verify()
    return parsed


def same(map: IndexingMap, text: str) -> None:
    """Check that `map` equals the map in `text`, both simplified, without unused symbols."""
    assert str(map.simplify().remove_unused_symbols()) == str(
        parse_indexing_map(text).simplify().remove_unused_symbols()
    )


DYNAMIC_SLICE = """
func.func @f(%src: tensor<2x2x258xi32>, %a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>) -> tensor<1x2x32xi32> {
  %r = stablehlo.dynamic_slice %src, %a, %b, %c, sizes = [1, 2, 32]
      : (tensor<2x2x258xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x32xi32>
  func.return %r : tensor<1x2x32xi32>
}
"""
DYNAMIC_UPDATE_SLICE = """
func.func @f(%src: tensor<20x30xi32>, %upd: tensor<5x10xi32>, %a: tensor<i32>, %b: tensor<i32>) -> tensor<20x30xi32> {
  %r = stablehlo.dynamic_update_slice %src, %upd, %a, %b
      : (tensor<20x30xi32>, tensor<5x10xi32>, tensor<i32>, tensor<i32>) -> tensor<20x30xi32>
  func.return %r : tensor<20x30xi32>
}
"""
GATHER = """
func.func @f(%x: tensor<33x76x70xf32>, %i: tensor<1806x2xi32>) -> tensor<1806x7x8x4xf32> {
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2, 3],
      start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 7, 8, 4>}>
      : (tensor<33x76x70xf32>, tensor<1806x2xi32>) -> tensor<1806x7x8x4xf32>
  func.return %r : tensor<1806x7x8x4xf32>
}
"""
REDUCE = """
func.func @f(%x: tensor<256x10xf32>, %a: tensor<f32>, %y: tensor<256x10xi32>, %b: tensor<i32>)
    -> (tensor<10xf32>, tensor<10xi32>) {
  %r:2 = stablehlo.reduce(%x init: %a), (%y init: %b) across dimensions = [0]
      : (tensor<256x10xf32>, tensor<256x10xi32>, tensor<f32>, tensor<i32>) -> (tensor<10xf32>, tensor<10xi32>)
    reducer(%p: tensor<f32>, %q: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      stablehlo.return %p, %i : tensor<f32>, tensor<i32>
    }
  func.return %r#0, %r#1 : tensor<10xf32>, tensor<10xi32>
}
"""
DOT = """
func.func @f(%x: tensor<4x128x256xf32>, %y: tensor<4x256x64xf32>) -> tensor<4x128x64xf32> {
  %r = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1]
      : (tensor<4x128x256xf32>, tensor<4x256x64xf32>) -> tensor<4x128x64xf32>
  func.return %r : tensor<4x128x64xf32>
}
"""
PAD = """
func.func @f(%x: tensor<4x4xf32>, %v: tensor<f32>) -> tensor<12x16xf32> {
  %r = stablehlo.pad %x, %v, low = [1, 4], high = [4, 8], interior = [1, 0]
      : (tensor<4x4xf32>, tensor<f32>) -> tensor<12x16xf32>
  func.return %r : tensor<12x16xf32>
}
"""
REDUCE_WINDOW = """
func.func @f(%x: tensor<1024x514xf32>, %v: tensor<f32>) -> tensor<1024x3xf32> {
  %r = "stablehlo.reduce_window"(%x, %v) <{window_dimensions = array<i64: 1, 512>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) : (tensor<1024x514xf32>, tensor<f32>) -> tensor<1024x3xf32>
  func.return %r : tensor<1024x3xf32>
}
"""
CONCATENATE = """
func.func @f(%a: tensor<2x5x7xf32>, %b: tensor<2x11x7xf32>, %c: tensor<2x17x7xf32>) -> tensor<2x33x7xf32> {
  %r = stablehlo.concatenate %a, %b, %c, dim = 1
      : (tensor<2x5x7xf32>, tensor<2x11x7xf32>, tensor<2x17x7xf32>) -> tensor<2x33x7xf32>
  func.return %r : tensor<2x33x7xf32>
}
"""
SLICE = """
func.func @f(%x: tensor<10x20x50xf32>) -> tensor<5x3x25xf32> {
  %r = stablehlo.slice %x [5:10:1, 3:20:7, 0:50:2] : (tensor<10x20x50xf32>) -> tensor<5x3x25xf32>
  func.return %r : tensor<5x3x25xf32>
}
"""


def unary(name: str, source: str, target: str, attributes: str = "") -> str:
    """A function of one operation on one operand."""
    return f"""
func.func @f(%x: tensor<{source}>) -> tensor<{target}> {{
  %r = stablehlo.{name} %x{attributes} : (tensor<{source}>) -> tensor<{target}>
  func.return %r : tensor<{target}>
}}
"""


BROADCAST = unary("broadcast_in_dim", "20xf32", "10x20x30xf32", ", dims = [1]")
TRANSPOSE = unary("transpose", "3x12288x6x128xf32", "3x6x128x12288xf32", ", dims = [0, 2, 3, 1]")
REVERSE = """
func.func @f(%x: tensor<1x17x9x9xf32>) -> tensor<1x17x9x9xf32> {
  %r = stablehlo.reverse %x, dims = [1, 2] : tensor<1x17x9x9xf32>
  func.return %r : tensor<1x17x9x9xf32>
}
"""
COLLAPSE = unary("reshape", "4x8xf32", "32xf32")
EXPAND = unary("reshape", "32xf32", "4x8xf32")
GENERIC_RESHAPE = unary("reshape", "4x8xf32", "2x4x4xf32")
SUBSHAPES = unary("reshape", "4x8x12xf32", "32x3x4xf32")

D2 = "domain: d0 in [0, 19], d1 in [0, 29]"
TO_OPERANDS: Mapping[str, tuple[str, dict[int, str]]] = {
    "broadcast": (BROADCAST, {0: "(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]"}),
    "dynamic slice": (
        DYNAMIC_SLICE,
        {
            0: "(d0, d1, d2){rt0, rt1, rt2} -> (d0 + rt0, d1 + rt1, d2 + rt2), domain: d0 in [0, 0], d1 in [0, 1], "
            "d2 in [0, 31], rt0 in [0, 1], rt1 in [0, 0], rt2 in [0, 226]",
            1: "(d0, d1, d2) -> (), domain: d0 in [0, 0], d1 in [0, 1], d2 in [0, 31]",
        },
    ),
    "dynamic update slice": (
        DYNAMIC_UPDATE_SLICE,
        {0: f"(d0, d1) -> (d0, d1), {D2}", 2: f"(d0, d1) -> (), {D2}"},
    ),
    "gather": (
        GATHER,
        {
            0: "(d0, d1, d2, d3){rt0, rt1} -> (d1 + rt0, d2 + rt1, d3), domain: d0 in [0, 1805], d1 in [0, 6], "
            "d2 in [0, 7], d3 in [0, 3], rt0 in [0, 26], rt1 in [0, 68]",
            1: "(d0, d1, d2, d3)[s0] -> (d0, s0), domain: d0 in [0, 1805], d1 in [0, 6], d2 in [0, 7], d3 in [0, 3], "
            "s0 in [0, 1]",
        },
    ),
    "transpose": (
        TRANSPOSE,
        {
            0: "(d0, d1, d2, d3) -> (d0, d3, d1, d2), domain: d0 in [0, 2], d1 in [0, 5], d2 in [0, 127], "
            "d3 in [0, 12287]"
        },
    ),
    "reverse": (
        REVERSE,
        {
            0: "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3), domain: d0 in [0, 0], d1 in [0, 16], d2 in [0, 8], "
            "d3 in [0, 8]"
        },
    ),
    "reduce": (
        REDUCE,
        {0: "(d0)[s0] -> (s0, d0), domain: d0 in [0, 9], s0 in [0, 255]", 2: "(d0) -> (), domain: d0 in [0, 9]"},
    ),
    "slice": (
        SLICE,
        {
            0: "(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], d1 in [0, 2], d2 in [0, 24]",
        },
    ),
    "collapse": (COLLAPSE, {0: "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"}),
    "expand": (EXPAND, {0: "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"}),
    "generic reshape": (
        GENERIC_RESHAPE,
        {
            0: "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4), domain: d0 in [0, 1], d1 in [0, 3], "
            "d2 in [0, 3]"
        },
    ),
    "subshapes": (
        SUBSHAPES,
        {
            0: "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2), domain: d0 in [0, 31], d1 in [0, 2], "
            "d2 in [0, 3]"
        },
    ),
    "concatenate": (
        CONCATENATE,
        {
            0: "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 6]",
            1: "(d0, d1, d2) -> (d0, d1 - 5, d2), domain: d0 in [0, 1], d1 in [5, 15], d2 in [0, 6]",
            2: "(d0, d1, d2) -> (d0, d1 - 16, d2), domain: d0 in [0, 1], d1 in [16, 32], d2 in [0, 6]",
        },
    ),
    "dot": (
        DOT,
        {
            0: "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]",
            1: "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 63], s0 in [0, 255]",
        },
    ),
    "pad": (
        PAD,
        {
            0: "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], "
            "(d0 - 1) mod 2 in [0, 0]",
            1: "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 15]",
        },
    ),
    "reduce window": (
        REDUCE_WINDOW,
        {
            0: "(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 1023], d1 in [0, 2], s0 in [0, 511]",
            1: "(d0, d1) -> (), domain: d0 in [0, 1023], d1 in [0, 2]",
        },
    ),
}

TO_RESULTS: Mapping[str, tuple[str, dict[int, str]]] = {
    "broadcast": (
        BROADCAST,
        {0: "(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]"},
    ),
    "transpose": (
        TRANSPOSE,
        {
            0: "(d0, d1, d2, d3) -> (d0, d2, d3, d1), domain: d0 in [0, 2], d1 in [0, 12287], d2 in [0, 5], "
            "d3 in [0, 127]"
        },
    ),
    "reverse": (REVERSE, TO_OPERANDS["reverse"][1]),
    "reduce": (
        REDUCE,
        {0: "(d0, d1) -> (d1), domain: d0 in [0, 255], d1 in [0, 9]", 2: "()[s0] -> (s0), domain: s0 in [0, 9]"},
    ),
    "slice": (
        SLICE,
        {
            0: "(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2), domain: d0 in [5, 9], d1 in [3, 17], "
            "d2 in [0, 48], (d1 - 3) mod 7 in [0, 0], d2 mod 2 in [0, 0]"
        },
    ),
    "collapse": (COLLAPSE, {0: "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"}),
    "expand": (EXPAND, {0: "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"}),
    "generic reshape": (
        GENERIC_RESHAPE,
        {
            0: "(d0, d1) -> (d0 floordiv 2, d1 floordiv 4 + (d0 mod 2) * 2, d1 mod 4), domain: d0 in [0, 3], "
            "d1 in [0, 7]"
        },
    ),
    "subshapes": (
        SUBSHAPES,
        {
            0: "(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4), domain: d0 in [0, 3], d1 in [0, 7], "
            "d2 in [0, 11]"
        },
    ),
    "concatenate": (
        CONCATENATE,
        {
            0: "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 6]",
            1: "(d0, d1, d2) -> (d0, d1 + 5, d2), domain: d0 in [0, 1], d1 in [0, 10], d2 in [0, 6]",
            2: "(d0, d1, d2) -> (d0, d1 + 16, d2), domain: d0 in [0, 1], d1 in [0, 16], d2 in [0, 6]",
        },
    ),
    "dot": (
        DOT,
        {
            0: "(d0, d1, d2)[s0] -> (d0, d1, s0), domain: d0 in [0, 3], d1 in [0, 127], d2 in [0, 255], s0 in [0, 63]",
            1: "(d0, d1, d2)[s0] -> (d0, s0, d2), domain: d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], s0 in [0, 127]",
        },
    ),
}


@pytest.mark.parametrize("name", TO_OPERANDS)
def test_maps_to_operands(name: str):
    text, expected = TO_OPERANDS[name]
    maps = operand_maps(operation(text))
    for operand, map in expected.items():
        same(maps[operand][0], map)


@pytest.mark.parametrize("name", TO_RESULTS)
def test_maps_to_results(name: str):
    text, expected = TO_RESULTS[name]
    maps = result_maps(operation(text))
    for operand, map in expected.items():
        same(maps[operand][0], map)


def test_update_of_a_dynamic_update_slice():
    """Our map also has the domain in which the update is read."""
    map = operand_maps(operation(DYNAMIC_UPDATE_SLICE))[1][0]
    same(
        map,
        f"(d0, d1){{rt0, rt1}} -> (d0 - rt0, d1 - rt1), {D2}, rt0 in [0, 15], rt1 in [0, 20], "
        "d0 - rt0 in [0, 4], d1 - rt1 in [0, 9]",
    )


def test_iota_has_no_operands():
    op = operation("""
    func.func @f() -> tensor<2x4xf32> {
      %r = stablehlo.iota dim = 1 : tensor<2x4xf32>
      func.return %r : tensor<2x4xf32>
    }
    """)
    assert operand_maps(op) == result_maps(op) == ()


# -- Fusions ----------------------------------------------------------------------------------------------------------


def parameter_maps(text: str, number: int = 0) -> set[str]:
    """The maps from the root of the fusion of an HLO module to one of its parameters."""
    (fusion,) = (op for op in parse_hlo(text).walk() if isinstance(op, FusionOp))
    function = fusion.callee_function()
    returned = function.get_return_op()
    assert returned is not None
    maps = maps_to_operands(returned.operands[0])[function.body.block.args[number]]
    assert maps is not None
    return {str(map) for map in maps}


def hlo(shape: str, result: str, body: str) -> str:
    return f"""
    HloModule m
    max {{
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] maximum(a, b)
    }}
    add {{
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT r = f32[] add(a, b)
    }}
    f {{
      p0 = {shape} parameter(0)
      {body}
    }}
    ENTRY e {{
      p0 = {shape} parameter(0)
      ROOT r = {result} fusion(p0), kind=kLoop, calls=f
    }}
    """


def test_one_input_several_maps():
    text = hlo(
        "f32[1000,1000]",
        "f32[1000,1000]",
        """t = f32[1000,1000] transpose(p0), dimensions={1,0}
      ROOT a = f32[1000,1000] add(p0, t)""",
    )
    domain = "domain: d0 in [0, 999], d1 in [0, 999]"
    assert parameter_maps(text) == {f"(d0, d1) -> (d0, d1), {domain}", f"(d0, d1) -> (d1, d0), {domain}"}


def test_one_input_one_map_by_two_ways():
    text = hlo(
        "f32[20,10,50]",
        "f32[10,50,20]",
        """a = f32[10,20,50] transpose(p0), dimensions={1,0,2}
      b = f32[10,20,50] exponential(a)
      c = f32[10,50,20] transpose(b), dimensions={0,2,1}
      d = f32[50,10,20] transpose(p0), dimensions={2,1,0}
      e = f32[50,10,20] exponential(d)
      g = f32[10,50,20] transpose(e), dimensions={1,0,2}
      ROOT r = f32[10,50,20] add(c, g)""",
    )
    assert parameter_maps(text) == {"(d0, d1, d2) -> (d2, d0, d1), domain: d0 in [0, 9], d1 in [0, 49], d2 in [0, 19]"}


def test_softmax():
    text = hlo(
        "f32[2,65,125]",
        "f32[2,65,125]",
        """i = f32[] constant(-inf)
      m = f32[2,65] reduce(p0, i), dimensions={2}, to_apply=max
      n = f32[2,65,125] broadcast(m), dimensions={0,1}
      s = f32[2,65,125] subtract(p0, n)
      e = f32[2,65,125] exponential(s)
      z = f32[] constant(0)
      t = f32[2,65] reduce(e, z), dimensions={2}, to_apply=add
      b = f32[2,65,125] broadcast(t), dimensions={0,1}
      ROOT d = f32[2,65,125] divide(e, b)""",
    )
    domain = "domain: d0 in [0, 1], d1 in [0, 64], d2 in [0, 124]"
    assert parameter_maps(text) == {
        f"(d0, d1, d2) -> (d0, d1, d2), {domain}",
        f"(d0, d1, d2)[s0] -> (d0, d1, s0), {domain}, s0 in [0, 124]",
    }


def test_reshapes_that_cancel():
    text = hlo(
        "f32[10,10,10]",
        "f32[10,10,10]",
        """a = f32[50,20] reshape(p0)
      ROOT r = f32[10,10,10] reshape(a)""",
    )
    assert parameter_maps(text) == {"(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"}
