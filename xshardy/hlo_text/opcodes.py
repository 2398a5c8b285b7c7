"""
The table of HLO opcodes: how each becomes an operation, and is printed again.

A row says how many operands the opcode takes, which attributes it must and may have, and what these are in the
operation, both ways. To support another opcode, add a row here or to the module of `forms` that has its kind (and, for
an attribute of a new name, a row of `fields.READERS`). The rows of elementwise operations of `hlo` follow from their
classes.
"""

from collections.abc import Mapping
from typing import NoReturn

from xdsl.ir import Operation
from xdsl.irdl import OptPropertyDef

from xshardy.dialects import chlo, hlo, mhlo, stablehlo
from xshardy.dialects.stablehlo.fourier import FftType, FftTypeAttr
from xshardy.dialects.stablehlo.linear_algebra import Transpose, TransposeAttr
from xshardy.hlo_text.codecs import AS_IS, BOOLEAN, FLOAT, INTEGER, INTEGERS, enum_codec
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
from xshardy.hlo_text.opcode import Form, Opcode, described, plain, prop, row

FFT_TYPE = enum_codec(FftTypeAttr, {kind.value: kind for kind in FftType})
TRANSPOSE = enum_codec(TransposeAttr, {kind.value: kind for kind in Transpose})
BATCH_NORM = (prop("epsilon", FLOAT), prop("feature_index", INTEGER))
TOP_K = (prop("k", INTEGER), prop("largest", BOOLEAN, default=True, is_printed=True))
ACCURACY = prop("result_accuracy", AS_IS, is_required=False)
DOT_DIMENSIONS = "lhs_batch_dims rhs_batch_dims lhs_contracting_dims rhs_contracting_dims operand_precision"


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
    **{opcode: described(op, 1) for opcode, op in UNARY.items()},
    **{opcode: described(op, 1, ACCURACY) for opcode, op in TRANSCENDENTAL.items()},
    **{opcode: described(op, 2) for opcode, op in BINARY.items()},
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
    "batch-norm-grad": described(stablehlo.BatchNormGradOp, 5, *BATCH_NORM),
    "batch-norm-inference": described(stablehlo.BatchNormInferenceOp, 5, *BATCH_NORM),
    "batch-norm-training": described(stablehlo.BatchNormTrainingOp, 3, *BATCH_NORM),
    "cholesky": described(stablehlo.CholeskyOp, 1, prop("lower", BOOLEAN, default=False)),
    "clamp": described(stablehlo.ClampOp, 3),
    "copy": plain(hlo.CopyOp, 1),
    "domain": plain(hlo.DomainOp, 1, "domain"),
    "dynamic-reshape": plain(hlo.DynamicReshapeOp, None),
    "fft": described(stablehlo.FftOp, 1, prop("fft_type", FFT_TYPE), prop("fft_length", INTEGERS)),
    "parameter": row(parameter, 0),
    "scaled-dot": plain(hlo.ScaledDotOp, 4, "", DOT_DIMENSIONS, readers={"operand_precision": read_raw}),
    "scan": plain(hlo.ScanOp, None, "to_apply", "dimensions num_carries is_reverse is_associative"),
    "select": described(stablehlo.SelectOp, 3),
    "topk": described(hlo.TopKOp, 1, *TOP_K, prop("is_stable", BOOLEAN, default=False)),
    "triangular-solve": described(
        stablehlo.TriangularSolveOp,
        2,
        prop("left_side", BOOLEAN, default=False),
        prop("lower", BOOLEAN, default=False),
        prop("unit_diagonal", BOOLEAN, default=False),
        prop("transpose_a", TRANSPOSE, default="NO_TRANSPOSE", is_printed=True),
    ),
}

ALSO_PRINTED: Mapping[str, Opcode] = {
    "copy": plain(mhlo.CopyOp, 1),
    "topk": described(mhlo.TopKOp, 1, *TOP_K),
}
"""Operations of `mhlo` that are printed as opcodes which are read as operations of `hlo`."""

FORMS: Mapping[type[Operation], tuple[str, Form]] = {
    form.op: (opcode, form) for opcode, entry in (*OPCODES.items(), *ALSO_PRINTED.items()) for form in entry.forms
}
"""How an operation is printed: its opcode, and the form under which this has it."""
