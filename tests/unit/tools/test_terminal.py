"""What commands do on a terminal: colours, tables as wide as it, and the names of the files that they write."""

import os
import pty
import re
import sys
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

import pytest
from rich.table import Table

from xshardy.tools.console import DataConsole

EXAMPLES = Path(__file__).parents[3] / "examples"
COLOUR = re.compile(r"\x1b\[[0-9;]+m")
RUN = "import sys; from xshardy.tools.entry import xshardy, xshardy_opt; sys.exit({}())"


def shown_on_terminal(command: str, arguments: Sequence[str], environment: Mapping[str, str]) -> str:
    """What a terminal gets from a command, on both streams."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update({"TERM": "xterm", **environment})
        os.execv(sys.executable, [sys.executable, "-c", RUN.format(command), *arguments])
    pieces: list[bytes] = []
    try:
        while piece := os.read(terminal, 1 << 16):
            pieces.append(piece)
    except OSError:  # Linux, where macOS has an end of the file
        pass
    os.close(terminal)
    assert os.waitpid(child, 0)[1] == 0
    return b"".join(pieces).decode().replace("\r\n", "\n")


@pytest.mark.parametrize(("environment", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_mlir_has_colours_on_a_terminal(environment: Mapping[str, str], is_coloured: bool):
    shown = shown_on_terminal("xshardy_opt", [str(EXAMPLES / "mlp.mlir")], environment)
    assert (COLOUR.search(shown) is not None) == is_coloured
    assert "stablehlo.tanh %0" in COLOUR.sub("", shown)


def test_files_are_named_on_a_terminal(tmp_path: Path):
    shown = shown_on_terminal("xshardy_opt", [str(EXAMPLES / "mlp.mlir"), "-o", str(tmp_path / "o.mlir")], {})
    assert f"wrote {tmp_path}/o.mlir" in shown
    assert COLOUR.search((tmp_path / "o.mlir").read_text()) is None


def test_a_table_loses_nothing_on_a_narrow_terminal():
    out = StringIO()
    table = Table("tensor", "type", box=None)
    table.add_row("%0 Block_0/query/dot_general (a_model_with_a_long_name.py:42)", "tensor<1024x2048x4096xf32>")
    DataConsole(width=40, file=out).print(table)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 40 and "…" not in out.getvalue()
    together = "".join(line[:20].strip() for line in lines) + "".join(line[20:].strip() for line in lines)
    for word in ("Block_0", "42)", "xf32>"):
        assert word in together
