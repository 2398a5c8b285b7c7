# ruff: noqa: E501 - programs have long lines
"""Numbers, masks and indices that are known on each device: what is proved of them is so, by execution."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proof_pairs import Trial, trial_of
from xdsl.dialects.builtin import i32

from xshardy.axes.grid import Grid
from xshardy.programs.program import read_program
from xshardy.programs.source import source_in
from xshardy.proving.kernel import Kernel, Universe
from xshardy.proving.pair import Pair, divided_pair
from xshardy.proving.prove import decide
from xshardy.proving.refutation import refute
from xshardy.proving.rules import elementwise
from xshardy.proving.search import Search

DEVICES = 2
TABLES = st.lists(st.integers(-3, 3), min_size=DEVICES, max_size=DEVICES)


def number_of_device(table: list[int]) -> str:
    """A scalar `%number`: that of the table for each device."""
    return f"""
    %id = stablehlo.partition_id : tensor<ui32>
    %table = stablehlo.constant dense<{table}> : tensor<{DEVICES}xi32>
    %entry = stablehlo.dynamic_slice %table, %id, sizes = [1] : (tensor<{DEVICES}xi32>, tensor<ui32>) -> tensor<1xi32>
    %number = stablehlo.reshape %entry : (tensor<1xi32>) -> tensor<i32>"""


def chosen_by_device(table: list[int]) -> Trial:
    """A tensor that both devices have, as the sum of what each has where its number is zero."""
    whole = f"""
sdy.mesh @mesh = <["x"={DEVICES}]>
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {{
  return %x : tensor<1xf32>
}}"""
    local = f"""
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {{{number_of_device(table)}
    %zero = stablehlo.constant dense<0.0> : tensor<1xf32>
    %truth = stablehlo.convert %number : (tensor<i32>) -> tensor<i1>
    %mine = stablehlo.select %truth, %zero, %x : tensor<i1>, tensor<1xf32>
    %sum = "stablehlo.all_reduce"(%mine) <{{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }}) : (tensor<1xf32>) -> tensor<1xf32>
    return %sum : tensor<1xf32>
}}"""
    return trial_of(whole, local)


def padded(end: int) -> Pair:
    """Three elements and a zero: a device has two elements, of which those at positions below `end` are kept."""
    sharding = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'
    whole = f"""
sdy.mesh @mesh = <["x"={DEVICES}]>
func.func @main(%x: tensor<3xf32> {sharding}) -> (tensor<4xf32> {sharding}) {{
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %r = stablehlo.pad %x, %zero, low = [0], high = [1], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
}}"""
    local = f"""
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{{number_of_device([0, 2])}
    %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
    %end = stablehlo.constant dense<{end}> : tensor<2xi32>
    %iota = stablehlo.iota dim = 0 : tensor<2xi32>
    %numbers = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %position = stablehlo.add %iota, %numbers : tensor<2xi32>
    %mask = stablehlo.compare LT, %position, %end : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %r = stablehlo.select %mask, %x, %zero : tensor<2xi1>, tensor<2xf32>
    return %r : tensor<2xf32>
}}"""
    return divided_pair(*(read_program(source_in(text.encode(), "test.mlir")) for text in (whole, local)))


def scattered(table: list[int], rows: int, body: str, size: int = 4) -> Trial:
    """Four updates, each scattered into a row of `size`; a device has half of the rows, and `rows` of the updates."""
    text = """
func.func @main(%x: tensor<{0}x3xf32>{2}, %u: tensor<4x3xf32>, %i: tensor<4xi32>) -> (tensor<{0}x3xf32>{2}) {{{3}
    %rows = stablehlo.iota dim = 0 : tensor<{1}xi32>
    %numbers = stablehlo.broadcast_in_dim %number, dims = [] : (tensor<i32>) -> tensor<{1}xi32>
    %first = stablehlo.subtract %rows, %numbers : tensor<{1}xi32>
    %second = stablehlo.slice %i [0:{1}] : (tensor<4xi32>) -> tensor<{1}xi32>
    %a = stablehlo.reshape %first : (tensor<{1}xi32>) -> tensor<{1}x1xi32>
    %b = stablehlo.reshape %second : (tensor<{1}xi32>) -> tensor<{1}x1xi32>
    %at = stablehlo.concatenate %a, %b, dim = 1 : (tensor<{1}x1xi32>, tensor<{1}x1xi32>) -> tensor<{1}x2xi32>
    %v = stablehlo.slice %u [0:{1}, 0:1] : (tensor<4x3xf32>) -> tensor<{1}x1xf32>
    %w = stablehlo.reshape %v : (tensor<{1}x1xf32>) -> tensor<{1}xf32>
    %r = "stablehlo.scatter"(%x, %at, %w) <{{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}}> ({{
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      {4}
    }}) : (tensor<{0}x3xf32>, tensor<{1}x2xi32>, tensor<{1}xf32>) -> tensor<{0}x3xf32>
    return %r : tensor<{0}x3xf32>
}}"""
    bodies = {
        "add": "%s = stablehlo.add %p, %q : tensor<f32>\n stablehlo.return %s : tensor<f32>",
        "last": "stablehlo.return %q : tensor<f32>",
    }
    zero = "\n    %number = stablehlo.constant dense<0> : tensor<i32>"
    sharding = ' {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}'
    whole = f'sdy.mesh @mesh = <["x"={DEVICES}]>' + text.format(size, 4, sharding, zero, bodies[body])
    return trial_of(whole, text.format(size // 2, rows, "", number_of_device(table), bodies[body]))


@settings(max_examples=40)
@given(TABLES)
def test_what_is_chosen_by_a_number_of_the_device(table: list[int]):
    trial = chosen_by_device(table)
    assert trial.decision.is_proved == ([*map(bool, table)].count(False) == 1)
    assert not trial.decision.is_proved or not trial.differs()


@pytest.mark.parametrize("end", range(6))
def test_padding_that_a_mask_does_not_choose_may_be_anything(end: int):
    pair = padded(end)
    assert decide(pair).is_proved == (end == 3)
    assert (refute(pair) is None) == (end >= 3)  # its arguments have zeros as padding


@settings(max_examples=60)
@given(TABLES, st.integers(1, 4), st.sampled_from(["add", "last"]))
def test_scatters_of_slices_that_start_one_after_another(table: list[int], rows: int, body: str):
    trial = scattered(table, rows, body)
    assert not trial.decision.is_proved or not trial.differs(range(6))


@pytest.mark.parametrize("body", ["add", "last"])
def test_the_rows_of_a_device_are_those_at_its_offset(body: str):
    assert scattered([0, 2], 4, body).decision.is_proved
    assert not scattered([0, 1], 4, body).decision.is_proved


@pytest.mark.parametrize("size", [2, 6])
def test_rows_without_an_update_and_updates_without_a_row(size: int):
    assert scattered([0, size // 2], 4, "add", size).decision.is_proved
    assert not scattered([0, 1 + size // 2], 4, "add", size).decision.is_proved


NUMBERS = """
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %one = stablehlo.constant dense<1> : tensor<4xi32>
  %two = stablehlo.constant dense<2> : tensor<4xi32>
  %five = stablehlo.constant dense<5> : tensor<4xi32>
  %minus_one = stablehlo.constant dense<-1> : tensor<4xi32>
  %minus_three = stablehlo.constant dense<-3> : tensor<4xi32>
  %true = stablehlo.constant dense<true> : tensor<4xi1>
  %false = stablehlo.constant dense<false> : tensor<4xi1>
  %nil = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %twelve = stablehlo.constant dense<12.0> : tensor<4xf32>
  %half = stablehlo.constant dense<0.5> : tensor<4xf32>
  %unit = stablehlo.constant dense<1.0> : tensor<4xf32>
  %infinity = stablehlo.constant dense<0x7F800000> : tensor<4xf32>
  %twos = stablehlo.constant dense<2.0> : tensor<4x6xf32>
"""

I32, I1, F32 = "tensor<4xi32>", "tensor<4xi1>", "tensor<4xf32>"
OVER = f"across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> {F32}"

EQUAL = [
    (I32, f"%r = stablehlo.clamp %zero, %i, %five : {I32}", "%i", "%x"),
    (I32, f"%r = stablehlo.clamp %zero, %five, %two : {I32}", "%two", "%five"),
    (I32, f"%r = stablehlo.clamp %two, %minus_one, %five : {I32}", "%two", "%minus_one"),
    (I32, f"%r = stablehlo.remainder %x, %one : {I32}", "%zero", "%x"),
    (
        I32,
        f"%r = stablehlo.multiply %minus_one, %minus_three : {I32}",
        f"%r = stablehlo.add %one, %two : {I32}",
        "%two",
    ),
    (I1, f"%r = stablehlo.not %true : {I1}", "%false", "%true"),
    (I1, f"%r = stablehlo.not %false : {I1}", "%true", "%false"),
    (I1, f"%r = stablehlo.and %true, %m : {I1}", "%m", "%true"),
    (I1, f"%r = stablehlo.and %m, %false : {I1}", "%false", "%m"),
    (I1, f"%r = stablehlo.or %m, %false : {I1}", "%m", "%false"),
    (I1, f"%r = stablehlo.maximum %true, %m : {I1}", "%true", "%m"),
    (I32, f"%r = stablehlo.convert %true : ({I1}) -> {I32}", "%one", "%zero"),
    (I32, f"%r = stablehlo.convert %false : ({I1}) -> {I32}", "%zero", "%one"),
    (F32, f"%r = stablehlo.convert %true : ({I1}) -> {F32}", "%unit", "%half"),
    (F32, f"%r = chlo.square %y : {F32} -> {F32}", f"%r = stablehlo.multiply %y, %y : {F32}", "%y"),
    (F32, f"%r = stablehlo.reduce(%twos init: %nil) applies stablehlo.add {OVER}", "%twelve", "%unit"),
    (
        "tensor<3xi32>",
        f"""%w = stablehlo.reshape %x : ({I32}) -> tensor<1x4xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.pad %w, %z, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<1x4xi32>, tensor<i32>) -> tensor<4x4xi32>
  %d = stablehlo.dot %p, %x : (tensor<4x4xi32>, {I32}) -> {I32}
  %s = stablehlo.slice %d [1:4] : ({I32}) -> tensor<3xi32>
  %n = stablehlo.slice %i [1:4] : ({I32}) -> tensor<3xi32>
  %r = stablehlo.subtract %s, %n : tensor<3xi32>""",
        f"%n = stablehlo.negate %i : {I32} %r = stablehlo.slice %n [1:4] : ({I32}) -> tensor<3xi32>",
        f"%r = stablehlo.slice %i [1:4] : ({I32}) -> tensor<3xi32>",
    ),
    (
        "tensor<3xi32>",
        f"""%n = stablehlo.iota dim = 0 : tensor<3xi32>
  %r = "stablehlo.gather"(%x, %n) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}}> : ({I32}, tensor<3xi32>) -> tensor<3xi32>""",
        f"%r = stablehlo.slice %x [0:3] : ({I32}) -> tensor<3xi32>",
        f"%r = stablehlo.slice %x [1:4] : ({I32}) -> tensor<3xi32>",
    ),
    (
        F32,
        f"%r = stablehlo.reduce(%twos init: %lowest) applies stablehlo.maximum {OVER}",
        f"%r = stablehlo.add %unit, %unit : {F32}",
        "%twelve",
    ),
]
"""A type, an expression of it, one that is proved to be equal, and one that is another."""

LARGE = """%k = stablehlo.constant dense<[4611686018427387904, 4611686018427387905]> : tensor<2xi64>
  %r = stablehlo.slice %k {} : (tensor<2xi64>) -> tensor<1xi64>"""

UNKNOWN = [
    (I32, f"%r = stablehlo.clamp %zero, %i, %two : {I32}", "%i"),
    (I32, f"%r = stablehlo.divide %minus_three, %two : {I32}", f"%r = stablehlo.subtract %minus_one, %one : {I32}"),
    (I32, f"%r = stablehlo.remainder %minus_three, %two : {I32}", "%one"),
    (I32, f"%r = stablehlo.divide %i, %minus_three : {I32}", "%zero"),
    (
        I32,
        f"%n = stablehlo.negate %i : {I32} %r = stablehlo.multiply %i, %n : {I32}",
        f"%r = stablehlo.multiply %i, %i : {I32}",
    ),
    (I1, f"%r = stablehlo.not %m : {I1}", "%m"),
    (
        F32,
        f"%r = stablehlo.iota dim = 0 : {F32}",
        f"%b = stablehlo.iota dim = 0 : {F32} %r = stablehlo.reverse %b, dims = [0] : {F32}",
    ),
    (F32, f"%r = stablehlo.subtract %unit, %infinity : {F32}", "%infinity"),
    ("tensor<1xi64>", LARGE.format("[1:2]"), LARGE.format("[0:1]")),
]
"""A type, an expression of it of which no number is known, and one that is another."""


def computed(type: str, expression: str) -> str:
    """A program that returns an expression: a value, or operations that define `%r`."""
    code, result = (expression, "%r") if " " in expression else ("", expression)
    return f"func.func @main(%x: {I32}, %m: {I1}, %y: {F32}) -> {type} {{ {NUMBERS} {code} return {result} : {type} }}"


def differing(type: str, expression: str, other: str) -> Trial:
    return trial_of(f'sdy.mesh @mesh = <["x"={DEVICES}]> {computed(type, expression)}', computed(type, other))


@pytest.mark.parametrize(("type", "expression", "equal", "other"), EQUAL)
def test_known_numbers_are_computed(type: str, expression: str, equal: str, other: str):
    for first, second in ((expression, equal), (equal, expression)):
        trial = differing(type, first, second)
        assert trial.decision.is_proved and not trial.differs()
    trial = differing(type, expression, other)
    assert trial.differs() and not trial.decision.is_proved


@pytest.mark.parametrize(("type", "expression", "other"), UNKNOWN)
def test_what_no_number_is_known_of_is_itself_only(type: str, expression: str, other: str):
    assert differing(type, expression, expression).decision.is_proved
    trial = differing(type, expression, other)
    assert trial.differs() and not trial.decision.is_proved


ROWS = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'


def of_three(whole: str, local: str) -> Pair:
    """Two programs of `%n`, three numbers, of which a device has two: the last one of the last device is padding."""
    texts = (f'sdy.mesh @mesh = <["x"={DEVICES}]> func.func {whole}', f"func.func {local}")
    return divided_pair(*(read_program(source_in(text.encode(), "test.mlir")) for text in texts))


UPDATED = """{{
  %0 = stablehlo.slice %n {} : ({}) -> tensor<1xi32>
  %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
  %2 = stablehlo.dynamic_update_slice %t, %u, %1 : (tensor<8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}}"""


def test_an_index_that_is_padding_is_unknown():
    others = "%t: tensor<8xf32>, %u: tensor<3xf32>) -> tensor<8xf32>"
    pair = of_three(
        f"@main(%n: tensor<3xi32> {ROWS}, {others} {UPDATED.format('[1:2]', 'tensor<3xi32>')}",
        f"@main(%n: tensor<2xi32>, {others} {UPDATED.format('[1:2]', 'tensor<2xi32>')}",
    )
    assert not decide(pair).is_proved and refute(pair) is not None


SORTED = """{{
  %0 = stablehlo.reshape %n : ({0}) -> tensor<1x{1}>
  %1 = "stablehlo.sort"(%0) <{{dimension = 1 : i64}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }}) : (tensor<1x{1}>) -> tensor<1x{1}>
  %2 = stablehlo.reshape %1 : (tensor<1x{1}>) -> {0}
  return %2 : {0}
}}"""


def test_what_takes_padding_as_a_whole_is_unknown():
    whole, local = "tensor<3xf32>", "tensor<2xf32>"
    pair = of_three(
        f"@main(%n: {whole} {ROWS}) -> ({whole} {ROWS}) {{ return %n : {whole} }}",
        f"@main(%n: {local}) -> {local} {SORTED.format(local, '2xf32')}",
    )
    assert not decide(pair).is_proved and refute(pair) is not None


def test_what_is_neutral_for_bits_is_no_integer_one():
    universe = Universe()
    kernel = Kernel(universe, Search(universe), 1, True, Grid(1, 1))
    for value, expected in ((True, universe.constant(True)), (0.0, universe.integers)):
        (piece,) = elementwise._with_integers(kernel, kernel.constant(value, (4,)), i32).pieces
        assert piece.source is expected
