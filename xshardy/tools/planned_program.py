"""The plan of a program as text, or of a function of JAX."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xshardy.engines.mesh_sizes import MeshSizes, resize_meshes
from xshardy.planning.edits import Edit, apply
from xshardy.planning.plan import Plan, plan_module
from xshardy.planning.specs import Structure, structure_of
from xshardy.tools.jax_function import lowered
from xshardy.tools.program_text import ProgramSource, program_text
from xshardy.tools.sharded_program import ShardedProgram
from xshardy.tools.source_program import imported_program
from xshardy.universe import new_context


def plan_text(
    text: str,
    file: str,
    mesh: MeshSizes | None = None,
    structure: Structure | None = None,
    edit: Edit | None = None,
) -> Plan:
    """
    Read, verify, partition and plan a program, with the annotations of `edit`.

    Raises `InputError`, `EngineError`, or xDSL's exceptions.
    """
    context = new_context()
    with imported_program(text, file, context) as program:
        resize_meshes(program.module, mesh, context)
        if edit is not None:
            apply(edit, program.module, program.names)
        plan = plan_module(program.module, program.names, context, structure)

    def replan(edit: Edit) -> Plan:
        return plan_text(text, file, mesh, structure, edit)

    return replace(plan, replan=replan)


def propagate_and_plan(text: str, file: str) -> ShardedProgram:
    """A program with its shardings propagated, and the plan of its partitioned form. Raises what `plan_text` does."""
    plan = plan_text(text, file)
    return ShardedProgram(text, plan.traced.propagated, plan.names, plan.traced.history, plan)


def plan_source(
    source: ProgramSource,
    arguments: Sequence[Any],
    mesh: MeshSizes | None = None,
    name: str | None = None,
) -> Plan:
    """The plan of what `program_text` takes, or of a function of JAX with `arguments`."""
    if callable(source):
        source = lowered(source, arguments)
    text, name = program_text(source, name)
    return plan_text(text, name, mesh, structure_of(source))
