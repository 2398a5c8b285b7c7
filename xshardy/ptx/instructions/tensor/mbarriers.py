"""
Barriers in shared memory that count arrivals and bytes. Source: PTX ISA, `mbarrier`, `cp.async.mbarrier.arrive`.

A state, which an arrival returns, is the number of the phase, and below it in 20 bits the pending arrivals.
"""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.clocks import Clocks, Engine
from xshardy.ptx.control import Control
from xshardy.ptx.decode import Context, Reader, Step
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import FOLDED, Meaning, Row
from xshardy.ptx.instructions.scalar.memory import Addresses, addresses, store_words, take_space
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.mbarriers import MBARRIER_BYTES, MOST_ARRIVALS
from xshardy.ptx.memory import SHARED, AccessKind, Memory
from xshardy.ptx.module import Address, Instruction, Integer, Operand
from xshardy.ptx.types import TYPES
from xshardy.ptx.waiting import Wait

STATE_BITS = 20
NOWHERE = -1
"""The word of a thread that is not active, or whose address is a fault."""
U32, U64, PREDICATE = TYPES["u32"], TYPES["u64"], TYPES["pred"]

Words = Array
"""For each thread, the number of the word of its object or `NOWHERE`, an array of the full shape."""


def words_of(lanes: Lanes, memory: Memory, instruction: Instruction, space: str, where: Array) -> Words:
    """The words at the addresses of the active threads, whatever they contain."""
    found = np.full(lanes.shape, NOWHERE, np.int64)
    for part in memory.parts(lanes, AccessKind.ATOMIC, instruction, space, where, MBARRIER_BYTES):
        mask = lanes.active_mask() if part.mask is None else part.mask
        if part.region.name == SHARED:
            found[mask] = part.full_offsets(lanes)[mask] // MBARRIER_BYTES
        else:
            what = f"uses an mbarrier in {part.region.name}: only shared memory has them"
            memory.faults.report(FaultKind.MBARRIER, instruction.line, lanes, mask, lambda _, what=what: what)
    return found


def objects_of(lanes: Lanes, memory: Memory, instruction: Instruction, space: str, where: Array) -> Words:
    """The same; that a word is no object is a fault."""
    words = words_of(lanes, memory, instruction, space, where)
    there = words != NOWHERE
    wrong = there & ~memory.mbarriers.is_valid[np.where(there, words, 0)] if there.any() else there
    return _without(lanes, memory, instruction, words, wrong, "which nobody has initialized")


def _without(lanes: Lanes, memory: Memory, instruction: Instruction, words: Words, wrong: Array, why: str) -> Words:
    """`words` without those of the threads `wrong`, whose fault is reported."""
    if not wrong.any():
        return words
    memory.faults.report(
        FaultKind.MBARRIER,
        instruction.line,
        lanes,
        wrong,
        lambda thread: f"uses the mbarrier at {place_of(memory, lanes, int(words.flat[thread]))}, {why}",
    )
    return np.where(wrong, NOWHERE, words)


def place_of(memory: Memory, lanes: Lanes, word: int) -> str:
    """The place of an object in words."""
    place = memory.place_of("shared", 0)
    assert place is not None
    size = place.region.size // lanes.shape[0]
    return f"byte {word * MBARRIER_BYTES % size} of {SHARED}"


def initialize(form: Form, context: Context) -> Step:
    """`mbarrier.init{.shared}.b64 [a], count`."""
    instruction, memory = form.instruction, context.memory
    space, where = _place(form, context, instruction.operands[0])
    read = context.registers.reader(instruction, instruction.operands[1], U32)

    def execute(lanes: Lanes) -> None:
        store_words(lanes, memory, instruction, space, where(lanes), [np.zeros((1, 1), np.uint64)])
        words = _quietly(lanes, memory, instruction, space, where(lanes))
        counts = np.broadcast_to(read(lanes), lanes.shape).astype(np.int64)
        there = words != NOWHERE
        words = _without(
            lanes,
            memory,
            instruction,
            words,
            there & ((counts < 1) | (counts > MOST_ARRIVALS)),
            f"which must expect 1 to {MOST_ARRIVALS} arrivals",
        )
        there = words != NOWHERE
        in_use = there & memory.mbarriers.is_valid[np.where(there, words, 0)]
        words = _without(lanes, memory, instruction, words, in_use, "which is in use: invalidate it first")
        there = words != NOWHERE
        memory.mbarriers.initialize(words[there], counts[there])
        if lanes.clocks is not None:
            flat, found = np.flatnonzero(there), memory.mbarriers
            found.made_by[words[there]], found.is_fenced[words[there]] = flat, False
            found.made_at[words[there]] = lanes.clocks.stamps(flat, Engine.THREADS) >> 32
            found.phase_then[words[there]] = lanes.clocks.warp_phases.reshape(-1)[flat]

    return execute


def fence_objects(form: Form, context: Context) -> Step:
    """`fence.mbarrier_init.release.cluster`: what the threads have initialized is visible to all proxies."""
    form.required("release")
    form.required("cluster")
    memory = context.memory

    def execute(lanes: Lanes) -> None:
        if lanes.clocks is not None:
            lanes.clocks.fence_arrivals(lanes.active_mask())
            memory.mbarriers.is_fenced |= np.isin(memory.mbarriers.made_by, np.flatnonzero(lanes.active_mask()))

    return execute


def invalidate(form: Form, context: Context) -> Step:
    """`mbarrier.inval{.shared}.b64 [a]`."""
    instruction, memory = form.instruction, context.memory
    space, where = _place(form, context, instruction.operands[0])

    def execute(lanes: Lanes) -> None:
        words = objects_of(lanes, memory, instruction, space, where(lanes))
        if lanes.clocks is not None:
            pending = _pending(lanes.clocks, memory, words)
            _without(lanes, memory, instruction, words, pending, "at which an asynchronous operation may still arrive")
        memory.changes += 1
        memory.mbarriers.is_valid[words[words != NOWHERE]] = False

    return execute


def _pending(clocks: Clocks, memory: Memory, words: Words) -> Array:
    """
    For which threads engines may still arrive at their objects: the threads do not know that they have.

    An arrival at what is no object any more is undefined: PTX ISA, `mbarrier.inval`.
    """
    found = np.zeros(words.shape, np.bool_)
    for thread in np.flatnonzero(words != NOWHERE).tolist():
        cluster, warp = clocks.agents(*np.divmod(np.array(thread), words.shape[1]))
        arrived = memory.mbarriers.engines.get(int(words.flat[thread]), {})
        found.flat[thread] = any(clocks.known[cluster, warp, engine] < number for engine, number in arrived.items())
    return found


def _quietly(lanes: Lanes, memory: Memory, instruction: Instruction, space: str, where: Array) -> Words:
    """`words_of` of an access that observers know of already."""
    observers, memory.observers = memory.observers, ()
    try:
        return words_of(lanes, memory, instruction, space, where)
    finally:
        memory.observers = observers


def arrive(drops: bool) -> Callable[[Form, Context], Step]:
    """The rule of `mbarrier.arrive`, and of `mbarrier.arrive_drop`, which lowers what later phases expect."""

    def rule(form: Form, context: Context) -> Step:
        """`mbarrier.arrive{.expect_tx,.noComplete}{.sem.scope}{.space}.b64 state, [a]{, number}`."""
        _take_order(form)
        expects = form.has("expect_tx")
        form.take("noComplete")
        instruction, memory, registers = form.instruction, context.memory, context.registers
        operands = [*instruction.operands]
        state = operands.pop(0) if len(operands) == 3 or not _is_address(operands[0]) else None
        space, where = _place(form, context, operands[0])
        number = registers.reader(instruction, operands[1] if len(operands) > 1 else Integer(1), U32)
        write = None if state is None else registers.writer(instruction, state, U64)

        def execute(lanes: Lanes) -> None:
            words = objects_of(lanes, memory, instruction, space, where(lanes))
            numbers = np.broadcast_to(number(lanes), lanes.shape).astype(np.int64)
            there = words != NOWHERE
            states = np.zeros(lanes.shape, np.uint64)
            if expects:
                memory.mbarriers.expect(words[there], numbers[there])
                numbers = np.ones(lanes.shape, np.int64)
            words, states = arrive_at(lanes, memory, instruction, words, numbers)
            if drops:
                there = words != NOWHERE
                np.subtract.at(memory.mbarriers.expected, words[there], numbers[there])
            if write is not None:
                write(lanes, states)

        return execute

    return rule


def arrive_at(
    lanes: Lanes,
    memory: Memory,
    instruction: Instruction,
    words: Words,
    counts: Array,
    engine: int = Engine.THREADS,
) -> tuple[Words, Array]:
    """
    Let the active threads, or their engines, arrive so often at objects. More arrivals than an object expects are a
    fault. The words without those, and the states before.
    """
    mbarriers, there = memory.mbarriers, words != NOWHERE
    memory.changes += 1
    unique, inverse = np.unique(words[there], return_inverse=True)
    totals = np.zeros(len(unique), np.int64)
    np.add.at(totals, inverse, counts[there])
    if (totals > mbarriers.pending[unique]).any():
        many = np.zeros(lanes.shape, np.bool_)
        many[there] = (totals > mbarriers.pending[unique])[inverse]
        words = _without(lanes, memory, instruction, words, many, "at which more threads arrive than it expects")
        there = words != NOWHERE
    states = np.zeros(lanes.shape, np.uint64)
    states[there] = (mbarriers.phase[words[there]] << STATE_BITS | mbarriers.pending[words[there]]).astype(np.uint64)
    tell(lanes, memory, np.flatnonzero(there), words[there], engine)
    mbarriers.arrive(words[there], counts[there])
    return words, states


def tell(lanes: Lanes, memory: Memory, threads: Array, words: Array, engine: int) -> None:
    """Those who wait for objects will know what the warps of `threads` did, or their engines; a word for each."""
    if lanes.clocks is None or not len(threads):
        return
    agents = np.stack(lanes.clocks.agents(*np.divmod(threads, lanes.shape[1]), engine))
    pairs, inverse = np.unique(agents, axis=1, return_inverse=True)
    knowledge, agents = lanes.clocks.release(*pairs)[inverse.reshape(-1)], agents[1]
    memory.mbarriers.tell(words, knowledge)
    if engine != Engine.THREADS:
        numbers = knowledge[np.arange(len(agents)), agents]
        for word, agent, number in zip(words.tolist(), agents.tolist(), numbers.tolist(), strict=True):
            memory.mbarriers.engines.setdefault(word, {})[agent] = number


def report_object(lanes: Lanes, memory: Memory, instruction: Instruction, threads: Array, words: Array) -> None:
    """Report that `threads` use words that are no objects, if there are any."""
    if len(threads):
        mask = np.zeros(lanes.shape, np.bool_)
        mask.reshape(-1)[threads] = True
        where = place_of(memory, lanes, int(words[0]))
        what = f"uses the mbarrier at {where}, which nobody has initialized"
        memory.faults.report(FaultKind.MBARRIER, instruction.line, lanes, mask, lambda _: what)


def report_unfenced(lanes: Lanes, memory: Memory, instruction: Instruction, threads: Array, words: Array) -> None:
    """
    Report copies of `threads` that use objects whose initialization their proxy may not see.

    A barrier is enough, as compilers rely on, although the PTX ISA does not say so.
    """
    if lanes.clocks is None or not len(threads):
        return
    found, maker = memory.mbarriers, memory.mbarriers.made_by[words]
    cluster, agent = lanes.clocks.agents(*np.divmod(threads, lanes.shape[1]), lanes.engine)
    _, by = lanes.clocks.agents(*np.divmod(maker, lanes.shape[1]))
    seen = found.is_fenced[words] | lanes.clocks.fenced(cluster, agent, by, found.made_at[words])
    seen |= lanes.clocks.warp_phases.reshape(-1)[maker] != found.phase_then[words]
    if not seen.all():
        mask = np.zeros(lanes.shape, np.bool_)
        mask.reshape(-1)[threads[~seen]] = True
        where = place_of(memory, lanes, int(words[~seen][0]))
        what = f"copies with the mbarrier at {where}, with no fence.mbarrier_init or fence.proxy.async behind its init"
        memory.faults.report(FaultKind.PROXY, instruction.line, lanes, mask, lambda _: what)


def change_bytes(expects: bool) -> Callable[[Form, Context], Step]:
    """`mbarrier.expect_tx{.relaxed.scope}{.space}.b64 [a], bytes`, and the same of `mbarrier.complete_tx`."""

    def rule(form: Form, context: Context) -> Step:
        _take_order(form)
        instruction, memory = form.instruction, context.memory
        space, where = _place(form, context, instruction.operands[0])
        read = context.registers.reader(instruction, instruction.operands[1], U32)

        def execute(lanes: Lanes) -> None:
            words = objects_of(lanes, memory, instruction, space, where(lanes))
            there = words != NOWHERE
            bytes = np.broadcast_to(read(lanes), lanes.shape)[there].astype(np.int64)
            memory.changes += 1
            change = memory.mbarriers.expect if expects else memory.mbarriers.complete
            change(words[there], bytes)

        return execute

    return rule


def test(form: Form, context: Context) -> Wait:
    """`mbarrier.test_wait{.parity}{.sem.scope}{.shared}.b64 p, [a], state`; `mbarrier.try_wait`, also with a time."""
    _take_order(form)
    by_parity = form.has("parity")
    instruction, memory, registers = form.instruction, context.memory, context.registers
    space, where = _place(form, context, instruction.operands[1])
    read: Reader = registers.reader(instruction, instruction.operands[2], U32 if by_parity else U64)
    write = registers.writer(instruction, instruction.operands[0], PREDICATE)

    def objects(lanes: Lanes) -> Words:
        return objects_of(lanes, memory, instruction, space, where(lanes))

    def is_complete(lanes: Lanes) -> Array:
        words = objects(lanes)
        there = words != NOWHERE
        phase = memory.mbarriers.phase[np.where(there, words, 0)] if there.any() else words
        asked = np.broadcast_to(read(lanes), lanes.shape)
        done = phase & 1 != asked & 1 if by_parity else phase != (asked >> np.uint64(STATE_BITS)).astype(np.int64)
        return lanes.active_mask() & (done | ~there)

    def finish(lanes: Lanes, complete: bool) -> None:
        write(lanes, np.array([[complete]]))
        if complete and lanes.clocks is not None:
            words = _quietly(lanes, memory, instruction, space, where(lanes))
            flat = np.flatnonzero(words != NOWHERE)
            cluster, agent = lanes.clocks.agents(*np.divmod(flat, lanes.shape[1]))
            seen = zip(cluster.tolist(), agent.tolist(), words.reshape(-1)[flat].tolist(), strict=True)
            for of_cluster, warp, word in set(seen):
                knowledge = memory.mbarriers.knowledge(word)
                if knowledge is not None:
                    known = lanes.clocks.known[of_cluster, warp]
                    np.maximum(known, knowledge, out=known)
            lanes.clocks.meet_in_warps(np.ones_like(lanes.active_mask()), lanes.active_mask())

    def describe(lanes: Lanes, thread: int) -> str:
        word = int(_quietly(lanes, memory, instruction, space, where(lanes)).flat[thread])
        found = memory.mbarriers
        return (
            f"waits for phase {found.phase[word]} of the mbarrier at {place_of(memory, lanes, word)}, which lacks "
            f"{found.pending[word]} arrivals and {found.bytes[word]} bytes"
        )

    return Wait(is_complete, finish, describe, may_fail=True)


def pending_count(form: Form, context: Context) -> Step:
    """`mbarrier.pending_count.b64 count, state`: the arrivals that were pending before the one that gave the state."""
    instruction, registers = form.instruction, context.registers
    read = registers.reader(instruction, instruction.operands[1], U64)
    write = registers.writer(instruction, instruction.operands[0], U32)
    mask = np.uint64((1 << STATE_BITS) - 1)
    return lambda lanes: write(lanes, (read(lanes) & mask).astype(np.uint32))


def copies_arrive(form: Form, context: Context) -> Step:
    """`cp.async.mbarrier.arrive{.noinc}{.shared}.b64 [a]`: an arrival when the copies of the thread are complete."""
    increases = not form.has("noinc")
    instruction, memory = form.instruction, context.memory
    space, where = _place(form, context, instruction.operands[0])
    form.required("b64")

    def execute(lanes: Lanes) -> None:
        words = objects_of(lanes, memory, instruction, space, where(lanes))
        there = words != NOWHERE
        if increases:
            np.add.at(memory.mbarriers.pending, words[there], 1)
        arrive_at(lanes, memory, instruction, words, np.ones(lanes.shape, np.int64), Engine.COPY)

    return execute


def _take_order(form: Form) -> None:
    form.take("acquire", "release", "relaxed")
    form.take("cta", "cluster")


def _place(form: Form, context: Context, operand: Operand) -> tuple[str, Addresses]:
    return take_space(form), addresses(context, form.instruction, operand)


def _is_address(operand: Operand) -> bool:
    return isinstance(operand, Address)


def _on_64_bits(meaning: Meaning) -> Row:
    """A row for `mbarrier.name....b64`."""

    def of_form(form: Form, context: Context) -> Step | Control:
        decoded = meaning(form, context)
        form.required("b64")
        return decoded

    return Row(of_form, "barrier", (1.0, 3.0))


MBARRIERS: Mapping[str, Row] = {
    "fence.mbarrier_init": Row(fence_objects, "free", FOLDED),
    **{
        f"mbarrier.{name}": _on_64_bits(meaning)
        for name, meaning in {
            "init": initialize,
            "inval": invalidate,
            "arrive": arrive(drops=False),
            "arrive_drop": arrive(drops=True),
            "test_wait": test,
            "try_wait": test,
            "pending_count": pending_count,
            "expect_tx": change_bytes(expects=True),
            "complete_tx": change_bytes(expects=False),
        }.items()
    },
}
