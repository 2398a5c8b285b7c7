"""
How many machine instructions ptxas makes of an instruction: an estimate, from the opcode alone.

An interval: the lower number is for what usually becomes part of another instruction. The numbers are judgements from
machine code that was read, not measurements; the kernels of a comparison are all counted by them.
"""

from collections.abc import Mapping

from xshardy.ptx.module import Instruction
from xshardy.ptx.types import TYPES

ONE = (1.0, 1.0)
FREE = (0.0, 0.0)

BY_NAME: Mapping[str, tuple[float, float]] = {
    "cvta": FREE,
    "griddepcontrol": FREE,
    "mov": (0.0, 1.0),
    "not": (0.0, 1.0),
    "neg": (0.0, 1.0),
    "abs": (0.0, 1.0),
    "fence": (0.0, 1.0),
    "mapa": (1.0, 3.0),
    "mbarrier": (1.0, 3.0),
    "tensormap": (1.0, 2.0),
    "tcgen05": (1.0, 3.0),
    "setmaxnreg": (1.0, 1.0),
}
"""By the name of the opcode, without modifiers."""

BY_FORM: Mapping[tuple[str, str], tuple[float, float]] = {
    ("div", "full.f32"): (7.0, 9.0),
    ("div", "approx.f32"): (4.0, 8.0),
    ("div", "rn.f32"): (9.0, 40.0),
    ("div", "rn.f64"): (15.0, 60.0),
    ("div", "s32"): (18.0, 24.0),
    ("div", "u32"): (15.0, 20.0),
    ("div", "s64"): (60.0, 100.0),
    ("div", "u64"): (60.0, 100.0),
    ("rem", "s32"): (18.0, 24.0),
    ("rem", "u32"): (15.0, 20.0),
    ("rem", "s64"): (60.0, 100.0),
    ("rem", "u64"): (60.0, 100.0),
    ("ex2", "approx.f32"): (3.0, 4.0),
    ("lg2", "approx.f32"): (3.0, 4.0),
    ("rsqrt", "approx.f32"): (3.0, 4.0),
    ("rcp", "approx.f32"): (3.0, 4.0),
    ("sqrt", "approx.f32"): (4.0, 6.0),
    ("sqrt", "rn.f32"): (8.0, 30.0),
    ("sqrt", "rn.f64"): (15.0, 60.0),
    ("rcp", "rn.f32"): (7.0, 20.0),
    ("sin", "approx.f32"): (2.0, 2.0),
    ("cos", "approx.f32"): (2.0, 2.0),
}
"""By name and modifiers."""

WIDE_NAMES = ("add", "sub", "and", "or", "xor", "shl", "shr", "setp", "selp", "min", "max")
"""Instructions that take two steps on 64 bits, of integers."""


def slots_of(instruction: Instruction) -> tuple[float, float]:
    """The machine instructions for an instruction, at least and at most."""
    name, _, modifiers = instruction.opcode.partition(".")
    if (found := BY_FORM.get((name, modifiers))) is not None:
        return found
    if name == "ld" and "param" in modifiers:
        return (0.0, 1.0)
    if name in BY_NAME:
        return BY_NAME[name]
    type = next((TYPES[m] for m in reversed(modifiers.split(".")) if m in TYPES), None)
    if type is not None and type.bits == 64 and type.is_integer:
        if name in WIDE_NAMES:
            return (1.0, 2.0)
        if name in ("mul", "mad"):
            return (3.0, 5.0)
        if name == "cvt":
            return (0.0, 1.0)
    return ONE
