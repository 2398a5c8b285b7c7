"""
Convert floats of 8 bits with instructions of AMD's GPUs, if the target has them.

Run before `xla-gpu-expand-float-ops`, which expands the remaining conversions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from xshardy.gpus.targets import amd_target_in, target_of
from xshardy.rewriting import PatternPass, Step
from xshardy.transforms.xla_gpu.convert_single_floats import conversion_steps
from xshardy.transforms.xla_gpu.float_instructions import amd_instructions


@dataclass(frozen=True)
class ConvertFloatAmdPass(PatternPass):
    """Convert small floats with instructions, as supported by the GPU that `gpu_device_info` names, if it is AMD's."""

    name = "xla-gpu-convert-float-amd"
    source: ClassVar[str] = "XLA:GPU emitters, the pass of the same name; AMD's ISA documents, `V_CVT_PK_FP8_F32`"
    gpu_device_info: str = ""

    @staticmethod
    def for_target(target: str) -> "ConvertFloatAmdPass":
        """The pass for a target such as `gfx942`. Raises `ValueError` for an unknown one."""
        return ConvertFloatAmdPass(target_of(target).device_info)

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        gpu = amd_target_in(self.gpu_device_info)
        return conversion_steps({} if gpu is None else amd_instructions(gpu.small_floats))
