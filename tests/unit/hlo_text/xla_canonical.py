"""XLA's canonical text of a module: two texts are equal if their canonical texts are. Runs jaxlib in a fork."""

import json
import subprocess
import sys
from collections.abc import Mapping

import pytest

READ_ALL_IN_A_FORK = """
import json, os, sys
from jaxlib import _hlo

options = _hlo.HloPrintOptions()
options.print_large_constants = True
for name, text in json.load(sys.stdin).items():
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            printed = _hlo.hlo_module_from_text(text).to_string(options)
        except Exception as error:
            printed = "XLA complains: " + str(error)
        with os.fdopen(writer, "w") as out:
            out.write(printed)
        os._exit(0)
    os.close(writer)
    printed = os.fdopen(reader).read()
    os.wait()
    print(json.dumps([name, printed or "XLA aborted"]))
"""


def canonical(texts: Mapping[str, str]) -> dict[str, str]:
    """What XLA prints of each of `texts`, or its complaint. Skips the test without jaxlib."""
    pytest.importorskip("jaxlib")
    command = [sys.executable, "-c", READ_ALL_IN_A_FORK]
    done = subprocess.run(command, input=json.dumps(dict(texts)), capture_output=True, text=True, check=True)
    return dict(json.loads(line) for line in done.stdout.splitlines())


def assert_round_trips(texts: Mapping[str, str], printed: Mapping[str, str]) -> None:
    """XLA reads what was `printed` of each of `texts` as the same module."""
    expected, found = canonical(texts), canonical(printed)
    for name, text in expected.items():
        assert not text.startswith("XLA "), f"{name}: {text}"
        assert found[name] == text, name
