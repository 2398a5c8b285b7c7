"""When an operation is computed again in each kernel that reads it: the bounds of the rules of cost."""

import pytest
from xdsl.ir import SSAValue

from xshardy.fusing.cost import has_enough_rows, is_cheap, is_computed_by_element, pays_to_repeat
from xshardy.indexing.reduction_dimensions import ReductionDimensions
from xshardy.launch.prepared_program import entry_of
from xshardy.syntax import parse_module

A, B, C = "tensor<8xf32>", "tensor<16x2xi4>", "tensor<8x8xf32>"


def operations(text: str):
    """A module, the parameters of its function, and the operations."""
    arguments = f"%a: {A}, %b: {B}, %c: {C}, %h: tensor<1xi4>, %g: tensor<1xi4>, %n: tensor<0x8xf32>"
    module = parse_module(f"func.func @main({arguments}) {{\n{text}\nreturn\n}}")
    entry = entry_of(module)
    return module, {argument.name_hint: argument for argument in entry.args}, [*entry.body.block.ops][:-1]


COMPUTED_AGAIN = {
    "less is read than written": (f"%0 = stablehlo.negate %a : {A}", [[], []], True),
    "as much is read as written": (f"%0 = stablehlo.negate %a : {A}", [[], [], []], True),
    "two operands, two kernels": (f"%0 = stablehlo.add %a, %d : {A}", [[], []], False),
    "two operands, one read anyway": (f"%0 = stablehlo.add %a, %d : {A}", [["a"], ["a"]], True),
    "the kernel that reads least writes": (f"%0 = stablehlo.add %a, %d : {A}", [["a", "d"], []], False),
    "half bytes": (f"%0 = stablehlo.negate %b : {B}", [[], []], True),
    "a half byte": ("%0 = stablehlo.negate %h : tensor<1xi4>", [[]] * 9, True),
    "half bytes, of two operands": ("%0 = stablehlo.add %h, %g : tensor<1xi4>", [[], ["h"], ["h"]], False),
    "one more half byte": ("%0 = stablehlo.add %h, %g : tensor<1xi4>", [[], []], False),
    "one operand twice": (f"%0 = stablehlo.add %a, %a : {A}", [[], []], True),
    "costly": (f"%0 = stablehlo.exponential %a : {A}", [["a"], ["a"]], False),
    "no element of one": (f'%0 = "stablehlo.cholesky"(%c) <{{lower = true}}> : ({C}) -> {C}', [["c"], ["c"]], False),
    "cheap, of no elements": ("%0 = stablehlo.reshape %n : (tensor<0x8xf32>) -> tensor<0xf32>", [[], []], True),
    "of no elements": ("%0 = stablehlo.negate %n : tensor<0x8xf32>", [[], []], False),
    "cheap": (f"%0 = stablehlo.reshape %b : ({B}) -> tensor<32xi4>", [[]] * 9, True),
}


@pytest.mark.parametrize(("text", "known", "expected"), COMPUTED_AGAIN.values(), ids=COMPUTED_AGAIN)
def test_what_is_computed_again(text: str, known: list[list[str]], expected: bool):
    before = f"%d = stablehlo.abs %a : {A}\n" if "%d" in text else ""
    _module, values, ops = operations(before + text)
    if before:
        values["d"] = ops[0].results[0]
    read: list[set[SSAValue]] = [{values[name] for name in names} for names in known]
    assert pays_to_repeat(ops[-1], read) == expected


def test_broadcasts_are_read_at_their_size_and_constants_not_at_all():
    """Three kernels: 2 · (32 + 4) bytes are less than 3 · 32; with another operand of 32 bytes they are not."""
    scalar = "%s = stablehlo.slice %a [0:1] : (tensor<8xf32>) -> tensor<1xf32>\n"
    wide = f"%w = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<1xf32>) -> {A}\n"
    constant = f"%k = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : {A}\n"
    for other, expected in (("%w", True), ("%k", True), ("%d", False)):
        first = f"%d = stablehlo.abs %a : {A}\n"
        _module, _, ops = operations(f"{scalar}{wide}{constant}{first}%0 = stablehlo.add %a, {other} : {A}")
        assert pays_to_repeat(ops[-1], [[], [], []]) == expected, other


def test_a_slice_reads_what_it_takes():
    """Four kernels read 3 · 16 bytes again, and would share 4 · 16."""
    _module, _, ops = operations("%0 = stablehlo.slice %c [0:1, 0:4] : (tensor<8x8xf32>) -> tensor<1x4xf32>")
    assert pays_to_repeat(ops[0], [[]] * 4)


@pytest.mark.parametrize(
    ("type", "dims", "layout", "expected"),
    [
        ("4x3x8xf32", (1, 0, 2), "", True),
        ("4x3x7xf32", (1, 0, 2), "", False),
        ("4x3x32xi8", (1, 0, 2), "", True),
        ("4x3x31xi8", (1, 0, 2), "", False),
        ("4x3x64xi4", (1, 0, 2), "", True),
        ("4x3x8xf32", (2, 1, 0), "", False),
        ("8xf32", (0,), "", True),
        ("f32", (), "", False),
        ("4x3x8xf32", (1, 0, 2), " {hlo.layout = array<i64: 0, 1, 2>}", False),
    ],
)
def test_which_transposes_move_whole_sectors(type: str, dims: tuple[int, ...], layout: str, expected: bool):
    *shape, element = type.split("x")
    result = "x".join([*(shape[d] for d in dims), element])
    text = f"%0 = stablehlo.transpose %x, dims = {[*dims]}{layout} : (tensor<{type}>) -> tensor<{result}>"
    module = parse_module(f"func.func @main(%x: tensor<{type}>) {{\n{text}\nreturn\n}}")
    op = entry_of(module).body.block.first_op
    assert op is not None
    assert is_computed_by_element(op) == expected
    assert not is_cheap(op) or expected


@pytest.mark.parametrize(
    ("rows", "minor", "expected"), [(131, 8193, False), (132, 8193, True), (1, 8192, True), (1, 8193, False)]
)
def test_which_rows_blocks_take(rows: int, minor: int, expected: bool):
    assert has_enough_rows(ReductionDimensions(True, (1, rows, minor))) == expected


def test_what_a_kernel_reads_anyway_may_be_a_broadcast_or_its_source():
    """`%w` is a broadcast of `%s`, by way of a view: with the one or the other known, nothing else is read."""
    lines = [
        "%s = stablehlo.slice %a [0:4] : (tensor<8xf32>) -> tensor<4xf32>",
        "%v = stablehlo.reshape %s : (tensor<4xf32>) -> tensor<2x2xf32>",
        "%w = stablehlo.broadcast_in_dim %v, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2xf32>",
        "%d = stablehlo.negate %w : tensor<2x2xf32>",
        "%e = stablehlo.negate %w : tensor<2x2xf32>",
        "%0 = stablehlo.add %w, %d : tensor<2x2xf32>",
    ]
    _module, _, ops = operations("\n".join(lines))
    s, _v, w, d, e = (op.results[0] for op in ops[:-1])
    assert not pays_to_repeat(ops[-1], [[], []])
    assert not pays_to_repeat(ops[-1], [[e], [e]])
    assert pays_to_repeat(ops[-1], [[w], [w]]) and pays_to_repeat(ops[-1], [[s], [s]])
    assert pays_to_repeat(ops[-1], [[d], [d]])


def test_a_view_is_cheap_and_a_negation_is_not():
    _module, _, ops = operations(
        f"%0 = stablehlo.reshape %a : ({A}) -> tensor<2x4xf32>\n%1 = stablehlo.negate %a : {A}\n"
        f"%2 = stablehlo.broadcast_in_dim %a, dims = [1] : ({A}) -> {C}"
    )
    assert [*map(is_cheap, ops)] == [True, False, True]
