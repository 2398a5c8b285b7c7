"""One line of LLVM IR for each operation of the llvm and nvvm dialects: a table from operations to writers."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Protocol

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, StringAttr, UnitAttr
from xdsl.dialects.llvm import FastMathAttr, LLVMPointerType, LLVMVoidType, OverflowAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.hints import isa

from xshardy.dialects import nvvm, rocdl
from xshardy.dialects.extensions import llvm as extension
from xshardy.dialects.extensions import llvm_intrinsics as intrinsics
from xshardy.dialects.extensions import llvm_memory as memory
from xshardy.lowering.llvm_values import (
    LLVMTextError,
    address_space,
    float_type_of,
    global_name,
    joined,
    mangled,
    quoted,
    type_text,
)


class Operands(Protocol):
    """The function that is being written, as far as the writer of an instruction needs it."""

    def use(self, value: SSAValue) -> str:
        """A value without its type: `%v1`, `4`, `@f`."""
        ...

    def typed(self, value: SSAValue) -> str:
        """A value with its type in front: `i32 4`."""
        ...

    def label(self, block: Block) -> str:
        """A block as the target of a branch: `label %bb1`."""
        ...

    def edge(self, source: Operation, index: int) -> str:
        """The target of branch `source` for successor `index`: a block in between if both successors are one block."""
        ...

    def declare(self, name: str, result: str, arguments: str) -> None:
        """Make sure that the module declares the intrinsic `name`."""
        ...

    def marked(self, kind: str) -> str:
        """Metadata without contents, as that of an invariant load: `!invariant.load !0`."""
        ...


Writer = Callable[[Operation, Operands], str]
"""The instruction of an operation, without the name of its result."""

# --- flags ------------------------------------------------------------------------------------------------------------


def _fast_math(op: Operation) -> str:
    flags = op.properties.get("fastmathFlags")
    if not isinstance(flags, FastMathAttr) or not flags.data:
        return ""
    return "fast" if len(flags.data) == ALL_FAST_MATH else " ".join(sorted(flag.value for flag in flags.data))


ALL_FAST_MATH = len(FastMathAttr("fast").data)


def _integer_flags(op: Operation) -> str:
    if not op.properties:
        return ""
    flags = [word for name, word in FLAG_WORDS.items() if name in op.properties]
    overflow = op.properties.get("overflowFlags")
    return " ".join((*_overflow_flags(overflow), *flags)) if overflow is not None else " ".join(flags)


@lru_cache(maxsize=64)
def _overflow_flags(overflow: Attribute) -> list[str]:
    if isinstance(overflow, IntegerAttr):
        overflow = OverflowAttr.from_int(overflow.value.data)
    return sorted((flag.value for flag in overflow.data), reverse=True) if isinstance(overflow, OverflowAttr) else []


FLAG_WORDS: Mapping[str, str] = {"isExact": "exact", "isDisjoint": "disjoint", "nonNeg": "nneg"}


def _alignment(op: Operation) -> str:
    alignment = op.properties.get("alignment")
    return f", align {alignment.value.data}" if isinstance(alignment, IntegerAttr) else ""


def _atomic_alignment(op: Operation, type: Attribute) -> str:
    """Atomic accesses state their alignment; by default it is the size of the value."""
    return _alignment(op) or f", align {getattr(type, 'bitwidth', 8 * 8) // 8}"


def _volatile(op: Operation) -> str:
    return "volatile" if "volatile_" in op.properties else ""


def _scope(op: Operation) -> str:
    scope = op.properties.get("syncscope")
    return f"syncscope({quoted(scope.data)})" if isinstance(scope, StringAttr) else ""


def _ordering(op: Operation, name: str = "ordering") -> str:
    ordering = op.properties.get(name)
    if isinstance(ordering, memory.AtomicOrderingAttr):
        return ordering.data.value
    # An operation of xDSL's class has the number of the ordering; 0 is that of an access that is not atomic.
    return llvm.ATOMIC_ORDERING_KEYWORDS.get(ordering.value.data, "") if isinstance(ordering, IntegerAttr) else ""


# --- arithmetic, comparisons, casts -----------------------------------------------------------------------------------


def binary(mnemonic: str) -> Writer:
    """`add nsw i32 %a, %b`."""

    def write(op: Operation, names: Operands) -> str:
        a, b = op.operands
        flags = _integer_flags(op) or _fast_math(op)
        return f"{joined((mnemonic, flags))} {names.typed(a)}, {names.use(b)}"

    return write


def cast(mnemonic: str) -> Writer:
    """`zext nneg i32 %a to i64`."""

    def write(op: Operation, names: Operands) -> str:
        flags = _integer_flags(op)
        return f"{joined((mnemonic, flags))} {names.typed(op.operands[0])} to {type_text(op.results[0].type)}"

    return write


def _icmp(op: Operation, names: Operands) -> str:
    assert isinstance(op, llvm.ICmpOp)
    flag = llvm.ICmpPredicateFlag.from_int(op.predicate.value.data)
    return f"icmp {flag} {names.typed(op.lhs)}, {names.use(op.rhs)}"


def _fcmp(op: Operation, names: Operands) -> str:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    flag = llvm.FCmpPredicateFlag.from_int(predicate.value.data).removeprefix("_")
    a, b = op.operands
    return f"{joined(('fcmp', _fast_math(op)))} {flag} {names.typed(a)}, {names.use(b)}"


def _fneg(op: Operation, names: Operands) -> str:
    return f"{joined(('fneg', _fast_math(op)))} {names.typed(op.operands[0])}"


def _select(op: Operation, names: Operands) -> str:
    flags = _fast_math(op) if float_type_of(op.results[0].type) else ""
    return f"{joined(('select', flags))} {', '.join(map(names.typed, op.operands))}"


def _freeze(op: Operation, names: Operands) -> str:
    return f"freeze {names.typed(op.operands[0])}"


# --- vectors and structs ----------------------------------------------------------------------------------------------


def _extract_element(op: Operation, names: Operands) -> str:
    return "extractelement " + ", ".join(map(names.typed, op.operands))


def _insert_element(op: Operation, names: Operands) -> str:
    return "insertelement " + ", ".join(map(names.typed, op.operands))


def _shuffle_vector(op: Operation, names: Operands) -> str:
    assert isinstance(op, llvm.ShuffleVectorOp)
    lanes = op.mask.get_values()
    mask = ", ".join(f"i32 {'poison' if lane < 0 else lane}" for lane in lanes)
    return f"shufflevector {names.typed(op.v1)}, {names.typed(op.v2)}, <{len(lanes)} x i32> <{mask}>"


def _path(op: Operation) -> str:
    position = op.properties["position"]
    assert isinstance(position, DenseArrayBase)
    return "".join(f", {index}" for index in position.get_values())


def _extract_value(op: Operation, names: Operands) -> str:
    return f"extractvalue {names.typed(op.operands[0])}{_path(op)}"


def _insert_value(op: Operation, names: Operands) -> str:
    return "insertvalue " + ", ".join(map(names.typed, op.operands)) + _path(op)


# --- memory -----------------------------------------------------------------------------------------------------------


def _get_element_pointer(op: Operation, names: Operands) -> str:
    assert isinstance(op, llvm.GEPOp)
    dynamic = iter(op.ssa_indices)
    indices = [
        names.typed(next(dynamic)) if index == llvm.GEP_USE_SSA_VAL else f"i32 {index}"
        for index in op.rawConstantIndices.get_values()
    ]
    flags = op.noWrapFlags.value.data
    inbounds = op.inbounds is not None or flags & 1
    words = joined(
        (
            "getelementptr",
            "inbounds" if inbounds else "",
            "nusw" if flags & 2 and not inbounds else "",
            "nuw" if flags & 4 else "",
        )
    )
    return f"{words} {', '.join((type_text(op.elem_type), names.typed(op.ptr), *indices))}"


def _load(op: Operation, names: Operands) -> str:
    (pointer,), type = op.operands, op.results[0].type
    access = f"{type_text(type)}, {names.typed(pointer)}"
    if ordering := _ordering(op):
        text = joined(("load atomic", _volatile(op), access, _scope(op), ordering)) + _atomic_alignment(op, type)
    else:
        text = joined(("load", _volatile(op), access)) + _alignment(op)
    return f"{text}, {names.marked('invariant.load')}" if "invariant" in op.properties else text


def _store(op: Operation, names: Operands) -> str:
    value, pointer = op.operands
    access = f"{names.typed(value)}, {names.typed(pointer)}"
    if ordering := _ordering(op):
        alignment = _atomic_alignment(op, value.type)
        return joined(("store atomic", _volatile(op), access, _scope(op), ordering)) + alignment
    return joined(("store", _volatile(op), access)) + _alignment(op)


def _atomic_rmw(op: Operation, names: Operands) -> str:
    assert isinstance(op, memory.AtomicRMWOp)
    operator = op.bin_op.data.value.removeprefix("_")
    access = f"{operator} {names.typed(op.ptr)}, {names.typed(op.val)}"
    facts = "".join(f", {names.marked(kind)}" for name, kind in MEMORY_FACTS.items() if name in op.attributes)
    return joined(("atomicrmw", _volatile(op), access, _scope(op), _ordering(op))) + _alignment(op) + facts


MEMORY_FACTS: Mapping[str, str] = {
    rocdl.NO_FINE_GRAINED_MEMORY: "amdgpu.no.fine.grained.memory",
    rocdl.NO_REMOTE_MEMORY: "amdgpu.no.remote.memory",
    rocdl.IGNORE_DENORMAL_MODE: "amdgpu.ignore.denormal.mode",
}
"""Discardable attributes of `llvm.atomicrmw`, and their metadata."""


def _compare_exchange(op: Operation, names: Operands) -> str:
    orderings = f"{_ordering(op, 'success_ordering')} {_ordering(op, 'failure_ordering')}"
    weak = "weak" if "weak" in op.properties else ""
    access = ", ".join(map(names.typed, op.operands))
    return joined(("cmpxchg", weak, _volatile(op), access, _scope(op), orderings)) + _alignment(op)


def _fence(op: Operation, names: Operands) -> str:
    return joined(("fence", _scope(op), _ordering(op)))


def _alloca(op: Operation, names: Operands) -> str:
    assert isinstance(op, llvm.AllocaOp) and isinstance(op.res.type, LLVMPointerType)
    space = address_space(op.res.type)
    suffix = f", addrspace({space})" if space else ""
    return f"alloca {type_text(op.elem_type)}, {names.typed(op.size)}{_alignment(op)}{suffix}"


# --- control ----------------------------------------------------------------------------------------------------------


def _branch(op: Operation, names: Operands) -> str:
    return f"br {names.label(op.successors[0])}"


def _conditional_branch(op: Operation, names: Operands) -> str:
    return f"br {names.typed(op.operands[0])}, {names.edge(op, 0)}, {names.edge(op, 1)}"


def _return(op: Operation, names: Operands) -> str:
    return f"ret {names.typed(op.operands[0])}" if op.operands else "ret void"


def _unreachable(op: Operation, names: Operands) -> str:
    return "unreachable"


# --- calls ------------------------------------------------------------------------------------------------------------


def _result_type(op: Operation) -> str:
    return type_text(op.results[0].type) if op.results else type_text(LLVMVoidType())


def _call(op: Operation, names: Operands) -> str:
    assert isinstance(op, llvm.CallOp)
    if op.callee is None:
        callee, arguments = names.use(op.args[0]), op.args[1:]
    else:
        callee, arguments = global_name(op.callee.root_reference.data), op.args
    type = _result_type(op) if op.var_callee_type is None else type_text(op.var_callee_type)
    return joined(("call", _fast_math(op), type, f"{callee}({', '.join(map(names.typed, arguments))})"))


def _call_intrinsic(op: Operation, names: Operands) -> str:
    assert isinstance(op, llvm.CallIntrinsicOp)
    return intrinsic_call(op, names, op.intrin.data, list(op.args))


def _inline_asm(op: Operation, names: Operands) -> str:
    assert isinstance(op, llvm.InlineAsmOp)
    effects = "sideeffect" if op.has_side_effects is not None else ""
    text = f"{quoted(op.asm_string.data)}, {quoted(op.constraints.data)}({', '.join(map(names.typed, op.operands))})"
    return joined(("call", _result_type(op), "asm", effects, text))


def intrinsic_call(
    op: Operation, names: Operands, name: str, arguments: list[SSAValue], *immediate: str, attributes: str = ""
) -> str:
    """A call of the intrinsic `name`, which is declared. `immediate` arguments, such as `i1 false`, come last."""
    type = _result_type(op)
    types = [type_text(argument.type) for argument in arguments] + [text.split()[0] for text in immediate]
    names.declare(name, type, ", ".join(types))
    texts = ", ".join((*map(names.typed, arguments), *immediate))
    return joined(("call", _fast_math(op), attributes, type, f"{global_name(name)}({texts})"))


def overloaded(op: Operation, names: Operands) -> str:
    """`llvm.intr.fabs(%x) : (f32) -> f32` -> `call float @llvm.fabs.f32(float %x)`: overloaded on its result."""
    name = f"llvm.{op.name.removeprefix('llvm.intr.')}.{mangled(op.results[0].type)}"
    return intrinsic_call(op, names, name, list(op.operands))


def _reduction(op: Operation, names: Operands) -> str:
    """Overloaded on the vector, the last operand."""
    name = f"llvm.{op.name.removeprefix('llvm.intr.')}.{mangled(op.operands[-1].type)}"
    return intrinsic_call(op, names, name, list(op.operands))


def _conversion(op: Operation, names: Operands) -> str:
    """Overloaded on the result and the operand."""
    name = f"llvm.{op.name.removeprefix('llvm.intr.')}.{mangled(op.results[0].type)}.{mangled(op.operands[0].type)}"
    return intrinsic_call(op, names, name, list(op.operands))


def _flagged(op: Operation, names: Operands) -> str:
    assert isinstance(op, intrinsics.FlaggedIntegerIntrinsic)
    flag = op.properties[op.FLAG]
    assert isinstance(flag, IntegerAttr)
    name = f"llvm.{op.name.removeprefix('llvm.intr.')}.{mangled(op.res.type)}"
    return intrinsic_call(op, names, name, list(op.operands), f"i1 {'true' if flag.value.data else 'false'}")


def _is_fpclass(op: Operation, names: Operands) -> str:
    assert isinstance(op, intrinsics.IsFPClassOp)
    name = f"llvm.is.fpclass.{mangled(op.arg.type)}"
    return intrinsic_call(op, names, name, [op.arg], f"i32 {op.bit.value.data}")


def _special_register(op: Operation, names: Operands) -> str:
    """A register, with its range."""
    assert isinstance(op, nvvm.SpecialRegisterOp)
    bounds = ""
    if (values := op.range) is not None:
        lower, upper = values.lower.value.data, values.upper.value.data
        bounds = f"range(i{_width(values.lower.type)} {lower}, {upper})"
    return intrinsic_call(op, names, f"llvm.{op.name.replace('rocdl', 'amdgcn')}", [], attributes=bounds)


def _width(type: Attribute) -> int:
    assert isa(type, IntegerType)
    return type.width.data


def _barrier(op: Operation, names: Operands) -> str:
    return intrinsic_call(op, names, "llvm.nvvm.barrier0", [])


def _grid_dependency(op: Operation, names: Operands) -> str:
    assert isinstance(op, nvvm.GridDependencyOp)
    return intrinsic_call(op, names, f"llvm.nvvm.griddepcontrol.{op.kind.data.replace('_', '.')}", [])


def _sync_warp(op: Operation, names: Operands) -> str:
    return intrinsic_call(op, names, "llvm.nvvm.bar.warp.sync", list(op.operands))


def _shuffle(op: Operation, names: Operands) -> str:
    assert isinstance(op, nvvm.ShuffleOp)
    suffix = "p" if isinstance(op.return_value_and_is_valid, UnitAttr) else ""
    name = f"llvm.nvvm.shfl.sync.{op.kind.data}.{mangled(op.val.type)}{suffix}"
    return intrinsic_call(op, names, name, list(op.operands))


def _redux(op: Operation, names: Operands) -> str:
    assert isinstance(op, nvvm.ReduxOp)
    return intrinsic_call(op, names, f"llvm.nvvm.redux.sync.{op.kind.data}", list(op.operands))


def _amdgcn_name(op: Operation) -> str:
    return "llvm.amdgcn." + op.name.removeprefix("rocdl.").replace("_", ".")


def _amdgcn(op: Operation, names: Operands) -> str:
    """`rocdl.ds_bpermute %a, %b` -> `call i32 @llvm.amdgcn.ds.bpermute(i32 %a, i32 %b)`."""
    return intrinsic_call(op, names, _amdgcn_name(op), list(op.operands))


def _move_lanes(op: Operation, names: Operands) -> str:
    assert isinstance(op, rocdl.MoveLanesOp)
    numbers = (f"i32 {number.value.data}" for number in (op.dpp_ctrl, op.row_mask, op.bank_mask))
    bound = f"i1 {'true' if op.bound_ctrl.value.data else 'false'}"
    return intrinsic_call(op, names, f"{_amdgcn_name(op)}.i32", list(op.operands), *numbers, bound)


BINARY: Mapping[type[Operation], str] = {
    llvm.AShrOp: "ashr",
    llvm.AddOp: "add",
    llvm.AndOp: "and",
    llvm.FAddOp: "fadd",
    llvm.FDivOp: "fdiv",
    llvm.FMulOp: "fmul",
    llvm.FRemOp: "frem",
    llvm.FSubOp: "fsub",
    llvm.LShrOp: "lshr",
    llvm.MulOp: "mul",
    llvm.OrOp: "or",
    llvm.SDivOp: "sdiv",
    llvm.SRemOp: "srem",
    llvm.ShlOp: "shl",
    llvm.SubOp: "sub",
    llvm.UDivOp: "udiv",
    llvm.URemOp: "urem",
    llvm.XOrOp: "xor",
}

CASTS: Mapping[type[Operation], str] = {
    extension.FPToSIOp: "fptosi",
    extension.FPToUIOp: "fptoui",
    extension.UIToFPOp: "uitofp",
    llvm.BitcastOp: "bitcast",
    llvm.FPExtOp: "fpext",
    llvm.FPTruncOp: "fptrunc",
    llvm.IntToPtrOp: "inttoptr",
    llvm.PtrToIntOp: "ptrtoint",
    llvm.SExtOp: "sext",
    llvm.SIToFPOp: "sitofp",
    llvm.TruncOp: "trunc",
    llvm.ZExtOp: "zext",
    memory.AddrSpaceCastOp: "addrspacecast",
}

OVERLOADED = (
    intrinsics.FloatBinaryIntrinsic,
    intrinsics.FloatUnaryIntrinsic,
    intrinsics.FMulAddOp,
    intrinsics.FunnelShiftIntrinsic,
    intrinsics.IntegerBinaryIntrinsic,
    intrinsics.IntegerUnaryIntrinsic,
    llvm.FAbsOp,
    llvm.FCeilOp,
    llvm.FCopySignOp,
    llvm.FCosOp,
    llvm.FExp2Op,
    llvm.FExpOp,
    llvm.FFloorOp,
    llvm.FLog2Op,
    llvm.FLogOp,
    llvm.FMAOp,
    llvm.FPowOp,
    llvm.FSinOp,
    llvm.FSqrtOp,
    llvm.VectorFMaxOp,
    llvm.VectorFMinOp,
)
"""Intrinsics that are overloaded on the type of their result, or classes of such."""

REDUCTIONS = (
    intrinsics.FloatReduceIntrinsic,
    intrinsics.IntegerReduceIntrinsic,
    llvm.VectorReduceFAddOp,
    llvm.VectorReduceFMulOp,
)

INTRINSICS = (*intrinsics.OPERATIONS, *llvm.LLVM.operations)


WRITERS: Mapping[type[Operation], Writer] = {
    **{op: binary(mnemonic) for op, mnemonic in BINARY.items()},
    **{op: cast(mnemonic) for op, mnemonic in CASTS.items()},
    **{op: overloaded for op in INTRINSICS if issubclass(op, OVERLOADED)},
    **{op: _reduction for op in INTRINSICS if issubclass(op, REDUCTIONS)},
    **{
        op: _special_register
        for op in (*nvvm.NVVM.operations, *rocdl.ROCDL.operations)
        if issubclass(op, nvvm.SpecialRegisterOp)
    },
    extension.ExtractElementOp: _extract_element,
    extension.FCmpOp: _fcmp,
    extension.FreezeOp: _freeze,
    extension.SelectOp: _select,
    intrinsics.AbsOp: _flagged,
    intrinsics.CountLeadingZerosOp: _flagged,
    intrinsics.CountTrailingZerosOp: _flagged,
    intrinsics.FPToSISatOp: _conversion,
    intrinsics.FPToUISatOp: _conversion,
    intrinsics.IsFPClassOp: _is_fpclass,
    llvm.AllocaOp: _alloca,
    llvm.BrOp: _branch,
    llvm.CallIntrinsicOp: _call_intrinsic,
    llvm.CallOp: _call,
    llvm.CondBrOp: _conditional_branch,
    llvm.ExtractValueOp: _extract_value,
    llvm.FCmpOp: _fcmp,
    llvm.FNegOp: _fneg,
    llvm.GEPOp: _get_element_pointer,
    llvm.ICmpOp: _icmp,
    llvm.InlineAsmOp: _inline_asm,
    llvm.InsertElementOp: _insert_element,
    llvm.InsertValueOp: _insert_value,
    llvm.LoadOp: _load,
    llvm.ReturnOp: _return,
    llvm.SelectOp: _select,
    llvm.ShuffleVectorOp: _shuffle_vector,
    llvm.StoreOp: _store,
    llvm.UnreachableOp: _unreachable,
    memory.AtomicCmpXchgOp: _compare_exchange,
    memory.AtomicRMWOp: _atomic_rmw,
    memory.FenceOp: _fence,
    memory.LoadOp: _load,
    memory.StoreOp: _store,
    nvvm.Barrier0Op: _barrier,
    nvvm.BarrierOp: _barrier,
    nvvm.GridDependencyOp: _grid_dependency,
    nvvm.ReduxOp: _redux,
    nvvm.ShuffleOp: _shuffle,
    nvvm.SyncWarpOp: _sync_warp,
    rocdl.BarrierOp: _amdgcn,
    rocdl.CountHighLanesOp: _amdgcn,
    rocdl.CountLowLanesOp: _amdgcn,
    rocdl.MoveLanesOp: _move_lanes,
    rocdl.PermuteLanesOp: _amdgcn,
    rocdl.SwizzleLanesOp: _amdgcn,
}


def writer_of(op: Operation) -> Writer:
    """The writer of the instruction of `op`. Raises `LLVMTextError` if it is no operation of LLVM."""
    if (writer := WRITERS.get(type(op))) is None:
        raise LLVMTextError(f"'{op.name}' is no operation of LLVM: lower it with xla-gpu-lower-to-llvm first")
    return writer
