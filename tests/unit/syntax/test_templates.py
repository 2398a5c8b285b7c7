"""A parser with templates against one without, and against xDSL's: the same operations, or the same complaint."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers, sampled_from
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.parser import Parser as XDSLParser
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError

from xshardy.syntax.locations import location_of
from xshardy.syntax.parser import Parser
from xshardy.syntax.printer import Printer
from xshardy.syntax.templates import LONGEST_LINE, Template
from xshardy.tools.input_chunks import SEPARATOR
from xshardy.universe import new_context

FILECHECK = Path(__file__).parents[2] / "filecheck"
PER_PROCESS = "resources.mlir"
"""xDSL keeps resources for the whole process, and renames one of a name that was read before."""
INPUTS = sorted(path for path in FILECHECK.rglob("*.mlir") if path.name != PER_PROCESS)

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


def parts(module: Operation) -> list[object]:
    """All that `module` is made of, values and blocks by number, with hints of names and locations, in order."""
    numbers: dict[object, int] = {}

    def numbered(things: Iterable[SSAValue | Block]) -> list[int]:
        return [numbers.setdefault(each, len(numbers)) for each in things]

    def value(each: SSAValue) -> tuple[object, ...]:
        return *numbered([each]), each.type, each.name_hint

    found: list[object] = []
    for op in module.walk():
        found += [op.name, location_of(op), numbered(op.operands), numbered(op.successors), *map(value, op.results)]
        found += [*op.attributes.items(), *op.properties.items()]
        for region in op.regions:
            found.append(numbered(region.blocks))
            found += [(block.name_hint, len(block.ops), *map(value, block.args)) for block in region.blocks]
    return found


@dataclass
class ParseFailure:
    """A parser's error on an invalid text."""

    message: str
    places: Sequence[tuple[int, int]]


def read(text: str, templates: bool) -> list[object] | ParseFailure:
    """All operations that a parser creates from `text`, or its error."""
    try:
        parser = Parser(new_context(), text, templates=templates)
        module = parser.parse_module()
    except ParseError as error:
        refs = [span for span, _ in error.refs] if isinstance(error, MultipleSpansParseError) else []
        return ParseFailure(error.msg, [(span.start, span.end) for span in (error.span, *refs)])
    places = [(span.start, span.end) if (span := parser.spans.get(op)) else None for op in module.walk()]
    return [*places, *parts(module)]


def check(text: str) -> bool:
    """Whether `text` is a module: with and without templates, the same one, or one complaint."""
    expected, found = read(text, False), read(text, True)
    if isinstance(expected, ParseFailure) or isinstance(found, ParseFailure):
        assert found == expected
        return False
    assert found == expected
    return True


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: str(path.relative_to(FILECHECK)))
def test_inputs(path: Path):
    for chunk in path.read_text().split(SEPARATOR):
        check(f"{chunk}\n{chunk}")  # each line again: a parser does not mind that symbols are defined twice


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


@settings(max_examples=400)
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
