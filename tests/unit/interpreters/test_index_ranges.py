"""Parameters that become indices are drawn in bounds, also at the bounds and just outside of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import InterpretationError

from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.index_ranges import index_ranges
from xshardy.interpreters.inputs import inputs_of


def computation_of(body: str, functions: str = "") -> FuncOp:
    text = f"HloModule m\n{functions}\nENTRY main {{\n  table = f32[50,4] parameter(0)\n{body}\n}}"
    *_, function = (op for op in parse_hlo(text).ops if isinstance(op, FuncOp))
    return function


def lookup(steps: str, type: str = "s32[8]", functions: str = "") -> FuncOp:
    """Rows of a table, at indices that `steps` compute from a parameter `p`."""
    return computation_of(
        f"""
  p = {type} parameter(1)
  {steps}
  ROOT rows = f32[8,4] gather(table, i), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}},
    index_vector_dim=1, slice_sizes={{1,4}}
""",
        functions,
    )


def bounds(computation: FuncOp, number: int = 1) -> set[tuple[int, int]]:
    return {
        (int(range.lower.min()), int(range.upper.max()))
        for range in index_ranges(computation)[number]
        if not range.is_compared
    }


FOUR = "four = s32[] constant(4) fours = s32[8] broadcast(four), dimensions={}"


@pytest.mark.parametrize(
    ("steps", "type", "expected"),
    [
        ("i = s32[8] copy(p)", "s32[8]", {(0, 49)}),
        ("i = s32[8] convert(p)", "u8[8]", {(0, 49)}),
        ("i = s32[8] reshape(p)", "s32[2,4]", {(0, 49)}),
        ("t = s32[4,2] transpose(p), dimensions={1,0} i = s32[8] reshape(t)", "s32[2,4]", {(0, 49)}),
        ("i = s32[8] broadcast(p), dimensions={}", "s32[]", {(0, 49)}),
        ("i = s32[8] reverse(p), dimensions={0}", "s32[8]", {(0, 49)}),
        ("i = s32[8] negate(p)", "s32[8]", {(-49, 0)}),
        (f"{FOUR} i = s32[8] add(fours, p)", "s32[8]", {(-4, 45)}),
        (f"{FOUR} i = s32[8] subtract(p, fours)", "s32[8]", {(4, 53)}),
        (f"{FOUR} i = s32[8] subtract(fours, p)", "s32[8]", {(-45, 4)}),
        (f"{FOUR} i = s32[8] multiply(p, fours)", "s32[8]", {(0, 12)}),
        (f"{FOUR} i = s32[8] divide(p, fours)", "s32[8]", {(0, 196)}),
        (f"{FOUR} i = s32[8] maximum(p, fours)", "s32[8]", {(0, 49)}),
        (f"{FOUR} i = s32[8] and(fours, p)", "s32[8]", {(0, 49)}),
        (f"{FOUR} i = s32[8] remainder(p, fours)", "s32[8]", {(0, 49)}),
        (f"{FOUR} i = s32[8] pad(p, four), padding=2_-1_1", "s32[4]", {(0, 49)}),
        ("z = s32[] parameter(2) i = s32[8] dynamic-slice(p, z), dynamic_slice_sizes={8}", "s32[20]", {(0, 49)}),
        ("b = s32[4,2]{0,1} bitcast(p) i = s32[8] reshape(b)", "s32[8]", {(0, 49)}),
        (f"{FOUR} i = s32[8] clamp(fours, p, fours)", "s32[8]", {(0, 49)}),
        (
            f"{FOUR} n = s32[] constant(50) ns = s32[8] broadcast(n), dimensions={{}} w = s32[8] add(p, ns) "
            "neg = pred[8] compare(p, fours), direction=LT i = s32[8] select(neg, w, p)",
            "s32[8]",
            {(0, 49), (-50, -1)},
        ),
    ],
)
def test_ranges_go_backwards_through_operations(steps: str, type: str, expected: set[tuple[int, int]]):
    assert bounds(lookup(steps, type)) == expected


def test_only_elements_that_become_indices_have_bounds():
    computation = lookup("i = s32[8] slice(p), slice={[2:10]}", "s32[12]")
    (found,) = index_ranges(computation)[1]
    assert (found.lower <= found.upper).tolist() == [False] * 2 + [True] * 8 + [False] * 2


def test_elements_that_are_dropped_by_padding_have_no_bounds():
    """Of places 2, 4, 6 and 8 in eight."""
    (found,) = index_ranges(lookup("z = s32[] constant(0) i = s32[8] pad(p, z), padding=2_-1_1", "s32[4]"))[1]
    assert (found.lower <= found.upper).tolist() == [True] * 3 + [False]


def test_a_table_of_indices_has_their_bounds_and_so_has_what_is_written_to_it():
    gathered = "offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}"
    found = lookup(f"q = s32[8] parameter(2) i = s32[8] gather(p, q), {gathered}", "s32[20]")
    assert (bounds(found, 1), bounds(found, 2)) == ({(0, 49)}, {(0, 19)})
    found = lookup("u = s32[3] parameter(2) z = s32[] parameter(3) i = s32[8] dynamic-update-slice(p, u, z)")
    assert (bounds(found, 1), bounds(found, 2), bounds(found, 3)) == ({(0, 49)}, {(0, 49)}, {(0, 5)})


def test_a_size_is_within_all_of_its_ranges():
    text = """HloModule m
ENTRY main {
  i = s32[6] parameter(0)
  j = s32[4] parameter(1)
  size = s32[] parameter(2)
  a = s32[<=6] set-dimension-size(i, size), dimensions={0}
  b = s32[<=4] set-dimension-size(j, size), dimensions={0}
  ROOT t = (s32[<=6], s32[<=4]) tuple(a, b)
}"""
    (main,) = (op for op in parse_hlo(text).ops if isinstance(op, FuncOp))
    assert {int(inputs_of(main, seed)[2]) for seed in range(50)} == set(range(5))


def test_bits_of_floats_have_no_bounds():
    assert not index_ranges(lookup("i = s32[8] bitcast(p)", "f32[8]"))


def test_ranges_go_through_calls():
    functions = "g { a = s32[8] parameter(0)  ROOT b = s32[8] negate(a) }"
    assert bounds(lookup("i = s32[8] call(p), to_apply=g", functions=functions)) == {(-49, 0)}


def test_dynamic_slices_start_where_the_slice_fits():
    computation = computation_of("""
  p = s32[] parameter(1)
  q = s32[] parameter(2)
  ROOT s = f32[8,2] dynamic-slice(table, p, q), dynamic_slice_sizes={8,2}
""")
    assert (bounds(computation, 1), bounds(computation, 2)) == ({(0, 42)}, {(0, 2)})


def test_integers_compared_with_an_iota_are_near_its_numbers():
    computation = computation_of("""
  p = s32[8] parameter(1)
  wide = s32[8,50] broadcast(p), dimensions={0}
  i = s32[8,50] iota(), iota_dimension=1
  ROOT hot = pred[8,50] compare(wide, i), direction=EQ
""")
    (found,) = index_ranges(computation)[1]
    assert found.is_compared
    assert (int(found.lower.min()), int(found.upper.max())) == (0, 49)


def test_parameters_that_are_no_indices_have_no_range():
    assert set(index_ranges(lookup("i = s32[8] copy(p)"))) == {1}


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_most_indices_are_in_bounds_and_some_beside_them(seed: int):
    computation = computation_of("""
  p = s32[4000] parameter(1)
  ROOT rows = f32[4000,4] gather(table, p), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1,4}
""")
    indices = inputs_of(computation, seed)[1]
    inside = (indices >= 0) & (indices < 50)
    assert 0.8 < np.mean(inside) < 0.98
    assert {-1, 0, 49, 50} <= set(indices.tolist())
    assert np.abs(indices.astype(np.int64)).max() > 1000


def test_all_indices_in_bounds():
    """Programs, which make NaN of what is out of bounds, and then of everything, are run with such."""
    rows = lookup("i = s32[8] copy(p)")
    drawn = [inputs_of(rows, seed, indices_in_bounds=True)[1] for seed in range(50)]
    assert (np.min(drawn), np.max(drawn)) == (0, 49)


def test_indices_partly_an_iota_are_drawn_and_distinct():
    """As in a scatter of tokens seen, per sequence: [row, token] with rows from an iota."""
    computation = computation_of(
        """
  seen = pred[4,40] parameter(1)
  tokens = s32[4,6] parameter(2)
  rows = s32[4,6,1] iota(), iota_dimension=0
  columns = s32[4,6,1] reshape(tokens)
  indices = s32[4,6,2] concatenate(rows, columns), dimensions={2}
  new = pred[4,6] parameter(3)
  ROOT s = pred[4,40] scatter(seen, indices, new), update_window_dims={}, inserted_window_dims={0,1},
    scatter_dims_to_operand_dims={0,1}, index_vector_dim=2, to_apply=second
""",
        "second { a = pred[] parameter(0)  ROOT b = pred[] parameter(1) }",
    )
    for seed in range(5):
        tokens = inputs_of(computation, seed)[2]
        assert all(len(set(row)) == 6 for row in tokens.tolist())
        assert tokens.min() >= -1
        assert tokens.max() <= 40


def test_sizes_in_use_have_ranges_but_no_tensors_of_unknown_size_which_are_not_drawn():
    text = """HloModule m
ENTRY main {
  x = f32[8,4] parameter(0)
  i = s32[6] parameter(1)
  size = s32[] parameter(2)
  j = s32[<=6] set-dimension-size(i, size), dimensions={0}
  ROOT g = f32[<=6,4] gather(x, j), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
}"""  # noqa: E501
    (main,) = (op for op in parse_hlo(text).ops if isinstance(op, FuncOp))
    assert index_ranges(main).keys() == {2}
    assert {int(inputs_of(main, seed)[2]) for seed in range(50)} == set(range(7))
    (main,) = (
        op
        for op in parse_hlo("HloModule m\nENTRY e {\n  ROOT x = f32[<=8] parameter(0)\n}\n").ops
        if isinstance(op, FuncOp)
    )
    with pytest.raises(InterpretationError, match="only tensors of known size can be drawn"):
        inputs_of(main, 0)
