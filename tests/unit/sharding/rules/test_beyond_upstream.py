"""Elementwise operations that upstream's registry lacks have rules on request only."""

import pytest
from xdsl.dialects.builtin import TensorType, f32
from xdsl.dialects.test import TestOp as Producer
from xdsl.ir import Operation

from xshardy.dialects.chlo import CHLO, TopKOp
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.hlo import HLO, CopyOp
from xshardy.dialects.mhlo import TopKOp as MHLOTopKOp
from xshardy.dialects.stablehlo import STABLEHLO
from xshardy.sharding.rules import ShardingRules

OPERATIONS = [op for dialect in (CHLO, HLO) for op in dialect.operations]
BEYOND_UPSTREAM = [op for op in OPERATIONS if op.has_trait(Elementwise) and op is not CopyOp]


def make(op: type[Operation], operands: int) -> Operation:
    x = Producer.create(result_types=[TensorType(f32, [8, 4])]).results[0]
    return op.create(operands=[x] * operands, result_types=[x.type])


@pytest.mark.parametrize("op", BEYOND_UPSTREAM, ids=lambda op: op.name)
def test_elementwise_operations_have_a_rule_on_request(op: type[Operation]):
    upstream, beyond = ShardingRules(), ShardingRules(beyond_upstream=True)
    for operands in (1, 2):
        assert upstream.of(make(op, operands)) is None
        rule = beyond.of(make(op, operands))
        assert rule is not None and str(rule).endswith("->([i, j]) {i=8, j=4}>")
    assert upstream.unknown and not beyond.unknown


def test_the_list_is_not_empty():
    assert len(BEYOND_UPSTREAM) > 20


def test_a_copy_has_the_rule_that_upstream_has_for_mhlo():
    assert str(ShardingRules().of(make(CopyOp, 1))).endswith("([i, j])->([i, j]) {i=8, j=4}>")


def test_top_k_of_chlo_has_the_rule_that_upstream_has_for_mhlo():
    x = Producer.create(result_types=[TensorType(f32, [8, 4])]).results[0]
    chlo, mhlo = TopKOp(x, 2, largest=True), MHLOTopKOp(x, 2, largest=True)
    assert ShardingRules().of(chlo) is None
    assert ShardingRules(beyond_upstream=True).of(chlo) == ShardingRules().of(mhlo)


def test_every_elementwise_operation_of_stablehlo_has_a_rule_on_request():
    rules = ShardingRules(beyond_upstream=True)
    for op in STABLEHLO.operations:
        if op.has_trait(Elementwise):
            assert rules.of(make(op, 2)) is not None, op.name


def test_other_unknown_operations_have_none():
    rules = ShardingRules(beyond_upstream=True)
    assert rules.of(Producer.create(operands=[], result_types=[TensorType(f32, [8])])) is None
    assert rules.unknown
