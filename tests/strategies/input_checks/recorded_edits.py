"""The edits that are recorded of the passes of a file lead from its module to what each pass leaves."""

from contextlib import suppress
from pathlib import Path

from input_checks.reported_changes import SEPARATOR, pipelines
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from xshardy.rewriting.observer import observed
from xshardy.syntax import parse_module, print_module
from xshardy.tools.pipelines import passes_of
from xshardy.tools.steps.document import Document
from xshardy.tools.steps.recorder import Recorder
from xshardy.universe import installed_passes, new_context


def replay(passes: tuple[ModulePass, ...], text: str) -> None:
    """Run `passes` on the module of `text`; after each, compare the module with the edits so far, read as text."""
    ctx = new_context()
    ctx.allow_unregistered = True
    module = parse_module(text, ctx=ctx)
    recorder = Recorder(module)
    document = Document()
    for edit in recorder.start:
        document.apply(edit)
    with observed(module, recorder):
        for each in passes:
            done = len(recorder.passes)
            each.apply(ctx, module)
            recorder.end_pass(each.name)
            for edit in (edit for inner in recorder.passes[done:] for step in inner.steps for edit in step.edits):
                document.apply(edit)
            shown = "\n".join(document.lines())
            assert print_module(parse_module(shown, ctx=ctx)) == print_module(module), f"after {each.name}:\n{shown}"


def check(path: Path) -> None:
    """The passes of the RUN lines of `path`, on its modules."""
    for pipeline in pipelines(path):
        for text in SEPARATOR.split(path.read_text()):
            with suppress(DiagnosticException):  # some inputs are invalid, or refused
                replay(passes_of(pipeline, installed_passes()), text)
