"""Memory operations of upstream's `llvm` dialect that xDSL lacks: atomic updates, casts between address spaces."""

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SSAValue
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
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum


class AtomicOrdering(StrEnum):
    """The memory orderings of LLVM, weakest first."""

    NOT_ATOMIC = "not_atomic"
    UNORDERED = "unordered"
    MONOTONIC = "monotonic"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"
    SEQ_CST = "seq_cst"


class AtomicBinOp(StrEnum):
    """What `llvm.atomicrmw` does to the value in memory."""

    XCHG = "xchg"
    ADD = "add"
    SUB = "sub"
    AND = "_and"
    NAND = "nand"
    OR = "_or"
    XOR = "_xor"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    FADD = "fadd"
    FSUB = "fsub"
    FMAX = "fmax"
    FMIN = "fmin"


@irdl_attr_definition
class AtomicOrderingAttr(EnumAttribute[AtomicOrdering]):
    """A memory ordering, printed as the bare keyword."""

    name = "llvm.atomic_ordering"


@irdl_attr_definition
class AtomicBinOpAttr(EnumAttribute[AtomicBinOp]):
    """The kind of an atomic update, printed as the bare keyword."""

    name = "llvm.atomic_bin_op"


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """`llvm.atomicrmw fadd %ptr, %val monotonic`: update memory at once; gives the value that was there before."""

    name = "llvm.atomicrmw"
    T: ClassVar = VarConstraint("T", AnyAttr())
    bin_op = prop_def(AtomicBinOpAttr)
    ptr = operand_def(LLVMPointerType)
    val = operand_def(T)
    ordering = prop_def(AtomicOrderingAttr)
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr)
    volatile_ = opt_prop_def(UnitAttr)
    res = result_def(T)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "(`volatile` $volatile_^)? $bin_op $ptr `,` $val (`syncscope` `(` $syncscope^ `)`)? $ordering attr-dict `:` "
        "type($ptr) `,` type($val)"
    )

    def __init__(
        self,
        bin_op: AtomicBinOp,
        ptr: SSAValue,
        val: SSAValue,
        ordering: AtomicOrdering,
        *,
        syncscope: str | None = None,
        alignment: int | None = None,
    ):
        super().__init__(
            operands=[ptr, val],
            properties={
                "bin_op": AtomicBinOpAttr(bin_op),
                "ordering": AtomicOrderingAttr(ordering),
                "syncscope": None if syncscope is None else StringAttr(syncscope),
                "alignment": None if alignment is None else IntegerAttr(alignment, i64),
            },
            result_types=[val.type],
        )


@irdl_op_definition
class AtomicCmpXchgOp(IRDLOperation):
    """
    `llvm.cmpxchg %ptr, %cmp, %val monotonic monotonic`: store `val` if memory holds `cmp`, at once.

    Gives a struct of the value that was there before and whether `val` was stored.
    """

    name = "llvm.cmpxchg"
    ptr = operand_def(LLVMPointerType)
    cmp = operand_def()
    val = operand_def()
    success_ordering = prop_def(AtomicOrderingAttr)
    failure_ordering = prop_def(AtomicOrderingAttr)
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr)
    weak = opt_prop_def(UnitAttr)
    volatile_ = opt_prop_def(UnitAttr)
    res = result_def(LLVMStructType)

    def __init__(
        self,
        ptr: SSAValue,
        cmp: SSAValue,
        val: SSAValue,
        success_ordering: AtomicOrdering,
        failure_ordering: AtomicOrdering,
        *,
        syncscope: str | None = None,
    ):
        super().__init__(
            operands=[ptr, cmp, val],
            properties={
                "success_ordering": AtomicOrderingAttr(success_ordering),
                "failure_ordering": AtomicOrderingAttr(failure_ordering),
                "syncscope": None if syncscope is None else StringAttr(syncscope),
            },
            result_types=[exchange_result(val.type)],
        )

    def verify_(self) -> None:
        if self.cmp.type != self.val.type or self.res.type != exchange_result(self.val.type):
            raise VerifyException(
                f"compares {self.cmp.type}, stores {self.val.type} and gives {self.res.type}: expected one type T to "
                "compare and store, and a result (T, i1)"
            )

    @classmethod
    def parse(cls, parser: Parser) -> "AtomicCmpXchgOp":
        properties: dict[str, Attribute] = {}
        for keyword, name in (("weak", "weak"), ("volatile", "volatile_")):
            if parser.parse_optional_keyword(keyword):
                properties[name] = UnitAttr()
        ptr = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        cmp = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        val = parser.parse_unresolved_operand()
        if parser.parse_optional_keyword("syncscope"):
            with parser.in_parens():
                properties["syncscope"] = StringAttr(parser.parse_str_literal())
        for name in ("success_ordering", "failure_ordering"):
            properties[name] = AtomicOrderingAttr(parser.parse_str_enum(AtomicOrdering))
        attributes = parser.parse_optional_attr_dict()
        if (alignment := attributes.pop("alignment", None)) is not None:
            properties["alignment"] = alignment
        parser.parse_punctuation(":")
        ptr_type = parser.parse_type()
        parser.parse_punctuation(",")
        val_type = parser.parse_type()
        return cls.create(
            operands=[
                parser.resolve_operand(ptr, ptr_type),
                parser.resolve_operand(cmp, val_type),
                parser.resolve_operand(val, val_type),
            ],
            properties=properties,
            attributes=attributes,
            result_types=[exchange_result(val_type)],
        )

    def print(self, printer: Printer) -> None:
        for keyword, is_set in (("weak", self.weak), ("volatile", self.volatile_)):
            if is_set is not None:
                printer.print_string(f" {keyword}")
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        if self.syncscope is not None:
            printer.print_string(" syncscope(")
            printer.print_string_literal(self.syncscope.data)
            printer.print_string(")")
        printer.print_string(f" {self.success_ordering.data} {self.failure_ordering.data}")
        attributes = dict(self.attributes)
        if self.alignment is not None:
            attributes["alignment"] = self.alignment
        printer.print_op_attributes(attributes)
        printer.print_string(" : ")
        printer.print_list((self.ptr.type, self.val.type), printer.print_attribute)


def exchange_result(type: Attribute) -> LLVMStructType:
    """What `llvm.cmpxchg` on a value of this type gives: the old value, and whether the new one was stored."""
    return LLVMStructType.from_type_list([type, i1])


@irdl_op_definition
class AddrSpaceCastOp(IRDLOperation):
    """`llvm.addrspacecast %ptr : !llvm.ptr<3> to !llvm.ptr`: the same memory, as an address of another space."""

    name = "llvm.addrspacecast"
    arg = operand_def(LLVMPointerType)
    res = result_def(LLVMPointerType)
    traits = traits_def(Pure())
    assembly_format = "$arg attr-dict `:` type($arg) `to` type($res)"

    def __init__(self, arg: SSAValue, type: LLVMPointerType):
        super().__init__(operands=[arg], result_types=[type])


OPERATIONS = (AddrSpaceCastOp, AtomicCmpXchgOp, AtomicRMWOp)
ATTRIBUTES = (AtomicBinOpAttr, AtomicOrderingAttr)
