"""
The questions of the playground (docs/playground) about the text of one program, each answered as JSON.

A browser asks them in a worker, where only xDSL is installed; the answers are what the commands print.
"""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from xshardy.planning.plan import plan_program
from xshardy.planning.topology import H100
from xshardy.programs.partitioned import partition_module
from xshardy.programs.program import read_program
from xshardy.programs.sharded import shard
from xshardy.programs.source import Source
from xshardy.syntax import print_module
from xshardy.tools.diagnostics import describe
from xshardy.tools.explain.page import page
from xshardy.tools.output import print_diagnostic
from xshardy.tools.placed_diagnostics import imported_program
from xshardy.tools.plan import print_plan
from xshardy.tools.stages.pipeline_page import pipeline_page

MOST = 10
"""The most collectives and tensors of a plan."""

PIPELINE = "sdy-propagation-pipeline,sdy-partitioner-pipeline"
"""The passes that a page shows first."""

DIAGNOSTIC = re.compile(r"^program:(\d+)(?::(\d+))?: (error|warning): (.*)$", re.MULTILINE)
"""The place and the first line of a diagnostic about the text, which is called `program`."""


def shardings(source: Source, option: str) -> str:
    """The page of `xshardy explain --html`: shardings as chips, and their origins."""
    with imported_program(source) as program:
        return page(shard(program), source.name, None)


def plan(source: Source, option: str) -> str:
    """What `xshardy plan --topology h100x8` prints."""
    with redirect_stdout(StringIO()) as printed, imported_program(source) as program:
        print_plan(plan_program(program), MOST, H100)
    return printed.getvalue()


def device(source: Source, option: str) -> str:
    """The program of one device, as `xshardy.partition` gives it."""
    with imported_program(source) as program:
        return str(partition_module(program.module, program.context))


def stages(source: Source, option: str) -> str:
    """The page of `xshardy explore -p OPTION`."""
    return pipeline_page(source, option)


def kernel(source: Source, option: str) -> str:
    """What `xshardy emit --fuse-entry --math expanded --level OPTION` prints."""
    from xshardy import compiler
    from xshardy.emitters import emit_fusion
    from xshardy.gpus.capability import DEFAULT_TARGET
    from xshardy.gpus.targets import device_of
    from xshardy.hlo_text import parse_hlo
    from xshardy.transforms.hlo.split_dynamic_borders import SplitDynamicBordersPass

    module = parse_hlo(source.text, source.name) if source.is_hlo else read_program(source).module
    SplitDynamicBordersPass().rewrite_module(module)
    kernels = [module]
    if not compiler.is_emitted(module):
        kernels = [emit_fusion(fusion, device_of(DEFAULT_TARGET)) for fusion in compiler.select_fusions(module)]
    return "// -----\n".join(print_module(compiler.lower(each, option, math="expanded")) for each in kernels)


def judge(source: Source, option: str) -> str:
    """What `xshardy puzzle` prints about an answer to the puzzle OPTION."""
    from xshardy.tools.puzzles.puzzle import Puzzle

    return Puzzle(option).judge(source)[1]


QUESTIONS: Mapping[str, Callable[[Source, str], str]] = {
    "shardings": shardings,
    "plan": plan,
    "device": device,
    "passes": stages,
    "kernel": kernel,
    "puzzle": judge,
}
"""What answers each question about a source. The last three have an option: passes, a level, the name of a puzzle."""


def answer(question: str, text: str, option: str = "") -> str:
    """
    JSON: `answer`, a page or a text, or null after an error; `said`, the diagnostics as the command prints them; and
    those about a line, as `[{"line", "column", "severity", "message"}]`, with `column` null where it is unknown.
    """
    source = Source(text, "program")
    found = None
    with redirect_stderr(StringIO()) as said:
        try:
            found = QUESTIONS[question](source, option)
        except Exception as error:
            print_diagnostic(describe(error, source.name))
    return json.dumps({"answer": found, "said": said.getvalue(), "diagnostics": _diagnostics(said.getvalue())})


def _diagnostics(said: str) -> list[dict[str, object]]:
    return [
        {"line": int(line), "column": int(column) if column else None, "severity": severity, "message": message}
        for line, column, severity, message in DIAGNOSTIC.findall(said)
    ]
