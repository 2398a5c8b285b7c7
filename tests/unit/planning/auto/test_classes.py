"""Which nodes are alike: each fact about a node, and what is around it, on nodes made by hand."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, bf16, f32
from xdsl.dialects.test import TestOp
from xdsl.ir import Attribute

from xshardy.dialects import stablehlo
from xshardy.planning.auto.choices import Choices, Placements
from xshardy.planning.auto.classes import classes_of
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


def classes(*nodes: Node, **options: Any) -> list[int]:
    program: Any = SimpleNamespace(nodes=nodes)
    found = classes_of(program, **options)
    return [found[each] for each in nodes]


def test_arguments_that_nothing_reads_are_alike():
    assert classes(node(), node(), node()) == [0, 0, 0]


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
    assert classes(node(stablehlo.TanhOp), other, node(stablehlo.TanhOp)) == [0, 1, 0]


def test_of_operations_that_are_decided_together_the_kinds_do_not_count():
    pairs = [node(stablehlo.TanhOp, other) for other in (stablehlo.ExpOp, stablehlo.TanhOp)]
    assert classes(*pairs) == [0, 0]


def chain(kind: type[Any], placements: Placements = WHOLE, produced: Placements = WHOLE) -> list[Node]:
    """An operation, and four that read each other in a row behind it."""
    nodes = [node(kind)]
    for _ in range(4):
        value = next(iter(nodes[-1].results))
        nodes.append(node(stablehlo.TanhOp, reads=[Read(value, nodes[-1], produced, placements, 1)]))
    return nodes


def test_surroundings_count_as_far_as_the_rounds_go():
    chains = chain(stablehlo.ExpOp) + chain(stablehlo.SqrtOp)
    found = classes(*chains)
    alike = [one == other for one, other in zip(found[:5], found[5:], strict=True)]
    assert alike == [False, False, False, False, True]
    found = classes(*chains, rounds=1)
    assert [one == other for one, other in zip(found[:5], found[5:], strict=True)] == [False, False, True, True, True]


@pytest.mark.parametrize("changed", ["placements", "produced"])
def test_how_a_value_is_read_counts(changed: str):
    nodes = chain(stablehlo.ExpOp) + chain(stablehlo.ExpOp, **{changed: OTHER})
    found = classes(*nodes)
    assert {*found[:5]}.isdisjoint(found[5:])
