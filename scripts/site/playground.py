"""
The playground: a static page that asks Python in the browser (Pyodide) about the sharding of a program.

`docs/playground/` has the page; added to it are the modules of xshardy and of what it needs there, and the examples.
`python scripts/site/playground.py FOLDER [--pyodide URL]` writes all of it, to be served by any server of files.
"""

import argparse
import io
import json
import lzma
import re
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from zipfile import ZipFile, ZipInfo

from xshardy.tools.puzzles import PUZZLES, SHARDING
from xshardy.tools.puzzles.puzzle import puzzles

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "playground"
HIGHLIGHTER = ROOT / "xshardy" / "tools" / "stages" / "static" / "highlight.js"

NPM_PACKAGE = ROOT / "tests" / "playground" / "node_modules" / "pyodide"
"""Where `npm ci` in tests/playground puts Pyodide."""

PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/"
"""Where a browser gets Python from: the version is that of tests/playground/package.json."""

DISTRIBUTIONS = ("xdsl", "immutabledict", "ordered-set", "typing-extensions")
"""xDSL and what it needs."""

LEFT_OUT = (
    *(f"xdsl/{name}/" for name in ("interactive", "interpreters", "jit", "tools")),
    *("xdsl/frontend/pyast/", "xdsl/frontend/listlang/", "docs/", "tests/", "typings/", "bench/"),
    *(f"xshardy/{name}/" for name in ("engines", "fusing", "interpreters", "jax", "launch", "pictures")),
    *(f"xshardy/{name}/" for name in ("proving", "ptx")),
)
"""What no question of the playground needs: execution, and proofs."""

EXAMPLES: Mapping[str, str] = {
    "mlp.mlir": "Two layers",
    "attention.mlir": "Attention",
    "experts.mlir": "A mixture of experts",
    "convolution.mlir": "A convolution with halos",
    "train_step.mlir": "A training step of JAX",
}
"""Examples in `examples/`, by what the page calls them."""
KERNEL, LEVEL = "gelu.hlo", "unrolled"
"""An example of a kernel, and the level of it that is shown first."""

BLOCK = re.compile(r"^```.*?^```\n\n|^Start with `xshardy.*", re.MULTILINE | re.DOTALL)
"""What a page has, and not the task of a puzzle: blocks of text, and how to use the command."""
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")

PRESET = 2
"""How much the archive is compressed: 3.9 MB in 2 s, where 6 gives 3.4 MB in 20 s, and modules by themselves 6 MB."""

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of each file in the archive: the same sources give the same bytes."""


def files_of(name: str) -> Iterator[tuple[str, bytes]]:
    """The modules of an installed distribution, and what `importlib.metadata` reads of it."""
    for file in distribution(name).files or ():
        if file.suffix == ".py" or file.name in ("METADATA", "entry_points.txt"):
            yield file.as_posix(), file.read_binary()


def own_files() -> Iterator[tuple[str, bytes]]:
    """The package in this checkout."""
    for file in sorted((ROOT / "xshardy").rglob("*")):
        if file.suffix in {".py", ".html", ".css", ".js", ".md"}:
            yield file.relative_to(ROOT).as_posix(), file.read_bytes()


def packages() -> bytes:
    """A zip archive of modules, for the path of Python. It is compressed as a whole: modules are alike."""
    files = {
        name: data
        for found in (own_files(), *map(files_of, DISTRIBUTIONS))
        for name, data in found
        if not name.startswith((*LEFT_OUT, "../"))
    }
    folders = {f"{parent.as_posix()}/" for name in files for parent in Path(name).parents if parent.name}
    archive = io.BytesIO()
    with ZipFile(archive, "w") as out:
        for folder in sorted(folders):  # without an entry, Python finds no folder that has no `__init__.py`
            out.writestr(ZipInfo(folder, EPOCH), b"")
        for name, data in files.items():
            out.writestr(ZipInfo(name, EPOCH), data)
    return archive.getvalue()


def compiled(archive: bytes, asked: bytes) -> bytes:
    """`archive` with bytecode for Pyodide of what answers about `asked`, examples, if node and Pyodide are here."""
    node = shutil.which("node")
    if node is None or not NPM_PACKAGE.exists():
        print("playground: without node and `npm ci` in tests/playground, a browser compiles the modules itself")
        return archive
    with TemporaryDirectory() as folder:
        sources, out, programs = (Path(folder) / name for name in ("sources.zip", "compiled.zip", "examples.json"))
        sources.write_bytes(archive)
        programs.write_bytes(asked)
        run([node, ROOT / "scripts" / "site" / "compile_packages.mjs", NPM_PACKAGE, sources, out, programs], check=True)
        return out.read_bytes()


def examples() -> bytes:
    """The examples and puzzles as JSON: titles, texts, and the question that is asked first, with its option."""
    read = (ROOT / "examples").joinpath
    listed = [{"title": title, "text": read(name).read_text()} for name, title in EXAMPLES.items()]
    kernel = {"title": "A kernel", "text": read(KERNEL).read_text(), "question": "kernel", "option": LEVEL}
    return json.dumps([*listed, kernel, *puzzle_examples()]).encode()


def puzzle_examples() -> Iterator[Mapping[str, str]]:
    """The puzzles that need nothing but xDSL, with the text of their tasks and hints."""
    for number, puzzle in enumerate(puzzles(), 1):
        if PUZZLES[puzzle.name].startswith(SHARDING):
            _, _, task = BLOCK.sub("", puzzle.task).partition("\n")
            yield {
                "title": f"{number}. {puzzle.title}",
                "text": puzzle.start.text,
                "question": "puzzle",
                "option": puzzle.name,
                "task": task.strip(),
                "hint": LINK.sub(r"\1", puzzle.hint),
            }


@cache
def generated(*, as_bytecode: bool = True) -> Mapping[str, bytes]:
    """The files that the page loads besides those in `docs/playground`, by name."""
    return {
        "packages.zip.xz": lzma.compress(
            compiled(packages(), examples()) if as_bytecode else packages(), preset=PRESET
        ),
        "examples.json": examples(),
        "highlight.js": HIGHLIGHTER.read_bytes(),
    }


def write(folder: Path, pyodide: str, *, as_bytecode: bool = True) -> None:
    """Write the playground to `folder`, with Pyodide at the URL `pyodide`."""
    shutil.copytree(PAGE, folder, dirs_exist_ok=True)
    for name, data in generated(as_bytecode=as_bytecode).items():
        (folder / name).write_bytes(data)
    index = folder / "index.html"
    index.write_text(index.read_text().replace(PYODIDE, pyodide))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pyodide", default=PYODIDE, metavar="URL", help="where Pyodide is (default: %(default)s)")
    args = parser.parse_args()
    write(args.folder, args.pyodide)
