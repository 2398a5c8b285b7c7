"""
Functions of JAX on virtual CPUs through `xshardy.jax.jit`, compared with plain JAX: a table of what is right.

    python tests/differential/survey_on_pjrt.py PROGRAMS.py [NAME ...] [--out TABLE.jsonl]

`PROGRAMS.py` has `JaxMesh` and `PROGRAMS`, as `../shared/differential/modules.py` does: a function and the types of its
arguments for each mesh. No test: it takes minutes.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MESHES: dict[str, dict[str, int]] = {
    "1d": {"x": 8},
    "2d": {"data": 4, "model": 2},
    "2d_unit": {"data": 1, "model": 4},
    "2d_odd": {"x": 3, "y": 4},
    "3d": {"data": 2, "fsdp": 4, "model": 2},
}
DEVICES = 16
MANUAL = "shard_map"
"""Functions of such names depend on the size of the mesh, so plain JAX runs them on the whole mesh too."""
POSITIVE = ("loops",)
"""Functions whose loops end for positive arguments only."""


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("programs", path)
    assert spec is not None and spec.loader is not None
    programs = importlib.util.module_from_spec(spec)
    sys.modules["programs"] = programs
    spec.loader.exec_module(programs)
    return programs


def random_arguments(types: Any, name: str) -> Any:
    import jax
    import numpy as np

    rng = np.random.default_rng(0)

    def one(type: Any) -> Any:
        if np.issubdtype(type.dtype, np.integer):
            return rng.integers(0, 8, type.shape).astype(type.dtype)
        values = rng.uniform(0.1, 1, type.shape) if name in POSITIVE else rng.standard_normal(type.shape)
        if np.issubdtype(type.dtype, np.complexfloating):
            values = values + 1j * rng.standard_normal(type.shape)
        return np.asarray(values, type.dtype)

    return jax.tree.map(one, types)


def difference(found: Any, expected: Any) -> float:
    """The largest difference, in units of the largest number; infinite for integers that differ."""
    import jax
    import numpy as np

    worst = 0.0
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape or a.dtype != b.dtype or (np.isnan(a) != np.isnan(b)).any():
            return float("inf")
        if a.dtype.kind in "iub":
            worst = max(worst, float("inf") if (a != b).any() else 0.0)
        elif a.size:
            scale = max(1.0, float(np.nanmax(np.abs(b), initial=0, where=np.isfinite(b))))
            worst = max(worst, float(np.nanmax(np.where(a == b, 0, np.abs(a - b)), initial=0)) / scale)
    return worst


def verdict_on(programs: Any, name: str, mesh_name: str) -> tuple[str, str]:
    """`right`, `wrong` or `refused`, and the error or the reason."""
    import jax
    import numpy as np

    import xshardy

    sizes = MESHES[mesh_name]
    mesh = programs.JaxMesh(mesh_name, **sizes)
    function, types = programs.PROGRAMS[name](mesh)
    arguments = random_arguments(types, name)
    alone = mesh if MANUAL in name else programs.JaxMesh(mesh_name, **dict.fromkeys(sizes, 1))
    plain, _ = programs.PROGRAMS[name](alone)
    try:
        expected = jax.jit(plain)(*arguments)
        jax.block_until_ready(expected)
    except Exception as error:
        return "refused", f"by plain JAX: {str(error).splitlines()[0][:150]}"
    # Where a little noise in the arguments moves the results of plain JAX as far, rounding explains the difference.
    noise = np.random.default_rng(1)

    def moved(x: Any) -> Any:
        return x if x.dtype.kind in "iu" else np.asarray(x * (1 + 1e-7 * noise.standard_normal(x.shape)), x.dtype)

    noisy = jax.tree.map(moved, arguments)
    spread = difference(jax.jit(plain)(*noisy), expected)
    shardings = jax.tree.map(lambda type: type.sharding, types)
    if all(sharding is None for sharding in jax.tree.leaves(shardings, is_leaf=lambda leaf: leaf is None)):
        shardings = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = xshardy.jax.jit(function, mesh=mesh.mesh, in_shardings=shardings)(*arguments)
            error = difference(found, expected)
    except Exception as failure:
        return "refused", f"{type(failure).__name__}: {' '.join(str(failure).split())[:220]}"
    return ("right" if error < max(1e-4, 8 * spread) else "wrong"), f"{error:.1e}, with noise {spread:.1e}"


def work(path: Path, names: Sequence[str]) -> None:
    """Print the verdicts on `NAME/MESH`s, one line each."""
    import xshardy

    xshardy.jax.start(DEVICES)
    programs = load(path)
    for place in names:
        name, _, mesh = place.partition("/")
        print("\n" + json.dumps((place, *verdict_on(programs, name, mesh))), flush=True)


def survey(path: Path, names: Sequence[str], out: Path) -> None:
    """Run each program in a process, with a new one after a crash."""
    table: dict[str, tuple[str, str]] = {}
    with out.open("w") as stream:
        for name in names:
            left = [f"{name}/{mesh}" for mesh in MESHES]
            while left:
                command = [sys.executable, __file__, "--work", str(path), *left]
                try:
                    done = subprocess.run(command, capture_output=True, text=True, timeout=100 * len(left), check=False)
                    text, reason = done.stdout, f"status {done.returncode}: {done.stderr.strip()[-150:]}"
                except subprocess.TimeoutExpired as late:
                    text, reason = bytes(late.stdout or b"").decode(), "time-out"
                rows = [json.loads(line) for line in text.splitlines() if line.startswith("[")]
                rows = rows or [(left[0], "crashed", reason)]
                for place, verdict, detail in rows:
                    table[place] = verdict, detail
                    print(json.dumps((place, verdict, detail)), file=stream, flush=True)
                left = [place for place in left if place not in table]
    print(Counter(verdict for verdict, _ in table.values()))
    for place, (verdict, detail) in table.items():
        if verdict != "right":
            print(f"{place:35} {verdict:8} {detail}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--out", type=Path, default=Path("survey_on_pjrt.jsonl"))
    parser.add_argument("--work", action="store_true", help="(a process of the survey)")
    args = parser.parse_args()
    if args.work:
        work(args.programs, args.names)
    else:
        survey(args.programs, args.names or list(load(args.programs).PROGRAMS), args.out)


if __name__ == "__main__":
    main()
