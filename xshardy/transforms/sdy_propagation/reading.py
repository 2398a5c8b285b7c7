"""
A module as the propagation engine sees it: values and operations get numbers, in one walk over the module.

Values along a data flow edge are one value, since they are always sharded alike; where its sharding is written is its
home. Rules are looked up once for operations that have the same types and attributes.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, ShapedType, TupleType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from xshardy.dialects.sdy.attributes.enums import PropagationDirection
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import (
    DataFlowEdgeOp,
    MeshOp,
    PropagationBarrierOp,
    ShardingGroupOp,
)
from xshardy.dialects.sdy.value_shardings import SHARDING, SHARDING_RULE, get_sharding
from xshardy.dialects.stablehlo.async_ops import AsyncStartOp
from xshardy.sharding.factors import FactorRule
from xshardy.sharding.interning import NO_SHARDING, ShardingTable
from xshardy.sharding.priorities import OpKind
from xshardy.sharding.propagation import NO_VALUE, OpClass, Program
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.sharding.steps import Border, Signature
from xshardy.sharding.strategies import Direction
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_import.data_flow_edges import (
    argument_owners,
    has_static_shape,
    owner_of,
    owner_sharding,
    rank_of,
    result_owners,
    shape_of,
    sources_of,
)
from xshardy.transforms.sdy_import.sharding_group_import import group_of
from xshardy.transforms.sdy_propagation.call_sites import CallSites
from xshardy.transforms.sdy_propagation.manual_borders import ManualBorders
from xshardy.transforms.sdy_propagation.numbering import FunctionResult, Numbering
from xshardy.transforms.sdy_propagation.op_kinds import OpTraits, is_elementwise, kind_of, traits_of
from xshardy.transforms.sdy_propagation.surroundings import ModuleSurroundings

BARRIER_DIRECTIONS = {
    PropagationDirection.NONE: Direction.NONE,
    PropagationDirection.FORWARD: Direction.FORWARD,
    PropagationDirection.BACKWARD: Direction.BACKWARD,
    PropagationDirection.BOTH: Direction.BOTH,
}


class _Reader:
    """Fills a `Program` and its `Numbering` block by block."""

    def __init__(self, module: ModuleOp, table: ShardingTable, rules: ShardingRules):
        self._module = module
        self._table = table
        self._rules = rules
        self._calls = CallSites(module)
        self._borders = ManualBorders(table)
        self.numbering = Numbering()
        self.program = Program(table, ModuleSurroundings(self.numbering, self._calls))
        self._known: dict[Hashable, tuple[OpShardingRuleAttr | None, OpClass | None]] = {}
        """The rule and the class of operations that look alike, by their type and the identity of all that matters."""
        self._classes: dict[Hashable, OpClass] = {}
        """The class of operations by all that decides on it."""
        self._edges: list[tuple[int, Operation]] = []
        self.groups: dict[int, list[SSAValue]] = {}
        """The members of each sharding group, in the order of the text."""

    def read(self) -> None:
        """Read all functions, then the edges, whose sources may be anywhere."""
        functions = [op for op in self._module.ops if isinstance(op, FuncOp)]
        for function in functions:
            self._read_function(function)
        for number, edge in self._edges:
            self._connect(number, edge)
        main = main_function(functions)
        for function in functions:
            self._read_function_results(function, is_main=function is main)

    # Values

    def _define(self, value: SSAValue, sharding: int) -> int:
        """The number of a new value."""
        number = len(self.program.shardings)
        self.numbering.values[id(value)] = number
        self.numbering.homes.append(value)
        self.program.shardings.append(sharding)
        return number

    def _read_function(self, function: FuncOp) -> None:
        if not function.body.blocks:
            return
        table = self._table
        shardings = map(_sharding_in, function.arg_attrs) if function.arg_attrs else ()
        read = [table.read(sharding) for sharding in shardings]
        for argument in function.args:
            self._define(argument, read[argument.index] if read else NO_SHARDING)
        for block in function.body.blocks:
            self._read_block(block)

    def _read_function_results(self, function: FuncOp, *, is_main: bool) -> None:
        """Number the results of a function; only for those of the main one it counts what is returned as each."""
        attributes = function.res_attrs.data if function.res_attrs else ()
        first = len(self.program.shardings)
        for index in range(len(function.function_type.outputs)):
            self.numbering.homes.append(FunctionResult(function, index))
            sharding = _sharding_in(attributes[index]) if attributes else None
            self.program.shardings.append(self._table.read(sharding))
        terminator = function.body.block.last_op if function.body.blocks else None
        for index, value in enumerate(terminator.operands if terminator is not None and is_main else ()):
            if has_static_shape(value):
                signature = self._identity(value, 1).signature
                self.program.returns.append((self.numbering.value(value), first + index, signature))

    def _read_values(self, op: Operation, traits: OpTraits) -> None:
        """Number the results of an operation that has shardings, or data flow."""
        if traits.has_flow:
            self._read_owners(op)
            return
        if traits.is_edge and isinstance(op, DataFlowEdgeOp):
            number = self.numbering.values[id(op.input)]
            self.numbering.values[id(op.result)] = number
            self.numbering.homes[number] = op.result
            self.program.shardings[number] = self._table.read(op.sharding)
            return
        written = op.attributes.get(SHARDING) if op.attributes else None
        if isinstance(written, TensorShardingPerValueAttr):
            for result, sharding in zip(op.results, written.shardings, strict=True):
                self._define(result, self._table.read(sharding))
            return
        own = self._table.read(get_sharding(op.results[0])) if traits.has_own_sharding else NO_SHARDING
        for result in op.results:
            self._define(result, own)

    def _read_owners(self, op: Operation) -> None:
        """Number the values that own the edges of an operation with data flow, and let its other values share these."""
        for owner in (*argument_owners(op), *result_owners(op)):
            self._define(owner, self._table.read(owner_sharding(owner)))
        for region in op.regions:
            for argument in region.block.args if region.blocks else ():
                owner = owner_of(argument)
                if owner is not None and owner is not argument:
                    self.numbering.values[id(argument)] = self.numbering.value(owner)

    # Operations

    def _read_block(self, block: Block, around: Sequence[int] = ()) -> None:
        """Read the operations of a block; `around` are those outside of it through which shardings go, inner first."""
        for op in block.ops:
            traits = traits_of(type(op))
            if op.results:
                inside = self._read_operation(op, traits, around)
            else:
                inside = around
                self._read_without_results(op, traits)
            for region in op.regions:
                self._read_inside(op, region, inside)

    def _read_operation(self, op: Operation, traits: OpTraits, around: Sequence[int]) -> Sequence[int]:
        """Number an operation and its results. Returns what is around its regions."""
        numbering, program = self.numbering, self.program
        values, results, attributes = numbering.values, op.results, op.attributes
        number = len(numbering.ops)
        numbering.operations[id(op)] = number
        numbering.ops.append(op)
        if traits.has_flow or traits.is_edge or traits.has_own_sharding or SHARDING in attributes:
            self._read_values(op, traits)
        else:
            homes, shardings = numbering.homes, program.shardings
            for result in results:
                values[id(result)] = len(homes)
                homes.append(result)
                shardings.append(NO_SHARDING)
        tensors = [*iter(op.operands), *results]  # a view is asked for its length first, which its iterator knows
        if SHARDING_RULE in attributes:
            numbering.with_written_rule.append(op)
            rule, op_class = self._rule_and_class(op)
        elif traits.has_no_rule:
            rule, op_class = None, None
        elif traits.looks_back:
            rule, op_class = self._rule_and_class(op)
        else:
            rule, op_class = self._look_up(op, tensors)
        numbering.rules.append(rule)
        program.classes.append(op_class)
        program.slots.append(() if op_class is None else [values.get(id(tensor), NO_VALUE) for tensor in tensors])
        if traits.is_edge:
            self._edges.append((number, op))
        elif tensors[-1].first_use is None:
            program.unused.add(number)
        if len(results) > 1 and not traits.has_flow:
            ranked = tuple((values[id(result)], rank_of(result)) for result in results)
            program.siblings.update((value, ranked) for value, _ in ranked)
        if around:
            numbering.around[number] = around
        if traits.calls and isinstance(op, CallOp):
            self._calls.add(op)
        return around if rule is None else (number, *around)

    def _read_without_results(self, op: Operation, traits: OpTraits) -> None:
        if isinstance(op, ShardingGroupOp):
            self.groups.setdefault(group_of(op), []).append(op.input)
        elif traits.calls and isinstance(op, CallOp):
            self._calls.add(op)
        elif traits.has_flow:
            self._read_owners(op)

    def _read_inside(self, op: Operation, region: Region, around: Sequence[int]) -> None:
        values = self.numbering.values
        if isinstance(op, AsyncStartOp):
            for argument, operand in zip(region.block.args, op.operands, strict=True):
                values[id(argument)] = values.get(id(operand), NO_VALUE)
        for block in region.blocks:
            self._read_block(block, around)

    def _look_up(self, op: Operation, tensors: Sequence[SSAValue]) -> tuple[OpShardingRuleAttr | None, OpClass | None]:
        """The rule and the class of `op`, worked out for the first operation with such properties and `tensors`."""
        properties = op.properties
        key = (type(op), len(op.results), *[id(tensor.type) for tensor in tensors])
        if properties:
            key = (*key, *properties, *map(id, properties.values()))
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._rule_and_class(op)
        return known

    def _rule_and_class(self, op: Operation) -> tuple[OpShardingRuleAttr | None, OpClass | None]:
        """The rule of `op`, and the class of operations that propagate like it; None where nothing goes through it."""
        check_shapes(op)
        if isinstance(op, PropagationBarrierOp):
            signature = Signature(FactorRule.identity(shape_of(op.input)), is_elementwise=True)
            return None, OpClass(signature, direction=BARRIER_DIRECTIONS[op.direction])
        rule = self._rules.of(op)
        if rule is None:
            return None, None
        # Operations of the same shapes have the very same rule, and comparing rules would take long.
        key = id(rule), kind_of(op), is_elementwise(op)
        if (known := self._classes.get(key)) is None:
            signature = Signature(FactorRule.of(rule), is_elementwise(op), self._rules.conservative)
            known = self._classes[key] = OpClass(signature, kind_of(op))
        return rule, known

    # Edges

    def _connect(self, number: int, edge: Operation) -> None:
        """Let shardings go between the sources and the result of an edge."""
        if isinstance(edge, DataFlowEdgeOp):
            sources, border = sources_of(edge.input), self._borders.of(edge)
        else:
            sources, border = self._calls.sources(edge.operands[0]), None
        if not sources:
            return
        (result,) = edge.results
        self.program.slots[number] = [*map(self.numbering.value, sources), self.numbering.value(result)]
        self.program.classes[number] = self._identity(result, len(sources), border)

    def _identity(self, value: SSAValue, sources: int, border: Border | None = None) -> OpClass:
        """The class of edges from so many sources to something sharded like `value`."""
        key = shape_of(value), sources, border
        if (known := self._classes.get(key)) is None:
            signature = Signature(FactorRule.identity(shape_of(value), sources), border=border)
            known = self._classes[key] = OpClass(signature, OpKind.PASS_THROUGH)
        return known


def main_function(functions: Sequence[FuncOp]) -> FuncOp | None:
    """The function that a program starts with: the only one, or the one called `main`; None if there is none."""
    if len(functions) == 1:
        return functions[0]
    return next((function for function in functions if function.sym_name.data == "main"), None)


def _sharding_in(attributes: DictionaryAttr) -> TensorShardingAttr | None:
    """The sharding among the attributes of an argument or a result."""
    sharding = attributes.data.get(SHARDING)
    return sharding if isinstance(sharding, TensorShardingAttr) else None


def _mesh_of(sharding: TensorShardingAttr, meshes: Mapping[str, MeshAttr]) -> MeshAttr | None:
    reference = sharding.mesh_or_ref
    return reference if isinstance(reference, MeshAttr) else meshes.get(reference.string_value())


class ReadModule(NamedTuple):
    """A module as propagation sees it."""

    program: Program
    numbering: Numbering
    groups: Mapping[int, list[SSAValue]]
    """The members of each sharding group by its id, in the order of the text."""


def read_module(module: ModuleOp, rules: ShardingRules) -> ReadModule:
    """
    What the engine needs of `module`. Reads each operation once.

    Raises `OperationFailedException` at an operation whose results cannot be sharded, `KeyError` for an unknown mesh.
    """
    meshes = {op.sym_name.data: op.mesh for op in module.ops if isinstance(op, MeshOp)}
    reader = _Reader(module, ShardingTable(lambda sharding: _mesh_of(sharding, meshes)), rules)
    reader.read()
    return ReadModule(reader.program, reader.numbering, reader.groups)


def check_shapes(op: Operation) -> None:
    """Raise `OperationFailedException` if a result of `op` is a tuple, or a tensor without a static shape."""
    for type in op.result_types:
        if isinstance(type, ShapedType) and not type.has_static_shape():
            raise OperationFailedException(
                op, f"Shardy propagation only supports ranked tensors with a static shape. type: '{type}'"
            )
        if isinstance(type, TupleType):
            raise OperationFailedException(op, f"Shardy propagation doesn't support tuples: '{type}'")
