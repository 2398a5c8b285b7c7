"""
The race checker on the kernels of the HiRace artifact, of which 346 have a planted race and 64 only one out of bounds.

    git clone https://github.com/JohnJacobsonIII/HiRace-Artifact-SC24
    pip install 'nvidia-cuda-nvrtc>=13'
    python tests/differential/ptx_hirace.py HiRace-Artifact-SC24 --graph DAG_5n_5e

Prints what is found and missed on each graph, as Table 1 of the paper counts it.
"""

import argparse
import ctypes
from collections import Counter
from pathlib import Path
from time import perf_counter

import numpy as np

from xshardy.lowering.nvrtc import compile_cuda
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.machine import Machine, Options

HEADERS = {"indigo_cuda.h": "void qsort(void*, int, int, int (*)(const void*, const void*));"}
"""Of the headers of the artifact, all that the kernels need: the others are for the program on the host."""


def graph_arguments(file: Path) -> list[np.ndarray | int]:
    """The arguments of a kernel for a graph in a file, as the artifact's program makes them with C's `rand`."""
    words = np.fromfile(file, np.int32)
    nodes, edges = (int(word) for word in words[:2])
    rand = ctypes.CDLL(None).rand
    ctypes.CDLL(None).srand(1)
    size = max(nodes, edges, 1)
    first, second = (
        np.array([0, *(rand() % most for _ in range(size - 1))], np.int32) for most in (nodes, max(edges, 1))
    )
    return [words[2 : nodes + 3].copy(), words[nodes + 3 : nodes + 3 + edges].copy(), first, second, nodes]


def verdict(machine: Machine, graph: Path, grid: int) -> set[FaultKind]:
    options = Options(checks=True, collects_faults=True)
    return {fault.kind for fault in machine.run([grid], [256], graph_arguments(graph), options)}


def expectation(name: str) -> str:
    if "Bug" not in name:
        return "clean"
    return "bounds" if name.count("Bug") == name.count("boundsBug") else "racy"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--graph", action="append", help="the name of a graph (default: all)")
    parser.add_argument("--grid", type=int, default=1024, help="blocks of 256 threads (default: %(default)s)")
    parser.add_argument("--only", default="", help="kernels with this text in their names")
    args = parser.parse_args()
    graphs = {file.stem: file for file in sorted(args.folder.glob("indigo/input/*.egr"))}
    sources = sorted(file for file in args.folder.glob("indigo/indigo_sources/*/*.cu") if args.only in file.stem)
    machines = {file.stem: Machine(compile_cuda(file.read_text(), file.name, headers=HEADERS)) for file in sources}
    for name in args.graph or graphs:
        counts, start = Counter[str](), perf_counter()
        for kernel, machine in machines.items():
            expected, faults = expectation(kernel), verdict(machine, graphs[name], args.grid)
            is_race, is_bounds = FaultKind.RACE in faults, FaultKind.OUT_OF_BOUNDS in faults
            found = {"racy": is_race, "bounds": is_bounds, "clean": bool(faults)}[expected]
            counts[f"{expected}: {'reported' if found else 'not reported'}"] += 1
            if found == (expected == "clean"):
                print(f"{name} {kernel}: expected {expected}, found {sorted(kind.value for kind in faults)}")
        print(f"{name}: {dict(sorted(counts.items()))}, {perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
