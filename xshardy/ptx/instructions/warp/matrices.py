"""
Products of small matrices by a warp, also with scale factors. Source: PTX ISA, `mma`, `mma.sp`.

The threads of a warp hold a matrix together. With g = lane / 4, t = lane % 4, and e elements of A or B in a register:
register r of A has row g (+ 8 if r is odd) and e columns from t*e (+ 4e * (r / 2)) on; register r of B has e rows from
t*e (+ 4e*r) on and column g; an accumulator has rows g and g + 8, columns 2t and 2t + 1. Of 8 rows there are the first.
Of a sparse A there are the elements that are stored. f16 of 8 rows lie in another way: see `quad_pairs`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.instructions.warp.block_scales import OF_A, OF_B, Scaling, factors_of, scaled, take_scaling
from xshardy.ptx.instructions.warp.fragments import ALL_LANES, Fragment, rounded
from xshardy.ptx.instructions.warp.matrix_elements import DENSE_E2M1, RegisterElement, take_elements
from xshardy.ptx.instructions.warp.matrix_rows import load_matrices, store_matrices
from xshardy.ptx.instructions.warp.quad_pairs import SHAPE as OF_QUAD_PAIRS
from xshardy.ptx.instructions.warp.quad_pairs import multiply_by_quad_pairs
from xshardy.ptx.instructions.warp.warps import members
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Instruction, Integer, Operand
from xshardy.ptx.sparsity import CHUNKS, Sparsity
from xshardy.ptx.types import TYPES

COLUMNS = 8
SPARSE = ("sp", "sp::ordered_metadata")
B32 = TYPES["b32"]

_SHAPE = re.compile(r"m(8|16)n8k(\d+)")
_LANES = np.arange(WARP_SIZE)[:, None, None]
_G, _T = _LANES // 4, _LANES % 4


@dataclass(frozen=True, slots=True)
class Kind:
    """The products whose A has elements of some type; or those that a modifier names, whose A has elements as B."""

    of_b: tuple[str, ...]
    of_result: tuple[str, ...]
    """Also those of C."""
    depths: Mapping[int, tuple[int, ...]]
    """By the rows of A, its columns."""
    sparse_depths: tuple[int, ...] = ()
    """The same of a sparse A, which has 16 rows."""

    def depths_of(self, rows: int, *, is_sparse: bool) -> tuple[int, ...]:
        """The columns that an A of so many rows may have."""
        if is_sparse:
            return self.sparse_depths if rows == 16 else ()
        return self.depths.get(rows, ())


_INTEGERS = ("s32",)
_BYTES = Kind(("s8", "u8"), _INTEGERS, {8: (16,), 16: (16, 32)}, (32, 64))
_NIBBLES = Kind(("s4", "u4"), _INTEGERS, {8: (32,), 16: (32, 64)}, (64, 128))
_SMALL_FLOATS = Kind(("e4m3", "e5m2"), ("f16", "f32"), {16: (16, 32)}, (64,))
KINDS: Mapping[str, Kind] = {
    "f16": Kind(("f16",), ("f16", "f32"), {16: (8, 16)}, (16, 32)),
    "bf16": Kind(("bf16",), ("f32",), {16: (8, 16)}, (16, 32)),
    "tf32": Kind(("tf32",), ("f32",), {16: (4, 8)}, (8, 16)),
    "f64": Kind(("f64",), ("f64",), {8: (4,), 16: (4, 8, 16)}),
    "e4m3": _SMALL_FLOATS,
    "e5m2": _SMALL_FLOATS,
    "s8": _BYTES,
    "u8": _BYTES,
    "s4": _NIBBLES,
    "u4": _NIBBLES,
    "b1": Kind(("b1",), _INTEGERS, {8: (128,), 16: (128, 256)}),
}
"""By the type of A."""
_NARROW = ("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
NARROW_KINDS: Mapping[str, Kind] = {
    "kind::f8f6f4": Kind(_NARROW, ("f16", "f32"), {16: (32,)}, (64,)),
    "kind::mxf8f6f4": Kind(_NARROW, ("f32",), {16: (32,)}, (64,)),
    "kind::mxf4": Kind(("e2m1",), ("f32",), {16: (64,)}, (128,)),
    "kind::mxf4nvf4": Kind(("e2m1",), ("f32",), {16: (64,)}, (128,)),
}
"""By the modifier that names them."""
DENSE_KINDS = ("kind::mxf4", "kind::mxf4nvf4")
"""Those whose elements of 4 bits fill registers."""


def exclusive(a: Array, b: Array) -> Array:
    """How many bits of rows of A and columns of B differ."""
    return a.sum(axis=-1)[..., :, None] + b.sum(axis=-2)[..., None, :] - 2 * (a @ b)


BIT_OPERATIONS: Mapping[str, Callable[[Array, Array], Array]] = {"xor": exclusive, "and": np.matmul}
"""What is counted of single bits."""


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


def take_shape(form: Form) -> tuple[int, int]:
    """Remove the shape: the rows of A and its columns, where B has 8 columns."""
    for modifier in form.modifiers:
        if (match := _SHAPE.fullmatch(modifier)) is not None:
            form.modifiers.remove(modifier)
            return int(match[1]), int(match[2])
    raise form.error("expected a shape such as .m16n8k16")


def take_sparsity(form: Form, element: RegisterElement, depth: int, ordered: bool, selector: Operand) -> Sparsity:
    """How A is stored. Raises `PtxError` for a selector that names no threads."""
    chunks = CHUNKS[element.bits]
    found = Sparsity(chunks, depth // chunks.elements, 0, ordered)
    most = 4 // found.threads
    if not isinstance(selector, Integer) or not 0 <= selector.value < most:
        raise form.error(f"the sparsity selector must be a constant below {most}")
    return Sparsity(chunks, found.count, selector.value, ordered)


def check_metadata(
    lanes: Lanes, context: Context, instruction: Instruction, sparsity: Sparsity, metadata: Array
) -> None:
    """Codes of metadata that name no elements are a fault; `metadata` are by warp, [blocks, warps, 32]."""
    wrong = lanes.of_warps(~sparsity.is_valid(metadata)) & lanes.active_mask()
    if wrong.any():
        values = lanes.of_warps(metadata)
        rule = ", of places in order" if sparsity.ordered else ""

        def describe(thread: int) -> str:
            return f"has the metadata {int(values.flat[thread]):#010x}, which are not all valid codes{rule}"

        context.memory.faults.report(FaultKind.METADATA, instruction.line, lanes, wrong, describe)


@dataclass(frozen=True, slots=True)
class Product:
    """What an opcode says of a product."""

    rows: int
    depth: int
    result: RegisterElement
    """Of C too."""
    of_a: RegisterElement
    of_b: RegisterElement
    sparse: str | None
    saturates: bool
    multiply: Callable[[Array, Array], Array]
    scaling: Scaling | None = None

    @property
    def stored(self) -> int:
        """The columns of A that the registers hold."""
        return self.depth // 2 if self.sparse else self.depth


def take_product(form: Form) -> Product:
    """Remove all that says of which matrices there is a product. Raises `PtxError` if there is none of them."""
    sparse = form.take(*SPARSE)
    rows, depth = take_shape(form)
    form.required("row")
    form.required("col")
    saturates = form.has("satfinite")
    name = form.take(*NARROW_KINDS)
    if name is not None:
        return take_narrow_product(form, name, rows, depth, sparse)
    result, of_a, of_b, of_c = take_elements(form, 4)
    kind = KINDS.get(of_a.name)
    if kind is None or depth not in kind.depths_of(rows, is_sparse=sparse is not None):
        raise form.error(f"products of .{of_a.name} of this shape are not supported")
    if of_b.name not in kind.of_b or result.name not in kind.of_result or of_c != result:
        raise form.error(
            f"a product of .{of_a.name} takes B of .{', .'.join(kind.of_b)}, and both C and the result of one of "
            f".{', .'.join(kind.of_result)}"
        )
    if sparse == "sp" and of_a.bits == 8 and result.name == "f16":
        raise form.error("sparse products of f8 have results of .f16 with .sp::ordered_metadata only")
    if saturates and (not of_a.is_integer or of_a.bits == 1):
        raise form.error("only sums of integers of 4 and 8 bits saturate")
    if of_a.name == "f64":
        form.take("rn")
    function = np.matmul
    if of_a.bits == 1:
        function = BIT_OPERATIONS[form.required(*BIT_OPERATIONS)]
        form.required("popc")
    return Product(rows, depth, result, of_a, of_b, sparse, saturates, function)


def take_narrow_product(form: Form, name: str, rows: int, depth: int, sparse: str | None) -> Product:
    """The same for the products that `.kind` names."""
    kind = NARROW_KINDS[name]
    scaling = take_scaling(form, name)
    result, of_a, of_b, of_c = take_elements(form, 4)
    if depth not in kind.depths_of(rows, is_sparse=sparse is not None):
        raise form.error(f"products of .{name} of this shape are not supported")
    if of_a.name not in kind.of_b or of_b.name not in kind.of_b or result.name not in kind.of_result or of_c != result:
        raise form.error(
            f".{name} takes A and B of .{', .'.join(kind.of_b)}, and both C and the result of one of "
            f".{', .'.join(kind.of_result)}"
        )
    if sparse == "sp":
        raise form.error(f"sparse products of .{name} have .sp::ordered_metadata")
    if name in DENSE_KINDS:
        of_a = of_b = DENSE_E2M1
    return Product(rows, depth, result, of_a, of_b, sparse, False, np.matmul, scaling)


def multiply(form: Form, context: Context) -> Step:
    """
    `mma{.sp}.sync.aligned.mMn8kK.row.col{.satfinite}.dtype.atype.btype.ctype{.op.popc} d, a, b, c`: `d = a * b + c`.

    A sparse A has two further operands: its metadata, and which threads have them. `.kind` with `.block_scale` has
    `scales of a, {byte, threads}, scales of b, {byte, threads}`.
    """
    form.required("sync")
    form.required("aligned")
    if OF_QUAD_PAIRS in form.modifiers and "f16" in form.modifiers:
        return multiply_by_quad_pairs(form, context)
    of = take_product(form)
    instruction, registers, result = form.instruction, context.registers, of.result
    check = members(context, instruction, ALL_LANES)
    count = of.rows * of.stored // WARP_SIZE // of.of_a.in_register
    left = Fragment(of.of_a, places_of_a(count, of.of_a.in_register), (of.rows, of.stored))
    count = of.depth * COLUMNS // WARP_SIZE // of.of_b.in_register
    right = Fragment(of.of_b, places_of_b(count, of.of_b.in_register), (of.depth, COLUMNS))
    total = Fragment(result, places_of_accumulator(result.in_register, of.rows), (of.rows, COLUMNS))
    d, a, b, c, *further = instruction.operands
    reads_a, reads_b, reads_c = (
        fragment.readers(form, context, operand) for fragment, operand in ((left, a), (right, b), (total, c))
    )
    writers = total.writers(form, context, d)
    sparsity, read_metadata = None, reads_a[0]
    expected = 4 + (2 if of.sparse else 0) + (4 if of.scaling else 0)
    if len(instruction.operands) != expected:
        raise form.error(f"takes {expected} operands, but there are {len(instruction.operands)}")
    if of.sparse:
        metadata, selector, *further = further
        sparsity = take_sparsity(form, of.of_a, of.depth, of.sparse != "sp", selector)
        read_metadata = registers.reader(instruction, metadata, B32)
    scales = None
    if of.scaling is not None:
        of_rows, rows_from, of_columns, columns_from = further
        scales = (
            factors_of(form, context, OF_A, of.scaling, (of_rows, rows_from)),
            factors_of(form, context, OF_B, of.scaling, (of_columns, columns_from)),
        )

    def execute(lanes: Lanes) -> None:
        check(lanes)
        of_left = left.read(lanes, reads_a)
        if sparsity is not None:
            codes = lanes.warps(read_metadata(lanes))
            check_metadata(lanes, context, instruction, sparsity, codes)
            of_left = sparsity.expanded(of_left, sparsity.codes(codes))
        of_right = right.read(lanes, reads_b)
        if scales is not None:
            rows, columns = (each.read(lanes, context) for each in scales)
            of_left = scaled(of_left, rows)
            of_right = scaled(of_right.swapaxes(-1, -2), columns).swapaxes(-1, -2)
        sums = of.multiply(of_left, of_right) + total.read(lanes, reads_c)
        total.write(lanes, writers, rounded(sums, result, of.saturates))

    return execute


MATRICES: Mapping[str, Row] = {
    "mma": Row(multiply, "matrix", multiplies=True),
    "ldmatrix": Row(load_matrices, "matrix"),
    "stmatrix": Row(store_matrices, "matrix"),
}
