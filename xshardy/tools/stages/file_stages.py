"""The page about the kernels of a file."""

from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.lexer import Span

from xshardy import compiler
from xshardy.hlo_text import parse_hlo
from xshardy.programs.inner_programs import program_in
from xshardy.programs.program import read_program
from xshardy.programs.source import Source
from xshardy.tools.stages.kernel_stages import KernelStages
from xshardy.tools.stages.page import page
from xshardy.tools.stages.stage import Stage, place_at_lines, source_stage


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A file, and its module, whose operations have the places of their lines."""

    name: str
    stage: Stage
    module: ModuleOp


def staged_file(source: Source, *, as_hlo: bool) -> StagedFile:
    """Read and verify the text of `source`. Raises the exceptions of the parsers."""
    text, name = source.text, source.name
    if as_hlo:
        spans: dict[Operation, Span] = {}
        module = parse_hlo(text, name, spans)
        place_at_lines(spans)
    else:
        program = read_program(source)
        module = program.module
        place_at_lines(program.names.spans)
    return StagedFile(name, source_stage("HLO" if as_hlo else "MLIR", text), program_in(module, source))


def has_kernels(file: StagedFile) -> bool:
    """Whether there are fusions, or a kernel that is emitted."""
    return compiler.is_emitted(file.module) or bool(compiler.fusions(file.module))


def kernels_page(file: StagedFile, how: KernelStages, fusion: str | None, *, side_by_side: bool) -> str:
    """The kernels of `file`, or that of one fusion. Raises `FusionNotFoundError`."""
    if compiler.is_emitted(file.module):
        programs = [how.of_emitted(Path(file.name).stem, file.module)]
    else:
        programs = [*how.of_fusions(compiler.select_fusions(file.module, fusion))]
    return page(file.name, file.stage, programs, side_by_side=side_by_side)
