"""A parser with templates against one without, and against xDSL's: the same operations, or the same complaint."""

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers, sampled_from
from input_checks.same_with_templates import check, parts, read
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.parser import Parser as XDSLParser

from xshardy.syntax.parser import Parser
from xshardy.syntax.printer import Printer
from xshardy.syntax.templates import LONGEST_LINE, Template
from xshardy.universe import new_context

PROGRAM = """\
#map = affine_map<(d0) -> (d0)>
!v = tensor<4xf32>
sdy.mesh @mesh = <["x"=2]>
func.func @f(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  %1 = stablehlo.add %0, %y : tensor<4xf32>
  %2 = stablehlo.add %1, %1 : tensor<4xf32>
  %3 = stablehlo.add %2, %2 {a = #map, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  %4 = stablehlo.add %3, %3 {a = #map, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  %5:2 = "test.op"(%4, %3) {a = "%4 %3"} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, i32) // of %4
  %6:2 = "test.op"(%5#0, %4) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, i32)
  %7:2 = "test.op"(%6#0, %5#0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, i32) loc("file":1:2)
  %8:2 = "test.op"(%7#0, %6#0) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, i32) loc("file":1:2)
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %9 = stablehlo.reduce(%8#0 init: %z) applies stablehlo.add across dimensions = [0] : (!v, tensor<f32>) -> tensor<f32>
  %w = stablehlo.constant dense<0.0> : tensor<f32>
  %10 = stablehlo.reduce(%7#0 init: %w) applies stablehlo.add across dimensions = [0] : (!v, tensor<f32>) -> tensor<f32>
  %11 = func.call @f(%8#0, %7#0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %12 = call @f(%11, %7#0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %13 = call @f(%12, %8#0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %14 = call @f(%13, %7#0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %14 : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_lines_are_copied():
    with patch.object(Template, "build", autospec=True, side_effect=Template.build) as build:
        read(PROGRAM, True)
    copied = [call.args[0].op_type.name for call in build.call_args_list]
    assert copied == [
        *("stablehlo.add", "stablehlo.add", "test.op", "stablehlo.constant", "stablehlo.reduce", "func.call"),
        "func.return",
    ]


@pytest.mark.parametrize(
    "attribute",
    [
        '#sdy.sharding<@mesh, [{"x"}]>',
        '#sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>, <@mesh, [{}]>]>',
        "#sdy.op_sharding_rule<([i, j])->([ij]) {i=2, j=4}>",
    ],
)
def test_attributes_of_dialects_are_shared_by_their_text(attribute: str):
    functions = [
        f"func.func private @f{index}() -> (tensor<8xf32> {{index = {index} : i8, a = {attribute}}})"
        for index in range(2)
    ]
    module = Parser(new_context(), "\n".join(functions)).parse_module()
    first, second = [function.res_attrs.data[0].data["a"] for function in module.ops]  # pyright: ignore
    assert first is second


def test_xdsl_reads_the_same():
    module = Parser(new_context(), PROGRAM).parse_module()
    text = Printer(print_generic_format=True).module_text(module)
    ours, stock = Parser(new_context(), text).parse_module(), XDSLParser(new_context(), text).parse_module()
    assert parts(ours) == parts(stock)


CHARACTERS = '%#@!^"{}()[]<>=:,.-/ \n0123xyzaf_'


@settings(max_examples=60)
@given(integers(0, len(PROGRAM) - 1), integers(0, 1), sampled_from(["", *CHARACTERS]))
def test_one_character_is_wrong(place: int, removed: int, character: str):
    check(PROGRAM[:place] + character + PROGRAM[place + removed :])


BODY = """\
func.func @f(%a: f32, %b: f32) {{
  %0 = arith.addf %a, %b : f32
  %1 = arith.addf %0, %b : f32
{}
  func.return
}}
"""
TAILS = ("", "\n  %last = arith.addf %a, %b : f32", '\n  "test.op"() : () -> ()')
"""A template is for lines with the same token behind them, so the last line is tried with each."""


@pytest.mark.parametrize(
    ("lines", "is_read"),
    {
        "a name is defined twice": ("  %1 = arith.addf %0, %a : f32", False),
        "a value is not defined": ("  %2 = arith.addf %0, %nowhere : f32", False),
        "a value is defined later": ('  %2 = arith.addf %0, %c : f32\n  %c = "test.op"() : () -> f32', True),
        "a result was awaited": ("  %2 = arith.addf %0, %3 : f32\n  %3 = arith.addf %0, %b : f32", True),
        "a result was awaited with another type": (
            '  "test.op"(%3) : (i32) -> ()\n  %3 = arith.addf %0, %b : f32',
            False,
        ),
        "an operand has another type": ('  %c = "test.op"() : () -> i32\n  %2 = arith.addf %0, %c : f32', False),
        "a result is its own operand": ("  %2 = arith.addf %2, %0 : f32", True),
        "an index is out of bounds": (
            '  %p:2 = "test.op"() : () -> (f32, f32)\n  "test.op"(%p#1) : (f32) -> ()\n  "test.op"(%0#1) : (f32) -> ()',
            False,
        ),
        "a name without an index is that of the first": (
            '  %p:2 = "test.op"() : () -> (f32, i32)\n  %q = arith.addf %p, %p#0 : f32\n'
            "  %r = arith.addf %q, %q#0 : f32",
            True,
        ),
        "fewer names than results": (
            '  %p:2 = "test.op"() : () -> (f32, i32)\n  %q = "test.op"() : () -> (f32, i32)',
            False,
        ),
        "names bound in other packs": (
            '  %p:2, %q = "test.op"() : () -> (f32, i32, i8)\n  %r:2, %s = "test.op"() : () -> (f32, i32, i8)\n'
            '  "test.op"(%r#1, %s) : (i32, i8) -> ()\n  "test.op"(%p#1, %q) : (i32, i8) -> ()',
            True,
        ),
        "one name twice among the results": (
            '  %p, %q = "test.op"() : () -> (f32, f32)\n  %r, %r = "test.op"() : () -> (f32, f32)',
            False,
        ),
        "a name of a sibling region": (
            '  "test.op"() ({\n    %s = arith.addf %0, %b : f32\n  }) : () -> ()\n'
            '  "test.op"() ({\n    %s = arith.addf %0, %b : f32\n  }) : () -> ()',
            True,
        ),
        "a name of a region that has ended": (
            '  "test.op"() ({\n    %s = arith.addf %0, %b : f32\n  }) : () -> ()\n  %2 = arith.addf %0, %s : f32',
            False,
        ),
        "a name that shadows": ('  "test.op"() ({\n    %0 = arith.addf %a, %b : f32\n  }) : () -> ()', False),
        "other equal names": (
            "  %2 = arith.addf %0, %0 : f32\n  %3 = arith.addf %0, %1 : f32\n  %4 = arith.addf %1, %1 : f32",
            True,
        ),
        "operands in another order than their names": (
            "  %m = memref.alloc() : memref<f32>\n  memref.store %a, %m[] : memref<f32>\n"
            "  memref.store %b, %m[] : memref<f32>",
            True,
        ),
        "names in strings": (
            '  "test.op"() {n = "%a"} : () -> ()\n  "test.op"() {n = "%b"} : () -> ()\n'
            '  "test.op"() {n = "\\"%b"} : () -> ()',
            True,
        ),
        "names in comments": ("  %2 = arith.addf %0, %b : f32 // %a\n  %3 = arith.addf %2, %b : f32 // %c", True),
        "a line that is continued": (
            "  %2 = arith.addf %0, %b : f32 loc(unknown)\n  %3 = arith.addf %0, %b : f32\n  loc(unknown)\n"
            '  "test.op"() : () -> ()\n  %4 = arith.addf %0, %b\n  : f32',
            True,
        ),
        "a line of two operations": ("  %2 = arith.addf %0, %b : f32 %3 = arith.addf %0, %b : f32", True),
        "an operand that may be missing": ("  func.return\n  %2 = arith.addf %0, %b : f32", False),
        "a successor": (
            "  cf.br ^bb1(%0 : f32)\n^bb1(%c: f32):\n  cf.br ^bb2(%c : f32)\n"
            "^bb2(%d: f32):\n  cf.br ^bb1(%d : f32)\n^bb3:",
            True,
        ),
        "regions on one line": (
            '  "test.op"() ({^bb0(%s: f32): "test.op"(%s) : (f32) -> ()}) : () -> ()\n'
            '  "test.op"() ({^bb0(%t: f32): "test.op"(%t) : (f32) -> ()}) : () -> ()\n'
            '  "test.op"() ({"test.op"() : () -> ()}) : () -> ()\n  "test.op"() ({"test.op"() : () -> ()}) : () -> ()',
            True,
        ),
        "an unknown operation": ("  %2 = arith.nothing %0, %b : f32", False),
        "a percent sign that names nothing": ('  "test.op"(%a) : (f32) -> ()\n  "test.op"(%) : (f32) -> ()', False),
        "a line that is too long": (f'  "test.op"() {{n = "{"a" * LONGEST_LINE}"}} : () -> ()\n' * 2, True),
    }.values(),
)
def test_names(lines: str, is_read: bool):
    for tail in TAILS:
        assert check(BODY.format(lines + tail)) == is_read


TYPED_BODY = """\
func.func @f(%a: tensor<4xf32>, %b: tensor<4xi32>, %c: tensor<4xcomplex<f32>>, %d: tensor<2x4xf32>) {{
  %0 = stablehlo.add %a, %a {{n = "//"}} : tensor<4xf32>
  %1 = stablehlo.add %a, %a : tensor<4xf32>
  %2 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  %3 = stablehlo.dot_general %d, %a, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2xf32>
{}
  func.return
}}
"""


@pytest.mark.parametrize(
    ("lines", "is_read", "is_retyped"),
    {
        "another type": ("  %4 = stablehlo.add %b, %b : tensor<4xi32>", True, True),
        "another type, and a location": ('  %4 = stablehlo.add %b, %b : tensor<4xi32> loc("file":1:2)', True, True),
        "a function type": (
            "  %4 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xi32>) -> tensor<2x4xi32>",
            True,
            True,
        ),
        "a function type instead of a type": (
            "  %4 = stablehlo.add %a, %d : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<4xf32>\n"
            "  %5 = stablehlo.add %d, %a : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>",
            True,
            True,
        ),
        "a type instead of a function type": (
            "  %4 = stablehlo.broadcast_in_dim %b, dims = [1] : tensor<4xi32>",
            False,
            False,
        ),
        "too few operand types": (
            "  %4 = stablehlo.dot_general %d, %a, contracting_dims = [1] x [0] : (tensor<2x4xf32>) -> tensor<2xf32>",
            False,
            True,
        ),
        "too many results": (
            "  %4 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xi32>) -> (tensor<2x4xi32>, tensor<4xi32>)",
            False,
            True,
        ),
        "the type of another value": ("  %4 = stablehlo.add %a, %a : tensor<4xi32>", False, True),
        "a type with an attribute": ('  %4 = stablehlo.add %b, %b : tensor<4xi32, "//">', False, False),
        "no type": ("  %4 = stablehlo.add %b, %b : tensr<4xi32>", False, False),
        "a letter that no type has": ("  %4 = stablehlo.add %b, %b : \u00e9tensor<4xi32>", False, False),
        "a type that is continued": (
            "  %4 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xi32>)\n    -> tensor<2x4xi32>\n"
            "  %5 = stablehlo.dot_general %d, %a, contracting_dims = [1] x [0] : (tensor<2x4xf32>,\n"
            "    tensor<4xf32>) -> tensor<2xf32>",
            True,
            False,
        ),
        "a type behind the type": ("  %4 = stablehlo.add %b, %b : tensor<4xi32> tensor<4xi32>", False, False),
        "a type in a comment": (
            "  %4 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<4xf32>) -> f32 // : (tensor<4xf32>) -> f32\n"
            "  %5 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<4xf32>) -> f32 // : (tensor<4xf32>) -> f64",
            True,
            False,
        ),
        "a type in an attribute": (
            "  %4 = stablehlo.add %a, %a {n = 0 : i32} : tensor<4xf32>\n"
            "  %5 = stablehlo.add %b, %b {n = 0 : i32} : tensor<4xi32>\n"
            "  %6 = stablehlo.add %b, %b {n = 0 : i64} : tensor<4xi32>",
            True,
            True,
        ),
        "a type that depends on another": (
            "  %4 = stablehlo.complex %a, %a : tensor<4xcomplex<f32>>\n"
            "  %5 = stablehlo.complex %a, %a : tensor<4xcomplex<f64>>",
            False,
            False,
        ),
        "other equal names": (
            "  %4 = stablehlo.add %b, %b : tensor<4xi32>\n  %5 = stablehlo.add %b, %4 : tensor<4xi32>",
            True,
            True,
        ),
    }.values(),
)
def test_types(lines: str, is_read: bool, is_retyped: bool):
    with patch.object(Template, "retyped", autospec=True, side_effect=Template.retyped) as retyped:
        for tail in ("", "\n  %last = stablehlo.add %a, %a : tensor<4xf32>"):
            assert check(TYPED_BODY.format(lines + tail)) == is_read
    assert retyped.called == is_retyped


def test_operations_are_not_tied():
    """What is done to one operation is not done to those from the same template."""
    module = Parser(new_context(), BODY.format("  %2 = arith.addf %1, %b : f32")).parse_module()
    first, second, third, _ = next(op for op in module.walk() if op.name == "func.func").regions[0].block.ops
    second.attributes["a"] = second.properties["fastmath"]
    second.properties.clear()
    assert first.properties.keys() == third.properties.keys() == {"fastmath"}
    assert not third.attributes
    block = third.parent
    assert isinstance(block, Block) and block is first.parent


def test_names_of_regions_take_linear_time():
    """A copy of all names for each region would not end within the lifetime of the test."""
    lines = [f'%v{i} = "test.op"() : () -> f32\n"test.op"() ({{\n}}) : () -> ()\n' for i in range(10_000)]
    assert isinstance(Parser(new_context(), "".join(lines)).parse_module(), ModuleOp)
