"""What upstream's `vector` dialect has and xDSL's lacks."""

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.extensions import extended


@irdl_op_definition
class FromElementsOp(IRDLOperation):
    """A vector of given elements, in row-major order."""

    name = "vector.from_elements"
    T: ClassVar = VarConstraint("T", AnyAttr())
    elements = var_operand_def(T)
    dest = result_def(VectorType.constr(T))
    traits = traits_def(Pure())
    assembly_format = "$elements attr-dict `:` type($dest)"

    def __init__(self, elements: Sequence[SSAValue], result_type: VectorType):
        super().__init__(operands=[elements], result_types=[result_type])

    def verify_(self) -> None:
        _verify_count(self.dest.type, len(self.elements))


@irdl_op_definition
class ShapeCastOp(IRDLOperation):
    """The same elements, in row-major order, in another shape."""

    name = "vector.shape_cast"
    source = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def verify_(self) -> None:
        _verify_count(self.result.type, cast(VectorType, self.source.type).element_count())


def _verify_count(type: VectorType, count: int) -> None:
    if type.element_count() != count:
        raise VerifyException(f"{type} has {type.element_count()} elements, but {count} are given")


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operations of this module."""
    return extended(dialect, (FromElementsOp, ShapeCastOp))
