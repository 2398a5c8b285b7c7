"""The entry function of a kernel under construction, and the functions that it calls. Source: rows XGPU-10, XGPU-21."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from xshardy.emitters.analysis import Emission
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.entry import block_ids, make_entry, thread_id, verify_outputs
from xshardy.emitters.indices import Indices
from xshardy.emitters.launch_dimensions import LaunchDimensions
from xshardy.emitters.partition import RootGroup, Subgraph, partition, roots_of
from xshardy.emitters.subgraph import emit_subgraphs

Values: TypeAlias = Sequence[SSAValue]


class Kernel:
    """
    A kernel that computes the results of a computation by one function per group of `groups`.

    `heroes` are the operations that the emitter of the kernel emits itself. `aliases` maps results to the parameters
    whose buffers they share. An operation for which `starts_function` holds also gets a function of its own.
    """

    def __init__(
        self,
        computation: FuncOp,
        groups: Sequence[RootGroup],
        launch: LaunchDimensions,
        name: str,
        *,
        heroes: Sequence[Operation] = (),
        aliases: Mapping[int, int] | None = None,
        starts_function: Callable[[Operation], bool] = lambda _: False,
    ):
        self.roots = roots_of(computation)
        self.launch, self.heroes = launch, heroes
        self.parts = partition(computation, starts_function, groups, heroes)
        self.entry = make_entry(name, computation.body.block.args, self.roots, launch, aliases)
        self.s = Scalars.at_end(self.entry.function.body.block)
        ids = [thread_id(self.s, launch), *block_ids(self.s, launch)]
        self.ids: Indices = tuple(value for value, _ in ids)
        self.variables = tuple(variable for _, variable in ids)

    def call(self, s: Scalars, function: Subgraph, indices: Indices, given: Values = ()) -> Values:
        """Call a function of the computation for its elements at `indices`."""
        call = function.call(self.entry.inputs, indices, given)
        s.builder.insert(call)
        return call.results

    def combine(self, s: Scalars, hero: Operation, before: Values, elements: Values) -> Values:
        """Apply the computation of `hero` to the elements `before` and `elements`."""
        call = self.parts.applied[hero].root.call([*before, *elements], ())
        s.builder.insert(call)
        return call.results

    def module(self, updated: Values) -> Emission:
        """The kernel, which returns `updated`, with all functions."""
        self.s.builder.insert(ReturnOp(*updated))
        verify_outputs(self.entry)
        return Emission(ModuleOp([self.entry.function, *emit_subgraphs(self.parts)]), self.parts)
