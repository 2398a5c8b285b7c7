"""`xshardy trace`: a script of JAX as it is, and what each function sends and holds that it compiles for a mesh."""

import argparse
from collections.abc import Iterator

from xshardy.planning.topology import H100
from xshardy.tools.arguments import mesh_option, natural, path, positive, topology
from xshardy.tools.diagnostics import describe
from xshardy.tools.engine_run import report_wrong
from xshardy.tools.output import print_diagnostic, print_json
from xshardy.tools.progress import stage
from xshardy.tools.tracing.report import (
    PlannedFunction,
    checked,
    functions_as_json,
    planned,
    print_functions,
    write_pages,
)
from xshardy.tools.tracing.script import CompiledFunction, trace_script

EXAMPLE = "example: xshardy trace examples/two_functions.py --steps 2"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("file", metavar="SCRIPT.py", help="a script of JAX, which runs as it is, on virtual CPUs")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="the arguments of the script")
    parser.add_argument(
        "--devices",
        type=positive,
        metavar="N",
        help="the virtual CPUs (default: what the script asks JAX for, else 8, or as many as its first mesh needs)",
    )
    parser.add_argument("--mesh", **mesh_option("plan for these sizes of axes of the mesh"))
    parser.add_argument(
        "--top", type=natural, default=3, metavar="N", help="how many collectives and tensors (default: %(default)s)"
    )
    parser.add_argument(
        "--topology",
        default=H100.name,
        metavar="NAME|FILE",
        help="estimate times on it: h100x8, tpu-v5e-16, or a .json or .yaml file (default: %(default)s)",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="run each function with seeded inputs on the simulated mesh, and compare with one device",
    )
    parser.add_argument(
        "--executions",
        action="store_true",
        help="say how often each function was executed and how long it took: JAX waits for the results of each then",
    )
    parser.add_argument("--html", type=path, metavar="DIR", help="write a page for each function to DIR")
    parser.add_argument(
        "--json", action="store_true", help="print JSON; what the script prints goes to standard error then"
    )


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status: that of the script, or 1 if a function is refused or its results differ."""
    machine = topology(args.topology)
    traced = trace_script(
        args.file, args.arguments, args.devices, on_stderr=args.json, times_executions=args.executions
    )
    functions = [each for function in traced.functions for each in _planned(function, args)]
    if args.json:
        print_json(functions_as_json(traced, functions, machine))
    else:
        print_functions(traced, functions, args.top, machine)
    if args.html is not None:
        write_pages(args.html, args.file, functions, machine)
    if traced.status:
        print_diagnostic(f"{args.file}: error: the script ended with exit status {traced.status}")
        return traced.status
    agree = all(each.run is None or each.run.agrees for each in functions)
    return 0 if agree and len(functions) == len(traced.functions) else 1


def _planned(function: CompiledFunction, args: argparse.Namespace) -> Iterator[PlannedFunction]:
    """The plan of `function`; nothing but a diagnostic if a pass refuses it."""
    try:
        with stage(f"partitioning {function.name}"):
            plan = planned(function, args.mesh)
        result = None
        if args.check:
            with stage(f"running {function.name} on the simulated mesh"):
                result, program = checked(function, args.mesh)
            report_wrong(result, program)
        yield PlannedFunction(function, plan, result)
    except Exception as error:
        print_diagnostic(describe(error, function.name))
