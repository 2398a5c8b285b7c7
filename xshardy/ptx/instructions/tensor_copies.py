"""
Copies of boxes of tensors between global and shared memory. Source: PTX ISA, `cp.async.bulk.tensor`, `tensormap`.

In shared memory the rows of a box follow each other, swizzled. Elements of a box outside of the tensor are filled where
they are read, and left out where they are written.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from xshardy.interpreters.element_types import Array
from xshardy.ptx.bulk import load_each, store_each
from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Action, Context, Step
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.bulk_copies import BY_GROUPS, COMPLETIONS, Completion, Reduction, Site, take_spaces
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.memory import addresses, store_words, take_space
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Integer, Tensor
from xshardy.ptx.swizzles import CHUNK, swizzled
from xshardy.ptx.tensor_maps import ELEMENTS, FIELDS, LAYOUT, MAP_BYTES, SWIZZLES, unsupported_in, wrong_in
from xshardy.ptx.types import TYPES

RANKS: Mapping[str, int] = {f"{rank}d": rank for rank in range(1, 6)}
TILE_ALIGNMENT = 128
"""Of a box in shared memory, in bytes."""
FILL = 0xFF
"""All bytes of the number that is not one, for elements out of bounds."""
S32 = TYPES["s32"]
OPERATIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes of one map that threads copy."""

    map: Array
    """Of type `LAYOUT`."""
    coordinates: Array
    """The first element of each box, [boxes, dimensions], the innermost first; it may be negative."""

    @property
    def element_bytes(self) -> int:
        return ELEMENTS[int(self.map["elemtype"])].itemsize

    @property
    def box(self) -> list[int]:
        """The sizes of a box in elements, the innermost first."""
        return [int(size) for size in self.map["box_dim"][: self.coordinates.shape[1]]]

    @property
    def bytes(self) -> int:
        """The bytes of a box."""
        return prod(self.box) * self.element_bytes

    def piece(self) -> int:
        """In how large pieces, in bytes, rows are read and written: an element, if the tensor ends within a chunk."""
        ends = [*self.coordinates[:, 0].tolist(), int(self.map["global_dim"][0])]
        return self.element_bytes if any(end * self.element_bytes % CHUNK for end in ends) else CHUNK

    def places(self, piece: int) -> tuple[Array, Array]:
        """The address of each piece of the boxes, and whether it is in the tensor: [boxes, rows, pieces of a row]."""
        map, box = self.map, self.box
        rank = len(box)
        sizes, of_piece = map["global_dim"].astype(np.int64), piece // self.element_bytes
        first = self.coordinates[:, :1] + np.arange(0, box[0], of_piece)
        inside = ((first >= 0) & (first < sizes[0]))[:, None, :]
        offset = (first * self.element_bytes)[:, None, :]
        rows = np.indices(box[:0:-1]).reshape(rank - 1, -1)[::-1] if rank > 1 else np.zeros((0, 1), np.int64)
        for axis in range(1, rank):
            at = self.coordinates[:, axis, None] + rows[axis - 1]
            inside = inside & ((at >= 0) & (at < sizes[axis]))[:, :, None]
            offset = offset + (at * int(map["global_stride"][axis - 1]))[:, :, None]
        shape = (len(self.coordinates), max(prod(box[1:]), 1), first.shape[1])
        address = np.broadcast_to(offset, shape).astype(np.uint64) + map["global_address"]
        return address, np.broadcast_to(inside, shape)

    def in_shared(self, starts: Array) -> Array:
        """Where each chunk of the boxes lies, if they begin at `starts`: [boxes, chunks]."""
        linear = starts[:, None] + np.arange(0, self.bytes, CHUNK, dtype=np.uint64)
        return swizzled(linear, SWIZZLES[int(self.map["swizzle_mode"])])

    def load(self, site: Site, threads: Array) -> Array:
        """What is in the tensor: [boxes, bytes]."""
        piece = self.piece()
        address, inside = self.places(piece)
        result = np.full((*address.shape, piece), FILL if self.map["fill_mode"] else 0, np.uint8)
        who = np.broadcast_to(threads[:, None, None], inside.shape)[inside]
        result[inside] = load_each(site.lanes, site.memory, site.instruction, "global", who, address[inside], piece)
        return result.reshape(len(threads), -1)


def _groups(site: Site, threads: Array, maps: Array, coordinates: Array) -> Iterator[tuple[Array, Boxes]]:
    """The threads with each valid map, by their numbers in `threads`, and their boxes."""
    unique, inverse = np.unique(maps, axis=0, return_inverse=True)
    for number, raw in enumerate(unique):
        map, chosen = raw.view(LAYOUT)[0], np.flatnonzero(inverse.reshape(-1) == number)
        wrong = wrong_in(map)
        if wrong is None and int(map["rank"]) + 1 != coordinates.shape[1]:
            wrong = f"has {int(map['rank']) + 1} dimensions, the instruction {coordinates.shape[1]}"
        if wrong is not None:
            site.report(FaultKind.DESCRIPTOR, threads[chosen], lambda _, wrong=wrong: f"uses a tensor map that {wrong}")
            continue
        if (unsupported := unsupported_in(map)) is not None:
            raise PtxError(site.instruction.line, f"tensor maps with {unsupported} are not supported")
        yield chosen, Boxes(map, coordinates[chosen])


def copy(form: Form, context: Context) -> Step:
    """
    `cp.async.bulk.tensor.Nd.dst.src{.tile}.completion [d], [map, {coordinates}], [mbar]{, ranks}`; and from shared
    memory `[map, {coordinates}], [s]`, also `cp.reduce.async.bulk.tensor` with an operation.
    """
    rank, (to, _) = RANKS[form.required(*RANKS)], take_spaces(form)
    by_groups = form.required(*COMPLETIONS) == BY_GROUPS
    form.has("tile")
    is_multicast, reduces = form.has("multicast::cluster"), form.has("reduce")
    operation = form.required(*OPERATIONS) if reduces else None
    form.has("L2::cache_hint")
    instruction, memory, registers = form.instruction, context.memory, context.registers
    destination, source, *rest = instruction.operands
    tensor, tile = (destination, source) if to == "global" else (source, destination)
    if not isinstance(tensor, Tensor) or len(tensor.coordinates.elements) != rank:
        raise form.error(f"expected a tensor map with {rank} coordinates")
    completion = Completion(form, context, None if by_groups else rest[0], rest[1] if is_multicast else None)
    of_map, of_tile = addresses(context, instruction, tensor.map), addresses(context, instruction, tile)
    reads = [registers.reader(instruction, element, S32) for element in tensor.coordinates.elements]

    def execute(lanes: Lanes) -> None:
        site = Site(lanes, memory, instruction)
        threads = site.active()
        with lanes.working(Engine.BULK_READS if by_groups else completion.engine(site, threads)):
            steps = np.arange(0, MAP_BYTES, CHUNK, dtype=np.uint64)
            chunks = (site.values(of_map, threads)[:, None] + steps).reshape(-1)
            maps = load_each(lanes, memory, instruction, "", np.repeat(threads, len(steps)), chunks, CHUNK)
        coordinates = np.stack([site.values(read, threads) for read in reads], axis=1).astype(np.int64)
        starts = site.values(of_tile, threads)
        good = site.aligned(threads, starts, TILE_ALIGNMENT, "copies a box at address")
        for chosen, boxes in _groups(site, threads, maps.reshape(-1, MAP_BYTES), coordinates):
            some = good[chosen] & site.fitting(threads[chosen], np.full(len(chosen), boxes.bytes))
            if not some.any():
                continue
            boxes = Boxes(boxes.map, boxes.coordinates[some])
            who, begin = threads[chosen[some]], starts[chosen[some]]
            if to == "global":
                _store(site, boxes, who, begin, operation)
                continue
            with lanes.working(completion.engine(site, who)):
                data = boxes.load(site, who)
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


def tensormap(form: Form, context: Context) -> Step:
    """An instruction that begins with `tensormap`."""
    return replace_field(form, context) if form.has("replace") else _copied(form, context)


def _copied(form: Form, context: Context) -> Step:
    form.required("cp_fenceproxy")
    return copy_map(form, context)


TENSORS: Mapping[str, Action] = {"tensormap": tensormap}
