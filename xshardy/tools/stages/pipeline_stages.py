"""The stages of a module under a pipeline: one after each pass, also of the pipelines in it."""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from xshardy.tools.pipelines import single_passes
from xshardy.tools.stages.stage import Program, Stage, module_stage
from xshardy.tools.stages.stage_steps import StepCollector

INPUT = "input"


def pipeline_stages(name: str, module: ModuleOp, passes: Sequence[ModulePass], context: Context) -> Program:
    """`module`, whose operations have places, as it is and after each of `passes`, up to the first that fails."""
    stages: list[Stage] = [module_stage(INPUT, module)]
    with StepCollector.of(module) as collector:
        for each in single_passes(passes):
            try:
                each.apply(context, module)
            except DiagnosticException as error:
                return Program(name, stages, f"{each.name}: {error}")
            stages.append(module_stage(each.name, module, collector.end_pass(each.name)))
    return Program(name, stages)
