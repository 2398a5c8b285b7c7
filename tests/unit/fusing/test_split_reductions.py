"""Which reductions are split, and into how many parts."""

import pytest

from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.fusing.split_reductions import may_be_split, parts_of
from xshardy.indexing.reduction_dimensions import ReductionDimensions
from xshardy.launch.prepared_program import entry_of
from xshardy.syntax import parse_module


@pytest.mark.parametrize(
    ("is_row", "sizes", "parts"),
    [
        (False, (1, 4096, 4), None),
        (False, (1, 8192, 4), 64),
        (False, (8, 8192, 4), 64),
        (False, (1, 10080, 4), 96),
        (False, (1, 10000, 4), 100),
        (False, (1, 37 * 571, 4), 37),  # the root is 145, four times 36 and one
        (False, (1, 31 * 509, 4), None),  # the root is 125, four times 31 and one
        (False, (1, 8191, 4), None),
        (True, (1, 131, 8192), None),
        (True, (1, 131, 16384), 128),
        (True, (1, 132, 16384), None),
        (True, (2, 1, 16384), None),
    ],
)
def test_the_number_of_parts(is_row: bool, sizes: tuple[int, int, int], parts: int | None):
    assert parts_of(ReductionDimensions(is_row, sizes)) == parts


@pytest.mark.parametrize(
    ("combiner", "type", "init", "expected"),
    [
        ("add", "f32", "0.0", True),
        ("add", "f32", "5.0", False),
        ("add", "i32", "0", True),
        ("add", "i32", None, False),
        ("multiply", "f32", "1.0", True),
        ("multiply", "f32", "0.0", False),
        ("maximum", "f32", None, True),
        ("minimum", "i32", "7", True),
        ("and", "i1", None, True),
        ("or", "i1", None, True),
        ("xor", "i1", "false", False),
        ("subtract", "f32", "0.0", False),
    ],
)
def test_what_may_combine_in_any_order_and_begin_twice(combiner: str, type: str, init: str | None, expected: bool):
    """`None`: an argument, of which nothing is known."""
    constant = "" if init is None else f"%c = stablehlo.constant dense<{init}> : tensor<{type}>\n"
    assert is_split(combiner, type, constant) == expected


def is_split(combiner: str, type: str, constant: str, shape: str = "8x4", result: str = "4", layout: str = "") -> bool:
    module = parse_module(
        f"func.func @main(%x: tensor<{shape}x{type}>{layout}, %i: tensor<{type}>) -> tensor<{result}x{type}> {{\n"
        f'{constant}%0 = "stablehlo.reduce"(%x, {"%c" if constant else "%i"}) <{{dimensions = array<i64: 0>}}> ({{\n'
        f"^bb0(%a: tensor<{type}>, %b: tensor<{type}>):\n  %s = stablehlo.{combiner} %a, %b : tensor<{type}>\n"
        f"  stablehlo.return %s : tensor<{type}>\n}}) : (tensor<{shape}x{type}>, tensor<{type}>) -> "
        f"tensor<{result}x{type}>\nreturn %0 : tensor<{result}x{type}>\n}}"
    )
    (op,) = (op for op in entry_of(module).body.block.ops if isinstance(op, ReduceOp))
    return may_be_split(op)


def test_what_has_another_layout_no_elements_or_an_unknown_size_is_not_split():
    zero = "%c = stablehlo.constant dense<0.0> : tensor<f32>\n"
    assert is_split("add", "f32", zero)
    assert not is_split("add", "f32", zero, layout=" {hlo.layout = array<i64: 0, 1>}")
    assert not is_split("add", "f32", zero, shape="0x4")
    assert not is_split("add", "f32", zero, shape="?x4")
