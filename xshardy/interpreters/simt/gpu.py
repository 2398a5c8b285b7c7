"""Rules for the ops of `gpu`: thread and block ids, barriers, and shuffles."""

from collections.abc import Mapping

import numpy as np
from xdsl.dialects import gpu

from xshardy.dialects.extensions.gpu import ShuffleMode, ShuffleOp
from xshardy.gpus.launch import AXES, along_axis
from xshardy.gpus.sizes import WARP_SIZE
from xshardy.interpreters.simt.machine import Lanes, Rule, constant
from xshardy.numerics.element_types import Array
from xshardy.numerics.integers import signed


def axis(op: gpu.ThreadIdOp | gpu.BlockIdOp | gpu.BlockDimOp | gpu.GridDimOp | gpu.GlobalIdOp) -> int:
    return AXES.index(op.dimension.data.value)


def thread_id(lanes: Lanes, op: gpu.ThreadIdOp) -> Array:
    return along_axis(lanes.threads, lanes.launch.block, axis(op))


def block_id(lanes: Lanes, op: gpu.BlockIdOp) -> Array:
    return along_axis(lanes.blocks, lanes.launch.grid, axis(op))


def block_dim(lanes: Lanes, op: gpu.BlockDimOp) -> Array:
    return constant(lanes.launch.block[axis(op)])


def grid_dim(lanes: Lanes, op: gpu.GridDimOp) -> Array:
    return constant(lanes.launch.grid[axis(op)])


def global_id(lanes: Lanes, op: gpu.GlobalIdOp) -> Array:
    block = along_axis(lanes.blocks, lanes.launch.grid, axis(op))
    return block * lanes.launch.block[axis(op)] + along_axis(lanes.threads, lanes.launch.block, axis(op))


def shuffle(lanes: Lanes, op: ShuffleOp, value: Array, offset: Array, width: Array) -> tuple[Array, Array]:
    """
    The value of another thread among `width` neighbours, and whether there is one; otherwise the thread's own value.

    `width` is a power of two: at most the threads of a warp, of which AMD's have 64 on some GPUs.
    """
    thread = lanes.threads % np.maximum(width, WARP_SIZE)
    group = thread // width * width
    source = {
        ShuffleMode.Xor: thread ^ signed(offset),
        ShuffleMode.Up: thread - signed(offset),
        ShuffleMode.Down: thread + signed(offset),
        ShuffleMode.Idx: group + signed(offset),
    }[op.mode.data]
    return from_thread(lanes, value, source - thread + lanes.threads, (source >= group) & (source < group + width))


def from_thread(lanes: Lanes, value: Array, source: Array, valid: Array) -> tuple[Array, Array]:
    """
    The value of thread `source` of the same block where that is `valid` and exists.

    Precondition: no negative `source` is `valid`.
    """
    valid = valid & (source < lanes.launch.threads)
    source = np.broadcast_to(np.where(valid, source, lanes.threads), (source.shape[0], lanes.launch.threads))
    whole = np.broadcast_to(value, (value.shape[0], lanes.launch.threads, *value.shape[2:]))
    blocks = np.arange(max(len(source), len(whole)))[:, None]
    return whole[blocks if len(whole) > 1 else 0, source], valid


def barrier(lanes: Lanes, op: gpu.BarrierOp) -> None:
    lanes.barrier(op)


def lane_id(lanes: Lanes, op: gpu.LaneIdOp) -> Array:
    return lanes.threads % WARP_SIZE


def subgroup_id(lanes: Lanes, op: gpu.SubgroupIdOp) -> Array:
    return lanes.threads // WARP_SIZE


def subgroup_size(lanes: Lanes, op: gpu.SubgroupSizeOp) -> Array:
    return constant(WARP_SIZE)


def num_subgroups(lanes: Lanes, op: gpu.NumSubgroupsOp) -> Array:
    return constant(-(-lanes.launch.threads // WARP_SIZE))


GPU: Mapping[str, Rule] = {
    "gpu.barrier": barrier,
    "gpu.block_dim": block_dim,
    "gpu.block_id": block_id,
    "gpu.global_id": global_id,
    "gpu.grid_dim": grid_dim,
    "gpu.lane_id": lane_id,
    "gpu.num_subgroups": num_subgroups,
    "gpu.shuffle": shuffle,
    "gpu.subgroup_id": subgroup_id,
    "gpu.subgroup_size": subgroup_size,
    "gpu.thread_id": thread_id,
}
