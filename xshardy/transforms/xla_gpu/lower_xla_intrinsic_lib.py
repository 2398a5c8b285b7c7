"""
Call XLA's library of functions for the operations that it has, and give the functions that are called their bodies.

It is the library of XLA's emitters for CPUs; on GPUs there is libdevice, and the pipeline has neither pass. They serve
modules that come with such calls, or are wanted with them: `xla-gpu-lower-xla-intrinsic-lib` makes calls of declared
functions, `xla-gpu-link-xla-intrinsic-lib` makes the declarations definitions, to be lowered, executed, or inlined.
"""

from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, func, vector
from xdsl.dialects.builtin import AnyFloat, ModuleOp, VectorType
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.vector import FromElementsOp
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.xla_gpu.intrinsic_library import (
    FUNCTIONS,
    INTRINSICS,
    SCALAR,
    Function,
    Intrinsic,
    element_type,
    intrinsic_for,
    of_length,
)

OPERATIONS = frozenset(row.operation for row in INTRINSICS)


@dataclass(frozen=True, slots=True)
class CallIntrinsic(RewritePattern):
    """
    `math.exp %x : vector<4xf64>` -> `call @xla.exp.v4f64(%x)`

    A vector of a length without a function is taken apart, `vector.from_elements (call @xla.exp.f64(%x[0])), ...`.
    """

    library: "Library"

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if type(op) not in OPERATIONS:
            return
        intrinsic = intrinsic_for(op)
        if intrinsic is None:
            return
        x, type_ = op.operands[0], op.results[0].type
        length = type_.get_shape()[0] if isa(type_, VectorType) else SCALAR
        if intrinsic.argument != element_type(x.type):
            x = rewriter.insert(arith.ExtFOp(x, of_length(intrinsic.argument, length))).result
        if length in intrinsic.lengths:
            result = self.library.call(intrinsic, length, x, rewriter)
        else:
            results: list[SSAValue] = []
            for i in range(length):
                element = rewriter.insert(vector.ExtractOp(x, (i,), intrinsic.argument)).result
                results.append(self.library.call(intrinsic, SCALAR, element, rewriter))
            result = rewriter.insert(FromElementsOp(results, VectorType(intrinsic.result, [length]))).dest
        if result.type != type_:
            assert isa(type_, AnyFloat | VectorType)
            result = rewriter.insert(arith.TruncFOp(result, type_)).result
        rewriter.replace(op, (), (result,))


@dataclass(frozen=True, slots=True)
class Library:
    """The functions that a module has declared or defined; others are declared when they are first called."""

    module: ModuleOp
    functions: dict[str, func.FuncOp]

    def call(self, intrinsic: Intrinsic, length: int, x: SSAValue, builder: Builder) -> SSAValue:
        """`call @xla.exp.f64(%x)`."""
        name = intrinsic.function_name(length)
        if name not in self.functions:
            declaration = self.functions[name] = Function(intrinsic, length).declaration()
            Rewriter.insert_op(declaration, InsertPoint.at_start(self.module.body.block))
        _, result_type = intrinsic.function_type(length)
        return builder.insert(func.CallOp(name, (x,), (result_type,))).results[0]


class LowerXlaIntrinsicLibPass(ModulePass):
    """Call XLA's functions for exp of f64, rsqrt, tanh, erf, and the rounding of f32 to bf16."""

    name = "xla-gpu-lower-xla-intrinsic-lib"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = CallIntrinsic(Library(op, functions_of(op)))
        PatternRewriteWalker(pattern, apply_recursively=False).rewrite_module(op)


class LinkXlaIntrinsicLibPass(ModulePass):
    """Give declared functions of XLA's library their bodies, if their types are those of the library."""

    name = "xla-gpu-link-xla-intrinsic-lib"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for name, declared in functions_of(op).items():
            known = FUNCTIONS.get(name)
            if known is None or not declared.is_declaration:
                continue
            if declared.function_type == known.declaration().function_type:
                declared.body.add_block(known.body().detach_block(0))
