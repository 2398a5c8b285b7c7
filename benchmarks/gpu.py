"""
Kernels of fusions on an NVIDIA GPU: ours beside XLA:GPU's for the same fusion, and beside a copy of as many bytes.

The input is folders of fusions in HLO text with XLA's kernel for each (NAME.hlo, NAME.ptx, and its launch in
`index.json`). Every fusion is compiled for the GPU at hand and launched with the inputs of `xshardy run`; its results
are compared with numpy's if it has at most `--elements` elements, and with those of XLA's kernel. Each launch is timed
after the cache is filled with other data; a time is the median of the best of several rounds. A copy reads and writes
as many bytes as the fusion has in its parameters and results together. Where torch and Triton are installed, some
fusions are also compared with kernels written in Triton (`peers/triton_kernels.py`).

Without a GPU, or without a folder, there is nothing to measure: the exit status is 0.

    python benchmarks/gpu.py [FOLDER...] [--only PART...] [--elements N] [--processes N] [--json FILE]
"""

import argparse
import json
import multiprocessing
import os
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import prod
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from xshardy import compiler
from xshardy.engines.cuda import Gpu, GpuError, run_on_gpu
from xshardy.engines.cuda.gpu import DeviceMemory, Launch
from xshardy.engines.cuda.launching import load
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters import simt
from xshardy.interpreters.check import Comparison, Tolerance, compare, unlike
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.reference import Reference
from xshardy.interpreters.simt.memory import in_memory_order, in_tensor_order
from xshardy.lowering.code_generators import Kernel
from xshardy.lowering.cuda_files import MissingCudaExtraError
from xshardy.numerics.element_types import KINDS, Array, Kind, float_info, numpy_dtype, packed, unpacked
from xshardy.tools.execution import result_types

CORPORA = [Path(__file__).parents[2] / "shared" / "corpus" / name for name in ("xla_gpu", "real")]
REPEATS = 20
ROUNDS = 3
"""Each of the kernels is timed in each round, and its time is that of its best round: other processes disturb a few."""
FLUSHED = 256 << 20
"""Bytes written before each launch: more than the cache, and long enough for the host to submit the launch."""

_lock = multiprocessing.Lock()
"""Held by the process that uses the GPU."""


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured of one fusion; times in seconds."""

    name: str
    error: str = ""
    """Why there are no times."""
    threads: int = 0
    bytes: int = 0
    """The bytes of all parameters and results."""
    ours: float = 0.0
    theirs: float = 0.0
    copy: float = 0.0
    reference: str = ""
    """The comparison with numpy, empty if there was none."""
    xla: str = ""
    """The comparison with XLA's kernel, empty if there was none."""
    agrees: bool = False
    compile: float = 0.0


@dataclass(frozen=True, slots=True)
class Fusion:
    """A fusion of a folder."""

    path: Path
    launch: Mapping[str, Any] | None
    """XLA's kernel: `grid` and `block`; None if there is none for this fusion."""
    elements: int
    """Fusions of at most so many elements, parameters and results, are compared with numpy."""


def measure(fusion: Fusion) -> Row:
    """Compile, launch, compare and time one fusion. Nothing that goes wrong with one stops the others."""
    name = fusion.path.stem
    try:
        return _measure(fusion)
    except Exception as error:  # reported in the table
        return Row(name, f"{type(error).__name__}: {error}".partition("\n")[0])


def _measure(fusion: Fusion) -> Row:
    name, text = fusion.path.stem, fusion.path.read_text()
    (op,) = compiler.select_fusions(parse_hlo(text, name))
    computation = op.callee_function()
    with _lock:
        gpu = _gpu()
    start = perf_counter()
    module = compiler.emit(text, name=name, target=gpu.target)
    entry = simt.find_kernel(module)
    layouts: list[Any] = list(entry.function_type.inputs)
    kernel = compiler.compile(module, target=gpu.target)
    seconds = perf_counter() - start

    inputs, types = inputs_of(computation, 0), result_types(computation)
    small = sum(array.size for array in inputs) + sum(prod(t.get_shape()) for t in types) <= fusion.elements
    reference = Reference(computation, inputs) if small else None
    expected = reference.results if reference else [np.zeros(t.get_shape(), numpy_dtype(t)) for t in types]
    arrays = [*inputs, *map(unlike, expected)]  # unwritten elements must differ
    buffers = [in_memory_order(array, layout) for array, layout in zip(arrays, layouts, strict=True)]
    numbers = kernel.buffers
    first = dict(reversed(list(zip(numbers, buffers, strict=True))))
    results = slice(len(inputs), None)

    with _lock:
        written = run_on_gpu(kernel, first, gpu)
        theirs = _xla_kernel(fusion, gpu)
        other = None if theirs is None else _run_xla(theirs, kernel, first, gpu)
        times = _times(theirs, kernel, first, gpu)
    bytes = sum(packed(buffer).size for buffer in first.values())

    def tensors(of: Mapping[int, Array]) -> list[Array]:
        pairs = zip(numbers[results], layouts[results], strict=True)
        return [in_tensor_order(of[number], layout) for number, layout in pairs]

    ours = tensors(written)
    verdicts = {"reference": "", "xla": ""}
    agrees = True
    if reference is not None:
        defined = [index for index in range(len(types)) if index not in reference.undefined]
        compared = [reference.compare(index, ours[index]) for index in defined]
        verdicts["reference"] = _verdict(compared)
        agrees &= all(compared)
    if other is not None:
        expected = tensors({number: other.get(number, first[number]) for number in first})
        compared = [compare(mine, its, tolerance=_loose(its)) for mine, its in zip(ours, expected, strict=True)]
        verdicts["xla"] = _verdict(compared)
        agrees &= all(compared) or reference is not None
    threads = prod(kernel.grid) * prod(kernel.block)
    return Row(name, "", threads, bytes, *times, **verdicts, agrees=agrees, compile=seconds)


def _verdict(compared: Iterable[Comparison]) -> str:
    wrong = [str(comparison) for comparison in compared if not comparison]
    return wrong[0] if wrong else "agrees"


def _loose(expected: Array) -> Tolerance:
    """The tolerance between two kernels that add in different orders: a share of the largest result."""
    if KINDS[expected.dtype] not in (Kind.FLOAT, Kind.COMPLEX):
        return Tolerance(0.0, 0.0)
    real = np.abs(expected.astype(np.complex128 if KINDS[expected.dtype] is Kind.COMPLEX else np.float64))
    epsilon = 1e-7 if KINDS[expected.dtype] is Kind.COMPLEX else float_info(expected.dtype).epsilon
    largest = float(np.max(real[np.isfinite(real)], initial=0.0))
    return Tolerance(64 * epsilon, 16 * epsilon * largest)


# -- On the GPU -------------------------------------------------------------------------------------------------------

_opened: dict[str, Any] = {}


def _gpu() -> Gpu:
    if "gpu" not in _opened:
        _opened["gpu"] = Gpu()
        _opened["flushed"] = _opened["gpu"].allocate(FLUSHED)
    return _opened["gpu"]


def _xla_kernel(fusion: Fusion, gpu: Gpu) -> Launch | None:
    """XLA's kernel, without pointers; None if there is none."""
    path = fusion.path.with_suffix(".ptx")
    if fusion.launch is None or not path.exists():
        return None
    ptx = path.read_text()
    loaded = gpu.load(ptx, ptx.partition(".entry ")[2].partition("(")[0].strip())
    return Launch(loaded, tuple(fusion.launch["grid"]), tuple(fusion.launch["block"]), ())


def _run_xla(theirs: Launch, kernel: Kernel, buffers: Mapping[int, Array], gpu: Gpu) -> dict[int, Array]:
    """
    The results of XLA's kernel by number of the buffer.

    XLA may have let a result share the buffer of an operand, which the folder does not say. Its kernel then ignores the
    pointer of the result: the result is the operand that the kernel has changed.
    """
    before = {number: packed(array) for number, array in buffers.items()}
    memory = {number: gpu.upload(data) for number, data in before.items()}
    gpu.launch(replace(theirs, pointers=tuple(memory[number].pointer for number in kernel.buffers)))
    after = {number: gpu.download(data) for number, data in memory.items()}
    changed = [number for number in before if not np.array_equal(before[number], after[number])]
    operands = [number for number in changed if number not in kernel.written_buffers]
    results: dict[int, Array] = {}
    for number in sorted(kernel.written_buffers):
        shared = [other for other in operands if after[other].size == after[number].size]
        source = number if number in changed or not shared else operands.pop(operands.index(shared[0]))
        results[number] = unpacked(after[source], buffers[number])
    return results


def _times(theirs: Launch | None, kernel: Kernel, buffers: Mapping[int, Array], gpu: Gpu) -> tuple[float, float, float]:
    """The median times of our kernel, of XLA's, and of a copy; 0 for what there is none of."""
    memory = {number: gpu.upload(packed(array)) for number, array in buffers.items()}
    pointers = [memory[number].pointer for number in kernel.buffers]
    flushed: DeviceMemory = _opened["flushed"]

    def median(work: Any) -> float:
        return statistics.median(gpu.seconds_of(work, REPEATS, lambda: gpu.fill(flushed, 1)))

    loaded = load(kernel, gpu)
    half = max(1, sum(part.size for part in memory.values()) // 2)
    source, target = gpu.allocate(half), gpu.allocate(half)
    works = {"ours": lambda: loaded.launch_pointers(pointers), "copy": lambda: gpu.copy(source, target)}
    if theirs is not None:
        launch = replace(theirs, pointers=tuple(pointers))
        works["theirs"] = lambda: gpu.launch(launch)
    for work in works.values():
        work()
    rounds = [{name: median(work) for name, work in works.items()} for _ in range(ROUNDS)]
    best = {name: min(times[name] for times in rounds) for name in works}
    return best["ours"], best.get("theirs", 0.0), best["copy"]


# -- The table --------------------------------------------------------------------------------------------------------


def fusions_of(folder: Path, only: Sequence[str], elements: int) -> list[Fusion]:
    """The fusions of a folder whose names have one of the parts `only`, all if there is none."""
    index = folder / "index.json"
    entries: list[dict[str, Any]] = json.loads(index.read_text())["fusions"] if index.exists() else []
    launches = {entry["name"]: entry for entry in entries if "grid" in entry}
    paths = [p for p in sorted(folder.glob("*.hlo")) if not only or any(part in p.name for part in only)]
    return [Fusion(path, launches.get(path.stem), elements) for path in paths]


def table_of(rows: Sequence[Row]) -> Table:
    """One line for each fusion."""
    table = Table("kernel", "MB", "us", "XLA's us", "ratio", "copy's us", "GB/s", "numpy", "XLA")
    for row in rows:
        if row.error:
            table.add_row(row.name, row.error[:100])
            continue
        ratio = f"{row.ours / row.theirs:.2f}" if row.theirs else "-"
        theirs = f"{row.theirs * 1e6:.1f}" if row.theirs else "-"
        speed = f"{row.bytes / row.ours / 1e9:.0f}" if row.ours else "-"
        numbers = (f"{row.bytes / 1e6:.2f}", f"{row.ours * 1e6:.1f}", theirs, ratio, f"{row.copy * 1e6:.1f}", speed)
        table.add_row(row.name, *numbers, row.reference[:40] or "-", row.xla[:40] or "-")
    return table


def _beside_triton(rows: Sequence[Row]) -> Table | str:
    """Our times beside those of kernels in Triton."""
    try:
        from peers.triton_kernels import COUNTERPARTS
    except ImportError as error:
        return f"no comparison with Triton: {error}"
    table = Table("kernel", "us", "Triton's us", "ratio")
    for row in rows:
        if row.name in COUNTERPARTS and row.ours:
            theirs = COUNTERPARTS[row.name]()
            table.add_row(row.name, f"{row.ours * 1e6:.1f}", f"{theirs * 1e6:.1f}", f"{row.ours / theirs:.2f}")
    return table


def summary(title: str, rows: Sequence[Row]) -> str:
    """How many agree, and the ratios of the times of those that can be compared."""
    measured = [row for row in rows if not row.error]
    lines = [
        f"{title}: {len(measured)} of {len(rows)} kernels ran; {sum(row.agrees for row in measured)} agree "
        f"({sum(bool(row.reference) for row in measured)} compared with numpy, "
        f"{sum(bool(row.xla) for row in measured)} with XLA's kernel)"
    ]
    for what, chosen in (
        ("all", measured),
        ("of 4 MB and more", [row for row in measured if row.bytes >= 4e6]),
    ):
        timed = [row for row in chosen if row.theirs and row.ours]
        if timed:
            ratios = sorted(row.ours / row.theirs for row in timed)
            copies = statistics.geometric_mean(row.ours / row.copy for row in timed)
            lines.append(
                f"  {what} ({len(timed)}): {statistics.geometric_mean(ratios):.3f} x XLA's time (geometric mean), "
                f"{statistics.median(ratios):.3f} median, {ratios[0]:.2f} to {ratios[-1]:.2f}, "
                f"{sum(ratio > 1.1 for ratio in ratios)} above 1.1; {copies:.2f} x the time of a copy"
            )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="only fusions with a PART in their names")
    parser.add_argument(
        "--elements", type=int, default=4_000_000, help="compare fusions of up to so many elements with numpy"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="default: one per core")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    options = parser.parse_args(arguments)
    folders = options.folders or [folder for folder in CORPORA if folder.is_dir()]
    if not folders:
        print("no folder of fusions: give one with NAME.hlo and XLA's NAME.ptx")
        return 0
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:  # a process that has used the GPU must not fork
        device = pool.apply(_device)
    print(device[1])
    if not device[0]:
        return 0
    everything = list[Row]()
    with context.Pool(options.processes, _share, (context.Lock(),)) as pool:
        for folder in folders:
            rows = sorted(pool.imap_unordered(measure, fusions_of(folder, options.only, options.elements)), key=_name)
            Console(width=200).print(table_of(rows))
            print(summary(str(folder), rows), flush=True)
            everything += rows
    with context.Pool(1) as pool:
        Console(width=200).print(pool.apply(_beside_triton, (everything,)))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in everything], indent=1))
    return 0


def _name(row: Row) -> str:
    return row.name


def _share(lock: Any) -> None:
    global _lock
    _lock = lock


def _device() -> tuple[bool, str]:
    try:
        gpu = Gpu()
    except (GpuError, MissingCudaExtraError) as error:
        return False, str(error)
    return True, f"{gpu.name}, {gpu.target}, cache of {gpu.cache_size / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
