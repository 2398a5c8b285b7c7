"""Give tensors the shardings that constraints dictate. Source: row SDY-PASS-02, and Shardy's docs, "Import passes"."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.function_attributes import add_argument_attributes
from xshardy.dialects.sdy.attributes.edges import EdgeValueRefAttr
from xshardy.dialects.sdy.attributes.enums import EdgeNodeType
from xshardy.dialects.sdy.attributes.rule import DimMappingAttr, OpShardingRuleAttr, TensorMappingAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import ManualComputationOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import PROPAGATION_EDGES, SHARDING, SHARDING_RULE
from xshardy.dialects.shapes import has_static_shape, rank_of, shape_of
from xshardy.rewriting import INNER_FIRST, DecisionPattern, PatternPass, Step
from xshardy.transforms.sdy.pipeline_options import DebugOptions
from xshardy.transforms.sdy.propagation_steps import next_step, step_attribute
from xshardy.transforms.sdy.shardable_values import set_sharding
from xshardy.transforms.sdy.sharding_origins import ShardingOrigins, sharded_axes
from xshardy.transforms.sdy.uses import insert_point_after, replace_other_uses
from xshardy.transforms.sdy_import.constraints import Tail, dictated_shardings

OPERAND, RESULT = EdgeValueRefAttr(EdgeNodeType.OPERAND, 0), EdgeValueRefAttr(EdgeNodeType.RESULT, 0)


def identity_rule(tensor: SSAValue) -> OpShardingRuleAttr | None:
    """`([i, j])->([i, j])`: the rule of an operation on `tensor` that keeps it as it is."""
    if not has_static_shape(tensor):
        return None
    mapping = TensorMappingAttr(DimMappingAttr([factor]) for factor in range(rank_of(tensor)))
    return OpShardingRuleAttr(shape_of(tensor), [mapping], [mapping], (), (), (), (), BoolAttr.from_bool(False))


def attributes_of_copied(
    copied: Sequence[ShardingConstraintOp], first_step: int | None
) -> Mapping[ShardingConstraintOp, Mapping[str, Attribute]]:
    """
    The new attributes of constraints whose sharding is copied to the input: the identity rule, unless they have a rule.

    If `first_step` is given, also the copy as a step of propagation, from the result to the operand.
    """
    attributes: dict[ShardingConstraintOp, Mapping[str, Attribute]] = {}
    step = first_step
    for op in copied:
        if (rule := identity_rule(op.input)) is None:
            continue
        new: dict[str, Attribute] = {} if SHARDING_RULE in op.attributes else {SHARDING_RULE: rule}
        if step is not None and (op.sharding.dim_shardings.data or any(op.sharding.axis_refs())):
            if (edges := step_attribute(step, sharded_axes(op.sharding), RESULT, OPERAND)) is not None:
                new[PROPAGATION_EDGES] = edges
            step += 1
        attributes[op] = new
    return attributes


def copy_origins(copied: Iterable[ShardingConstraintOp], origins: ShardingOrigins) -> None:
    """Add to `origins` that the axes of the inputs of `copied` come from where those of their results come from."""
    for op in copied:
        known = origins.of(op.result)
        for axis in sharded_axes(op.sharding):
            origins.add(op.input, (axis,), known[axis])


@dataclass(frozen=True, slots=True)
class NewShardings:
    """The new shardings of arguments of functions, and of other values by the operation that keeps them."""

    of_arguments: Mapping[FuncOp, Mapping[int, TensorShardingAttr]]
    of_results: Mapping[Operation, Mapping[SSAValue, TensorShardingAttr]]


def by_operation(shardings: Mapping[SSAValue, TensorShardingAttr]) -> NewShardings:
    """`shardings` by the operations that keep them."""
    of_arguments: dict[FuncOp, dict[int, TensorShardingAttr]] = {}
    of_results: dict[Operation, dict[SSAValue, TensorShardingAttr]] = {}
    for value, sharding in shardings.items():
        op = value.block.parent_op() if isinstance(value, BlockArgument) else value.owner
        if isinstance(value, BlockArgument) and isinstance(op, FuncOp):
            of_arguments.setdefault(op, {})[value.index] = sharding
        elif isinstance(op, Operation):
            of_results.setdefault(op, {})[value] = sharding
    return NewShardings(of_arguments, of_results)


class ReadTailOfChain(DecisionPattern[ShardingConstraintOp, Tail]):
    """
    `c1 = constraint(x)`, `c2 = constraint(c1)`, `f(x)` -> `c1 = ...`, `c2 = ...`, `f(c2)`

    For a chain of two or more constraints; uses before its end, in another block or by the return of `@main` stay.
    """

    def rewrite(self, op: ShardingConstraintOp, decision: Tail, rewriter: PatternRewriter, /) -> None:
        result, readers = decision.constraint.result, decision.readers
        rewriter.replace_uses_with_if(op.input, result, lambda use: use.operation in readers)


class ShardArguments(DecisionPattern[FuncOp, Mapping[int, TensorShardingAttr]]):
    """`func @f(x) { constraint(x, s) }` -> `func @f(x {sdy.sharding = s}) { constraint(x, s) }`"""

    def rewrite(self, op: FuncOp, decision: Mapping[int, TensorShardingAttr], rewriter: PatternRewriter, /) -> None:
        add_argument_attributes(op, {index: {SHARDING: sharding} for index, sharding in decision.items()})
        rewriter.notify_op_modified(op)


class ShardResults(DecisionPattern[Operation, Mapping[SSAValue, TensorShardingAttr]]):
    """`constraint(f(x), s)` -> `constraint(f(x) {sdy.sharding = s}, s)`"""

    def rewrite(
        self, op: Operation, decision: Mapping[SSAValue, TensorShardingAttr], rewriter: PatternRewriter, /
    ) -> None:
        for value, sharding in decision.items():
            set_sharding(value, sharding)
        rewriter.notify_op_modified(op)


class AnnotateCopied(DecisionPattern[ShardingConstraintOp, Mapping[str, Attribute]]):
    """`constraint(x)` -> `constraint(x) {sdy.sharding_rule = ([i])->([i])}`, if its sharding is copied to `x`."""

    def rewrite(
        self, op: ShardingConstraintOp, decision: Mapping[str, Attribute], rewriter: PatternRewriter, /
    ) -> None:
        op.attributes |= decision
        rewriter.notify_op_modified(op)


class ReadConstraintOfEdge(DecisionPattern[ShardingConstraintOp, None]):
    """
    `x = data_flow_edge(y)`, `f(x)`, `c = constraint(x)` -> `x = data_flow_edge(y)`, `c = constraint(x)`, `f(c)`

    The sharding of an edge is that of all of its targets, so it is not set.
    """

    def rewrite(self, op: ShardingConstraintOp, decision: None, rewriter: PatternRewriter, /) -> None:
        op.detach()
        rewriter.insert(op, insert_point_after(op.input))
        replace_other_uses(op.input, op.result, op, rewriter)


class ConstrainEdge(DecisionPattern[ManualComputationOp, Sequence[int]]):
    """
    `x = data_flow_edge(y)`, `f(x)`, `manual_computation(x) in_shardings=[s]` -> `x = data_flow_edge(y)`,
    `c = constraint(x, s)`, `f(c)`, `manual_computation(c) in_shardings=[s]`
    """

    def rewrite(self, op: ManualComputationOp, decision: Sequence[int], rewriter: PatternRewriter, /) -> None:
        for index in decision:
            tensor = op.operands[index]
            constraint = ShardingConstraintOp(tensor, op.in_shardings.shardings.data[index])
            rewriter.insert(constraint, insert_point_after(tensor))
            rewriter.replace_uses_with_if(
                tensor, constraint.result, lambda use, new=constraint: use.operation is not new
            )


@dataclass(frozen=True)
class ApplyShardingConstraintsPass(DebugOptions, PatternPass):
    """
    Copy the sharding of a constraint to its input where it dictates it; later uses read the end of a chain.

    With `debug_sharding_origins`, the origins of the axes of shardings are written on values; with
    `debug_propagation_edge_sharding`, the axes that were copied are written on constraints.
    """

    name = "sdy-apply-sharding-constraints"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-apply-sharding-constraints (SDY-PASS-02)'

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        dictated = dictated_shardings(module)
        first_step = next_step(module) if self.debug_propagation_edge_sharding else None
        attributes = attributes_of_copied(dictated.copied, first_step)
        origins = ShardingOrigins(module) if self.debug_sharding_origins else None
        if origins is not None:
            copy_origins(attributes, origins)
        new = by_operation(dictated.shardings)
        yield Step((ReadTailOfChain(dictated.tails),))
        patterns = (
            ShardArguments(new.of_arguments),
            ShardResults(new.of_results),
            AnnotateCopied(attributes),
            ReadConstraintOfEdge(dictated.moved),
            ConstrainEdge(dictated.inserted),
        )
        yield Step(patterns, INNER_FIRST)
        if origins is not None:
            yield Step(origins.patterns())
