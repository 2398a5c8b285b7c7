"""
How pytest and lit run RUN lines: our tools, `xdsl-opt` and `filecheck` in their own workers, anything else by a shell.

Starting Python and importing xDSL takes longer than most tests do: 411 files take 20 s in two workers, and 210 s with a
process per command.
"""

import io
import re
import subprocess
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


def run_xdsl_opt(arguments: Sequence[str]) -> int:
    from xdsl.xdsl_opt_main import xDSLOptMain

    xDSLOptMain(args=arguments).run()
    return 0


TOOLS: dict[str, Callable[[Sequence[str]], int]] = {
    "filecheck": run_filecheck,
    "xdsl-opt": run_xdsl_opt,
    "xshardy": run_xshardy,
    "xshardy-opt": run_xshardy_opt,
}
PROGRAMS = ("mkdir", "rm", "sed")
"""Other commands, each a process."""
ERRORS, WRITES, READS = (">&", 2), (">",), ("<",)
"""The redirections that are understood here, in this order: `2>&1`, `>` and `<`."""


def pipelines_in(script: Sequence[str]) -> list[Pipeline] | None:
    """The pipelines of a script whose commands are all understood; `None` for any other script."""
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
    if not all(isinstance(word, str) for word in command.args):
        return False
    kinds = [kind for kind, _ in command.redirects]
    is_known = kinds == [kind for kind in (ERRORS, WRITES, READS) if kind in kinds]
    return is_known and _tool_and_arguments(command)[0] in (*TOOLS, *PROGRAMS)


def _tool_and_arguments(command: Command) -> tuple[str, list[str]]:
    tool, *arguments = command.args[1:] if command.args[0] == "not" else command.args
    return tool, arguments


def run_pipeline(pipeline: Pipeline) -> tuple[int, str]:
    """The status of the first command that fails (else 0), and what the pipeline writes that no command reads."""
    text, failure, errors = "", 0, io.StringIO()
    for command in pipeline.commands:
        files = dict(command.redirects)
        if READS in files:
            text = Path(files[READS]).read_text()
        piped = io.StringIO()
        out = io.StringIO() if WRITES in files else piped
        with _streams(text, out, piped if ERRORS in files else errors):
            status = _exit_status(*_tool_and_arguments(command))
        if WRITES in files:
            Path(files[WRITES]).write_text(out.getvalue())
        text = piped.getvalue()
        failure = failure or (int(status == 0) if command.args[0] == "not" else status)
    return failure, text + errors.getvalue()


@contextmanager
def _streams(text: str, out: io.StringIO, errors: io.StringIO):
    """Standard input gives `text`."""
    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        with redirect_stdout(out), redirect_stderr(errors):
            yield
    finally:
        sys.stdin = stdin


def _exit_status(tool: str, arguments: Sequence[str]) -> int:
    if tool in PROGRAMS:
        done = subprocess.run([tool, *arguments], input=sys.stdin.read(), capture_output=True, text=True, check=False)
        sys.stdout.write(done.stdout)
        sys.stderr.write(done.stderr)
        return done.returncode
    try:
        return TOOLS[tool](arguments)
    except SystemExit as exit:
        return exit.code if isinstance(exit.code, int) else int(exit.code is not None)


class InProcessTest(ShTest):
    """A FileCheck test that runs in the process of its worker if its RUN lines are understood."""

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
    return path.suffix in SUFFIXES and not {EXCLUDED, "Output"}.intersection(path.parts)


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
