"""`xshardy shard|explain|plan`: the shardings of StableHLO programs, their origins, and what they cost."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from xshardy.syntax import print_module
from xshardy.tools.arguments import mesh_axes, natural, path
from xshardy.tools.diagnostics import InputError
from xshardy.tools.output import printable, write_text

if TYPE_CHECKING:
    from xshardy.planning.plan import Plan
    from xshardy.tools.sharded_program import ShardedProgram

# The commands import their other modules, which load slowly, when they run.

Command = Callable[[argparse.Namespace], int]
AddCommand = Callable[[str, str, str, Command], argparse.ArgumentParser]
"""Adds a command, from its name, description, example and function."""


def add_sharding_commands(add: AddCommand) -> None:
    """Add the commands to the parser of `xshardy`."""
    file = (
        "StableHLO with shardings, or HLO text as XLA dumps it; `-` is standard input; FILE.py:FUNCTION runs FILE.py "
        "as Python, then FUNCTION(), which returns what jax.jit(f).lower(...) returns: give it only files you trust"
    )
    shard = add(
        "shard",
        "propagate shardings, and say what each device holds of the largest tensors",
        "example: xshardy shard examples/mlp.mlir --top 5",
        _shard,
    )
    shard.add_argument("file", help=file)
    shard.add_argument("--top", type=natural, default=10, metavar="N", help="how many tensors (default: %(default)s)")
    shard.add_argument("-o", "--output", type=path, metavar="FILE", help="write the program with its shardings to FILE")
    shard.add_argument(
        "-t",
        "--target",
        choices=("mlir", "hlo"),
        help="write MLIR with shardings of sdy, or HLO text with shardings of HLO (default: HLO for .hlo and .txt)",
    )

    explain = add(
        "explain",
        "say from where a tensor got its sharding, through which operations",
        "example: xshardy explain examples/mlp.mlir --value %%2",
        _explain,
    )
    explain.add_argument("file", help=file)
    which = explain.add_mutually_exclusive_group()
    which.add_argument(
        "--value",
        metavar="NAME",
        help="a tensor: a name such as %%42 or %%7#1, what `shard` prints, such as '%%44 (line 116)', or a place, such "
        "as 'line 116' or model.py:42",
    )
    which.add_argument("--arg", type=int, metavar="N", help="argument N of the main function")
    which.add_argument("--result", type=int, metavar="N", help="result N of the main function")
    explain.add_argument("--html", type=path, metavar="FILE", help="write a page about the whole program to FILE")
    explain.add_argument(
        "--collectives",
        action="store_true",
        help="show on the page what devices send to each other, and why: partitions the program, which takes longer",
    )

    plan = add(
        "plan",
        "say what each device communicates and holds, which operation needs it, and which annotations cause it",
        "example: xshardy plan examples/mlp.mlir --mesh model=4",
        _plan,
    )
    plan.add_argument("file", help=file)
    plan.add_argument(
        "--top", type=natural, default=10, metavar="N", help="how many collectives and tensors (default: %(default)s)"
    )
    plan.add_argument("--mesh", type=mesh_axes, metavar="AXIS=N,...", help="give axes of the mesh these sizes")
    plan.add_argument(
        "--topology",
        metavar="NAME|FILE",
        help="estimate times: h100x8, tpu-v5e-16, or a .json or .yaml file (docs/planning.md)",
    )
    plan.add_argument(
        "--advice",
        action="store_true",
        help="try out other shardings for the largest collectives, and show those that are faster by the estimate on "
        "the topology (default: h100x8); takes the time of up to 32 plans",
    )
    output = plan.add_mutually_exclusive_group()
    output.add_argument("--against", metavar="OTHER", help="print the plan of the program OTHER beside that of FILE")
    output.add_argument("--json", action="store_true", help="print the plan as JSON")


def _shard(args: argparse.Namespace) -> int:
    from xshardy.tools.shard import placements, print_placements
    from xshardy.tools.sharded_program import export, export_hlo

    program = _propagated(args.file)
    placed = list(placements(program))
    if args.output is not None:
        target = args.target or ("hlo" if args.output.suffix in (".hlo", ".txt") else "mlir")
        write_text(args.output, export_hlo(program) if target == "hlo" else print_module(export(program)))
    elif args.target is not None:
        raise InputError("error: --target says what to write: give the file with -o")
    print_placements(placed, args.top)
    return 0


def _explain(args: argparse.Namespace) -> int:
    from xshardy.tools.explain.page import page
    from xshardy.tools.explain.story import story
    from xshardy.tools.progress import stage

    if args.html is None and args.value is None and args.arg is None and args.result is None:
        raise InputError(
            "error: say which tensor with --value, --arg or --result, or ask for a page about all with --html"
        )
    if args.collectives and args.html is None:
        raise InputError("error: --collectives are shown on a page: ask for one with --html")
    program = _propagated(args.file, with_plan=args.collectives)
    number = _chosen(args, program)
    if number is not None:
        print("\n".join(map(printable, story(program, number))))
    if args.html is not None:
        with stage(f"writing {args.html}"):
            write_text(args.html, page(program, args.file))
    return 0


def _plan(args: argparse.Namespace) -> int:
    import json

    from xshardy.planning.advice import advise
    from xshardy.planning.topology import H100, topology_named
    from xshardy.tools.advice import advice_as_json, print_advice
    from xshardy.tools.plan import as_json, print_comparison, print_plan

    topology = None if args.topology is None else topology_named(args.topology)
    if args.advice and args.against is not None:
        raise InputError("error: --advice is about one program: leave it out, or --against")
    plan = _planned(args.file, args)
    if args.json:
        found = {"advice": advice_as_json(advise(plan, topology or H100))} if args.advice else {}
        write_text(None, json.dumps(as_json(plan, topology) | found, indent=2) + "\n")
    elif args.against is None:
        print_plan(plan, args.top, topology)
        if args.advice:
            print_advice(advise(plan, topology or H100), topology or H100)
    else:
        print_comparison(plan, _planned(args.against, args), (args.file, args.against), topology)
    return 0


def _planned(file: str, args: argparse.Namespace) -> "Plan":
    """The plan of the program in `file`, over the mesh of the options."""
    from xshardy.tools.planned_program import plan_text
    from xshardy.tools.program_file import read_program
    from xshardy.tools.progress import stage

    with stage(f"reading {file}"):
        text = read_program(file)
    with stage(f"partitioning {file}"):
        return plan_text(text, file, args.mesh)


def _propagated(file: str, *, with_plan: bool = False) -> "ShardedProgram":
    """The program in `file`, with its shardings propagated; see `propagate`."""
    from xshardy.tools.program_file import read_program
    from xshardy.tools.progress import stage
    from xshardy.tools.sharded_program import propagate

    with stage(f"reading {file}"):
        text = read_program(file)
    with stage(f"{'partitioning' if with_plan else 'propagating the shardings of'} {file}"):
        return propagate(text, file, with_plan=with_plan)


def _chosen(args: argparse.Namespace, program: "ShardedProgram") -> int | None:
    """The selected value; None if only a page is requested."""
    from xshardy.tools.explain.picking import argument, named_value, result

    if args.value is not None:
        return named_value(program, args.value, args.file)
    if args.arg is not None:
        return argument(program, args.arg, args.file)
    return None if args.result is None else result(program, args.result, args.file)
