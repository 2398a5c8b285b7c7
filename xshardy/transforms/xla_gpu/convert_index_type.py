"""
Compute indices as integers of the width in the data layout, so that LLVM's integer arithmetic applies.

The emitters state a width of 32 bits if every index fits, see `dialects/data_layout.py`. Each index used in arithmetic
is cast to an integer once, directly after its definition, where patterns find the cast.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.data_layout import index_integer
from xshardy.ir import new_operation
from xshardy.ir.value_types import give_types
from xshardy.lowering.conversion import integer_attribute
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.transforms.xla_gpu.function_constants import after_constants

IndexArithmetic = arith.AddiOp | arith.MuliOp | arith.SubiOp | arith.DivUIOp | arith.RemUIOp
"""Arithmetic that is done on integers: address computations. Comparisons and casts stay."""

INDEX = IndexType()
COMMUTATIVE = (arith.AddiOp, arith.MuliOp)


# -- Indices as integers -----------------------------------------------------------------------------------------------


def as_integer(value: SSAValue, integer: IntegerType, rewriter: PatternRewriter) -> SSAValue:
    """The index `value` as an integer: itself, a constant, the source of a cast to index, or a cast after it."""
    if value.type == integer:
        return value  # of arithmetic that was converted before
    owner = value.owner
    if isinstance(owner, arith.IndexCastOp) and (source := owner.input).type == integer:
        return source
    if isinstance(owner, arith.ConstantOp):
        twin = integer_twin(owner, integer)
        return (twin or rewriter.insert(converted(owner, integer), InsertPoint.after(owner))).result
    if isinstance(owner, Operation):
        known, _ = find_cast(value, owner.next_op, integer)
        point = InsertPoint.after(owner)
    else:
        known, last = find_cast(value, after_constants(owner).insert_before, integer)
        point = InsertPoint.at_end(owner) if last is None else InsertPoint.before(last)
    return (known or rewriter.insert(arith.IndexCastOp(value, integer), point)).result


def find_cast(
    value: SSAValue, op: Operation | None, integer: IntegerType
) -> tuple[arith.IndexCastOp | None, Operation | None]:
    """
    The cast of `value` in the sequence of casts that starts at `op`, and the operation where the search ends.

    The latter is that cast, or the first operation after the sequence.
    """
    while isinstance(op, arith.IndexCastOp) and op.result.type == integer and op.input.owner is value.owner:
        if op.input is value:
            return op, op
        op = op.next_op
    return None, op


def integer_twin(constant: arith.ConstantOp, integer: IntegerType) -> arith.ConstantOp | None:
    """The integer constant of equal value directly after an index constant, if there is one."""
    behind = constant.next_op
    if not isinstance(behind, arith.ConstantOp) or behind.result.type != integer:
        return None
    value, expected = behind.value, constant.value
    assert isinstance(value, IntegerAttr) and isinstance(expected, IntegerAttr)
    is_same = (value.value.data - expected.value.data) % (1 << integer.bitwidth) == 0  # too wide a value is truncated
    return behind if is_same else None


def converted(constant: arith.ConstantOp, integer: IntegerType) -> arith.ConstantOp:
    """A new integer constant with the value of an index constant."""
    assert isinstance(constant.value, IntegerAttr)
    value = integer_attribute(constant.value.value.data, integer)
    return new_operation(arith.ConstantOp, (), (integer,), {"value": value})


# -- Patterns ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ConvertIndexArithmetic(RewritePattern):
    """
    `addi %a, %b : index` -> `index_cast (addi (index_cast %a), (index_cast %b) : i32) : i32 to index`.

    Changes the operation in place: arithmetic that reads it, and is converted later, reads the integer.
    """

    integer: IntegerType

    @match_op_type
    def match_and_rewrite(self, op: IndexArithmetic, rewriter: PatternRewriter, /):
        if not is_on_indices(op):
            return
        operands = [as_integer(operand, self.integer, rewriter) for operand in op.operands]
        if isinstance(op, COMMUTATIVE):  # constants on the right, where canonicalization puts them
            operands.sort(key=lambda operand: type(operand.owner) is arith.ConstantOp)
        op.operands = operands
        others = [use for use in op.result.uses if not is_on_indices(use.operation)]
        give_types(op, ((op.result, self.integer),), rewriter)
        if others:
            cast = rewriter.insert(new_operation(arith.IndexCastOp, (op.result,), (INDEX,)), InsertPoint.after(op))
            for use in others:
                use.operation.operands[use.index] = cast.result
                rewriter.notify_op_modified(use.operation)


def is_on_indices(op: Operation) -> bool:
    """Whether `op` is arithmetic that is still done on indices."""
    return isinstance(op, IndexArithmetic) and isinstance(op.result.type, IndexType)


@dataclass(frozen=True)
class EraseUnusedIndexConstant(RewritePattern):
    """`constant 1 : index; constant 1 : i32` -> `constant 1 : i32`, if the index is unused."""

    integer: IntegerType

    @match_op_type
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter, /):
        if not isinstance(op.result.type, IndexType) or op.result.first_use:
            return
        if integer_twin(op, self.integer) is not None:
            rewriter.erase(op)


class ConvertIndexTypePass(PatternPass):
    """Do index arithmetic in integers of the width that the data layout states for `index`."""

    name = "xla-gpu-convert-index-type"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM", convert_index_type (XGPU-37)'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        integer = index_integer(module)
        yield Step((ConvertIndexArithmetic(integer),))
        yield Step((EraseUnusedIndexConstant(integer),))
