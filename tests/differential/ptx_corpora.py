"""
The PTX of XLA:GPU and of this project for the same fusions, executed by the PTX machine, compared with the reference.

The input is folders of fusions in HLO text with XLA's kernel for each (NAME.hlo, NAME.ptx, and its launch in
`index.json`). Of a fusion with many elements, some blocks are executed: the first, the last and random ones; all that
they write is compared. Kernels that update memory atomically are executed as a whole.

    python tests/differential/ptx_corpora.py [FOLDER...] [--only PART...] [--whose ours|xla|both] [--checks]
"""

import argparse
import json
import multiprocessing
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from xshardy import compiler
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters import simt
from xshardy.interpreters.check import EXACT, Tolerance, compare, part_type, unlike, widest
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.reference import Reference
from xshardy.interpreters.simt.memory import in_memory_order, in_tensor_order
from xshardy.lowering.code_generators import Kernel
from xshardy.numerics.element_types import KINDS, Array, Kind, float_info, packed, unpacked
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.memory import Access, AccessKind, BulkAccess, Observer, Region

CORPORA = [Path(__file__).parents[3] / "shared" / "corpus" / name for name in ("xla_gpu", "real")]
TARGET = "sm_90"
ELEMENTS = 400_000
"""Fusions with more elements, parameters and results, are executed in part."""
BLOCKS = 32
"""At least so many blocks are executed."""
RESULTS = 20_000
"""Executed blocks write at least so many elements together, as far as there are as many blocks."""


@dataclass(frozen=True, slots=True)
class Row:
    """The verdict on one kernel."""

    name: str
    whose: str
    verdict: str
    """"agrees", or what is wrong."""
    blocks: str
    seconds: float


class Written:
    """Notes the bytes that are written."""

    def __init__(self):
        self.bytes: dict[Region, Array] = {}

    def __call__(self, lanes: Lanes, access: Access | BulkAccess) -> None:
        assert isinstance(access, Access)
        if access.kind is not AccessKind.LOAD:
            region = access.part.region
            marks = self.bytes.setdefault(region, np.zeros(region.data.size, np.bool_))
            marks.reshape(-1, access.size)[access.part.offsets // access.size] = True

    def elements(self, region: Region, array: Array) -> Array:
        """Whether each element of a region, which has the elements of `array`, is written."""
        marks, size = self.bytes.get(region), array.dtype.itemsize
        if marks is None:
            return np.zeros(array.shape, np.bool_)
        touched: Array = np.any(marks[: array.size * size].reshape(-1, size), axis=1)
        return touched.reshape(array.shape)


def loose(expected: Array) -> Tolerance:
    """
    A tolerance for sums in any order: 64 units of a number, 16 of the largest one.

    What is beyond is compared with the tolerance that the reference measures, which takes many evaluations.
    """
    if KINDS[expected.dtype] not in (Kind.FLOAT, Kind.COMPLEX):
        return EXACT
    epsilon = float_info(part_type(expected.dtype)).epsilon
    sizes = np.abs(expected.astype(widest(expected.dtype)))
    return Tolerance(64 * epsilon, 16 * epsilon * float(np.max(sizes[np.isfinite(sizes)], initial=0.0)))


def sampled(blocks: int, elements: int) -> list[int] | None:
    """The blocks to execute; None for all."""
    if elements <= ELEMENTS:
        return None
    count = min(blocks, max(BLOCKS, blocks * RESULTS // elements))
    if count == blocks:
        return None
    random = np.random.default_rng(0).choice(np.arange(1, blocks - 1), count - 2, replace=False)
    return [0, *sorted(random.tolist()), blocks - 1]


class Fusion:
    """A fusion, its inputs and what it should compute."""

    def __init__(self, path: Path, *, checks: bool):
        self.checks = checks
        self.text, self.name = path.read_text(), path.stem
        (op,) = compiler.select_fusions(parse_hlo(self.text, self.name))
        computation = op.callee_function()
        self.inputs = inputs_of(computation, 0)
        self.reference = Reference(computation, self.inputs)
        module = compiler.emit(self.text, name=self.name, target=TARGET)
        self.layouts: list[Any] = list(simt.find_kernel(module).function_type.inputs)
        self.kernel: Kernel = compiler.compile(module, target=TARGET)
        arrays = [*self.inputs, *map(unlike, self.reference.results)]
        self.buffers = [in_memory_order(array, layout) for array, layout in zip(arrays, self.layouts, strict=True)]
        self.elements = sum(array.size for array in arrays)

    def run(self, ptx: str, grid: Sequence[int], block: Sequence[int], dynamic_shared: int) -> tuple[str, str]:
        """The verdict on a kernel for this fusion, and how many blocks were executed."""
        numbers = self.kernel.buffers
        first = dict(reversed(list(zip(numbers, self.buffers, strict=True))))
        regions: dict[int, Region] = {}
        for number, array in first.items():
            data = packed(array)
            regions[number] = Region(f"buffer {number}", data.size)
            regions[number].data[: data.size] = data
        machine, written = Machine(ptx), Written()
        atomic = any(step.opcode.startswith(("atom", "red.")) for step in machine.entry.body.instructions)
        blocks = None if atomic else sampled(prod(grid), self.elements)
        observers: list[Observer] = [written]
        options = Options(
            blocks,
            dynamic_shared,
            collects_faults=True,
            checks=self.checks,
            observers=observers,
            vectors_end_in_bounds=ptx == self.kernel.ptx,  # XLA's may read three numbers at the end of a buffer as four
        )
        faults = machine.run(grid, block, [regions[number] for number in numbers], options)
        shown = f"{len(blocks)}/{prod(grid)}" if blocks is not None else str(prod(grid))
        verdict = self._compared(regions, written, blocks is not None)
        return "; ".join(map(str, faults)) or verdict, shown

    def _compared(self, regions: Mapping[int, Region], written: Written, is_part: bool) -> str:
        """What is wrong with the results, or "agrees". Of a part of the blocks, what they write is compared."""
        wrong: list[str] = []
        changed = [number for number, region in regions.items() if region in written.bytes]
        shared = [number for number in changed if number not in self.kernel.written_buffers]
        for index, number in enumerate(self.kernel.buffers[len(self.inputs) :]):
            if index in self.reference.undefined:
                continue
            differences = {
                other: self._difference(regions[other], index, written, is_part)
                for other in self.places(number, changed, shared, regions)
            }
            place = min(differences, key=lambda other: differences[other] is not None)
            if place in shared:
                shared.remove(place)
            if (difference := differences[place]) is not None:
                wrong.append(f"result {index}: {difference}")
        return "; ".join(wrong) or "agrees"

    def _difference(self, region: Region, index: int, written: Written, is_part: bool) -> str | None:
        """How what is in `region` differs from the result with number `index`; None if it agrees."""
        layout = self.layouts[len(self.inputs) + index]
        value = unpacked(region.data[: region.size], self.buffers[len(self.inputs) + index])
        expected = in_memory_order(self.reference.results[index], layout)
        if is_part:
            touched = written.elements(region, value)
            if not touched.any():
                return "nothing is written"
            if compare(value[touched], expected[touched], tolerance=loose(expected[touched])):
                return None
            value = np.where(touched, value, expected)
        elif compare(value, expected, tolerance=loose(expected)):
            return None
        comparison = self.reference.compare(index, in_tensor_order(value, layout))
        return None if comparison else str(comparison)

    def places(
        self, number: int, changed: Sequence[int], shared: Sequence[int], regions: Mapping[int, Region]
    ) -> list[int]:
        """
        The numbers of the buffers that may have the result of buffer `number`.

        XLA may have let results share the buffers of operands, which the folder does not say. Its kernel then changes
        these operands and leaves the buffers of the results alone.
        """
        same_size = [other for other in shared if regions[other].size == regions[number].size]
        return [number] if number in changed or not same_size else same_size


def rows_of(path: Path, launch: Mapping[str, Any] | None, whose: Sequence[str], *, checks: bool) -> list[Row]:
    """The verdicts on both kernels. Nothing that goes wrong with one stops the others."""
    rows: list[Row] = []
    try:
        fusion = Fusion(path, checks=checks)
    except Exception as error:  # reported in the table
        return [Row(path.stem, "both", f"{type(error).__name__}: {error}", "-", 0.0)]
    for who in whose:
        start = process_time()
        try:
            if who == "ours":
                kernel = fusion.kernel
                verdict, blocks = fusion.run(kernel.ptx, kernel.grid, kernel.block, 0)
            elif launch is None or not path.with_suffix(".ptx").exists():
                continue
            else:
                ptx, shared = path.with_suffix(".ptx").read_text(), launch.get("dynamic_shared_bytes", 0)
                verdict, blocks = fusion.run(ptx, launch["grid"], launch["block"], shared)
        except Exception as error:  # reported in the table
            verdict, blocks = f"{type(error).__name__}: {error}", "-"
        rows.append(Row(path.stem, who, verdict, blocks, process_time() - start))
    return rows


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="only fusions with a PART in their names")
    parser.add_argument("--whose", choices=("ours", "xla", "both"), default="both")
    parser.add_argument("--checks", action="store_true", help="find races, and reads of uninitialized memory, too")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    options = parser.parse_args(arguments)
    whose = ("xla", "ours") if options.whose == "both" else (options.whose,)
    failures = 0
    everything: list[dict[str, Any]] = []
    for folder in options.folders or [folder for folder in CORPORA if folder.is_dir()]:
        entries: list[dict[str, Any]] = json.loads((folder / "index.json").read_text())["fusions"]
        launches = {entry["name"]: entry for entry in entries if "grid" in entry}
        paths = [p for p in sorted(folder.glob("*.hlo")) if not options.only or any(o in p.name for o in options.only)]
        jobs = [(path, launches.get(path.stem), whose, options.checks) for path in paths]
        counts: dict[str, list[int]] = {who: [0, 0] for who in whose}
        with multiprocessing.Pool(options.processes) as pool:
            for number, rows in enumerate(pool.imap(_rows_of_job, jobs), start=1):
                print(f"{number} of {len(jobs)}", end="\r", file=sys.stderr, flush=True)
                for row in rows:
                    agrees = row.verdict == "agrees"
                    for who in whose if row.whose == "both" else [row.whose]:
                        counts[who][0] += agrees
                        counts[who][1] += 1
                    everything.append({slot: getattr(row, slot) for slot in Row.__slots__})
                    if not agrees or row.seconds > 10:
                        print(
                            f"{row.name} ({row.whose}, {row.blocks} blocks, {row.seconds:.1f} s): {row.verdict[:300]}",
                            flush=True,
                        )
                    failures += not agrees
        for who, (agreeing, count) in counts.items():
            print(f"{folder.name}: {agreeing} of {count} kernels of {who} agree with the reference", flush=True)
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1))
    return 1 if failures else 0


def _rows_of_job(job: tuple[Path, Mapping[str, Any] | None, Sequence[str], bool]) -> list[Row]:
    path, launch, whose, checks = job
    return rows_of(path, launch, whose, checks=checks)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
