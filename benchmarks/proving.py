"""
The proof of a partitioned transformer's training step, at several depths: CPU seconds and memory, beside the partition.

No other tool decides this. What a proof costs beside the partition that it is about is the figure to watch, and that it
grows with the number of layers only. Run by `make bench`; `python benchmarks/proving.py 126` measures that depth.
"""

import resource
import sys
from time import process_time

from parse import train_step
from rich.console import Console
from rich.table import Table

from xshardy.programs.program import read_program
from xshardy.programs.source import source_in
from xshardy.proving.pair import partitioned_pair
from xshardy.proving.verdict import prove_pair

LAYERS = (2, 8, 32)


def main() -> None:
    sys.setrecursionlimit(100_000)  # JAX lowers layers recursively
    table = Table(title="proofs of a training step on 4 x 2 devices")
    titles = ("layers", "operations of a device", "partition, s", "proof, s", "s per layer", "peak of the process, MB")
    for title in titles:
        table.add_column(title, justify="right")
    for layers in map(int, sys.argv[1:] or LAYERS):
        program = read_program(source_in(train_step(layers).encode(), f"{layers} layers"))
        program.import_shardings()
        start = process_time()
        pair = partitioned_pair(program)
        partitioned = process_time()
        verdict = prove_pair(pair, run=False)
        seconds = process_time() - partitioned
        assert verdict, verdict
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        figures = (f"{partitioned - start:.2f}", f"{seconds:.2f}", f"{seconds / layers:.3f}", f"{peak:.0f}")
        table.add_row(f"{layers}", f"{verdict.related:,}", *figures)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
