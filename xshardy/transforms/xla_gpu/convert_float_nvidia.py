"""
Convert floats of 4 and 8 bits with instructions of NVIDIA GPUs, if the target has them.

An instruction converts a pair of floats. Adjacent elements of a vector form a pair; any other float is the lower one of
a pair whose upper one is unused. Run before `xla-gpu-expand-float-ops`, which expands the remaining conversions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from xshardy.gpus.capability import ComputeCapability, parse_target
from xshardy.lowering.ptx_versions import PTX_VERSIONS, is_specific
from xshardy.rewriting import PatternPass, Step
from xshardy.transforms.xla_gpu.convert_single_floats import conversion_steps
from xshardy.transforms.xla_gpu.float_instructions import Target, nvidia_instructions


@dataclass(frozen=True)
class ConvertFloatNvidiaPass(PatternPass):
    """Convert small floats with instructions, as supported by the target and its version of PTX."""

    name = "xla-gpu-convert-float-nvidia"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM", convert_float_nvidia (XGPU-37); PTX ISA, `cvt`'
    compute_capability_major: int = 0
    compute_capability_minor: int = 0
    ptx_version_major: int = 0
    ptx_version_minor: int = 0
    specific: bool = True
    """Whether the target includes architecture-specific features, `sm_100a`: only these have floats of 4 bits."""

    @staticmethod
    def for_target(target: str) -> "ConvertFloatNvidiaPass":
        """The pass for a target such as `sm_90`. Raises `ValueError` for an unknown one."""
        capability, version = parse_target(target), PTX_VERSIONS.get(target, (0, 0))
        return ConvertFloatNvidiaPass(capability.major, capability.minor, *version, is_specific(target))

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        target = Target(
            ComputeCapability(self.compute_capability_major, self.compute_capability_minor),
            (self.ptx_version_major, self.ptx_version_minor),
            self.specific,
        )
        return conversion_steps(nvidia_instructions(target))
