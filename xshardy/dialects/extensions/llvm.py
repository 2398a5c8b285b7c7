"""
What upstream's `llvm` dialect has and xDSL's lacks: memory operations with all their flags, casts, atomics.

`llvm.load`, `llvm.store`, `llvm.fcmp` and `llvm.select` replace xDSL's operations of these names, which cannot say
`invariant` or `syncscope` and know no vectors of conditions. The intrinsics are in `llvm_intrinsics`.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    AnyFloatConstr,
    IntegerAttr,
    IntegerType,
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
    LLVMPointerType,
    LLVMStructType,
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
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from xshardy.dialects.extensions import extended
from xshardy.dialects.extensions.llvm_intrinsics import INTRINSICS

# --- atomics: orderings and scopes ------------------------------------------------------------------------------------

ORDERINGS: Mapping[str, int] = {
    "not_atomic": 0,
    "unordered": 1,
    "monotonic": 2,
    "acquire": 4,
    "release": 5,
    "acq_rel": 6,
    "seq_cst": 7,
}
"""The keyword of each atomic ordering, and the integer that upstream's generic form stores."""

ORDERING_KEYWORDS: Mapping[int, str] = {value: keyword for keyword, value in ORDERINGS.items()}

BINARY_OPERATORS: tuple[str, ...] = (
    "xchg", "add", "sub", "_and", "nand", "_or", "_xor", "max", "min", "umax", "umin", "fadd", "fsub", "fmax", "fmin",
    "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fmaximum", "fminimum",
)  # fmt: skip
"""The operators of `llvm.atomicrmw`, at the place of the integer that upstream's generic form stores."""


def ordering_attr(keyword: str) -> IntegerAttr[IntegerType]:
    """The attribute of the ordering `keyword`. Raises `KeyError` if there is none of that name."""
    return IntegerAttr(ORDERINGS[keyword], i64)


def parse_ordering(parser: Parser) -> IntegerAttr[IntegerType]:
    """An ordering keyword."""
    keyword = parser.parse_optional_keyword_in(ORDERINGS)
    if keyword is None:
        parser.raise_error(f"expected an atomic ordering, one of {', '.join(ORDERINGS)}")
    return ordering_attr(keyword)


def parse_optional_scope(parser: Parser) -> StringAttr | None:
    """`syncscope("agent")`, if it is there."""
    if parser.parse_optional_keyword("syncscope") is None:
        return None
    with parser.in_parens():
        return StringAttr(parser.parse_str_literal(" for the scope of an atomic operation"))


def print_optional_scope(printer: Printer, scope: StringAttr | None) -> None:
    """The inverse of `parse_optional_scope`, with a space in front."""
    if scope is not None:
        printer.print_string(" syncscope(")
        printer.print_string_literal(scope.data)
        printer.print_string(")")


def _parse_flag(parser: Parser, keyword: str) -> UnitAttr | None:
    return UnitAttr() if parser.parse_optional_keyword(keyword) is not None else None


def _print_flag(printer: Printer, keyword: str, flag: UnitAttr | None) -> None:
    if flag is not None:
        printer.print_string(f" {keyword}")


def _parse_optional_atomic(parser: Parser) -> dict[str, Attribute | None]:
    if parser.parse_optional_keyword("atomic") is None:
        return {"ordering": ordering_attr("not_atomic")}
    return {"syncscope": parse_optional_scope(parser), "ordering": parse_ordering(parser)}


def _print_optional_atomic(printer: Printer, ordering: int, scope: StringAttr | None) -> None:
    if ordering == ORDERINGS["not_atomic"]:
        return
    printer.print_string(" atomic")
    print_optional_scope(printer, scope)
    printer.print_string(f" {ORDERING_KEYWORDS[ordering]}")


def _print_attributes(op: Operation, printer: Printer, *properties: str) -> None:
    """The attribute dictionary of `op`, with those `properties` that have no place of their own in the syntax."""
    shown = {name: op.properties[name] for name in properties if name in op.properties}
    printer.print_op_attributes(op.attributes | shown)


def _split_attributes(
    attributes: dict[str, Attribute], *properties: str
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The entries of a parsed dictionary that are `properties`, and the others."""
    found = {name: attributes[name] for name in properties if name in attributes}
    return found, {name: value for name, value in attributes.items() if name not in found}


def _present(properties: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    return {name: value for name, value in properties.items() if value is not None}


# --- memory -----------------------------------------------------------------------------------------------------------


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Read a value from memory. `invariant`: the memory does not change while the kernel runs."""

    name = "llvm.load"

    ptr = operand_def(LLVMPointerType)
    alignment = opt_prop_def(IntegerAttr)
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)
    invariant = opt_prop_def(UnitAttr)
    ordering = prop_def(IntegerAttr, default_value=IntegerAttr(0, i64))
    syncscope = opt_prop_def(StringAttr)
    dereferenced_value = result_def()

    def __init__(
        self,
        ptr: SSAValue | Operation,
        result_type: Attribute,
        *,
        alignment: int | None = None,
        invariant: bool = False,
        volatile: bool = False,
        ordering: str = "not_atomic",
        syncscope: str | None = None,
    ):
        """`alignment` is in bytes; None means that of the type."""
        properties = {
            "alignment": None if alignment is None else IntegerAttr(alignment, i64),
            "invariant": UnitAttr() if invariant else None,
            "volatile_": UnitAttr() if volatile else None,
            "ordering": ordering_attr(ordering),
            "syncscope": None if syncscope is None else StringAttr(syncscope),
        }
        super().__init__(operands=[ptr], properties=_present(properties), result_types=[result_type])

    @classmethod
    def parse(cls, parser: Parser) -> "LoadOp":
        properties: dict[str, Attribute | None] = {"volatile_": _parse_flag(parser, "volatile")}
        ptr = parser.parse_unresolved_operand()
        properties |= _parse_optional_atomic(parser)
        properties["invariant"] = _parse_flag(parser, "invariant")
        found, attributes = _split_attributes(parser.parse_optional_attr_dict(), "alignment", "nontemporal")
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(ptr, parser.parse_type())
        parser.parse_punctuation("->")
        result_type = parser.parse_type()
        return cls.create(
            operands=[operand],
            properties=_present(properties) | found,
            attributes=attributes,
            result_types=[result_type],
        )

    def print(self, printer: Printer) -> None:
        _print_flag(printer, "volatile", self.volatile_)
        printer.print_string(" ")
        printer.print_ssa_value(self.ptr)
        _print_optional_atomic(printer, self.ordering.value.data, self.syncscope)
        _print_flag(printer, "invariant", self.invariant)
        _print_attributes(self, printer, "alignment", "nontemporal")
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.dereferenced_value.type)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Write a value to memory."""

    name = "llvm.store"

    value = operand_def()
    ptr = operand_def(LLVMPointerType)
    alignment = opt_prop_def(IntegerAttr)
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)
    ordering = prop_def(IntegerAttr, default_value=IntegerAttr(0, i64))
    syncscope = opt_prop_def(StringAttr)

    def __init__(
        self,
        value: SSAValue | Operation,
        ptr: SSAValue | Operation,
        *,
        alignment: int | None = None,
        volatile: bool = False,
        ordering: str = "not_atomic",
        syncscope: str | None = None,
    ):
        """`alignment` is in bytes; None means that of the type."""
        properties = {
            "alignment": None if alignment is None else IntegerAttr(alignment, i64),
            "volatile_": UnitAttr() if volatile else None,
            "ordering": ordering_attr(ordering),
            "syncscope": None if syncscope is None else StringAttr(syncscope),
        }
        super().__init__(operands=[value, ptr], properties=_present(properties))

    @classmethod
    def parse(cls, parser: Parser) -> "StoreOp":
        properties: dict[str, Attribute | None] = {"volatile_": _parse_flag(parser, "volatile")}
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        ptr = parser.parse_unresolved_operand()
        properties |= _parse_optional_atomic(parser)
        found, attributes = _split_attributes(parser.parse_optional_attr_dict(), "alignment", "nontemporal")
        parser.parse_punctuation(":")
        value_type = parser.parse_type()
        parser.parse_punctuation(",")
        ptr_type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(value, value_type), parser.resolve_operand(ptr, ptr_type)],
            properties=_present(properties) | found,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        _print_flag(printer, "volatile", self.volatile_)
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        printer.print_ssa_value(self.ptr)
        _print_optional_atomic(printer, self.ordering.value.data, self.syncscope)
        _print_attributes(self, printer, "alignment", "nontemporal")
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        printer.print_attribute(self.ptr.type)


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """Combine a value into memory in one step; the result is what was there before."""

    name = "llvm.atomicrmw"

    bin_op = prop_def(IntegerAttr)
    ptr = operand_def(LLVMPointerType)
    val = operand_def()
    ordering = prop_def(IntegerAttr)
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr)
    volatile_ = opt_prop_def(UnitAttr)
    res = result_def()

    def __init__(
        self,
        bin_op: str,
        ptr: SSAValue | Operation,
        val: SSAValue | Operation,
        ordering: str,
        *,
        syncscope: str | None = None,
        alignment: int | None = None,
    ):
        """`bin_op` is one of `BINARY_OPERATORS`; `alignment` is in bytes."""
        properties = {
            "bin_op": IntegerAttr(BINARY_OPERATORS.index(bin_op), i64),
            "ordering": ordering_attr(ordering),
            "syncscope": None if syncscope is None else StringAttr(syncscope),
            "alignment": None if alignment is None else IntegerAttr(alignment, i64),
        }
        super().__init__(operands=[ptr, val], properties=_present(properties), result_types=[SSAValue.get(val).type])

    @property
    def operator(self) -> str:
        """The keyword of the operator, such as `fadd`."""
        return BINARY_OPERATORS[self.bin_op.value.data]

    def verify_(self) -> None:
        if not 0 <= self.bin_op.value.data < len(BINARY_OPERATORS):
            raise VerifyException(
                f"bin_op {self.bin_op.value.data} is no operator: the last one is {len(BINARY_OPERATORS) - 1}, "
                f"'{BINARY_OPERATORS[-1]}'"
            )
        if self.val.type != self.res.type:
            raise VerifyException(f"the result is the old value: expected type {self.val.type}, not {self.res.type}")

    @classmethod
    def parse(cls, parser: Parser) -> "AtomicRMWOp":
        properties: dict[str, Attribute | None] = {"volatile_": _parse_flag(parser, "volatile")}
        operator = parser.parse_optional_keyword_in(BINARY_OPERATORS)
        if operator is None:
            parser.raise_error(f"expected an atomic operator, one of {', '.join(BINARY_OPERATORS)}")
        properties["bin_op"] = IntegerAttr(BINARY_OPERATORS.index(operator), i64)
        ptr = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        val = parser.parse_unresolved_operand()
        properties["syncscope"] = parse_optional_scope(parser)
        properties["ordering"] = parse_ordering(parser)
        found, attributes = _split_attributes(parser.parse_optional_attr_dict(), "alignment")
        parser.parse_punctuation(":")
        ptr_type = parser.parse_type()
        parser.parse_punctuation(",")
        val_type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(ptr, ptr_type), parser.resolve_operand(val, val_type)],
            properties=_present(properties) | found,
            attributes=attributes,
            result_types=[val_type],
        )

    def print(self, printer: Printer) -> None:
        _print_flag(printer, "volatile", self.volatile_)
        printer.print_string(f" {self.operator} ")
        printer.print_ssa_value(self.ptr)
        printer.print_string(", ")
        printer.print_ssa_value(self.val)
        print_optional_scope(printer, self.syncscope)
        printer.print_string(f" {ORDERING_KEYWORDS[self.ordering.value.data]}")
        _print_attributes(self, printer, "alignment")
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)
        printer.print_string(", ")
        printer.print_attribute(self.val.type)


@irdl_op_definition
class AtomicCmpXchgOp(IRDLOperation):
    """Write `val` if memory holds `cmp`; the results are what was there before, and whether it was written."""

    name = "llvm.cmpxchg"

    ptr = operand_def(LLVMPointerType)
    cmp = operand_def()
    val = operand_def()
    success_ordering = prop_def(IntegerAttr)
    failure_ordering = prop_def(IntegerAttr)
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr)
    weak = opt_prop_def(UnitAttr)
    volatile_ = opt_prop_def(UnitAttr)
    res = result_def(LLVMStructType)

    def __init__(
        self,
        ptr: SSAValue | Operation,
        cmp: SSAValue | Operation,
        val: SSAValue | Operation,
        success_ordering: str,
        failure_ordering: str,
        *,
        syncscope: str | None = None,
        alignment: int | None = None,
    ):
        """`alignment` is in bytes."""
        properties = {
            "success_ordering": ordering_attr(success_ordering),
            "failure_ordering": ordering_attr(failure_ordering),
            "syncscope": None if syncscope is None else StringAttr(syncscope),
            "alignment": None if alignment is None else IntegerAttr(alignment, i64),
        }
        result_type = LLVMStructType.from_type_list([SSAValue.get(val).type, i1])
        super().__init__(operands=[ptr, cmp, val], properties=_present(properties), result_types=[result_type])

    def verify_(self) -> None:
        expected = LLVMStructType.from_type_list([self.val.type, i1])
        if self.cmp.type != self.val.type or self.res.type != expected:
            raise VerifyException(
                f"compares {self.cmp.type} with {self.val.type} to give {self.res.type}: expected two values of one "
                f"type, and the result {expected}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> "AtomicCmpXchgOp":
        properties: dict[str, Attribute | None] = {"weak": _parse_flag(parser, "weak")}
        properties["volatile_"] = _parse_flag(parser, "volatile")
        operands = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            operands.append(parser.parse_unresolved_operand())
        properties["syncscope"] = parse_optional_scope(parser)
        properties["success_ordering"] = parse_ordering(parser)
        properties["failure_ordering"] = parse_ordering(parser)
        found, attributes = _split_attributes(parser.parse_optional_attr_dict(), "alignment")
        parser.parse_punctuation(":")
        ptr_type = parser.parse_type()
        parser.parse_punctuation(",")
        val_type = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands(operands, [ptr_type, val_type, val_type], parser.pos),
            properties=_present(properties) | found,
            attributes=attributes,
            result_types=[LLVMStructType.from_type_list([val_type, i1])],
        )

    def print(self, printer: Printer) -> None:
        _print_flag(printer, "weak", self.weak)
        _print_flag(printer, "volatile", self.volatile_)
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        print_optional_scope(printer, self.syncscope)
        for ordering in (self.success_ordering, self.failure_ordering):
            printer.print_string(f" {ORDERING_KEYWORDS[ordering.value.data]}")
        _print_attributes(self, printer, "alignment")
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)
        printer.print_string(", ")
        printer.print_attribute(self.val.type)


@irdl_op_definition
class FenceOp(IRDLOperation):
    """Order the memory accesses before it and after it, as other threads of the scope see them."""

    name = "llvm.fence"

    ordering = prop_def(IntegerAttr)
    syncscope = opt_prop_def(StringAttr)

    def __init__(self, ordering: str, syncscope: str | None = None):
        scope = None if syncscope is None else StringAttr(syncscope)
        super().__init__(properties=_present({"ordering": ordering_attr(ordering), "syncscope": scope}))

    @classmethod
    def parse(cls, parser: Parser) -> "FenceOp":
        properties = {"syncscope": parse_optional_scope(parser), "ordering": parse_ordering(parser)}
        return cls.create(properties=_present(properties), attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        print_optional_scope(printer, self.syncscope)
        printer.print_string(f" {ORDERING_KEYWORDS[self.ordering.value.data]}")
        printer.print_op_attributes(self.attributes)


# --- vectors, comparisons, casts --------------------------------------------------------------------------------------


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


@irdl_op_definition
class FCmpOp(IRDLOperation):
    """Compare floats, or vectors of floats element by element."""

    name = "llvm.fcmp"

    T: ClassVar = VarConstraint("T", AnyFloatConstr | VectorType.constr(AnyFloatConstr))

    predicate = prop_def(IntegerAttr)
    lhs = operand_def(T)
    rhs = operand_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    res = result_def(I1 | VectorType[I1])
    traits = traits_def(Pure())

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

    @classmethod
    def parse(cls, parser: Parser) -> "FCmpOp":
        flag = parser.parse_str_literal(" for the predicate of a comparison")
        if flag not in set(FCmpPredicateFlag):
            parser.raise_error(f"unknown predicate '{flag}': expected one of {', '.join(FCmpPredicateFlag)}")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        found, attributes = _split_attributes(parser.parse_optional_attr_dict(), "fastmathFlags")
        parser.parse_punctuation(":")
        type = parser.parse_type()
        return cls.create(
            operands=parser.resolve_operands([lhs, rhs], [type, type], parser.pos),
            properties={
                "predicate": IntegerAttr(FCmpPredicateFlag(flag).to_int(), i64),
                "fastmathFlags": FastMathAttr(None),
                **found,
            },
            attributes=attributes,
            result_types=[condition_type(type)],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f' "{self.flag}" ')
        printer.print_list(self.operands, printer.print_ssa_value)
        shown = () if self.fastmathFlags == FastMathAttr(None) else ("fastmathFlags",)
        _print_attributes(self, printer, *shown)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


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


def condition_type(type: Attribute) -> Attribute:
    """What a comparison of values of `type` gives: i1, or a vector of i1 of the same shape."""
    return VectorType(i1, type.shape) if isa(type, VectorType) else i1


@irdl_op_definition
class AddrSpaceCastOp(GenericCastOp):
    """A pointer to the same memory in another address space."""

    name = "llvm.addrspacecast"


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

    def __init__(self, val: SSAValue | Operation):
        super().__init__(operands=[val], result_types=[SSAValue.get(val).type])


# --- attributes -------------------------------------------------------------------------------------------------------


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


OPERATIONS: tuple[type[Operation], ...] = (
    AddrSpaceCastOp,
    AtomicCmpXchgOp,
    AtomicRMWOp,
    ExtractElementOp,
    FCmpOp,
    FPToSIOp,
    FPToUIOp,
    FenceOp,
    FreezeOp,
    LoadOp,
    PoisonOp,
    SelectOp,
    StoreOp,
    UIToFPOp,
    *INTRINSICS,
)

REPLACED = frozenset({"llvm.fcmp", "llvm.load", "llvm.select", "llvm.store"})
"""Operations of xDSL that ours of the same name replace."""


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operations and attributes of this module."""
    kept = Dialect(
        dialect.name,
        [op for op in dialect.operations if op.name not in REPLACED],
        list(dialect.attributes),
        list(dialect._interfaces),
    )
    return extended(kept, OPERATIONS, (ConstantRangeAttr,))
