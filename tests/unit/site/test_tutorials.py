"""The tutorials work as written: their cells run in an empty folder, and print what the pages say."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import forks
import pytest
from listings import check_listing

pytest.importorskip("nbclient", reason="it is in the extra `test`")

from nbclient import NotebookClient
from nbformat import NotebookNode
from notebooks import COMMANDS_FOUND, EXPECTED, FOLDER, PAGES, notebook

pytestmark = pytest.mark.processes

ESCAPES = re.compile(r"\x1b\[[\d;]*m")
"""The colours of a terminal: a notebook asks commands for them."""


def printed(cell: NotebookNode) -> str:
    """The output of a cell: standard error first, which commands write to first."""
    streams = {"stderr": "", "stdout": ""}
    for output in cell.outputs:
        if output.output_type == "stream":
            streams[output.name] += output.text
    return ESCAPES.sub("", "".join(streams.values()))


def test_a_tutorial_runs_in_jupyter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    without_ours = [path for path in os.environ["PATH"].split(os.pathsep) if Path(path) != Path(sys.executable).parent]
    monkeypatch.setenv("PATH", os.pathsep.join(without_ours))
    monkeypatch.setenv("COLUMNS", "140")
    book = notebook(next(page for page in PAGES if page.stem == "write_a_pass"))
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in book.cells:
        if EXPECTED in cell.metadata:
            check_listing(cell.metadata[EXPECTED], printed(cell))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tutorials_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The cells of their notebooks without Jupyter: each would be another process, and so would their commands."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("COLUMNS", "140")
    with forks.Session(tmp_path) as session:
        for cell in notebook(page).cells:
            if cell.cell_type == "code" and cell.source != COMMANDS_FOUND:
                text = run_cell(cell.source, session, tmp_path)
                if EXPECTED in cell.metadata:
                    check_listing(cell.metadata[EXPECTED], text)


def run_cell(source: str, session: forks.Session, folder: Path) -> str:
    """What the cell prints, standard error first."""
    first, _, rest = source.partition("\n")
    if first.startswith("%%writefile "):
        (folder / first.split()[1]).write_text(f"{rest}\n")
        return ""
    if first != "%%bash":
        return session.run(source)
    words = shlex.split(rest)
    if words[0] in forks.COMMANDS and "\n" not in rest and not set("|<>&;$").intersection(rest):
        done = forks.run_command(words, folder)
    else:
        done = subprocess.run(["bash", "-c", rest], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ESCAPES.sub("", done.stderr + done.stdout)


def test_tutorials_check_what_they_print():
    listings = [EXPECTED in cell.metadata for page in PAGES for cell in notebook(page).cells]
    assert len(PAGES) == 8
    assert sum(listings) > 15


def test_links_of_notebooks_lead_to_files():
    """Notebooks are in a folder of their own, beside the documentation."""
    names = {f"{page.stem}.ipynb" for page in PAGES}
    cells = [cell.source for page in PAGES for cell in notebook(page).cells if cell.cell_type == "markdown"]
    links = [link for text in cells for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if ":" not in link]
    assert any(link in names for link in links) and len(links) > 10
    assert not [link for link in links if link not in names and not (FOLDER / link).resolve().exists()]
