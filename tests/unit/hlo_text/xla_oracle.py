"""XLA's own parser of HLO text, from jaxlib. It may abort the process on bad input, so each text is read in a fork."""

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest

READ_EACH_IN_A_FORK = """
import json, os, sys
from jaxlib import _hlo

for text in json.load(sys.stdin):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            _hlo.hlo_module_from_text(text)
            complaint = ""
        except Exception as error:
            complaint = str(error)
        os.write(writer, complaint.encode()[:10000])
        os._exit(0)
    os.close(writer)
    complaint = os.fdopen(reader).read()
    _, status = os.wait()
    print(json.dumps(complaint or ("" if status == 0 else "XLA aborted")))
"""


def xla_errors(texts: Sequence[str]) -> list[str]:
    """XLA's error for each of `texts`; an empty string if there is none. Skips the test without jaxlib."""
    pytest.importorskip("jaxlib")
    command = [sys.executable, "-c", READ_EACH_IN_A_FORK]
    done = subprocess.run(command, input=json.dumps(list(texts)), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
