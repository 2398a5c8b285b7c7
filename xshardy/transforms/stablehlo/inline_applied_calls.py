"""Inline the calls in regions that operations apply to elements."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from xshardy.facts.applied_regions import APPLYING
from xshardy.rewriting import TO_FIXPOINT, PatternPass, Step
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import bottom_up, function_references
from xshardy.transforms.inline import Call, CallCensus, CopyBody, MoveBodyOfOnlyCall


@dataclass(frozen=True, slots=True)
class InliningInRegions:
    """Inline each call, except one of a function that refers to itself, of several blocks, or without a body."""

    recursive: frozenset[str]

    def __call__(self, call: Call, callee: FuncOp) -> bool:
        """Whether to inline `call`, which calls `callee`."""
        return len(callee.body.blocks) == 1 and callee.sym_name.data not in self.recursive


class InlineAppliedCallsPass(PatternPass):
    """
    Inline the calls in reducers, comparators and other regions that operations apply to elements.

    JAX writes such a call for `jnp.where` in a reducer. XLA crashes on an unused reduction with one, and does not take
    one in `stablehlo.map`.
    """

    name = "stablehlo-inline-applied-calls"
    source: ClassVar[str] = "XLA, whose computations that are applied to elements have no calls"

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        roots = [op for op in operations_of(module, *APPLYING) if operations_of(op, CallOp)]
        # Most programs have no such call, and then no census.
        census = CallCensus.of(module if roots else ModuleOp([]))
        edges = {
            name: [reference.name for reference in function_references(function, census.functions, census.references)]
            for name, function in census.functions.items()
        }
        rule = InliningInRegions(bottom_up(edges).recursive)
        yield Step((MoveBodyOfOnlyCall(census, rule), CopyBody(census, rule)), TO_FIXPOINT, roots)
