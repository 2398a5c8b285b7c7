"""
XLA's own parser and printer of HLO text, from jaxlib.

XLA may abort the process on bad input, so each text is read in a fork, of a process that has imported jaxlib.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from functools import cache

import pytest

READ_EACH_IN_A_FORK = """
import json, os, sys
from jaxlib import _hlo

options = _hlo.HloPrintOptions()
options.print_large_constants = True
for line in sys.stdin:
    text, prints = json.loads(line)
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            module = _hlo.hlo_module_from_text(text)
            answer = "", module.to_string(options) if prints else ""
        except Exception as error:
            answer = str(error) or "no message", ""
        with os.fdopen(writer, "w") as out:
            json.dump(answer, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as out:
        answer = out.read()
    os.wait()
    print(answer or json.dumps(["XLA aborted", ""]), flush=True)
"""


@cache
def _reader() -> subprocess.Popen[str]:
    """The process that is asked. It ends with this one, which has the only end of its standard input."""
    command = [sys.executable, "-c", READ_EACH_IN_A_FORK]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def read_by_xla(text: str, *, prints: bool) -> tuple[str, str]:
    """XLA's error for `text`, empty if there is none, and its text of the module. Skips the test without jaxlib."""
    pytest.importorskip("jaxlib")
    process = _reader()
    assert process.stdin is not None and process.stdout is not None
    print(json.dumps([text, prints]), file=process.stdin, flush=True)
    error, printed = json.loads(process.stdout.readline())
    return error, printed


def xla_errors(texts: Sequence[str]) -> list[str]:
    """XLA's error for each of `texts`; an empty string if there is none. Skips the test without jaxlib."""
    return [read_by_xla(text, prints=False)[0] for text in texts]
