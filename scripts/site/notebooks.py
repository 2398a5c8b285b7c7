"""
Notebooks of the tutorials: `python scripts/site/notebooks.py FOLDER` writes one for each page.

A block of Python or of shell commands is a cell, a block with a title writes a file of this name, and the block `text`
behind another one is what that prints: the tests compare, and the notebook leaves it out.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks"
"""Where `make notebooks` writes them."""
PAGES = sorted(page for page in (ROOT / "docs" / "tutorials").glob("*.md") if page.stem != "index")

BLOCK = re.compile(
    r'^```(?P<language>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?',
    re.MULTILINE | re.DOTALL,
)
SAVED = re.compile(r"Save \[[^\]]+\]\((?P<link>[^)]+)\) as `(?P<file>[^`]+)`")
"""The sentence of a page that has a file of the repository saved."""
LINK = re.compile(r"\]\((?P<path>[^):#]+)")
"""The start of a link to a file, up to its anchor."""
PICTURE = re.compile(r"<!-- picture: \w+ -->\n*")
COMMANDS_FOUND = """\
# The commands beside this Python come first, also if no environment is activated.
import os, sys
os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]"""
"""The first cell of a notebook that runs commands."""
EXPECTED = "printed"
"""The key of the metadata of a cell that has the lines which it prints."""


def notebook(page: Path) -> NotebookNode:
    """The notebook of a tutorial."""
    cells = [*_cells(page)]
    if any(cell.source.startswith("%%bash") for cell in cells):
        cells.insert(0, new_code_cell(COMMANDS_FOUND))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"  # a random one by default
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new_notebook(cells=cells, metadata=kernel)


def _cells(page: Path) -> Iterator[NotebookNode]:
    text, end = PICTURE.sub("", page.read_text()), 0
    for block in BLOCK.finditer(text):
        if (code := _code(block)) is None:
            continue
        yield from _text(text[end : block.start()], page)
        metadata = {} if block["printed"] is None else {EXPECTED: block["printed"].splitlines()}
        yield new_code_cell(code, metadata=metadata)
        end = block.end()
    yield from _text(text[end:], page)


def _text(text: str, page: Path) -> Iterator[NotebookNode]:
    """What is between two blocks, and behind it the file that it has saved."""
    if text.strip():
        yield new_markdown_cell(LINK.sub(lambda link: f"]({_target(link['path'], page)}", text.strip()))
    for saved in SAVED.finditer(text):
        yield new_code_cell(f"%%writefile {saved['file']}\n{(page.parent / saved['link']).read_text().rstrip()}")


def _target(path: str, page: Path) -> str:
    """What a link of `page` leads to, from the folder of notebooks: another one, or a file of the repository."""
    target = (page.parent / path).resolve()
    return f"{target.stem}.ipynb" if target in PAGES else os.path.relpath(target, FOLDER)


def _code(block: re.Match[str]) -> str | None:
    """The cell of a block; None for one that is only read."""
    code = block["code"].rstrip()
    if block["file"] is not None:
        return f"%%writefile {block['file']}\n{code}"
    return {"python": code, "sh": f"%%bash\n{code}"}.get(block["language"])


def write_notebooks(folder: Path) -> None:
    """Write the notebook of each tutorial to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        nbformat.write(notebook(page), folder / f"{page.stem}.ipynb")


if __name__ == "__main__":
    write_notebooks(Path(sys.argv[1]))
