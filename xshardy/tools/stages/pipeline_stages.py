"""The stages of a module under a pipeline: one after each pass, also of the pipelines in it."""

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from xshardy.tools.stages.stage import Program, Stage, module_stage
from xshardy.transforms.pipeline_pass import PipelinePass

INPUT = "input"


def pipeline_stages(name: str, module: ModuleOp, passes: Sequence[ModulePass], context: Context) -> Program:
    """`module`, whose operations have places, as it is and after each of `passes`, up to the first that fails."""
    stages: list[Stage] = [module_stage(INPUT, module)]
    for each in _single(passes):
        try:
            each.apply(context, module)
        except DiagnosticException as error:
            return Program(name, stages, f"{each.name}: {error}")
        stages.append(module_stage(each.name, module))
    return Program(name, stages)


def _single(passes: Sequence[ModulePass]) -> Iterator[ModulePass]:
    for each in passes:
        if isinstance(each, PipelinePass):
            yield from _single(each.passes)
        else:
            yield each
