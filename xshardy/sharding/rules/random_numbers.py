"""Random numbers."""

from collections.abc import Mapping

from xdsl.ir import Operation

from xshardy.dialects.stablehlo.random_numbers import RngBitGeneratorOp
from xshardy.sharding.rules.builder import Factor, Factors, FactorType, Row, Shapes


def rng_bit_generator(shapes: Shapes, parameters: object = ()) -> Factors:
    """`([i])->([i], [j, k]) need_replication={i} blocked_propagation={i}`: every device needs the whole state."""
    (state,), (_, output) = shapes.operands, shapes.results
    for dim, size in enumerate(state):
        yield Factor((dim,), (dim, None), size, FactorType.NEED_REPLICATION, blocked=True)
    for dim, size in enumerate(output):
        yield Factor((None,), (None, dim), size)


RULES: Mapping[type[Operation], Row] = {RngBitGeneratorOp: Row(rng_bit_generator)}
