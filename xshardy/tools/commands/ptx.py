"""`xshardy ptx`: PTX of any compiler executed on the CPU, checked, and counted."""

import argparse

from xshardy.ptx.machine import Machine
from xshardy.tools.arguments import natural, path, positive, target
from xshardy.tools.ptx_arguments import dimensions, read_arguments
from xshardy.tools.ptx_run import check, check_script, count, execute, step
from xshardy.tools.ptx_source import read_kernel
from xshardy.tools.usage import UsageError

EXAMPLE = """\
example: xshardy ptx check examples/block_sum.ptx --grid 4 --block 128 --arg f32[512] --arg f32[4]
         xshardy ptx profile examples/block_sum.ptx --grid 10000 --block 128"""

ACTIONS = {"run": execute, "check": check, "profile": count, "step": step}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "action",
        choices=tuple(ACTIONS),  # a mapping would be subcommands to the completion of shells
        help="run: execute, and print what the arguments become; check: execute, and report races, accesses out of "
        "bounds and the like (exit status 1); profile: count instructions, sectors and conflicts, and bound the time; "
        "step: execute under a debugger, which `help` explains",
    )
    parser.add_argument(
        "file",
        help="PTX; `-` is standard input; FILE.cu is CUDA C++, which NVRTC compiles (nvidia-cuda-nvrtc); "
        "`check FILE.py` runs a script of Triton, on tensors of the CPU, and checks the kernels that it launches",
    )
    parser.add_argument("--grid", type=dimensions, metavar="X[,Y[,Z]]", help="the blocks of the grid")
    parser.add_argument("--block", type=dimensions, metavar="X[,Y[,Z]]", help="the threads of a block")
    parser.add_argument("--entry", metavar="NAME", help="the kernel, if the module has several")
    parser.add_argument(
        "--arg",
        action="append",
        metavar="FILE.npy|SHAPE|NUMBER",
        help="an argument, in order: an array, a seeded one of a shape such as f32[128,256], or a number; an array "
        "followed by :box=64,32 is a tensor map with boxes of this size, :swizzle=128 adds its swizzle in bytes, "
        "and :strides=2,1 its element strides; :box=64,8:lower=-1,-1:upper=-1,-1 is one for im2col, of "
        "pixels and channels; an array followed by :texture=2d is a texture or surface of this geometry (1d, 2d, 3d, "
        "a1d, a2d, cube, acube), with words from :linear:wrap|mirror|clamp|border:normalized:floats; "
        "`profile` needs none: each pointer gets zeros, as many as the accesses need",
    )
    parser.add_argument(
        "--texture",
        action="append",
        default=[],
        metavar="NAME=ARRAY:texture=...",
        help="what a variable .texref or .surfref stands for",
    )
    parser.add_argument("--seed", type=natural, default=0, help="seed of arrays (default: %(default)s)")
    parser.add_argument(
        "--shared", type=natural, default=0, metavar="BYTES", help="dynamic shared memory (default: %(default)s)"
    )
    parser.add_argument(
        "--cluster",
        type=dimensions,
        metavar="X[,Y[,Z]]",
        help="the blocks of a cluster (default: what the kernel says, or one)",
    )
    parser.add_argument(
        "--cooperative",
        action="store_true",
        help="a cooperative launch: kernels of CUDA C++ have a barrier of the grid",
    )
    parser.add_argument(
        "--blocks", type=positive, metavar="N", help="execute N blocks, evenly spaced (default: all; profile: 32)"
    )
    parser.add_argument(
        "--max-iterations", type=positive, metavar="N", help="a loop with more iterations is an endless one"
    )
    parser.add_argument(
        "--target",
        type=target,
        help="the GPU of the bound of `profile`, and that CUDA C++ and Triton are compiled for, sm_70 ... sm_121 "
        "(default: that of FILE; sm_90 for CUDA C++ and Triton)",
    )
    parser.add_argument("-D", "--define", action="append", metavar="NAME[=VALUE]", help="a macro of CUDA C++")
    parser.add_argument(
        "--schedules",
        type=positive,
        default=1,
        metavar="N",
        help="`check`: execute N orders of the warps: first those in which warps that were behind others go first "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--weak-volatile",
        action="store_true",
        help="`check`: volatile accesses race as others do, as in C++; for PTX they are relaxed atomic ones",
    )
    parser.add_argument("--sarif", type=path, metavar="FILE", help="`check`: write the faults to FILE as SARIF too")
    parser.add_argument("--json", action="store_true", help="`profile`: print JSON")
    parser.add_argument(
        "--run",
        metavar="COMMANDS",
        help="`step`: execute these commands, and end: --run 'break 12; continue; print %%r3; where' (default: "
        "take them from the terminal or standard input)",
    )
    parser.add_argument(
        "--html", type=path, metavar="FILE", help="`step`: write a page with what each warp has executed when"
    )
    parser.add_argument("-o", "--output", type=path, metavar="DIR", help="`run`: write each array to DIR/argN.npy")


def run(args: argparse.Namespace) -> int:
    """The command; gives the exit status."""
    if args.json and args.action != "profile":
        raise UsageError("error: --json is for `profile`: leave it out")
    if args.action != "check" and (args.sarif is not None or args.schedules > 1 or args.weak_volatile):
        raise UsageError("error: --schedules, --weak-volatile and --sarif are for `check`: leave them out")
    if args.action != "step" and (args.run is not None or args.html is not None):
        raise UsageError("error: --run and --html are for `step`: leave them out")
    is_script = args.file.endswith(".py")
    if is_script and args.action != "check":
        raise UsageError(f"error: {args.action} takes PTX or CUDA C++: scripts of Triton are for `check`")
    launch = ("grid", "block", "entry", "arg", "texture", "cluster", "cooperative", "blocks", "define")
    if is_script and (given := [name for name in launch if getattr(args, name)]):
        raise UsageError(f"error: a script launches its kernels itself: leave --{given[0]} out")
    if is_script:
        return check_script(args)
    if args.grid is None or args.block is None:
        raise UsageError("error: give the launch with --grid and --block")
    source = read_kernel(args.file, args.target, tuple(args.define or ()))
    machine = Machine(source.ptx, source.entry(args.entry))
    arguments = None if args.arg is None else read_arguments(args.arg, args.seed)
    return ACTIONS[args.action](machine, source, arguments, args)
