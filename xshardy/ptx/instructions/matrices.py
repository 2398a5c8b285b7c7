"""
Products of small matrices by a warp, and loads and stores of their fragments. Source: PTX ISA, `mma`, `ldmatrix`,
`stmatrix`.

The threads of a warp hold a matrix together. With g = lane / 4, t = lane % 4, and e elements of A or B in a register:
register r of A has row g (+ 8 if r is odd) and e columns from t*e (+ 4e * (r / 2)) on; register r of B has e rows from
t*e (+ 4e*r) on and column g; an accumulator has rows g and g + 8, columns 2t and 2t + 1. Of 8 rows there are the first.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from xshardy.interpreters.element_types import Array
from xshardy.interpreters.numerics.floats import narrowed
from xshardy.interpreters.simt.launch import WARP_SIZE
from xshardy.ptx.decode import Action, Context, Step
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.memory import addresses, elements_of, load_words, store_words, take_space
from xshardy.ptx.instructions.warps import members
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Integer
from xshardy.ptx.types import TYPES, Type

COLUMNS = 8
ALL_LANES = Integer(0xFFFFFFFF)
SHAPES: Mapping[str, tuple[int, int]] = {
    **{f"m16n8k{depth}": (16, depth) for depth in (4, 8, 16, 32)},
    "m8n8k4": (8, 4),
    "m8n8k16": (8, 16),
}
"""The rows of A and its columns, by shape."""
DEPTHS: Mapping[int, Mapping[int, tuple[int, ...]]] = {
    16: {8: (16, 32), 16: (8, 16), 32: (4, 8), 64: (4, 8, 16)},
    8: {8: (16,), 64: (4,)},
}
"""By the rows of A and the bits of its elements, its columns. Those of 8 rows of f16 lie in another way."""
INTEGER_BOUNDS = np.iinfo(np.int32)

_LANES = np.arange(WARP_SIZE)[:, None, None]
_G, _T = _LANES // 4, _LANES % 4


def places_of_a(registers: int, elements: int) -> tuple[Array, Array]:
    """The row and column of each element of A, by lane, register and element of the register."""
    register, element = np.arange(registers)[None, :, None], np.arange(elements)[None, None, :]
    rows, columns = _G + 8 * (register & 1), _T * elements + element + 4 * elements * (register >> 1)
    return _all(rows, columns)


def places_of_b(registers: int, elements: int) -> tuple[Array, Array]:
    """The same of B."""
    register, element = np.arange(registers)[None, :, None], np.arange(elements)[None, None, :]
    return _all(_T * elements + element + 4 * elements * register, _G)


def places_of_accumulator(elements: int, rows: int) -> tuple[Array, Array]:
    """The same of accumulators with 8 or 16 rows, and one or two elements in a register."""
    number = np.arange(rows // 4).reshape(1, -1, elements)
    return _all(_G + 8 * (number >> 1), _T * 2 + (number & 1))


def _all(rows: Array, columns: Array) -> tuple[Array, Array]:
    first, second = np.broadcast_arrays(rows, columns)
    return first, second


def multiply(form: Form, context: Context) -> Step:
    """`mma.sync.aligned.mMn8kK.row.col{.satfinite}.dtype.atype.btype.ctype d, a, b, c`: `d = a * b + c`."""
    form.required("sync")
    form.required("aligned")
    rows, depth = SHAPES[form.required(*SHAPES)]
    form.required("row")
    form.required("col")
    saturates = form.has("satfinite")
    result, of_a, of_b, of_c = form.types(4)
    if depth not in DEPTHS[rows].get(of_a.bits, ()):
        raise form.error(f"products of .{of_a.name} of this shape are not supported")
    register = TYPES["b64" if of_a.bits == 64 else "b32"]
    instruction, elements = form.instruction, register.bits // of_a.bits
    d, a, b, c = (elements_of(operand) for operand in instruction.operands)
    check = members(context, instruction, ALL_LANES)
    readers = [[context.registers.reader(instruction, each, register) for each in operand] for operand in (a, b, c)]
    packed = register.bits // result.bits
    writers = [context.registers.writer(instruction, each, register) for each in d]
    where = (places_of_a(len(a), elements), places_of_b(len(b), elements), places_of_accumulator(packed, rows))
    shapes = ((rows, depth), (depth, COLUMNS), (rows, COLUMNS))
    expected = [size * type.bits // 32 for size, type in ((rows * depth, of_a), (depth * COLUMNS, of_b))]
    if [32 * len(operand) * register.bits // 32 for operand in (a, b)] != expected:
        raise form.error("the registers do not hold matrices of this shape")
    kinds = (of_a, of_b, of_c)

    def execute(lanes: Lanes) -> None:
        check(lanes)
        left, right, plus = (
            _matrix(lanes, [read(lanes) for read in reads], type, places, shape)
            for reads, type, places, shape in zip(readers, kinds, where, shapes, strict=True)
        )
        total = left @ right + plus
        value = rounded(total, result, saturates)
        row, column = where[2]
        fragments = np.ascontiguousarray(value[..., row, column]).view(register.dtype)[..., 0]
        for number, writer in enumerate(writers):
            writer(lanes, lanes.of_warps(fragments[..., number]))

    return execute


def rounded(sums: Array, type: Type, saturates: bool) -> Array:
    """Sums in f64 as numbers of a type; integers wrap around or, if it `saturates`, have the nearest bound."""
    if not type.is_integer:
        return narrowed(sums, type.dtype)
    if saturates:
        sums = np.clip(sums, INTEGER_BOUNDS.min, INTEGER_BOUNDS.max)
    return sums.astype(np.int64).astype(type.dtype)


def _matrix(
    lanes: Lanes, registers: Sequence[Array], type: Type, places: tuple[Array, Array], shape: tuple[int, int]
) -> Array:
    """The matrices of all warps, in f64: [blocks, warps, rows, columns]."""
    bits = np.stack([lanes.warps(register) for register in registers], axis=-1)
    values = np.ascontiguousarray(bits)[..., None].view(type.dtype)
    result = np.zeros((*bits.shape[:2], *shape), np.float64)
    result[..., places[0], places[1]] = values.astype(np.float64)
    return result


def take_matrices(form: Form) -> tuple[int, bool, str]:
    """`.sync.aligned.m8n8.x1,.x2,.x4{.trans}.shared.b16`: how many matrices, whether transposed, and the space."""
    form.required("sync")
    form.required("aligned")
    form.required("m8n8")
    count = int(form.required("x1", "x2", "x4")[1:])
    transposed = form.has("trans")
    space = take_space(form)
    form.required("b16")
    return count, transposed, space


def load_matrices(form: Form, context: Context) -> Step:
    """`ldmatrix.sync.aligned.m8n8.x1,.x2,.x4{.trans}.shared.b16 r, [p]`: the address of row i is that of lane i."""
    count, transposed, space = take_matrices(form)
    instruction, memory = form.instruction, context.memory
    check = members(context, instruction, ALL_LANES)
    where = addresses(context, instruction, instruction.operands[1])
    registers = elements_of(instruction.operands[0])
    writers = [context.registers.writer(instruction, register, TYPES["b32"]) for register in registers]
    lane = np.arange(WARP_SIZE)

    def execute(lanes: Lanes) -> None:
        check(lanes)
        everyone = lanes.mask
        gives_address = np.arange(lanes.shape[1])[None, :] % WARP_SIZE < 8 * count
        lanes.mask = lanes.active_mask() & gives_address
        words = load_words(lanes, memory, instruction, space, where(lanes), 4, 4)
        lanes.mask = everyone
        rows = np.stack([lanes.warps(word) for word in words], axis=-1)[..., : 8 * count, :]
        matrices = np.ascontiguousarray(rows).reshape(*rows.shape[:2], count, 8, 4).view(np.uint16)
        if transposed:
            matrices = np.ascontiguousarray(np.swapaxes(matrices, -1, -2))
        pairs = matrices.view(np.uint32)[..., lane // 4, lane % 4]
        for number, writer in enumerate(writers):
            writer(lanes, lanes.of_warps(np.ascontiguousarray(pairs[..., number, :])))

    return execute


def store_matrices(form: Form, context: Context) -> Step:
    """`stmatrix.sync.aligned.m8n8.x1,.x2,.x4{.trans}.shared.b16 [p], r`: the address of row i is that of lane i."""
    count, transposed, space = take_matrices(form)
    instruction, memory = form.instruction, context.memory
    check = members(context, instruction, ALL_LANES)
    where = addresses(context, instruction, instruction.operands[0])
    readers = [
        context.registers.reader(instruction, register, TYPES["b32"])
        for register in elements_of(instruction.operands[1])
    ]
    if len(readers) != count:
        raise form.error(f"{len(readers)} registers where the instruction has x{count}")

    def execute(lanes: Lanes) -> None:
        check(lanes)
        held = np.stack([lanes.warps(read(lanes)) for read in readers], axis=-2)  # [blocks, warps, matrices, lanes]
        matrices = np.ascontiguousarray(held).view(np.uint16).reshape(*held.shape[:3], 8, 8)
        if transposed:
            matrices = np.swapaxes(matrices, -1, -2)
        rows = np.ascontiguousarray(matrices).view(np.uint32).reshape(*held.shape[:2], 8 * count, 4)
        rows = np.pad(rows, ((0, 0), (0, 0), (0, WARP_SIZE - 8 * count), (0, 0)))
        everyone = lanes.mask
        gives_address = np.arange(lanes.shape[1])[None, :] % WARP_SIZE < 8 * count
        lanes.mask = lanes.active_mask() & gives_address
        words = [lanes.of_warps(np.ascontiguousarray(rows[..., number])) for number in range(4)]
        store_words(lanes, memory, instruction, space, where(lanes), words)
        lanes.mask = everyone

    return execute


MATRICES: Mapping[str, Action] = {"mma": multiply, "ldmatrix": load_matrices, "stmatrix": store_matrices}
