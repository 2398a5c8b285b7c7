"""What `xshardy trace` says of the functions of a script: a table, plans, JSON, pages."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xshardy.engines.checked_run import ProgramRun, run_module
from xshardy.engines.simulated import Simulated
from xshardy.interpreters.memory_limit import limited_memory
from xshardy.planning.byte_counts import in_bytes
from xshardy.planning.plan import Plan, plan_program
from xshardy.planning.topology import Topology
from xshardy.programs.meshes import MeshSizes
from xshardy.programs.program import Program, read_program
from xshardy.tools.columns import print_line, print_table
from xshardy.tools.explain.page import page
from xshardy.tools.output import write_text
from xshardy.tools.placed_diagnostics import diagnostics_of, imported_program
from xshardy.tools.plan import as_json, in_seconds, print_plan
from xshardy.tools.tracing.script import STAGES, CompiledFunction, TracedScript


@dataclass(frozen=True, slots=True)
class PlannedFunction:
    """A compiled function, its plan, and the comparison of its results with those on one device if it was asked for."""

    function: CompiledFunction
    plan: Plan
    run: ProgramRun | None = None


def planned(function: CompiledFunction, mesh: MeshSizes | None) -> Plan:
    """The plan of `function`, whose meshes get the sizes of `mesh`. Raises what `plan_program` does."""
    with imported_program(function.source) as program:
        program.resize(mesh)
        return plan_program(program)


def checked(function: CompiledFunction, mesh: MeshSizes | None) -> tuple[ProgramRun, Program]:
    """
    `function` on the simulated mesh with seeded inputs, compared with one device, and the program that ran.

    Raises what `run_module` does.
    """
    program = read_program(function.source)
    with diagnostics_of(program), limited_memory():
        program.import_shardings()
        return run_module(program.module, Simulated(), program.context, mesh=mesh, check=True), program


def _figures(each: PlannedFunction, topology: Topology, *, is_timed: bool) -> Sequence[str]:
    plan = each.plan
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(plan.counts.items())) or "none"
    run = () if each.run is None else ("agrees" if each.run.agrees else "differs",)
    times = each.function.executions
    executed = (f"{len(times)} x {in_seconds(sum(times) / len(times))}" if times else "unknown",) if is_timed else ()
    return (
        *(each.function.name, counts, str(plan.devices), in_bytes(plan.bytes), in_bytes(plan.peak_bytes)),
        *(in_seconds(plan.estimate(topology).total), *run, str(len(each.function.times))),
        *(in_seconds(each.function.seconds(stage)) for stage in STAGES.values()),
        *executed,
    )


def _table(functions: Sequence[PlannedFunction], topology: Topology) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """The titles of the columns, and a row for each function."""
    checked = ("results",) if any(each.run is not None for each in functions) else ()
    executed = ("executed",) if any(each.function.executions for each in functions) else ()
    titles = ("function", "collectives", "devices", "sent", "at the peak", f"time on {topology.name}")
    rows = [_figures(each, topology, is_timed=bool(executed)) for each in functions]
    return (*titles, *checked, "compilations", *STAGES.values(), *executed), rows


def print_functions(traced: TracedScript, functions: Sequence[PlannedFunction], top: int, topology: Topology) -> None:
    """A table of all functions, and the plans of those that communicate, with the `top` largest collectives."""
    compiling = sum(each.seconds(stage) for each in traced.functions for stage in STAGES.values())
    count = len(traced.functions)
    print_line(
        f"{count} function{'s' * (count != 1)} compiled for several devices, in {in_seconds(compiling)} of the "
        f"{in_seconds(traced.seconds)} of the script"
    )
    if functions:
        print_table(*_table(functions, topology), left=2)
    for each in functions:
        if each.plan.collectives:
            print()
            print_line(each.function.name)
            print_plan(each.plan, top, topology)


def functions_as_json(
    traced: TracedScript, functions: Sequence[PlannedFunction], topology: Topology
) -> dict[str, object]:
    """The script and its functions as `--json` prints them; times in seconds."""
    return {
        "status": traced.status,
        "seconds": traced.seconds,
        "functions": [
            {"function": each.function.name, "compilations": each.function.times}
            | ({"executions": each.function.executions} if each.function.executions else {})
            | ({} if each.run is None else {"agrees": each.run.agrees})
            | {"plan": as_json(each.plan, topology)}
            for each in functions
        ],
    }


def write_pages(folder: Path, title: str, functions: Sequence[PlannedFunction], topology: Topology) -> None:
    """Write the page of `xshardy explain --html --collectives` for each function, and a table of them, `index.html`."""
    folder.mkdir(parents=True, exist_ok=True)
    header, figures = _table(functions, topology)
    rows = ["".join(f"<th>{html.escape(cell)}</th>" for cell in header)]
    for number, (each, row) in enumerate(zip(functions, figures, strict=True)):
        name, *cells = map(html.escape, row)
        file = f"function{number}.html"
        write_text(folder / file, page(each.plan.traced.sharded, f"{title}: {each.function.name}", each.plan))
        rows.append(f'<td><a href="{file}">{name}</a></td>' + "".join(f"<td>{cell}</td>" for cell in cells))
    table = "\n".join(f"<tr>{row}</tr>" for row in rows)
    write_text(folder / "index.html", INDEX.format(title=html.escape(title), table=table))


INDEX = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
body {{ font-family: system-ui, sans-serif; margin: 2em; }}
th, td {{ text-align: left; padding: .2em 1.2em .2em 0; }}
</style>
<h1>{title}</h1>
<table>
{table}
</table>
</html>
"""
