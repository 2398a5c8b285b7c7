"""
Products of matrices by four warps, of which B and often A are in shared memory. Source: PTX ISA, `wgmma`.

They are executed at once. The race check knows that their matrices are read until the warps wait for the group, and
`PendingProducts` that their registers are not used before. Products and sums are exact in f64 and rounded once per
instruction: a GPU rounds more often. Of a sparse A, only the elements that are stored are in shared memory or
registers; B has twice the depth.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.clocks import Engine
from xshardy.ptx.control import Control
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Meaning, Row, Scope
from xshardy.ptx.instructions.scalar.memory import elements_of
from xshardy.ptx.instructions.tensor.bulk_copies import commit, wait
from xshardy.ptx.instructions.tensor.warpgroup_matrices import (
    ROWS,
    WARPS,
    Accumulator,
    Fragments,
    Matrix,
    RowsOfWarps,
    places_of_accumulator,
)
from xshardy.ptx.instructions.warp.fragments import ALL_LANES, rounded
from xshardy.ptx.instructions.warp.matrices import KINDS, check_metadata, take_sparsity
from xshardy.ptx.instructions.warp.matrix_elements import RegisterElement, take_elements
from xshardy.ptx.instructions.warp.warps import members
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Instruction, Integer, Operand, Vector
from xshardy.ptx.types import TYPES

REGISTERS_OF_A = 4
SHAPES = {f"m64n{columns}k{depth}": (columns, depth) for columns in range(8, 257, 8) for depth in (8, 16, 32, 64, 256)}
"""The columns of B and its rows, by shape."""
DEPTHS: Mapping[str, int] = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}
"""By the type of A, its columns; of a sparse one, those that are stored."""
INTEGER_COLUMNS = (8, 16, 24, *range(32, 257, 16))
"""Of B of integers and single bits."""
TRANSPOSABLE = ("f16", "bf16")
B32, B64, PREDICATE = TYPES["b32"], TYPES["b64"], TYPES["pred"]


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a product, and the types of its matrices."""

    columns: int
    depth: int
    stored: int
    """The elements of a row of A that are stored: half of `depth` if it is sparse."""
    result: RegisterElement
    of_a: RegisterElement
    of_b: RegisterElement


def _take_shape(form: Form, is_sparse: bool) -> Shape:
    """Remove the shape and the three types. Raises `PtxError` if there is no such product."""
    columns, depth = SHAPES[form.required(*SHAPES)]
    result, of_a, of_b = take_elements(form, 3)
    kind, stored = KINDS.get(of_a.name), depth // 2 if is_sparse else depth
    if kind is None or DEPTHS.get(of_a.name) != stored or of_b.name not in kind.of_b or (is_sparse and of_a.bits == 1):
        raise form.error(f"no product of .{of_a.name} and .{of_b.name} has this shape")
    if result.name not in kind.of_result or (of_a.is_integer and columns not in INTEGER_COLUMNS):
        raise form.error(f"no product of .{of_a.name} has this shape and a result of .{result.name}")
    return Shape(columns, depth, stored, result, of_a, of_b)


def _take_saturation(form: Form, of_a: RegisterElement) -> bool:
    """Remove the modifiers that the type of A allows or requires: whether sums saturate."""
    saturates = form.has("satfinite")
    if saturates and (not of_a.is_integer or of_a.bits == 1):
        raise form.error("only sums of integers of 8 bits saturate")
    if of_a.bits == 1:
        form.required("and")
        form.required("popc")
    return saturates


def _left(form: Form, context: Context, operand: Operand, shape: Shape, is_transposed: bool) -> Fragments | RowsOfWarps:
    """How A is read: from registers if `operand` is a vector, or by a descriptor."""
    instruction, registers = form.instruction, context.registers
    if not isinstance(operand, Vector):
        read, rows = registers.reader(instruction, operand, B64), WARPS * ROWS
        matrix = Matrix(context.memory, instruction, read, rows, shape.stored, shape.of_a, is_transposed)
        return RowsOfWarps(matrix)
    if len(operand.elements) != REGISTERS_OF_A:
        raise form.error(f"{len(operand.elements)} registers for the {REGISTERS_OF_A} of A")
    return Fragments([registers.reader(instruction, register, B32) for register in elements_of(operand)], shape.of_a)


def _accumulator(form: Form, context: Context, operand: Operand, shape: Shape) -> Accumulator:
    instruction, registers, elements = form.instruction, context.registers, elements_of(operand)
    places = places_of_accumulator(shape.columns, 32 // shape.result.bits)
    if len(elements) != places[0].shape[1]:
        raise form.error(f"{len(elements)} registers for {places[0].shape[1]} of the accumulator")
    readers = [registers.reader(instruction, register, B32) for register in elements]
    writers = [registers.writer(instruction, register, B32) for register in elements]
    return Accumulator(readers, writers, shape.result, places)


def multiply(form: Form, context: Context) -> Step:
    """
    `wgmma.mma_async{.sp}.sync.aligned.m64nNkK.dtype.atype.btype d, a, b, {metadata, selector,} keep, scale_a, scale_b,
    transpose_a, transpose_b`: `d = a * b + d`, or `a * b` if `keep` is false. B, and A unless it is in registers, is a
    descriptor.
    """
    is_sparse = form.has("sp")
    form.required("sync")
    form.required("aligned")
    shape = _take_shape(form, is_sparse)
    saturates = _take_saturation(form, shape.of_a)
    instruction, memory, registers = form.instruction, context.memory, context.registers
    d, a, b, *scales = instruction.operands
    sparsity, read_metadata = None, registers.reader(instruction, elements_of(d)[0], B32)
    if is_sparse:
        metadata, selector, *scales = scales
        sparsity = take_sparsity(form, shape.of_a, shape.depth, False, selector)
        read_metadata = registers.reader(instruction, metadata, B32)
    keep, numbers = _scales(form, scales, shape.of_a, isinstance(a, Vector))
    check = members(context, instruction, ALL_LANES)
    left = _left(form, context, a, shape, numbers["transpose_a"] == 1)
    read = registers.reader(instruction, b, B64)
    right = Matrix(memory, instruction, read, shape.columns, shape.depth, shape.of_b, numbers["transpose_b"] == 1)
    accumulator = _accumulator(form, context, d, shape)
    adds = registers.reader(instruction, keep, PREDICATE)
    sign = numbers["scale_a"] * numbers["scale_b"]

    def execute(lanes: Lanes) -> None:
        check(lanes)
        warps = np.flatnonzero(lanes.warps(lanes.active_mask()).any(axis=-1))
        _check_warpgroups(lanes, memory, instruction, warps)
        with lanes.working(Engine.MATRIX):
            rows = left.load(lanes, warps)
            if sparsity is not None:
                held = lanes.warps(read_metadata(lanes))
                check_metadata(lanes, context, instruction, sparsity, held)
                rows = sparsity.expanded(rows, sparsity.codes(held.reshape(-1, WARP_SIZE)[warps]))
            total = sign * (rows @ right.load(lanes, warps).swapaxes(1, 2))
        before = accumulator.load(lanes, warps)
        kept = lanes.warps(adds(lanes)).reshape(-1, WARP_SIZE)[warps]
        sums = total[:, *accumulator.places] + np.where(kept[..., None, None], before, 0.0)
        accumulator.store(lanes, warps, rounded(sums, shape.result, saturates))

    return execute


def _scales(
    form: Form, operands: list[Operand], of_a: RegisterElement, in_registers: bool
) -> tuple[Operand, Mapping[str, int]]:
    """The predicate that keeps the accumulator, and the constants behind it."""
    names = [] if of_a.is_integer else ["scale_a", "scale_b"]
    if of_a.name in TRANSPOSABLE:
        names += ["transpose_b"] if in_registers else ["transpose_a", "transpose_b"]
    keep, *rest = operands
    if len(rest) != len(names):
        raise form.error(f"takes {len(names)} constants behind the accumulator's predicate, but there are {len(rest)}")
    numbers = {"scale_a": 1, "scale_b": 1, "transpose_a": 0, "transpose_b": 0}
    for name, operand in zip(names, rest, strict=True):
        allowed = (1, -1) if name.startswith("scale") else (0, 1)
        if not isinstance(operand, Integer) or operand.value not in allowed:
            raise form.error(f"{name} must be {allowed[0]} or {allowed[1]}")
        numbers[name] = operand.value
    return keep, numbers


def _check_warpgroups(lanes: Lanes, memory: Memory, instruction: Instruction, warps: Array) -> None:
    """Four warps must execute it together; which rows a warp has is its place among them."""
    per_block = -(-lanes.shape[1] // WARP_SIZE)
    if lanes.shape[1] % (WARPS * WARP_SIZE) == 0 or not len(warps):
        return
    alone = np.zeros((lanes.shape[0], per_block), np.bool_)
    alone.reshape(-1)[warps] = True
    alone[:, : per_block // WARPS * WARPS] = False
    wrong = lanes.of_warps(np.repeat(alone[..., None], WARP_SIZE, axis=-1)) & lanes.active_mask()
    if wrong.any():
        what = f"is not in one of the groups of {WARPS} warps that the block has"
        memory.faults.report(FaultKind.DIVERGENT_WARP, instruction.line, lanes, wrong, lambda _: what)


def fence(form: Form, context: Context) -> Step:
    """`wgmma.fence.sync.aligned`: orders what is executed in order here anyway."""
    return lambda lanes: None


def _row(meaning: Meaning, multiplies: bool = False) -> Row:
    """A row for `wgmma.name.sync.aligned`, where the meaning has not taken these two."""

    def of_form(form: Form, context: Context) -> Step | Control:
        decoded = meaning(form, context)
        form.take("sync")
        form.take("aligned")
        return decoded

    return Row(of_form, "matrix", scope=Scope.WARP_GROUP, multiplies=multiplies)


WARP_GROUPS: Mapping[str, Row] = {
    "wgmma.mma_async": _row(multiply, multiplies=True),
    "wgmma.fence": _row(fence),
    "wgmma.commit_group": _row(commit(Engine.MATRIX)),
    "wgmma.wait_group": _row(wait([Engine.MATRIX])),
}
