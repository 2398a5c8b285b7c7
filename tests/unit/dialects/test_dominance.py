"""Dominators beside their definition, the order of MLIR's verifier, and time that grows with the text."""

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists
from xdsl.dialects import test
from xdsl.ir import Block, Region

from xshardy.dialects.discardable import verify
from xshardy.dialects.dominance import DominanceError, immediate_dominators, verify_dominance
from xshardy.syntax import parse_module


def graph(edges: list[list[int]]) -> Region:
    """A region with a block per entry, which ends with a branch to the blocks of that number."""
    blocks = [Block() for _ in edges]
    for block, targets in zip(blocks, edges, strict=True):
        block.add_op(test.TestTermOp(successors=[blocks[target % len(edges)] for target in targets]))
    return Region(blocks)


def reachable(edges: list[list[int]], without: int | None = None) -> set[int]:
    """The blocks that are reachable from the first one on paths that avoid `without`."""
    found, pending = set[int](), [0]
    while pending:
        block = pending.pop()
        if block not in found and block != without:
            found.add(block)
            pending += [target % len(edges) for target in edges[block]]
    return found


@given(lists(lists(integers(0, 11), max_size=3), min_size=1, max_size=12))
def test_dominators_by_definition(edges: list[list[int]]):
    """A block dominates those that are not reachable without it; the immediate dominator is the nearest of them."""
    blocks = list(graph(edges).blocks)
    found = {
        blocks.index(block): blocks.index(dominator) for block, dominator in immediate_dominators(blocks[0]).items()
    }
    everything = reachable(edges)
    dominated = {block: everything - reachable(edges, block) for block in everything}
    dominators = {block: {other for other in everything if block in dominated[other]} for block in everything}
    assert found.keys() == everything - {0}
    for block, dominator in found.items():
        assert dominator == max(dominators[block] - {block}, key=lambda other: len(dominators[other]))


def chain(size: int) -> str:
    """A function of `size` operations, and as many blocks that branch backwards."""
    ops = "\n".join(f"  %v{i + 1} = arith.addi %v{i}, %v0 : i32" for i in range(size))
    blocks = "\n".join(f"^b{i}:\n  cf.cond_br %c, ^b{max(i - 1, 0)}, ^b{i + 1}" for i in range(size))
    end = f"^b{size}:\n  return %v{size} : i32\n"
    return f"func.func @f(%v0: i32, %c: i1) -> i32 {{\n{ops}\n  cf.br ^b0\n{blocks}\n{end}}}"


def test_a_long_chain_of_blocks():
    """A quadratic step would take minutes, and recursion would not end."""
    verify_dominance(parse_module(chain(8_000)))


def test_a_value_of_a_region_that_has_ended():
    """Text cannot name it; a pass can read it."""
    module = parse_module(
        'func.func @f(%c: i1) {\n  scf.if %c {\n    %x = "test.op"() : () -> f32\n  }\n  "test.op"(%c) : (i1) -> ()\n'
        "  return\n}"
    )
    inner, outer = [op for op in module.walk() if op.name == "test.op"]
    outer.operands[0] = inner.results[0]
    with pytest.raises(DominanceError) as raised:
        verify(module)
    assert raised.value.op is outer
    assert raised.value.note == "operand defined here (op is neither in a parent nor in a child region)"
