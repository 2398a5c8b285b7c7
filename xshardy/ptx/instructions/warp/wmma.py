"""
Products of matrices by a warp, with loads and stores of their fragments. Source: PTX ISA, `wmma`.

Which thread holds which element is not specified. Here it is as for `mma`, continued to larger matrices: a register of
A holds neighbours of a row, one of B neighbours of a column, and the registers of a thread go down the tiles of 8 rows
(of B: of depth), then to the next ones. Fragments of f16 have more registers than the matrix has elements: these repeat
it. A kernel that loads, multiplies and stores does not depend on this; one that takes fragments apart does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.decode import Context, Reader, Step
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.instructions.scalar.memory import Addresses, addresses, load_words, store_words, take_space
from xshardy.ptx.instructions.warp.fragments import ALL_LANES, Fragment, rounded
from xshardy.ptx.instructions.warp.matrices import BIT_OPERATIONS
from xshardy.ptx.instructions.warp.matrix_elements import ELEMENTS, RegisterElement, take_elements
from xshardy.ptx.instructions.warp.warps import members
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Instruction, Integer, Operand
from xshardy.ptx.types import STORAGE, TYPES

LAYOUTS = ("row", "col")
TILE = 8
"""The rows of a tile; it has the columns of four registers."""
POINTER_ALIGNMENT, STRIDE_ALIGNMENT = 32, 16
"""In bytes; less for fragments with fewer."""
REGISTERS_OF_HALVES = 8
"""Of a fragment of A or B of f16, whatever its shape is."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What is multiplied: A has `rows` by `depth` elements, B `depth` by `columns`."""

    rows: int
    columns: int
    depth: int
    types: tuple[str, ...]
    """Of A and B."""
    results: tuple[str, ...]
    """Of C and the result."""


_BY_16 = ("f16", "bf16", "s8", "u8")
_OF_16 = ("f16", "f32", "s32")
SHAPES: Mapping[str, Shape] = {
    "m16n16k16": Shape(16, 16, 16, _BY_16, _OF_16),
    "m8n32k16": Shape(8, 32, 16, _BY_16, _OF_16),
    "m32n8k16": Shape(32, 8, 16, _BY_16, _OF_16),
    "m16n16k8": Shape(16, 16, 8, ("tf32",), ("f32",)),
    "m8n8k4": Shape(8, 8, 4, ("f64",), ("f64",)),
    "m8n8k32": Shape(8, 8, 32, ("s4", "u4"), ("s32",)),
    "m8n8k128": Shape(8, 8, 128, ("b1",), ("s32",)),
}
ACCUMULATORS: Mapping[str, tuple[str, ...]] = {
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f64": ("f64",),
    "s8": ("s32",),
    "u8": ("s32",),
    "s4": ("s32",),
    "u4": ("s32",),
    "b1": ("s32",),
}
"""By the type of A and B, those of C and the result."""
FIXED_LAYOUTS: Mapping[str, str] = {"a": "row", "b": "col"}
"""Of elements of fewer than 8 bits."""


def places(
    rows: int, columns: int, element: RegisterElement, width: int, registers: int | None = None
) -> tuple[Array, Array]:
    """
    The row and column of each element, by lane, register and element of the register. Of a row of a tile of 8 by
    4 * `width`, each thread has `width` neighbours, in one register or in several.
    """
    count = rows * columns // WARP_SIZE // element.in_register
    number = np.arange(registers or count)[:, None] % count * element.in_register + np.arange(element.in_register)
    tile, within = number // width, number % width
    lane, down = np.arange(WARP_SIZE)[:, None, None], rows // TILE
    row, column = lane // 4 + tile % down * TILE, lane % 4 * width + within + tile // down * 4 * width
    first, second = np.broadcast_arrays(row, column)
    return first, second


def fragment_of(role: str, shape: Shape, element: RegisterElement) -> Fragment:
    """The part of A, B, C or D that a thread holds."""
    registers = REGISTERS_OF_HALVES if element.name == "f16" and role in "ab" else None
    if role == "a":
        at = places(shape.rows, shape.depth, element, element.in_register, registers)
        return Fragment(element, at, (shape.rows, shape.depth))
    if role == "b":
        column, row = _of_columns(shape, element, registers)
        return Fragment(element, (row, column), (shape.depth, shape.columns))
    return Fragment(element, places(shape.rows, shape.columns, element, 2), (shape.rows, shape.columns))


def _of_columns(shape: Shape, element: RegisterElement, registers: int | None) -> tuple[Array, Array]:
    """The column and row of each element of B: the registers go along the depth first."""
    of_depth = shape.depth // (4 * element.in_register)
    count = of_depth * (shape.columns // TILE)
    number = np.arange(registers or count)[:, None] % count
    lane, within = np.arange(WARP_SIZE)[:, None, None], np.arange(element.in_register)
    column = lane // 4 + number // of_depth * TILE
    row = (lane % 4 + number % of_depth * 4) * element.in_register + within
    first, second = np.broadcast_arrays(column, row)
    return first, second


@dataclass(frozen=True, slots=True)
class Place:
    """A matrix in memory: where a fragment of it is."""

    memory: Memory
    instruction: Instruction
    space: str
    where: Addresses
    stride: Reader
    """In elements, between rows or columns."""
    fragment: Fragment
    layout: str

    @property
    def element(self) -> RegisterElement:
        return self.fragment.element

    @property
    def is_along_registers(self) -> bool:
        """Whether the elements of a register are neighbours in memory."""
        across = np.diff(self.fragment.places[1 if self.layout == "row" else 0], axis=-1)
        return bool((across == 1).all())

    def offsets(self, lanes: Lanes) -> Array:
        """How many bits from the beginning each element is: [blocks, threads, registers, elements]."""
        row, column = (np.resize(place, (lanes.shape[1], *place.shape[1:])) for place in self.fragment.places)
        outer, inner = (row, column) if self.layout == "row" else (column, row)
        stride = np.broadcast_to(self.stride(lanes), lanes.shape).astype(np.int64)[..., None, None]
        return (outer * stride + inner) * self.element.bits

    def words(self, lanes: Lanes) -> list[tuple[int, int, Array]]:
        """The register, the number of its part, and the addresses, of each access by all threads."""
        start = np.broadcast_to(self.where(lanes), lanes.shape)
        offsets = self.offsets(lanes) // 8
        parts = 1 if self.is_along_registers else self.element.in_register
        return [
            (register, part, start + offsets[..., register, part].astype(np.uint64))
            for register in range(self.distinct)
            for part in range(parts)
        ]

    @property
    def distinct(self) -> int:
        """The registers that do not repeat others."""
        rows, columns = self.fragment.shape
        return rows * columns // WARP_SIZE // self.element.in_register

    @property
    def part_bytes(self) -> int:
        bits = self.element.register_bits if self.is_along_registers else self.element.bits
        return bits // 8

    def check(self, lanes: Lanes) -> None:
        """All threads of a warp name one matrix, whose beginning and rows are aligned."""
        start = np.broadcast_to(self.where(lanes), lanes.shape)
        stride = np.broadcast_to(self.stride(lanes), lanes.shape)
        active = lanes.active_mask()
        faults, line = self.memory.faults, self.instruction.line
        of_first = [
            lanes.of_warps(np.repeat(lanes.warps(each)[..., :1], WARP_SIZE, axis=-1)) for each in (start, stride)
        ]
        differs = ((start != of_first[0]) | (stride != of_first[1])) & active
        if differs.any():
            what = "has another address or stride than the first thread of its warp"
            faults.report(FaultKind.OPERANDS, line, lanes, differs, lambda _: what)
        fragment_bytes = self.fragment.places[0].shape[1] * self.element.register_bits // 8
        of_pointer, of_stride = min(fragment_bytes, POINTER_ALIGNMENT), min(fragment_bytes, STRIDE_ALIGNMENT)
        bytes = stride.astype(np.int64) * self.element.bits // 8
        for values, multiple, what in ((start, of_pointer, "address"), (bytes, of_stride, "stride in bytes")):
            wrong = (values % values.dtype.type(multiple) != 0) & active
            if wrong.any():

                def describe(thread: int, values: Array = values, multiple: int = multiple, what: str = what) -> str:
                    return f"has the {what} {int(values.flat[thread])}, no multiple of {multiple}"

                faults.report(FaultKind.MISALIGNED, line, lanes, wrong, describe)


def take_place(form: Form, context: Context, role: str, pointer: Operand, stride: Operand | None) -> Place:
    """`.sync.aligned.layout.shape{.space}.type`, an address and a stride: a matrix in memory."""
    form.required("sync")
    form.required("aligned")
    layout, name = form.required(*LAYOUTS), form.required(*SHAPES)
    space, shape = take_space(form), SHAPES[name]
    (element,) = take_elements(form, 1)
    allowed = shape.types if role in "ab" else shape.results
    if element.name not in allowed:
        raise form.error(f"{role.upper()} of .{name} has elements of .{', .'.join(allowed)}")
    if element.bits < 8 and layout != FIXED_LAYOUTS[role]:
        raise form.error(f"{role.upper()} of .{element.name} must have the layout .{FIXED_LAYOUTS[role]}")
    fragment = fragment_of(role, shape, element)
    in_line = Integer(fragment.shape[1 if layout == "row" else 0])
    read = context.registers.reader(form.instruction, stride or in_line, TYPES["u32"])
    where = addresses(context, form.instruction, pointer)
    return Place(context.memory, form.instruction, space, where, read, fragment, layout)


def load(form: Form, context: Context) -> Step:
    """`wmma.load.{a,b,c}.sync.aligned.layout.shape{.space}.type r, [p]{, stride}`."""
    role, instruction = form.required("a", "b", "c"), form.instruction
    result, pointer, *stride = instruction.operands
    place = take_place(form, context, role, pointer, stride[0] if stride else None)
    check, writers = members(context, instruction, ALL_LANES), place.fragment.writers(form, context, result)
    bits, size = place.element.register_bits, place.part_bytes

    def execute(lanes: Lanes) -> None:
        check(lanes)
        place.check(lanes)
        held = [np.zeros(lanes.shape, STORAGE[bits]) for _ in range(place.distinct)]
        for register, part, where in place.words(lanes):
            (value,) = load_words(lanes, place.memory, instruction, place.space, where, size, 1)
            held[register] = held[register] | value.astype(STORAGE[bits]) << STORAGE[bits].type(part * size * 8)
        for number, writer in enumerate(writers):
            writer(lanes, held[number % place.distinct])

    return execute


def store(form: Form, context: Context) -> Step:
    """`wmma.store.d.sync.aligned.layout.shape{.space}.type [p], r{, stride}`."""
    form.required("d")
    instruction = form.instruction
    pointer, source, *stride = instruction.operands
    place = take_place(form, context, "d", pointer, stride[0] if stride else None)
    check, readers = members(context, instruction, ALL_LANES), place.fragment.readers(form, context, source)
    bits, size = place.element.register_bits, place.part_bytes

    def execute(lanes: Lanes) -> None:
        check(lanes)
        place.check(lanes)
        for register, part, where in place.words(lanes):
            word = readers[register](lanes) >> STORAGE[bits].type(part * size * 8)
            store_words(lanes, place.memory, instruction, place.space, where, [word.astype(STORAGE[8 * size])])

    return execute


def take_types(form: Form) -> tuple[RegisterElement, RegisterElement, RegisterElement]:
    """Remove the types of the result, of A and B, and of C: f16 of A and B is not written."""
    if sum(modifier in ELEMENTS for modifier in form.modifiers) == 2:
        result, of_c = take_elements(form, 2)
        return result, ELEMENTS["f16"], of_c
    result, of_a, of_b, of_c = take_elements(form, 4)
    if of_a != of_b or of_a.name == "f16":
        raise form.error("A and B have one type, and .f16 is not written")
    return result, of_a, of_c


def multiply(form: Form, context: Context) -> Step:
    """`wmma.mma{.op.popc}.sync.aligned.alayout.blayout.shape{.rn}.types{.satfinite} d, a, b, c`: `d = a * b + c`."""
    operation = form.take(*BIT_OPERATIONS)
    if operation:
        form.required("popc")
    form.required("sync")
    form.required("aligned")
    layouts = [modifier for modifier in form.modifiers if modifier in LAYOUTS]
    for layout in layouts:
        form.modifiers.remove(layout)
    name = form.required(*SHAPES)
    result, element, of_c = take_types(form)
    shape, allowed = SHAPES[name], ACCUMULATORS.get(element.name, ())
    if element.name not in shape.types or result.name not in allowed or of_c.name not in allowed:
        raise form.error(f"no product of .{element.name} has this shape, or these types of C and the result")
    if len(layouts) != 2 or (element.bits < 8 and layouts != ["row", "col"]):
        raise form.error("expected the layouts of A and B; of fewer than 8 bits .row.col")
    if (operation is None) == (element.bits == 1):
        raise form.error("single bits, and nothing else, are combined by .xor.popc or .and.popc")
    saturates = form.has("satfinite")
    if saturates and (not element.is_integer or element.bits == 1):
        raise form.error("only sums of integers of 4 and 8 bits saturate")
    if element.name == "f64":
        form.take("rn")
    instruction = form.instruction
    check = members(context, instruction, ALL_LANES)
    d, a, b, c = instruction.operands
    left, right = fragment_of("a", shape, element), fragment_of("b", shape, element)
    plus, total = fragment_of("c", shape, of_c), fragment_of("d", shape, result)
    reads = [fragment.readers(form, context, each) for fragment, each in ((left, a), (right, b), (plus, c))]
    writers = total.writers(form, context, d)
    product: Callable[[Array, Array], Array] = BIT_OPERATIONS[operation] if operation else np.matmul

    def execute(lanes: Lanes) -> None:
        check(lanes)
        matrices = [fragment.read(lanes, read) for fragment, read in zip((left, right, plus), reads, strict=True)]
        sums = product(matrices[0], matrices[1]) + matrices[2]
        total.write(lanes, writers, rounded(sums, result, saturates))

    return execute


WMMA: Mapping[str, Row] = {
    "wmma.load": Row(load, "matrix"),
    "wmma.store": Row(store, "matrix"),
    "wmma.mma": Row(multiply, "matrix", multiplies=True),
}
