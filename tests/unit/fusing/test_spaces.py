"""Which kernels fit each other: the elements that their threads go through, and where they read values."""

import pytest
from xdsl.ir import Operation

from xshardy.fusing.spaces import Place, Places, Space, space_of
from xshardy.indexing.reduction_dimensions import ReductionDimensions
from xshardy.launch.prepared_program import entry_of
from xshardy.syntax import parse_module

ROWS = ReductionDimensions(True, (1, 8, 32))
COLUMNS = ReductionDimensions(False, (1, 32, 8))
TYPES = {
    "m": "tensor<8x32xf32>",
    "s": "tensor<32x32xf32>",
    "r": "tensor<8xf32>",
    "e": "tensor<0x8xf32>",
    "k": "tensor<8x31xf32>",
    "w": "tensor<8x8193xf32>",
    "o": "tensor<8x17xf32>",
    "p": "tensor<4x8x4x8xf32>",
    "z": "tensor<f32>",
    "n": "tensor<8192x8xf32>",
}


def reduction(name: str, operand: str, dimension: int, result: str) -> str:
    return (
        f"%{name} = stablehlo.reduce(%{operand} init: %zero) applies stablehlo.add across dimensions = [{dimension}] "
        f": ({TYPES.get(operand, TYPES['m'])}, tensor<f32>) -> {result}"
    )


def kernel(lines: list[str]) -> dict[str, Operation]:
    """The operations of a program by their names, in program order."""
    arguments = ", ".join(f"%{name}: {type}" for name, type in TYPES.items())
    text = "\n".join(["%zero = stablehlo.constant dense<0.0> : tensor<f32>", *lines])
    module = parse_module(f"func.func @main({arguments}, %i: tensor<i32>) {{\n{text}\nreturn\n}}")
    KEPT.append(module)
    ops = [*entry_of(module).body.block.ops][1:-1]
    return {op.results[0].name_hint or "": op for op in ops}


KEPT: list[object] = []
"""The modules, as long as their operations are used."""

M = TYPES["m"]
NEGATE = f"%a = stablehlo.negate %m : {M}"
SPACES: dict[str, tuple[list[str], list[str], Space | None]] = {
    "elements": ([NEGATE], ["a"], Space(256)),
    "results of one size": ([NEGATE, f"%b = stablehlo.abs %m : {M}"], ["a", "b"], Space(256)),
    "results of two sizes": ([NEGATE, f"%b = stablehlo.abs %r : {TYPES['r']}"], ["a", "b"], None),
    "rows": ([reduction("a", "m", 1, "tensor<8xf32>")], ["a"], Space(256, ROWS, True)),
    "rows and elements": (
        [reduction("a", "m", 1, "tensor<8xf32>"), f"%b = stablehlo.negate %m : {M}"],
        ["a", "b"],
        Space(256, ROWS, True),
    ),
    "rows, and a part of them": (
        [reduction("a", "m", 1, "tensor<8xf32>"), "%b = stablehlo.slice %r [0:7] : (tensor<8xf32>) -> tensor<7xf32>"],
        ["a", "b"],
        None,
    ),
    "rows and columns": (
        [reduction("a", "s", 1, "tensor<32xf32>"), reduction("b", "s", 0, "tensor<32xf32>")],
        ["a", "b"],
        None,
    ),
    "long rows": (
        [reduction("a", "w", 1, "tensor<8xf32>")],
        ["a"],
        Space(8 * 8193, ReductionDimensions(True, (1, 8, 8193))),
    ),
    "rows that would not pay off": (
        [reduction("a", "o", 1, "tensor<8xf32>")],
        ["a"],
        Space(136, ReductionDimensions(True, (1, 8, 17)), True),
    ),
    "reduced and kept dimensions in turns": (
        [
            "%a = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [0, 2] "
            ": (tensor<4x8x4x8xf32>, tensor<f32>) -> tensor<8x8xf32>"
        ],
        ["a"],
        None,
    ),
    "columns": (
        [reduction("a", "s", 0, "tensor<32xf32>")],
        ["a"],
        Space(1024, ReductionDimensions(False, (1, 32, 32))),
    ),
    "columns too short to pay off": ([reduction("a", "m", 0, "tensor<32xf32>")], ["a"], None),
    "columns that several blocks reduce": ([reduction("a", "n", 0, "tensor<8xf32>")], ["a"], None),
    "no elements": ([reduction("a", "e", 0, "tensor<8xf32>")], ["a"], None),
    "a sort": (
        [
            '%a = "stablehlo.sort"(%r) <{dimension = 0 : i64}> ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n'
            "%c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
            "stablehlo.return %c : tensor<i1>\n}) : (tensor<8xf32>) -> tensor<8xf32>"
        ],
        ["a"],
        None,
    ),
    "a result in another layout": (
        [
            '%a = "stablehlo.reduce"(%q, %zero) <{dimensions = array<i64: 2>}> ({\n'
            "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%c = stablehlo.add %x, %y : tensor<f32>\n"
            "stablehlo.return %c : tensor<f32>\n}) {hlo.layout = array<i64: 0, 1>}"
            " : (tensor<4x2x32xf32>, tensor<f32>) -> tensor<4x2xf32>"
        ],
        ["a"],
        None,
    ),
}
TYPES["q"] = "tensor<4x2x32xf32>"


@pytest.mark.parametrize("name", SPACES)
def test_what_threads_go_through(name: str):
    lines, results, expected = SPACES[name]
    ops = kernel(lines)
    assert space_of([*ops.values()], [ops[result].results[0] for result in results]) == expected


def test_long_and_short_rows_of_one_kernel_are_not_read_again():
    """Equal dimensions are row-wise or not; a kernel whose heroes differ in them has no space."""
    ops = kernel([reduction("a", "w", 1, "tensor<8xf32>"), reduction("b", "m", 1, "tensor<8xf32>")])
    assert space_of([*ops.values()], [op.results[0] for op in ops.values()]) is None


ELEMENTS, PER_ROW, OTHER = Space(256), Space(8), Space(255)
ROW_WISE, REDUCED, REDUCED_COLUMNS = Space(256, ROWS, True), Space(256, ROWS), Space(256, COLUMNS)


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (ELEMENTS, ELEMENTS, ELEMENTS),
        (ELEMENTS, OTHER, None),
        (ROW_WISE, ELEMENTS, ROW_WISE),
        (ROW_WISE, PER_ROW, ROW_WISE),
        (ROW_WISE, OTHER, None),
        (ROW_WISE, ROW_WISE, ROW_WISE),
        (REDUCED, ELEMENTS, REDUCED),
        (REDUCED, PER_ROW, None),
        (REDUCED, REDUCED_COLUMNS, None),
        (REDUCED, REDUCED, REDUCED),
        (REDUCED, ROW_WISE, None),
    ],
)
def test_spaces_of_two_kernels(one: Space, other: Space, both: Space | None):
    assert one.with_other(other) == other.with_other(one) == both


S = TYPES["s"]
READ: dict[str, tuple[list[str], Space, dict[str, set[Place]] | None]] = {
    "elements": ([f"%a = stablehlo.negate %m : {M}"], ELEMENTS, {"m": {Place.ELEMENT}}),
    "in reverse": ([f"%a = stablehlo.reverse %m, dims = [0] : {M}"], ELEMENTS, {"m": {Place.ELSEWHERE}}),
    "what is read in reverse": (
        [f"%b = stablehlo.negate %m : {M}", f"%a = stablehlo.reverse %b, dims = [0] : {M}"],
        ELEMENTS,
        {"m": {Place.ELSEWHERE}, "b": {Place.ELSEWHERE}},
    ),
    "there and in reverse": (
        [f"%b = stablehlo.reverse %m, dims = [0] : {M}", f"%a = stablehlo.add %b, %m : {M}"],
        ELEMENTS,
        {"m": {Place.ELEMENT, Place.ELSEWHERE}, "b": {Place.ELEMENT}},
    ),
    "a view": ([f"%a = stablehlo.reshape %m : ({M}) -> tensor<256xf32>"], ELEMENTS, {"m": {Place.ELEMENT}}),
    "a transpose": (
        [f"%a = stablehlo.transpose %s, dims = [1, 0] : ({S}) -> {S}"],
        Space(1024),
        {"s": {Place.ELSEWHERE}},
    ),
    "at an index": (
        [
            "%a = stablehlo.dynamic_slice %m, %i, %i, sizes = [8, 16] "
            f": ({M}, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>"
        ],
        Space(128),
        {"m": {Place.ELSEWHERE}, "i": {Place.ELSEWHERE}},
    ),
    "nobody knows where": (
        [f'%a = "stablehlo.cholesky"(%s) <{{lower = true}}> : ({S}) -> {S}'],
        Space(1024),
        {"s": {Place.ELSEWHERE}},
    ),
    "rows and their sums": (
        [
            reduction("b", "m", 1, "tensor<8xf32>"),
            f"%c = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<8xf32>) -> {M}",
            f"%a = stablehlo.divide %m, %c : {M}",
        ],
        ROW_WISE,
        {"m": {Place.ELEMENT}, "b": {Place.PART}, "c": {Place.ELEMENT}},
    ),
    "sums that are no rows": (
        [
            reduction("b", "m", 1, "tensor<8xf32>"),
            f"%c = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<8xf32>) -> {M}",
            f"%a = stablehlo.divide %m, %c : {M}",
        ],
        REDUCED,
        None,
    ),
    "sums of other rows": (
        [
            reduction("b", "s", 1, "tensor<32xf32>"),
            f"%c = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<32xf32>) -> {S}",
            f"%a = stablehlo.divide %s, %c : {S}",
        ],
        Space(1024, ReductionDimensions(True, (1, 32, 32)), True),
        None,
    ),
    "a number for each element": (
        [f"%a = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> {M}"],
        ROW_WISE,
        {"z": {Place.ELSEWHERE}},
    ),
    "an initial value": (
        [reduction("a", "m", 1, "tensor<8xf32>").replace("%zero", "%z")],
        ROW_WISE,
        {"m": {Place.ELEMENT}, "z": {Place.ELSEWHERE}},
    ),
    "two operands for each row": (
        [reduction("b", "m", 1, "tensor<8xf32>"), "%a = stablehlo.add %b, %r : tensor<8xf32>"],
        ROW_WISE,
        {"m": {Place.ELEMENT}, "b": {Place.PART}, "r": {Place.PART}},
    ),
    "two operands for what is reduced": (
        [reduction("b", "m", 1, "tensor<8xf32>"), "%a = stablehlo.add %b, %r : tensor<8xf32>"],
        REDUCED,
        None,
    ),
    "one operand for what is reduced": (
        [reduction("b", "m", 1, "tensor<8xf32>"), "%a = stablehlo.negate %b : tensor<8xf32>"],
        REDUCED,
        {"m": {Place.ELEMENT}, "b": {Place.PART}},
    ),
    "a part of what is reduced": (
        [reduction("b", "m", 1, "tensor<8xf32>"), "%a = stablehlo.reverse %b, dims = [0] : tensor<8xf32>"],
        REDUCED,
        None,
    ),
}


@pytest.mark.parametrize("name", READ)
def test_where_values_are_read(name: str):
    lines, space, expected = READ[name]
    ops = kernel(lines)
    found = Places().of([*reversed(ops.values())], ops["a"].results, space)
    if found is None or expected is None:
        assert found == expected
        return
    named = {value.name_hint: set(places) for value, places in found.items() if value.name_hint not in ("a", "zero")}
    assert named == expected
