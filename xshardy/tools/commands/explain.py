"""`xshardy explain`: where the sharding of a tensor comes from, as text, or for a whole program as a page."""

import argparse
from dataclasses import asdict

from xshardy.planning.plan import plan_program
from xshardy.programs.sharded import shard
from xshardy.tools.arguments import mesh_option, natural, path
from xshardy.tools.explain.page import page
from xshardy.tools.explain.picking import chosen
from xshardy.tools.explain.story import story, tensor_story
from xshardy.tools.output import print_json, printable, write_text
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.tools.progress import stage
from xshardy.tools.source_file import add_program, read_source
from xshardy.tools.usage import UsageError

EXAMPLE = "example: xshardy explain examples/mlp.mlir --value %2"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_program(parser)
    parser.add_argument("--mesh", **mesh_option())
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--value",
        metavar="NAME",
        help="a tensor: a name such as %%42 or %%7#1, what `shard` prints, such as '%%44 (line 116)', or a place, such "
        "as 'line 116' or model.py:42",
    )
    which.add_argument("--arg", type=natural, metavar="N", help="argument N of the main function")
    which.add_argument("--result", type=natural, metavar="N", help="result N of the main function")
    parser.add_argument("--json", action="store_true", help="print the explanation of the tensor as JSON")
    parser.add_argument("--html", type=path, metavar="FILE", help="write a page about the whole program to FILE")
    parser.add_argument(
        "--collectives",
        action="store_true",
        help="show on the page what devices send to each other, and why: partitions the program, which takes longer",
    )


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    if args.html is None and args.value is None and args.arg is None and args.result is None:
        raise UsageError(
            "error: say which tensor with --value, --arg or --result, or ask for a page about all with --html"
        )
    if args.json and args.value is None and args.arg is None and args.result is None:
        raise UsageError("error: --json prints the explanation of a tensor: say which with --value, --arg or --result")
    if args.collectives and args.html is None:
        raise UsageError("error: --collectives are shown on a page: ask for one with --html")
    with stage(f"reading {args.file}"):
        source = read_source(args.file, args.module)
    what = "partitioning" if args.collectives else "propagating the shardings of"
    with stage(f"{what} {args.file}"), imported_program(source) as program:
        program.resize(args.mesh)
        if args.collectives:
            plan = plan_program(program)
            sharded = plan.traced.sharded
        else:
            plan, sharded = None, shard(program)
    if any(which is not None for which in (args.value, args.arg, args.result)):
        number = chosen(sharded, args.file, args.value, args.arg, args.result)
        if args.json:
            print_json(asdict(tensor_story(sharded, number)))
        else:
            print("\n".join(map(printable, story(sharded, number))))
    if args.html is not None:
        with stage(f"writing {args.html}"):
            write_text(args.html, page(sharded, args.file, plan))
    return 0
