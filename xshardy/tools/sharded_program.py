"""A StableHLO program with propagated shardings, and the names of its values in the text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline

from xshardy.syntax.source_names import SourceNames
from xshardy.tools.source_program import imported_program
from xshardy.transforms.sdy_propagation.propagation_history import History, propagate_with_history
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

if TYPE_CHECKING:
    from xshardy.planning.plan import Plan

PIPELINE = PropagationPipelinePass(rules_beyond_upstream=True)
"""The pipeline that a program is sharded with: the one of `partition`, so that its shardings are those that run."""


@dataclass(frozen=True, slots=True)
class ShardedProgram:
    """A module after propagation, the history of its shardings, and the names of its values in the text."""

    text: str
    module: ModuleOp
    names: SourceNames
    history: History
    plan: "Plan | None" = None
    """What its partitioned form communicates, if that was asked for."""


def propagate(text: str, file: str) -> ShardedProgram:
    """Read, verify and shard a program. Raises `InputError` or xDSL's exceptions, with the place in the text."""
    context = new_context()
    with imported_program(text, file, context) as program:
        history = propagate_with_history(program.module, context, PIPELINE)
    return ShardedProgram(text, program.module, program.names, history)


def export(program: ShardedProgram) -> ModuleOp:
    """
    The module of `program` as `PIPELINE` leaves it. After this, the history is no longer valid.

    Raises `PassFailedException` if it has no main function: see `main_if_any`.
    """
    PassPipeline(PIPELINE.passes_after_propagation).apply(new_context(), program.module)
    return program.module


def export_hlo(program: ShardedProgram) -> str:
    """
    The program as HLO text, with its shardings in the notation of its own HLO text, as XLA's partitioner takes it.

    Raises what `export` raises, and `HLOPrintError` for an operation that HLO lacks.
    """
    from xshardy.tools.hlo_program import print_program

    return print_program(export(program), new_context(), program.text)
