"""
Calls in a computation, nested fusions and composites: inline them, or call a function of elements.

Also replaces custom calls of elementwise functions.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.chlo.custom_calls import ELEMENTWISE_CUSTOM_CALLS
from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.emitters.partition import roots_of
from xshardy.indexing.element_calls import element_call, element_maps
from xshardy.indexing.tensor_maps import minor_to_major
from xshardy.ir import clone_region
from xshardy.ir.insertion import inline_block
from xshardy.rewriting import match_op_type

Call = CallOp | FusionOp | stablehlo.CompositeOp


def callee_name(op: Call) -> str:
    """The name of the function that `op` executes."""
    symbol = op.decomposition if isinstance(op, stablehlo.CompositeOp) else op.callee
    return symbol.string_value()


@dataclass(frozen=True, eq=False)
class ElementFunction:
    """A prepared function that computes an element of each result from one element of each parameter."""

    function: FuncOp
    maps: tuple[IndexingMap, ...]
    """The map from the indices of the results to those of each parameter."""


@dataclass(frozen=True)
class CallElementFunction(RewritePattern):
    """`call @f(x)` -> `call @f(x) {element_maps = ...}`, if `@f` is one of `functions`."""

    functions: Mapping[str, ElementFunction]

    @match_op_type
    def match_and_rewrite(self, op: Call, rewriter: PatternRewriter, /):
        callee = self.functions.get(callee_name(op))
        if callee is None or element_maps(op) is not None:
            return
        call = element_call(callee.function.sym_name.data, op, callee.maps)
        layouts = [integers(minor_to_major(value)) for value in roots_of(callee.function)]
        call.attributes[hlo.LAYOUT] = layouts[0] if len(layouts) == 1 else ArrayAttr(layouts)
        rewriter.replace(op, call)


@dataclass(frozen=True)
class InlineCall(RewritePattern):
    """`call @f(x)` -> the operations of `@f` on `x`; alike for a nested fusion and for a composite."""

    functions: Mapping[str, FuncOp]

    @match_op_type
    def match_and_rewrite(self, op: Call, rewriter: PatternRewriter, /):
        if element_maps(op) is not None:
            return
        callee = self.functions.get(callee_name(op))
        if callee is None or not callee.body.blocks:
            raise PassFailedException(f"{op.name} of @{callee_name(op)}: the module has no body for it")
        for inserted in inline_block(clone_region(callee.body).block, InsertPoint.before(op), op.operands):
            rewriter.handle_operation_insertion(inserted)
        returned = op.prev_op
        assert returned is not None
        results = tuple(returned.operands)
        rewriter.erase(returned)
        rewriter.replace(op, [], results)


class ReplaceCustomCall(RewritePattern):
    """`custom_call @mhlo.erf(x)` -> `chlo.erf(x)`"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.CustomCallOp, rewriter: PatternRewriter, /):
        function = ELEMENTWISE_CUSTOM_CALLS.get(op.call_target_name.data)
        if function is not None:
            rewriter.replace(op, function.create(operands=op.operands, result_types=op.result_types))
