"""The functions of `import xshardy` about plans. What they need is imported when they are called, as in `api.py`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xshardy.engines.mesh_sizes import MeshSizes
    from xshardy.planning.advice import Advice
    from xshardy.planning.plan import Plan
    from xshardy.planning.topology import Topology
    from xshardy.tools.program_text import ProgramSource


def plan(
    source: "ModuleOp | ProgramSource",
    name: str | None = None,
    *,
    arguments: "Sequence[Any]" = (),
    mesh: "MeshSizes | None" = None,
) -> "Plan":
    """
    What each device communicates and holds when it executes a program, and why: computed, not run.

    `source` is a module, what `parse` takes, HLO text, or a function of JAX, which is lowered for `arguments`: arrays,
    or `jax.ShapeDtypeStruct`s with shardings. Names and lines of operations come from the text; a module is printed
    first, and left as it is. `mesh` gives axes other sizes. Raises what `partition` does.
    """
    from xdsl.dialects.builtin import ModuleOp

    from xshardy import syntax
    from xshardy.tools.planned_program import plan_source

    text = syntax.print_module(source, debug_info=True) if isinstance(source, ModuleOp) else source
    return plan_source(text, arguments, mesh, name)


def advise(plan: "Plan", topology: "Topology | str" = "h100x8") -> "Sequence[Advice]":
    """
    Other shardings that were tried out, and make a program faster than `plan` by the estimate on `topology`.

    `topology` is that of a machine we know, by its name, or the path of a file. Takes the time of up to 32 plans.
    Raises `TopologyError`.
    """
    from xshardy.planning import advice

    return advice.advise(plan, topology)
