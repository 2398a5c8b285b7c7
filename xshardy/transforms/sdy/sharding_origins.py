"""
The origins of the axes of shardings, written beside the shardings for debugging.

Source: Shardy's docs, option `debug-sharding-origins` of propagation.
"""

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.hints import isa

from xshardy.dialects.function_attributes import Additions, add_argument_attributes, add_result_attributes
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ManualComputationOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import (
    BLOCK_ARG_PROPAGATION_EDGES,
    PROPAGATION_EDGES,
    RESULT_PROPAGATION_EDGES,
)
from xshardy.rewriting import DecisionPattern
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy.data_flow import edge_of
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.function_shardings import written_shardings
from xshardy.transforms.sdy.shardable_values import shardable_value, sharding_of

SHARDING_ORIGINS = "sdy.sharding_origins"
"""A discardable attribute: for each axis of the sharding of a value, the name of what the axis came from."""

BLOCK_ARG_SHARDING_ORIGINS = "sdy.block_arg_sharding_origins"
RESULT_SHARDING_ORIGINS = "sdy.result_sharding_origins"
"""The same attributes of an operation with data flow edges, for the arguments of its regions and its results."""

SHARDING_ORIGIN_NAME = "sdy.sharding_origin_name"
"""A discardable attribute: the name of an operation in `sdy.sharding_origins`."""

RECORDS = frozenset(
    {
        *(PROPAGATION_EDGES, BLOCK_ARG_PROPAGATION_EDGES, RESULT_PROPAGATION_EDGES),
        *(SHARDING_ORIGINS, BLOCK_ARG_SHARDING_ORIGINS, RESULT_SHARDING_ORIGINS),
    }
)
"""The attributes that hold records of propagation."""

SELF = "self"
"""The name that an origin has in its own `sdy.sharding_origins`."""


class ShardingOrigins:
    """
    For each value with a sharding, and each axis of it, the origin of the axis: an argument or result of a function, a
    constraint, or a manual computation. An axis keeps the first origin that it is given.

    Constraints and manual computations are named by their numbers, inner ones first.
    """

    def __init__(self, module: ModuleOp):
        self._operation_names: dict[Operation, str] = {}
        self._origins: dict[SSAValue, dict[AxisRefAttr, str]] = {}
        self._names: dict[SSAValue, str] = {}
        for number, constraint in enumerate(operations_of(module, ShardingConstraintOp, inner_first=True)):
            self._take_constraint(constraint, f"constraint_{number}")
        for number, computation in enumerate(operations_of(module, ManualComputationOp, inner_first=True)):
            self._take_manual_computation(computation, f"mc_{number}")
        for function in module.ops:
            if isinstance(function, FuncOp) and function.body.blocks:
                self._take_function(function)

    def of(self, value: SSAValue) -> Mapping[AxisRefAttr, str]:
        """The origins of the axes that shard `value`."""
        carrier = shardable_value(value)
        return {} if carrier is None else self._origins.get(carrier, {})

    def add(self, value: SSAValue, axes: Iterable[AxisRefAttr], origin: str) -> None:
        """Give those of `axes`, which shard `value`, that have no origin yet the origin `origin`."""
        if (carrier := shardable_value(value)) is None:
            return
        known = self._origins.setdefault(carrier, {})
        for axis in axes:
            known.setdefault(axis, origin)

    def _add_sharding(self, value: SSAValue, sharding: TensorShardingAttr | None, origin: str) -> None:
        if sharding is not None and (axes := sharded_axes(sharding)):
            self.add(value, axes, origin)

    def _take_constraint(self, op: ShardingConstraintOp, name: str) -> None:
        self._operation_names[op] = name
        self._names[op.result] = name
        self._add_sharding(op.result, op.sharding, name)
        self._add_sharding(op.input, sharding_of(op.input), name)

    def _take_manual_computation(self, op: ManualComputationOp, name: str) -> None:
        for index, (argument, sharding) in enumerate(zip(op.body.block.args, op.in_shardings.shardings, strict=True)):
            self._take_edge(argument, sharding, f"{name}_input: {index}")
            self._add_sharding(op.inputs[index], sharding_of(op.inputs[index]), f"{name}_input: {index}")
        for index, (result, sharding) in enumerate(zip(op.results, op.out_shardings.shardings, strict=True)):
            self._take_edge(result, sharding, f"{name}_output: {index}")
        self._operation_names[op] = name

    def _take_edge(self, target: SSAValue, sharding: TensorShardingAttr, name: str) -> None:
        if (edge := edge_of(target)) is not None:
            self._names[edge.result] = name
            self._add_sharding(edge.result, sharding, name)

    def _take_function(self, function: FuncOp) -> None:
        arguments = written_shardings(function.arg_attrs, len(function.function_type.inputs))
        for argument, sharding in zip(body_of(function).args, arguments, strict=True):
            self._names[argument] = f"input: {argument.index}"
            self._add_sharding(argument, sharding, self._names[argument])
        results = written_shardings(function.res_attrs, len(function.function_type.outputs))
        if isinstance(end := body_of(function).last_op, ReturnOp):
            for index, (value, sharding) in enumerate(zip(end.arguments, results, strict=True)):
                self._add_sharding(value, sharding, f"output: {index}")

    def patterns(self) -> tuple[RewritePattern, ...]:
        """The patterns that write the origins where the shardings of the values are, and on what functions return."""
        of_operations: dict[Operation, dict[str, Attribute]] = {
            op: {SHARDING_ORIGIN_NAME: StringAttr(name)} for op, name in self._operation_names.items()
        }
        of_arguments: dict[FuncOp, dict[int, Mapping[str, Attribute]]] = {}
        of_results: dict[FuncOp, dict[int, Mapping[str, Attribute]]] = {}
        for value, origins in self._origins.items():
            # Only values right in the body of a function are returned by it, or arguments of it.
            block = value.owner if isinstance(value.owner, Block) else value.owner.parent_block()
            function = None if block is None else block.parent_op()
            if isinstance(function, FuncOp) and (returned := _returned_as(value, function)) is not None:
                entry = {SHARDING_ORIGINS: _named(origins, f"output: {returned}")}
                of_results.setdefault(function, {})[returned] = entry
            named = _named(origins, self._names.get(value))
            if isinstance(value, OpResult):
                _add_result_origins(of_operations.setdefault(value.op, {}), value, named)
            elif isinstance(function, FuncOp) and isinstance(value, BlockArgument):
                of_arguments.setdefault(function, {})[value.index] = {SHARDING_ORIGINS: named}
        of_functions = {
            function: (of_arguments.get(function, {}), of_results.get(function, {}))
            for function in (*of_arguments, *of_results)
        }
        return AnnotateOrigins(of_operations), AnnotateFunctionOrigins(of_functions)


class AnnotateOrigins(DecisionPattern[Operation, Mapping[str, Attribute]]):
    """`f(x)` -> `f(x) {sdy.sharding_origins = [{a = "input: 0"}]}`; a constraint also gets its name as an origin."""

    def rewrite(self, op: Operation, decision: Mapping[str, Attribute], rewriter: PatternRewriter, /) -> None:
        op.attributes |= decision
        rewriter.notify_op_modified(op)


class AnnotateFunctionOrigins(DecisionPattern[FuncOp, tuple[Additions, Additions]]):
    """`func @f(x)` -> `func @f(x {sdy.sharding_origins = {a = "self"}})`; results get their origins, too."""

    def rewrite(self, op: FuncOp, decision: tuple[Additions, Additions], rewriter: PatternRewriter, /) -> None:
        of_arguments, of_results = decision
        add_argument_attributes(op, of_arguments)
        add_result_attributes(op, of_results)
        rewriter.notify_op_modified(op)


def sharded_axes(sharding: TensorShardingAttr) -> list[AxisRefAttr]:
    """The axes along which `sharding` divides dimensions, dimension by dimension."""
    return [axis for dimension in sharding.dim_shardings for axis in dimension.axes]


def _named(origins: Mapping[AxisRefAttr, str], own_name: str | None) -> DictionaryAttr:
    """`{a = "input: 0", b = "self"}`"""
    names = {axis.text.replace('"', ""): SELF if name == own_name else name for axis, name in origins.items()}
    return DictionaryAttr({axis: StringAttr(names[axis]) for axis in sorted(names)})


def _add_result_origins(attributes: dict[str, Attribute], value: OpResult, origins: DictionaryAttr) -> None:
    """
    Set the origins of `value` in the new `attributes` of its operation.

    There they stand among those of the other results, unless it is an operation of sdy, which has just one.
    """
    op = value.op
    if isinstance(op, ShardingConstraintOp | DataFlowEdgeOp):
        attributes[SHARDING_ORIGINS] = origins
        return
    known = attributes.get(SHARDING_ORIGINS, op.attributes.get(SHARDING_ORIGINS))
    entries = list(known) if isa(known, ArrayAttr[DictionaryAttr]) else [DictionaryAttr({})] * len(op.results)
    entries[value.index] = origins
    attributes[SHARDING_ORIGINS] = ArrayAttr(entries)


def _returned_as(value: SSAValue, function: FuncOp) -> int | None:
    """The index of the result of `function` that `value` is returned as; of several, that of the first use found."""
    end = body_of(function).last_op
    return next((use.index for use in value.uses if use.operation is end), None)
