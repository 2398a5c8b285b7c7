"""Dissolve the tuples of custom calls, which HLO has where StableHLO has several operands or results."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.hlo import StartOp
from xshardy.dialects.stablehlo import CustomCallOp, GetTupleElementOp, OptimizationBarrierOp, TupleOp
from xshardy.hlo_text.dissolve_tuples import ReadElementDirectly
from xshardy.hlo_text.tuple_leaves import all_leaf_types, build_tuple, flatten, tree_from_leaves
from xshardy.rewriting import BACKWARD, PatternPass, Step, match_op_type
from xshardy.rewriting.walk import operations_in


def wrapped_functions(module: ModuleOp) -> AbstractSet[Operation]:
    """The functions with one operation each, which an asynchronous start executes."""
    return {op.wrapped_function() for op in operations_in(module) if isinstance(op, StartOp)}


def keeps_tuples(op: CustomCallOp | OptimizationBarrierOp, wrapped: AbstractSet[Operation]) -> bool:
    """Whether `op` has no tuples, names parts of them that would move, or is all that is executed asynchronously."""
    if not any(isinstance(type, TupleType) for type in (*op.operand_types, *op.result_types)):
        return True
    return op.parent_op() in wrapped or (isinstance(op, CustomCallOp) and not aliases_stay(op))


def aliases_stay(op: CustomCallOp) -> bool:
    """
    Whether the aliases of `op` name the same parts without tuples: `{1}` is then result 1.

    That is so if no operand is a tuple, and the result is one of two values or more: one value has the index `{}`.
    """
    if not op.output_operand_aliases.data:
        return True
    return not any(isinstance(type, TupleType) for type in op.operand_types) and all(
        isinstance(type, TupleType)
        and len(type.types) > 1
        and not any(isinstance(part, TupleType) for part in type.types)
        for type in op.result_types
    )


@dataclass(frozen=True)
class DissolveTuples(RewritePattern):
    """
    `%t = custom_call @f(tuple(x, y))` -> `%a, %b = custom_call @f(x, y)`, `%t = tuple(%a, %b)`; so barriers.

    Not in the functions `wrapped`.
    """

    wrapped: AbstractSet[Operation]

    @match_op_type
    def match_and_rewrite(self, op: CustomCallOp | OptimizationBarrierOp, rewriter: PatternRewriter, /) -> None:
        if keeps_tuples(op, self.wrapped):
            return
        new = type(op).create(
            operands=[value for operand in op.operands for value in flatten(operand, op, rewriter)],
            result_types=list(all_leaf_types(op.result_types)),
            properties=op.properties,
            attributes=op.attributes,
        )
        rewriter.insert(new, InsertPoint.before(op))
        parts = iter(new.results)
        wholes: list[SSAValue] = [
            build_tuple(tree_from_leaves(result.type, parts), result.type, InsertPoint.before(op), rewriter)
            for result in op.results
        ]
        rewriter.replace(op, (), wholes)


class EraseUnusedTuple(RewritePattern):
    """
    `%t = tuple(x, y)` -> nothing, where nothing uses `%t`; so elements of tuples.

    Other unused operations stay: a custom call `@Sharding` without a use still constrains its operand.
    """

    @match_op_type
    def match_and_rewrite(self, op: TupleOp | GetTupleElementOp, rewriter: PatternRewriter, /) -> None:
        if not op.results[0].uses:
            rewriter.erase(op)


class CanonicalizeFromHloImportPass(PatternPass):
    """
    Give custom calls and barriers several operands and results in place of tuples, and read elements directly.

    Tuples of other operations and of functions stay, and those of what is executed asynchronously;
    `hlo-dissolve-tuples` dissolves those of functions.
    """

    name = "stablehlo-ext-canonicalize-from-hlo-import"
    source: ClassVar[str] = "XLA, xla/mlir_hlo/stablehlo_ext, stablehlo-ext-canonicalize-from-hlo-import"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        yield Step((DissolveTuples(wrapped_functions(module)), ReadElementDirectly()))
        yield Step((EraseUnusedTuple(),), BACKWARD)
