"""
Shapes that HLO text leaves out: `y = negate(x)` for `y = f32[2] negate(x)`.

They follow from the operands by the type rule of the operation, as in XLA's parser. Instructions whose shape says more
than that need it: `convert`, `reshape`, `constant`, `custom-call`, asynchronous ones.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.irdl.constraints import VerificationContext
from xdsl.irdl.operations import VarIRConstruct, irdl_op_verify_arg_list
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo.ordering import PassingOp
from xshardy.dialects.stablehlo.elementwise_binary import BinaryElementwiseOp
from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.tuples import tuple_type
from xshardy.dialects.stablehlo.types import TokenType, tensor_type
from xshardy.hlo_text.errors import HLOError, reason
from xshardy.hlo_text.fields import ComputationName
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.opcode import Opcode
from xshardy.hlo_text.shapes import ArrayShape, Shape, TupleShape

SAME_TYPE = (UnaryElementwiseOp, BinaryElementwiseOp, PassingOp)
"""Operations whose result has the type of their first operand, unless they infer another one."""

GIVEN = frozenset({"constant", "convert", "rng"})
"""Opcodes with operations of these classes, or with a type rule, whose shape is an argument all the same."""

DEFAULT_LAYOUT = frozenset(
    {
        "concatenate",
        "convolution",
        "dot",
        "dynamic-slice",
        "gather",
        "map",
        "pad",
        "ragged-dot",
        "reduce",
        "reduce-window",
        "slice",
        "topk",
    }
)
"""Opcodes whose result has the default layout even if it has as many dimensions as an operand."""


def needs_shape(tokens: Tokens, opcode: str, at: int) -> HLOError:
    """The error for an instruction whose shape does not follow from its operands."""
    return tokens.error(
        f"{opcode}: its shape does not follow from its operands", f"write it: `f32[2,3] {opcode}(...)`", at
    )


def provisional_shape(operands: Sequence[Shape]) -> Shape:
    """A shape to build an operation with, whose own is not known yet: that of its first operand."""
    return ArrayShape(operands[0].type if operands else TensorType(i32, []))


def inferred_shape(
    instruction: Instruction, row: Opcode, operands: Sequence[Shape], roots: Mapping[str, Shape]
) -> Shape:
    """
    The shape of `instruction`, which has a provisional one.

    `operands` are the shapes of its operands, `roots` those of the roots of the computations read so far. Raises
    `HLOError` if the shape does not follow from these, or if the operands are invalid.
    """
    rule = RULES.get(instruction.opcode, no_rule)
    if (shape := rule(instruction, operands, roots)) is not None:
        return shape
    trial = replace(instruction, before=[])
    made = row.build(trial)
    try:
        types = result_types(made, instruction)
    except VerifyException as error:
        raise instruction.error(reason(error)) from error
    finally:
        for op in (made, *reversed(trial.before)):
            op.erase()
    shapes = [array_like(instruction.opcode, type, operands) for type in types]
    return shapes[0] if len(shapes) == 1 else tuple_shape(shapes)


def result_types(op: Operation, instruction: Instruction) -> Sequence[Attribute]:
    """The types of the results of `op`. Raises `VerifyException` for invalid operands, `HLOError` without a rule."""
    if isinstance(op, IRDLOperation) and instruction.opcode not in GIVEN:
        irdl_op_verify_arg_list(op, op.get_irdl_definition(), VarIRConstruct.OPERAND, VerificationContext())
        if isinstance(op, stablehlo.DotGeneralOp | stablehlo.ConvolutionOp):
            return [TensorType(tensor_type(op.lhs).get_element_type(), op.infer_shape())]
        if isinstance(op, InfersResultTypes):
            return op.infer_result_types()
        if isinstance(op, SAME_TYPE):
            return op.operand_types[:1]
    raise needs_shape(instruction.tokens, instruction.opcode, instruction.at)


def array_like(opcode: str, type: Attribute, operands: Sequence[Shape]) -> ArrayShape:
    """An array of `type` with the layout of the first operand with as many dimensions, or the default."""
    rank = len(sizes_of(type) or ())
    if opcode not in DEFAULT_LAYOUT:
        for shape in operands:
            if isinstance(shape, ArrayShape) and len(sizes_of(shape.type) or ()) == rank:
                return ArrayShape(type, shape.layout, shape.annotation)
    return ArrayShape(type)


def sizes_of(type: Attribute) -> tuple[int, ...] | None:
    """The sizes of the dimensions of an array; None for a token and a tuple."""
    return tensor_type(type).get_shape() if isinstance(cast(object, type), TensorType) else None


def tuple_shape(shapes: Sequence[Shape]) -> TupleShape:
    """The shape of a tuple of these."""
    return TupleShape(tuple(shapes), tuple_type([shape.type for shape in shapes]))


Rule = Callable[[Instruction, Sequence[Shape], Mapping[str, Shape]], Shape | None]
"""Gives the shape of an instruction, or None if its operation knows more."""


def no_rule(instruction: Instruction, operands: Sequence[Shape], roots: Mapping[str, Shape]) -> Shape | None:
    """The operation knows more."""
    return None


def first_operand(instruction: Instruction, operands: Sequence[Shape], roots: Mapping[str, Shape]) -> Shape | None:
    """`while`, `opt-barrier`: what goes in comes out."""
    return operands[0]


def root_of(attribute: str) -> Rule:
    """The rule that the result is that of the computation named by `attribute`, or of the first one of a list."""

    def rule(instruction: Instruction, operands: Sequence[Shape], roots: Mapping[str, Shape]) -> Shape | None:
        names: ComputationName | tuple[ComputationName, ...] = instruction.fields.get(attribute, ())
        first = names if isinstance(names, ComputationName) else next(iter(names), None)
        return None if first is None else roots[first.name]

    return rule


def branches(instruction: Instruction, operands: Sequence[Shape], roots: Mapping[str, Shape]) -> Shape | None:
    """The result of a `conditional` is that of its branches."""
    rules = root_of("branch_computations"), root_of("true_computation")
    return next((shape for rule in rules if (shape := rule(instruction, operands, roots)) is not None), None)


def element(instruction: Instruction, operands: Sequence[Shape], roots: Mapping[str, Shape]) -> Shape | None:
    """The element of a tuple that `get-tuple-element` takes."""
    (operand,) = operands
    index: int = instruction.fields["index"]
    parts = operand.elements if isinstance(operand, TupleShape) else ()
    return parts[index] if 0 <= index < len(parts) else None


def top_k(instruction: Instruction, operands: Sequence[Shape], roots: Mapping[str, Shape]) -> Shape | None:
    """The values and the 32-bit indices of `topk`."""
    (operand,) = operands
    if not (sizes := sizes_of(operand.type)):
        return None
    elements = [tensor_type(operand.type).get_element_type(), i32]
    return tuple_shape(
        [ArrayShape(TensorType(element, (*sizes[:-1], instruction.fields["k"]))) for element in elements]
    )


def transposed(instruction: Instruction, operands: Sequence[Shape], roots: Mapping[str, Shape]) -> Shape | None:
    """The result of `transpose` has the elements in the same order in memory."""
    (operand,) = operands
    sizes, permutation = sizes_of(operand.type), instruction.fields["dimensions"]
    if not isinstance(operand, ArrayShape) or sizes is None or sorted(permutation) != list(range(len(sizes))):
        return None
    element = tensor_type(operand.type).get_element_type()
    type = TensorType(element, [sizes[dimension] for dimension in cast(tuple[int, ...], permutation)])
    default = tuple(reversed(range(len(sizes))))
    layout = tuple(permutation.index(dimension) for dimension in operand.layout or default)
    return ArrayShape(type, None if layout == default else layout, operand.annotation)


def batch_norm(instruction: Instruction, operands: Sequence[Shape], roots: Mapping[str, Shape]) -> Shape | None:
    """An array like the operand, and two with an element for each feature, like the scale."""
    operand, scale, *_ = operands
    return tuple_shape([operand, scale, scale])


RULES: Mapping[str, Rule] = {
    "batch-norm-grad": batch_norm,
    "batch-norm-training": batch_norm,
    "after-all": lambda instruction, operands, roots: ArrayShape(TokenType()),
    "call": root_of("to_apply"),
    "conditional": branches,
    "fusion": root_of("calls"),
    "get-tuple-element": element,
    "opt-barrier": first_operand,
    "topk": top_k,
    "transpose": transposed,
    "tuple": lambda instruction, operands, roots: tuple_shape(operands),
    "while": first_operand,
}
"""The rules of opcodes whose operation has no type rule, or has several results where HLO has a tuple."""
