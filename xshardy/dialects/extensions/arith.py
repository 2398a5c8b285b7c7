"""What upstream's `arith` dialect has and xDSL's lacks."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.irdl.operations import IRDLOperation
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xshardy.dialects.extensions import arith_elementwise, extended


def _is_cast(source: Attribute, target: Attribute) -> bool:
    """Whether exactly one of two types, or of the element types of two vectors of one shape, is `index`."""
    if isa(source, VectorType) and isa(target, VectorType):
        return source.get_shape() == target.get_shape() and _is_cast(source.element_type, target.element_type)
    return {type(source), type(target)} == {IndexType, IntegerType}


@irdl_op_definition
class IndexCastUIOp(IRDLOperation):
    """Convert between `index` and an integer type, which is taken as unsigned: a wider result is zero-extended."""

    name = "arith.index_castui"
    input = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, input: SSAValue | Operation, target_type: Attribute):
        super().__init__(operands=[input], result_types=[target_type])

    def verify_(self) -> None:
        if not _is_cast(self.input.type, self.result.type):
            raise VerifyException(
                f"operand type '{self.input.type}' and result type '{self.result.type}' are cast incompatible: "
                "exactly one of them must be index"
            )


@irdl_op_definition
class RemFOp(arith.FloatingPointLikeBinaryOperation):
    """The remainder of a division that rounds toward zero, as C's `fmod`: it has the sign of `lhs`."""

    name = "arith.remf"
    traits = traits_def(Pure())


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operations of this module and those of `arith_elementwise`."""
    return extended(dialect, (IndexCastUIOp, RemFOp), replacements=arith_elementwise.OPERATIONS)
