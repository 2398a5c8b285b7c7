"""Opcodes that make random numbers."""

from collections.abc import Mapping
from dataclasses import replace

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, i64
from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.stablehlo.random_numbers import (
    RngAlgorithm,
    RngAlgorithmAttr,
    RngDistribution,
    RngDistributionAttr,
)
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.hlo_text.codecs import Fields, enum_codec
from xshardy.hlo_text.forms.arrays import array_type
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Form, Opcode, Regions, described, plain, prop, row
from xshardy.hlo_text.shapes import ArrayShape, TupleShape
from xshardy.hlo_text.tuples import IMPLICIT, UNIT, pack

DISTRIBUTIONS = {"rng_uniform": RngDistribution.UNIFORM, "rng_normal": RngDistribution.NORMAL}
ALGORITHMS = {
    "rng_default": RngAlgorithm.DEFAULT,
    "rng_three_fry": RngAlgorithm.THREE_FRY,
    "rng_philox": RngAlgorithm.PHILOX,
}
ALGORITHM = enum_codec(RngAlgorithmAttr, ALGORITHMS)


def rng(instruction: Instruction) -> Operation:
    """`rng(a, b), distribution=rng_uniform`; StableHLO has the shape as an operand."""
    if (distribution := DISTRIBUTIONS.get(instruction.fields["distribution"])) is None:
        raise instruction.error("unknown distribution", f"one of {', '.join(DISTRIBUTIONS)}")
    sizes = array_type(instruction).get_shape()
    value = DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(sizes)]), list(sizes))
    shape = stablehlo.ConstantOp.create(
        result_types=[value.type], properties={"value": value}, attributes={IMPLICIT: UNIT}
    )
    instruction.before.append(shape)
    return stablehlo.RngOp.create(
        operands=[*instruction.values, shape.results[0]],
        result_types=[instruction.result_type],
        properties={"rng_distribution": RngDistributionAttr(distribution)},
    )


def rng_fields(op: stablehlo.RngOp, regions: Regions) -> Fields:
    """`distribution=rng_uniform`"""
    return {"distribution": f"rng_{op.rng_distribution.data.value.lower()}"}


BIT_GENERATOR = described(stablehlo.RngBitGeneratorOp, 1, prop("algorithm", ALGORITHM, "rng_algorithm"))


def rng_bit_generator(instruction: Instruction) -> Operation:
    """`rng-bit-generator(state)` of the state and the numbers; of the numbers alone, it is the second one's element."""
    if not isinstance(instruction.shape, ArrayShape):
        return BIT_GENERATOR.build(instruction)
    types = [instruction.values[0].type, instruction.shape.type]
    both = TupleShape(tuple(map(ArrayShape, types)), tuple_type(types))
    made = BIT_GENERATOR.build(replace(instruction, shape=both))
    instruction.before.append(made)
    return stablehlo.GetTupleElementOp(pack(made.results, both.type, instruction.before), 1)


ROWS: Mapping[str, Opcode] = {
    "rng": row(
        rng,
        2,
        "distribution",
        forms=[Form(stablehlo.RngOp, rng_fields, lambda op, regions: op.operands[:2])],
    ),
    "rng-bit-generator": replace(BIT_GENERATOR, build=rng_bit_generator),
    "rng-get-and-update-state": plain(hlo.RngGetAndUpdateStateOp, 0, "delta"),
}
