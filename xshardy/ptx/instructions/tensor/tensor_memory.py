"""
Tensor memory: its allocation, loads and stores by warps, copies from shared memory, and what waits for them.

They are executed at once; the race check knows that they are complete only for those who wait. Source: PTX ISA,
"Tensor Memory Allocation and Management Instructions", "Tensor Memory and Register Load/Store Instructions".
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Context, Reader, Step, Writer
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Meaning, Row, Scope
from xshardy.ptx.instructions.scalar.memory import addresses, elements_of, nothing, store_words, take_space
from xshardy.ptx.instructions.tensor.mbarriers import arrive_at, objects_of
from xshardy.ptx.instructions.tensor.tensor_copies_in import copy
from xshardy.ptx.instructions.tensor.tensor_operands import GROUPS
from xshardy.ptx.instructions.tensor.tensor_products import multiply
from xshardy.ptx.instructions.tensor.tensor_reductions import take_reduction
from xshardy.ptx.instructions.warp.matrices import ALL_LANES
from xshardy.ptx.instructions.warp.warps import members
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory, in_block
from xshardy.ptx.module import Instruction, Integer, Operand
from xshardy.ptx.tensor_cells import Cells, cells_of, load_cells, report, store_cells, touch_cells
from xshardy.ptx.tensor_fragments import COUNTS, MOST_REGISTERS, SHAPES, fragment
from xshardy.ptx.tensor_memory import COLUMNS, LANES, LEAST_COLUMNS, Allocation, split
from xshardy.ptx.types import TYPES
from xshardy.ptx.waiting import Wait

LANES_OF_WARP = LANES // 4
HALF_WORD = np.uint32(0xFFFF)
B32, U16, U32 = TYPES["b32"], TYPES["u16"], TYPES["u32"]


def take_group(form: Form) -> int:
    return GROUPS[form.required(*GROUPS)]


def _take_collective(form: Form) -> None:
    """All threads of a warp execute it."""
    form.required("sync")
    form.required("aligned")


def _first_threads(lanes: Lanes) -> Array:
    """The first active thread of each active warp, by its number among those executed together."""
    active = lanes.warps(lanes.active_mask())
    return np.flatnonzero(lanes.of_warps(active & (np.cumsum(active, axis=-1) == 1)))


def _values(lanes: Lanes, read: Reader, threads: Array) -> Array:
    return np.broadcast_to(read(lanes), lanes.shape).reshape(-1)[threads]


def allocate(form: Form, context: Context) -> Wait:
    """`tcgen05.alloc.group.sync.aligned{.shared::cta}.b32 [a], columns`: store the address of new columns at `a`."""
    take_group(form)
    _take_collective(form)
    space = take_space(form)
    form.required("b32")
    instruction, memory = form.instruction, context.memory
    where = addresses(context, instruction, instruction.operands[0])
    read = context.registers.reader(instruction, instruction.operands[1], U32)
    check = members(context, instruction, ALL_LANES)

    def requests(lanes: Lanes) -> Iterator[tuple[int, int, int, str | None]]:
        """The first thread of each warp, its block, the columns, and what is wrong with that."""
        threads = _first_threads(lanes)
        for thread, columns in zip(threads.tolist(), _values(lanes, read, threads).tolist(), strict=True):
            block = thread // lanes.shape[1]
            yield thread, block, columns, _wrong_allocation(memory, block, columns)

    def test(lanes: Lanes) -> Array:
        done = np.zeros(lanes.shape, np.bool_)
        for thread, block, columns, wrong in requests(lanes):
            if wrong is not None or memory.tensor.room(block, columns) is not None:
                first = thread % lanes.shape[1] // WARP_SIZE * WARP_SIZE
                done[block, first : first + WARP_SIZE] = True
        return done & lanes.active_mask()

    def finish(lanes: Lanes, complete: bool) -> None:
        check(lanes)
        words = np.zeros(lanes.shape, np.uint32)
        for thread, block, columns, wrong in requests(lanes):
            first = None if wrong is not None else memory.tensor.room(block, columns)
            if first is None:
                what = wrong or f"allocates {columns} columns of tensor memory at once with another warp: too many"
                report(lanes, memory, instruction, FaultKind.TENSOR_MEMORY, np.array([thread]), what)
                continue
            memory.tensor.allocate(Allocation(block, first, columns, instruction.line))
            words.reshape(-1)[thread] = first
        before = lanes.mask
        mask = np.zeros(lanes.shape, np.bool_)
        mask.reshape(-1)[_first_threads(lanes)] = True
        lanes.mask = mask
        store_words(lanes, memory, instruction, space, where(lanes), [words])
        lanes.mask = before
        if lanes.clocks is not None:
            lanes.clocks.fence(lanes.active_mask())  # in order with accesses of other proxies behind a barrier

    def describe(lanes: Lanes, thread: int) -> str:
        columns = int(_values(lanes, read, np.array([thread]))[0])
        free = int((~memory.tensor.is_allocated[thread // lanes.shape[1]]).sum())
        return f"waits for {columns} columns of tensor memory, of which {free} are free"

    return Wait(test, finish, describe, may_fail=False)


def _wrong_allocation(memory: Memory, block: int, columns: int) -> str | None:
    """Why a block may not allocate so many columns."""
    if not memory.tensor.may_allocate[block]:
        return "allocates tensor memory after its block has relinquished the permit"
    if wrong := _wrong_columns(columns):
        return wrong
    if columns > (last := int(memory.tensor.last[block])):
        return f"allocates {columns} columns of tensor memory after {last}: later allocations may not be larger"
    return None


def _wrong_columns(columns: int) -> str | None:
    if LEAST_COLUMNS <= columns <= COLUMNS and columns & (columns - 1) == 0:
        return None
    return f"names {columns} columns of tensor memory: expected a power of two from {LEAST_COLUMNS} to {COLUMNS}"


def free(form: Form, context: Context) -> Step:
    """`tcgen05.dealloc.group.sync.aligned.b32 address, columns`."""
    take_group(form)
    _take_collective(form)
    form.required("b32")
    instruction, memory, registers = form.instruction, context.memory, context.registers
    read_address, read_columns = (registers.reader(instruction, operand, U32) for operand in instruction.operands)
    check = members(context, instruction, ALL_LANES)

    def execute(lanes: Lanes) -> None:
        check(lanes)
        memory.changes += 1
        for thread in _first_threads(lanes).tolist():
            who, block = np.array([thread]), thread // lanes.shape[1]
            columns = int(_values(lanes, read_columns, who)[0])
            address = int(_values(lanes, read_address, who)[0])
            wrong = _wrong_columns(columns)
            if wrong is None:
                if address < COLUMNS and memory.tensor.is_allocated[block, address : address + columns].all():
                    every = np.arange(address, address + columns)[None, :]
                    cells = cells_of(who[:, None], np.array([[block]]), np.arange(LANES)[:, None], every)
                    touch_cells(lanes, memory, instruction, _flat(cells))
                if not memory.tensor.free(block, address, columns):
                    wrong = f"frees {columns} columns of tensor memory at {address:#x}, which are no allocation"
            if wrong is not None:
                report(lanes, memory, instruction, FaultKind.TENSOR_MEMORY, who, wrong)

    return execute


def _flat(cells: Cells) -> Cells:
    return cells.of(np.ones(cells.threads.shape, np.bool_))


def relinquish(form: Form, context: Context) -> Step:
    """`tcgen05.relinquish_alloc_permit.group.sync.aligned`: the block allocates nothing more."""
    take_group(form)
    _take_collective(form)
    memory = context.memory
    check = members(context, form.instruction, ALL_LANES)

    def execute(lanes: Lanes) -> None:
        check(lanes)
        memory.changes += 1
        memory.tensor.may_allocate[lanes.active_mask().any(axis=1)] = False

    return execute


class _Transfer:
    """What `tcgen05.ld` and `tcgen05.st` have in common."""

    def __init__(self, form: Form, context: Context, packing: str, address: Operand, rest: tuple[Operand, ...]):
        """`packing` is the modifier of pairs of 16 bits; empty for a load with a reduction, which has none."""
        _take_collective(form)
        name = form.required(*SHAPES)
        shape = SHAPES[name]
        self.count = COUNTS[form.required(*COUNTS)] * shape.registers
        self.is_packed = form.has(packing)
        if packing:
            form.required("b32")
        if self.count > MOST_REGISTERS:
            raise form.error(f"it has {self.count} registers, more than {MOST_REGISTERS}")
        half = 0
        if shape.has_halves:
            if not rest or not isinstance(rest[0], Integer):
                raise form.error("expected the columns between the halves, a constant")
            half = rest[0].value
        elif rest:
            raise form.error(f"{name} takes no columns between halves")
        self.instruction, self.memory = form.instruction, context.memory
        self.lanes_of, self.columns_of = fragment(name, self.count, half, self.is_packed)
        self._address = addresses(context, form.instruction, address)
        self._check = members(context, form.instruction, ALL_LANES)

    def cells(self, lanes: Lanes) -> tuple[Array, Cells]:
        """The active warps, by their numbers in all blocks, and their cells: [warps, 32, registers, parts]."""
        self._check(lanes)
        warps = np.flatnonzero(lanes.warps(lanes.active_mask()).any(axis=-1))
        per_block = -(-lanes.shape[1] // WARP_SIZE)
        block, warp = np.divmod(warps, per_block)
        addresses = lanes.warps(np.broadcast_to(self._address(lanes), lanes.shape)).reshape(-1, WARP_SIZE)[warps]
        if (differs := addresses != addresses[:, :1]).any():
            first = int(np.argmax(differs.any(axis=1)))
            threads = np.array([block[first] * lanes.shape[1] + warp[first] * WARP_SIZE + np.argmax(differs[first])])
            what = "names another address of tensor memory than the first thread of its warp"
            report(lanes, self.memory, self.instruction, FaultKind.TENSOR_MEMORY, threads, what)
        lane, column = split(addresses[:, 0])
        thread = (block * lanes.shape[1] + warp * WARP_SIZE)[:, None] + np.arange(WARP_SIZE)
        lane = lane[:, None, None, None] + self.lanes_of
        column = column[:, None, None, None] + self.columns_of
        cells = cells_of(thread[:, :, None, None], block[:, None, None, None], lane, column)
        self._check_lanes(lanes, cells, warp % 4 * LANES_OF_WARP)
        return warps, cells

    def _check_lanes(self, lanes: Lanes, cells: Cells, first: Array) -> None:
        """A warp reaches a quarter of all lanes."""
        own = first[:, None, None, None]
        wrong = (cells.lanes < own) | (cells.lanes >= own + LANES_OF_WARP)
        if wrong.any():
            number = int(np.argmax(wrong.reshape(len(first), -1).any(axis=1)))
            lane, least = int(cells.lanes[number][wrong[number]][0]), int(first[number])
            what = f"accesses lane {lane} of tensor memory, but its warp reaches lanes {least} to {least + 31} only"
            report(lanes, self.memory, self.instruction, FaultKind.TENSOR_MEMORY, cells.threads[wrong], what)


def load(form: Form, context: Context) -> Step:
    """
    `tcgen05.ld.sync.aligned.shape.xN{.pack::16b}.b32 {registers}, [a]{, half}`; with `.red`, and the operation in place
    of `.b32`, `{registers}, result, [a]`.
    """
    registers, *rest = form.instruction.operands
    reduced, results = None, list[Writer]()
    if form.has("red"):
        reduced, result = take_reduction(form), rest.pop(0)
        results = [context.registers.writer(form.instruction, result, B32)]
    address, *rest = rest
    transfer = _Transfer(form, context, "" if reduced else "pack::16b", address, tuple(rest))
    elements = elements_of(registers)
    if len(elements) != transfer.count:
        raise form.error(f"{len(elements)} registers where the instruction has {transfer.count}")
    writers = [context.registers.writer(form.instruction, element, B32) for element in elements] + results

    def execute(lanes: Lanes) -> None:
        warps, cells = transfer.cells(lanes)
        with lanes.working(Engine.TENSOR_LOADS):
            flat = load_cells(lanes, transfer.memory, transfer.instruction, _flat(cells)).reshape(cells.threads.shape)
        words = flat[..., 0]
        if transfer.is_packed:
            words = (words & HALF_WORD) | flat[..., 1] << np.uint32(16)
        if reduced is not None:
            words = np.concatenate([words, reduced(words)[..., None]], axis=-1)
        full = np.zeros((lanes.shape[0] * -(-lanes.shape[1] // WARP_SIZE), WARP_SIZE), np.uint32)
        for number, writer in enumerate(writers):
            out = full.copy()
            out[warps] = words[..., number]
            writer(lanes, lanes.of_warps(out))

    return execute


def store(form: Form, context: Context) -> Step:
    """`tcgen05.st.sync.aligned.shape.xN{.unpack::16b}.b32 [a]{, half}, {registers}`."""
    address, *rest, registers = form.instruction.operands
    transfer = _Transfer(form, context, "unpack::16b", address, tuple(rest))
    elements = elements_of(registers)
    if len(elements) != transfer.count:
        raise form.error(f"{len(elements)} registers where the instruction has {transfer.count}")
    readers = [context.registers.reader(form.instruction, element, B32) for element in elements]

    def execute(lanes: Lanes) -> None:
        warps, cells = transfer.cells(lanes)
        held = np.stack([lanes.warps(read(lanes)).reshape(-1, WARP_SIZE)[warps] for read in readers], axis=-1)
        words = held[..., None]
        if transfer.is_packed:
            words = np.stack([held & HALF_WORD, held >> np.uint32(16)], axis=-1)
        with lanes.working(Engine.TENSOR_STORES):
            store_cells(lanes, transfer.memory, transfer.instruction, _flat(cells), words.reshape(-1))

    return execute


def wait(engine: Engine) -> Callable[[Form, Context], Step]:
    """The rule of `tcgen05.wait::ld` and `tcgen05.wait::st`."""

    def rule(form: Form, context: Context) -> Step:
        _take_collective(form)
        check = members(context, form.instruction, ALL_LANES)

        def execute(lanes: Lanes) -> None:
            check(lanes)
            if lanes.clocks is not None:
                lanes.clocks.commit(lanes.active_mask(), engine)
                lanes.clocks.wait(lanes.active_mask(), 0, engine)

        return execute

    return rule


def commit(form: Form, context: Context) -> Step:
    """`tcgen05.commit.group.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64 [mbar]{, ranks}`."""
    take_group(form)
    form.required("mbarrier::arrive::one")
    space = take_space(form)
    is_multicast = form.has("multicast::cluster")
    form.required("b64")
    instruction, memory = form.instruction, context.memory
    mbarrier, *rest = instruction.operands
    if len(rest) != is_multicast:
        raise form.error("expected an mbarrier, and a mask of ranks with .multicast::cluster only")
    where = addresses(context, instruction, mbarrier)
    ranks = context.registers.reader(instruction, rest[0], U16) if is_multicast else None

    def execute(lanes: Lanes) -> None:
        if ranks is None:
            _arrive(lanes, memory, instruction, space, where(lanes))
            return
        before, everyone = lanes.mask, lanes.active_mask()
        masks, places = np.broadcast_to(ranks(lanes), lanes.shape), where(lanes)
        for rank in range(lanes.clusters.size):
            lanes.mask = everyone & (masks >> np.uint16(rank) & np.uint16(1)).astype(np.bool_)
            if lanes.mask.any():
                _arrive(lanes, memory, instruction, space, in_block(places, np.array(rank)))
        lanes.mask = before

    return execute


def _arrive(lanes: Lanes, memory: Memory, instruction: Instruction, space: str, where: Array) -> None:
    words = objects_of(lanes, memory, instruction, space, where)
    arrive_at(lanes, memory, instruction, words, np.ones(lanes.shape, np.int64), Engine.TENSOR)


def _row(meaning: Meaning, counted_as: str = "barrier", multiplies: bool = False) -> Row:
    return Row(meaning, counted_as, (1.0, 3.0), Scope.TENSOR_MEMORY, multiplies)


TENSOR_MEMORY: Mapping[str, Row] = {
    "tcgen05.alloc": _row(allocate),
    "tcgen05.dealloc": _row(free),
    "tcgen05.relinquish_alloc_permit": _row(relinquish),
    "tcgen05.ld": _row(load, "tensor memory load"),
    "tcgen05.st": _row(store, "tensor memory store"),
    "tcgen05.wait::ld": _row(wait(Engine.TENSOR_LOADS)),
    "tcgen05.wait::st": _row(wait(Engine.TENSOR_STORES)),
    "tcgen05.commit": _row(commit),
    "tcgen05.fence::before_thread_sync": _row(nothing),
    "tcgen05.fence::after_thread_sync": _row(nothing),
    "tcgen05.mma": _row(multiply, "matrix", multiplies=True),
    "tcgen05.cp": _row(copy, "copy"),
}
"""What fences order is in order here anyway."""
