"""The stages of kernels: as emitted, at each level or after each pass, and as PTX."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import emit_fusion, levels_before_emission
from xshardy.gpus.targets import device_of, target_of
from xshardy.lowering.code_generators import compile_text, kernel_function, ptx_name
from xshardy.lowering.debug_lines import DebugLines
from xshardy.lowering.kernel import LANGUAGES
from xshardy.lowering.llvm_text import module_text
from xshardy.tools.stages.stage import Program, Sources, Stage, module_stage, ptx_stage, sources_of
from xshardy.tools.stages.stage_steps import StepCollector
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED


@dataclass(frozen=True, slots=True)
class KernelStages:
    """What makes the stages of kernels: how they are compiled, and whether there is a stage for each pass."""

    target: str
    math: str
    every_pass: bool

    def of_fusions(self, fusions: Iterable[FusionOp]) -> Iterator[Program]:
        """The kernel of each fusion; if it cannot be compiled, up to there. Operations of fusions have places."""
        for fusion in fusions:
            name = compiler.fusion_name(fusion)
            try:
                module = emit_fusion(fusion, device_of(self.target))
                levels = levels_before_emission(fusion, device_of(self.target))
            except DiagnosticException as error:
                yield Program(name, (), str(error))
            else:
                yield self.of_emitted(name, module, levels)

    def of_emitted(self, name: str, module: ModuleOp, levels: Mapping[str, ModuleOp] | None = None) -> Program:
        """
        An emitted kernel, which is lowered in place, after `levels` before it. Its operations have places.
        """
        stages = [module_stage(level, before) for level, before in (levels or {}).items()]
        try:
            stages.extend(self._stages(name, module))
        except DiagnosticException as error:
            return Program(name, stages, str(error))
        return Program(name, stages)

    def _stages(self, name: str, module: ModuleOp) -> Iterator[Stage]:
        passes: list[Stage] = []

        with StepCollector.of(module) if self.every_pass else nullcontext() as collector:

            def after(name: str, module: ModuleOp, seconds: float) -> None:
                if collector is not None:
                    passes.append(module_stage(name, module, collector.end_pass(name)))

            for level in compiler.lower_by_level(module, target=self.target, math=self.math, observe=after):
                yield from passes
                passes.clear()
                if not self.every_pass or level == EMITTED:
                    yield module_stage(level, module)
        yield self._ptx(module, ptx_name(name))

    def _ptx(self, module: ModuleOp, entry: str) -> Stage:
        """The PTX of a lowered kernel. LLVM's debug locations say which operations its lines come from."""
        numbers: dict[Sources, int] = {(): 0}

        def line_of(op: Operation) -> int:
            return numbers.setdefault(sources_of(op), len(numbers))

        text = module_text(module, DebugLines(line_of))
        compiled = compile_text(text, kernel_function(module).sym_name.data, self.target, entry=entry)
        return ptx_stage(LANGUAGES[target_of(self.target).vendor], compiled.assembly, [*numbers])
