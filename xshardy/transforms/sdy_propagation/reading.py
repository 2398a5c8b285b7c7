"""
A module as the propagation engine sees it: values and operations get numbers, in one walk over the module.

Values along a data flow edge are one value, since they are always sharded alike; where its sharding is written is its
home. Rules are looked up once for operations that have the same types and attributes.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, ShapedType, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects.sdy.attributes.enums import PropagationDirection
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import (
    DataFlowEdgeOp,
    FuncDataFlowEdgeOp,
    MeshOp,
    PropagationBarrierOp,
    ShardingGroupOp,
)
from xshardy.dialects.sdy.value_shardings import SHARDING, SHARDING_RULE, get_sharding
from xshardy.dialects.stablehlo.async_ops import AsyncStartOp
from xshardy.dialects.stablehlo.shape import ConcatenateOp
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp, DynamicUpdateSliceOp
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
from xshardy.transforms.sdy_propagation.op_kinds import is_elementwise, kind_of, traits_of
from xshardy.transforms.sdy_propagation.surroundings import ModuleSurroundings

RULE_DEPENDS_ON_MAKERS = (ConcatenateOp, DynamicSliceOp, DynamicUpdateSliceOp)
"""Operations whose rule depends on what makes their operands, and not on their types and attributes alone."""

EDGES = (DataFlowEdgeOp, FuncDataFlowEdgeOp)
"""Operations that stand for an edge: its sources are not their operands."""

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
        self._edges: list[tuple[int, DataFlowEdgeOp | FuncDataFlowEdgeOp]] = []
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

    def _read_results(self, op: Operation) -> Sequence[int]:
        """Number the results of an operation without data flow."""
        results = op.results
        if isinstance(op, DataFlowEdgeOp):
            number = self.numbering.values[id(op.input)]
            self.numbering.values[id(results[0])] = number
            self.numbering.homes[number] = results[0]
            self.program.shardings[number] = self._table.read(op.sharding)
            return (number,)
        if traits_of(type(op)).has_own_sharding:
            return (self._define(results[0], self._table.read(get_sharding(results[0]))),)
        written = op.attributes.get(SHARDING) if op.attributes else None
        if not isinstance(written, TensorShardingPerValueAttr):
            return tuple([self._define(result, NO_SHARDING) for result in results])
        shardings = written.shardings.data
        return tuple([self._define(result, self._table.read(shardings[result.index])) for result in results])

    def _read_owners(self, op: Operation) -> Sequence[int]:
        """Number the values that own the edges of an operation with data flow, and let its other values share these."""
        for owner in (*argument_owners(op), *result_owners(op)):
            self._define(owner, self._table.read(owner_sharding(owner)))
        for region in op.regions:
            for argument in region.block.args if region.blocks else ():
                owner = owner_of(argument)
                if owner is not None and owner is not argument:
                    self.numbering.values[id(argument)] = self.numbering.value(owner)
        return tuple(self.numbering.value(result) for result in op.results)

    # Operations

    def _read_block(self, block: Block, around: Sequence[int] = ()) -> None:
        """Read the operations of a block; `around` are those outside of it through which shardings go, inner first."""
        numbering, program = self.numbering, self.program
        values = numbering.values
        for op in block.ops:
            cls = type(op)
            has_flow = traits_of(cls).has_flow
            outer = around
            if op.results or has_flow:
                made = self._read_owners(op) if has_flow else self._read_results(op)
                number = len(program.slots)
                numbering.operations[id(op)] = number
                numbering.ops.append(op)
                rule, op_class = (None, None) if cls in EDGES else self._look_up(op)
                numbering.rules.append(rule)
                program.classes.append(op_class)
                if op_class is None:
                    program.slots.append(made)
                else:
                    program.slots.append((*[values.get(id(operand), NO_VALUE) for operand in op.operands], *made))
                if isinstance(op, EDGES):
                    self._edges.append((number, op))
                elif op.results[0].first_use is None if op.results else False:
                    program.unused.add(number)
                if len(made) > 1 and not has_flow:
                    ranked = tuple((value, rank_of(result)) for value, result in zip(made, op.results, strict=True))
                    program.siblings.update(dict.fromkeys(made, ranked))
                if around:
                    numbering.around[number] = around
                if rule is not None:
                    outer = (number, *around)
            elif isinstance(op, ShardingGroupOp):
                self.groups.setdefault(group_of(op), []).append(op.input)
            for region in op.regions:
                if isinstance(op, AsyncStartOp):
                    for argument, operand in zip(region.block.args, op.operands, strict=True):
                        values[id(argument)] = values.get(id(operand), NO_VALUE)
                for inner in region.blocks:
                    self._read_block(inner, outer)

    def _look_up(self, op: Operation) -> tuple[OpShardingRuleAttr | None, OpClass | None]:
        """The rule of `op`, and the class of operations that propagate like it; None where nothing goes through it."""
        if isinstance(op, RULE_DEPENDS_ON_MAKERS):
            return self._rule_and_class(op)
        properties = op.properties
        key = (
            type(op),
            *[id(operand.type) for operand in op.operands],
            None,
            *[id(result.type) for result in op.results],
            *properties,
            *map(id, properties.values()),
            id(op.attributes.get(SHARDING_RULE)) if op.attributes else None,
        )
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._rule_and_class(op)
        return known

    def _rule_and_class(self, op: Operation) -> tuple[OpShardingRuleAttr | None, OpClass | None]:
        check_shapes(op)
        if isinstance(op, PropagationBarrierOp):
            signature = Signature(FactorRule.identity(shape_of(op.input)), is_elementwise=True)
            return None, OpClass(signature, direction=BARRIER_DIRECTIONS[op.direction])
        rule = self._rules.of(op)
        if rule is None:
            return None, None
        kind, elementwise = kind_of(op), is_elementwise(op)
        if (known := self._classes.get((rule, kind, elementwise))) is None:
            signature = Signature(FactorRule.of(rule), elementwise, self._rules.conservative)
            known = self._classes[rule, kind, elementwise] = OpClass(signature, kind)
        return rule, known

    # Edges

    def _connect(self, number: int, edge: DataFlowEdgeOp | FuncDataFlowEdgeOp) -> None:
        """Let shardings go between the sources and the result of an edge."""
        if isinstance(edge, FuncDataFlowEdgeOp):
            sources, border = self._calls.sources(edge), None
        else:
            sources, border = sources_of(edge.input), self._borders.of(edge)
        if not sources:
            return
        program, numbering = self.program, self.numbering
        program.slots[number] = (*map(numbering.value, sources), numbering.value(edge.result))
        program.classes[number] = self._identity(edge.result, len(sources), border)

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
                op, f"Shardy propagation only supports ranked tensors with a static shape. type: {type}"
            )
        if isinstance(type, TupleType):
            raise OperationFailedException(op, f"Shardy propagation doesn't support tuples: {type}")
