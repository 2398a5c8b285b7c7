"""`xshardy plan`: what each device communicates and holds, and why."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from xshardy.planning.advice import Advice, advise
from xshardy.planning.plan import Plan, plan_program
from xshardy.planning.scopes import sums_by_scope
from xshardy.planning.topology import H100
from xshardy.tools.advice import advice_as_json, print_advice
from xshardy.tools.arguments import mesh_option, natural, path, topology
from xshardy.tools.output import print_json
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.tools.plan import as_json, print_comparison, print_plan, print_scopes
from xshardy.tools.progress import stage
from xshardy.tools.source_file import add_program, read_source
from xshardy.tools.usage import UsageError

EXAMPLE = "example: xshardy plan examples/mlp.mlir --mesh model=4"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_program(parser)
    parser.add_argument(
        "--top", type=natural, default=10, metavar="N", help="how many collectives and tensors (default: %(default)s)"
    )
    parser.add_argument("--mesh", **mesh_option())
    parser.add_argument(
        "--topology",
        metavar="NAME|FILE",
        help="estimate times: h100x8, tpu-v5e-16, or a .json or .yaml file (docs/planning.md)",
    )
    parser.add_argument(
        "--advice",
        action="store_true",
        help="try out other shardings for the largest collectives, and show those that are faster by the estimate on "
        "the topology (default: h100x8); takes the time of up to 32 plans",
    )
    parser.add_argument(
        "--by",
        choices=("scope",),
        help="also print sums by JAX's names of modules and functions, the layers of a model as one, with times on the "
        "topology (default: h100x8)",
    )
    parser.add_argument(
        "--chrome-trace",
        type=path,
        metavar="FILE",
        help="write the operations with their estimated times on the topology (default: h100x8) as trace events, which "
        "Perfetto and chrome://tracing show",
    )
    parser.add_argument(
        "--model-explorer",
        type=path,
        metavar="DIR",
        help="write DIR/graph.json, which Model Explorer opens, and overlays for shardings, bytes and causes",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--against", metavar="OTHER", help="print the plan of the program OTHER beside that of FILE")
    output.add_argument("--json", action="store_true", help="print the plan as JSON")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    machine = None if args.topology is None else topology(args.topology)
    for option in ("advice", "by"):
        if getattr(args, option) and args.against is not None:
            raise UsageError(f"error: --{option} is about one program: leave it out, or --against")
    plan = _planned(args.file, args)
    advice: Sequence[Advice] = ()
    if args.advice:
        with stage(f"trying other shardings of {args.file}"):
            advice = advise(plan, machine or H100)
    if args.chrome_trace is not None:
        from xshardy.tools.chrome_trace import plan_events, write_events

        write_events(args.chrome_trace, plan_events(plan, machine or H100))
    if args.model_explorer is not None:
        from xshardy.tools.model_explorer.graphs import write_collection
        from xshardy.tools.model_explorer.program_graph import program_graphs

        write_collection(args.model_explorer, program_graphs(plan.traced.sharded, args.file, plan))
    if args.json:
        found = {"advice": advice_as_json(advice)} if args.advice else {}
        scopes = {"scopes": [asdict(each) for each in sums_by_scope(plan, machine or H100)]} if args.by else {}
        print_json(as_json(plan, machine) | scopes | found)
    elif args.against is None:
        print_plan(plan, args.top, machine)
        if args.by:
            print_scopes(sums_by_scope(plan, machine or H100), args.top, machine or H100)
        if args.advice:
            print_advice(advice, machine or H100)
    else:
        print_comparison(plan, _planned(args.against, args), (args.file, args.against), machine)
    return 0


def _planned(file: str, args: argparse.Namespace) -> Plan:
    """The plan of the program in `file`, over the mesh of the options."""
    with stage(f"reading {file}"):
        source = read_source(file, args.module)
    with stage(f"partitioning {file}"), imported_program(source) as program:
        program.resize(args.mesh)
        return plan_program(program)
