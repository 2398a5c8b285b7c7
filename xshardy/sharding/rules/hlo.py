"""Operations of HLO text that StableHLO lacks: the rules of those that MHLO has too, and constants."""

from collections.abc import Mapping

from xdsl.ir import Operation

from xshardy.dialects.hlo import CopyOp, ElidedConstantOp, TopKOp, TupleConstantOp
from xshardy.sharding.rules import mhlo
from xshardy.sharding.rules.builder import Row

RULES: Mapping[type[Operation], Row | None] = {
    CopyOp: mhlo.RULES[mhlo.CopyOp],
    TopKOp: mhlo.RULES[mhlo.TopKOp],
    ElidedConstantOp: None,
    TupleConstantOp: None,
}
