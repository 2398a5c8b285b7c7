"""The history of propagation: the path of every axis of every value hangs together, and begins where it was written."""

import warnings
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, sampled_from, tuples
from xdsl.dialects.builtin import ModuleOp
from xdsl.traits import IsTerminator

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.axis_refs import overlaps
from xshardy.dialects.sdy.ops import ShardingGroupOp
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.failures import OperationFailedException, OperationWarning
from xshardy.transforms.sdy_propagation.propagation_history import Arrival, History, propagate_with_history
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

INPUTS = Path(__file__).parents[2] / "filecheck" / "transforms" / "sdy_propagation"
MODULES = {
    f"{file.stem}-{index}": text
    for file in sorted(INPUTS.glob("*_propagate*.mlir"))
    if not file.stem.endswith("_invalid")
    for index, text in enumerate(file.read_text().split("// -----"))
}


def check_paths(history: History, module: ModuleOp) -> int:
    """Check the path of every axis; gives the number of steps in all of them."""
    steps = 0
    in_groups = {op.input for op in module.walk() if isinstance(op, ShardingGroupOp)}
    for number in history.numbers():
        sharding = history.sharding(number)
        for axis in (axis for dim in sharding.dim_shardings for axis in dim.axes) if sharding is not None else ():
            path = history.path(number, axis)
            targets = [number, *(arrival.source for arrival in path)]
            assert [arrival.target for arrival in path] == targets[:-1]
            assert all(later.step > earlier.step for later, earlier in pairwise(path))
            assert all(overlaps(arrival.axis, axis) for arrival in path)
            for arrival in path:
                tensors = {history.number(value) for value in (*arrival.op.operands, *arrival.op.results)}
                others = {arrival.source, arrival.target} - tensors
                assert len(others) == (1 if arrival.op.has_trait(IsTerminator) else 0)  # the result of the function
            written = history.written(targets[-1])
            if not in_groups:
                assert written is not None
                assert any(overlaps(axis, known) for known in written.axis_refs())
            assert history.source(number, axis) == targets[-1]
            steps += len(path)
    return steps


@pytest.mark.parametrize("name", MODULES)
def test_paths_begin_where_axes_were_written(name: str):
    module = parse_module(MODULES[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperationWarning)
        try:
            history = propagate_with_history(module, new_context())
        except OperationFailedException:
            pytest.skip("the pipeline does not take what the pass alone does")
    check_paths(history, module)


def test_there_are_paths():
    module = parse_module((INPUTS.parents[3] / "examples" / "mlp.mlir").read_text())
    assert check_paths(propagate_with_history(module, new_context()), module) >= 8


def test_steps_are_recorded_beside_the_records_for_debugging():
    module = parse_module((INPUTS.parents[3] / "examples" / "mlp.mlir").read_text())
    history = propagate_with_history(module, new_context(), PropagationPipelinePass(debug_sharding_origins=True))
    assert check_paths(history, module) >= 8
    assert "sdy.sharding_origins" in print_module(module)


@pytest.mark.filterwarnings("ignore:custom call @unknown")
def test_operations_without_operands_are_no_neighbourhoods():
    """Nothing goes through them, so that a missing sharding rule is none of their faults."""
    module = parse_module("""func.func @main(%x: tensor<8xi32>) -> tensor<8xi32> {
      %c = stablehlo.constant dense<1> : tensor<8xi32>
      %i = stablehlo.iota dim = 0 : tensor<8xi32>
      %0 = stablehlo.add %c, %i : tensor<8xi32>
      %1 = stablehlo.custom_call @unknown(%0, %x) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
      return %1 : tensor<8xi32>
    }""")
    history = propagate_with_history(module, new_context())
    assert [each.op.name for each in history.neighbourhoods()] == ["stablehlo.add", "stablehlo.custom_call"]


def test_two_values_that_exchange_the_parts_of_an_axis():
    """In one step: the path of the whole axis ends at what its source had before that step."""
    module = parse_module("""sdy.mesh @mesh = <["a"=4]>
    func.func @main(%x: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a":(2)2, ?}]>}) -> tensor<8xf32> {
      %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2, ?}]>]>}
        : (tensor<2x4xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }""")
    history = propagate_with_history(module, new_context())
    (reshape,) = (op for op in module.walk() if op.name == "stablehlo.reshape")
    number = history.number(reshape.results[0])
    assert number is not None
    (arrival,) = history.path(number, AxisRefAttr("a"))
    assert history.home(arrival.source) == reshape.operands[0]


AXES = [AxisRefAttr("a"), AxisRefAttr.part("a", 1, 2), AxisRefAttr.part("a", 2, 2), AxisRefAttr("b")]


@given(lists(tuples(integers(0, 5), sampled_from(AXES), integers(0, 5)), max_size=20))
def test_sources_are_the_ends_of_paths(gains: list[tuple[int, AxisRefAttr, int]]):
    """Also where a value gets an axis again, after others got it from there."""
    history = propagate_with_history(parse_module("func.func @main() { return }"), new_context())
    arrivals: dict[int, list[Arrival]] = {}
    for step, (target, axis, source) in enumerate(gains):
        arrivals.setdefault(target, []).append(Arrival(step, ModuleOp([]), axis, source, target))
    history.__dict__["_arrivals"] = arrivals
    for number in range(6):
        for axis in AXES:
            path = history.path(number, axis)
            assert history.source(number, axis) == (path[-1].source if path else number)
