"""Loads of tensor memory that also give the least or largest number of a thread. Source: PTX ISA, `tcgen05.ld.red`."""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics import floats
from xshardy.numerics.element_types import Array
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.scalar.floats import canonical
from xshardy.ptx.types import TYPES

SHAPE = "32x32b"
"""A thread has a lane. Of `16x32bx2`, whose lanes have two threads each, the ISA does not say what these get."""
FUNCTIONS: Mapping[tuple[str, bool, bool], Callable[[Array, Array], Array]] = {
    ("min", True, False): floats.minimum_number,
    ("max", True, False): floats.maximum_number,
    ("min", True, True): floats.minimum,
    ("max", True, True): floats.maximum,
    ("min", False, False): np.minimum,
    ("max", False, False): np.maximum,
}
"""By the operation, whether it is of floats, and whether NaN wins."""


def take_reduction(form: Form) -> Callable[[Array], Array]:
    """
    Remove `{.min,.max}{.abs}{.NaN}.type`: what makes of the registers of threads, [..., registers], the words that they
    get. Raises `PtxError` for shapes of which threads have several lanes, or parts of one.
    """
    if SHAPE not in form.modifiers or "x1" in form.modifiers:
        raise form.error(f"only .{SHAPE} with at least two registers is supported")
    name = form.required("min", "max")
    takes_absolutes, wins = form.has("abs"), form.has("NaN")
    type = TYPES[form.required("f32", "u32", "s32")]
    if type.is_integer and (takes_absolutes or wins):
        raise form.error("only floats have .abs and .NaN")
    function = FUNCTIONS[name, not type.is_integer, wins]

    def reduced(words: Array) -> Array:
        values = np.ascontiguousarray(words).view(type.dtype)
        if takes_absolutes:
            values = np.abs(values)
        result = values[..., 0]
        for number in range(1, values.shape[-1]):
            result = function(result, values[..., number])
        return np.ascontiguousarray(result if type.is_integer else canonical(result)).view(np.uint32)

    return reduced
