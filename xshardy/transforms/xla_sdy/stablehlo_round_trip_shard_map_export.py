"""Turn manual computations into the calls and custom calls that XLA's partitioner knows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import ManualComputationOp, NamedComputationOp
from xshardy.dialects.sdy.value_shardings import SHARDING, without_axes
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.rewriting import INNER_FIRST, DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy.call_order import acyclic_callees_first
from xshardy.transforms.sdy.function_copies import Functions, patterns_for_copies
from xshardy.transforms.sdy.symbols import SymbolNames
from xshardy.transforms.xla_sdy.export_ops import ShardedCopy, constrained, copied
from xshardy.transforms.xla_sdy.manual_contexts import versions_by_context
from xshardy.transforms.xla_sdy.manual_marks import (
    Mark,
    Marks,
    marked_attributes,
    marked_properties,
    marked_signatures,
    marks_of,
    shardings_of_computation,
)
from xshardy.transforms.xla_sdy.names import FULL_TO_SHARD, INLINABLE_MANUAL_COMPUTATION_BODY, SHARD_TO_FULL
from xshardy.transforms.xla_sdy.signatures import Attributes, SetAttributes, SetSignature, Signature


@dataclass(frozen=True, slots=True)
class Outlining:
    """What becomes of a manual computation."""

    function: str | None
    """The name of the function that gets the body; None if the body is inlined, because no value is manual."""
    outside: Mark
    inside: Mark


def outlinings(module: ModuleOp, marks: Marks) -> Mapping[ManualComputationOp, Outlining]:
    """What becomes of the manual computations of `module`, inner ones first."""
    names = SymbolNames(module)
    found: dict[ManualComputationOp, Outlining] = {}
    for op in operations_of(module, ManualComputationOp, inner_first=True):
        outside = marks.around[op]
        has_values = next(shardings_of_computation(op), None) is not None
        name = names.fresh(INLINABLE_MANUAL_COMPUTATION_BODY) if has_values else None
        found[op] = Outlining(name, outside, outside.inside(op))
    return found


class MarkSignature(SetSignature):
    """`func @f(%x)` -> `func @f(%x {xla.sdy.manual_axes = {"a"}})`, if `@f` is called where `a` is manual."""


class MarkOperation(SetAttributes):
    """`f(x)` -> `f(x) {sdy.sharding = [{}], xla.sdy.manual_axes = {"a"}}`, in a computation over `a`."""


class MarkNamedComputation(DecisionPattern[NamedComputationOp, Attributes]):
    """`named_computation<"f">(x)` -> `named_computation<"f">(x) in_shardings=[{}]`, in a manual computation."""

    def rewrite(self, op: NamedComputationOp, decision: Attributes, rewriter: PatternRewriter, /) -> None:
        op.properties = dict(decision)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class CallManualComputation(DecisionPattern[ManualComputationOp, Outlining]):
    """
    `%r = sdy.manual_computation(x) { body }` -> `%c = copy x`, `%l = custom_call @SPMDFullToShardShape(%c)`,
    `%m = call @inlinable_manual_computation_body(%l)`, `%d = copy %m`, `%r = custom_call @SPMDShardToFullShape(%d)`,
    and `func` with the body at the end of the module.

    The copies have the shardings of the computation. A computation without values is replaced by its body.
    """

    module: ModuleOp
    copy: ShardedCopy

    def rewrite(self, op: ManualComputationOp, decision: Outlining, rewriter: PatternRewriter, /) -> None:
        end = op.terminator
        if decision.function is None:
            rewriter.inline_block(op.body.block, InsertPoint.before(op), op.inputs)
            rewriter.erase(end)
            rewriter.erase(op)
            return
        outside, inside = decision.outside, decision.inside
        local_inputs, local_outputs = tuple(op.body.block.arg_types), tuple(end.operand_types)
        in_shardings, out_shardings = op.in_shardings.shardings.data, op.out_shardings.shardings.data
        inner_in = [without_axes(sharding, inside.axes) for sharding in in_shardings]
        inner_out = [without_axes(sharding, inside.axes) for sharding in out_shardings]

        inputs: list[SSAValue] = []
        for value, type, outer, inner in zip(op.inputs, local_inputs, in_shardings, inner_in, strict=True):
            inputs.append(self._crossed(op, value, type, FULL_TO_SHARD, (outer, outside), (inner, inside), rewriter))
        call = CallOp(decision.function, inputs, local_outputs)
        call.attributes |= {**op.attributes, SHARDING: TensorShardingPerValueAttr(inner_out), **inside.attributes}
        rewriter.insert(call, InsertPoint.before(op))
        outputs: list[SSAValue] = []
        for value, type, outer, inner in zip(call.results, op.result_types, out_shardings, inner_out, strict=True):
            outputs.append(self._crossed(op, value, type, SHARD_TO_FULL, (inner, inside), (outer, outside), rewriter))

        rewriter.replace(end, FuncReturnOp(*end.operands))
        body = rewriter.move_region_contents_to_new_regions(op.body)
        function = FuncOp(decision.function, (local_inputs, local_outputs), body)
        signature = Signature(
            [{SHARDING: sharding, **inside.attributes} for sharding in inner_in],
            [{SHARDING: sharding, **inside.attributes} for sharding in inner_out],
        )
        rewriter.insert(function, InsertPoint.at_end(self.module.body.block))
        signature.set_on(function, rewriter)
        rewriter.replace(op, (), outputs)

    def _crossed(
        self,
        op: ManualComputationOp,
        value: SSAValue,
        type: Attribute,
        target: str,
        before: tuple[TensorShardingAttr, Mark],
        after: tuple[TensorShardingAttr, Mark],
        rewriter: PatternRewriter,
    ) -> SSAValue:
        """`value` on the other side of the border of `op`, with the sharding that it has there."""
        if not isinstance(type, ShapedType):
            return value
        copy = self.copy(value)
        crossed = CustomCallOp(target, [copy.results[0]], [type])
        for made, (sharding, mark) in ((copy, before), (crossed, after)):
            made.attributes |= {SHARDING: TensorShardingPerValueAttr([sharding]), **mark.attributes}
        rewriter.insert([copy, crossed], InsertPoint.before(op))
        return crossed.results[0]


@dataclass(frozen=True)
class StablehloRoundTripShardMapExportPass(PatternPass):
    """
    Replace manual computations by calls of functions between custom calls that change shapes.

    Operations in them, also those of functions called there, get a sharding and a list of the manual axes. A function
    that is called where different axes are manual is copied. Copies with shardings are `mhlo.copy`, or custom calls
    `@Sharding` with `create_hlo_sharding_constraints`.
    """

    name = "xla-sdy-stablehlo-round-trip-shard-map-export"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-stablehlo-round-trip-shard-map-export"
    create_hlo_sharding_constraints: bool = False

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        versions = versions_by_context(acyclic_callees_first(Functions(module)), module)
        yield Step(patterns_for_copies(versions.copies, module))
        marks = marks_of(module)
        decided = outlinings(module, marks)
        attributes = {op: marked_attributes(op, mark) for op, mark in marks.operations.items()}
        properties = {
            op: marked_properties(op, mark)
            for op, mark in marks.operations.items()
            if isinstance(op, NamedComputationOp)
        }
        yield Step((MarkSignature(marked_signatures(marks.functions)),))
        yield Step((MarkOperation(attributes),))
        yield Step((MarkNamedComputation(properties),))
        copy = constrained if self.create_hlo_sharding_constraints else copied
        yield Step((CallManualComputation(decided, module, copy),), INNER_FIRST)
