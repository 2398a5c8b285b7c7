"""
A program as nodes that are divided by one decision each: an argument, an operation, elementwise operations of one shape
that read each other, or the values on one data flow edge of a loop or branch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import ManualComputationOp, ReshardOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import local_sharding
from xshardy.dialects.shapes import shape_of
from xshardy.facts.movement import is_elementwise
from xshardy.planning.auto.choices import Choices, ChoiceTable, Placements, Traffic
from xshardy.planning.auto.clusters import Clusters
from xshardy.planning.auto.placements import Placement, SearchAxes
from xshardy.planning.executions import executed_operations
from xshardy.planning.fusion import Fusion, Fusions
from xshardy.planning.roofline import CONTROL, element_of_products, product_flops, values_moved
from xshardy.programs.program import Program
from xshardy.sharding.factor_rule import FactorRule, TensorMapping
from xshardy.sharding.rules import ShardingRules
from xshardy.transforms.hlo_async.report import size_in_bytes
from xshardy.transforms.sdy.data_flow import result_owners, sources_of
from xshardy.transforms.sdy.function_shardings import written_shardings
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.shardable_values import sharding_of

SCATTERING = (stablehlo.ConvolutionOp, stablehlo.DotGeneralOp, stablehlo.DotOp, stablehlo.ReduceOp)
"""Operations whose sums the partitioner scatters; those of look-ups are reduced to all devices."""


@dataclass(slots=True, eq=False)
class Read:
    """A value that a node reads."""

    value: SSAValue
    source: "Node"
    """The node that the value comes from: which produces it, or which holds a copy of it for several readers."""
    produced: Placements
    """How it is divided there, for each strategy of the source."""
    placements: Placements
    """What the reader needs, for each of its own strategies."""
    count: int
    """How often a device executes the read."""
    uses: list[tuple[Operation, int]] = field(default_factory=list[tuple[Operation, int]])
    """The operands that are this value."""


@dataclass(slots=True, eq=False)
class Node:
    """What is decided together."""

    operations: Sequence[Operation]
    """None for an argument, and for a copy."""
    choices: Choices
    count: int
    """How often a device executes it."""
    results: dict[SSAValue, Placements] = field(default_factory=dict[SSAValue, Placements])
    reads: list[Read] = field(default_factory=list[Read])


class ProgramNodes:
    """
    The nodes of a program without calls.

    Values that every device computes for itself, such as constants and what is computed from them, and scalars have no
    node.
    """

    def __init__(self, program: Program, axes: SearchAxes, table: ChoiceTable, ties: Sequence[tuple[int, int]]):
        self.axes, self._table = axes, table
        self._rules = ShardingRules(beyond_upstream=True)
        self._fusions = Fusions()
        self._fixed_choices: dict[tuple[Attribute, TensorShardingAttr | None, bool], Choices] = {}
        self._divided = set[SSAValue]()
        """The values that some node produces."""
        self.nodes: list[Node] = []
        self.of: dict[SSAValue, Node] = {}
        """By value, the node that produces it."""
        self.block = main_function(program.module).body.block
        for argument in self.block.args:
            if shape_of(argument.type):
                choices = self._fixed(argument.type, sharding_of(argument), in_signature=True)
                self._add(Node((), choices, 1), [argument])
        executed = [*executed_operations(program.module)]
        self.positions = {op: position for position, (op, _) in enumerate(executed)}
        self.counts = {op: executions.count for op, executions in executed}
        clusters = Clusters(self._divided)
        for op, _ in executed:
            self._carry(op)
            if type(op) not in CONTROL and not result_owners(op) and op.results:
                clusters.add(op)
        computed = [self._compute(operations) for operations in clusters]
        for node in computed:
            self._read_operands(node)
        self._read_carried(executed)
        self._read_results(main_function(program.module), ties)
        self._share_copies()

    def fusion(self, op: Operation) -> Fusion:
        """What is fused in the block of `op`."""
        assert op.parent is not None
        return self._fusions[op.parent]

    def _add(self, node: Node, results: Sequence[SSAValue]) -> None:
        self.nodes.append(node)
        for value, placements in zip(results, node.choices.results, strict=False):
            if shape_of(value.type):
                self._produce(node, value, placements)

    def _produce(self, node: Node, value: SSAValue, placements: Placements) -> None:
        node.results[value] = placements
        self.of[value] = node
        self._divided.add(value)

    def _fixed(self, type: Attribute, written: TensorShardingAttr | None, *, in_signature: bool = False) -> Choices:
        """
        The placements of a tensor of `type` that agree with what is written: all, or those with more axes.

        Those of arguments and results of the program, `in_signature`, have parts of one size. Equal tensors have one
        object, by which alike layers are known.
        """
        key = type, written, in_signature
        if key not in self._fixed_choices:
            choices = self._table.of(FactorRule.identity(shape_of(type)), (type,), may_pad=not in_signature)
            self._fixed_choices[key] = choices if written is None else self._agreeing(choices, type, written)
        return self._fixed_choices[key]

    def _agreeing(self, choices: Choices, type: Attribute, written: TensorShardingAttr) -> Choices:
        wanted = self.axes.placement(written, len(shape_of(type)))
        closed = [bool(dim.is_closed) for dim in written.dim_shardings]
        fitting = [
            number
            for number, placement in enumerate(choices.results[0].distinct)
            if _extends(placement, wanted, closed)
        ]
        return choices.selected(np.array(fitting)) if fitting else _only(wanted)

    def _read(
        self, node: Node, value: SSAValue, placements: Placements, count: int, use: tuple[Operation, int]
    ) -> None:
        """Let `node` read `value`; equal reads of it are one."""
        for known in node.reads:
            if known.value is value and known.placements is placements and known.count == count:
                known.uses.append(use)
                return
        source = self.of[value]
        node.reads.append(Read(value, source, source.results[value], placements, count, [use]))

    def _share_copies(self) -> None:
        """
        Let several nodes that are alike read one copy of a value: it is moved once, as the partitioner does.

        Such are the projections to queries, keys and values.
        """
        alike: dict[tuple[SSAValue, Placements, int], list[Read]] = {}
        for node in self.nodes:
            for read in node.reads:
                alike.setdefault((read.value, read.placements, read.count), []).append(read)
        choices: dict[Placements, Choices] = {}
        for (value, placements, count), reads in alike.items():
            if len(reads) < 2 or len(placements.distinct) < 2:
                continue
            if placements not in choices:
                distinct = Placements(placements.distinct, np.arange(len(placements.distinct)))
                choices[placements] = Choices(np.zeros(len(distinct.distinct)), (distinct,), (distinct,))
            copy = Node((), choices[placements], count)
            source = self.of[value]
            copy.reads.append(Read(value, source, source.results[value], copy.choices.operands[0], count))
            for read in reads:
                read.source, read.produced = copy, copy.choices.results[0]
            self.nodes.append(copy)

    def _carry(self, op: Operation) -> None:
        """A node for each data flow edge, and for what is annotated."""
        if isinstance(op, ManualComputationOp):
            for result, sharding in zip(op.results, op.out_shardings.shardings, strict=True):
                self._add(Node((op,), self._exactly(result, sharding), self.counts[op]), [result])
            return
        for owner in result_owners(op):
            if shape_of(owner.type):
                node = Node((op,), self._fixed(owner.type, local_sharding(owner)), self.counts[op])
                index = owner.index if isinstance(owner, OpResult) else 0
                arguments = [region.block.args[index] for region in op.regions if region.block.args]
                self._add(node, [owner])
                for argument in arguments:
                    self._produce(node, argument, node.results[owner])

    def _exactly(self, value: SSAValue, sharding: TensorShardingAttr) -> Choices:
        """The one choice of an operand or result of a manual computation."""
        placement = self.axes.placement(sharding, len(shape_of(value.type)))
        return self._fixed(value.type, self.axes.sharding(placement))

    def _compute(self, operations: Sequence[Operation]) -> Node:
        """The node of operations that are decided together, without its reads."""
        first = operations[0]
        if isinstance(first, ShardingConstraintOp | ReshardOp):
            node = Node(operations, self._fixed(first.operands[0].type, first.sharding), self.counts[first])
        else:
            rule = self._rule(first)
            mappings = self._mappings(operations, rule)
            traffic = [self._traffic(op, mappings) for op in operations]
            types = first.result_types if len(operations) == 1 else first.result_types[:1]
            scatters = isinstance(first, SCATTERING)
            choices = self._table.of(rule, tuple(types), _summed(traffic), may_scatter=scatters)
            node = Node(operations, choices, self.counts[first])
        if len(operations) == 1:
            self._add(node, first.results)
        else:
            self._add(node, ())
            for op in operations:
                self._produce(node, op.results[0], node.choices.results[0])
        return node

    def _read_operands(self, node: Node) -> None:
        """The reads of a node that computes."""
        choices, shape = node.choices, shape_of(node.operations[0].results[0].type)
        for op in node.operations:
            for index, value in enumerate(op.operands):
                if value not in self.of or self.of[value] is node:
                    continue
                if len(node.operations) == 1 and index < len(choices.operands):
                    self._read(node, value, choices.operands[index], node.count, (op, index))
                elif shape_of(value.type) == shape:
                    self._read(node, value, choices.results[0], node.count, (op, index))

    def _rule(self, op: Operation) -> FactorRule:
        """The sharding rule of `op`; without one, no tensor of it is divided."""
        if is_elementwise(op) and len(op.results) == 1:
            return FactorRule.identity(shape_of(op.results[0].type), len(op.operands))
        rule = self._rules.factor_rule(op)
        if rule is not None:
            return rule
        return FactorRule((), tuple(map(_whole, op.operands)), tuple(map(_whole, op.results)))

    def _mappings(self, operations: Sequence[Operation], rule: FactorRule) -> dict[SSAValue, TensorMapping]:
        first = operations[0]
        if len(operations) == 1:
            return dict(zip((*first.operands, *first.results), (*rule.operands, *rule.results), strict=True))
        shape = shape_of(first.results[0].type)
        values = {value for op in operations for value in (*op.operands, *op.results)}
        return {value: rule.results[0] for value in values if shape_of(value.type) == shape}

    def _traffic(self, op: Operation, mappings: dict[SSAValue, TensorMapping]) -> Traffic:
        """What `op` moves: tensors by their factors, and the bytes of those that every device has whole."""
        tensors: dict[tuple[TensorMapping, Attribute], int] = {}
        undivided = 0
        for value in values_moved(op, self.fusion(op)):
            mapping = mappings.get(value)
            if mapping is None or value not in self._divided:
                undivided += size_in_bytes(value.type) or 0
            else:
                tensors[mapping, value.type] = tensors.get((mapping, value.type), 0) + 1
        products = product_flops(op)
        return Traffic(
            element_of_products(op) if products else "",
            products,
            tuple((mapping, type, count) for (mapping, type), count in tensors.items()),
            undivided,
        )

    def _read_carried(self, executed: Sequence[tuple[Operation, object]]) -> None:
        """What flows into the edges of loops and branches, and into manual computations."""
        for op, _ in executed:
            if isinstance(op, ManualComputationOp):
                node = Node((op,), _only(()), self.counts[op])
                for index, (value, sharding) in enumerate(zip(op.operands, op.in_shardings.shardings, strict=True)):
                    if value in self.of:
                        self._read(node, value, self._exactly(value, sharding).results[0], node.count, (op, index))
                self.nodes.append(node)
            for owner in result_owners(op):
                for value in sources_of(owner) if owner in self.of else ():
                    node = self.of[owner]
                    for use in _uses_as_source(value, op):
                        if value in self.of and self.of[value] is not node:
                            self._read(node, value, node.results[owner], self._source_count(use[0], op), use)

    def _source_count(self, reader: Operation, op: Operation) -> int:
        """How often a source of an edge of `op` is read: as an operand of it, or at the end of one of its regions."""
        return self.counts[op] if reader is op else self.counts.get(reader, self.counts[op])

    def _read_results(self, main: FuncOp, ties: Sequence[tuple[int, int]]) -> None:
        """Results are returned as the arguments are that they are the new values of, and as they are annotated."""
        end = self.block.last_op
        assert end is not None
        arguments = dict(ties)
        for index, sharding in enumerate(written_shardings(main.res_attrs, len(end.operands))):
            value = end.operands[index]
            target = self.block.args[arguments[index]] if index in arguments else None
            if value not in self.of or (target is not None and self.of[value] is self.of.get(target)):
                continue
            if target is not None and target in self.of:
                node = self.of[target]
                self._read(node, value, node.results[target], 1, (end, index))
            else:
                node = Node((end,), self._fixed(value.type, sharding, in_signature=True), 1)
                self._read(node, value, node.choices.results[0], 1, (end, index))
                self.nodes.append(node)


def _uses_as_source(value: SSAValue, op: Operation) -> Iterator[tuple[Operation, int]]:
    """The uses of `value` as an operand of `op`, and of the terminators of its regions."""
    for use in value.uses:
        user = use.operation
        if user is op or (user.parent_op() is op and user.next_op is None):
            yield user, use.index


def _whole(value: SSAValue) -> TensorMapping:
    """The mapping of a tensor that no factor divides."""
    return tuple(() for _ in shape_of(value.type))


def _extends(placement: Placement, wanted: Placement, closed: Sequence[bool]) -> bool:
    pairs = zip(placement, wanted, closed, strict=True)
    return all(axes == given if is_closed else axes[: len(given)] == given for axes, given, is_closed in pairs)


def _only(placement: Placement) -> Choices:
    """The one choice of a tensor with this placement."""
    placements = Placements((placement,), np.zeros(1, int))
    return Choices(np.zeros(1), (placements,), (placements,))


def _summed(traffic: Sequence[Traffic]) -> tuple[Traffic, ...]:
    """Elementwise operations of one shape as one: their tensors together. Precondition: several compute no products."""
    if len(traffic) == 1:
        return tuple(traffic)
    tensors: dict[tuple[TensorMapping, Attribute], int] = {}
    for mapping, type, count in (tensor for each in traffic for tensor in each.tensors):
        tensors[mapping, type] = tensors.get((mapping, type), 0) + count
    counted = sorted(((mapping, type, count) for (mapping, type), count in tensors.items()), key=str)
    return (Traffic(tensors=tuple(counted), bytes=sum(each.bytes for each in traffic)),)
