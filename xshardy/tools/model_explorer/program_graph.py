"""The graphs of a sharded program: its functions, with shardings, bytes of a device, and what it sends and why."""

from collections.abc import Iterator, Mapping

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from xshardy.dialects.sdy.ops import DataFlowEdgeOp, MeshOp, NamedComputationOp
from xshardy.dialects.stablehlo.control_flow import CaseOp, IfOp, WhileOp
from xshardy.dialects.stablehlo.types import ANY_ELEMENT, tensor_type
from xshardy.planning.causes import Causes
from xshardy.planning.collectives import Collective, annotations_of, each_collective
from xshardy.planning.origins import Origins
from xshardy.planning.plan import Plan
from xshardy.programs.names import along_edges
from xshardy.programs.sharded import Sharded
from xshardy.tools.model_explorer.graphs import Collection, GraphNode, node
from xshardy.tools.shard import bytes_per_device, dimensions

REGIONS = (WhileOp, IfOp, CaseOp, NamedComputationOp)
"""Operations whose regions are shown. Those of others compute single elements."""


def program_graphs(sharded: Sharded, label: str, plan: Plan | None = None) -> Collection:
    """
    A graph for each function of `sharded`, with overlays of shardings and bytes.

    With `plan`, that of the same program, also of the bytes sent for operations, and of the annotations that cause it.
    """
    collection = Collection(label)
    sent = dict[Operation, list[Collective]]() if plan is None else _sent_for(plan)
    for function in sharded.module.ops:
        if isinstance(function, FuncOp) and function.body.blocks:
            _Function(sharded, collection, function, sent).add()
    return collection


def _sent_for(plan: Plan) -> dict[Operation, list[Collective]]:
    """The collectives that each operation of the propagated program needs."""
    traced = plan.traced
    causes = Causes(Origins(traced.sharded.history, plan.names))
    found: dict[Operation, list[Collective]] = {}
    for op, collective in each_collective(traced.partitioned.module, traced, causes):
        movement = traced.traces.movement(op)
        needed_by = traced.traces.operation(op) if movement is None else movement.operation
        if needed_by is not None:
            found.setdefault(needed_by, []).append(collective)
    return found


class _Function:
    """Adds the nodes of a function to a collection."""

    def __init__(
        self,
        sharded: Sharded,
        collection: Collection,
        function: FuncOp,
        sent: Mapping[Operation, list[Collective]],
    ):
        self._sharded, self._collection, self._function, self._sent = sharded, collection, function, sent
        self._graph = function.sym_name.data
        self._ids: dict[Operation | SSAValue, str] = {}
        """Of operations, and of the arguments of blocks."""

    def add(self) -> None:
        """Add the graph."""
        block = self._function.body.block
        self._number(block)
        self._collection.graphs[self._graph] = [*self._nodes(block, (), ())]

    def _number(self, block: Block) -> None:
        for each in (*block.args, *block.ops):
            self._ids[each] = str(len(self._ids))
        for op in block.ops:
            for region in op.regions if isinstance(op, REGIONS) else ():
                self._number(region.block)

    def _nodes(self, block: Block, box: tuple[str, ...], known: tuple[str, ...]) -> Iterator[GraphNode]:
        """The nodes of `block` in the boxes `box`, and inside of these in those of JAX's names after `known`."""
        names = self._sharded.names
        for argument in block.args:
            label = names.given(argument) or names.of(argument) or f"argument {argument.index}"
            outputs = [self._value(argument)]
            yield node(self._ids[argument], label, (*box, "arguments"), {}, outputs=outputs)
            self._lay_over(self._ids[argument], argument)
        for op in block.ops:
            if isinstance(op, DataFlowEdgeOp | MeshOp):
                continue
            id, stack = self._ids[op], tuple(names.name_stack(op)[:-1])
            inside = (*box, *(stack[len(known) :] if stack[: len(known)] == known else stack))
            collectives = self._sent.get(op, ())
            attributes = {
                "place": names.place(op),
                "sent": " and ".join(f"{each.total} bytes, {each.kind}" for each in collectives),
                "cause": "; ".join(each.cause.text for each in collectives),
            }
            sources = [self._source(operand) for operand in op.operands]
            outputs = [self._value(result) for result in op.results]
            yield node(id, op.name.partition(".")[2], inside, attributes, sources, outputs=outputs)
            for result in op.results[:1]:
                self._lay_over(id, result)
            self._collection.lay_over("sent", self._graph, id, sum(each.total for each in collectives))
            causes = dict.fromkeys(map(annotations_of, collectives))
            self._collection.lay_over("causes", self._graph, id, " and ".join(causes))
            for number, region in enumerate(op.regions if isinstance(op, REGIONS) else ()):
                name = op.computation_name.data if isinstance(op, NamedComputationOp) else op.name.partition(".")[2]
                yield from self._nodes(region.block, (*inside, f"{name} {id}, region {number}"), stack)

    def _source(self, operand: SSAValue) -> tuple[str, int]:
        """The node that `operand` comes from, and which of its outputs it is."""
        value = along_edges(operand)
        return (self._ids[value.op], value.index) if isinstance(value, OpResult) else (self._ids[value], 0)

    def _value(self, value: SSAValue) -> Mapping[str, object]:
        """What is shown of a value."""
        names = self._sharded.names
        found: dict[str, object] = {"name": names.of(value), "type": value.type, "sharding": self._sharding(value)}
        return found | {"bytes of a device": self._bytes(value)}

    def _sharding(self, value: SSAValue) -> str:
        number = self._sharded.history.number(value)
        return "" if number is None else dimensions(self._sharded.sharding(number))

    def _bytes(self, value: SSAValue) -> int | None:
        """What a device holds of `value`; None if its elements have no size."""
        if not isinstance(value.type, TensorType) or tensor_type(value).element_type not in ANY_ELEMENT:
            return None
        number = self._sharded.history.number(value)
        return bytes_per_device(value, None if number is None else self._sharded.sharding(number))

    def _lay_over(self, id: str, value: SSAValue) -> None:
        self._collection.lay_over("shardings", self._graph, id, self._sharding(value))
        self._collection.lay_over("bytes", self._graph, id, self._bytes(value))
