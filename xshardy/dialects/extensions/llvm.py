"""
What upstream's `llvm` dialect has and xDSL's lacks: casts, elements of vectors, ranges, and more in two other modules.

`llvm.load`, `llvm.store`, `llvm.fcmp` and `llvm.select` replace xDSL's operations of these names, which lack
`invariant`, `syncscope` and vectors of conditions. Loads, stores and atomics are in `llvm_memory`, intrinsics
in `llvm_intrinsics`.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    I1,
    AnyFloatConstr,
    ArrayAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    SignlessIntegerConstraint,
    StringAttr,
    UnitAttr,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import (
    FastMathAttr,
    FCmpPredicateFlag,
    GenericCastOp,
)
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xshardy.dialects.constraints import Derived
from xshardy.dialects.extensions import extended, llvm_intrinsics, llvm_memory
from xshardy.dialects.extensions.refined import Refined
from xshardy.dialects.listing import operations_of


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """An element of a vector."""

    name = "llvm.extractelement"

    ELEMENT: ClassVar = VarConstraint("ELEMENT", AnyAttr())

    vector = operand_def(VectorType.constr(ELEMENT))
    position = operand_def(SignlessIntegerConstraint)
    res = result_def(ELEMENT)
    traits = traits_def(Pure())
    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"

    def __init__(self, vector: SSAValue | Operation, position: SSAValue | Operation):
        vector = SSAValue.get(vector, type=VectorType)
        super().__init__(operands=[vector, position], result_types=[vector.type.element_type])


def condition_type(type: Attribute) -> Attribute:
    """The result type of a comparison of values of `type`: i1, or a vector of i1 of the same shape."""
    return VectorType(i1, type.shape) if isa(type, VectorType) else i1


@irdl_custom_directive
class PredicateName(CustomDirective):
    """`"oeq"`: the name of a predicate, which is a number."""

    predicate: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        flag = parser.parse_str_literal(" for the predicate of a comparison")
        if flag not in set(FCmpPredicateFlag):
            parser.raise_error(f"unknown predicate '{flag}': expected one of {', '.join(FCmpPredicateFlag)}")
        self.predicate.set(state, IntegerAttr(FCmpPredicateFlag(flag).to_int(), i64))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, FCmpOp)
        printer.print_string(f' "{op.flag}"')


@irdl_op_definition
class FCmpOp(IRDLOperation):
    """Compare floats, or vectors of floats element by element."""

    name = "llvm.fcmp"

    T: ClassVar = VarConstraint("T", AnyFloatConstr | VectorType.constr(AnyFloatConstr))

    predicate = prop_def(IntegerAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    res = result_def(Derived("T", condition_type))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (PredicateName,)
    assembly_format = "custom<PredicateName>($predicate) $lhs `,` $rhs attr-dict `:` type($lhs)"

    def __init__(
        self,
        predicate: FCmpPredicateFlag,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        fastmath: FastMathAttr | None = None,
    ):
        lhs = SSAValue.get(lhs)
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "predicate": IntegerAttr(predicate.to_int(), i64),
                "fastmathFlags": fastmath or FastMathAttr(None),
            },
            result_types=[condition_type(lhs.type)],
        )

    @property
    def flag(self) -> FCmpPredicateFlag:
        """The predicate as a keyword."""
        return FCmpPredicateFlag.from_int(self.predicate.value.data)

    def verify_(self) -> None:
        if self.res.type != (expected := condition_type(self.lhs.type)):
            raise VerifyException(f"compares {self.lhs.type}: expected the result {expected}, not {self.res.type}")


@irdl_op_definition
class SelectOp(IRDLOperation):
    """One of two values; with a vector of conditions, element by element."""

    name = "llvm.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    cond = operand_def(I1 | VectorType[I1])
    lhs = operand_def(T)
    rhs = operand_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    res = result_def(T)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"

    def __init__(self, cond: SSAValue | Operation, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(
            operands=[cond, lhs, rhs],
            properties={"fastmathFlags": FastMathAttr(None)},
            result_types=[SSAValue.get(lhs).type],
        )


@irdl_op_definition
class FPToSIOp(GenericCastOp):
    """Float to signed integer, rounding towards zero."""

    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(GenericCastOp):
    """Float to unsigned integer, rounding towards zero."""

    name = "llvm.fptoui"


@irdl_op_definition
class UIToFPOp(IRDLOperation):
    """Unsigned integer to float. `nneg`: the integer is not negative if read as signed."""

    name = "llvm.uitofp"

    arg = operand_def()
    non_neg = opt_prop_def(UnitAttr, prop_name="nonNeg")
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "(`nneg` $nonNeg^)? $arg attr-dict `:` type($arg) `to` type($result)"

    def __init__(self, arg: SSAValue | Operation, result_type: Attribute):
        super().__init__(operands=[arg], result_types=[result_type])


@irdl_op_definition
class PoisonOp(IRDLOperation):
    """A value that must not be used."""

    name = "llvm.mlir.poison"

    res = result_def()
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute):
        super().__init__(result_types=[result_type])


@irdl_op_definition
class FreezeOp(IRDLOperation):
    """The operand, or an arbitrary but fixed value where the operand is poison."""

    name = "llvm.freeze"

    T: ClassVar = VarConstraint("T", AnyAttr())

    val = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$val attr-dict `:` type($val)"


@irdl_attr_definition
class ConstantRangeAttr(ParametrizedAttribute):
    """`#llvm.constant_range<i32, 0, 128>`: the integers from the first bound up to, but without, the second."""

    name = "llvm.constant_range"

    lower: IntegerAttr[IntegerType]
    upper: IntegerAttr[IntegerType]

    def __init__(self, lower: int | IntegerAttr[IntegerType], upper: int | IntegerAttr[IntegerType], width: int = 32):
        """Bounds that are Python integers have `width` bits."""
        lower = IntegerAttr(lower, width) if isinstance(lower, int) else lower
        upper = IntegerAttr(upper, width) if isinstance(upper, int) else upper
        super().__init__(lower, upper)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            type = parser.expect(lambda: parser.parse_optional_type(), "expected an integer type, as in <i32, 0, 128>")
            if not isa(type, IntegerType):
                parser.raise_error(f"expected an integer type, as in <i32, 0, 128>, not {type}")
            parser.parse_punctuation(",")
            lower = parser.parse_integer(context_msg=" for the first value of a range")
            parser.parse_punctuation(",")
            upper = parser.parse_integer(context_msg=" for the end of a range")
        return IntegerAttr(lower, type), IntegerAttr(upper, type)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.lower.type)
            printer.print_string(f", {self.lower.value.data}, {self.upper.value.data}")

    def verify(self) -> None:
        if self.lower.type != self.upper.type:
            raise VerifyException(f"range of {self.lower.type} to {self.upper.type}: expected two bounds of one type")


BEHAVIORS = ("error", "warning", "require", "override", "append", "append_unique", "max", "min")
"""What a linker does with a flag that two modules have."""


@irdl_attr_definition
class ModuleFlagAttr(ParametrizedAttribute):
    """`#llvm.mlir.module_flag<warning, "Debug Info Version", 3 : i32>`: a flag, and what a linker does with it."""

    name = "llvm.mlir.module_flag"

    behavior: StringAttr
    key: StringAttr
    value: Attribute

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            behavior = parser.parse_identifier()
            parser.parse_punctuation(",")
            key = parser.parse_str_literal(" for the name of a flag")
            parser.parse_punctuation(",")
            return StringAttr(behavior), StringAttr(key), parser.parse_attribute()

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.behavior.data}, ")
            printer.print_attribute(self.key)
            printer.print_string(", ")
            printer.print_attribute(self.value)

    def verify(self) -> None:
        if self.behavior.data not in BEHAVIORS:
            raise VerifyException(f"flag {self.key}: expected one of {', '.join(BEHAVIORS)}, not {self.behavior.data}")


@irdl_op_definition
class ModuleFlagsOp(IRDLOperation):
    """`llvm.module_flags [#llvm.mlir.module_flag<...>]`: facts about the module for a linker or a debugger."""

    name = "llvm.module_flags"
    flags = prop_def(ArrayAttr[ModuleFlagAttr])
    traits = traits_def(HasParent(ModuleOp))
    assembly_format = "$flags attr-dict"


ATTRIBUTES: tuple[type[Attribute], ...] = (ConstantRangeAttr, ModuleFlagAttr, *llvm_memory.ATTRIBUTES)
OPERATIONS = (*operations_of("llvm", globals()), *llvm_memory.OPERATIONS, *llvm_intrinsics.OPERATIONS)

REPLACEMENTS: tuple[type[Operation], ...] = (FCmpOp, SelectOp, llvm_memory.LoadOp, llvm_memory.StoreOp)
"""Operations that replace xDSL's operations of the same name."""


class RefinedFCmpOp(Refined, FCmpOp):
    """xDSL's class for scalars, ours for vectors."""

    original = llvm.FCmpOp


class RefinedSelectOp(Refined, SelectOp):
    """xDSL's class for one condition, ours for a vector of conditions."""

    original = llvm.SelectOp


class _RefinedAccess(Refined):
    """Creates xDSL's class if the access has only properties of that class."""

    @classmethod
    def is_original(cls, operands: Sequence[SSAValue], properties: Mapping[str, Attribute | None]) -> bool:
        return properties.keys() <= cls.original.get_irdl_definition().properties.keys() and not isinstance(
            properties.get("ordering"), llvm_memory.AtomicOrderingAttr
        )


class RefinedLoadOp(_RefinedAccess, llvm_memory.LoadOp):
    """Ours for loads that are volatile, invariant, or atomic."""

    original = llvm.LoadOp


class RefinedStoreOp(_RefinedAccess, llvm_memory.StoreOp):
    """Ours for stores that are atomic."""

    original = llvm.StoreOp


REFINEMENTS: tuple[type[Operation], ...] = (RefinedFCmpOp, RefinedSelectOp, RefinedLoadOp, RefinedStoreOp)


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operations and attributes of this module."""
    return extended(dialect, OPERATIONS, ATTRIBUTES, REPLACEMENTS)


def refine(dialect: Dialect) -> Dialect:
    """Like `extend`, but operations that xDSL's classes can represent remain instances of these."""
    return extended(dialect, OPERATIONS, ATTRIBUTES, REFINEMENTS)
