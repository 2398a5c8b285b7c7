"""
Put the computations of loops and conditionals into their regions: the inverse of `hlo-outline-regions`.

HLO text names a computation for each region, and a loop carries what its computations read. Shardy's passes look at
regions, and at what these capture.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Attribute, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.hlo.annotation_names import BACKEND_CONFIG
from xshardy.dialects.hlo.annotation_names import SHARDING as HLO_SHARDING
from xshardy.dialects.hlo.layout import with_results
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo import ReturnOp as StableHLOReturnOp
from xshardy.dialects.stablehlo import WhileOp
from xshardy.dialects.stablehlo.control_flow import CONTROL_FLOW
from xshardy.ir import clone_region
from xshardy.ir.blocks import erase_arguments
from xshardy.rewriting import INNER_FIRST, DecisionPattern, PatternPass, Step, match_op_type
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo.outline_regions import APPLYING
from xshardy.transforms.sdy.call_order import callees_first

SHARDINGS = frozenset({HLO_SHARDING, SHARDING})
"""Attributes that have a part for each value that a loop carries."""

OF_POSITIONS = ("known_induction_variable", "dynamic_variables")
"""What the configuration of a loop says about values that it carries, by their numbers."""


def only_call(region: Region) -> CallOp | None:
    """The call in `region` if it returns the results of that call and does nothing else; None if not."""
    match list(region.block.ops):
        case [CallOp() as call, StableHLOReturnOp() as end] if list(end.operands) == list(call.results):
            return call
        case _:
            return None


@dataclass(frozen=True, slots=True)
class RegionCalls:
    """The calls that are the whole of a region, and the functions that nothing else calls."""

    callees: Mapping[CallOp, FuncOp]
    unused: Mapping[FuncOp, None]


def region_calls(module: ModuleOp) -> RegionCalls:
    """The calls in `module` that are the whole of a region of a loop or conditional, inner functions first."""
    functions = functions_of(module)
    callees: dict[CallOp, FuncOp] = {}
    others: set[FuncOp] = set()
    whole = set(_calls_of_regions(module))
    for calls in callees_first(module).values():
        for call in calls:
            function = functions[call.callee.string_value()]
            if call in whole and len(function.body.blocks) == 1:
                callees[call] = function
            else:
                others.add(function)
    private = StringAttr("private")
    unused = (f for f in callees.values() if f not in others and f.sym_visibility == private)
    return RegionCalls(callees, dict.fromkeys(unused))


def _calls_of_regions(module: ModuleOp) -> Iterator[CallOp]:
    for op in operations_of(module, *CONTROL_FLOW):
        for region in op.regions:
            if (call := only_call(region)) is not None:
                yield call


class InlineComputation(DecisionPattern[CallOp, FuncOp]):
    """`while { return call @body(%x) }` -> `while { return f(%x) }`, if `@body` is `f`."""

    def rewrite(self, op: CallOp, decision: FuncOp, rewriter: PatternRewriter, /) -> None:
        body = clone_region(decision.body)
        end = body.block.last_op
        assert isinstance(end, FuncReturnOp)
        rewriter.inline_block(body.block, InsertPoint.before(op), op.arguments)
        rewriter.replace(op, (), end.operands)
        rewriter.erase(end)


class EraseComputation(DecisionPattern[FuncOp, None]):
    """`func private @body` -> nothing, where nothing calls it anymore."""

    def rewrite(self, op: FuncOp, decision: None, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class ForgetComputation(RewritePattern):
    """`reduce { f } {hlo.to_apply = @f}` -> `reduce { f }`: the region has what `@f` does."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if named := [name for name in APPLYING.get(type(op), ()) if name in op.attributes]:
            for name in named:
                del op.attributes[name]
            rewriter.notify_op_modified(op)


class CaptureInvariant(RewritePattern):
    """`while (%a = %x, %b = %y) { ... return %c, %b }` -> `while (%a = %x) { ... return %c }` that captures `%y`."""

    @match_op_type
    def match_and_rewrite(self, op: WhileOp, rewriter: PatternRewriter, /) -> None:
        cond, body = op.cond.block, op.body.block
        end = body.last_op
        assert end is not None
        invariant = {index for index, value in enumerate(end.operands) if value is body.args[index]}
        if not invariant or not SHARDINGS.isdisjoint(op.attributes):
            return
        for index in invariant:
            initial = op.operands[index]
            for argument in (cond.args[index], body.args[index]):
                rewriter.replace_all_uses_with(argument, initial)
        kept = [index for index in range(len(op.operands)) if index not in invariant]
        end.operands = [end.operands[index] for index in kept]
        for block in (cond, body):
            erase_arguments(block, [block.args[index] for index in invariant])
        new = type(op).create(
            operands=[op.operands[index] for index in kept],
            result_types=[op.result_types[index] for index in kept],
            properties=op.properties,
            attributes=with_results(_without_positions(op.attributes), kept),
            regions=[
                rewriter.move_region_contents_to_new_regions(op.cond),
                rewriter.move_region_contents_to_new_regions(op.body),
            ],
        )
        results = iter(new.results)
        initials = list(op.operands)
        rewriter.replace(op, new, [initials[i] if i in invariant else next(results) for i in range(len(initials))])


def _without_positions(attributes: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
    """`attributes` of a loop whose configuration has no numbers of carried values: these have changed."""
    config = attributes.get(BACKEND_CONFIG)
    text = config.data if isinstance(config, StringAttr) else ""
    if not any(key in text for key in OF_POSITIONS):
        return attributes
    kept = {key: value for key, value in json.loads(text).items() if key not in OF_POSITIONS}
    return {**attributes, BACKEND_CONFIG: StringAttr(json.dumps(kept, separators=(",", ":")))}


class InlineRegionsPass(PatternPass):
    """
    Inline the computations that regions of loops and conditionals call, and let loops capture what they do not change.

    A loop with a sharding keeps what it carries. Computations of loops and conditionals that nothing else calls are
    erased; those of reductions are not named anymore, so that `symbol-dce` erases them.
    """

    name = "hlo-inline-regions"
    source: ClassVar[str] = "XLA, HLO to StableHLO: regions for computations, and the canonicalization of loops"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        found = region_calls(module)
        yield Step((InlineComputation(found.callees),))
        yield Step((EraseComputation(found.unused),))
        yield Step((CaptureInvariant(), ForgetComputation()), INNER_FIRST)
