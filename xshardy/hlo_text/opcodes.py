"""
The table of HLO opcodes: how each becomes an operation, and is printed again.

A row says how many operands the opcode takes, which attributes it must and may have, which function builds the
operation, and how operations are printed under the opcode. To support another opcode, add a row here or to the module
of `forms` that has its kind (and, for an attribute of a new name, a row of `fields.READERS`). The rows of elementwise
operations of `hlo` follow from their classes.
"""

from collections.abc import Mapping
from typing import NoReturn

from xdsl.ir import Operation
from xdsl.irdl import OptPropertyDef

from xshardy.dialects import chlo, hlo, mhlo, stablehlo
from xshardy.dialects.stablehlo.fourier import FftType, FftTypeAttr
from xshardy.dialects.stablehlo.linear_algebra import Transpose, TransposeAttr
from xshardy.hlo_text.codecs import BOOLEAN, FLOAT, INTEGER, INTEGERS, Fields, enum_codec
from xshardy.hlo_text.fields import read_raw
from xshardy.hlo_text.forms import (
    arrays,
    collectives,
    communication,
    contractions,
    control_flow,
    custom_calls,
    random_numbers,
    reductions,
)
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import Form, Opcode, Property, Regions, mapped, plain, row, same

FFT_TYPE = enum_codec(FftTypeAttr, {kind.value: kind for kind in FftType})
TRANSPOSE = enum_codec(TransposeAttr, {kind.value: kind for kind in Transpose})
BATCH_NORM = {"epsilon": Property("epsilon", FLOAT), "feature_index": Property("feature_index", INTEGER)}
DOT_DIMENSIONS = "lhs_batch_dims rhs_batch_dims lhs_contracting_dims rhs_contracting_dims operand_precision"


def transcendental(op: type[Operation]) -> Opcode:
    """A row for a function that may ask for an accuracy of its result."""

    def build(instruction: Instruction) -> Operation:
        accuracy = instruction.fields.get("result_accuracy")
        return instruction.create(op, **({"result_accuracy": accuracy} if accuracy else {}))

    def fields(op: Operation, regions: Regions) -> Fields:
        accuracy = op.properties.get("result_accuracy")
        return {} if accuracy is None else {"result_accuracy": accuracy}

    return row(build, 1, "", "result_accuracy", forms=[Form(op, fields)])


def elementwise(op: type[hlo.ElementwiseOp]) -> Opcode:
    """The row of an elementwise operation of `hlo`, from its definition: its attributes are properties."""
    definition = op.get_irdl_definition()
    optional = [name for name, prop in definition.properties.items() if isinstance(prop, OptPropertyDef)]
    required = [name for name in definition.properties if name not in optional]
    return plain(op, len(definition.operands), " ".join(required), " ".join(optional))


def parameter(instruction: Instruction) -> NoReturn:
    """Parameters become arguments of a function; the parser sees to them, and no operation stands for them."""
    raise AssertionError(f"{instruction.opcode} is not built")


UNARY: Mapping[str, type[Operation]] = {
    "abs": stablehlo.AbsOp,
    "acos": chlo.AcosOp,
    "acosh": chlo.AcoshOp,
    "asin": chlo.AsinOp,
    "asinh": chlo.AsinhOp,
    "atanh": chlo.AtanhOp,
    "bitcast": hlo.BitcastOp,
    "bitcast-convert": stablehlo.BitcastConvertOp,
    "ceil": stablehlo.CeilOp,
    "convert": stablehlo.ConvertOp,
    "cosh": chlo.CoshOp,
    "count-leading-zeros": stablehlo.ClzOp,
    "floor": stablehlo.FloorOp,
    "imag": stablehlo.ImagOp,
    "is-finite": stablehlo.IsFiniteOp,
    "negate": stablehlo.NegOp,
    "not": stablehlo.NotOp,
    "popcnt": stablehlo.PopulationCountOp,
    "real": stablehlo.RealOp,
    "round-nearest-afz": stablehlo.RoundOp,
    "round-nearest-even": stablehlo.RoundNearestEvenOp,
    "sign": stablehlo.SignOp,
    "sinh": chlo.SinhOp,
}

TRANSCENDENTAL: Mapping[str, type[Operation]] = {
    "cbrt": stablehlo.CbrtOp,
    "cosine": stablehlo.CosineOp,
    "erf": chlo.ErfOp,
    "exponential": stablehlo.ExpOp,
    "exponential-minus-one": stablehlo.Expm1Op,
    "log": stablehlo.LogOp,
    "log-plus-one": stablehlo.Log1pOp,
    "logistic": stablehlo.LogisticOp,
    "rsqrt": stablehlo.RsqrtOp,
    "sine": stablehlo.SineOp,
    "sqrt": stablehlo.SqrtOp,
    "tan": stablehlo.TanOp,
    "tanh": stablehlo.TanhOp,
}

BINARY: Mapping[str, type[Operation]] = {
    "add": stablehlo.AddOp,
    "and": stablehlo.AndOp,
    "atan2": stablehlo.Atan2Op,
    "complex": stablehlo.ComplexOp,
    "divide": stablehlo.DivOp,
    "maximum": stablehlo.MaxOp,
    "minimum": stablehlo.MinOp,
    "multiply": stablehlo.MulOp,
    "or": stablehlo.OrOp,
    "power": stablehlo.PowOp,
    "remainder": stablehlo.RemOp,
    "shift-left": stablehlo.ShiftLeftOp,
    "shift-right-arithmetic": stablehlo.ShiftRightArithmeticOp,
    "shift-right-logical": stablehlo.ShiftRightLogicalOp,
    "subtract": stablehlo.SubtractOp,
    "xor": stablehlo.XorOp,
}

OPCODES: Mapping[str, Opcode] = {
    **{opcode: same(op, 1) for opcode, op in UNARY.items()},
    **{opcode: transcendental(op) for opcode, op in TRANSCENDENTAL.items()},
    **{opcode: same(op, 2) for opcode, op in BINARY.items()},
    **{hlo.hlo_opcode(op.name): elementwise(op) for op in hlo.HLO.operations if issubclass(op, hlo.ElementwiseOp)},
    **arrays.ROWS,
    **collectives.ROWS,
    **communication.ROWS,
    **contractions.ROWS,
    **control_flow.ROWS,
    **custom_calls.ROWS,
    **random_numbers.ROWS,
    **reductions.ROWS,
    "add-dependency": plain(hlo.AddDependencyOp, 2),
    "batch-norm-grad": mapped(stablehlo.BatchNormGradOp, 5, BATCH_NORM),
    "batch-norm-inference": mapped(stablehlo.BatchNormInferenceOp, 5, BATCH_NORM),
    "batch-norm-training": mapped(stablehlo.BatchNormTrainingOp, 3, BATCH_NORM),
    "cholesky": mapped(stablehlo.CholeskyOp, 1, {"lower": Property("lower", BOOLEAN, False)}),
    "clamp": same(stablehlo.ClampOp, 3),
    "copy": plain(hlo.CopyOp, 1),
    "domain": plain(hlo.DomainOp, 1, "domain"),
    "dynamic-reshape": plain(hlo.DynamicReshapeOp, None),
    "fft": mapped(
        stablehlo.FftOp, 1, {"fft_type": Property("fft_type", FFT_TYPE), "fft_length": Property("fft_length", INTEGERS)}
    ),
    "parameter": row(parameter, 0),
    "scaled-dot": plain(hlo.ScaledDotOp, 4, "", DOT_DIMENSIONS, readers={"operand_precision": read_raw}),
    "scan": plain(hlo.ScanOp, None, "to_apply", "dimensions num_carries is_reverse is_associative"),
    "select": same(stablehlo.SelectOp, 3),
    "topk": mapped(
        hlo.TopKOp,
        1,
        {
            "k": Property("k", INTEGER),
            "largest": Property("largest", BOOLEAN, True, is_printed=True),
            "is_stable": Property("is_stable", BOOLEAN, False),
        },
    ),
    "triangular-solve": mapped(
        stablehlo.TriangularSolveOp,
        2,
        {
            "left_side": Property("left_side", BOOLEAN, False),
            "lower": Property("lower", BOOLEAN, False),
            "unit_diagonal": Property("unit_diagonal", BOOLEAN, False),
            "transpose_a": Property("transpose_a", TRANSPOSE, "NO_TRANSPOSE", is_printed=True),
        },
    ),
}

ALSO_PRINTED: Mapping[str, Opcode] = {
    "copy": plain(mhlo.CopyOp, 1),
    "topk": mapped(
        mhlo.TopKOp,
        1,
        {"k": Property("k", INTEGER), "largest": Property("largest", BOOLEAN, True, is_printed=True)},
    ),
}
"""Operations of `mhlo` that are printed as opcodes which are read as operations of `hlo`."""

FORMS: Mapping[type[Operation], tuple[str, Form]] = {
    form.op: (opcode, form) for opcode, entry in (*OPCODES.items(), *ALSO_PRINTED.items()) for form in entry.forms
}
"""How an operation is printed: its opcode, and the form under which this has it."""
