"""Operations that are not evaluated, and why."""

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value, unsupported

NO_HOST = "there is no host to exchange values with"

REASONS: Mapping[type[Operation], str] = {
    hlo.ElidedConstantOp: hlo.ElidedConstantOp.ERROR,
    stablehlo.InfeedOp: NO_HOST,
    stablehlo.OutfeedOp: NO_HOST,
    stablehlo.RecvOp: NO_HOST,
    stablehlo.SendOp: NO_HOST,
}


def refuse(evaluator: Evaluator, op: Operation, *operands: Value) -> Sequence[Value]:
    raise unsupported(op, REASONS[type(op)])


REFUSED: Mapping[type[Operation], Rule] = dict.fromkeys(REASONS, refuse)
