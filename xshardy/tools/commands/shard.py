"""`xshardy shard`: what each device holds of the largest tensors of a program."""

import argparse

from xshardy.programs.sharded import export, export_hlo, shard
from xshardy.syntax import print_module
from xshardy.tools.arguments import mesh_option, natural, path
from xshardy.tools.output import STDOUT, print_json, write_mlir, write_text
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.tools.progress import stage
from xshardy.tools.shard import placements, placements_as_json, print_placements
from xshardy.tools.source_file import add_program, read_source
from xshardy.tools.usage import UsageError

EXAMPLE = "example: xshardy shard examples/mlp.mlir --top 5"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_program(parser)
    parser.add_argument("--mesh", **mesh_option())
    parser.add_argument("--top", type=natural, default=10, metavar="N", help="how many tensors (default: %(default)s)")
    parser.add_argument(
        "-o",
        "--output",
        type=path,
        metavar="FILE",
        help="write the program with its shardings to FILE; `-` is standard output, where only the program goes then",
    )
    parser.add_argument(
        "-t",
        "--target",
        choices=("mlir", "hlo"),
        help="write MLIR with shardings of sdy, or HLO text with shardings of HLO (default: HLO for .hlo and .txt)",
    )
    parser.add_argument(
        "--model-explorer",
        type=path,
        metavar="DIR",
        help="write DIR/graph.json, which Model Explorer opens, and overlays for shardings and bytes",
    )
    parser.add_argument("--json", action="store_true", help="print all tensors as JSON")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    if args.target is not None and args.output is None:
        raise UsageError("error: --target says what to write: give the file with -o")
    if args.json and args.output == STDOUT:
        raise UsageError("error: --json and the program both go to standard output: write the program to a file")
    with stage(f"reading {args.file}"):
        source = read_source(args.file, args.module)
    with stage(f"propagating the shardings of {args.file}"), imported_program(source) as program:
        program.resize(args.mesh)
        sharded = shard(program)
    placed = list(placements(sharded))
    if args.model_explorer is not None:
        from xshardy.tools.model_explorer.graphs import write_collection
        from xshardy.tools.model_explorer.program_graph import program_graphs

        write_collection(args.model_explorer, program_graphs(sharded, args.file))
    if args.output is not None:
        target = args.target or ("hlo" if args.output.suffix in (".hlo", ".txt") else "mlir")
        if target == "hlo":
            write_text(args.output, export_hlo(sharded))
        else:
            write_mlir(args.output, print_module(export(sharded)))
    if args.json:
        print_json(placements_as_json(placed))
    elif args.output != STDOUT:
        print_placements(placed, args.top)
    return 0
