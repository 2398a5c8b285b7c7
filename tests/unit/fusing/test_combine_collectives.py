"""Programs with combined collectives compute what they did before, whatever depends on what."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects import stablehlo
from xshardy.fusing.combine_collectives import CombineCollectivesPass, grouped
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.launch.prepared_program import entry_of
from xshardy.rewriting.walk import operations_of
from xshardy.syntax import parse_module

TYPE = "tensor<3xi32>"
KINDS = [("add", "[[0, 1]]", "1x2"), ("maximum", "[[0, 1]]", "1x2"), ("add", "[[0], [1]]", "2x1")]
ARGUMENTS = [[np.array([1, -2, 3], np.int32)], [np.array([5, 7, -11], np.int32)]]

Operation = tuple[int | None, int, int]
"""A collective of `KINDS`, or None for a sum, and its operands: how many values ago."""

operations = st.lists(st.tuples(st.sampled_from([None, 0, 1, 2]), st.integers(0, 9), st.integers(0, 9)), max_size=14)


def program(chosen: Sequence[Operation]) -> ModuleOp:
    """A function of `%v0` that returns each value it computes."""
    lines: list[str] = []
    for number, (kind, first, second) in enumerate(chosen):
        lhs, rhs = (f"%v{max(number - ago, 0)}" for ago in (first, second))
        result = f"%v{number + 1}"
        if kind is None:
            lines.append(f"{result} = stablehlo.subtract {lhs}, {rhs} : {TYPE}")
            continue
        name, groups, shape = KINDS[kind]
        lines.append(
            f'{result} = "stablehlo.all_reduce"({lhs}) <{{replica_groups = dense<{groups}> : tensor<{shape}xi64>}}> ({{'
            f"^bb0(%a: tensor<i32>, %b: tensor<i32>): %s = stablehlo.{name} %a, %b : tensor<i32> "
            f"stablehlo.return %s : tensor<i32> }}) : ({TYPE}) -> {TYPE}"
        )
    count = len(chosen) + 1
    types = ", ".join([TYPE] * count)
    body = "\n".join(lines)
    values = ", ".join(f"%v{number}" for number in range(count))
    return parse_module(f"func.func @main(%v0: {TYPE}) -> ({types}) {{\n{body}\nreturn {values} : {types} }}")


@given(operations, st.sampled_from([0, 12, 24, 1000]))
def test_results_stay(chosen: Sequence[Operation], limit: int):
    module = program(chosen)
    expected = evaluate_spmd(module, ARGUMENTS, 2)
    before = len(operations_of(module, stablehlo.AllReduceOp))
    CombineCollectivesPass(max_bytes=limit).rewrite_module(module)
    module.verify()
    np.testing.assert_array_equal(evaluate_spmd(module, ARGUMENTS, 2), expected)
    collectives = operations_of(module, stablehlo.AllReduceOp)
    assert sum(len(op.operands) for op in collectives) == before
    assert all(len(op.operands) == 1 or 12 * len(op.operands) <= limit for op in collectives)


@given(operations)
def test_blocks_without_collectives_to_combine_keep_their_order(chosen: Sequence[Operation]):
    groups = grouped(entry_of(program(chosen)).body.block, 0)
    assert [*groups.in_order()] == [[position] for position in range(len(chosen))]


def test_independent_gradients_are_one_collective():
    """Each of a hundred is summed where it is computed."""
    module = program([(None, 999, 999), (0, 0, 0)] * 100)
    CombineCollectivesPass().rewrite_module(module)
    (combined,) = operations_of(module, stablehlo.AllReduceOp)
    assert len(combined.operands) == 100
