"""
What GPUs add to memory by one atomic instruction, and on what other atomic accesses they can rely.

Source: PTX ISA, `atom` and `red`; the instructions that LLVM's AMDGPU backend has for each processor.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xshardy.gpus.capability import ComputeCapability

Addend = tuple[str, int]
"""The type of the elements, and how many of them are added at once."""


@dataclass(frozen=True, slots=True)
class Atomics:
    """The atomic accesses of a GPU."""

    additions: frozenset[Addend]
    """The floats that one instruction adds to memory; or several without a loop."""
    has_memory_model: bool
    """Whether aligned stores of 1, 2, 4 and 8 bytes are atomic."""
    splits_vectors: bool
    """Whether LLVM splits the addition of a vector, so that an instruction for it must be written inline."""


ADDITIONS_SINCE: Mapping[Addend, ComputeCapability] = {
    ("f32", 1): ComputeCapability(2),
    ("f64", 1): ComputeCapability(6),
    ("f16", 1): ComputeCapability(7),
    ("bf16", 1): ComputeCapability(9),
    ("f16", 2): ComputeCapability(7),
    **{("f32", count): ComputeCapability(9) for count in (2, 4)},
    **{("bf16", count): ComputeCapability(9) for count in (2, 4, 8)},
    **{("f16", count): ComputeCapability(9) for count in (4, 8)},
}
"""The generation of NVIDIA's GPUs that introduced an addition."""

VOLTA = ComputeCapability(7)
"""
The first generation of NVIDIA's GPUs with a memory model, and the oldest target of PTX here.

Older and unknown GPUs are treated as upstream treats them.
"""


def nvidia_atomics(capability: ComputeCapability) -> Atomics:
    """The atomic accesses of an NVIDIA GPU."""
    additions = frozenset(addend for addend, since in ADDITIONS_SINCE.items() if since <= capability)
    return Atomics(additions, capability >= VOLTA, splits_vectors=True)


UNKNOWN_GPU = nvidia_atomics(ComputeCapability(2))
"""What every GPU has."""


def amd_atomics(*additions: Addend) -> Atomics:
    """The atomic accesses of an AMD GPU with these additions. An addition of one f16 or bf16 is that of a pair."""
    return Atomics(frozenset(additions), has_memory_model=True, splits_vectors=False)


# The additions that AMD's GPUs have or lack together.
F32, F64, PAIRS_OF_F16 = (("f32", 1),), (("f64", 1),), (("f16", 1), ("f16", 2))
PAIRS = (*PAIRS_OF_F16, ("bf16", 1), ("bf16", 2))
