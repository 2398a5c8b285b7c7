"""
Bulk copies, of bytes that lie together. Source: PTX ISA, `cp.async.bulk`, `cp.reduce.async.bulk`.

They are executed at once. The race check knows that they are complete only for those who wait: on their `mbarrier`, or
for their group.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.bulk import load_each, resolved, store_each
from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.scalar.atomics import UPDATES, update
from xshardy.ptx.instructions.scalar.memory import Addresses, addresses
from xshardy.ptx.instructions.tensor.mbarriers import report_object, report_unfenced, tell
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.mbarriers import MBARRIER_BYTES
from xshardy.ptx.memory import AccessKind, Memory, Part, in_block, ranks_of
from xshardy.ptx.module import Instruction, Integer, Operand
from xshardy.ptx.swizzles import CHUNK
from xshardy.ptx.types import TYPES, Type

COMPLETIONS = ("mbarrier::complete_tx::bytes", "bulk_group")
BY_GROUPS = "bulk_group"
U16, U32 = TYPES["u16"], TYPES["u32"]


@dataclass(frozen=True, slots=True)
class Site:
    """An instruction while it is executed."""

    lanes: Lanes
    memory: Memory
    instruction: Instruction

    def active(self) -> Array:
        """The numbers of the active threads among those executed together."""
        return np.flatnonzero(self.lanes.active_mask())

    def values(self, read: Callable[[Lanes], Array], threads: Array) -> Array:
        """What `threads` read."""
        return np.broadcast_to(read(self.lanes), self.lanes.shape).reshape(-1)[threads]

    def report(self, kind: FaultKind, threads: Array, describe: Callable[[int], str]) -> None:
        """Report a fault of `threads`, if there are any."""
        if len(threads):
            mask = np.zeros(self.lanes.shape, np.bool_)
            mask.reshape(-1)[threads] = True
            self.memory.faults.report(kind, self.instruction.line, self.lanes, mask, describe)

    def fitting(self, threads: Array, bytes: Array) -> Array:
        """Whether shared memory has so many bytes; that it has fewer is a fault."""
        place = self.memory.place_of("shared", 0)
        most = 0 if place is None else place.bound
        wrong = bytes > most

        def describe(thread: int) -> str:
            return f"copies {int(bytes[threads == thread][0])} bytes, but shared memory has {most}"

        self.report(FaultKind.OUT_OF_BOUNDS, threads[wrong], describe)
        return ~wrong

    def aligned(self, threads: Array, values: Array, multiple: int, what: str) -> Array:
        """Whether `values` are multiples of a number; that they are not is a fault."""
        wrong = values % multiple != 0

        def describe(thread: int) -> str:
            return f"{what} {int(values[threads == thread][0])}, no multiple of {multiple}"

        self.report(FaultKind.MISALIGNED, threads[wrong], describe)
        return ~wrong


@dataclass(frozen=True, slots=True)
class Reduction:
    """What a copy does with the elements at its destination, instead of overwriting them."""

    name: str
    type: Type

    def apply(self, site: Site, space: str, threads: Array, places: Array, values: Array) -> None:
        """Combine the places of accesses with rows of bytes, each of which is an element."""
        memory, size = site.memory, self.type.bits // 8
        memory.changes += 1
        elements = np.ascontiguousarray(values).view(self.type.dtype)[:, 0]
        for chosen, access in resolved(
            site.lanes, memory, AccessKind.ATOMIC, site.instruction, space, threads, places, size
        ):
            part = Part(access.region, access.offsets, None)
            update(part, access.offsets, self.name, [elements[chosen]], self.type, returns=False)


def take_reduction(form: Form) -> Reduction | None:
    """The operation of a `cp.reduce` on elements of a type."""
    if not form.has("reduce"):
        return None
    name = form.required(*UPDATES)
    form.has("noftz")
    return Reduction(name, form.type())


class Completion:
    """How a copy says that it is complete: by bytes that its `mbarrier` counts, or by a group of the thread."""

    def __init__(
        self, form: Form, context: Context, mbarrier: Operand | None, ranks: Operand | None, *, of_pairs: bool = False
    ):
        self.of_pairs = of_pairs
        """Whether a copy to a block may count at the `mbarrier` of the other one of its pair: `.cta_group::2`."""
        registers, instruction = context.registers, form.instruction
        self.mbarrier: Addresses | None = None if mbarrier is None else addresses(context, instruction, mbarrier)
        self.ranks = None if ranks is None else registers.reader(instruction, ranks, U16)

    def spread(self, site: Site, threads: Array, places: Array, *, of_pairs: bool = False) -> tuple[Array, Array]:
        """
        For each destination of the copies of `threads`, the number of the copy, and its own of `places`; with
        `of_pairs`, in the block of its pair whose rank is odd or even as that of the place.
        """
        if self.ranks is None:
            return np.arange(len(threads)), places
        masks = site.values(self.ranks, threads)[:, None] >> np.arange(site.lanes.clusters.size, dtype=np.uint16)
        copy, rank = np.nonzero(masks & np.uint16(1))
        if of_pairs:
            own = threads // site.lanes.shape[1] % site.lanes.clusters.size
            rank = rank & ~1 | ranks_of(places, own)[copy] & 1
        return copy, in_block(places[copy], rank)

    def engine(self, site: Site, threads: Array) -> int:
        """Which engine of their warps copies for `threads`."""
        if self.mbarrier is None or site.lanes.clocks is None or not len(threads):
            return Engine.BULK_WRITES
        return site.lanes.clocks.loader(int(site.values(self.mbarrier, threads)[0]))

    def tell(self, site: Site, threads: Array, bytes: Array) -> None:
        """Note that copies of so many bytes are complete, which the engine of the context has made."""
        if self.mbarrier is None:
            return
        lanes, memory, instruction = site.lanes, site.memory, site.instruction
        copy, places = self.spread(site, threads, site.values(self.mbarrier, threads), of_pairs=self.of_pairs)
        found = resolved(lanes, memory, AccessKind.ATOMIC, instruction, "shared", threads[copy], places, MBARRIER_BYTES)
        for chosen, access in found:
            words = access.offsets // MBARRIER_BYTES
            is_object = memory.mbarriers.is_valid[words]
            report_object(lanes, memory, instruction, access.threads[~is_object], words[~is_object])
            report_unfenced(lanes, memory, instruction, access.threads[is_object], words[is_object])
            counts = bytes[copy[chosen]][is_object]
            tell(lanes, memory, access.threads[is_object], words[is_object], lanes.engine)
            memory.mbarriers.complete(words[is_object], counts)


def copy(form: Form, context: Context) -> Step:
    """
    `cp.async.bulk.dst.src.completion [d], [s], bytes{, [mbar]}{, ranks}{, policy}{, mask}`, and `cp.reduce.async.bulk`.

    With `.cp_mask`, bit `i` of the mask says whether byte `i` of each 16 bytes is written.
    """
    to, of = take_spaces(form)
    by_groups = form.required(*COMPLETIONS) == BY_GROUPS
    is_multicast, reduction = form.has("multicast::cluster"), take_reduction(form)
    form.has("L2::cache_hint")
    instruction, memory = form.instruction, context.memory
    destination, source, size, *rest = instruction.operands
    read_mask = context.registers.reader(instruction, rest.pop(), U16) if form.has("cp_mask") else None
    if read_mask is not None and (to != "global" or reduction is not None):
        raise form.error("only copies to global memory have .cp_mask")
    completion = Completion(form, context, None if by_groups else rest[0], rest[1] if is_multicast else None)
    where, whence = (addresses(context, instruction, operand) for operand in (destination, source))
    read = context.registers.reader(instruction, size, U32)
    element = 1 if reduction is None else reduction.type.bits // 8

    def execute(lanes: Lanes) -> None:
        site = Site(lanes, memory, instruction)
        everyone = site.active()
        sizes = site.values(read, everyone).astype(np.int64)
        good = site.aligned(everyone, sizes, CHUNK, "copies a number of bytes:") & site.fitting(everyone, sizes)
        for bytes in np.unique(sizes[good]).tolist():
            threads = everyone[good & (sizes == bytes)]
            steps = np.arange(0, bytes, CHUNK, dtype=np.uint64)
            with lanes.working(Engine.BULK_READS if by_groups else completion.engine(site, threads)):
                of_chunks = (site.values(whence, threads)[:, None] + steps).reshape(-1)
                data = load_each(
                    lanes, memory, instruction, of, np.repeat(threads, len(steps)), of_chunks, CHUNK
                ).reshape(len(threads), bytes)
            with lanes.working(completion.engine(site, threads)):
                copies, starts = completion.spread(site, threads, site.values(where, threads))
                size = CHUNK if reduction is None else element
                steps = np.arange(0, bytes, size, dtype=np.uint64)
                places = (starts[:, None] + steps).reshape(-1)
                who, rows = np.repeat(threads[copies], len(steps)), data[copies].reshape(-1, size)
                if read_mask is not None:
                    bits = site.values(read_mask, who)[:, None] >> np.arange(CHUNK, dtype=np.uint16) & np.uint16(1)
                    row, byte = np.nonzero(bits)
                    who, places, rows = who[row], places[row] + byte.astype(np.uint64), rows[row, byte][:, None]
                if reduction is None:
                    store_each(lanes, memory, instruction, to, who, places, rows)
                else:
                    reduction.apply(site, to, who, places, rows)
                completion.tell(site, threads, np.full(len(threads), bytes))

    return execute


def take_spaces(form: Form) -> tuple[str, str]:
    """The destination and the source: the state spaces in the order of the text."""
    spaces = [m for m in form.modifiers if m in ("global", "shared::cta", "shared::cluster")][:2]
    if len(spaces) < 2:
        raise form.error("expected the state spaces of the destination and the source")
    for space in spaces:
        form.modifiers.remove(space)
    return tuple(space.partition("::")[0] for space in spaces)  # type: ignore[return-value]


def commit(*engines: Engine) -> Callable[[Form, Context], Step]:
    """The rule of an instruction that makes what engines do a group."""

    def rule(form: Form, context: Context) -> Step:
        def execute(lanes: Lanes) -> None:
            if lanes.clocks is not None:
                lanes.clocks.commit(lanes.active_mask(), *engines)

        return execute

    return rule


def wait(engines: Sequence[Engine]) -> Callable[[Form, Context], Step]:
    """The rule of an instruction that waits for all groups but so many."""

    def rule(form: Form, context: Context) -> Step:
        chosen = engines[:1] if form.has("read") else engines
        (left,) = form.instruction.operands
        if not isinstance(left, Integer) or left.value < 0:
            raise form.error("expected a constant number of groups")

        def execute(lanes: Lanes) -> None:
            if lanes.clocks is not None:
                lanes.clocks.wait(lanes.active_mask(), left.value, *chosen)

        return execute

    return rule


GROUPS: Mapping[str, Callable[[Form, Context], Step]] = {
    "commit_group": commit(Engine.BULK_READS, Engine.BULK_WRITES),
    "wait_group": wait((Engine.BULK_READS, Engine.BULK_WRITES)),
}
"""Instructions on groups of bulk copies."""
