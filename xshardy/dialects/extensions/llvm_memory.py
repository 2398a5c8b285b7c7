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
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.constraints import Derived


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


def exchange_result(type: Attribute) -> LLVMStructType:
    """The result type of `llvm.cmpxchg` for this type: the old value, and whether the new one was stored."""
    return LLVMStructType.from_type_list([type, i1])


@irdl_op_definition
class AtomicCmpXchgOp(IRDLOperation):
    """
    `llvm.cmpxchg %ptr, %cmp, %val monotonic monotonic`: store `val` atomically if memory holds `cmp`.

    The result is a struct of the old value and whether `val` was stored.
    """

    name = "llvm.cmpxchg"
    T: ClassVar = VarConstraint("T", AnyAttr())
    ptr = operand_def(LLVMPointerType)
    cmp = operand_def(Derived("T", lambda type: type))
    val = operand_def(T)
    success_ordering = prop_def(AtomicOrderingAttr)
    failure_ordering = prop_def(AtomicOrderingAttr)
    syncscope = opt_prop_def(StringAttr)
    alignment = opt_prop_def(IntegerAttr)
    weak = opt_prop_def(UnitAttr)
    volatile_ = opt_prop_def(UnitAttr)
    res = result_def(Derived("T", exchange_result))
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "(`weak` $weak^)? (`volatile` $volatile_^)? $ptr `,` $cmp `,` $val (`syncscope` `(` $syncscope^ `)`)? "
        "$success_ordering $failure_ordering attr-dict `:` type($ptr) `,` type($val)"
    )

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


@irdl_custom_directive
class Atomic(CustomDirective):
    """`atomic syncscope("agent") monotonic`, or nothing for an access that is not atomic."""

    ordering: AttributeVariable
    scope: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_keyword("atomic") is None:
            return
        if parser.parse_optional_keyword("syncscope") is not None:
            with parser.in_parens():
                self.scope.set(state, StringAttr(parser.parse_str_literal()))
        self.ordering.set(state, AtomicOrderingAttr(parser.parse_str_enum(AtomicOrdering)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        ordering, scope = self.ordering.get(op), self.scope.get(op)
        if isinstance(ordering, AtomicOrderingAttr):
            printer.print_string(" atomic")
            if scope is not None:
                printer.print_string(f" syncscope({scope})")
            printer.print_string(f" {ordering.data}")


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
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (Atomic,)
    assembly_format = (
        "(`volatile` $volatile_^)? $ptr custom<Atomic>($ordering, $syncscope) (`invariant` $invariant^)? attr-dict `:` "
        "type($ptr) `->` type($dereferenced_value)"
    )

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
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (Atomic,)
    assembly_format = (
        "(`volatile` $volatile_^)? $value `,` $ptr custom<Atomic>($ordering, $syncscope) attr-dict `:` "
        "type($value) `,` type($ptr)"
    )

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
