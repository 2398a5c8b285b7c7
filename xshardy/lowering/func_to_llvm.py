"""
`func` to the llvm dialect. The entry function becomes a kernel.

A kernel carries `nvvm.kernel`, `nvvm.reqntid` for its block size, and the attributes of its arguments; for AMD's GPUs,
the first two are rocdl's. `llvm.readonly` is added to an argument that is never written. Other functions with a body
become internal if they are private.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, UnitAttr, i32, i64
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.attribute_names import xla_attribute
from xshardy.dialects.extensions.llvm import PoisonOp
from xshardy.dialects.xla_gpu.discardable import INVARIANT, KNOWN_BLOCK_SIZE, is_entry
from xshardy.gpus.targets import Vendor
from xshardy.ir import new_operation
from xshardy.lowering.conversion import ConversionPass, ConversionPattern, Converted, Operands, convert_arguments
from xshardy.lowering.kernel_marks import MARKS, KernelMarks
from xshardy.lowering.types import LLVMTypes

READ_ONLY = "llvm.readonly"


@dataclass(frozen=True)
class LowerFunction(ConversionPattern[func.FuncOp]):
    """`func.func @f(%x: index) {body}` -> `llvm.func @f(%x: i64) {body}`. The body is moved."""

    marks: KernelMarks

    def convert(self, op: func.FuncOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        function_type = self.types.convert_function(op.function_type)
        attributes = dict(op.attributes)
        argument_attributes = op.arg_attrs
        if is_entry(op):
            attributes[self.marks.kernel] = UnitAttr()
            if (block_size := op.attributes.get(KNOWN_BLOCK_SIZE)) is not None:
                attributes[self.marks.block_size] = block_size
            argument_attributes = _with_read_only(argument_attributes)
        is_internal = not op.is_declaration and op.sym_visibility is not None and op.sym_visibility.data == "private"
        if (entry := op.body.first_block) is not None:
            convert_arguments(entry, self.types, rewriter)
        return llvm.FuncOp(
            op.sym_name,
            function_type,
            linkage=llvm.LinkageAttr("internal" if is_internal else "external"),
            body=rewriter.move_region_contents_to_new_regions(op.body),
            other_props={"arg_attrs": argument_attributes, "res_attrs": op.res_attrs},
            extra_attrs=attributes,
        )


def _with_read_only(attributes: ArrayAttr[DictionaryAttr] | None) -> ArrayAttr[DictionaryAttr] | None:
    """`llvm.readonly` on every argument that is `xla.invariant`."""
    if attributes is None:
        return None
    return ArrayAttr(
        DictionaryAttr({**each.data, READ_ONLY: UnitAttr()})
        if xla_attribute(each.data, INVARIANT) is not None
        else each
        for each in attributes
    )


CALL: Mapping[str, Attribute] = llvm.CallOp("callee").properties
"""The properties of a call: those that are set for each one, and the others."""


@lru_cache(maxsize=256)
def _segments(arguments: int) -> DenseArrayBase:
    """The sizes of the segments of operands of a call: arguments, and operands of bundles, which there are none."""
    return DenseArrayBase.from_list(i32, (arguments, 0))


class LowerCall(ConversionPattern[func.CallOp]):
    """`%a, %b = func.call @f(%x)` -> `%s = llvm.call @f(%x)`, and `%a`, `%b` are the parts of `%s`."""

    def convert(self, op: func.CallOp, operands: Operands, rewriter: PatternRewriter, /) -> Converted:
        types = self.result_types(op)
        properties = {**CALL, "callee": op.properties["callee"], "operandSegmentSizes": _segments(len(operands))}
        returned_types = (self.types.convert_results(tuple(types)),) if types else ()
        call = new_operation(llvm.CallOp, operands, returned_types, properties)
        if len(types) <= 1:
            return call
        (returned,) = rewriter.insert(call).results
        return [rewriter.insert(llvm.ExtractValueOp(_position(i), returned, type)).res for i, type in enumerate(types)]


class LowerReturn(ConversionPattern[func.ReturnOp]):
    """`func.return %a, %b` -> `llvm.return %s`, a struct of both."""

    def convert(self, op: func.ReturnOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        if len(operands) < 2:
            return llvm.ReturnOp(*operands)
        type = self.types.convert_results(tuple(operand.type for operand in operands))
        (value,) = rewriter.insert(PoisonOp(type)).results
        for i, operand in enumerate(operands):
            value = rewriter.insert(llvm.InsertValueOp(_position(i), value, operand)).res
        return llvm.ReturnOp(value)


def _position(index: int) -> DenseArrayBase:
    """A position in a struct."""
    return DenseArrayBase.from_list(i64, [index])


@dataclass(frozen=True)
class ConvertFuncToLLVMPass(ConversionPass):
    """Lower functions, calls and returns to the llvm dialect; the entry function becomes a kernel of `vendor`."""

    name = "convert-func-to-llvm"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37), `convert-func-to-llvm` of MLIR'

    vendor: str = Vendor.NVIDIA

    def __post_init__(self) -> None:
        Vendor(self.vendor)

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        return LowerFunction(types, MARKS[Vendor(self.vendor)]), LowerCall(types), LowerReturn(types)
