"""The arithmetic of a dot product, independent of the types of its operands."""

from xdsl.dialects.builtin import (
    BoolAttr,
    IntAttr,
    IntegerAttr,
    bf16,
    f16,
    f32,
    f64,
    i1,
    tf32,
)
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.element_names import FLOAT8_TYPES
from xshardy.dialects.stablehlo.structs import INTEGER, Field, StructAttribute

__all__ = ["DotAlgorithmAttr"]

KNOWN_ALGORITHMS = frozenset[tuple[TypeAttribute, TypeAttribute, int]](
    [
        (f16, f16, 1),
        (f16, f32, 1),
        (bf16, bf16, 1),
        *((bf16, f32, operations) for operations in (1, 3, 6, 9)),
        (tf32, f32, 1),
        (tf32, f32, 3),
        (f32, f32, 1),
        (f64, f64, 1),
    ]
)
"""The precision of both operands, that of the sum, and the number of products of parts per product."""

TYPE = Field(lambda parser: parser.parse_type(), lambda printer, value: printer.print_attribute(value))
BOOLEAN = Field(
    lambda parser: IntegerAttr(int(parser.parse_boolean()), i1),
    lambda printer, value: printer.print_string("true" if value.value.data else "false"),
)


@irdl_attr_definition
class DotAlgorithmAttr(StructAttribute):
    """Operands are rounded to a type each, or split into several parts of it, and products are added up in another."""

    name = "stablehlo.dot_algorithm"
    FIELDS = {
        "lhs_precision_type": TYPE,
        "rhs_precision_type": TYPE,
        "accumulation_type": TYPE,
        "lhs_component_count": INTEGER,
        "rhs_component_count": INTEGER,
        "num_primitive_operations": INTEGER,
        "allow_imprecise_accumulation": BOOLEAN,
    }
    lhs_precision_type: TypeAttribute
    rhs_precision_type: TypeAttribute
    accumulation_type: TypeAttribute
    lhs_component_count: IntAttr
    rhs_component_count: IntAttr
    num_primitive_operations: IntAttr
    allow_imprecise_accumulation: BoolAttr

    @classmethod
    def of(
        cls, precision: TypeAttribute, accumulation: TypeAttribute, operations: int, is_imprecise: bool = False
    ) -> "DotAlgorithmAttr":
        """The algorithm that rounds both operands to `precision`, with as many products of parts per product."""
        one = IntAttr(1)
        return cls(
            precision, precision, accumulation, one, one, IntAttr(operations), IntegerAttr(int(is_imprecise), i1)
        )

    def verify(self) -> None:
        for name, count in (
            ("lhs component count", self.lhs_component_count),
            ("rhs component count", self.rhs_component_count),
            ("num primitive operations", self.num_primitive_operations),
        ):
            if count.data < 1:
                raise VerifyException(f"{name} must be positive")
        if not self.is_known():
            raise VerifyException(f"dot algorithm not known to be supported on any hardware: {self.summary()}")

    def is_known(self) -> bool:
        """Whether hardware with this arithmetic exists."""
        if (self.lhs_component_count.data, self.rhs_component_count.data) != (1, 1):
            return False
        operands = self.lhs_precision_type, self.rhs_precision_type
        operations = self.num_primitive_operations.data
        if (
            all(isinstance(type, FLOAT8_TYPES) for type in operands)
            and self.accumulation_type == f32
            and operations == 1
        ):
            return True
        key = self.lhs_precision_type, self.accumulation_type, operations
        is_precise = not self.allow_imprecise_accumulation.value.data
        return is_precise and operands[0] == operands[1] and key in KNOWN_ALGORITHMS

    @property
    def rounding(self) -> tuple[Attribute, Attribute] | None:
        """
        The element types that the operands are rounded to before they are multiplied.

        None where several parts of an operand keep nearly all of it, and for tf32, which is no type of elements.
        """
        types = self.lhs_precision_type, self.rhs_precision_type
        return None if self.num_primitive_operations.data > 1 or tf32 in types else types

    def summary(self) -> str:
        """The fields in short, for a message."""
        values = {
            "lhs": f"'{self.lhs_precision_type}'",
            "rhs": f"'{self.rhs_precision_type}'",
            "accum": f"'{self.accumulation_type}'",
            "lhs_components": self.lhs_component_count.data,
            "rhs_components": self.rhs_component_count.data,
            "primitive_ops": self.num_primitive_operations.data,
            "imprecise": abs(self.allow_imprecise_accumulation.value.data),
        }
        return f"{{{', '.join(f'{name}:{value}' for name, value in values.items())}}}"
