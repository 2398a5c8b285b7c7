"""
Bring the check lines of a FileCheck test up to date with what the tools print now.

    python scripts/bless FILE...

Checks that match stay as they are, and so do RUN lines, comments and negative checks; new lines are written with the
variables of the test. The difference is printed: read it, it is what you say is right. A test that cannot be updated so
that it passes is left as it was, with the reason.
"""

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from check_lines import Refusal
from check_update import updated

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3
"""How often a test is updated before it must pass: inserted lines move those that its output names."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python scripts/bless", description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    refused = 0
    for file in parser.parse_args().files:
        before = file.read_text()
        try:
            after = blessed(file)
        except Refusal as refusal:
            print(f"{file}: not updated: {refusal}", file=sys.stderr)
            refused += 1
            continue
        diff = difflib.unified_diff(before.splitlines(True), after.splitlines(True), str(file), str(file))
        print("".join(diff) or f"{file}: up to date\n", end="")
        file.write_text(after)
    return 1 if refused else 0


def blessed(file: Path) -> str:
    """The text of the test `file` with checks that match. Raises `Refusal`."""
    with tempfile.TemporaryDirectory(prefix="bless-") as folder:
        copy = Path(folder) / file.name
        copy.write_text(file.read_text())
        scripts = run_lines(copy.read_text(), file, copy)
        if not scripts:
            raise Refusal("it has no RUN line")
        for _ in range(ROUNDS):
            failures = [problem for script in scripts if (problem := _update(script, copy)) is not None]
            if not failures:
                return copy.read_text()
        raise Refusal(failures[0])


def run_lines(text: str, file: Path, copy: Path) -> Sequence[str]:
    """The commands of RUN lines, joined at `\\`, with the paths of a `copy` of the test in them."""
    joined = re.sub(r"\\\n[^\n]*?RUN:", "", text)
    paths = {"%s": str(copy), "%S": str(file.resolve().parent), "%t": str(copy.with_name("output"))}
    return [
        re.sub(r"%[sSt]\b", lambda found: shlex.quote(paths[found[0]]), script)
        for script in re.findall(r"RUN: *(.*)", joined)
    ]


def _update(script: str, copy: Path) -> str | None:
    """None if `script` succeeds; else the reason why not, and the checks that it reads are updated in `copy`."""
    if (done := _run(script)).returncode == 0:
        return None
    if (match := re.fullmatch(r"(.*)\| *filecheck +(.*)", script)) is None:
        raise Refusal(f"a RUN line without filecheck fails: {script}\n{done.stderr}")
    if (printed := _run(match[1])).returncode != 0:
        raise Refusal(f"a command of a RUN line fails: {match[1]}\n{printed.stderr}")
    options = re.search(r"--check-prefix(?:es)?[= ](\S+)", match[2])
    prefixes = options[1].split(",") if options else ["CHECK"]
    copy.write_text("\n".join(updated(copy.read_text().split("\n"), prefixes, printed.stdout)))
    done = _run(script)
    return None if done.returncode == 0 else f"the updated checks do not match:\n{done.stdout}{done.stderr}"


def _run(script: str) -> subprocess.CompletedProcess[str]:
    folders = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    environment = {**os.environ, "PATH": os.pathsep.join(folders), "PYTHONPATH": str(ROOT)}
    not_shell = 'not() { ! "$@"; }; set -o pipefail; '
    return subprocess.run(
        ["bash", "-c", not_shell + script], capture_output=True, text=True, check=False, env=environment
    )


if __name__ == "__main__":
    sys.exit(main())
