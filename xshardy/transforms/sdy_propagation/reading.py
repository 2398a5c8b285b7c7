"""
A module as the propagation engine sees it: values and operations get numbers, in one walk over the module.

Values along a data flow edge are one value, since they are always sharded alike; where its sharding is written is its
home. Rules are looked up once for operations that have the same types and attributes.
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
from xshardy.sharding.interning import NO_SHARDING, ShardingTable
from xshardy.sharding.propagation import NO_VALUE, OpClass, Program
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.data_flow import argument_owners, owner_of, result_owners, sources_of
from xshardy.transforms.sdy.main_function import main_if_any
from xshardy.transforms.sdy.op_kinds import OpTraits, traits_of
from xshardy.transforms.sdy.shapes import has_static_shape, rank_of
from xshardy.transforms.sdy.shardable_values import owner_sharding
from xshardy.transforms.sdy_import.sharding_group_import import group_of
from xshardy.transforms.sdy_propagation.call_sites import CallSites
from xshardy.transforms.sdy_propagation.manual_borders import ManualBorders
from xshardy.transforms.sdy_propagation.numbering import NO_OPERATION, FunctionResult, Numbering
from xshardy.transforms.sdy_propagation.op_classes import OpClasses
from xshardy.transforms.sdy_propagation.surroundings import ModuleSurroundings


class _Reader:
    """Fills a `Program` and its `Numbering` block by block."""

    def __init__(self, module: ModuleOp, table: ShardingTable, rules: ShardingRules):
        self._module = module
        self._table = table
        self._classes = OpClasses(rules)
        self._calls = CallSites(module)
        self._borders = ManualBorders(table)
        self.numbering = Numbering()
        self.program = Program(table, ModuleSurroundings(self.numbering, self._calls))
        self._types = [id(None)]
        """The identity of the type of each value."""
        self._edges: list[tuple[int, Operation]] = []
        self.groups: dict[int, list[SSAValue]] = {}
        """The members of each sharding group, in the order of the text."""

    def read(self) -> None:
        """Read all functions, then the edges, whose sources may be anywhere."""
        functions = functions_of(self._module)
        for function in functions.values():
            self._read_function(function)
        for number, edge in self._edges:
            self._connect(number, edge)
        main = main_if_any(functions)
        for function in functions.values():
            self._read_function_results(function, is_main=function is main)

    # Values

    def _define(self, value: SSAValue, sharding: int, maker: int = NO_OPERATION) -> int:
        """The number of a new value."""
        number = len(self.program.shardings)
        self.numbering.values[id(value)] = number
        self.numbering.homes.append(value)
        self.numbering.makers.append(maker)
        self.numbering.users.append([])
        self.program.shardings.append(sharding)
        self._types.append(id(value.type))
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
        for block in function.body.blocks:
            self._read_block(block)

    def _read_function_results(self, function: FuncOp, *, is_main: bool) -> None:
        """Number the results of a function; only for those of the main one it counts what is returned as each."""
        attributes = function.res_attrs.data if function.res_attrs else ()
        first = len(self.program.shardings)
        for index in range(len(function.function_type.outputs)):
            self.numbering.indirect.add(len(self.numbering.homes))
            self.numbering.homes.append(FunctionResult(function, index))
            self.numbering.makers.append(NO_OPERATION)
            self.numbering.users.append([])
            sharding = _sharding_in(attributes[index]) if attributes else None
            self.program.shardings.append(self._table.read(sharding))
        terminator = function.body.block.last_op if function.body.blocks else None
        for index, value in enumerate(terminator.operands if terminator is not None and is_main else ()):
            if has_static_shape(value):
                signature = self._classes.of_edge(value, 1).signature
                self.program.returns.append((self.numbering.value(value), first + index, signature))

    def _read_values(self, op: Operation, traits: OpTraits, maker: int) -> None:
        """Number the results of an operation that has shardings, or data flow."""
        if traits.has_flow:
            self._read_owners(op)
            return
        written = op.attributes.get(SHARDING)
        if isinstance(written, TensorShardingPerValueAttr):
            for result, sharding in zip(op.results, written.shardings, strict=True):
                self._define(result, self._table.read(sharding), maker)
            return
        own = self._table.read(get_sharding(op.results[0])) if traits.has_own_sharding else NO_SHARDING
        for result in op.results:
            self._define(result, own, maker)

    def _read_owners(self, op: Operation) -> None:
        """Number the values that own the edges of an operation with data flow, and let its other values share these."""
        for owner in (*argument_owners(op), *result_owners(op)):
            number = self._define(owner, NO_SHARDING)
            self.numbering.indirect.add(number)
            if not isinstance(owner.get_user_of_unique_use(), DataFlowEdgeOp):  # which has the sharding
                self.program.shardings[number] = self._table.read(owner_sharding(owner))
        values = self.numbering.values
        for region in op.regions:
            for argument in region.block.args if region.blocks else ():
                if id(argument) not in values and (owner := owner_of(argument)) is not None:
                    values[id(argument)] = self.numbering.value(owner)
                    self.numbering.aliased.add(values[id(argument)])

    # Operations

    def _read_block(self, block: Block, around: Sequence[int] = ()) -> None:
        """Read the operations of a block; `around` are those outside of it through which shardings go, inner first."""
        numbering, program, types = self.numbering, self.program, self._types
        values, homes, makers, users = numbering.values, numbering.homes, numbering.makers, numbering.users
        ops, operations = numbering.ops, numbering.operations
        for op in block.ops:
            traits, results = traits_of(type(op)), op.results
            if not traits.is_plain or op.attributes or not results:
                self._read_other(op, traits, around)
                continue
            # Nearly all operations are plain, so they are read here, without asking for what only others may have.
            number = len(ops)
            operations[id(op)] = number
            ops.append(op)
            slots = [values.get(id(operand), NO_VALUE) for operand in op.operands]
            for slot in slots:
                users[slot].append(number)
            is_used = False
            for result in results:
                value = len(homes)
                values[id(result)] = value
                slots.append(value)
                homes.append(result)
                makers.append(number)
                users.append([])
                types.append(id(result.type))
                program.shardings.append(NO_SHARDING)
                is_used = result.first_use is not None
            if not is_used:
                program.unused.add(number)
            op_class = None if traits.has_no_rule else self._look_up(op, slots)
            if op_class is not None:
                op_class.members.append(number)
            program.classes.append(op_class)
            program.slots.append(slots)
            if len(results) > 1:
                self._add_siblings(op)
            if around:
                numbering.around[number] = around
                numbering.indirect.update(slots)
            if op.regions:
                self._read_regions(op, traits, around if op_class is None else (number, *around))

    def _read_other(self, op: Operation, traits: OpTraits, around: Sequence[int]) -> None:
        """Read an operation that is not plain, or has attributes, or no results."""
        if traits.is_edge:
            self._read_edge(op, traits, around)
            return
        if op.results:
            self._read_operation(op, traits, around)
            return
        if traits.has_flow:
            self._read_owners(op)
        elif traits.calls and isinstance(op, CallOp):
            self._calls.add(op)
        elif traits.only_reads and isinstance(op, ShardingGroupOp):
            self.groups.setdefault(group_of(op), []).append(op.input)
        self.numbering.indirect.update([self.numbering.value(operand) for operand in op.operands])
        if op.regions:
            self._read_regions(op, traits, around)

    def _read_edge(self, op: Operation, traits: OpTraits, around: Sequence[int]) -> None:
        """Number an edge. One through regions is the same value as its operand; it connects that with the sources."""
        numbering = self.numbering
        (operand,), (result,) = op.operands, op.results
        number = len(numbering.ops)
        numbering.operations[id(op)] = number
        numbering.ops.append(op)
        if isinstance(op, DataFlowEdgeOp):
            value = numbering.values[id(result)] = numbering.values[id(operand)]
            numbering.homes[value] = result
            numbering.indirect.add(value)
            self.program.shardings[value] = self._table.read(op.sharding)
        else:
            self._read_values(op, traits, number)
            numbering.users[numbering.value(operand)].append(number)
        if around:
            numbering.around[number] = around
            numbering.indirect.update((numbering.value(operand), numbering.value(result)))
        self.program.classes.append(None)
        self.program.slots.append(())
        self._edges.append((number, op))

    def _read_operation(self, op: Operation, traits: OpTraits, around: Sequence[int]) -> None:
        """Number an operation and its results, and what is in it."""
        numbering, program = self.numbering, self.program
        number = len(numbering.ops)
        numbering.operations[id(op)] = number
        numbering.ops.append(op)
        self._read_values(op, traits, number)
        operands = [numbering.value(operand) for operand in op.operands]
        slots = [*operands, *map(numbering.value, op.results)]
        for operand in operands:
            numbering.users[operand].append(number)
        if SHARDING_RULE in op.attributes:
            numbering.with_written_rule.append(op)
            op_class = self._classes.new(op)
        elif traits.has_no_rule:
            op_class = None
        elif traits.looks_back:
            op_class = self._classes.new(op)
        else:
            op_class = self._look_up(op, slots)
        if op_class is not None:
            op_class.members.append(number)
        program.classes.append(op_class)
        program.slots.append(slots)
        if op.results[-1].first_use is None:
            program.unused.add(number)
        if len(op.results) > 1 and not traits.has_flow:
            self._add_siblings(op)
        if around:
            numbering.around[number] = around
        if around or not traits.only_reads:
            numbering.indirect.update(slots)
        if traits.calls and isinstance(op, CallOp):
            self._calls.add(op)
        if op.regions:
            self._read_regions(op, traits, around if op_class is None or not op_class.has_rule else (number, *around))

    def _read_regions(self, op: Operation, traits: OpTraits, around: Sequence[int]) -> None:
        for region in op.regions:
            block = region.first_block
            if traits.starts and block is not None:
                for argument, operand in zip(block.args, op.operands, strict=True):
                    number = self.numbering.values[id(argument)] = self.numbering.value(operand)
                    self.numbering.aliased.add(number)
            while block is not None:
                self._read_block(block, around)
                block = block.next_block

    def _add_siblings(self, op: Operation) -> None:
        ranked = tuple((self.numbering.values[id(result)], rank_of(result)) for result in op.results)
        self.program.siblings.update((value, ranked) for value, _ in ranked)

    def _look_up(self, op: Operation, slots: Sequence[int]) -> OpClass | None:
        if NO_VALUE in slots:  # nobody noted the types of values that cannot be sharded
            return self._classes.look_up(op, [id(tensor.type) for tensor in (*op.operands, *op.results)])
        types = self._types
        return self._classes.look_up(op, [types[slot] for slot in slots])

    # Edges

    def _connect(self, number: int, edge: Operation) -> None:
        """Let shardings go between the sources and the result of an edge."""
        (target,), (result,) = edge.operands, edge.results
        if isinstance(edge, DataFlowEdgeOp):
            sources, border = sources_of(target), self._borders.of(target)
        else:
            sources, border = self._calls.sources(target), None
        if not sources:
            return
        op_class = self._classes.of_edge(result, len(sources), border)
        op_class.members.append(number)
        self.program.slots[number] = [self.numbering.value(value) for value in (*sources, result)]
        self.program.classes[number] = op_class


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
