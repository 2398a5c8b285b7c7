"""The GPUs that LLVM makes PTX for, and the version of PTX for each."""

import re
from collections.abc import Mapping

PTX_VERSIONS: Mapping[str, tuple[int, int]] = {
    "sm_70": (6, 3),
    "sm_72": (6, 3),
    "sm_75": (6, 3),
    "sm_80": (7, 0),
    "sm_86": (7, 1),
    "sm_87": (7, 4),
    "sm_88": (9, 0),
    "sm_89": (8, 1),
    "sm_90": (8, 1),
    "sm_90a": (8, 1),
    "sm_100": (8, 8),
    "sm_100a": (8, 8),
    "sm_100f": (8, 8),
    "sm_101": (8, 8),
    "sm_101a": (8, 8),
    "sm_101f": (8, 8),
    "sm_103": (8, 8),
    "sm_103a": (8, 8),
    "sm_103f": (8, 8),
    "sm_110": (9, 0),
    "sm_110a": (9, 0),
    "sm_110f": (9, 0),
    "sm_120": (8, 8),
    "sm_120a": (8, 8),
    "sm_120f": (8, 8),
    "sm_121": (8, 8),
    "sm_121a": (8, 8),
    "sm_121f": (8, 8),
}
"""
LLVM's architectures from Volta on, each with the oldest version of PTX that supports it. PTX for an architecture with
`a` runs on that architecture only, with `f` on its family. Some versions are newer than the oldest one: atomic
additions of f16 need 6.3; conversions to floats of 8 bits on sm_89, and atomic additions of vectors on sm_90, need 8.1;
accesses of 256 bits need 8.8.
"""

ARCHITECTURES = tuple(PTX_VERSIONS)

INTRINSICS_SINCE: Mapping[str, int] = {"griddepcontrol": 90, "redux": 80}
"""
The families of intrinsics (`llvm.nvvm.NAME.*`) of our dialects that older architectures lack, with the first one that
has them. LLVM ends the process for an older one. Source: PTX ISA, "Target ISA Notes" of the instructions.
"""

_INTRINSIC = re.compile(r"@llvm\.nvvm\.((\w+)[\w.]*)\(")


def check_intrinsics(llvm_ir: str, target: str) -> None:
    """Raise `ValueError` if LLVM IR calls an intrinsic that `target` lacks."""
    architecture = int(re.findall(r"\d+", target)[0])
    for name, family in _INTRINSIC.findall(llvm_ir):
        if architecture < (since := INTRINSICS_SINCE.get(family, 0)):
            raise ValueError(f"{target} has no instruction `{name}`: compile for sm_{since} or newer")


def ptx_feature(target: str) -> str:
    """The feature of LLVM that selects the version of PTX for `target`, such as `+ptx81`."""
    major, minor = PTX_VERSIONS[target]
    return f"+ptx{major}{minor}"


def is_specific(target: str) -> bool:
    """Whether PTX for `target` may use features that other GPUs lack: `sm_100a`, or `sm_100f` for a family."""
    return target.endswith(("a", "f"))
