"""
Compute functions of `math` by arithmetic, so that a kernel needs no library of the target.

`math_functions` has an expansion within 2 units in the last place for each. Other functions (`math.atan2`, ...) stay.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.builder import Builder
from xdsl.dialects import func, vector
from xdsl.dialects.builtin import AnyFloat, Float32Type, Float64Type, ModuleOp, VectorType, f32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.vector import FromElementsOp
from xshardy.rewriting import OpTypePattern, PatternPass, Step
from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.call_graph import PRIVATE, functions_of
from xshardy.transforms.xla_gpu.math_functions import FUNCTIONS


class TakeVectorApart(OpTypePattern):
    """`math.exp %v : vector<2xf32>` -> `vector.from_elements` of `math.exp` of each element."""

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        type_ = op.results[0].type
        if not isa(type_, VectorType[AnyFloat]) or type_.get_num_dims() != 1:
            return
        results: list[SSAValue] = []
        for i in range(type_.get_shape()[0]):
            elements = [
                rewriter.insert(vector.ExtractOp(operand, (i,), type_.element_type)).result for operand in op.operands
            ]
            element = op.create(operands=elements, result_types=[type_.element_type], properties={**op.properties})
            results.append(rewriter.insert(element).results[0])
        rewriter.replace(op, FromElementsOp(results, type_))


class ComputeNarrowAsF32(OpTypePattern):
    """`math.exp %x : bf16` -> `arith.extf`, `math.exp : f32`, `arith.truncf`, for a float narrower than f32."""

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        type_ = op.results[0].type
        if not isinstance(type_, AnyFloat) or type_.bitwidth >= f32.bitwidth:
            return
        operands = [Scalar(operand, rewriter).to_float(f32).value for operand in op.operands]
        wide = op.create(operands=operands, result_types=[f32], properties={**op.properties})
        result = Scalar(rewriter.insert(wide).results[0], rewriter).to_float(type_)
        rewriter.replace(op, (), (result.value,))


@dataclass(frozen=True)
class CallExpansion(OpTypePattern):
    """`math.exp %x : f32` -> `call @xshardy.exp.f32(%x)`, which is defined in the module."""

    expansion: Callable[..., Scalar]
    module: ModuleOp

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        type_ = op.results[0].type
        if not isinstance(type_, Float32Type | Float64Type):
            return
        name = f"xshardy.{op.name.rpartition('.')[2]}.{type_.name}"
        if name not in functions_of(self.module):
            function = defined(name, self.expansion, len(op.operands), type_)
            rewriter.insert(function, InsertPoint.at_end(self.module.body.block))
        rewriter.replace(op, func.CallOp(name, op.operands, [type_]))


def defined(name: str, expansion: Callable[..., Scalar], operands: int, type: AnyFloat) -> func.FuncOp:
    """`func.func private @name`, of so many operands of `type`, with the operations of `expansion`."""
    block = Block(arg_types=[type] * operands)
    builder = Builder(InsertPoint.at_end(block))
    result = expansion(*(Scalar(argument, builder) for argument in block.args))
    builder.insert(func.ReturnOp(result.value))
    return func.FuncOp(name, ([type] * operands, [type]), Region(block), PRIVATE)


class ExpandMathFunctionsPass(PatternPass):
    """Compute exp, log, tanh, erf, sin, cos, pow and others by arithmetic, within 2 ulp (tan 3, erfc 4)."""

    name = "xla-gpu-expand-math-functions"
    source: ClassVar[str] = "ours: PTX without NVIDIA's libdevice"

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        yield Step(tuple(TakeVectorApart(op) for op in FUNCTIONS))
        yield Step(tuple(ComputeNarrowAsF32(op) for op in FUNCTIONS))
        yield Step(tuple(CallExpansion(op, expansion, module) for op, expansion in FUNCTIONS.items()))
