"""The tutorials work as written: their notebooks run in an empty folder, and print what the pages say."""

import os
import re
import sys
from pathlib import Path

import pytest
from listings import check_listing

pytest.importorskip("nbclient", reason="it is in the extra `test`")

from nbclient import NotebookClient
from nbformat import NotebookNode
from notebooks import EXPECTED, PAGES, notebook

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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tutorials_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    without_ours = [path for path in os.environ["PATH"].split(os.pathsep) if Path(path) != Path(sys.executable).parent]
    monkeypatch.setenv("PATH", os.pathsep.join(without_ours))
    monkeypatch.setenv("COLUMNS", "140")
    book = notebook(page)
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in book.cells:
        if EXPECTED in cell.metadata:
            check_listing(cell.metadata[EXPECTED], printed(cell))


def test_tutorials_check_what_they_print():
    listings = [EXPECTED in cell.metadata for page in PAGES for cell in notebook(page).cells]
    assert len(PAGES) == 5
    assert sum(listings) > 15
