"""The page about a file: its kernels, or the program in it under a pipeline."""

from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.lexer import Span

from xshardy import compiler
from xshardy.dialects.discardable import verify
from xshardy.hlo_text import parse_hlo
from xshardy.syntax.parser import Parser
from xshardy.syntax.resources import parse_with_resources
from xshardy.tools.pipelines import passes_of
from xshardy.tools.program_text import is_hlo
from xshardy.tools.source_program import source_program
from xshardy.tools.stages.kernel_stages import KernelStages
from xshardy.tools.stages.page import page
from xshardy.tools.stages.pipeline_stages import pipeline_stages
from xshardy.tools.stages.stage import Stage, place_at_lines, source_stage
from xshardy.tools.usage import UsageError
from xshardy.universe import installed_passes, new_context

PROPAGATION = "sdy-propagation-pipeline"
"""The pipeline of a program that has no kernels."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file, and its module, whose operations have the places of their lines."""

    name: str
    stage: Stage
    module: ModuleOp


def read_source(text: str, name: str, *, as_hlo: bool) -> Source:
    """Read and verify `text`. Raises the exceptions of the parsers."""
    if as_hlo:
        spans: dict[Operation, Span] = {}
        module = parse_hlo(text, name, spans)
        place_at_lines(spans)
    else:
        parser = Parser(new_context(), text, name)
        module = parse_with_resources(parser)
        verify(module)
        place_at_lines(parser.spans)
    return Source(name, source_stage("HLO" if as_hlo else "MLIR", text), module)


def has_kernels(source: Source) -> bool:
    """Whether there are fusions, or a kernel that is emitted."""
    return compiler.is_emitted(source.module) or bool(compiler.fusions(source.module))


def kernels_page(source: Source, how: KernelStages, fusion: str | None, *, side_by_side: bool) -> str:
    """The kernels of `source`, or that of one fusion. Raises `FusionNotFoundError`."""
    if compiler.is_emitted(source.module):
        programs = [how.of_emitted(Path(source.name).stem, source.module)]
    else:
        programs = [*how.of_fusions(compiler.select_fusions(source.module, fusion))]
    return page(source.name, source.stage, programs, side_by_side=side_by_side)


def pipeline_page(text: str, name: str, pipeline: str) -> str:
    """A program after each pass of `pipeline`. Raises `UsageError` for an unknown pass, and as `source_program`."""
    context = new_context()
    try:
        passes = passes_of(pipeline, installed_passes())
    except ValueError as error:
        raise UsageError(f"error: {error}") from None
    program = source_program(text, name, context)
    place_at_lines(program.names.spans)
    with program.diagnostics():
        if program.is_hlo:
            program.import_shardings(context)
        stages = pipeline_stages(name, program.module, passes, context)
    return page(name, source_stage("HLO" if is_hlo(text) else "MLIR", text), [stages], side_by_side=False)
