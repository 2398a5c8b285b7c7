"""The parts of `complex` that are only storage to the llvm dialect: a complex number is a struct of two floats."""

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects import complex, llvm
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.llvm import PoisonOp
from xshardy.lowering.conversion import Rule, Site, convert

REAL, IMAGINARY = (DenseArrayBase.from_list(i64, [i]) for i in range(2))
"""The positions of the two parts in the struct."""


def _struct(at: Site, real: SSAValue, imaginary: SSAValue) -> SSAValue:
    """A struct of two values."""
    value = at.insert(PoisonOp(at.result_type))
    value = at.insert(llvm.InsertValueOp(REAL, value, real))
    return at.insert(llvm.InsertValueOp(IMAGINARY, value, imaginary))


def lower_create(at: Site) -> SSAValue:
    """`complex.create %a, %b` -> two `llvm.insertvalue`."""
    return _struct(at, *at.operands)


def lower_constant(at: Site) -> SSAValue:
    """`complex.constant [1.0 : f32, 2.0 : f32]` -> a struct of two `llvm.mlir.constant`."""
    value = at.op.properties["value"]
    if not isa(value, ArrayAttr[FloatAttr]) and not isa(value, ArrayAttr[IntegerAttr]):
        raise PassFailedException(f"a complex constant has two numbers, not {value}")
    real, imaginary = (at.insert(llvm.ConstantOp(part, part.type)) for part in value)
    return _struct(at, real, imaginary)


def part(position: DenseArrayBase) -> Rule:
    """`complex.re %z` -> `llvm.extractvalue %z[0]`."""
    return lambda at: at.insert(llvm.ExtractValueOp(position, at.operands[0], at.result_type))


RULES: Mapping[type[Operation], Rule] = {
    complex.ConstantOp: lower_constant,
    complex.CreateOp: lower_create,
    complex.ImOp: part(IMAGINARY),
    complex.ReOp: part(REAL),
}


class ConvertComplexToLLVMPass(ModulePass):
    """Make complex numbers structs. Run `convert-complex-to-standard` first, which leaves no arithmetic on them."""

    name = "convert-complex-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op, RULES)
