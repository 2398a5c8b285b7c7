"""What we print, we read, and print the same: over every input of the FileCheck tests, in both forms."""

from pathlib import Path

import pytest

from xshardy.tools.input_chunks import SEPARATOR
from xshardy.tools.xshardy_opt import run

FILECHECK = Path(__file__).parents[2] / "filecheck"
PER_PROCESS = "resources.mlir"
"""xDSL keeps resources for the whole process, and renames one of a name that was read before."""
INPUTS = sorted(path for path in FILECHECK.rglob("*.mlir") if path.name != PER_PROCESS)
UNREGISTERED = "--allow-unregistered-dialect"


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: str(path.relative_to(FILECHECK)))
def test_printing_is_a_fixed_point(path: Path):
    for chunk in path.read_text().split(SEPARATOR):
        status, printed, _ = run([UNREGISTERED], chunk)
        if status:
            continue  # an input that must be rejected
        status, again, complaint = run([UNREGISTERED], printed)
        assert (status, complaint) == (0, "")
        assert again == printed
        status, generic, _ = run([UNREGISTERED, "--print-op-generic"], printed)
        status, pretty, complaint = run([UNREGISTERED], generic)
        assert (status, complaint) == (0, "")
        assert pretty == printed
