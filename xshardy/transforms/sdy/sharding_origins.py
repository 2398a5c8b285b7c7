"""
Where the axes of shardings come from: a debugging aid, written beside the shardings.

Source: Shardy's docs, option `debug-sharding-origins` of propagation.
"""

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from xshardy.dialects.function_attributes import add_argument_attributes, add_result_attributes
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ManualComputationOp, ShardingConstraintOp
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy.data_flow import edge_of
from xshardy.transforms.sdy.function_shardings import written_shardings
from xshardy.transforms.sdy.shardable_values import shardable_value, sharding_of

SHARDING_ORIGINS = "sdy.sharding_origins"
"""A discardable attribute: for each axis of the sharding of a value, the name of what the axis came from."""

BLOCK_ARG_SHARDING_ORIGINS = "sdy.block_arg_sharding_origins"
RESULT_SHARDING_ORIGINS = "sdy.result_sharding_origins"
"""The same for the arguments of regions, and the results, of an operation that owns data flow edges."""

SHARDING_ORIGIN_NAME = "sdy.sharding_origin_name"
"""A discardable attribute: the name of an operation in `sdy.sharding_origins`."""

SELF = "self"
"""The name that an origin has in its own `sdy.sharding_origins`."""


class ShardingOrigins:
    """
    For each value with a sharding, and each axis of it, the origin of the axis: an argument or result of a function, a
    constraint, or a manual computation. An axis keeps the first origin that it is given.

    Making it gives constraints and manual computations their names, inner ones first.
    """

    def __init__(self, module: ModuleOp):
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
        """Remember that those of `axes` that shard `value` and have no origin yet came from `origin`."""
        if (carrier := shardable_value(value)) is None:
            return
        known = self._origins.setdefault(carrier, {})
        for axis in axes:
            known.setdefault(axis, origin)

    def _add_sharding(self, value: SSAValue, sharding: TensorShardingAttr | None, origin: str) -> None:
        if sharding is not None and (axes := sharded_axes(sharding)):
            self.add(value, axes, origin)

    def _take_constraint(self, op: ShardingConstraintOp, name: str) -> None:
        op.attributes[SHARDING_ORIGIN_NAME] = StringAttr(name)
        self._names[op.result] = name
        self._add_sharding(op.result, op.sharding, name)
        self._add_sharding(op.input, sharding_of(op.input), name)

    def _take_manual_computation(self, op: ManualComputationOp, name: str) -> None:
        for index, (argument, sharding) in enumerate(zip(op.body.block.args, op.in_shardings.shardings, strict=True)):
            self._take_edge(argument, sharding, f"{name}_input: {index}")
            self._add_sharding(op.inputs[index], sharding_of(op.inputs[index]), f"{name}_input: {index}")
        for index, (result, sharding) in enumerate(zip(op.results, op.out_shardings.shardings, strict=True)):
            self._take_edge(result, sharding, f"{name}_output: {index}")
        op.attributes[SHARDING_ORIGIN_NAME] = StringAttr(name)

    def _take_edge(self, target: SSAValue, sharding: TensorShardingAttr, name: str) -> None:
        if (edge := edge_of(target)) is not None:
            self._names[edge.result] = name
            self._add_sharding(edge.result, sharding, name)

    def _take_function(self, function: FuncOp) -> None:
        arguments = written_shardings(function.arg_attrs, len(function.function_type.inputs))
        for argument, sharding in zip(function.body.block.args, arguments, strict=True):
            self._names[argument] = f"input: {argument.index}"
            self._add_sharding(argument, sharding, self._names[argument])
        results = written_shardings(function.res_attrs, len(function.function_type.outputs))
        if isinstance(end := function.body.block.last_op, ReturnOp):
            for index, (value, sharding) in enumerate(zip(end.arguments, results, strict=True)):
                self._add_sharding(value, sharding, f"output: {index}")

    def write(self) -> None:
        """Set `sdy.sharding_origins` where the shardings of the values are, and on what functions return."""
        of_arguments: dict[FuncOp, dict[int, Mapping[str, Attribute]]] = {}
        of_results: dict[FuncOp, dict[int, Mapping[str, Attribute]]] = {}
        for value, origins in self._origins.items():
            function = _function_around(value)
            if function is not None and (returned := _returned_as(value, function)) is not None:
                entry = {SHARDING_ORIGINS: _named(origins, f"output: {returned}")}
                of_results.setdefault(function, {})[returned] = entry
            named = _named(origins, self._names.get(value))
            if isinstance(value, OpResult):
                _set_result_origins(value, named)
            elif function is not None and isinstance(value, BlockArgument) and value.block.parent_op() is function:
                of_arguments.setdefault(function, {})[value.index] = {SHARDING_ORIGINS: named}
        for function, additions in of_arguments.items():
            add_argument_attributes(function, additions)
        for function, additions in of_results.items():
            add_result_attributes(function, additions)


def sharded_axes(sharding: TensorShardingAttr) -> list[AxisRefAttr]:
    """The axes along which `sharding` divides dimensions, dimension by dimension."""
    return [axis for dimension in sharding.dim_shardings for axis in dimension.axes]


def _named(origins: Mapping[AxisRefAttr, str], own_name: str | None) -> DictionaryAttr:
    """`{a = "input: 0", b = "self"}`"""
    names = {axis.text.replace('"', ""): SELF if name == own_name else name for axis, name in origins.items()}
    return DictionaryAttr({axis: StringAttr(names[axis]) for axis in sorted(names)})


def _set_result_origins(value: OpResult, origins: DictionaryAttr) -> None:
    """Set the origins of `value` among those of all results of its operation; an operation of sdy has just one."""
    op = value.op
    if isinstance(op, ShardingConstraintOp | DataFlowEdgeOp):
        op.attributes[SHARDING_ORIGINS] = origins
        return
    known = op.attributes.get(SHARDING_ORIGINS)
    entries = list(known) if isa(known, ArrayAttr[DictionaryAttr]) else [DictionaryAttr({})] * len(op.results)
    entries[value.index] = origins
    op.attributes[SHARDING_ORIGINS] = ArrayAttr(entries)


def _function_around(value: SSAValue) -> FuncOp | None:
    around = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
    while around is not None and not isinstance(around, FuncOp):
        around = around.parent_op()
    return around


def _returned_as(value: SSAValue, function: FuncOp) -> int | None:
    """The result of `function` that `value` is returned as: of several, the one whose use of it is found first."""
    end = function.body.block.last_op
    return next((use.index for use in value.uses if use.operation is end), None)
