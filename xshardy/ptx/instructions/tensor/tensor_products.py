"""
Products of matrices by one thread, with sums in tensor memory. Source: PTX ISA, `tcgen05.mma`.

They are executed at once. The race check knows that their matrices are read, and their sums written, until the
`mbarrier` of a commit is complete. Products and sums are exact in f64 and rounded once per instruction: a GPU rounds
more often.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.instruction_descriptors import KINDS, Product, Use, decoded
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.scalar.memory import addresses
from xshardy.ptx.instructions.tensor.tensor_operands import (
    GROUPS,
    Issue,
    Operands,
    Tile,
    expanded,
    factors_at,
    matrix_in_tensor_memory,
)
from xshardy.ptx.instructions.warp.matrices import rounded
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Address, Integer, Operand, Vector
from xshardy.ptx.tensor_cells import store_cells
from xshardy.ptx.tensor_layouts import places_of_sums
from xshardy.ptx.tensor_memory import LANES, split
from xshardy.ptx.types import TYPES
from xshardy.ptx.zero_columns import NOTHING, ZeroColumns, zero_columns

FACTORS = ("scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32")
_USES = ("fill", "use", "lastuse", "discard")
COLLECTORS: Mapping[bool, Sequence[str]] = {
    False: [f"collector::a::{use}" for use in _USES],
    True: [f"collector::b{number}::{use}" for number in range(4) for use in _USES],
}
"""Hints for the buffers of A, or of B if this is stationary: they change no values."""
MOST_SCALE = 15
"""Of `scale-input-d`."""
B32, B64, PREDICATE = TYPES["b32"], TYPES["b64"], TYPES["pred"]


def take_use(form: Form) -> Use:
    """Remove what the opcode says of the product."""
    if form.modifiers[:2] == ["sp", "ws"]:
        raise form.error("expected .ws.sp")
    is_stationary, is_sparse = form.has("ws"), form.has("sp")
    blocks = GROUPS[form.required(*GROUPS)]
    name = form.required(*(f"kind::{kind}" for kind in KINDS)).partition("::")[2]
    kind = KINDS[name]
    if is_stationary and (blocks > 1 or kind.factors is not None):
        raise form.error("products with a stationary B are of one block, and not scaled")
    if form.has("block_scale") != (kind.factors is not None):
        raise form.error(f".kind::{name} {'needs' if kind.factors else 'has no'} .block_scale")
    vector = form.take(*FACTORS) or ""
    if kind.factors is not None and vector not in kind.factors:
        raise form.error(f"expected one of .{', .'.join(filter(None, kind.factors))} for .kind::{name}")
    form.take(*COLLECTORS[is_stationary])
    if form.has("ashift"):
        raise form.error("the direction of .ashift is not known, so that it is not supported")
    factors = kind.factors[vector] if kind.factors is not None else 0
    return Use(name, blocks, factors, is_sparse, is_stationary)


@dataclass(frozen=True, slots=True)
class Places:
    """The operands of a product."""

    d: Operand
    a: Operand
    b: Operand
    metadata: Operand | None
    descriptor: Operand
    scales: tuple[Operand, ...]
    disabled: tuple[Operand, ...]
    keep: Operand
    halvings: int
    """By which power of two the accumulator is divided."""
    zeros: Operand | None


def take_places(form: Form, use: Use) -> Places:
    """
    The operands of a product: `[d], a, b{, [metadata]}, descriptor{, [scales], [scales]}{, {disabled}}, keep{, last}`.
    """
    d, a, b, *rest = form.instruction.operands
    least = 2 + use.is_sparse + (2 if use.factors else 0)
    if len(rest) < least:
        raise form.error(f"takes at least {3 + least} operands, but there are {3 + len(rest)}")
    metadata = rest.pop(0) if use.is_sparse else None
    descriptor = rest.pop(0)
    if metadata is not None and not isinstance(metadata, Address):
        raise form.error("expected the address of the metadata of A, in brackets")
    scales = tuple(rest.pop(0) for _ in range(2)) if use.factors else ()
    disabled: tuple[Operand, ...] = ()
    if isinstance(rest[0], Vector):
        if use.factors or use.is_stationary:
            raise form.error("only products that are not scaled, and whose B is not stationary, disable lanes")
        disabled, rest = rest[0].elements, rest[1:]
        if len(disabled) != 4 * use.blocks:
            raise form.error(f"the mask of lanes has {len(disabled)} registers, not {4 * use.blocks}")
    if not 1 <= len(rest) <= 2:
        raise form.error(f"expected a predicate and at most one operand behind it, not {len(rest)} operands")
    keep, *last = rest
    zeros = last.pop() if last and use.is_stationary else None
    return Places(d, a, b, metadata, descriptor, scales, disabled, keep, _halvings(form, last, use), zeros)


def _halvings(form: Form, operands: Sequence[Operand], use: Use) -> int:
    """The constant behind the predicate."""
    if not operands:
        return 0
    (operand,) = operands
    if not use.kind.scales_accumulator or not isinstance(operand, Integer) or not 0 <= operand.value <= MOST_SCALE:
        raise form.error(f"scale-input-d must be 0 to {MOST_SCALE}, and only .kind::f16 and .kind::tf32 have it")
    return operand.value


def _readers(form: Form, context: Context, places: Places) -> tuple[Operands, Sequence[str]]:
    """What reads the operands, and the names of what it gives; those of several registers have a number."""
    registers, instruction = context.registers, form.instruction

    found = {
        "d": addresses(context, instruction, places.d),
        "a": addresses(context, instruction, places.a)
        if isinstance(places.a, Address)
        else registers.reader(instruction, places.a, B64),
        "b": registers.reader(instruction, places.b, B64),
        "descriptor": registers.reader(instruction, places.descriptor, B32),
        "keep": registers.reader(instruction, places.keep, PREDICATE),
    }
    if places.metadata is not None:
        found["metadata"] = addresses(context, instruction, places.metadata)
    if places.zeros is not None:
        found["zeros"] = registers.reader(instruction, places.zeros, B64)
    found |= {f"scales{at}": addresses(context, instruction, each) for at, each in enumerate(places.scales)}
    found |= {f"disabled{at}": registers.reader(instruction, each, B32) for at, each in enumerate(places.disabled)}
    return Operands(tuple(found.values())), tuple(found)


def multiply(form: Form, context: Context) -> Step:
    """
    `tcgen05.mma{.ws}{.sp}.group.kind [d], a, b, descriptor{, disabled}, keep{, scale}`: `d = a * b + d`, or `a * b` if
    `keep` is false; `a` is a descriptor or `[address]`. See `take_places` for further operands.
    """
    use = take_use(form)
    places = take_places(form, use)
    operands, names = _readers(form, context, places)
    instruction, memory = form.instruction, context.memory
    in_tensor_memory = isinstance(places.a, Address)

    def execute(lanes: Lanes) -> None:
        memory.changes += 1
        with lanes.working(Engine.TENSOR):
            for threads, row in operands.issues(lanes):
                values = dict(zip(names, row, strict=True))
                issue = Issue(lanes, memory, instruction, threads, use.blocks)
                if use.blocks > 1 and lanes.clusters.size % 2:
                    issue.fault("multiplies with another block, but its cluster has an odd number of blocks")
                    continue
                product = decoded(values["descriptor"], use)
                if isinstance(product, str):
                    issue.fault(f"uses an instruction descriptor that {product}")
                    continue
                if wrong := _wrong_lanes(values, product, in_tensor_memory):
                    issue.fault(wrong)
                    continue
                total = _total(issue, values, product, in_tensor_memory)
                if total is not None:
                    _add(issue, total, product, values, places)

    return execute


def _total(issue: Issue, values: Mapping[str, int], product: Product, in_tensor_memory: bool) -> Array | None:
    """The sums of the products of numbers: [threads, rows, columns]. None after a fault."""
    kind, zeros = product.kind, _zeros(values, product)
    if isinstance(zeros, str):
        issue.fault(f"uses a descriptor of columns that {zeros}")
        return None
    columns = product.columns + zeros.shift
    tile = Tile(columns, product.depth, product.of_b, kind.container, product.transposed[1])
    of_b = tile.read(issue, values["b"])
    stored = None
    if not in_tensor_memory:
        depth = product.depth // 2 if product.is_sparse else product.depth
        stored = Tile(product.rows, depth, product.of_a, kind.container, product.transposed[0]).read(issue, values["a"])
    if of_b is None or (stored is None and not in_tensor_memory):
        return None
    of_b = _without(of_b, zeros)
    found: list[Array] = []
    own = product.columns // product.parts
    for part in range(product.parts):
        left = matrix_in_tensor_memory(issue, values["a"], part, product) if stored is None else stored
        if product.is_sparse:
            left = expanded(issue, left, values["metadata"], part, product)
            if left is None:
                return None
        right = of_b[:, part * own : (part + 1) * own]
        found.append(
            scaled_sums(issue, left, right, values, product) if product.factors else left @ right.swapaxes(1, 2)
        )
    total = np.concatenate(found, axis=2)
    return -total if product.negative else total


def _zeros(values: Mapping[str, int], product: Product) -> ZeroColumns | str:
    """Which columns of B count as 0; or what is wrong with the operand that says so."""
    if "zeros" not in values:
        return NOTHING
    zeros = zero_columns(values["zeros"], product.rows, product.columns, product.parts)
    if isinstance(zeros, ZeroColumns) and zeros.shift > product.most_shift:
        return f"shifts columns by {zeros.shift}, but the instruction descriptor allows {product.most_shift}"
    return zeros


def _without(of_b: Array, zeros: ZeroColumns) -> Array:
    """B transposed without the columns that are shifted out, and with 0 for those that count as 0."""
    of_b = of_b[:, zeros.shift :]
    return np.where(zeros.is_zero[:, None], 0, of_b) if zeros.is_zero.any() else of_b


def scaled_sums(issue: Issue, of_a: Array, of_b: Array, values: Mapping[str, int], product: Product) -> Array:
    """
    The products of matrices of which each row of A, and column of B, has scale factors along the depth. A block has
    those of its own rows, and of all columns.
    """
    number, own_rows, each = product.factors, product.rows // issue.blocks, product.depth // product.factors
    first_a, first_b = product.first_factors
    rows = factors_at(issue, values["scales0"], own_rows, first_a, number, product).repeat(each, axis=-1)
    columns = factors_at(issue, values["scales1"], product.columns, first_b, number, product).repeat(each, axis=-1)
    left = of_a.reshape(rows.shape) * rows
    right = of_b[:, None] * columns
    return (left @ right.swapaxes(-1, -2)).reshape(len(of_a), product.rows, product.columns)


def _add(issue: Issue, total: Array, product: Product, values: Mapping[str, int], places: Places) -> None:
    """Store products or, if the predicate says so, their sums with what is in D, which is divided before."""
    (lane,), (column,) = split(np.array([values["d"]]))
    block, lanes, columns = places_of_sums(product.rows, product.columns, issue.blocks, product.parts)
    lanes, columns = lanes + lane, columns + column
    if values["keep"]:
        words = np.ascontiguousarray(issue.load(block, lanes, columns))
        before = words[..., None].view(product.result.dtype)[..., 0].astype(np.float64)
        total = total + before / 2.0**places.halvings
    sums = rounded(total, product.result, product.saturates)
    narrow = np.dtype(f"u{product.result.dtype.itemsize}")
    words = np.ascontiguousarray(sums).view(narrow).astype(np.uint32)
    enabled = np.ones(block.shape, np.bool_)
    if places.disabled:
        masks = np.array([values[f"disabled{at}"] for at in range(len(places.disabled))], np.uint64)
        words_of_mask = masks.reshape(issue.blocks, -1)
        enabled = (words_of_mask[block, lanes // 32] >> (lanes % 32).astype(np.uint64) & np.uint64(1)) == 0
    cells, shape = issue.cells(block, lanes, columns)
    chosen = np.broadcast_to(enabled, shape).reshape(-1)
    store_cells(issue.lanes, issue.memory, issue.instruction, cells.of(chosen), words.reshape(-1)[chosen])


def _wrong_lanes(values: Mapping[str, int], product: Product, in_tensor_memory: bool) -> str | None:
    """
    Sums begin in lane 0; those that fill half of the lanes of each quarter may begin in lane 16, and then A and its
    metadata begin there too.
    """
    half = product.parts == 1 and product.rows // product.blocks == LANES // 2
    allowed = (0, 16) if half else (0,)
    names = {"d": "sums", "a": "A", "metadata": "metadata"}
    lanes = {
        name: int(split(np.array([values[key]]))[0][0])
        for key, name in names.items()
        if key in values and (key != "a" or in_tensor_memory)
    }
    for name, lane in lanes.items():
        if lane not in allowed:
            return f"has its {name} from lane {lane} on: expected {' or '.join(map(str, allowed))}"
        if lane != lanes["sums"]:
            return f"has its {name} from lane {lane} on, but its sums from lane {lanes['sums']} on"
    return None
