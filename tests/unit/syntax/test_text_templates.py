"""A printer with templates against one without: the same text, over every input of the FileCheck tests."""

from collections.abc import Iterable
from pathlib import Path
from unittest.mock import patch

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect, Operation
from xdsl.utils.exceptions import ParseError, VerifyException

from xshardy.dialects.discardable import verify
from xshardy.syntax.parser import Parser
from xshardy.syntax.printer import Printer
from xshardy.syntax.text_templates import TextTemplate, can_be_alike
from xshardy.tools.input_chunks import SEPARATOR
from xshardy.universe import new_context

FILECHECK = Path(__file__).parents[2] / "filecheck"
INPUTS = sorted(FILECHECK.rglob("*.mlir"))


def check(module: Operation, dialects: Iterable[Dialect] = ()) -> str:
    """The text of `module`, which is the same with and without templates in each form."""
    for forms in ({"print_generic_format": True}, {"print_debuginfo": True}, {}):
        text = Printer(**forms).module_text(module, dialects)
        assert text == Printer(**forms, templates=False).module_text(module, dialects)
    return text


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: str(path.relative_to(FILECHECK)))
def test_inputs(path: Path):
    for chunk in path.read_text().split(SEPARATOR):
        context = new_context()
        try:
            module = Parser(context, chunk).parse_module()
            verify(module)
        except (ParseError, VerifyException):
            continue
        # Each operation again: those of the copy are like those of the original.
        copy = module.clone()
        for block in (module.body.block, copy.body.block):
            for op in tuple(block.ops):
                op.detach()
                block.add_op(op)
        module.body.block.add_op(copy)
        check(module, context.loaded_dialects)


BODY = """\
func.func @f(%a: f32, %b: f32, %c: vector<2xf32>, %m: memref<2xf32>) {{
{}
  func.return
}}
"""


@pytest.mark.parametrize(
    ("lines", "filled"),
    {
        "other names": ("  %0 = arith.addf %a, %b : f32\n  %1 = arith.addf %0, %a : f32", 1),
        "equal operands are another kind": (
            "  %0 = arith.addf %a, %a : f32\n  %1 = arith.addf %0, %a : f32\n  %2 = arith.addf %1, %1 : f32",
            1,
        ),
        "other types": ("  %0 = arith.addf %a, %b : f32\n  %1 = arith.addf %c, %c : vector<2xf32>", 0),
        "other properties": (
            "  %0 = arith.addf %a, %b : f32\n  %1 = arith.addf %0, %a fastmath<fast> : f32\n"
            "  %2 = arith.addf %0, %b fastmath<nnan> : f32",
            0,
        ),
        "other attributes": (
            '  %0 = arith.addf %a, %b {x = "%0 %s"} : f32\n  %1 = arith.addf %0, %b : f32\n'
            '  %2 = arith.addf %0, %b {y = "%0 %s"} : f32',
            0,
        ),
        "percent signs": (
            '  %0 = "test.op"(%a) {x = "%s %%"} : (f32) -> f32\n  %1 = "test.op"(%0) {x = "%s %%"} : (f32) -> f32',
            1,
        ),
        "packs": (
            '  %0:2 = "test.op"(%a) : (f32) -> (f32, i1)\n  %1:2 = "test.op"(%0#0) : (f32) -> (f32, i1)\n'
            '  "test.op"(%1#1) : (i1) -> ()\n  "test.op"(%0#1) : (i1) -> ()',
            2,
        ),
        "operands out of order": (
            "  memref.store %a, %m[%i] : memref<2xf32>\n  memref.store %b, %m[%i] : memref<2xf32>",
            1,
        ),
        "names that are suggested": (
            "  %0 = arith.constant 1.0 : f32\n  %1 = arith.constant 1.0 : f32\n  %2 = arith.constant 2.0 : f32",
            1,
        ),
        "bodies that are one word": (
            "  %v = stablehlo.constant dense<0.0> : tensor<4xf32>\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
            + "".join(
                f"  %{index} = stablehlo.reduce(%v init: %z) applies stablehlo.{name} across dimensions = [0] : "
                "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
                for index, name in enumerate(("add", "add", "multiply"))
            ),
            1,
        ),
        "bodies that are printed": (
            "  %v = stablehlo.constant dense<0.0> : tensor<4xf32>\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
            + "".join(
                f"  %{index} = stablehlo.reduce(%v init: %z) across dimensions = [0] : "
                "(tensor<4xf32>, tensor<f32>) -> tensor<f32> reducer(%x: tensor<f32>, %y: tensor<f32>) "
                f"{{ stablehlo.return %{name} : tensor<f32> }}\n"
                for index, name in enumerate(("x", "y", "z", "z"))
            ),
            3,  # the returns
        ),
        "regions and successors": (
            '  "test.op"() ({\n  }) : () -> ()\n  "test.op"() ({\n  }) : () -> ()\n'
            '  "test.termop"()[^bb0] : () -> ()\n^bb0:\n  "test.termop"()[^bb1] : () -> ()\n^bb1:',
            0,
        ),
    }.values(),
)
def test_lines(lines: str, filled: int):
    index = "  %i = arith.constant 1 : index\n"
    module = Parser(new_context(), BODY.format(index + lines)).parse_module()
    assert isinstance(module, ModuleOp)
    with patch.object(TextTemplate, "fill", autospec=True, side_effect=TextTemplate.fill) as fill:
        Printer().module_text(module)
    assert fill.call_count == filled
    check(module)


def test_the_prefix_of_names_is_a_part_of_the_kind():
    text = BODY.format('  call @f() : () -> ()\n  "test.op"() ({\n    func.call @f() : () -> ()\n  }) : () -> ()')
    printed = check(Parser(new_context(), text).parse_module())
    assert printed.count(" call @f") == printed.count(" func.call @f") == 1


def test_a_print_method_may_depend_on_more():
    """An operation that prints itself is only filled in if it is known to depend on nothing else."""
    context = new_context()
    names = ("arith.addf", "arith.constant", "test.op", "scf.for", "stablehlo.constant")
    printed = {name: context.get_op(name) for name in names}
    assert {name for name, op in printed.items() if can_be_alike(op, False)} == {*printed} - {"scf.for"}
