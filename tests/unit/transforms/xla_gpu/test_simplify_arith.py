"""Comparisons decided by ranges, checked on all pairs of numbers in them."""

import pytest
from hypothesis import given
from hypothesis.strategies import SearchStrategy, builds, integers, sampled_from
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Operation

from xshardy.affine.interval import Interval
from xshardy.dialects.extensions.arith_elementwise import RELATIONS, Predicate
from xshardy.dialects.xla_gpu.discardable import set_range
from xshardy.transforms.canonicalization.arith_integers import RULES
from xshardy.transforms.canonicalization.constants import signed
from xshardy.transforms.xla_gpu.simplify_arith import RANGE_RULES, always, result_range


def intervals(least: int, greatest: int) -> SearchStrategy[Interval]:
    bounds = integers(least, greatest)
    return builds(lambda a, b: Interval(min(a, b), max(a, b)), bounds, bounds)


def numbers(interval: Interval) -> range:
    return range(interval.lower, interval.upper + 1)


@pytest.mark.parametrize("predicate", Predicate)
@given(lhs=intervals(-6, 6), rhs=intervals(-6, 6))
def test_always_holds_for_all_pairs(predicate: Predicate, lhs: Interval, rhs: Interval):
    mask = (1 << 64) - 1 if predicate.is_unsigned else -1
    answers = {RELATIONS[predicate](x & mask, y & mask) for x in numbers(lhs) for y in numbers(rhs)}
    holds = always(predicate, lhs, rhs)
    if holds is not None:
        assert answers == {holds}
    elif not predicate.is_unsigned:
        assert len(answers) == 2  # signed, the answer is as good as it can be


@given(sampled_from(list(RANGE_RULES)), intervals(-130, 130), intervals(-130, 130))
def test_ranges_of_results_hold_every_result(op_type: type[Operation], lhs: Interval, rhs: Interval):
    i8 = IntegerType(8)
    known = [interval.intersect(Interval(-128, 127)) or Interval(0, 0) for interval in (lhs, rhs)]
    operands: list[Operation] = []
    for interval in known:
        operand = AnyOp(result_types=[i8])
        set_range(operand, interval)
        operands.append(operand)
    op = op_type.create(operands=[operand.results[0] for operand in operands], result_types=[i8])
    found = result_range(op)
    results = {signed(RULES[op_type].compute(x, y, 8) or 0, 8) for x in numbers(known[0]) for y in numbers(known[1])}
    if found is not None:
        assert found == Interval(min(results), max(results)) or op_type is arith.MuliOp
        assert all(found.contains(result) for result in results)
