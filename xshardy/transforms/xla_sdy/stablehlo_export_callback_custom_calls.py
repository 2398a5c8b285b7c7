"""Give callbacks into Python a tuple as result, as XLA's runtime has it."""

from typing import ClassVar, cast

from xdsl.dialects.builtin import TupleType
from xdsl.ir import TypeAttribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.hlo.annotation_names import SHARDING as HLO_SHARDING
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.dialects.stablehlo.tuples import GetTupleElementOp
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.xla_sdy.names import PYTHON_CALLBACKS, target_of


class ReturnTuple(RewritePattern):
    """`%y = custom_call @callback(x)` -> `%t = custom_call @callback(x)`, `%y = get_tuple_element %t[0]`"""

    @match_op_type
    def match_and_rewrite(self, op: CustomCallOp, rewriter: PatternRewriter, /) -> None:
        if target_of(op) not in PYTHON_CALLBACKS or len(op.results) != 1 or isinstance(op.result_types[0], TupleType):
            return
        call = CustomCallOp.create(
            operands=op.operands,
            result_types=[TupleType((cast(TypeAttribute, op.result_types[0]),))],
            properties=op.properties,
            attributes=op.attributes,
        )
        rewriter.insert(call, InsertPoint.before(op))
        element = GetTupleElementOp(call.results[0], 0)
        if (sharding := op.attributes.get(HLO_SHARDING)) is not None:
            element.attributes[HLO_SHARDING] = sharding
        rewriter.replace(op, element)


class StablehloExportCallbackCustomCallsPass(PatternPass):
    """Let callbacks into Python with one result return a tuple of it. The element has the sharding of the call."""

    name = "xla-sdy-stablehlo-round-trip-export-callback-custom-calls"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-stablehlo-round-trip-export-callback-custom-calls"
    fixed_patterns = (ReturnTuple(),)
