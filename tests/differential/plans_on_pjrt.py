"""
Plans beside what XLA compiles from the same partitioned programs: counts and bytes of collectives, and memory.

    python tests/differential/plans_on_pjrt.py PROGRAMS.py [NAME ...] [--out TABLE.jsonl]
    python tests/differential/plans_on_pjrt.py FILE.mlir ...

`PROGRAMS.py` is that of `survey_on_pjrt.py`. XLA must not combine collectives, so it runs without its combiners. The
exit status is 1 if counts or bytes differ. All programs of `../shared/differential` take minutes.
"""

import argparse
import json
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from xshardy.programs.jax_functions import import_jax

COMBINERS = "all-gather-combiner,all-reduce-combiner,cpu-all-reduce-combiner,reduce-scatter-combiner"
DEVICES = 32


def compared(text: str) -> dict[str, Any]:
    """Our collectives and those of XLA, `{kind: [count, bytes]}`, and the bytes of memory of both."""
    import xshardy
    from xshardy.axes.grid import Grid
    from xshardy.engines.pjrt.executable import load
    from xshardy.engines.pjrt.flat_mesh import on_flat_mesh
    from xshardy.planning.collective_bytes import bytes_sent, kind_of
    from xshardy.rewriting.walk import operations_in

    jax, plan = import_jax(), xshardy.plan(text)
    program = plan.traced.partitioned
    loaded = load(xshardy.print_module(on_flat_mesh(program)), jax.devices()[: program.devices])
    theirs, ours = Counter[str](), Counter[str]()
    their_bytes, our_bytes = Counter[str](), Counter[str]()
    # Each operation counts once on both sides: XLA's text does not say how often it is executed.
    for module, counts, sent in (
        (xshardy.read_hlo(loaded.get_hlo_text()), theirs, their_bytes),
        (program.module, ours, our_bytes),
    ):
        for op in operations_in(module):
            if (kind := kind_of(op)) is not None and (bytes := bytes_sent(op, Grid(1, program.devices))):
                counts[kind] += 1
                sent[kind] += bytes
    memory = loaded.get_compiled_memory_stats()
    return {
        "ours": {kind: [ours[kind], our_bytes[kind]] for kind in sorted(ours)},
        "theirs": {kind: [theirs[kind], their_bytes[kind]] for kind in sorted(theirs)},
        "peak": plan.peak_bytes,
        "their_peak": memory.argument_size_in_bytes + memory.output_size_in_bytes + memory.temp_size_in_bytes,
        "arguments": plan.argument_bytes,
    }


def programs(path: Path, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The programs of `PROGRAMS.py` on each mesh, lowered by JAX."""
    from survey_on_pjrt import MESHES, load

    jax, python = import_jax(), load(path)
    for name in names or list(python.PROGRAMS):
        for mesh, sizes in MESHES.items():
            function, types = python.PROGRAMS[name](python.JaxMesh(mesh, **sizes))
            yield f"{name}/{mesh}", jax.jit(function).lower(*types).as_text(debug_info=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_disable_hlo_passes={COMBINERS}"
    jax = import_jax()
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", DEVICES)
    files = [args.path, *map(Path, args.names)]
    is_python = args.path.suffix == ".py"
    sources = programs(args.path, args.names) if is_python else ((str(file), file.read_text()) for file in files)
    rows, refused = dict[str, dict[str, Any]](), Counter[str]()
    for name, text in sources:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows[name] = compared(text)
        except Exception as error:
            refused[f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"] += 1
            print(f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:200]}", file=sys.stderr)
        else:
            row = rows[name]
            if row["ours"] != row["theirs"]:
                print(f"{name}: collectives differ: ours {row['ours']}, XLA's {row['theirs']}")
            if args.out is not None:
                with args.out.open("a") as stream:
                    print(json.dumps((name, row)), file=stream)
    equal = sum(row["ours"] == row["theirs"] for row in rows.values())
    ratios = {name: row["peak"] / row["their_peak"] for name, row in rows.items() if row["their_peak"]}
    print(f"{equal} of {len(rows)} have XLA's collectives; {sum(refused.values())} were refused")
    if ratios:
        print(f"memory: our peak is {median(ratios.values()):.3f} of XLA's, median of {len(ratios)}")
        for name, ratio in sorted(ratios.items(), key=lambda each: each[1]):
            if not 0.75 <= ratio <= 1.25:
                print(f"  {name}: {ratio:.2f}")
    return int(equal != len(rows))


if __name__ == "__main__":
    sys.exit(main())
