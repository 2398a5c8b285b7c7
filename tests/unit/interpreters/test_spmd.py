"""Programs on several devices: against XLA on as many CPU devices, and rejected programs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError
from xla_devices import Array, Run, run_on_devices

from xshardy.axes.grid import Grid
from xshardy.dialects import stablehlo
from xshardy.dialects.discardable import verify
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.interpreters.stablehlo import evaluate
from xshardy.interpreters.stablehlo.calls import Execution
from xshardy.interpreters.stablehlo.collectives import COLLECTIVES
from xshardy.interpreters.stablehlo.devices import DeadlockError, Device, on_all_devices
from xshardy.syntax import parse_module
from xshardy.transforms.hlo_async.schedule import AsyncSchedulePass
from xshardy.transforms.hlo_async.wrap import AsyncWrapPass
from xshardy.universe import new_context

CHANNEL = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
SUM = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  })"""


def groups(*rows: list[int]) -> str:
    return f"replica_groups = dense<{[*rows]}> : tensor<{len(rows)}x{len(rows[0])}xi64>"


def main(body: str, result: str = "tensor<4x4xf32>") -> str:
    """A program that computes `%0` of the 4x4 matrix `%x`."""
    return f"func.func @main(%x: tensor<4x4xf32>) -> {result} {{\n  {body}\n  func.return %0 : {result}\n}}"


def all_reduce(properties: str) -> str:
    return main(f'%0 = "stablehlo.all_reduce"(%x) <{{{properties}}}> {SUM} : (tensor<4x4xf32>) -> tensor<4x4xf32>')


def all_gather(properties: str, result: str) -> str:
    return main(f'%0 = "stablehlo.all_gather"(%x) <{{{properties}}}> : (tensor<4x4xf32>) -> {result}', result)


def reduce_scatter(properties: str, result: str) -> str:
    return main(f'%0 = "stablehlo.reduce_scatter"(%x) <{{{properties}}}> {SUM} : (tensor<4x4xf32>) -> {result}', result)


def all_to_all(properties: str, result: str) -> str:
    return main(f'%0 = "stablehlo.all_to_all"(%x) <{{{properties}}}> : (tensor<4x4xf32>) -> {result}', result)


def of_same_shape(name: str, properties: str) -> str:
    return main(f'%0 = "stablehlo.{name}"(%x) <{{{properties}}}> : (tensor<4x4xf32>) -> tensor<4x4xf32>')


def pairs(*rows: list[int]) -> str:
    return f"source_target_pairs = dense<{[*rows]}> : tensor<{len(rows)}x2xi64>"


@dataclass(frozen=True, slots=True)
class Case:
    """A program, and the grid of devices that run it."""

    text: str
    replicas: int = 4
    partitions: int = 1


DIM = "all_gather_dim = {} : i64, "
SCATTER = "scatter_dimension = {} : i64, "
EXCHANGE = "split_dimension = {} : i64, concat_dimension = {} : i64, split_count = {} : i64, "
GLOBAL = f"{CHANNEL}, use_global_device_ids"

GATHERED = "tensor<4x8xf32>"

CASES: Mapping[str, Case] = {
    "all_reduce_of_replicas": Case(all_reduce(groups([0, 2], [3, 1]))),
    "all_reduce_of_all": Case(all_reduce("replica_groups = dense<> : tensor<0x0xi64>")),
    "all_reduce_of_replicas_of_a_partition": Case(all_reduce(groups([0, 1])), 2, 2),
    "all_reduce_of_replicas_and_partitions": Case(all_reduce(groups([0], [1]) + CHANNEL), 2, 2),
    "all_reduce_of_numbered_devices": Case(all_reduce(groups([0, 3], [2, 1]) + GLOBAL), 2, 2),
    "all_reduce_of_partitions": Case(all_reduce(groups([0, 1, 3, 2]) + GLOBAL), 1, 4),
    "all_gather_rows": Case(all_gather(DIM.format(0) + groups([0, 1], [2, 3]), "tensor<8x4xf32>")),
    "all_gather_columns_in_order": Case(all_gather(DIM.format(1) + groups([3, 0, 2, 1]), "tensor<4x16xf32>")),
    "all_gather_of_both": Case(all_gather(DIM.format(0) + groups([1, 0]) + CHANNEL, "tensor<16x4xf32>"), 2, 2),
    "all_gather_of_partitions": Case(
        all_gather(DIM.format(1) + groups([2, 3], [1, 0]) + GLOBAL, "tensor<4x8xf32>"), 1, 4
    ),
    "reduce_scatter": Case(reduce_scatter(SCATTER.format(0) + groups([0, 1, 2, 3]), "tensor<1x4xf32>")),
    "reduce_scatter_in_order": Case(reduce_scatter(SCATTER.format(1) + groups([2, 0], [1, 3]), "tensor<4x2xf32>")),
    "reduce_scatter_of_partitions": Case(
        reduce_scatter(SCATTER.format(1) + groups([3, 1], [0, 2]) + GLOBAL, "tensor<4x2xf32>"), 1, 4
    ),
    "all_to_all": Case(all_to_all(EXCHANGE.format(0, 0, 4) + groups([0, 1, 2, 3]), "tensor<4x4xf32>")),
    "all_to_all_other_dimension": Case(
        all_to_all(EXCHANGE.format(1, 0, 2) + groups([0, 2], [3, 1]), "tensor<8x2xf32>")
    ),
    "all_to_all_of_partitions": Case(
        all_to_all(EXCHANGE.format(0, 1, 4) + groups([0, 1, 2, 3]) + CHANNEL, "tensor<1x16xf32>"), 1, 4
    ),
    "permute": Case(of_same_shape("collective_permute", pairs([0, 1], [1, 2], [2, 3], [3, 0]))),
    "permute_without_some": Case(of_same_shape("collective_permute", pairs([0, 1], [3, 2]))),
    "permute_partitions": Case(of_same_shape("collective_permute", pairs([0, 2], [2, 0], [1, 1]) + CHANNEL), 1, 4),
    "permute_in_a_grid": Case(of_same_shape("collective_permute", pairs([0, 1], [1, 0]) + CHANNEL), 2, 2),
    "numbers": Case(
        """func.func @main(%x: tensor<4x4xf32>) -> (tensor<1xui32>, tensor<1xui32>) {
          %0 = stablehlo.replica_id : tensor<ui32>
          %1 = stablehlo.partition_id : tensor<ui32>
          %2 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
          %3 = stablehlo.reshape %1 : (tensor<ui32>) -> tensor<1xui32>
          func.return %2, %3 : tensor<1xui32>, tensor<1xui32>
        }""",
        2,
        2,
    ),
    "in_a_loop": Case(
        f"""func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {{
          %zero = stablehlo.constant dense<0> : tensor<i32>
          %one = stablehlo.constant dense<1> : tensor<i32>
          %three = stablehlo.constant dense<3> : tensor<i32>
          %0:2 = stablehlo.while(%a = %x, %i = %zero) : tensor<4x4xf32>, tensor<i32>
            cond {{
              %go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %go : tensor<i1>
            }} do {{
              %1 = "stablehlo.collective_permute"(%a) <{{{pairs([0, 1], [1, 2], [2, 3], [3, 0])}}}>
                : (tensor<4x4xf32>) -> tensor<4x4xf32>
              %2 = stablehlo.subtract %1, %x : tensor<4x4xf32>
              %next = stablehlo.add %i, %one : tensor<i32>
              stablehlo.return %2, %next : tensor<4x4xf32>, tensor<i32>
            }}
          func.return %0#0 : tensor<4x4xf32>
        }}"""
    ),
    "layers": Case(
        f"""func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {{
          %0 = "stablehlo.all_gather"(%x) <{{{DIM.format(1)}{groups([0, 1, 2, 3])}}}>
            : (tensor<4x4xf32>) -> tensor<4x16xf32>
          %1 = stablehlo.slice %0 [0:4, 6:10] : (tensor<4x16xf32>) -> tensor<4x4xf32>
          %2 = stablehlo.add %1, %x : tensor<4x4xf32>
          %3 = "stablehlo.all_reduce"(%2) <{{{groups([0, 3], [1, 2])}}}> {SUM} : (tensor<4x4xf32>) -> tensor<4x4xf32>
          %4 = "stablehlo.all_reduce"(%x) <{{{groups([0, 1], [2, 3])}}}> {SUM} : (tensor<4x4xf32>) -> tensor<4x4xf32>
          %5 = stablehlo.subtract %3, %4 : tensor<4x4xf32>
          func.return %5 : tensor<4x4xf32>
        }}"""
    ),
}


def arguments_of(case: Case) -> list[list[Array]]:
    """A matrix of small integers for each device: their sums are the same in every order."""
    random = np.random.default_rng(5)
    return [[random.integers(-99, 99, (4, 4)).astype(np.float32)] for _ in range(case.replicas * case.partitions)]


@pytest.fixture(scope="module")
def xla_results() -> Mapping[str, list[list[Array]]]:
    pytest.importorskip("jax")
    runs = [Run(case.text, case.replicas, case.partitions, arguments_of(case)) for case in CASES.values()]
    return dict(zip(CASES, run_on_devices(runs), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_devices_compute_what_xlas_devices_compute(name: str, xla_results: Mapping[str, list[list[Array]]]):
    case = CASES[name]
    module = parse_module(case.text)
    verify(module)
    results = evaluate_spmd(module, arguments_of(case), case.replicas)
    for device, (ours, theirs) in enumerate(zip(results, xla_results[name], strict=True)):
        for mine, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(mine, other, f"device {device}")


def test_every_collective_has_a_case():
    text = "".join(case.text for case in CASES.values())
    assert {op.name for op in COLLECTIVES if op.name not in text} == {
        stablehlo.CollectiveBroadcastOp.name,
        stablehlo.CollectiveReduceOp.name,
    }


def test_broadcast_goes_from_the_first_of_the_group():
    """XLA's CPU client has no collective-broadcast, so the expected result is that of the specification."""
    case = Case(of_same_shape("collective_broadcast", groups([2, 0])))
    arguments = arguments_of(case)
    results = evaluate_spmd(parse_module(case.text), arguments, 4)
    expected = [arguments[2][0], np.zeros((4, 4)), arguments[2][0], np.zeros((4, 4))]
    np.testing.assert_array_equal([result for (result,) in results], expected)


def test_a_sum_is_on_the_first_of_the_group():
    """XLA's CPU client has no collective-reduce either."""
    properties = groups([2, 0])
    text = main(
        f'%0 = "stablehlo.collective_reduce"(%x) <{{{properties}}}> {SUM} : (tensor<4x4xf32>) -> tensor<4x4xf32>'
    )
    arguments = arguments_of(Case(text))
    results = evaluate_spmd(parse_module(text), arguments, 4)
    zeros = np.zeros((4, 4))
    expected = [zeros, zeros, arguments[2][0] + arguments[0][0], zeros]
    np.testing.assert_array_equal([result for (result,) in results], expected)


def test_an_older_sum_over_replicas():
    text = main(
        '%0 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<[[2, 0], [1, 3]]> : tensor<2x2xi64>}> '
        ": (tensor<4x4xf32>) -> tensor<4x4xf32>"
    )
    arguments = arguments_of(Case(text))
    results = evaluate_spmd(parse_module(text), arguments, 4)
    sums = [arguments[first][0] + arguments[second][0] for first, second in ((2, 0), (1, 3))]
    np.testing.assert_array_equal([result for (result,) in results], [sums[0], sums[1], sums[0], sums[1]])


ROOTED = """
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>, %roots: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>) {{
  %0:2 = "stablehlo.{name}"(%x, %y, %roots) <{{replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, has_dynamic_root}}>
    {region} : (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}}"""
"""Roots are numbers in the group: number 0 is device 1."""


def rooted(name: str, region: str, roots: list[int]) -> list[list[list[float]]]:
    """For each of two devices, both results of a collective; the devices bring 1 and 2, and 10 and 20."""
    values = ((1, 2), (10, 20))
    arguments = [[*(np.full(2, value, "f4") for value in of_device), np.array(roots, "i4")] for of_device in values]
    results = evaluate_spmd(parse_module(ROOTED.format(name=name, region=region)), arguments, 2)
    return [[result.tolist() for result in of_device] for of_device in results]


def test_each_tensor_has_a_root_of_its_own():
    assert rooted("collective_broadcast", "", [0, 1]) == [[[10, 10], [2, 2]]] * 2
    assert rooted("collective_reduce", SUM, [0, 1]) == [[[0, 0], [22, 22]], [[11, 11], [0, 0]]]
    with pytest.raises(InterpretationError, match="the root is number 2 of a group of 2"):
        rooted("collective_reduce", SUM, [0, 2])


@pytest.mark.parametrize("max_in_flight", [None, 1])
def test_asynchronous_collectives_compute_the_same(max_in_flight: int | None):
    case = CASES["layers"]
    module = parse_module(case.text)
    expected = evaluate_spmd(module, arguments_of(case), case.replicas)
    AsyncWrapPass(kinds=("collectives",)).apply(new_context(), module)
    AsyncSchedulePass(max_in_flight).apply(new_context(), module)
    verify(module)
    np.testing.assert_array_equal(evaluate_spmd(module, arguments_of(case), case.replicas), expected)


def test_one_device_is_a_grid_of_one():
    case = CASES["all_reduce_of_all"]
    (argument,) = arguments_of(case)[0]
    (result,) = evaluate(parse_module(case.text), [argument])
    np.testing.assert_array_equal(result, argument)


def on_replicas_below(bound: int) -> str:
    """Of the replicas, those with a number below `bound` take part in a collective for all four."""
    return main(
        f"""%id = stablehlo.replica_id : tensor<ui32>
  %bound = stablehlo.constant dense<{bound}> : tensor<ui32>
  %takes_part = stablehlo.compare LT, %id, %bound : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %0 = "stablehlo.if"(%takes_part) ({{
    %1 = "stablehlo.collective_permute"(%x) <{{{pairs([0, 1])}}}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    stablehlo.return %1 : tensor<4x4xf32>
  }}, {{
    stablehlo.return %x : tensor<4x4xf32>
  }}) : (tensor<i1>) -> tensor<4x4xf32>"""
    )


def test_collective_that_some_devices_skip_is_an_error():
    with pytest.raises(DeadlockError, match=r"collective_permute: device . waits for device\(s\) 3 forever"):
        evaluate_spmd(parse_module(on_replicas_below(3)), arguments_of(Case("")), 4)


def test_collective_that_all_devices_skip_is_none():
    arguments = arguments_of(Case(""))
    np.testing.assert_array_equal(evaluate_spmd(parse_module(on_replicas_below(0)), arguments, 4), arguments)


def meeting(*times: int) -> Callable[[Device], Execution]:
    """Device `i` of two meets the other at an operation, `times[i]` times."""
    op = stablehlo.ReplicaIdOp()

    def execution(device: Device) -> Execution:
        for _ in range(times[device.number]):
            yield device.arrive(op, (0, 1), [])
        return []

    return execution


def test_devices_that_wait_forever_are_an_error():
    """Device 0 waits for device 1, which has ended."""
    assert on_all_devices(Grid(1, 2), meeting(2, 2)) == [[], []]
    with pytest.raises(DeadlockError, match=r"device 0 waits for device\(s\) 1 forever"):
        on_all_devices(Grid(1, 2), meeting(2, 1))


def test_thousands_of_devices_take_turns():
    partial = [[np.full((4, 4), device, np.float32)] for device in range(3000)]
    everyone = all_reduce(groups([*range(3000)]))
    for (found,) in evaluate_spmd(parse_module(everyone), partial, 3000):
        assert found[0, 0] == 3000 * 2999 / 2


def test_failure_of_a_device_is_reported():
    arguments = arguments_of(Case(""))
    arguments[2] = [np.zeros(3, np.float32)]
    with pytest.raises(InterpretationError, match=r"the array given for it is float32\[3\]"):
        evaluate_spmd(parse_module(CASES["permute"].text), arguments, 4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (all_reduce(groups([0, 1, 2, 3])), "device 3 is in a group, but there are 2.*those of replicas"),
        (all_gather(DIM.format(0) + groups([0]), "tensor<4x4xf32>"), "device 1 is in no group"),
        (CASES["permute"].text, "it receives from 3, but there are 2 that send.*those of replicas"),
    ],
)
def test_groups_that_do_not_fit_the_devices_are_an_error(text: str, message: str):
    with pytest.raises(InterpretationError, match=message):
        evaluate_spmd(parse_module(text), arguments_of(Case(""))[:2], 2)


def test_grid_that_is_none_is_an_error():
    with pytest.raises(ValueError, match="3 devices cannot be 2 replicas"):
        evaluate_spmd(parse_module(CASES["permute"].text), arguments_of(Case(""))[:3], 2)
