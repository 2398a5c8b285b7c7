"""The search for shardings of a program, from its problem of choice to annotations whose plan is known."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.planning.auto.annotations import Annotations, annotated
from xshardy.planning.auto.choices import ChoiceTable
from xshardy.planning.auto.few import LayoutAnnotations, without_needless
from xshardy.planning.auto.move_times import MoveTimes
from xshardy.planning.auto.nodes import ProgramNodes
from xshardy.planning.auto.placements import Placement
from xshardy.planning.auto.prepared import Prepared, prepare
from xshardy.planning.auto.propagated import propagated
from xshardy.planning.auto.shortened import shortened
from xshardy.planning.auto.space import NANOSECONDS, Space
from xshardy.planning.byte_counts import in_bytes
from xshardy.planning.plan import Plan, plan_or_none
from xshardy.planning.topology import H100, Topology, as_topology
from xshardy.programs.errors import EngineError
from xshardy.programs.program import Program
from xshardy.rewriting.walk import operations_in
from xshardy.search.solve import Solution, solve

SOLVING = 0.4
"""The part of the time that the solver may take; the rest is for fewer annotations."""
LEAST_SOLVING = 8.0
"""The seconds that it may take in any case: it seldom needs them, and all else depends on its choice."""
ADDING = 0.4
"""The part of what is left in which constraints are added one after the other; then all that are missing are added."""
AS_GOOD = 1.02
"""By which factor the plan of fewer annotations may be slower than that of all."""
SHRINKING = 3
"""How often the solver gets less memory, since the plan of its answer took more than it thought."""


class MemoryExceeded(EngineError):
    """No sharding that was found fits the memory."""


class SlowerThanKnown(EngineError):
    """By the bound of the model, nothing is as fast as what is known."""


@dataclass(frozen=True, slots=True)
class FoundShardings:
    """The answer of a search."""

    source: Program
    """The program that was given."""
    prepared: Prepared
    topology: Topology
    memory: float
    """The limit, in bytes per device."""
    given: Plan | None
    """The plan of the program as it was given; None if it cannot be partitioned."""
    plan: Plan
    """The plan of the program with the annotations that were found, or as it was given if that is as fast."""
    annotations: Annotations | None
    """What was added; None if the given annotations are kept."""
    space: Space
    solution: Solution
    """What the solver says: costs are in nanoseconds of the model."""
    time_before: float
    """
    The least estimated seconds before constraints were left out: with all, with all of a kind, or with none.

    An estimate if they were left out on few layers: the time of these, in the ratio of the two programs.
    """
    seconds: float
    """How long the search took."""

    @property
    def program(self) -> Program:
        """The program with the annotations, without calls; a copy of the given one if its annotations are kept."""
        if self.annotations is None:
            return self.source.copy()[0]
        return annotated(self.prepared, self.annotations)[0]

    @property
    def time(self) -> float:
        """The estimated time of its plan, in seconds."""
        return self.plan.estimate(self.topology).total

    @property
    def bound(self) -> float:
        """No choice is faster than this by the model of the search, in seconds, if alike layers are divided alike."""
        return self.solution.bound / NANOSECONDS

    @property
    def predicted(self) -> float:
        """The time that the model of the search gives its choice, in seconds."""
        return self.solution.cost / NANOSECONDS


def find_shardings(
    program: Program,
    *,
    topology: Topology | str = H100,
    memory: float = inf,
    free: bool = False,
    keep: Mapping[str, Sequence[Sequence[str]]] | None = None,
    seconds: float = 60,
    faster_than: float = inf,
) -> FoundShardings:
    """
    The shardings of arguments, and constraints, that make `program` fast by the estimate of its plan on `topology`, and
    fit `memory` bytes per device, in about `seconds`. The program is left as it is.

    What is annotated stays, unless `free`; `keep` has axes for the dimensions of arguments, by their names or numbers.
    The answer is never slower than the program as given, if that fits. Raises `MemoryExceeded`, `SlowerThanKnown` if
    the model's bound is above `faster_than` seconds, `EngineError` for a program without a mesh, and what
    `plan_program` raises.
    """
    begin, machine = perf_counter(), as_topology(topology)
    prepared = prepare(program, free=free, keep=keep)
    moves = MoveTimes(prepared.axes, machine)
    nodes = ProgramNodes(prepared.program, prepared.axes, ChoiceTable(prepared.axes, machine, moves), prepared.ties)
    space = Space(nodes, moves)
    search = _Search(prepared, machine, space, memory, begin + seconds)
    annotated_program = prepare(program) if free else prepared
    solution, found = search.candidates([space.nearest(_as_given(annotated_program, prepared))], faster_than)
    candidates = [*search.planned([Annotations()] if free else []), *found]
    fitting = [candidate for candidate in candidates if candidate.peak <= memory]
    if fitting:
        search.try_whole(search.fewer(solution, fitting))
    best = next((candidate for candidate in reversed(search.wholes) if candidate.peak <= memory), None)
    given = None if keep else plan_or_none(program)
    if given is not None and given.peak_bytes <= memory:
        of_given = given.estimate(machine).total
        if best is None or of_given <= best.time:
            best = _Candidate(Annotations(), given, of_given, given.peak_bytes)
    if best is None:
        raise MemoryExceeded(_too_much(memory, solution, search.wholes))
    return FoundShardings(
        source=program,
        prepared=prepared,
        topology=machine,
        memory=memory,
        given=given,
        plan=best.plan,
        annotations=None if best.plan is given else best.annotations,
        space=space,
        solution=solution,
        time_before=min((each.time for each in found), default=best.time) * search.scale,
        seconds=perf_counter() - begin,
    )


def _as_given(given: Prepared, prepared: Prepared) -> Mapping[SSAValue, Placement]:
    """How propagation divides the values of `prepared` with the annotations that `given`, the same program, has."""
    pairs = dict(_pairs(given.program.module, prepared.program.module))
    copy, copies = given.program.copy()
    found = propagated(copy, copies, pairs, prepared.axes)
    return {pairs[value]: placement for value, placement in found.items()}


def _pairs(given: ModuleOp, prepared: ModuleOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The values of two modules that differ in constraints only."""
    operations = (
        [op for op in operations_in(module) if not isinstance(op, ShardingConstraintOp)] for module in (given, prepared)
    )
    for theirs, mine in zip(*operations, strict=False):
        yield from zip(theirs.results, mine.results, strict=True)
        for blocks in zip(theirs.regions, mine.regions, strict=True):
            yield from zip(*(region.block.args if region.blocks else () for region in blocks), strict=True)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Annotations, and what is known of their plan, which may be that of fewer layers."""

    annotations: Annotations
    plan: Plan
    time: float
    """The estimated seconds of the plan."""
    peak: float
    """The bytes at the peak of the whole program, as far as they are known."""


class _Search:
    """Candidates for one program, until a time of `perf_counter`. They are tried on few layers, if it repeats them."""

    def __init__(
        self,
        prepared: Prepared,
        topology: Topology,
        space: Space,
        memory: float,
        until: float,
    ):
        self._prepared, self._topology, self._space = prepared, topology, space
        self._memory, self._until = memory, until
        self._short = shortened(prepared)
        self._left_out = 0.0
        """The bytes at the peak of the whole program that few layers do not have."""
        self.scale = 1.0
        """The time of the whole program over that of few layers."""
        self.wholes: list[_Candidate] = []
        """What was tried on the whole program."""

    @property
    def _trial(self) -> Prepared:
        """The program that annotations are tried on: one with few layers, or the whole one."""
        return self._prepared if self._short is None else self._short.prepared

    def candidates(self, start: Sequence[Sequence[int]], faster_than: float) -> tuple[Solution, Sequence[_Candidate]]:
        """
        What the solver says, and its choice with few and with all constraints.

        Copies of gathered tensors are not in its problem: while all plans take too much, it gets a lower limit. Raises
        `SlowerThanKnown`.
        """
        limit, found = self._memory, list[_Candidate]()
        solution = tried = self._solved(limit, start)
        if solution.bound / NANOSECONDS > faster_than:
            raise SlowerThanKnown(f"no choice takes less than {solution.bound / NANOSECONDS:.3g} s")
        for _ in range(SHRINKING):
            if tried.choice is None:
                break
            solution = tried
            layout = self._space.layout(tried.choice)
            enough = perf_counter() + ADDING * (self._until - perf_counter())
            every = LayoutAnnotations(self._trial, self._space, layout).sufficient(enough)
            if self._short is not None:
                every = self._short.lifted(every, layout)
            found += self.planned(every.simplified())
            if not found and self._short is not None:
                self._short = None  # the partitioner refuses the few layers
                continue
            if self._memory == inf or not found:
                break
            self.try_whole(min(found, key=lambda candidate: candidate.plan.peak_bytes))
            found = [replace(each, peak=each.plan.peak_bytes + self._left_out) for each in found]
            least = min(candidate.peak for candidate in found)
            if least <= self._memory:
                break
            limit -= least - self._memory
            tried = self._solved(limit, start)
        return solution, found

    def _solved(self, limit: float, start: Sequence[Sequence[int]]) -> Solution:
        seconds = max(LEAST_SOLVING, SOLVING * (self._until - perf_counter()))
        return solve(self._space.problem(limit), seconds=seconds, start=start)

    def fewer(self, solution: Solution, fitting: Sequence[_Candidate]) -> _Candidate:
        """The best of candidates, without constraints that are not needed, as far as there is time."""
        allowed = AS_GOOD * min(each.time for each in fitting)
        best = next(each for each in fitting if each.time <= allowed)

        def is_as_good(tried: Annotations) -> bool:
            nonlocal best
            if perf_counter() > self._until:
                return False
            for candidate in self.planned([tried]):
                if candidate.time <= allowed and candidate.peak <= self._memory:
                    best = candidate
                    return True
            return False

        if solution.choice is not None:
            without_needless(self._space, solution.choice, best.annotations, is_as_good)
        return best

    def planned(self, tried: Sequence[Annotations]) -> Sequence[_Candidate]:
        """The program, or its few layers, with each of these annotations, but for what the partitioner refuses."""
        return [*self._planned(self._trial, tried)]

    def try_whole(self, candidate: _Candidate) -> None:
        """Plan the whole program with the annotations of `candidate`, and compare."""
        if self._short is None:
            self.wholes.append(candidate)
            return
        for whole in self._planned(self._prepared, [candidate.annotations]):
            self._left_out = whole.peak - candidate.plan.peak_bytes
            self.scale = whole.time / candidate.time
            self.wholes.append(whole)

    def _planned(self, prepared: Prepared, tried: Sequence[Annotations]) -> Iterator[_Candidate]:
        left_out = self._left_out if prepared is self._trial else 0
        for annotations in tried:
            if (plan := plan_or_none(annotated(prepared, annotations)[0])) is not None:
                time = plan.estimate(self._topology).total
                yield _Candidate(annotations, plan, time, plan.peak_bytes + left_out)


def _too_much(memory: float, solution: Solution, found: Sequence[_Candidate]) -> str:
    """Why nothing fits the memory: by how much the best plan exceeds it, and what is alive at its peak."""
    limit = f"no sharding was found that fits {in_bytes(int(memory))} per device"
    if solution.choice is not None and not found:
        return f"{limit}: the partitioner refuses the program"
    if not found:
        return (
            f"{limit}: the tensors alone take at least {in_bytes(int(solution.least_peak))} at the peak, however they "
            "are divided; give more memory or devices, or keep less for later (jax.checkpoint)"
        )
    plan = min((candidate.plan for candidate in found), key=lambda plan: plan.peak_bytes)
    held = ", ".join(f"{tensor.name} ({in_bytes(tensor.bytes)})" for tensor in plan.held[:5])
    return (
        f"{limit}: the best one takes {in_bytes(plan.peak_bytes)}, {in_bytes(int(plan.peak_bytes - memory))} more; "
        f"largest at its peak: {held}"
    )
