"""Elementwise operations: any operands of one shape, which also may be empty or without dimensions."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st
from xdsl.ir import Operation

from partitioning.samples import Draw, Sample, Sampler, array, program, shapes, tensor
from xshardy.dialects import stablehlo


def elementwise(name: str, elements: Sequence[str], operands: int, result: str | None = None, properties: str = ""):
    """A sampler of an operation on `operands` tensors, with elements of any one of these types."""

    def sampler(draw: Draw) -> Sample:
        shape, element = draw(shapes()), draw(st.sampled_from(elements))
        given = [(array(draw, shape, element, 1, 9), tensor(shape, element)) for _ in range(operands)]
        return program(f"stablehlo.{name}", given, [tensor(shape, result or element)], properties=properties)

    return sampler


NUMBERS = ("f32", "i32", "bf16")
FLOATS = ("f32",)
BITS = ("i32", "i1", "ui8")

UNARY: Mapping[type[Operation], Sequence[str]] = {
    stablehlo.AbsOp: ("f32", "i32"),
    stablehlo.CbrtOp: FLOATS,
    stablehlo.CeilOp: FLOATS,
    stablehlo.CosineOp: FLOATS,
    stablehlo.ExpOp: FLOATS,
    stablehlo.Expm1Op: FLOATS,
    stablehlo.FloorOp: FLOATS,
    stablehlo.LogOp: FLOATS,
    stablehlo.Log1pOp: FLOATS,
    stablehlo.LogisticOp: FLOATS,
    stablehlo.NegOp: NUMBERS,
    stablehlo.NotOp: BITS,
    stablehlo.ClzOp: ("i32", "ui8"),
    stablehlo.PopulationCountOp: ("i32", "ui8"),
    stablehlo.RoundOp: FLOATS,
    stablehlo.RoundNearestEvenOp: FLOATS,
    stablehlo.RsqrtOp: FLOATS,
    stablehlo.SignOp: NUMBERS,
    stablehlo.SineOp: FLOATS,
    stablehlo.SqrtOp: FLOATS,
    stablehlo.TanOp: FLOATS,
    stablehlo.TanhOp: FLOATS,
}

BINARY: Mapping[type[Operation], Sequence[str]] = {
    stablehlo.AddOp: (*NUMBERS, "i1"),
    stablehlo.AndOp: BITS,
    stablehlo.Atan2Op: FLOATS,
    stablehlo.DivOp: NUMBERS,
    stablehlo.MaxOp: NUMBERS,
    stablehlo.MinOp: NUMBERS,
    stablehlo.MulOp: NUMBERS,
    stablehlo.OrOp: BITS,
    stablehlo.PowOp: ("f32", "i32"),
    stablehlo.RemOp: ("f32", "i32"),
    stablehlo.ShiftLeftOp: ("i32", "ui8"),
    stablehlo.ShiftRightArithmeticOp: ("i32", "ui8"),
    stablehlo.ShiftRightLogicalOp: ("i32", "ui8"),
    stablehlo.SubtractOp: NUMBERS,
    stablehlo.XorOp: BITS,
}


def clamp(draw: Draw) -> Sample:
    """Bounds are scalars, or of the shape of the operand."""
    shape = draw(shapes())
    bounds = [draw(st.sampled_from([[], shape])) for _ in range(2)]
    given = [(array(draw, of, "i32"), tensor(of, "i32")) for of in (bounds[0], shape, bounds[1])]
    return program("stablehlo.clamp", given, [tensor(shape, "i32")])


def select(draw: Draw) -> Sample:
    shape = draw(shapes())
    predicate = draw(st.sampled_from([[], shape]))
    given = [(array(draw, predicate, "i1"), tensor(predicate, "i1"))]
    given += [(array(draw, shape, "i32"), tensor(shape, "i32")) for _ in range(2)]
    return program("stablehlo.select", given, [tensor(shape, "i32")])


def bitcast_convert(draw: Draw) -> Sample:
    """To elements of the same width, to several narrower ones, and back."""
    shape = draw(shapes())
    source, target = draw(
        st.sampled_from(
            [((shape, "i32"), (shape, "f32")), ((shape, "i32"), ([*shape, 4], "i8")), ([*shape, 2], "f32")][:2]
        )
    )
    if draw(st.booleans()):
        source, target = target, source
    return program("stablehlo.bitcast_convert", [(array(draw, *source, 1, 9), tensor(*source))], [tensor(*target)])


COMPARE = "comparison_direction = #stablehlo<comparison_direction LE>"

SAMPLERS: Mapping[type[Operation], Sampler] = {
    **{op: elementwise(op.name.removeprefix("stablehlo."), elements, 1) for op, elements in UNARY.items()},
    **{op: elementwise(op.name.removeprefix("stablehlo."), elements, 2) for op, elements in BINARY.items()},
    stablehlo.BitcastConvertOp: bitcast_convert,
    stablehlo.ClampOp: clamp,
    stablehlo.CompareOp: elementwise("compare", ("f32", "i32", "ui8"), 2, "i1", COMPARE),
    stablehlo.ComplexOp: elementwise("complex", FLOATS, 2, "complex<f32>"),
    stablehlo.ConvertOp: elementwise("convert", ("i32", "i1", "bf16"), 1, "f32"),
    stablehlo.ImagOp: elementwise("imag", ("complex<f32>",), 1, "f32"),
    stablehlo.IsFiniteOp: elementwise("is_finite", FLOATS, 1, "i1"),
    stablehlo.RealOp: elementwise("real", ("complex<f32>",), 1, "f32"),
    stablehlo.ReducePrecisionOp: elementwise(
        "reduce_precision", FLOATS, 1, None, "exponent_bits = 5 : i32, mantissa_bits = 2 : i32"
    ),
    stablehlo.SelectOp: select,
}
