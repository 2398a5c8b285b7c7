"""
A machine for PTX: reads it, executes a grid on the CPU, checks it, and counts what it executes.

    machine = Machine(text)
    machine.run(grid, block, [array, ...])                     # the arrays are changed in place
    machine.run(grid, block, arrays, Options(checks=True))     # raises FaultError for a race and the like
    profile(text, grid, block).issue_slots
"""

from xshardy.ptx.bound import Bound, bound_of
from xshardy.ptx.errors import LaunchError, PtxError
from xshardy.ptx.faults import Fault, FaultError, FaultKind
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.profiling import Profile, profile
from xshardy.ptx.tensor_maps import TensorMap
from xshardy.ptx.text import read_ptx
from xshardy.ptx.textures import Texture

__all__ = [
    "Bound",
    "Fault",
    "FaultError",
    "FaultKind",
    "LaunchError",
    "Machine",
    "Options",
    "Profile",
    "PtxError",
    "TensorMap",
    "Texture",
    "bound_of",
    "profile",
    "read_ptx",
]
