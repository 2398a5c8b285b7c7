"""The resources that a kernel uses on an AMD GPU, from the metadata at the end of its assembly."""

import re
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class AmdResources:
    """Registers per thread (vector) and per wave (scalar), how many are spilled, and bytes."""

    vgpr_count: int
    sgpr_count: int
    vgpr_spill_count: int
    sgpr_spill_count: int
    private_segment_fixed_size: int
    """Memory of a thread."""
    group_segment_fixed_size: int
    """Shared memory of a block."""
    wavefront_size: int

    @property
    def spills(self) -> bool:
        """Whether registers are spilled."""
        return self.vgpr_spill_count > 0 or self.sgpr_spill_count > 0


_ENTRY = re.compile(r"^\s+\.(\w+):\s+(\d+)$", re.MULTILINE)


def resources_of(assembly: str) -> AmdResources:
    """The resources of the only kernel of `assembly`. Source: LLVM's user guide for AMDGPU, "Code Object Metadata"."""
    _, _, metadata = assembly.partition(".amdgpu_metadata")
    entries = {name: int(number) for name, number in _ENTRY.findall(metadata)}
    return AmdResources(*(entries[field.name] for field in fields(AmdResources)))
