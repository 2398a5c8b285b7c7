"""What holds for inputs of FileCheck tests: passes on all, syntax of `WITH_SYNTAX`. A failure says in which step."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from input_checks import (
    reported_changes,
    round_trip,
    same_text_with_templates,
    same_tokens,
    same_with_templates,
)
from input_checks.inputs import FILECHECK, INPUTS, WITH_SYNTAX
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.utils.exceptions import ParseError, VerifyException

from xshardy.rewriting import PatternPass
from xshardy.tools.input_chunks import SEPARATOR
from xshardy.universe import XSHARDY_UNIVERSE

PER_PROCESS = "resources.mlir"
"""xDSL keeps resources for the whole process, and renames one of a name that was read before."""


@contextmanager
def step(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(f"in the step `{name}`")
        raise


@pytest.mark.hypothesis
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", [path.relative_to(FILECHECK).as_posix() for path in INPUTS])
def test_inputs(file: str):
    path = FILECHECK / file
    if path in WITH_SYNTAX:
        check_syntax(path)
    with step("changes by passes"):
        reported_changes.check(path)


def check_syntax(path: Path) -> None:
    text = path.read_text()
    with step("tokens"):
        same_tokens.check(text)
    for number, chunk in enumerate(text.split(SEPARATOR)):
        if path.name != PER_PROCESS:
            with step(f"templates of the parser, chunk {number}"):  # each line again: symbols may be defined twice
                same_with_templates.check(f"{chunk}\n{chunk}")
        tool = round_trip.Tool()
        try:
            module = tool.read(chunk)
        except (ParseError, VerifyException):
            continue  # an input that must be rejected
        if path.name != PER_PROCESS:
            with step(f"round trip, chunk {number}"):
                round_trip.check(tool, module)
        with step(f"templates of the printer, chunk {number}"):
            same_text_with_templates.check_with_copy(module, tool.ctx.loaded_dialects)


def test_a_filecheck_file_runs_each_pass():
    passes = (name for name, load in XSHARDY_UNIVERSE.all_passes.items() if issubclass(load(), PatternPass))
    pipelines = (pipeline for path in INPUTS for pipeline in reported_changes.pipelines(path))
    assert not {*passes}.difference(spec.name for pipeline in pipelines for spec in parse_pipeline(pipeline))
