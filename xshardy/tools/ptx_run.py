"""What `xshardy ptx run|check|profile|step` does."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import prod

import numpy as np
from rich.table import Table

from xshardy.gpus.occupancy import Occupancy, occupancy
from xshardy.lowering.cuda_files import MissingCudaExtraError
from xshardy.lowering.ptxas import AssemblerError, assemble_each
from xshardy.numerics.element_types import Array
from xshardy.programs.errors import InputError
from xshardy.ptx.bound import Bound, bound_of
from xshardy.ptx.errors import LaunchError
from xshardy.ptx.faults import Fault
from xshardy.ptx.machine import MAX_ITERATIONS, Machine, Options
from xshardy.ptx.profiling import SAMPLED_BLOCKS, Profile, profile, sampled_blocks
from xshardy.ptx.tensor_maps import TensorMap
from xshardy.ptx.textures import Texture
from xshardy.tools.console import console, summary
from xshardy.tools.debugger.divergence import Timeline, page
from xshardy.tools.debugger.kernel_state import KernelState
from xshardy.tools.debugger.shell import Shell
from xshardy.tools.output import print_diagnostic, print_if_read, print_json, write_text
from xshardy.tools.placed_faults import PlacedFaults, fault_text, placed_faults
from xshardy.tools.ptx_arguments import Argument, read_textures
from xshardy.tools.ptx_source import Place, PtxSource
from xshardy.tools.sarif import sarif
from xshardy.tools.triton_check.checked_launches import CheckedLaunches
from xshardy.tools.triton_check.script import run_triton_script

Arguments = Sequence[Argument] | None

TRITON_TARGET = "sm_90"
"""The GPU that scripts of Triton are compiled for by default."""
COUNTED = ("requests", "sectors", "least_sectors", "wavefronts", "least_wavefronts")
"""The fields of `Requests` that are counts of the executed blocks."""


def execute(machine: Machine, source: PtxSource, arguments: Arguments, args: argparse.Namespace) -> int:
    """`run`: execute the grid, and print the arrays."""
    bound = _given(machine, arguments)
    given = [argument.array if isinstance(argument, TensorMap | Texture) else argument for argument in bound]
    before = [argument.copy() if isinstance(argument, np.ndarray) else None for argument in given]
    machine.run(args.grid, args.block, bound, _options(args))
    table = Table("argument", "elements", "changed", "values")
    for number, (argument, old) in enumerate(zip(given, before, strict=True)):
        if isinstance(argument, np.ndarray) and old is not None:
            changed = int((_bytes(argument) != _bytes(old)).any(axis=1).sum())
            table.add_row(str(number), f"{argument.size:,}", f"{changed:,}", summary(argument))
            if args.output is not None:
                args.output.mkdir(exist_ok=True)
                np.save(args.output / f"arg{number}.npy", argument)
    console().print(table)
    return 0


def check(machine: Machine, source: PtxSource, arguments: Arguments, args: argparse.Namespace) -> int:
    """`check`: execute the grid, and print what is wrong."""
    options = _check_options(args)
    bound = _given(machine, arguments)
    faults = machine.check(args.grid, args.block, bound, options, schedules=args.schedules)
    placed = placed_faults(faults, source)
    for (_, place), fault in placed.items():
        _print_fault(place, fault)
    blocks = prod(args.grid) if options.blocks is None else len(options.blocks)
    return _verdict(f"{machine.entry.name}: {blocks} blocks of {prod(args.block)} threads", placed, args)


def check_script(args: argparse.Namespace) -> int:
    """`check` of a script of Triton: run it, and print what is wrong in the kernels that it launches."""
    checked = CheckedLaunches(args.file, _check_options(args), args.schedules, _print_fault)
    run_triton_script(args.file, args.target or TRITON_TARGET, checked)
    if not checked.launches:
        raise InputError(f"{args.file}: error: it launches no kernel of Triton")
    what = f"{args.file}: {checked.launches} launches of {checked.kernels} kernels"
    return _verdict(what, checked.faults, args)


def _print_fault(place: Place, fault: Fault) -> None:
    print_diagnostic(fault_text(place, fault))


def _verdict(what: str, faults: PlacedFaults, args: argparse.Namespace) -> int:
    """Write the faults as SARIF if asked for, and say if there are none. The exit status."""
    if args.sarif is not None:
        write_text(args.sarif, sarif((fault, place) for (_, place), fault in faults.items()))
    if not faults:
        tried = f", {args.schedules} schedules" if args.schedules > 1 else ""
        console().print(f"{what}{tried}, no faults", highlight=False)
    return 1 if faults else 0


def step(machine: Machine, source: PtxSource, arguments: Arguments, args: argparse.Namespace) -> int:
    """`step`: execute the grid under a debugger."""
    options, timeline = _options(args), Timeline()
    options.counters = [] if args.html is None else [timeline]
    commands = None if args.run is None else args.run.split(";")
    state = KernelState(machine, source, _given(machine, arguments))
    shell = Shell(state, commands, is_interactive=commands is None and sys.stdin.isatty())
    shell.run(args.grid, args.block, options)
    if args.html is not None:
        write_text(args.html, page(timeline, state))
    return 1 if shell.faults else 0


def count(machine: Machine, source: PtxSource, arguments: Arguments, args: argparse.Namespace) -> int:
    """`profile`: execute some blocks, and print what is counted."""
    found = profile(
        machine,
        args.grid,
        args.block,
        arguments,
        blocks=args.blocks or SAMPLED_BLOCKS,
        dynamic_shared=args.shared,
        max_iterations=args.max_iterations or MAX_ITERATIONS,
        cluster=args.cluster,
    )
    target = args.target or machine.module.target.rstrip("af")
    try:
        bound = bound_of(found, target)
    except ValueError as error:
        raise LaunchError(f"{error}; state another one with --target") from None
    resident = _occupancy(args, machine, source, target)
    if args.json:
        print_json(_profile_as_json(machine, found, bound, resident, target))
    else:
        _print_profile(machine, found, bound, resident, target)
    return 0


def _given(machine: Machine, arguments: Arguments) -> Sequence[Argument]:
    if arguments is None and machine.entry.parameters:
        raise LaunchError(f"give the {len(machine.entry.parameters)} arguments of {machine.entry.name} with --arg")
    return arguments or ()


def _options(args: argparse.Namespace) -> Options:
    blocks = None if args.blocks is None else sampled_blocks(prod(args.grid), args.blocks)
    iterations = args.max_iterations or MAX_ITERATIONS
    return Options(
        blocks,
        args.shared,
        max_iterations=iterations,
        cluster=args.cluster,
        cooperative=args.cooperative,
        textures=read_textures(args.texture, args.seed),
        output=print_if_read,
    )


def _check_options(args: argparse.Namespace) -> Options:
    return replace(_options(args), weak_volatile=args.weak_volatile)


def _bytes(array: Array) -> Array:
    return array.reshape(-1, 1).view(np.uint8)


def _occupancy(args: argparse.Namespace, machine: Machine, source: PtxSource, target: str) -> Occupancy | None:
    """The occupancy by the resources that ptxas reports; None without ptxas, or if it rejects the PTX."""
    try:
        report = assemble_each(source.ptx, machine.module.target)[machine.entry.name]
    except (MissingCudaExtraError, AssemblerError, KeyError):
        return None
    return occupancy(target, prod(args.block), report.registers, report.shared_memory + args.shared)


@dataclass(frozen=True, slots=True)
class _Row:
    label: str
    cell: str


def _print_profile(machine: Machine, found: Profile, bound: Bound, resident: Occupancy | None, target: str) -> None:
    """The counts of the whole grid, the requests of each instruction, and the bound."""
    low, high = found.issue_slots
    divergent = int(found.counts.divergent.sum()) * found.scale
    rows = [
        _Row("blocks executed", f"{found.blocks:,} of {found.grid_blocks:,}; counts are for all"),
        _Row("instructions of warps", f"{found.instructions:,.0f}"),
        *(_Row(f"  {name}", f"{number:,.0f}") for name, number in found.classes.items()),
        _Row("machine instructions (estimate)", f"{low:,.0f} to {high:,.0f}"),
        _Row("active threads of a warp", f"{found.active_threads:.1f}"),
        _Row("... with some inactive", f"{divergent:,.0f} instructions"),
        _Row("sectors requested", f"{found.sectors:,.0f}"),
        _Row("sectors, each moved once (estimate)", f"{found.least_memory_sectors:,.0f}"),
        *([_Row("products of tensor cores, of 16 bits", f"{found.products:,.0f}")] if found.products else []),
        _Row("shared memory wavefronts", f"{found.wavefronts:,.0f}, {found.conflicts:,.0f} of them by bank conflicts"),
    ]
    if resident is not None:
        warps = f"{resident.warps} of {resident.max_warps} warps, limited by {resident.limit}"
        rows.append(_Row("occupancy", f"{resident.share:.0%}: {warps}"))
    for name, (least, most) in bound.resources.items():
        rows.append(_Row(f"time on {target} by {name}", _interval(least, most)))
    rows.append(_Row(f"time on {target} (estimate)", f"{_interval(*bound.seconds)}: {bound.binds}"))
    table = Table(machine.entry.name, "")
    for row in rows:
        table.add_row(row.label, row.cell)
    console().print(table)
    requests = Table("line", "access", "bytes per thread", "requests", "sectors", "least", "wavefronts", "least")
    for (line, region, access), each in sorted(found.traffic.found.items(), key=lambda item: item[0][0]):
        numbers = (getattr(each, name) for name in COUNTED)
        requests.add_row(
            str(line), f"{access.value} {region}", str(each.bytes), *(f"{n * found.scale:,.0f}" for n in numbers)
        )
    console().print(requests)


def _profile_as_json(
    machine: Machine, found: Profile, bound: Bound, resident: Occupancy | None, target: str
) -> dict[str, object]:
    """What `_print_profile` prints, as `--json` has it: counts are for the whole grid, and times in seconds."""
    return {
        "kernel": machine.entry.name,
        "target": target,
        "blocks_executed": found.blocks,
        "blocks": found.grid_blocks,
        "instructions": found.instructions,
        "classes": found.classes,
        "issue_slots": found.issue_slots,
        "active_threads": found.active_threads,
        "divergent_instructions": int(found.counts.divergent.sum()) * found.scale,
        "sectors": found.sectors,
        "least_memory_sectors": found.least_memory_sectors,
        "products": found.products,
        "wavefronts": found.wavefronts,
        "conflicts": found.conflicts,
        "occupancy": None if resident is None else asdict(resident),
        "seconds_by_resource": bound.resources,
        "seconds": bound.seconds,
        "binds": bound.binds,
        "accesses": [
            {"line": line, "access": access.value, "region": region, "bytes_per_thread": each.bytes}
            | {name: getattr(each, name) * found.scale for name in COUNTED}
            for (line, region, access), each in sorted(found.traffic.found.items(), key=lambda item: item[0][0])
        ],
    }


def _interval(low: float, high: float) -> str:
    return f"{low * 1e6:.2f} us" if f"{low:.3g}" == f"{high:.3g}" else f"{low * 1e6:.2f} to {high * 1e6:.2f} us"
