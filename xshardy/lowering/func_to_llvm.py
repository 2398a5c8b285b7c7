"""
`func` to the llvm dialect. The entry function becomes a kernel.

A kernel carries `nvvm.kernel`, `nvvm.reqntid` for its block size, and the attributes of its arguments; `llvm.readonly`
joins them on an argument that is never written. Other functions with a body become internal if they are private.
"""

from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from xshardy.dialects import nvvm
from xshardy.dialects.extensions.llvm import PoisonOp
from xshardy.dialects.xla_gpu.discardable import INVARIANT, KNOWN_BLOCK_SIZE, is_entry, read
from xshardy.lowering.conversion import Rule, Site, convert

READ_ONLY = "llvm.readonly"


def lower_function(at: Site) -> None:
    """`func.func @f(%x: index)` -> `llvm.func @f(%x: i64)`. The body is moved."""
    op = at.op
    assert isinstance(op, func.FuncOp)
    function_type = at.types.convert_function(op.function_type)
    attributes = dict(op.attributes)
    argument_attributes = op.arg_attrs
    if is_entry(op):
        attributes[nvvm.KERNEL] = UnitAttr()
        if (block_size := op.attributes.get(KNOWN_BLOCK_SIZE)) is not None:
            attributes[nvvm.REQUIRED_BLOCK_SIZE] = block_size
        argument_attributes = _with_read_only(argument_attributes)
    is_internal = not op.is_declaration and op.sym_visibility is not None and op.sym_visibility.data == "private"
    if (entry := op.body.first_block) is not None:
        at.converter.convert_arguments(entry)
    at.place(
        llvm.FuncOp(
            op.sym_name,
            function_type,
            linkage=llvm.LinkageAttr("internal" if is_internal else "external"),
            body=op.detach_region(op.body),
            other_props={"arg_attrs": argument_attributes, "res_attrs": op.res_attrs},
            extra_attrs=attributes,
        )
    )


def _with_read_only(attributes: ArrayAttr[DictionaryAttr] | None) -> ArrayAttr[DictionaryAttr] | None:
    """`llvm.readonly` on every argument that is `xla.invariant`."""
    if attributes is None:
        return None
    return ArrayAttr(
        DictionaryAttr({**each.data, READ_ONLY: UnitAttr()}) if read(each.data, INVARIANT) is not None else each
        for each in attributes
    )


def lower_call(at: Site) -> SSAValue | Sequence[SSAValue] | None:
    """`%a, %b = func.call @f(%x)` -> `%s = llvm.call @f(%x)`, and `%a`, `%b` are the parts of `%s`."""
    op = at.op
    assert isinstance(op, func.CallOp)
    types = at.result_types
    if not types:
        return at.place(llvm.CallOp(op.callee, *at.operands))
    returned = at.insert(llvm.CallOp(op.callee, *at.operands, return_type=at.types.convert_results(tuple(types))))
    if len(types) == 1:
        return returned
    return [at.insert(llvm.ExtractValueOp(_position(i), returned, type)) for i, type in enumerate(types)]


def lower_return(at: Site) -> None:
    """`func.return %a, %b` -> `llvm.return %s`, a struct of both."""
    if len(at.operands) < 2:
        return at.place(llvm.ReturnOp(*at.operands))
    value = at.insert(PoisonOp(at.types.convert_results(tuple(operand.type for operand in at.operands))))
    for i, operand in enumerate(at.operands):
        value = at.insert(llvm.InsertValueOp(_position(i), value, operand))
    return at.place(llvm.ReturnOp(value))


def _position(index: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, [index])


RULES: Mapping[type[Operation], Rule] = {
    func.FuncOp: lower_function,
    func.CallOp: lower_call,
    func.ReturnOp: lower_return,
}


class ConvertFuncToLLVMPass(ModulePass):
    """Lower functions, calls and returns to the llvm dialect; the entry function becomes a kernel."""

    name = "convert-func-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op, RULES)
