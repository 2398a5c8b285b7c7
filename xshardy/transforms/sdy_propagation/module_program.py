"""
From a module to the engine's program: one walk that numbers values and operations and looks up sharding rules.

Values on one data flow edge share a number, since they are always sharded alike; the home of a number is where its
sharding is written. Operations with equal types and properties share one look-up of their rule.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import (
    DataFlowEdgeOp,
    MeshOp,
    ShardingGroupOp,
)
from xshardy.dialects.sdy.value_shardings import SHARDING, SHARDING_RULE, get_sharding
from xshardy.dialects.shapes import has_static_shape, rank_of
from xshardy.ir.fields import operands_of, operations_of_block
from xshardy.ir.hashing import Key, key_of
from xshardy.sharding.interning import NO_SHARDING, ShardingTable
from xshardy.sharding.program import NO_VALUE, OpClass, Program, Return
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.data_flow import argument_owners, owner_of, result_owners, sources_of
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.main_function import main_if_any
from xshardy.transforms.sdy.op_kinds import OpTraits, traits_of
from xshardy.transforms.sdy.shardable_values import owner_sharding
from xshardy.transforms.sdy_import.sharding_group_import import group_of
from xshardy.transforms.sdy_propagation.call_sites import CallSites
from xshardy.transforms.sdy_propagation.manual_borders import ManualBorders
from xshardy.transforms.sdy_propagation.numbering import NO_OPERATION, FunctionResult, Numbering
from xshardy.transforms.sdy_propagation.op_classes import OpClasses
from xshardy.transforms.sdy_propagation.use_graph import ModuleUseGraph


class _ProgramBuilder:
    """Fills a `Program` and its `Numbering`, block by block."""

    def __init__(self, module: ModuleOp, table: ShardingTable, rules: ShardingRules):
        self._module = module
        self._table = table
        self._classes = OpClasses(rules)
        self._calls = CallSites(module)
        self._borders = ManualBorders(table)
        self.numbering = Numbering()
        self.uses = ModuleUseGraph(self.numbering, self._calls)
        self.program = Program(table, self.uses)
        self._types: list[Key | None] = [None]
        """By value, the key of its type."""
        self._edges: list[tuple[int, Operation]] = []
        self.groups: dict[int, list[ShardingGroupOp]] = {}
        """By group id, the operations that put their operand into the group, in text order."""

    def read(self) -> None:
        """Read all functions, then connect the edges, whose sources may be anywhere in the module."""
        functions = functions_of(self._module)
        for function in functions.values():
            self._read_function(function)
        for number, edge in self._edges:
            self._connect(number, edge)
        main = main_if_any(functions)
        for function in functions.values():
            self._read_function_results(function, is_main=function is main)

    # Values

    def _define(self, value: SSAValue, sharding: int, definition: int = NO_OPERATION) -> int:
        """Number a value that operation number `definition` defines. Returns its number."""
        number = len(self.program.shardings)
        self.numbering.values[value] = number
        self.numbering.homes.append(value)
        self.numbering.definitions.append(definition)
        self.numbering.users.append([])
        self.program.shardings.append(sharding)
        self._types.append(key_of(value.type))
        return number

    def _read_function(self, function: FuncOp) -> None:
        if not function.body.blocks:
            return
        table = self._table
        shardings = map(_sharding_in, function.arg_attrs) if function.arg_attrs else ()
        read = [table.read(sharding) for sharding in shardings]
        for argument in function.args:
            number = self._define(argument, read[argument.index] if read else NO_SHARDING)
            self.numbering.indirect.add(number)
        self._read_block(body_of(function))

    def _read_function_results(self, function: FuncOp, *, is_main: bool) -> None:
        """Number the results of a function. Only results of the main function are connected to the return."""
        attributes = function.res_attrs.data if function.res_attrs else ()
        first = len(self.program.shardings)
        for index in range(len(function.function_type.outputs)):
            self.numbering.indirect.add(len(self.numbering.homes))
            self.numbering.homes.append(FunctionResult(function, index))
            self.numbering.definitions.append(NO_OPERATION)
            self.numbering.users.append([])
            sharding = _sharding_in(attributes[index]) if attributes else None
            self.program.shardings.append(self._table.read(sharding))
        terminator = body_of(function).last_op if function.body.blocks else None
        for index, value in enumerate(terminator.operands if terminator is not None and is_main else ()):
            if has_static_shape(value):
                signature = self._classes.of_edge(value, 1).signature
                self.program.returns.append(Return(self.numbering.value(value), first + index, signature))

    def _read_results(self, op: Operation, traits: OpTraits, number: int) -> None:
        """Number the results of operation `number`, which is not plain or has attributes."""
        if traits.has_flow:
            self._read_owners(op)
            return
        written = op.attributes.get(SHARDING)
        if isinstance(written, TensorShardingPerValueAttr):
            for result, sharding in zip(op.results, written.shardings, strict=True):
                self._define(result, self._table.read(sharding), number)
            return
        own = self._table.read(get_sharding(op.results[0])) if traits.has_own_sharding else NO_SHARDING
        for result in op.results:
            self._define(result, own, number)

    def _read_owners(self, op: Operation) -> None:
        """Number the owners of the edges of an operation with data flow. Other targets of an edge share its number."""
        for owner in (*argument_owners(op), *result_owners(op)):
            number = self._define(owner, NO_SHARDING)
            self.numbering.indirect.add(number)
            if not isinstance(owner.get_user_of_unique_use(), DataFlowEdgeOp):  # an edge has its own sharding
                self.program.shardings[number] = self._table.read(owner_sharding(owner))
        values = self.numbering.values
        for region in op.regions:
            for argument in region.block.args if region.blocks else ():
                if argument not in values and (owner := owner_of(argument)) is not None:
                    values[argument] = self.numbering.value(owner)
                    self.numbering.aliased.add(values[argument])

    # Operations

    def _read_block(self, block: Block, around: Sequence[int] = ()) -> None:
        """Read a block; `around` are the operations around it that shardings propagate through, inner first."""
        numbering, program, types = self.numbering, self.program, self._types
        values, homes, definitions, users = numbering.values, numbering.homes, numbering.definitions, numbering.users
        ops, operations = numbering.ops, numbering.operations
        shardings, all_tensors, classes = program.shardings, program.tensors, program.classes
        for op in operations_of_block(block):
            traits, results = traits_of(type(op)), op.results
            if not traits.is_plain or op.attributes or not results:
                self._read_other(op, traits, around)
                continue
            # Hot path: nearly all operations are plain, so the cases that only other operations have are not checked.
            number = len(ops)
            operations[op] = number
            ops.append(op)
            operands = operands_of(op)
            tensors = [values.get(operand, NO_VALUE) for operand in operands]
            for operand in tensors:
                users[operand].append(number)
            is_used = False
            for result in results:
                value = len(homes)
                values[result] = value
                tensors.append(value)
                homes.append(result)
                definitions.append(number)
                users.append([])
                types.append(key_of(result.type))
                shardings.append(NO_SHARDING)
                is_used = result.first_use is not None
            if not is_used:
                program.unused.add(number)
            op_class = None if traits.has_no_rule else self._look_up(op, tensors)
            if op_class is not None:
                op_class.members.append(number)
            classes.append(op_class)
            all_tensors.append(tensors)
            if len(results) > 1:
                self._add_siblings(op)
            if around:
                numbering.around[number] = around
                numbering.indirect.update(tensors)
            if op.regions:
                self._read_regions(op, traits, around if op_class is None else (number, *around))

    def _read_other(self, op: Operation, traits: OpTraits, around: Sequence[int]) -> None:
        """Read an operation that is not plain, has attributes, or has no results."""
        if traits.is_edge:
            self._read_edge(op, traits, around)
            return
        if op.results:
            self._read_operation(op, traits, around)
            return
        if traits.has_flow:
            self._read_owners(op)
        elif traits.is_call and isinstance(op, CallOp):
            self._calls.add(op)
        elif not traits.forwards_operands and isinstance(op, ShardingGroupOp):
            self.groups.setdefault(group_of(op), []).append(op)
        self.numbering.indirect.update([self.numbering.value(operand) for operand in op.operands])
        if op.regions:
            self._read_regions(op, traits, around)

    def _read_edge(self, op: Operation, traits: OpTraits, around: Sequence[int]) -> None:
        """Number an edge. A data flow edge shares the number of its operand, and becomes the home."""
        numbering = self.numbering
        (operand,), (result,) = op.operands, op.results
        number = len(numbering.ops)
        numbering.operations[op] = number
        numbering.ops.append(op)
        if isinstance(op, DataFlowEdgeOp):
            value = numbering.values[result] = numbering.values[operand]
            numbering.homes[value] = result
            numbering.indirect.add(value)
            self.program.shardings[value] = self._table.read(op.sharding)
        else:
            self._read_results(op, traits, number)
            numbering.users[numbering.value(operand)].append(number)
        if around:
            numbering.around[number] = around
            numbering.indirect.update((numbering.value(operand), numbering.value(result)))
        self.program.classes.append(None)
        self.program.tensors.append(())
        self._edges.append((number, op))

    def _read_operation(self, op: Operation, traits: OpTraits, around: Sequence[int]) -> None:
        """Number an operation and its results, and read its regions."""
        numbering, program = self.numbering, self.program
        number = len(numbering.ops)
        numbering.operations[op] = number
        numbering.ops.append(op)
        self._read_results(op, traits, number)
        operands = [numbering.value(operand) for operand in op.operands]
        tensors = [*operands, *map(numbering.value, op.results)]
        for operand in operands:
            numbering.users[operand].append(number)
        if SHARDING_RULE in op.attributes:
            numbering.with_written_rule.append(op)
            op_class = self._classes.new(op)
        elif traits.has_no_rule:
            op_class = None
        elif traits.rule_reads_definitions:
            op_class = self._classes.new(op)
        else:
            op_class = self._look_up(op, tensors)
        if op_class is not None:
            op_class.members.append(number)
        program.classes.append(op_class)
        program.tensors.append(tensors)
        if op.results[-1].first_use is None:
            program.unused.add(number)
        if len(op.results) > 1 and not traits.has_flow:
            self._add_siblings(op)
        if around:
            numbering.around[number] = around
        if around or traits.forwards_operands:
            numbering.indirect.update(tensors)
        if traits.is_call and isinstance(op, CallOp):
            self._calls.add(op)
        if op.regions:
            self._read_regions(op, traits, around if op_class is None or not op_class.has_rule else (number, *around))

    def _read_regions(self, op: Operation, traits: OpTraits, around: Sequence[int]) -> None:
        for region in op.regions:
            block = region.first_block
            if traits.is_async_start and block is not None:
                for argument, operand in zip(block.args, op.operands, strict=True):
                    number = self.numbering.values[argument] = self.numbering.value(operand)
                    self.numbering.aliased.add(number)
            while block is not None:
                self._read_block(block, around)
                block = block.next_block

    def _add_siblings(self, op: Operation) -> None:
        ranked = tuple((self.numbering.values[result], rank_of(result)) for result in op.results)
        self.program.siblings.update((value, ranked) for value, _ in ranked)

    def _look_up(self, op: Operation, tensors: Sequence[int]) -> OpClass | None:
        if NO_VALUE in tensors:  # `_types` lacks the types of values that cannot be sharded
            return self._classes.look_up(op, [key_of(tensor.type) for tensor in (*op.operands, *op.results)])
        types = self._types
        return self._classes.look_up(op, [types[tensor] for tensor in tensors])

    # Edges

    def _connect(self, number: int, edge: Operation) -> None:
        """Make the sources and the result of an edge its tensors."""
        (target,), (result,) = edge.operands, edge.results
        if isinstance(edge, DataFlowEdgeOp):
            sources, border = sources_of(target), self._borders.of(target)
        else:
            sources, border = self._calls.sources(target), None
        if not sources:
            return
        op_class = self._classes.of_edge(result, len(sources), border)
        op_class.members.append(number)
        self.program.tensors[number] = [self.numbering.value(value) for value in (*sources, result)]
        self.program.classes[number] = op_class


def _sharding_in(attributes: DictionaryAttr) -> TensorShardingAttr | None:
    """The sharding among the attributes of an argument or a result."""
    sharding = attributes.data.get(SHARDING)
    return sharding if isinstance(sharding, TensorShardingAttr) else None


def _mesh_of(sharding: TensorShardingAttr, meshes: Mapping[str, MeshAttr]) -> MeshAttr | None:
    reference = sharding.mesh_or_ref
    return reference if isinstance(reference, MeshAttr) else meshes.get(reference.string_value())


class ModuleProgram(NamedTuple):
    """The program of a module, and how its numbers relate to the module."""

    program: Program
    numbering: Numbering
    uses: ModuleUseGraph
    groups: Mapping[int, Sequence[ShardingGroupOp]]
    """By group id, the operations that put their operand into the group, in text order."""


def program_of(module: ModuleOp, rules: ShardingRules) -> ModuleProgram:
    """
    The program of `module`. Visits each operation once, and changes none.

    Raises `OperationFailedException` for an operation whose results cannot be sharded, `KeyError` for an unknown mesh.
    """
    meshes = {op.sym_name.data: op.mesh for op in module.ops if isinstance(op, MeshOp)}
    builder = _ProgramBuilder(module, ShardingTable(lambda sharding: _mesh_of(sharding, meshes)), rules)
    builder.read()
    return ModuleProgram(builder.program, builder.numbering, builder.uses, builder.groups)
