"""Memory operations of upstream's `llvm` dialect that xDSL lacks, or has without all their flags."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr, i1, i64
from xdsl.dialects.llvm import LLVMPointerType, LLVMStructType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
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
    """The update that `llvm.atomicrmw` applies to the value in memory."""

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
class AtomicOrderingAttr(EnumAttribute[AtomicOrdering], SpacedOpaqueSyntaxAttribute):
    """A memory ordering, printed as the bare keyword."""

    name = "llvm.atomic_ordering"


@irdl_attr_definition
class AtomicBinOpAttr(EnumAttribute[AtomicBinOp], SpacedOpaqueSyntaxAttribute):
    """The kind of an atomic update, printed as the bare keyword."""

    name = "llvm.atomic_bin_op"


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """`llvm.atomicrmw fadd %ptr, %val monotonic`: update memory atomically; the result is the old value."""

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
    `llvm.cmpxchg %ptr, %cmp, %val monotonic monotonic`: store `val` atomically if memory holds `cmp`.

    The result is a struct of the old value and whether `val` was stored.
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
    """The result type of `llvm.cmpxchg` for this type: the old value, and whether the new one was stored."""
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


def _flag(value: bool) -> UnitAttr | None:
    return UnitAttr() if value else None


def _access_properties(
    alignment: int | None, volatile: bool, ordering: AtomicOrdering | None, syncscope: str | None
) -> dict[str, Attribute | None]:
    return {
        "alignment": None if alignment is None else IntegerAttr(alignment, i64),
        "volatile_": _flag(volatile),
        "ordering": None if ordering is None else AtomicOrderingAttr(ordering),
        "syncscope": None if syncscope is None else StringAttr(syncscope),
    }


ORDERING_NUMBERS: Mapping[int, AtomicOrdering] = {
    1: AtomicOrdering.UNORDERED,
    2: AtomicOrdering.MONOTONIC,
    4: AtomicOrdering.ACQUIRE,
    5: AtomicOrdering.RELEASE,
    6: AtomicOrdering.ACQ_REL,
    7: AtomicOrdering.SEQ_CST,
}
"""The orderings by their numbers in MLIR's generic text. 0 stands for an access that is not atomic."""


class _Access(IRDLOperation):
    """A load or a store. `create` takes the ordering in MLIR's generic form too: `ordering = 0 : i64`."""

    @classmethod
    def create(cls, *, properties: Mapping[str, Attribute] = {}, **parts: Any) -> Self:
        ordering = properties.get("ordering")
        if isinstance(ordering, IntegerAttr):
            properties = {name: value for name, value in properties.items() if name != "ordering"}
            if ordering.value.data in ORDERING_NUMBERS:
                properties["ordering"] = AtomicOrderingAttr(ORDERING_NUMBERS[ordering.value.data])
            elif ordering.value.data != 0:
                properties["ordering"] = ordering  # the verifier rejects it
        return super().create(properties=properties, **parts)


def _parse_scope(parser: Parser) -> StringAttr | None:
    """`syncscope("agent")`, if it is there."""
    if parser.parse_optional_keyword("syncscope") is None:
        return None
    with parser.in_parens():
        return StringAttr(parser.parse_str_literal())


def _print_scope(printer: Printer, scope: StringAttr | None) -> None:
    if scope is not None:
        printer.print_string(" syncscope")
        with printer.in_parens():
            printer.print_string_literal(scope.data)


def _parse_atomic(parser: Parser) -> dict[str, Attribute | None]:
    """`atomic syncscope("agent") monotonic`, if it is there."""
    if parser.parse_optional_keyword("atomic") is None:
        return {}
    scope = _parse_scope(parser)
    return {"syncscope": scope, "ordering": AtomicOrderingAttr(parser.parse_str_enum(AtomicOrdering))}


def _print_atomic(printer: Printer, ordering: AtomicOrderingAttr | None, scope: StringAttr | None) -> None:
    if ordering is not None:
        printer.print_string(" atomic")
        _print_scope(printer, scope)
        printer.print_string(f" {ordering.data}")


HIDDEN_PROPERTIES = ("alignment", "nontemporal")
"""Properties that the syntax shows in the attribute dictionary."""


def _parse_attributes(parser: Parser) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The attribute dictionary, split into properties and attributes."""
    every = parser.parse_optional_attr_dict()
    properties = {name: every.pop(name) for name in HIDDEN_PROPERTIES if name in every}
    return properties, every


def _print_attributes(printer: Printer, op: Operation) -> None:
    """The inverse of `_parse_attributes`."""
    shown = {name: op.properties[name] for name in HIDDEN_PROPERTIES if name in op.properties}
    printer.print_op_attributes(op.attributes | shown)


def _present(properties: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    return {name: value for name, value in properties.items() if value is not None}


@irdl_op_definition
class LoadOp(_Access):
    """
    `llvm.load %ptr invariant : !llvm.ptr -> f32`: read memory.

    `invariant` promises that this memory is not written while the kernel runs.
    """

    name = "llvm.load"
    ptr = operand_def(LLVMPointerType)
    alignment = opt_prop_def(IntegerAttr)
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)
    invariant = opt_prop_def(UnitAttr)
    ordering = opt_prop_def(AtomicOrderingAttr)
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
        ordering: AtomicOrdering | None = None,
        syncscope: str | None = None,
    ):
        """`alignment` is in bytes; None means that of the type."""
        properties = _access_properties(alignment, volatile, ordering, syncscope) | {"invariant": _flag(invariant)}
        operands = [SSAValue.get(ptr)]
        # Hot path: irdl's constructor sorts operands and results into groups first.
        Operation.__init__(self, operands=operands, properties=_present(properties), result_types=[result_type])

    @classmethod
    def parse(cls, parser: Parser) -> "LoadOp":
        volatile = parser.parse_optional_keyword("volatile") is not None
        ptr = parser.parse_unresolved_operand()
        properties = {"volatile_": _flag(volatile), **_parse_atomic(parser)}
        properties["invariant"] = _flag(parser.parse_optional_keyword("invariant") is not None)
        hidden, attributes = _parse_attributes(parser)
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(ptr, parser.parse_type())
        parser.parse_punctuation("->")
        return cls.create(
            operands=[operand],
            properties=_present(properties) | hidden,
            attributes=attributes,
            result_types=[parser.parse_type()],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" " if self.volatile_ is None else " volatile ")
        printer.print_ssa_value(self.ptr)
        _print_atomic(printer, self.ordering, self.syncscope)
        if self.invariant is not None:
            printer.print_string(" invariant")
        _print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.ptr.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.dereferenced_value.type)


@irdl_op_definition
class StoreOp(_Access):
    """`llvm.store %value, %ptr : f32, !llvm.ptr`: write memory."""

    name = "llvm.store"
    value = operand_def()
    ptr = operand_def(LLVMPointerType)
    alignment = opt_prop_def(IntegerAttr)
    volatile_ = opt_prop_def(UnitAttr)
    nontemporal = opt_prop_def(UnitAttr)
    ordering = opt_prop_def(AtomicOrderingAttr)
    syncscope = opt_prop_def(StringAttr)

    def __init__(
        self,
        value: SSAValue | Operation,
        ptr: SSAValue | Operation,
        *,
        alignment: int | None = None,
        volatile: bool = False,
        ordering: AtomicOrdering | None = None,
        syncscope: str | None = None,
    ):
        """`alignment` is in bytes; None means that of the type."""
        properties = _access_properties(alignment, volatile, ordering, syncscope)
        operands = [SSAValue.get(value), SSAValue.get(ptr)]
        Operation.__init__(self, operands=operands, properties=_present(properties))

    @classmethod
    def parse(cls, parser: Parser) -> "StoreOp":
        volatile = parser.parse_optional_keyword("volatile") is not None
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        ptr = parser.parse_unresolved_operand()
        properties = {"volatile_": _flag(volatile), **_parse_atomic(parser)}
        hidden, attributes = _parse_attributes(parser)
        parser.parse_punctuation(":")
        value_type = parser.parse_type()
        parser.parse_punctuation(",")
        ptr_type = parser.parse_type()
        return cls.create(
            operands=[parser.resolve_operand(value, value_type), parser.resolve_operand(ptr, ptr_type)],
            properties=_present(properties) | hidden,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" " if self.volatile_ is None else " volatile ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        printer.print_ssa_value(self.ptr)
        _print_atomic(printer, self.ordering, self.syncscope)
        _print_attributes(printer, self)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        printer.print_attribute(self.ptr.type)


@irdl_op_definition
class FenceOp(IRDLOperation):
    """`llvm.fence syncscope("agent") seq_cst`: order the accesses before and after it, for the threads of its scope."""

    name = "llvm.fence"
    ordering = prop_def(AtomicOrderingAttr)
    syncscope = opt_prop_def(StringAttr)
    assembly_format = "(`syncscope` `(` $syncscope^ `)`)? $ordering attr-dict"

    def __init__(self, ordering: AtomicOrdering, syncscope: str | None = None):
        scope = None if syncscope is None else StringAttr(syncscope)
        super().__init__(properties={"ordering": AtomicOrderingAttr(ordering), "syncscope": scope})


OPERATIONS = (AddrSpaceCastOp, AtomicCmpXchgOp, AtomicRMWOp, FenceOp, LoadOp, StoreOp)
ATTRIBUTES = (AtomicBinOpAttr, AtomicOrderingAttr)
