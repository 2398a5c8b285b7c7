"""
How pytest and lit run RUN lines: pipelines of our tools and `filecheck` in their own workers, others as a shell test.

Starting Python and importing xDSL takes longer than most tests do: 411 files take 20 s in two workers, and 210 s with a
process per command.
"""

import io
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import filecheck.main
from lit import Test, TestRunner
from lit.discovery import find_tests_for_inputs
from lit.formats import ShTest
from lit.LitConfig import LitConfig
from lit.ShCommands import Command, Pipeline, Seq
from lit.ShUtil import ShParser
from xdsl.ir import Attribute

SUFFIXES = (".mlir", ".hlo")
EXCLUDED = "Inputs"
"""The name of folders without tests."""


def run_filecheck(arguments: Sequence[str]) -> int:
    filecheck.main.main(["filecheck", *arguments])
    return 0


# The tools are imported when a command runs: tests/mutation reads this file before the module with the fault is there.
def run_xshardy(arguments: Sequence[str]) -> int:
    from xshardy.tools import cli

    return cli.main(arguments)


def run_xshardy_opt(arguments: Sequence[str]) -> int:
    from xshardy.tools import xshardy_opt

    verify_attributes = Attribute.__post_init__  # xDSL replaces it permanently under --disable-verify
    try:
        return xshardy_opt.main(arguments)
    finally:
        Attribute.__post_init__ = verify_attributes


TOOLS: dict[str, Callable[[Sequence[str]], int]] = {
    "filecheck": run_filecheck,
    "xshardy": run_xshardy,
    "xshardy-opt": run_xshardy_opt,
}
REDIRECTIONS = ([], [((">&", 2), "1")])
"""The redirections of a command that are understood here: none, and `2>&1`."""


def pipelines_in(script: Sequence[str]) -> list[Pipeline] | None:
    """The pipelines of a script whose commands are all tools of ours; `None` for any other script."""
    pipelines: list[Pipeline] = []
    for line in script:
        match = re.fullmatch(TestRunner.kPdbgRegex, line)
        pending = [ShParser(match.group(2) if match else line).parse()]
        while pending:
            node = pending.pop(0)
            if isinstance(node, Seq) and node.op == "&&":
                pending[:0] = [node.lhs, node.rhs]
            elif isinstance(node, Pipeline) and all(_is_ours(command) for command in node.commands):
                pipelines.append(node)
            else:
                return None
    return pipelines


def _is_ours(command: Command) -> bool:
    words = all(isinstance(word, str) for word in command.args)
    return words and _tool_and_arguments(command)[0] in TOOLS and command.redirects in REDIRECTIONS


def _tool_and_arguments(command: Command) -> tuple[str, list[str]]:
    tool, *arguments = command.args[1:] if command.args[0] == "not" else command.args
    return tool, arguments


def run_pipeline(pipeline: Pipeline) -> tuple[int, str]:
    """The status of the first command that fails (else 0), and what the pipeline writes that no command reads."""
    text, failure, errors = "", 0, io.StringIO()
    for command in pipeline.commands:
        with _streams(text, errors, merged=bool(command.redirects)) as out:
            status = _exit_status(*_tool_and_arguments(command))
        text = out.getvalue()
        failure = failure or (int(status == 0) if command.args[0] == "not" else status)
    return failure, text + errors.getvalue()


@contextmanager
def _streams(text: str, errors: io.StringIO, merged: bool):
    """Standard input gives `text`; yields standard output, to which standard error is `merged` on request."""
    out, stdin = io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        with redirect_stdout(out), redirect_stderr(out if merged else errors):
            yield out
    finally:
        sys.stdin = stdin


def _exit_status(tool: str, arguments: Sequence[str]) -> int:
    try:
        return TOOLS[tool](arguments)
    except SystemExit as exit:
        return exit.code if isinstance(exit.code, int) else int(exit.code is not None)


class InProcessTest(ShTest):
    """A FileCheck test that runs in the process of lit's worker if its RUN lines call our tools only."""

    def execute(self, test, litConfig):
        script = TestRunner.parseIntegratedTestScript(test)
        if isinstance(script, Test.Result):
            return script
        directory, base = TestRunner.getTempPaths(test)
        substitutions = TestRunner.getDefaultSubstitutions(test, directory, base)
        pipelines = pipelines_in(TestRunner.applySubstitutions(script, substitutions))
        if pipelines is None:
            return super().execute(test, litConfig)
        Path(directory).mkdir(parents=True, exist_ok=True)
        for pipeline in pipelines:
            status, text = run_pipeline(pipeline)
            if status:
                commands = " | ".join(" ".join(command.args) for command in pipeline.commands)
                return Test.Result(Test.FAIL, f"{commands}\nexit status {status}\n{text}")
        return Test.Result(Test.PASS)


def is_test(path: Path) -> bool:
    return path.suffix in SUFFIXES and EXCLUDED not in path.parts


def failure_of(path: Path) -> str | None:
    """What lit says of the test at `path` if it fails. Raises what a tool raises."""
    config = _config()
    (test,) = find_tests_for_inputs(config, [str(path)])
    result = test.config.test_format.execute(test, config)
    return f"{result.code.name}\n{result.output}" if result.code.isFailure else None


@cache
def _config() -> LitConfig:
    return LitConfig(
        "lit",
        path=[],
        diagnostic_level="error",
        useValgrind=False,
        valgrindLeakCheck=False,
        valgrindArgs=[],
        noExecute=False,
        debug=False,
        isWindows=False,
        order="lexical",
        params={},
    )
