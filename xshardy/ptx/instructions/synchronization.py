"""Barriers of the threads of a block and of a cluster. Source: PTX ISA, `bar`, `barrier`, `barrier.cluster`."""

from collections.abc import Mapping

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.control import Barrier
from xshardy.ptx.decode import Context, Reader, Step, Writer
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.instructions.warp.warps import members
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Integer
from xshardy.ptx.types import PREDICATE, TYPES
from xshardy.ptx.waiting import Wait

U32 = TYPES["u32"]


def barrier(form: Form, context: Context) -> Barrier | Step | Wait:
    """`bar{.cta}.sync a{, b}`, `bar.arrive a, b`, `bar.red.op.type`, `bar.warp.sync mask`, `barrier.cluster`."""
    form.take("cta")
    instruction, registers = form.instruction, context.registers
    if form.has("cluster"):
        return _cluster_barrier(form)
    if form.has("warp"):
        form.required("sync")
        return _warp_barrier(members(context, instruction, instruction.operands[0]))
    what = form.required("sync", "arrive", "red")
    is_aligned = form.has("aligned") or form.name == "bar"
    operands = [*instruction.operands]
    finish = None
    if what == "red":
        operation, type = form.required("and", "or", "popc"), form.type()
        read = registers.reader(instruction, operands.pop(), PREDICATE)
        finish = _reduction(operation, read, registers.writer(instruction, operands.pop(0), type))
    number = registers.reader(instruction, operands[0] if operands else Integer(0), U32)
    count = registers.reader(instruction, operands[1], U32) if len(operands) > 1 else None
    return Barrier(number, count, what != "arrive", finish, is_aligned)


def _cluster_barrier(form: Form) -> Step | Wait:
    """`barrier.cluster.arrive{.sem}{.aligned}`, `barrier.cluster.wait{.acquire}{.aligned}`."""
    what = form.required("arrive", "wait")
    is_relaxed = form.take("release", "relaxed", "acquire") == "relaxed"
    form.take("aligned")
    if what == "wait":
        return Wait(_all_arrived, _leave, _missing_of_cluster, may_fail=False)

    def arrive(lanes: Lanes) -> None:
        if lanes.clocks is not None:
            lanes.clocks.arrive_in_clusters(lanes.active_mask(), lanes.cluster_arrivals, is_relaxed=is_relaxed)
        lanes.cluster_arrivals += lanes.active_mask()

    return arrive


def _all_arrived(lanes: Lanes) -> Array:
    """For which active threads all of their cluster have arrived since they left the barrier the last time."""
    return lanes.active_mask() & (lanes.cluster_waits < _fewest_arrivals(lanes))


def _fewest_arrivals(lanes: Lanes) -> Array:
    """Of each block, the fewest arrivals of a thread of its cluster that has not exited: [blocks, 1]."""
    arrivals = np.where(lanes.exited, np.iinfo(np.int32).max, lanes.cluster_arrivals)
    fewest = arrivals.reshape(-1, lanes.clusters.size * lanes.shape[1]).min(axis=1)
    return np.repeat(fewest, lanes.clusters.size)[:, None]


def _leave(lanes: Lanes, complete: bool) -> None:
    if lanes.clocks is not None:
        lanes.clocks.leave_clusters(lanes.active_mask(), lanes.cluster_waits)
    lanes.cluster_waits += lanes.active_mask()


def _missing_of_cluster(lanes: Lanes, thread: int) -> str:
    own = thread // lanes.shape[1] // lanes.clusters.size * lanes.clusters.size
    arrivals = np.where(lanes.exited, np.iinfo(np.int32).max, lanes.cluster_arrivals)
    block, missing = divmod(int(arrivals[own : own + lanes.clusters.size].argmin()), lanes.shape[1])
    return f"waits for {lanes.place(own + block, missing)}, which does not arrive at the barrier of the cluster"


def _warp_barrier(check: Step) -> Step:
    """The step of `bar.warp.sync`: it orders the accesses of the threads of a warp."""

    def execute(lanes: Lanes) -> None:
        check(lanes)
        if lanes.clocks is not None:
            lanes.clocks.meet_in_warps(lanes.active_mask(), lanes.active_mask())

    return execute


def _reduction(operation: str, read: Reader, write: Writer) -> Step:
    """What `bar.red` writes: of each block, whether a predicate holds for all or any thread, or for how many."""

    def finish(lanes: Lanes) -> None:
        active = lanes.active_mask()
        holds = read(lanes)
        if operation == "popc":
            write(lanes, np.sum(holds & active, axis=1, keepdims=True).astype(np.uint32))
        elif operation == "and":
            write(lanes, np.all(holds | ~active, axis=1, keepdims=True))
        else:
            write(lanes, np.any(holds & active, axis=1, keepdims=True))

    return finish


BARRIERS: Mapping[str, Row] = dict.fromkeys(("bar", "barrier"), Row(barrier, "barrier"))
