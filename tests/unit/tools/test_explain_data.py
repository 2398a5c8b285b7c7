"""The data of the page of `xshardy explain --html`: paths are those of the history, and its cost is linear."""

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, tuples
from sharded_programs import sharded_text

from xshardy.programs.sharded import Sharded
from xshardy.tools.explain.folds import Fold, folds, without_numbers
from xshardy.tools.explain.page_data import PageData, page_data
from xshardy.tools.explain.picking import named_value
from xshardy.tools.explain.story import story

LAYER = """
  %{0}a = stablehlo.dot_general %{1}, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %{0}b = stablehlo.custom_call @unknown(%{0}a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %{0}c = stablehlo.add %{0}b, %{1} : tensor<8x8xf32>
  %{0} = stablehlo.tanh %{0}c : tensor<8x8xf32>"""  # noqa: E501


def layers(count: int) -> Sharded:
    """A program of `count` layers, each of five lines with an empty one before it; the first layer is `%l1`."""
    text = (
        'sdy.mesh @mesh = <["a"=4, "b"=4]>\n'
        'func.func @main(%l0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>},\n'
        '    %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(1)2}]>}) -> tensor<8x8xf32> {'
        + "".join(LAYER.format(f"l{layer}", f"l{layer - 1}") for layer in range(1, count + 1))
        + f"\n  return %l{count} : tensor<8x8xf32>\n}}\n"
    )
    return sharded_text(text, "layers")


@pytest.fixture(scope="module")
def program() -> Sharded:
    return layers(8)


@pytest.fixture(scope="module")
def data(program: Sharded) -> PageData:
    return page_data(program)


def test_paths_are_those_of_the_history(program: Sharded, data: PageData):
    history = program.history
    paths = 0
    for number, value in zip(history.numbers(), data["values"], strict=True):
        sharding = history.sharding(number)
        axes = [] if sharding is None else [axis for dim in sharding.dim_shardings for axis in dim.axes]
        for axis, came in zip(axes, value.came, strict=True):
            steps: list[tuple[int, int]] = []
            while came >= 0:
                step, _, _, target, came = data["steps"][came]
                steps.append((step, target + 1))
            path = history.path(number, axis)
            assert steps == [(arrival.step, arrival.target) for arrival in path]
            assert data["origins"][~came][0] + 1 == (path[-1].source if path else number)
            paths += len(path) > 1
    assert paths > 8


def test_each_step_is_written_once(data: PageData):
    assert len(set(data["steps"])) == len(data["steps"])
    assert all(row[4] < number for number, row in enumerate(data["steps"])), "a step comes after those before it"


def test_losses_are_those_of_the_story(program: Sharded, data: PageData):
    number = named_value(program, "%l3b", "layers")
    losses = [row for row in data["losses"] if row[0] == number - 1]
    told = [line for line in story(program, number) if line.startswith("    at ")]
    assert len(losses) == len(told) > 0
    for (_, operation, other, label, text), line in zip(losses, told, strict=True):
        name = data["operations"][operation][0]
        assert line.startswith(f"    at {name} (line ")
        assert line.endswith(f"{data['texts'][label]} {data['values'][other].name} {data['texts'][text]}")


def test_devices_and_bytes_of_a_tensor(data: PageData):
    value = next(value for value in data["values"] if value.name.startswith("%l1 ("))
    text, mesh, dims, parts = data["shardings"][value.sharding]
    assert (text, dims) == ('[{"a", ?}, {?}]', [[0], []])
    assert data["meshes"][mesh] == ([("a", 4), ("b", 4)], list(range(16)))
    assert [data["parts"][part] for part in parts] == [[device // 4 for device in range(16)], [0] * 16]
    assert data["types"][value.type] == ("tensor<8x8xf32>", (8, 8))
    assert (value.bytes, value.bytes_before) == (64, 256)


def test_results_of_calls_and_loops_have_their_lines():
    text = """sdy.mesh @mesh = <["a"=4]>
      func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
        %n = stablehlo.constant dense<3> : tensor<i32>
        %0:2 = func.call @twice(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
        %1:2 = stablehlo.while(%i = %n, %y = %0#1) : tensor<i32>, tensor<8xf32>
        cond {
          %2 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %2 : tensor<i1>
        } do {
          stablehlo.return %i, %y : tensor<i32>, tensor<8xf32>
        }
        return %1#1 : tensor<8xf32>
      }
      func.func private @twice(%y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
        %0 = stablehlo.add %y, %y : tensor<8xf32>
        return %y, %0 : tensor<8xf32>, tensor<8xf32>
      }"""
    lines = {value.name: value.line for value in page_data(sharded_text(text, "calls"))["values"]}
    assert lines["%0#1 (line 4)"] == 4
    assert lines["argument 0 inside the call of @twice (line 4) (%y)"] == 4
    assert lines["%1#1 (line 5)"] == 5
    assert lines["%0 (line 15)"] == 15
    assert lines["result 0 of @main"] == 2


def test_layers_are_folded(data: PageData):
    assert list(data["folds"]) == [Fold(start=3, period=4, copies=8)]


def calls_of(run: Callable[[], Any]) -> int:
    """How many functions of Python `run` calls."""
    count = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def calls_for_page(program: Sharded) -> int:
    return calls_of(lambda: page_data(program))


def characters_of_page(program: Sharded) -> int:
    return len(json.dumps(page_data(program)))


def test_the_cost_is_linear_in_the_layers():
    """Calls and bytes of each further layer are the same, where a path through all layers before would add to them."""
    small, middle, large = layers(16), layers(32), layers(64)
    for cost in (calls_for_page, characters_of_page):
        first, second = cost(middle) - cost(small), cost(large) - cost(middle)
        assert second <= 2.2 * first


@given(lists(tuples(lists(integers(0, 2), min_size=1, max_size=6), integers(1, 8)), max_size=5))
def test_folds_are_repetitions(runs: list[tuple[list[int], int]]):
    lines = [line for run, copies in runs for line in run * copies]
    after = 0
    for start, period, copies in folds(lines):
        assert start >= after, "none is inside of another"
        after = start + period * copies
        assert lines[start : after - period] == lines[start + period : after]
        assert copies >= 3 and after <= len(lines)


def test_names_of_copies_are_equal():
    assert without_numbers("%12 = call @_where_3(%cst_4, %7#1)") == without_numbers("%9 = call @_where_0(%cst_5, %1#0)")
    assert without_numbers("%12 = stablehlo.slice %1 [0:4]") != without_numbers("%12 = stablehlo.slice %1 [0:8]")
