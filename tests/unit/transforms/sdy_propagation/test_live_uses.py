"""Uses of a value while operations are removed, against a module without those operations."""

from itertools import combinations

import pytest
from xdsl.ir import Operation

from xshardy.syntax import parse_module
from xshardy.transforms.sdy_propagation.live_uses import LiveUses

MODULE = """func.func @f(%x: tensor<8xf32>) {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  %1 = stablehlo.negate %x : tensor<8xf32>
  %2 = stablehlo.cosine %x : tensor<8xf32>
  func.return
}"""
COUNTS = (2, 1, 1)
"""How often each operation uses the argument."""
CASES = [removed for count in range(len(COUNTS) + 1) for removed in combinations(range(len(COUNTS)), count)]


def check(live: LiveUses, ops: list[Operation], removed: tuple[int, ...]) -> None:
    value = ops[0].operands[0]
    left = {ops[i]: COUNTS[i] for i in range(len(COUNTS)) if i not in removed}
    count = sum(left.values())
    assert live.users(value) == left
    assert sorted(map(id, (use.operation for use in live.uses(value)))) == sorted(
        id(op) for op, uses in left.items() for _ in range(uses)
    )
    assert live.has_any(value) == (count > 0)
    assert live.has_one(value) == (count == 1)
    assert live.has_several(value) == (count > 1)
    assert live.only_user(value) is (next(iter(left)) if count == 1 else None)
    assert [*live.dead] == [ops[i] for i in removed]
    assert [live.is_dead(op) for op in ops] == [i in removed for i in range(len(ops))]


@pytest.mark.parametrize("removed", CASES)
@pytest.mark.parametrize("counted_before", [False, True])
def test_uses_that_are_left(removed: tuple[int, ...], counted_before: bool):
    function = next(iter(parse_module(MODULE).ops))
    ops = [op for op in function.walk() if op.operands]
    live = LiveUses()
    if counted_before:
        check(live, ops, ())
    for number, op in enumerate(removed):
        live.remove(ops[op])
        if counted_before:
            check(live, ops, removed[: number + 1])
    check(live, ops, removed)
