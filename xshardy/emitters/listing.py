"""
The levels before the kernel as modules to look at: the prepared computation, and its partition into functions.

Both compute what the fusion computes, on whole tensors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import UNKNOWN_LOC, ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, OpResult, SSAValue

from xshardy.dialects.function_attributes import argument_attributes
from xshardy.emitters.analysis import Choice
from xshardy.emitters.applied_computations import element_functions_of
from xshardy.emitters.partition import Partition, Subgraph, is_repeatable, roots_of

EMITTER = "xla_gpu.emitter"
"""The attribute of the computation with the name of its emitter."""
HERO = "xla_gpu.hero"
"""The attribute of the operation that determines the structure of the kernel."""
ROOT = "xla_gpu.root"
"""The attribute of operations whose results are results of the computation."""


def prepared_module(computation: FuncOp, choice: Choice) -> ModuleOp:
    """The computation that is emitted, with the functions of elements that it calls."""
    copy = computation.clone()
    copy.properties.pop("sym_visibility", None)
    copy.attributes[EMITTER] = StringAttr(choice.emitter)
    for op, copied in zip(computation.body.block.ops, copy.body.block.ops, strict=True):
        copied.attributes |= marks(op, computation, choice)
    return ModuleOp([copy, *(function.clone() for function in element_functions_of(computation).values())])


def partitioned_module(partition: Partition, choice: Choice) -> ModuleOp:
    """
    The computation with calls of its functions, and a function for each subgraph.

    What is in the computation itself is emitted by the emitter: the hero, for example. A function takes the parameters
    of the computation, and the values that are given to it.
    """
    computation = partition.computation
    entry = Division(partition, choice, None).function(computation.sym_name.data, roots_of(computation))
    entry.attributes[EMITTER] = StringAttr(choice.emitter)
    del entry.properties["sym_visibility"]
    parts = [Division(partition, choice, part).function(part.name, part.roots) for part in partition.subgraphs]
    return ModuleOp([entry, *parts, *(function.clone() for function in element_functions_of(computation).values())])


def marks(op: Operation, computation: FuncOp, choice: Choice) -> Mapping[str, UnitAttr]:
    """The attributes that say what `op` is in the kernel."""
    is_root = any(result in roots_of(computation) for result in op.results)
    return {name: UnitAttr() for name, holds in ((HERO, op is choice.hero), (ROOT, is_root)) if holds}


@dataclass(frozen=True, eq=False)
class Division:
    """The operations of `subgraph`; for None those that the emitter emits itself, and the calls of functions."""

    partition: Partition
    choice: Choice
    subgraph: Subgraph | None

    @cached_property
    def given(self) -> tuple[SSAValue, ...]:
        """The values that the function takes besides the parameters."""
        return () if self.subgraph is None else self.subgraph.given

    def function(self, name: str, wanted: Sequence[SSAValue]) -> FuncOp:
        """The private function `name` that returns `wanted`."""
        computation = self.partition.computation
        arguments = [*computation.args, *self.given]
        attributes = [*argument_attributes(computation), *({} for _ in self.given)]
        function = FuncOp(
            name,
            ([value.type for value in arguments], [value.type for value in wanted]),
            visibility="private",
            arg_attrs=ArrayAttr(map(DictionaryAttr, attributes)) if any(attributes) else None,
        )
        block = function.body.block
        values: dict[SSAValue, SSAValue] = dict(zip(arguments, block.args, strict=True))
        for old, new in values.items():
            new.name_hint = old.name_hint
        for step in self.steps(wanted):
            if isinstance(step, Subgraph):
                operands = [values[value] for value in (*computation.args, *step.given)]
                made, results = CallOp(step.name, operands, [root.type for root in step.roots]), step.roots
                made.location = step.roots[0].owner.location if isinstance(step.roots[0], OpResult) else UNKNOWN_LOC
            else:
                made, results = step.clone(values), step.results
                made.attributes |= marks(step, computation, self.choice)
            values.update(zip(results, made.results, strict=True))
            block.add_op(made)
        block.add_op(ReturnOp(*(values[value] for value in wanted)))
        return function

    def steps(self, wanted: Sequence[SSAValue]) -> Sequence[Operation | Subgraph]:
        """
        The operations, and the functions to call, that compute `wanted`, in program order.

        Functions that make results of elements of heroes come last.
        """
        known = {*self.partition.computation.args, *self.given}
        epilogues = {} if self.subgraph is not None else {root: part for root, part in self.calls.items() if part.given}
        last = dict.fromkeys(epilogues[value] for value in wanted if value in epilogues)
        found: dict[Operation | Subgraph, tuple[int, bool]] = {}
        pending = [value for value in wanted if value not in epilogues]
        pending += [value for part in last for value in part.given]
        while pending:
            value = pending.pop()
            if value in known or (step := self.source_of(value)) in found:
                continue
            owner = value.owner
            assert isinstance(owner, Operation)
            found[step] = self.partition.position[owner], isinstance(step, Subgraph)
            pending += step.given if isinstance(step, Subgraph) else step.operands
        return [*sorted(found, key=found.__getitem__), *last]

    def source_of(self, value: SSAValue) -> Operation | Subgraph:
        """What computes `value`: an operation here, or the function to call."""
        owner = value.owner
        assert isinstance(owner, Operation)
        if self.subgraph is None:
            return owner if owner in self.heroes else self.calls.get(value, owner)
        is_own = owner in self.subgraph.accesses or is_repeatable(value)
        return owner if is_own else self.partition.subgraph_of[owner]

    @cached_property
    def heroes(self) -> frozenset[Operation]:
        """The operations whose results functions take as elements."""
        given = (value.owner for part in self.partition.subgraphs for value in part.given)
        return frozenset(owner for owner in given if isinstance(owner, Operation))

    @cached_property
    def calls(self) -> Mapping[SSAValue, Subgraph]:
        """The first function that returns a value: that of a group, which the emitter calls."""
        return {root: part for part in reversed(self.partition.subgraphs) for root in part.roots}
