"""
Replace operations by calls of XLA's function library, and define the called functions.

The library belongs to XLA's emitters for CPUs. GPUs use libdevice, so the pipeline has neither pass. They are for
modules that contain or need such calls: `xla-gpu-lower-xla-intrinsic-lib` makes calls of declared functions,
`xla-gpu-link-xla-intrinsic-lib` turns the declarations into definitions, which can be lowered, executed, or inlined.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.builder import Builder
from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import AnyFloat, ModuleOp, VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import BlockInsertPoint, InsertPoint
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.vector import FromElementsOp
from xshardy.rewriting import TO_FIXPOINT, OpTypePattern, PatternPass, Walk, match_op_type
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.xla_gpu.intrinsic_library import (
    FUNCTIONS,
    INTRINSICS,
    SCALAR,
    Function,
    element_type,
    intrinsic_for,
    of_length,
)


@dataclass(frozen=True)
class CallIntrinsic(OpTypePattern):
    """
    `math.exp %x : vector<4xf64>` -> `call @xla.exp.v4f64(%x)`, for an operation in the library.

    A vector of an unsupported length is split: `vector.from_elements (call @xla.exp.f64(%x[0])), ...`.
    """

    module: ModuleOp

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        intrinsic = intrinsic_for(op)
        if intrinsic is None:
            return
        x, type_ = op.operands[0], op.results[0].type
        length = type_.get_shape()[0] if isa(type_, VectorType) else SCALAR
        if intrinsic.argument != element_type(x.type):
            x = rewriter.insert(arith.ExtFOp(x, of_length(intrinsic.argument, length))).result
        if length in intrinsic.lengths:
            result = call_function(Function(intrinsic, length), x, self.module, rewriter)
        else:
            results: list[SSAValue] = []
            for i in range(length):
                element = rewriter.insert(vector.ExtractOp(x, (i,), intrinsic.argument)).result
                results.append(call_function(Function(intrinsic, SCALAR), element, self.module, rewriter))
            result = rewriter.insert(FromElementsOp(results, VectorType(intrinsic.result, [length]))).dest
        if result.type != type_:
            assert isa(type_, AnyFloat | VectorType)
            result = rewriter.insert(arith.TruncFOp(result, type_)).result
        rewriter.replace(op, (), (result,))


def call_function(function: Function, x: SSAValue, module: ModuleOp, builder: Builder) -> SSAValue:
    """`call @xla.exp.f64(%x)`; declares the function if `module` lacks it."""
    declaration = function.declaration()
    name, (result_type,) = declaration.sym_name.data, declaration.function_type.outputs
    if name not in functions_of(module):
        builder.insert(declaration, InsertPoint.at_start(module.body.block))
    return builder.insert(func.CallOp(name, (x,), (result_type,))).results[0]


class DefineIntrinsic(RewritePattern):
    """`func.func private @xla.exp.f64(f64) -> f64` -> the same with a body, if the types match the library's."""

    @match_op_type
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /):
        known = FUNCTIONS.get(op.sym_name.data)
        if known is None or not op.is_declaration:
            return
        if op.function_type == known.declaration().function_type:
            rewriter.inline_region(known.body(), BlockInsertPoint.at_end(op.body))
            rewriter.notify_op_modified(op)


class LowerXlaIntrinsicLibPass(PatternPass):
    """Call XLA's functions for exp of f64, rsqrt, tanh, atan, log1p, erf, and the rounding of f32 to bf16."""

    name = "xla-gpu-lower-xla-intrinsic-lib"
    source: ClassVar[str] = "XLA's emitters for CPUs, xla-lower-xla-intrinsic-lib"
    walk: ClassVar[Walk] = TO_FIXPOINT  # the result of a wider function is rounded by a function too

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return tuple(CallIntrinsic(operation, module) for operation in {row.operation: None for row in INTRINSICS})


class LinkXlaIntrinsicLibPass(PatternPass):
    """Define declared functions of XLA's library, if their types match the library's."""

    name = "xla-gpu-link-xla-intrinsic-lib"
    source: ClassVar[str] = "XLA's emitters for CPUs, xla-lower-xla-intrinsic-lib"
    fixed_patterns = (DefineIntrinsic(),)
