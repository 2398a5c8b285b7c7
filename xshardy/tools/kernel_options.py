"""The options of `xshardy emit|compile|run`, whose FILE has the fusions of kernels."""

import argparse

from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.tools.arguments import natural, path, target
from xshardy.tools.source_file import add_module
from xshardy.transforms.xla_gpu.codegen_pipeline import MATH_CHOICES


def add_kernel_options(parser: argparse.ArgumentParser) -> None:
    """Add FILE, which of its fusions, how they are compiled, and what is logged."""
    parser.add_argument(
        "file",
        help="HLO text, StableHLO or an emitted module (.hlo, .mlir, .mlirbc); `-` is standard input; "
        "FILE.py:NAME runs FILE.py as Python; NAME is what jax.jit(f).lower(...) returns, or a function that "
        "returns it",
    )
    add_module(parser)
    parser.add_argument(
        "-f",
        "--frontend",
        choices=("hlo", "mlir"),
        help="how to read FILE (default: hlo if it starts with `HloModule`, or by its name)",
    )
    parser.add_argument("--fusion", metavar="NAME", help="only the fusion that calls computation NAME")
    fusing = parser.add_mutually_exclusive_group()
    fusing.add_argument(
        "--fuse",
        action="store_true",
        help="fuse a program that XLA has not optimised into kernels, and hand its matrix products to cuBLAS",
    )
    fusing.add_argument("--fuse-entry", action="store_true", help="make one kernel of a whole entry without fusions")
    add_target(parser)
    add_math(parser)
    parser.add_argument(
        "--dump-dir", type=path, metavar="DIR", help="write one numbered .mlir per pass, and .ll and .ptx"
    )
    parser.add_argument("--time-passes", action="store_true", help="print the time of each pass to standard error")
    parser.add_argument(
        "--v",
        type=natural,
        default=0,
        metavar="N",
        help="verbosity; 5 prints the IR after every pass to standard error",
    )


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add the GPU."""
    parser.add_argument("--target", default=DEFAULT_TARGET, type=target, help="sm_70 ... sm_121 (default: %(default)s)")


def add_math(parser: argparse.ArgumentParser) -> None:
    """Add what computes functions."""
    parser.add_argument(
        "--math",
        choices=MATH_CHOICES,
        default=MATH_CHOICES[0],
        help="compute exp, tanh, sin, ... by libdevice of the cuda extra or by arithmetic (default: %(default)s)",
    )
