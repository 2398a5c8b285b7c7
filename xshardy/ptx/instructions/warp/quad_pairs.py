"""
Products of f16 by the four quad pairs of a warp, each of matrices of its own. Source: PTX ISA, `mma.m8n8k4`.

A quad pair is lanes 4q to 4q + 3 and the same 16 further; "upper" are the latter, s = lane % 4. A thread has four
elements of A and of B. By rows, A has row s (+ 4 if upper) and columns 0 to 3; by columns, rows 0 to 3 (+ 4 if upper)
and column s. B has them the other way round. Accumulators of f16 have row s (+ 4 if upper) and eight columns; element i
of f32 has row s % 2 + (i & 2) (+ 4 if upper) and column (i & 4) + (s & 2) + (i & 1).
"""

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.warp.fragments import ALL_LANES, Fragment, rounded
from xshardy.ptx.instructions.warp.matrix_elements import RegisterElement, take_elements
from xshardy.ptx.instructions.warp.warps import members
from xshardy.ptx.lanes import Lanes

SHAPE = "m8n8k4"
PAIRS, SIZE, DEPTH = 4, 8, 4
RESULTS = (("f16", "f16"), ("f32", "f16"), ("f32", "f32"))
"""The types of results and C that go together."""

_LANE = np.arange(WARP_SIZE)[:, None, None]
_PAIR, _S, _UPPER = _LANE // 4 % PAIRS, _LANE % 4, _LANE // 16 * 4

Places = tuple[Array, Array]


def _by_registers(elements: int, in_register: int) -> Array:
    return np.arange(elements).reshape(1, -1, in_register)


def _of_pairs(rows: Array, columns: Array, height: int) -> Places:
    """Places in the matrices of the four pairs, which are below each other."""
    first, second = np.broadcast_arrays(_PAIR * height + rows, columns)
    return first, second


def places_of_a(layout: str) -> Places:
    number = _by_registers(4, 2)
    return _of_pairs(_S + _UPPER, number, SIZE) if layout == "row" else _of_pairs(number + _UPPER, _S, SIZE)


def places_of_b(layout: str) -> Places:
    number = _by_registers(4, 2)
    return _of_pairs(number, _S + _UPPER, DEPTH) if layout == "col" else _of_pairs(_S, number + _UPPER, DEPTH)


def places_of_accumulator(element: RegisterElement) -> Places:
    number = _by_registers(8, element.in_register)
    if element.name == "f16":
        return _of_pairs(_S + _UPPER, number, SIZE)
    return _of_pairs(_S % 2 + (number & 2) + _UPPER, (number & 4) + (_S & 2) + (number & 1), SIZE)


def multiply_by_quad_pairs(form: Form, context: Context) -> Step:
    """`mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype d, a, b, c`."""
    form.required(SHAPE)
    layouts = [modifier for modifier in form.modifiers if modifier in ("row", "col")]
    if len(layouts) != 2:
        raise form.error("expected the layouts of A and B, .row or .col")
    for layout in layouts:
        form.required(layout)
    result, of_a, of_b, of_c = take_elements(form, 4)
    if (of_a.name, of_b.name) != ("f16", "f16") or (result.name, of_c.name) not in RESULTS:
        raise form.error("takes A and B of .f16, and C and the result of .f16 or .f32, the result no smaller than C")
    instruction = form.instruction
    check = members(context, instruction, ALL_LANES)
    d, a, b, c = instruction.operands
    fragments = (
        Fragment(of_a, places_of_a(layouts[0]), (PAIRS * SIZE, DEPTH)),
        Fragment(of_b, places_of_b(layouts[1]), (PAIRS * DEPTH, SIZE)),
        Fragment(of_c, places_of_accumulator(of_c), (PAIRS * SIZE, SIZE)),
    )
    out = Fragment(result, places_of_accumulator(result), (PAIRS * SIZE, SIZE))
    readers = [f.readers(form, context, operand) for f, operand in zip(fragments, (a, b, c), strict=True)]
    writers = out.writers(form, context, d)

    def execute(lanes: Lanes) -> None:
        check(lanes)
        left, right, plus = (f.read(lanes, reads) for f, reads in zip(fragments, readers, strict=True))
        lead = left.shape[:2]
        products = left.reshape(*lead, PAIRS, SIZE, DEPTH) @ right.reshape(*lead, PAIRS, DEPTH, SIZE)
        sums = products.reshape(*lead, PAIRS * SIZE, SIZE) + plus
        out.write(lanes, writers, rounded(sums, result, False))

    return execute
