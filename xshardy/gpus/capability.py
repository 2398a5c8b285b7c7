"""
Compute capabilities: by the name of a target, `sm_90`, and by an option of passes.

Passes take one as the option `gpu_device_info`, in XLA's spelling: `cuda_compute_capability {major: 9}`.
"""

import re
from dataclasses import dataclass

from xdsl.utils.exceptions import PassFailedException

_TARGET = re.compile(r"sm_(\d+)(\d)([af]?)")
_FIELD = re.compile(r"\b(major|minor)\s*:\s*(\d+)")

DEFAULT_TARGET = "sm_90"
"""What kernels are compiled for unless a user chooses."""
OLDEST, NEWEST = (7, 0), (12, 1)
"""The range of supported compute capabilities, both ends included."""


@dataclass(frozen=True, slots=True, order=True)
class ComputeCapability:
    """The generation of an NVIDIA GPU: 9.0 is Hopper (`sm_90`)."""

    major: int
    minor: int = 0


def parse_target(target: str) -> ComputeCapability:
    """`sm_90` -> 9.0. Raises `ValueError` for anything but an NVIDIA target from `sm_70` on."""
    match = _TARGET.fullmatch(target)
    capability = ComputeCapability(int(match[1]), int(match[2])) if match else None
    if capability is None or not OLDEST <= (capability.major, capability.minor) <= NEWEST:
        raise ValueError(
            f"unknown target '{target}': expected an NVIDIA architecture such as sm_70, sm_80, sm_90 or sm_100"
        )
    return capability


def device_info(target: str) -> str:
    """The option `gpu_device_info` for a target such as `sm_90`."""
    capability = parse_target(target)
    return f"cuda_compute_capability {{major: {capability.major} minor: {capability.minor}}}"


def parse_device_info(text: str) -> ComputeCapability | None:
    """The compute capability in `gpu_device_info`; None for an empty text or another vendor's GPU."""
    if "cuda_compute_capability" not in text:
        return None
    fields = {name: int(value) for name, value in _FIELD.findall(text)}
    if "major" not in fields:
        raise PassFailedException(
            f"gpu_device_info '{text}' has no `major`: write `cuda_compute_capability {{major: 9}}`"
        )
    return ComputeCapability(fields["major"], fields.get("minor", 0))
