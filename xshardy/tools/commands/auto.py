"""`xshardy auto`: the shardings that make a program fast, found by search."""

import argparse
from functools import partial
from math import inf

from xshardy.planning.auto.find import FoundShardings, find_shardings
from xshardy.planning.auto.meshes import find_mesh_and_shardings
from xshardy.planning.topology import H100
from xshardy.programs.program import Program
from xshardy.syntax import print_module
from xshardy.tools.arguments import argument_spec, bound, byte_count, mesh_option, path, positive, topology
from xshardy.tools.auto import as_json, print_found, print_lines
from xshardy.tools.output import print_json, write_text
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.tools.progress import stage
from xshardy.tools.source_file import add_program, read_source
from xshardy.tools.source_lines import source_lines
from xshardy.tools.usage import UsageError

EXAMPLE = "example: xshardy auto examples/mlp.mlir --mesh data=2,model=4 --free"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_program(parser)
    mesh = parser.add_mutually_exclusive_group()
    mesh.add_argument("--mesh", **mesh_option())
    mesh.add_argument("--devices", type=positive, metavar="N", help="try the shapes of a mesh of N devices")
    parser.add_argument(
        "--topology",
        default=H100.name,
        metavar="NAME|FILE",
        help="what the devices are: h100x8, tpu-v5e-16, or a file (docs/planning.md; default: %(default)s)",
    )
    parser.add_argument(
        "--memory",
        type=byte_count,
        default=inf,
        metavar="BYTES",
        help="what a device may hold, such as 64GiB (default: no limit)",
    )
    parser.add_argument(
        "--keep",
        type=argument_spec,
        action="append",
        default=[],
        metavar="ARG=AXES",
        help="keep an argument, by its name or number, divided along these axes: x=data,- or w=-,data+model",
    )
    parser.add_argument("--free", action="store_true", help="leave out the shardings that FILE has")
    parser.add_argument(
        "--time", type=bound, default=60, metavar="SECONDS", help="how long to search, about (default: %(default)s)"
    )
    parser.add_argument("-o", "--output", type=path, metavar="FILE", help="write the program with the annotations")
    parser.add_argument(
        "--diff",
        type=path,
        metavar="FILE",
        help="write what to change in FILE.py, and in files that it imports, for it: constraints of expressions, as a "
        "unified diff",
    )
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    if args.diff is not None and not args.file.rpartition(":")[0].endswith(".py"):
        raise UsageError(f"--diff changes a Python file, as in FILE.py:NAME, and {args.file} is none: leave it out")
    lines = None
    with stage(f"reading {args.file}"):
        source = read_source(args.file, args.module)
    with imported_program(source) as program:
        program.resize(args.mesh)
        with stage(f"searching shardings of {args.file}"):
            found = _found(program, args)
        if args.output is not None:
            write_text(args.output, print_module(found.program.module, debug_info=True))
        if not args.json:
            print_found(found)
        if args.diff is not None:
            with stage(f"looking for lines of {args.file}"):
                lines = source_lines(found, source, args.time)
            write_text(args.diff, lines.diff)
            if not args.json:
                print_lines(lines, found)
    if args.json:
        print_json(as_json(found, lines))
    return 0


def _found(program: Program, args: argparse.Namespace) -> FoundShardings:
    machine = topology(args.topology)
    find = partial(find_shardings, topology=machine, memory=args.memory, free=args.free, keep=dict(args.keep))
    if args.devices is None:
        return find(program, seconds=args.time)
    return find_mesh_and_shardings(program, args.devices, find, seconds=args.time)
