"""Puzzles about annotations: the program stays what it is, and propagation or the plan says what they do."""

from collections import Counter
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import MeshOp, PropagationBarrierOp, ReshardOp, ShardingConstraintOp
from xshardy.dialects.sdy.sharding_text import dimensions
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding, shardings_on
from xshardy.planning.byte_counts import in_bytes
from xshardy.planning.plan import Plan, plan_program
from xshardy.programs.program import Program
from xshardy.programs.sharded import shard
from xshardy.programs.source import Source
from xshardy.rewriting.driver import rewrite
from xshardy.tools.explain.story import story
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.tools.plan import print_collective, print_memory
from xshardy.tools.puzzles.puzzle import Puzzle, printed, require
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy_export.drop_sharding_and_mesh import DropShardingAndMeshPass

ANNOTATIONS = (ShardingConstraintOp, ReshardOp, PropagationBarrierOp)
"""Operations that give their operand a sharding, or stop one."""
SHOWN = 4
"""The most tensors at the peak of memory that are shown."""


class EraseAnnotation(RewritePattern):
    """`sharding_constraint(x)`, `reshard(x)`, `propagation_barrier(x)` -> `x`"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, ANNOTATIONS):
            rewriter.replace(op, (), op.operands)


def predicted(answer: Source, puzzle: Puzzle) -> str:
    """The shardings that are written on operations are those that propagation gives them where none are written."""
    with imported_program(answer) as program, imported_program(puzzle.start) as start:
        _require_same_computation(program, start)
        _require_kept(_annotations(start, FuncOp, MeshOp), _annotations(program, FuncOp, MeshOp))
        guesses = [get_sharding(result) for result in _results(program)]
        for result in (results := _results(start)):
            result.op.attributes.pop(SHARDING, None)
        sharded = shard(start)
        for result, guess in zip(results, guesses, strict=True):
            number = sharded.history.number(result)
            if number is None or (sharding := sharded.sharding(number)) is None:
                raise AssertionError(f"no sharding comes to {start.names.describe(result)}")
            axes, guessed = (_axes(each) for each in (sharding, guess))
            require(
                axes == guessed,
                f"{start.names.describe(result)} has {dimensions(sharding)}, and you say {dimensions(guess)}:",
                *story(sharded, number),
            )
    return "Propagation gives these axes to every tensor."


def fits_in_memory(answer: Source, puzzle: Puzzle) -> str:
    """A device never holds more than 2 MiB, by two more annotations at most."""
    _, plan = _plans(answer, puzzle, most=2)
    require(
        plan.peak_bytes <= 2 << 20,
        f"A device still holds {in_bytes(plan.peak_bytes)}, more than 2 MiB: what is replicated counts whole on each.",
        printed(print_memory, plan, SHOWN),
    )
    return f"A device holds {in_bytes(plan.peak_bytes)} at most, and sends {in_bytes(plan.bytes)}."


def gathers_nothing(answer: Source, puzzle: Puzzle) -> str:
    """No all-gather is left, by one more annotation, and nothing else is sent in its place."""
    before, plan = _plans(answer, puzzle, most=1)
    left = dict(before.counts)
    del left["all-gather"]
    _require_collectives(plan, left, "The all-gather has to go, and no other collective may come")
    return f"The all-gather is gone: a device sends {in_bytes(plan.bytes)} instead of {in_bytes(before.bytes)}."


def reduces_once(answer: Source, puzzle: Puzzle) -> str:
    """Each device holds a quarter of each weight, and one all-reduce is all that is sent."""
    before, plan = _plans(answer, puzzle, most=2)
    most = before.argument_bytes // 3  # a quarter of each weight, and a part of the batch
    require(
        plan.argument_bytes <= most,
        f"A device holds {in_bytes(plan.argument_bytes)} of arguments: with a quarter of each weight, it holds less "
        f"than {in_bytes(most)}.",
        printed(print_memory, plan, SHOWN),
    )
    _require_collectives(plan, {"all-reduce": 1}, "One all-reduce is enough")
    return f"A quarter of each weight on each device, for one all-reduce of {in_bytes(plan.bytes)}."


def scatters_sums(answer: Source, puzzle: Puzzle) -> str:
    """The all-reduce is a reduce-scatter, by one more annotation."""
    before, plan = _plans(answer, puzzle, most=1)
    _require_collectives(plan, {"reduce-scatter": 1}, "A reduce-scatter alone should be left")
    return f"Each device gets only its part of the sum: {in_bytes(plan.bytes)} instead of {in_bytes(before.bytes)}."


def _plans(answer: Source, puzzle: Puzzle, most: int) -> tuple[Plan, Plan]:
    """The plans of the program that was given, and of an answer that adds so many annotations at most."""
    with imported_program(answer) as program, imported_program(puzzle.start) as start:
        _require_same_computation(program, start)
        given, annotations = _annotations(start), _annotations(program)
        _require_kept(given, annotations)
        added = annotations - given
        require(
            added.total() <= most,
            f"{added.total()} annotations are new, and {most} should be enough: {', '.join(added.elements())}.",
        )
        return plan_program(start), plan_program(program)


def _require_collectives(plan: Plan, counts: Mapping[str, int], goal: str) -> None:
    sent = [printed(print_collective, each, None) for each in plan.collectives] or ["  nothing"]
    require(plan.counts == counts, f"{goal}. Now a device sends:", *sent)


def _require_same_computation(program: Program, start: Program) -> None:
    require(
        _bare(program).is_structurally_equivalent(_bare(start)),
        "The program computes something else than the one that was given: change annotations only (sdy.sharding, "
        "sdy.sharding_constraint).",
    )


def _bare(program: Program) -> ModuleOp:
    """A copy of what `program` computes, without annotations."""
    module = program.copy()[0].module
    rewrite(module, (EraseAnnotation(),))
    DropShardingAndMeshPass().rewrite_module(module)
    return module


def _require_kept(given: Counter[str], annotations: Counter[str]) -> None:
    gone = given - annotations
    require(not gone, f"What was given has to stay, and this is gone: {', '.join(gone)}.")


def _annotations(program: Program, *kinds: type[Operation]) -> Counter[str]:
    """The shardings and meshes that are written on operations, also on functions; only on these kinds, if given."""
    found = Counter[str]()
    for op in program.module.walk():
        if not kinds or isinstance(op, kinds):
            found.update(f"{dimensions(sharding)} on {what} of {op.name}" for what, sharding, _ in shardings_on(op))
            found.update([str(op)] if isinstance(op, MeshOp) else ())
    return found


def _results(program: Program) -> Sequence[OpResult]:
    """What the operations of the main function compute."""
    ops = main_function(program.module).body.block.ops
    return [result for op in ops if not isinstance(op, ANNOTATIONS) for result in op.results]


def _axes(sharding: TensorShardingAttr | None) -> Sequence[Sequence[AxisRefAttr]]:
    return [] if sharding is None else [dim.axes.data for dim in sharding.dim_shardings]
