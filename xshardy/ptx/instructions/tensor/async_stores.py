"""
Stores and reductions in the shared memory of a cluster that complete bytes of an `mbarrier`.

They are executed at once. The race check knows that they are complete only for those who wait on the `mbarrier`.
Source: PTX ISA, `st.async`, `red.async`.
"""

from collections.abc import Mapping

import numpy as np

from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.instructions.scalar.atomics import update
from xshardy.ptx.instructions.scalar.memory import addresses, store_words, take_elements
from xshardy.ptx.instructions.tensor.bulk_copies import COMPLETIONS, Completion, Site
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import AccessKind
from xshardy.ptx.types import TYPES

REDUCTIONS = ("inc", "dec", "min", "max", "add", "and", "or", "xor")


def store(form: Form, context: Context) -> Step:
    """`st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.v2,.v4}.type [a], b, [mbar]`."""
    form.take("weak")
    _take_place(form)
    instruction, memory, registers = form.instruction, context.memory, context.registers
    where, value, mbarrier = instruction.operands
    sources = take_elements(form, value)
    storage = TYPES[f"b{form.type().bits}"]
    read_address, completion = addresses(context, instruction, where), Completion(form, context, mbarrier, None)
    readers = [registers.reader(instruction, source, storage) for source in sources]
    size = storage.bits // 8 * len(readers)

    def execute(lanes: Lanes) -> None:
        site, words = Site(lanes, memory, instruction), [reader(lanes) for reader in readers]
        with lanes.working(Engine.COPY):
            store_words(lanes, memory, instruction, "shared", read_address(lanes), words)
            completion.tell(site, threads := site.active(), np.full(len(threads), size))

    return execute


def reduce(form: Form, context: Context) -> Step:
    """`red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.op.type [a], b, [mbar]`."""
    form.required("relaxed")
    form.required("cluster")
    _take_place(form)
    instruction, memory = form.instruction, context.memory
    where, value, mbarrier = instruction.operands
    name, type = form.required(*REDUCTIONS), form.type()
    read_address, completion = addresses(context, instruction, where), Completion(form, context, mbarrier, None)
    read = context.registers.reader(instruction, value, type)

    def execute(lanes: Lanes) -> None:
        site, size = Site(lanes, memory, instruction), type.bits // 8
        memory.changes += 1
        with lanes.working(Engine.COPY):
            for part in memory.parts(lanes, AccessKind.ATOMIC, instruction, "shared", read_address(lanes), size):
                mask = lanes.active_mask() if part.mask is None else part.mask
                values = np.broadcast_to(read(lanes), lanes.shape)[mask]
                update(part, part.full_offsets(lanes)[mask], name, [values], type, returns=False)
            completion.tell(site, threads := site.active(), np.full(len(threads), size))

    return execute


def _take_place(form: Form) -> None:
    form.take("shared::cluster")
    form.required(COMPLETIONS[0])


ASYNC_STORES: Mapping[str, Row] = {"st.async": Row(store, "shared store"), "red.async": Row(reduce, "atomic")}
