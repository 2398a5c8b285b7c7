"""
Copies of boxes of tensors between global and shared memory. Source: PTX ISA, `cp.async.bulk.tensor`, `tensormap`.

Elements of a box outside of the tensor are filled where they are read, and left out where they are written.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.bulk import load_each, store_each
from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.instructions.scalar.memory import addresses, elements_of, store_words, take_space
from xshardy.ptx.instructions.tensor.bulk_copies import BY_GROUPS, COMPLETIONS, Completion, Reduction, Site, take_spaces
from xshardy.ptx.instructions.tensor.tensor_operands import GROUPS
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Integer, Tensor
from xshardy.ptx.swizzles import CHUNK
from xshardy.ptx.tensor_boxes import BOXES, ROWS_AT_ONCE, Boxes, Rows
from xshardy.ptx.tensor_maps import COLUMNS, ELEMENTS, FIELDS, LAYOUT, MAP_BYTES, MODES, unsupported_in, wrong_in
from xshardy.ptx.types import TYPES

RANKS: Mapping[str, int] = {f"{rank}d": rank for rank in range(1, 6)}
TILE_ALIGNMENT = 128
"""Of a box in shared memory, in bytes."""
FILL = 0xFF
"""All bytes of the number that is not one, for elements out of bounds."""
S32, U16 = TYPES["s32"], TYPES["u16"]
OPERATIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")


MODES_TO: Mapping[str, tuple[str, ...]] = {
    "shared": ("tile::gather4", "im2col", "tile"),
    "global": ("tile::scatter4", "im2col_no_offs", "tile"),
}
"""The modes of copies by their destination."""


def _load(site: Site, boxes: Boxes, threads: Array) -> Array:
    """What is in the tensor: [boxes, bytes]."""
    piece = boxes.piece()
    address, inside = boxes.places(piece)
    result = np.full((*address.shape, piece), FILL if boxes.map["fill_mode"] else 0, np.uint8)
    who = np.broadcast_to(threads[:, None, None], inside.shape)[inside]
    result[inside] = load_each(site.lanes, site.memory, site.instruction, "global", who, address[inside], piece)
    return result.reshape(len(threads), -1)


@dataclass(frozen=True, slots=True)
class Mode:
    """How a copy goes over a tensor, and what says where it begins."""

    name: str
    rank: int

    @property
    def is_of_columns(self) -> bool:
        return self.name.startswith("im2col")

    @property
    def coordinates(self) -> int:
        return 1 + ROWS_AT_ONCE if BOXES[self.name] is Rows else self.rank

    def wrong(self, map: Array) -> str | None:
        """Why a valid map is none for this mode, in words behind its name."""
        if int(map["rank"]) + 1 != self.rank:
            return f"has {int(map['rank']) + 1} dimensions, the instruction {self.rank}"
        if (int(map["mode"]) == COLUMNS) != self.is_of_columns:
            return f"is of {MODES[int(map['mode'])]}, the instruction is not"
        return None


def _take_mode(form: Form, rank: int, to: str) -> Mode:
    """Remove the mode of a copy. Raises `PtxError` for those that are not supported."""
    found = form.take(*MODES_TO[to]) or "tile"
    if BOXES[found] is Rows and rank != 2:
        raise form.error("four rows are copied of matrices only, .2d")
    if found.startswith("im2col") and rank < 3:
        raise form.error("images have at least 3 dimensions: [images, width, channels]")
    return Mode(found, rank)


def _groups(
    site: Site, threads: Array, maps: Array, mode: Mode, coordinates: Array, offsets: Array
) -> Iterator[tuple[Array, Boxes]]:
    """The threads with each valid map, by their numbers in `threads`, and their boxes."""
    unique, inverse = np.unique(maps, axis=0, return_inverse=True)
    for number, raw in enumerate(unique):
        map, chosen = raw.view(LAYOUT)[0], np.flatnonzero(inverse.reshape(-1) == number)
        boxes = BOXES[mode.name](map, coordinates[chosen], offsets[chosen])
        wrong = wrong_in(map) or mode.wrong(map) or boxes.wrong()
        if wrong is not None:
            site.report(FaultKind.DESCRIPTOR, threads[chosen], lambda _, wrong=wrong: f"uses a tensor map that {wrong}")
            continue
        if (unsupported := unsupported_in(map)) is not None:
            raise PtxError(site.instruction.line, f"tensor maps with {unsupported} are not supported")
        yield chosen, boxes


def copy(form: Form, context: Context) -> Step:
    """
    `cp.async.bulk.tensor.Nd.dst.src{.mode}.completion [d], [map, {coordinates}], [mbar]{, {offsets}}{, ranks}`; and
    from shared memory `[map, {coordinates}], [s]`, also `cp.reduce.async.bulk.tensor` with an operation.
    With `.cta_group::2`, the `mbarrier` may be in the other block of the pair.
    """
    rank, (to, _) = RANKS[form.required(*RANKS)], take_spaces(form)
    by_groups = form.required(*COMPLETIONS) == BY_GROUPS
    mode = _take_mode(form, rank, to)
    is_multicast, reduces = form.has("multicast::cluster"), form.has("reduce")
    of_pairs = form.take(*GROUPS) == "cta_group::2"
    operation = form.required(*OPERATIONS) if reduces else None
    form.has("L2::cache_hint")
    instruction, memory, registers = form.instruction, context.memory, context.registers
    destination, source, *rest = instruction.operands
    tensor, tile = (destination, source) if to == "global" else (source, destination)
    if not isinstance(tensor, Tensor) or len(tensor.coordinates.elements) != mode.coordinates:
        raise form.error(f"expected a tensor map with {mode.coordinates} coordinates")
    mbarrier = None if by_groups else rest.pop(0)
    moves = [rest.pop(0)] if mode.name == "im2col" else []
    added = [element for vector in moves for element in elements_of(vector)]
    if moves and len(added) != rank - 2:
        raise form.error(f"expected {rank - 2} offsets")
    completion = Completion(form, context, mbarrier, rest[0] if is_multicast else None, of_pairs=of_pairs)
    of_map, of_tile = addresses(context, instruction, tensor.map), addresses(context, instruction, tile)
    reads = [registers.reader(instruction, element, S32) for element in tensor.coordinates.elements]
    of_offsets = [registers.reader(instruction, element, U16) for element in added]

    def execute(lanes: Lanes) -> None:
        site = Site(lanes, memory, instruction)
        threads = site.active()
        with lanes.working(Engine.BULK_READS if by_groups else completion.engine(site, threads)):
            steps = np.arange(0, MAP_BYTES, CHUNK, dtype=np.uint64)
            chunks = (site.values(of_map, threads)[:, None] + steps).reshape(-1)
            maps = load_each(lanes, memory, instruction, "", np.repeat(threads, len(steps)), chunks, CHUNK)
        coordinates = np.stack([site.values(read, threads) for read in reads], axis=1).astype(np.int64)
        offsets = np.zeros((len(threads), max(rank - 2, 0)), np.int64)
        for number, read in enumerate(of_offsets):
            offsets[:, number] = site.values(read, threads)
        starts = site.values(of_tile, threads)
        good = site.aligned(threads, starts, TILE_ALIGNMENT, "copies a box at address")
        for chosen, boxes in _groups(site, threads, maps.reshape(-1, MAP_BYTES), mode, coordinates, offsets):
            some = good[chosen] & site.fitting(threads[chosen], np.full(len(chosen), boxes.bytes))
            if not some.any():
                continue
            boxes = replace(boxes, coordinates=boxes.coordinates[some], offsets=boxes.offsets[some])
            who, begin = threads[chosen[some]], starts[chosen[some]]
            if to == "global":
                _store(site, boxes, who, begin, operation)
                continue
            with lanes.working(completion.engine(site, who)):
                data = _load(site, boxes, who)
                copies, places = completion.spread(site, who, begin)
                chunks = boxes.in_shared(places)
                everyone = np.repeat(who[copies], chunks.shape[1])
                rows = data[copies].reshape(-1, CHUNK)
                store_each(lanes, memory, instruction, to, everyone, chunks.reshape(-1), rows)
                completion.tell(site, who, np.full(len(who), boxes.bytes))

    return execute


def _store(site: Site, boxes: Boxes, threads: Array, starts: Array, operation: str | None) -> None:
    """Copy boxes from shared memory, or combine what is in the tensor with them."""
    lanes, memory, instruction = site.lanes, site.memory, site.instruction
    with lanes.working(Engine.BULK_READS):
        chunks = boxes.in_shared(starts)
        everyone = np.repeat(threads, chunks.shape[1])
        data = load_each(lanes, memory, instruction, "shared", everyone, chunks.reshape(-1), CHUNK)
    piece = boxes.piece() if operation is None else boxes.element_bytes
    address, inside = boxes.places(piece)
    who = np.broadcast_to(threads[:, None, None], inside.shape)[inside]
    rows = data.reshape(*address.shape, piece)[inside]
    with lanes.working(Engine.BULK_WRITES):
        if operation is None:
            store_each(lanes, memory, instruction, "global", who, address[inside], rows)
        else:
            element = ELEMENTS[int(boxes.map["elemtype"])]
            type = next(type for type in TYPES.values() if type.dtype == element and type.elements == 1)
            Reduction(operation, type).apply(site, "global", who, address[inside], rows)


def replace_field(form: Form, context: Context) -> Step:
    """`tensormap.replace.tile.FIELD{.space}.b1024.type [map], {number, }value`."""
    form.required("tile")
    name = form.required(*FIELDS)
    space = take_space(form)
    form.required("b1024")
    type, instruction, memory = form.type(), form.instruction, context.memory
    map, *numbers, value = instruction.operands
    field, offset = FIELDS[name]
    count, size = (field.shape or (1,))[0], field.base.itemsize
    number = numbers[0].value if numbers and isinstance(numbers[0], Integer) else 0
    if len(numbers) != (count > 1) or number >= count or type.bits != 8 * size:
        raise form.error(f"the field has {count} values of {8 * size} bits")
    where, moved = addresses(context, instruction, map), np.uint64(int(offset) + number * size)
    read = context.registers.reader(instruction, value, type)
    return lambda lanes: store_words(lanes, memory, instruction, space, where(lanes) + moved, [read(lanes)])


def copy_map(form: Form, context: Context) -> Step:
    """`tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [d], [s], 128`."""
    to, of = take_spaces(form)
    for modifier in ("tensormap::generic", "release", "sync", "aligned"):
        form.required(modifier)
    form.required("cta", "cluster", "gpu", "sys")
    instruction, memory = form.instruction, context.memory
    where, whence = (addresses(context, instruction, operand) for operand in instruction.operands[:2])
    steps = np.arange(0, MAP_BYTES, CHUNK, dtype=np.uint64)

    def execute(lanes: Lanes) -> None:
        site = Site(lanes, memory, instruction)
        active = lanes.warps(lanes.active_mask())
        first = lanes.of_warps(active & (np.cumsum(active, axis=-1) == 1))
        threads = np.flatnonzero(first)
        who = np.repeat(threads, len(steps))
        source, destination = ((site.values(read, threads)[:, None] + steps).reshape(-1) for read in (whence, where))
        data = load_each(lanes, memory, instruction, of, who, source, CHUNK)
        store_each(lanes, memory, instruction, to, who, destination, data)

    return execute


TENSOR_MAPS: Mapping[str, Row] = {
    "tensormap.replace": Row(replace_field, "copy", (1.0, 2.0)),
    "tensormap.cp_fenceproxy": Row(copy_map, "copy", (1.0, 2.0)),
}
