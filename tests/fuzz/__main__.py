"""
`python tests/fuzz`: random inputs for the tools, in processes of their own, until their number is reached.

A finding is an internal error, a crash of the process, more than 10 s or 1 GB, a pass that makes an invalid module, or
text that is printed and not read back. Findings are reported once per place, made smaller, and kept in the folder
`.fuzz`, together with how far the run has come: the next run goes on from there.
"""

import argparse
import json
import multiprocessing
import sys
from dataclasses import asdict
from hashlib import sha1
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic

from execution import Finding, limit_memory, run, warm_up
from inputs import KINDS, Input, make_input
from minimising import minimised
from rich.console import Console
from rich.markup import escape

CHUNK = 2_000  # inputs per process: memory that an input leaves behind is given back
SILENT_SECONDS = 120  # a process that does not finish an input in this time hangs outside of Python
FORK = multiprocessing.get_context("fork")


class Session:
    """How far each kind has come, and the places found, in a folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._state = folder / "state.json"
        self.done: dict[str, int] = dict.fromkeys(KINDS, 0)
        if self._state.exists():
            self.done |= json.loads(self._state.read_text())

    def finished(self, kind: str, count: int) -> None:
        self.done[kind] += count
        self._state.write_text(json.dumps(self.done, indent=2) + "\n")

    def findings(self) -> list[Path]:
        return sorted(self.folder.glob("??????????.json"))

    def record(self, kind: str, number: int, given: Input, finding: Finding) -> bool:
        """Write a finding to its file. False if its place is known already."""
        path = self.folder / f"{sha1(finding.place.encode()).hexdigest()[:10]}.json"
        if path.exists():
            return False
        record = {"kind": kind, "number": number, **asdict(finding), **asdict(given)}
        path.write_text(json.dumps(record, indent=2) + "\n")
        return True


def run_chunk(kind: str, start: int, count: int, folders: tuple[Path, ...], reached, connection: Connection) -> None:
    """Run inputs `start` to `start + count`; send each finding as (number, input, finding)."""
    limit_memory()
    seen: set[str] = set()
    for number in range(start, start + count):
        reached.value = number
        given = make_input(kind, number, folders)
        finding = run(given)
        if finding is not None and finding.place not in seen:
            seen.add(finding.place)
            connection.send((number, minimised(given, finding.place), finding))
    reached.value = start + count


def fuzz_chunk(session: Session, kind: str, count: int, folders: tuple[Path, ...], console: Console) -> None:
    """Run the next `count` inputs of `kind` in a child process; if an input ends it, go on with the next in another."""
    start = session.done[kind]
    end = start + count
    while start < end:
        receiving, sending = FORK.Pipe(duplex=False)
        reached = FORK.Value("q", start)
        child = FORK.Process(target=run_chunk, args=(kind, start, end - start, folders, reached, sending))
        child.start()
        sending.close()
        _collect(session, kind, receiving, child, reached, console)
        child.join()
        if reached.value < end:
            finding = Finding(f"process ended with {child.exitcode}", f"exit status {child.exitcode}")
            _report(session, kind, reached.value, make_input(kind, reached.value, folders), finding, console)
        session.finished(kind, min(reached.value + 1, end) - start)
        start = session.done[kind]


def _collect(session: Session, kind: str, receiving: Connection, child, reached, console: Console) -> None:
    """Report findings until the child ends; kill it if it stays with one input for too long."""
    number, since = reached.value, monotonic()
    while True:
        if wait([receiving], timeout=1):
            try:
                _report(session, kind, *receiving.recv(), console)
            except EOFError:
                return
        if reached.value != number:
            number, since = reached.value, monotonic()
        elif monotonic() - since > SILENT_SECONDS:
            child.kill()


def _report(session: Session, kind: str, number: int, given: Input, finding: Finding, console: Console) -> None:
    if session.record(kind, number, given, finding):
        command = escape(" ".join((given.tool, *given.arguments)))
        console.print(f"[red]{kind} {number}[/red] {escape(finding.place)}\n  {command}", highlight=False)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description=__doc__)
    parser.add_argument(
        "--inputs", type=int, default=10_000, help="run until so many inputs have run (default: %(default)s)"
    )
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS), help="default: all")
    parser.add_argument("--seeds", nargs="*", type=Path, default=[], metavar="DIR", help="more folders of seeds")
    parser.add_argument(
        "--folder", type=Path, default=Path(".fuzz"), help="of findings and state (default: %(default)s)"
    )
    parser.add_argument("--recheck", action="store_true", help="run the inputs of findings only, and drop mended ones")
    parser.add_argument("--repeat", nargs=2, metavar=("KIND", "NUMBER"), help="run one input and show its text")
    arguments = parser.parse_args()
    console = Console()
    folders = tuple(arguments.seeds)
    if arguments.repeat:
        return repeat(arguments.repeat[0], int(arguments.repeat[1]), folders)
    session = Session(arguments.folder)
    if arguments.recheck:
        return recheck(session, console)
    warm_up(make_input(kind, number, folders) for kind in arguments.kinds for number in range(20))
    while (missing := arguments.inputs - sum(session.done.values())) > 0:
        kind = min(arguments.kinds, key=lambda kind: session.done[kind] / KINDS[kind].share)
        fuzz_chunk(session, kind, min(CHUNK, missing), folders, console)
    findings = len(session.findings())
    console.print(f"{sum(session.done.values())} inputs so far {session.done}, {findings} findings in {session.folder}")
    return int(findings > 0)


def recheck(session: Session, console: Console) -> int:
    """Run the input of each finding again. Removes those that are mended; returns 1 if any is left."""
    for path in session.findings():
        record = json.loads(path.read_text())
        finding = run(Input(record["tool"], tuple(record["arguments"]), record["text"]))
        console.print(
            f"{'mended' if finding is None else 'open'} {path.name} {escape(record['place'])}", highlight=False
        )
        if finding is None:
            path.unlink()
    return int(bool(session.findings()))


def repeat(kind: str, number: int, folders: tuple[Path, ...]) -> int:
    given = make_input(kind, number, folders)
    finding = run(given)
    print(given.tool, *given.arguments, "\n" + given.text)
    print(finding.details if finding else "no finding")
    return int(finding is not None)


if __name__ == "__main__":
    sys.exit(main())
