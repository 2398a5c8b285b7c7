"""`xshardy explore`: a page about a program after each pass and each pattern, on a local server or in a folder."""

import argparse

from xshardy.tools.arguments import natural, path
from xshardy.tools.kernel_file import is_hlo_file
from xshardy.tools.kernel_options import add_math, add_target
from xshardy.tools.output import write_text
from xshardy.tools.progress import stage
from xshardy.tools.source_file import add_module, read_source
from xshardy.tools.stages.file_stages import has_kernels, kernels_page, staged_file
from xshardy.tools.stages.kernel_stages import KernelStages
from xshardy.tools.stages.pipeline_page import pipeline_page
from xshardy.tools.stages.server import serve
from xshardy.tools.usage import UsageError

EXAMPLE = """\
example: xshardy explore examples/gelu.hlo
         xshardy explore examples/mlp.mlir -p sdy-propagation-pipeline,sdy-partitioner-pipeline -o mlp_passes"""

PAGE_FILE = "index.html"

PROPAGATION = "sdy-propagation-pipeline"
"""The pipeline of a program that has no kernels."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "file",
        help="HLO text with fusions, an emitted kernel, or a program with shardings, also FILE.py:NAME; "
        "`-` is standard input",
    )
    add_module(parser)
    parser.add_argument(
        "-p",
        "--passes",
        metavar="PASSES",
        help=f"run these on the program (default: those from a fusion to PTX; without fusions, {PROPAGATION})",
    )
    parser.add_argument("--fusion", metavar="NAME", help="only the fusion that calls computation NAME")
    add_target(parser)
    add_math(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument("-o", "--output", type=path, metavar="DIR", help=f"write DIR/{PAGE_FILE}, and serve nothing")
    output.add_argument("--port", type=natural, default=0, metavar="N", help="the port to serve on (default: any)")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    if args.passes is not None and args.fusion is not None:
        raise UsageError("error: --passes runs on the whole program: leave --fusion out")
    with stage(f"running the passes on {args.file}"):
        page = _page(args)
    if args.output is None:
        serve(page, args.port)
    else:
        args.output.mkdir(parents=True, exist_ok=True)
        write_text(args.output / PAGE_FILE, page)
    return 0


def _page(args: argparse.Namespace) -> str:
    source = read_source(args.file, args.module)
    if args.passes is None:
        staged = staged_file(source, as_hlo=is_hlo_file(source))
        if args.fusion is not None or has_kernels(staged):
            how = KernelStages(args.target, args.math, every_pass=True)
            return kernels_page(staged, how, args.fusion, side_by_side=False)
    return pipeline_page(source, args.passes or PROPAGATION)
