"""A program read operation by operation: functions, loops and branches, and a rule for each other operation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, Region, SSAValue

from xshardy.axes.grid import Grid
from xshardy.dialects import hlo, sdy, stablehlo
from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING, common_mesh, without_axes
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.control_flow import ConditionalOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.programs.device_programs import OF_DEVICES
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.proving.boundary import joined, part_of
from xshardy.proving.index import Index, are_indices
from xshardy.proving.kernel import Kernel, Undecided
from xshardy.proving.rules.elementwise import selected_where_known
from xshardy.proving.rules.table import rule_of
from xshardy.proving.sources import Source
from xshardy.proving.summands import Held, HeldSummands, held_at, summed
from xshardy.proving.views import View, merged, pull, restricted
from xshardy.transforms.call_graph import functions_of

Maps: TypeAlias = Sequence[tuple[Index, ...]]
"""Where in the whole tensor each carried value of a device is."""


@dataclass(frozen=True, eq=False, slots=True)
class Repeated:
    """A loop of the whole program: the values before it, in an iteration, after an iteration and after it."""

    op: Operation
    initial: Sequence[View]
    arguments: Sequence[View]
    condition: View
    yielded: Sequence[View]
    results: Sequence[View]


@dataclass(frozen=True, eq=False, slots=True)
class Branched:
    """A conditional of the whole program: what chooses, what each branch returns, and the results."""

    op: Operation
    selector: View
    branches: Sequence[Sequence[View]]
    results: Sequence[View]


class Relations(Protocol):
    """An oracle for control flow: where the carried values of a device are in those of the whole program."""

    def of_loop(self, loop: Repeated, op: Operation, shapes: Sequence[tuple[int, ...]], attempt: int) -> Maps | None:
        """An index into each carried value; None if nothing is left to try."""
        ...

    def of_branch(self, branched: Branched, op: Operation, shapes: Sequence[tuple[int, ...]]) -> Maps | None:
        """An index into each result."""
        ...


@dataclass(eq=False)
class Reading:
    """A program that a kernel reads. `whole` is the reading of the whole program, for that of a device."""

    kernel: Kernel
    module: ModuleOp
    relations: Relations
    whole: "Reading | None" = None
    loops: list[Repeated] = field(default_factory=list[Repeated])
    branches: list[Branched] = field(default_factory=list[Branched])
    related: int = 0
    """How many values are views of the whole program."""
    frontier: "list[tuple[Operation, str]]" = field(default_factory=list[tuple[Operation, str]])
    """The operations whose results are no views of the whole program, though their operands are; and why."""
    views: "dict[Operation, Sequence[View]] | None" = None
    """By operation, its results as they were read last, if a dictionary is given."""
    at: Operation | None = None
    """The operation that is read."""

    def __post_init__(self):
        self._functions: Mapping[str, func.FuncOp] = functions_of(self.module)

    def call(self, name: str, arguments: Sequence[View]) -> list[View]:
        """The results of a function."""
        return self.block(self._functions[name].body.block, arguments, {})

    def block(self, block: Block, arguments: Sequence[View], known: Mapping[SSAValue, View]) -> list[View]:
        """What a block returns; `known` are values from around it."""
        values = {**known, **dict(zip(block.args, arguments, strict=True))}
        *operations, end = block.ops
        for op in operations:
            results = self._values_of(op, [values[operand] for operand in op.operands], values)
            values.update(zip(op.results, results, strict=True))
        return [values[operand] for operand in end.operands]

    def _values_of(self, op: Operation, operands: Sequence[View], values: Mapping[SSAValue, View]) -> Sequence[View]:
        why, self.at = None, op
        self.kernel.universe.spend(1 + sum(len(view.pieces) for view in operands))
        try:
            match op:
                case func.CallOp() | hlo.FusionOp():
                    return self.call(op.callee.string_value(), operands)
                case stablehlo.CompositeOp():
                    return self.call(op.decomposition.string_value(), operands)
                case stablehlo.WhileOp():
                    results = self._loop(op, operands, values)
                case ConditionalOp():
                    results = self._conditional(op, operands, values)
                case sdy.ManualComputationOp():
                    results = self._manual(op, operands)
                case _ if any(not isinstance(value.type, TensorType) for value in (*op.operands, *op.results)):
                    raise Undecided("it takes or returns what is no tensor")
                case _:
                    results = rule_of(type(op))(self.kernel, op, operands)
        except Undecided as error:
            why = str(error)
            results = [self.kernel.opaque(op.name, _shape(result)) for result in op.results]
        if self.whole is not None:
            self._note(op, operands, results, why)
        if self.views is not None:
            self.views[op] = results
        return results

    def _note(self, op: Operation, operands: Sequence[View], results: Sequence[View], why: str | None) -> None:
        if all(map(self.is_related, results)):
            self.related += 1
        elif all(map(self.is_related, operands)):
            self.frontier.append((op, why or self._why(operands, results)))

    def _why(self, operands: Sequence[View], results: Sequence[View]) -> str:
        """Why an operation is not related, as far as its operands and results show it."""
        if any(piece.partial is not None for view in operands for piece in view.pieces):
            return "an operand is a part of a sum, a maximum or the like that no collective has completed rightly"
        if not all(view.is_known(self.kernel.devices) for view in results):
            return "the whole program does not say what some of its elements are"
        return "the whole program has no such computation of these elements"

    def is_related(self, view: View) -> bool:
        """Whether a view has elements of the whole program only."""
        return view.is_known(self.kernel.devices) and not any(self._is_own(piece.source) for piece in view.pieces)

    def _is_own(self, source: Source) -> bool:
        """Whether a source is one that the whole program does not have."""
        return source.is_local and source not in self.kernel.universe.written

    # -- control flow --------------------------------------------------------------------------------------------------

    def _loop(self, op: stablehlo.WhileOp, operands: Sequence[View], values: Mapping[SSAValue, View]) -> Sequence[View]:
        """By induction: what holds before a loop, and after each iteration if before it, holds after the loop."""
        returned = op.body.block.last_op
        assert returned is not None, "a body is verified to end in a return"
        kept = [value is argument for value, argument in zip(returned.operands, op.body.block.args, strict=True)]
        if self.whole is None:
            arguments = self._carried("a loop", op, operands, kept)
            condition = self.block(op.cond.block, arguments, values)[0]
            yielded = self.block(op.body.block, arguments, values)
            results = self._carried("a loop's result", op, operands, kept)
            self.loops.append(Repeated(op, operands, arguments, condition, yielded, results))
            return results
        shapes = [view.shape for view in operands]
        for loop in self.whole.loops:
            if len(loop.initial) != len(operands):
                continue
            for attempt in range(3):
                maps = self.relations.of_loop(loop, op, shapes, attempt)
                self.kernel.universe.journal.append(maps)
                if maps is None:
                    break
                if (found := self._by_induction(op, operands, values, loop, maps, kept)) is not None:
                    return found
        raise Undecided("no loop of the whole program carries what it carries")

    def _carried(self, name: str, op: Operation, operands: Sequence[View], kept: Sequence[bool]) -> list[View]:
        """A tensor that nothing is known about for each carried value that an iteration changes."""
        unknown = self._unknown(name, op, [view.shape for view in operands])
        return [view if is_kept else new for view, new, is_kept in zip(operands, unknown, kept, strict=True)]

    def _unknown(self, name: str, op: Operation, shapes: Sequence[tuple[int, ...]]) -> list[View]:
        """A tensor that nothing is known about for each result, as a sum if its sharding says that it is unreduced."""
        written = op.attributes.get(SHARDING)
        if not self.kernel.is_whole or not isinstance(written, TensorShardingPerValueAttr):
            return [self.kernel.opaque(name, shape) for shape in shapes]
        pairs = zip(op.results, written.shardings.data, strict=True)
        tensors = [DistributedTensor.under(tensor_type(result), sharding, op, 1) for result, sharding in pairs]
        return [summed(self.kernel, name, tensor) for tensor in tensors]

    def _by_induction(
        self,
        op: stablehlo.WhileOp,
        operands: Sequence[View],
        values: Mapping[SSAValue, View],
        loop: Repeated,
        maps: Maps,
        kept: Sequence[bool],
    ) -> Sequence[View] | None:
        initial, arguments, yielded, results = (
            self._parts(views, maps, operands) for views in (loop.initial, loop.arguments, loop.yielded, loop.results)
        )
        if initial is None or arguments is None or yielded is None or results is None:
            return None
        held = self._held(loop.arguments, maps, operands, kept)
        changed = [number for number, is_kept in enumerate(kept) if not is_kept]
        # Summands of what the whole program does not change are known: those of devices may be others.
        if held is None or any(
            isinstance(held[number], HeldSummands) and loop.arguments[number] is loop.initial[number]
            for number in changed
        ):
            return None
        before, done = (
            [
                operand if is_kept else each.of(part)
                for operand, part, each, is_kept in zip(operands, parts, held, kept, strict=True)
            ]
            for parts in (arguments, results)
        )
        if not all(held[number].is_of(self.kernel, operands[number], initial[number]) for number in changed):
            return None
        condition = self.block(op.cond.block, before, values)[0]
        if not self.kernel.same(condition, restricted(loop.condition, self.kernel.devices)):
            return None
        after = self.block(op.body.block, before, values)
        is_kept = all(held[number].is_of(self.kernel, after[number], yielded[number]) for number in changed)
        return done if is_kept else None

    def _held(
        self, wholes: Sequence[View], maps: Maps, mine: Sequence[View], kept: Sequence[bool]
    ) -> list[Held] | None:
        """What devices have of the values of a loop or branch by `maps`; None if some have no such thing."""
        held = [
            Held() if is_kept else held_at(whole, at, view.shape, self.kernel.devices)
            for whole, at, view, is_kept in zip(wholes, maps, mine, kept, strict=True)
        ]
        return None if None in held else [each for each in held if each is not None]

    def _parts(self, views: Sequence[View], maps: Maps, operands: Sequence[View]) -> list[View] | None:
        """The parts of whole tensors that a device has by `maps`; None if some of these are not known."""
        parts = list[View]()
        for view, at, operand in zip(views, maps, operands, strict=True):
            rank = len(view.shape)
            if len(at) not in (rank, rank + 1) or not are_indices(at, operand.shape, self.kernel.devices):
                return None
            if not view.is_known(len(view.pieces[0].box.here) if view.pieces else 1):
                return None
            part = pull(restricted(view, self.kernel.devices), at[:rank], operand.shape)
            if part is None:
                return None
            parts.append(part)
        return parts

    def _manual(self, op: sdy.ManualComputationOp, operands: Sequence[View]) -> Sequence[View]:
        """
        What the whole program has written for each device, read as the program of a device is.

        Its results are joined by their shardings: devices that have the same part are taken to agree, as `sdy` says. In
        another manual computation only results that no axis divides are.
        """
        ins, outs = op.in_shardings.shardings.data, op.out_shardings.shardings.data
        mesh = common_mesh((*ins, *outs), op)
        devices = 1 if mesh is None else mesh.device_count
        if self.kernel.devices not in ((1, devices) if self.whole is None else (1,)):
            raise Undecided("a manual computation in a program of each device")
        free = () if mesh is None else [name for name in mesh.sizes if name not in op.manual_axes.names]
        kernel = Kernel(self.kernel.universe, self.kernel.oracle, devices, False, Grid(1, devices))
        inner = Reading(kernel, self.module, self.relations, None, self.loops, self.branches, views=self.views)
        given, made = (
            [
                DistributedTensor.under(tensor_type(value), without_axes(sharding, free), op, devices)
                for value, sharding in zip(values, shardings, strict=True)
            ]
            for values, shardings in ((op.operands, ins), (op.results, outs))
        )
        arguments = [part_of(view, tensor) for view, tensor in zip(operands, given, strict=True)]
        results = inner.block(op.body.block, arguments, {})
        self.kernel.universe.written.update(term for term in self.kernel.universe.terms if term.is_local)
        whole_results = list[View]()
        for view, tensor in zip(results, made, strict=True):
            if self.kernel.devices == 1:
                found = joined(view, tensor)
            else:  # inside of another manual computation: one device of each of its parts
                found = view if view.shape == tensor.shape and view.is_known(devices) else None
            if found is None:
                found = self.kernel.opaque("a manual computation", tensor.shape)
            whole_results.append(found)
        return whole_results

    def _conditional(
        self, op: ConditionalOp, operands: Sequence[View], values: Mapping[SSAValue, View]
    ) -> Sequence[View]:
        """Branch by branch, if the same is chosen."""
        branches = [self.block(region.block, [], values) for region in op.regions]
        if self.whole is None:
            results = self._unknown("a branch", op, [view.shape for view in branches[0]])
            self.branches.append(Branched(op, operands[0], branches, results))
            return results
        devices = self.kernel.devices
        for branched in self.whole.branches:
            if len(branched.branches) != len(branches) or len(branched.results) != len(branches[0]):
                continue
            if not self.kernel.same(operands[0], restricted(branched.selector, devices)):
                continue
            maps = self.relations.of_branch(branched, op, [view.shape for view in branches[0]])
            self.kernel.universe.journal.append(maps)
            if maps is None:
                continue
            expected = [self._parts(views, maps, branches[0]) for views in branched.branches]
            results = self._parts(branched.results, maps, branches[0])
            held = self._held(branched.results, maps, branches[0], [False] * len(maps))
            if (
                results is not None
                and held is not None
                and all(
                    parts is not None
                    and all(map(lambda each, view, part: each.is_of(self.kernel, view, part), held, mine, parts))
                    for mine, parts in zip(branches, expected, strict=True)
                )
            ):
                return [each.of(part) for each, part in zip(held, results, strict=True)]
        if isinstance(op, stablehlo.IfOp) and not any(map(_may_communicate, op.regions)):
            return self._chosen_by_device(operands[0], *branches)
        raise Undecided("no conditional of the whole program has these branches")

    def _chosen_by_device(self, chosen: View, on_true: Sequence[View], on_false: Sequence[View]) -> Sequence[View]:
        """On each device the results of the branch that it executes, where the device alone decides."""
        results = list[View]()
        for sides in zip(on_true, on_false, strict=True):
            shape = sides[0].shape
            pieces, rest = selected_where_known(self.kernel, self.kernel.pulled(chosen, (), shape), *sides)
            if rest.pieces:
                raise Undecided("no conditional of the whole program has these branches")
            results.append(View(shape, merged(pieces)))
        return results


def _may_communicate(region: Region) -> bool:
    """Whether a region has a collective, or calls what may have one."""
    called = (func.CallOp, stablehlo.CompositeOp, stablehlo.CustomCallOp, hlo.FusionOp)
    communicates = tuple(kind for kind in OF_DEVICES if kind not in (stablehlo.PartitionIdOp, stablehlo.ReplicaIdOp))
    return any(isinstance(op, (*called, *communicates)) for op in region.walk())


def _shape(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tensor; that of a scalar for a token."""
    return shape_of(value) if isinstance(value.type, TensorType) else ()
