"""Schedules of random programs: dependences and the limit are kept, nothing could be earlier or later, same results."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from async_programs import programs
from hypothesis import given
from hypothesis.strategies import integers, none, one_of
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.dialects.hlo import DoneOp, StartOp
from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax import parse_module
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo_async.schedule import AsyncSchedulePass, is_ordered, schedule_of
from xshardy.universe import new_context

LIMITS = one_of(none(), integers(1, 3))


def body_of(module: ModuleOp) -> list[Operation]:
    """The operations of `@main`, without the return."""
    return list(functions_of(module)["main"].body.block.ops)[:-1]


def reads(operations: Sequence[Operation]) -> dict[Operation, set[Operation]]:
    """For each operation all those whose results it needs, directly or not."""
    needed: dict[Operation, set[Operation]] = {}
    for op in operations:
        direct = {operand.owner for operand in op.operands if isinstance(operand.owner, Operation)}
        needed[op] = direct.union(*(needed[producer] for producer in direct))
    return needed


def in_flight(order: Sequence[Operation]) -> list[int]:
    """How many operations are in flight after each of `order`."""
    counts, now = list[int](), 0
    for op in order:
        now += isinstance(op, StartOp) - isinstance(op, DoneOp)
        counts.append(now)
    return counts


def is_work(op: Operation) -> bool:
    return not isinstance(op, StartOp | DoneOp)


@given(programs(), LIMITS)
def test_order_keeps_dependences_and_limit(text: str, limit: int | None):
    operations = body_of(parse_module(text))
    needed = reads(operations)
    order = schedule_of(operations, limit)
    assert order is not None
    assert sorted(order, key=operations.index) == operations
    for i, op in enumerate(order):
        assert needed[op] <= set(order[:i])
    assert limit is None or max(in_flight(order), default=0) <= limit


@given(programs(max_steps=14, max_chains=5), LIMITS)
def test_done_comes_when_all_others_wait_for_a_done_or_a_place(text: str, limit: int | None):
    operations = body_of(parse_module(text))
    needed = reads(operations)
    order = schedule_of(operations, limit)
    assert order is not None
    flying = in_flight(order)
    for i, done in enumerate(order):
        if not isinstance(done, DoneOp):
            continue
        later = order[i + 1 :]
        awaited = {done, *(other for other in later if not is_work(other))}
        for other in later:
            waits_for_place = isinstance(other, StartOp) and flying[i - 1] == limit
            assert isinstance(other, DoneOp) or waits_for_place or needed[other] & awaited


@given(programs(max_steps=14, max_chains=5))
def test_other_work_comes_when_all_starts_wait_for_a_done(text: str):
    operations = body_of(parse_module(text))
    needed = reads(operations)
    order = schedule_of(operations)
    assert order is not None
    for i, op in enumerate(order):
        starts = [later for later in order[i:] if isinstance(later, StartOp)]
        if is_work(op) and not any(op in needed[start] for start in starts):
            dones = {done for done in order[i:] if isinstance(done, DoneOp)}
            assert all(needed[start] & dones for start in starts)


def all_orders(operations: Sequence[Operation], needed: dict[Operation, set[Operation]]) -> Iterator[list[Operation]]:
    """Every order that keeps the dependences."""
    if not operations:
        yield []
    for op in operations:
        if not needed[op] & set(operations):
            for rest in all_orders([other for other in operations if other is not op], needed):
                yield [op, *rest]


def overlapped(order: Sequence[Operation]) -> int:
    """How much work is done while something is in flight."""
    return sum(is_work(op) and flying > 0 for op, flying in zip(order, in_flight(order), strict=True))


@given(programs(max_steps=6, max_chains=1), LIMITS)
def test_one_chain_overlaps_as_much_as_any_order_allows(text: str, limit: int | None):
    operations = body_of(parse_module(text))
    needed = reads(operations)
    order = schedule_of(operations, limit)
    assert order is not None
    assert overlapped(order) == max(map(overlapped, all_orders(operations, needed)))


@given(programs(max_steps=5, max_chains=2))
def test_two_chains_overlap_as_much_as_any_order_allows(text: str):
    operations = body_of(parse_module(text))
    needed = reads(operations)
    order = schedule_of(operations)
    assert order is not None
    assert overlapped(order) == max(map(overlapped, all_orders(operations, needed)))


@given(programs(max_steps=14, max_chains=5), LIMITS, integers(0, 2**31))
def test_results_stay(text: str, limit: int | None, seed: int):
    module = parse_module(text)
    arguments = list(np.random.default_rng(seed).standard_normal((2, 4)).astype(np.float32))
    expected = evaluate(module, arguments)
    AsyncSchedulePass(limit).apply(new_context(), module)
    module.verify()
    for ours, before in zip(evaluate(module, arguments), expected, strict=True):
        np.testing.assert_array_equal(ours, before)


@pytest.mark.parametrize("count", [1, 50])
def test_independent_operations_are_all_in_flight_at_once(count: int):
    starts = "".join(
        f"%s{i} = hlo.async_start @reverse(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>\n"
        f"%d{i} = hlo.async_done %s{i} : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>\n"
        for i in range(count)
    )
    module = parse_module(
        "func.func private @reverse(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "%0 = stablehlo.reverse %x, dims = [0] : tensor<4xf32>\nfunc.return %0 : tensor<4xf32>\n}\n"
        f"func.func @main(%x: tensor<4xf32>) {{\n{starts}func.return\n}}"
    )
    order = schedule_of(body_of(module))
    assert order is not None
    assert in_flight(order) == [*range(1, count + 1), *reversed(range(count))]


@pytest.mark.parametrize(
    ("operation", "ordered"),
    [
        ('"stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}>', False),
        ('"stablehlo.all_gather"(%x) <{all_gather_dim = 0, replica_groups = dense<[[0]]> : tensor<1x1xi64>}>', False),
        ("stablehlo.custom_call @f(%x) {has_side_effect = true}", True),
        ('"stablehlo.negate"(%x)', False),
    ],
)
def test_effects_order_operations_but_for_communication(operation: str, ordered: bool):
    text = f"%r = {operation} : (tensor<4xf32>) -> tensor<4xf32>"
    module = parse_module(f"func.func @main(%x: tensor<4xf32>) {{\n  {text}\n  func.return\n}}")
    (op,) = body_of(module)
    assert is_ordered(op) == ordered
