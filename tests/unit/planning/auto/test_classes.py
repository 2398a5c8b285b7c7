"""Which places of a graph are alike: nodes of programs, made by hand, and places of any graph."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, bf16, f32
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute

from xshardy.dialects import stablehlo
from xshardy.planning.auto.choices import Choices, Placements
from xshardy.planning.auto.classes import classes, classes_of
from xshardy.planning.auto.nodes import Node, Read

FLOATS = TensorType(f32, [8])
WHOLE = Placements(((),), np.zeros(1, int))
OTHER = Placements(((),), np.zeros(1, int))
CHOICES, OTHERS = (Choices(np.zeros(1), (WHOLE,), (WHOLE,)) for _ in range(2))


def node(
    *op_types: type[Any], choices: Choices = CHOICES, count: int = 1, type: Attribute = FLOATS, reads: Any = ()
) -> Node:
    value = TestOp(result_types=[FLOATS]).results[0]
    ops = [op_type.create(operands=[value], result_types=[type]) for op_type in op_types]
    results = {result: WHOLE for op in ops or [TestOp(result_types=[type])] for result in op.results}
    return Node(ops, choices, count, results, [*reads])


def classes_among(*nodes: Node) -> list[int]:
    program: Any = SimpleNamespace(nodes=nodes)
    found = classes_of(program)
    return [found[each] for each in nodes]


def test_arguments_that_nothing_reads_are_alike():
    assert classes_among(node(), node(), node()) == [0, 0, 0]


@pytest.mark.parametrize(
    "other",
    [
        node(stablehlo.TanhOp, choices=OTHERS),
        node(stablehlo.ExpOp),
        node(stablehlo.TanhOp, count=2),
        node(stablehlo.TanhOp, type=TensorType(bf16, [8])),
        node(),
    ],
    ids=["choices", "operation", "count", "type", "argument"],
)
def test_what_is_no_surrounding(other: Node):
    assert classes_among(node(stablehlo.TanhOp), other, node(stablehlo.TanhOp)) == [0, 1, 0]


def test_of_operations_that_are_decided_together_the_kinds_do_not_count():
    pairs = [node(stablehlo.TanhOp, other) for other in (stablehlo.ExpOp, stablehlo.TanhOp)]
    assert classes_among(*pairs) == [0, 0]


def chain(kind: type[Any], placements: Placements = WHOLE, produced: Placements = WHOLE) -> list[Node]:
    """An operation, and four that read each other in a row behind it."""
    nodes = [node(kind)]
    for _ in range(4):
        value = next(iter(nodes[-1].results))
        nodes.append(node(stablehlo.TanhOp, reads=[Read(value, nodes[-1], produced, placements, 1)]))
    return nodes


def test_surroundings_count_as_far_as_the_rounds_go():
    chains = chain(stablehlo.ExpOp) + chain(stablehlo.SqrtOp)
    found = classes_among(*chains)
    alike = [one == other for one, other in zip(found[:5], found[5:], strict=True)]
    assert alike == [False, False, False, False, True]


@pytest.mark.parametrize("changed", ["placements", "produced"])
def test_how_a_value_is_read_counts(changed: str):
    nodes = chain(stablehlo.ExpOp) + chain(stablehlo.ExpOp, **{changed: OTHER})
    found = classes_among(*nodes)
    assert {*found[:5]}.isdisjoint(found[5:])


CHAIN = [(1, 0, "x"), (2, 1, "x"), (3, 2, "x"), (4, 3, "x"), (5, 4, "x")]


@pytest.mark.parametrize(
    ("rounds", "expected"), [(0, [0] * 6), (1, [0, 1, 1, 1, 1, 2]), (2, [0, 1, 2, 2, 3, 4]), (9, [0, 1, 2, 3, 4, 5])]
)
def test_surroundings_are_compared_as_many_reads_away_as_there_are_rounds(rounds: int, expected: list[int]):
    assert classes(["add"] * 6, CHAIN, rounds) == expected


def test_places_of_another_kind_are_not_alike():
    assert classes(["add", "add", "dot"], [], 2) == [0, 0, 1]


def test_how_a_place_is_read_and_how_often_tells_places_apart():
    reads = [(4, 0, "x"), (5, 1, "y"), (6, 2, "x"), (6, 2, "x"), (7, 3, "x")]
    assert classes(["add"] * 8, reads, 1) == [0, 1, 2, 0, 3, 4, 5, 3]


def test_a_reader_is_not_like_what_it_reads():
    assert classes(["add"] * 2, [(0, 1, "x")], 1) == [0, 1]
