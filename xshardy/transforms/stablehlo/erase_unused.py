"""Erase computations without uses, also collectives and calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import IsTerminator, RecursiveMemoryEffect, SymbolOpInterface

from xshardy.dialects.extensions.effects import has_trait, would_be_trivially_dead
from xshardy.dialects.stablehlo.collectives import CollectiveOp, CollectivePermuteOp
from xshardy.rewriting import BACKWARD, PatternPass
from xshardy.transforms.call_graph import bottom_up, function_references, functions_of, reference_reader


@cache
def _is_collective(kind: type[Operation]) -> bool:
    return issubclass(kind, CollectiveOp | CollectivePermuteOp)


def computes_only(op: Operation, pure: frozenset[str] | set[str]) -> bool:
    """
    Whether `op` has no effect but its results, if a call of a function in `pure` has none.

    A collective has none: all devices execute the same program, so all leave it out together.
    """
    if type(op) is CallOp:
        return op.callee.string_value() in pure
    if _is_collective(type(op)):
        return True
    if op.regions and has_trait(type(op), RecursiveMemoryEffect):
        return all(
            computes_only(inner, pure) for region in op.regions for block in region.blocks for inner in block.ops
        )
    return has_trait(type(op), IsTerminator) or would_be_trivially_dead(op)


def pure_functions(module: ModuleOp) -> frozenset[str]:
    """The functions of `module` that only compute their results. Those that refer to themselves are left out."""
    functions, references = functions_of(module), reference_reader()
    edges = {name: [r.name for r in function_references(f, functions, references)] for name, f in functions.items()}
    pure: set[str] = set()
    for name in bottom_up(edges).order:
        blocks = functions[name].body.blocks
        if blocks and all(computes_only(op, pure) for block in blocks for op in block.ops):
            pure.add(name)
    return frozenset(pure)


@dataclass(frozen=True)
class EraseUnusedComputation(RewritePattern):
    """`%x = f(%y)` -> nothing, where nothing uses `%x`, and `f` only computes it."""

    pure: frozenset[str]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if any(result.first_use is not None for result in op.results):
            return
        if has_trait(type(op), IsTerminator) or has_trait(type(op), SymbolOpInterface):
            return
        if computes_only(op, self.pure):
            rewriter.erase(op)


class EraseUnusedPass(PatternPass):
    """Erase operations whose results are not used, also collectives, and calls of functions that only compute."""

    name = "stablehlo-erase-unused"
    source: ClassVar[str] = "XLA, which compiles no computation, and no collective, without uses"
    walk = BACKWARD

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return (EraseUnusedComputation(pure_functions(module)),)
