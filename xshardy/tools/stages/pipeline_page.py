"""The page about a program under a pipeline of passes."""

from xshardy.programs.program import read_program
from xshardy.programs.source import Source
from xshardy.tools.pipelines import passes_of
from xshardy.tools.placed_diagnostics import diagnostics_of
from xshardy.tools.stages.page import page
from xshardy.tools.stages.pipeline_stages import pipeline_stages
from xshardy.tools.stages.stage import place_at_lines, source_stage
from xshardy.tools.usage import UsageError
from xshardy.universe import installed_passes


def pipeline_page(source: Source, pipeline: str) -> str:
    """A program after each pass of `pipeline`. Raises `UsageError` for an unknown pass, and as `read_program`."""
    try:
        passes = passes_of(pipeline, installed_passes())
    except ValueError as error:
        raise UsageError(f"error: {error}") from None
    program = read_program(source)
    place_at_lines(program.names.spans)
    with diagnostics_of(program):
        if source.is_hlo:
            program.import_shardings()
        stages = pipeline_stages(source.name, program.module, passes, program.context)
    notation = "HLO" if source.is_hlo else "MLIR"
    return page(source.name, source_stage(notation, source.text), [stages], side_by_side=False)
