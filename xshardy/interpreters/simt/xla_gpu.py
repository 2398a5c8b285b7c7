"""Rules for the ops of `xla_gpu`: loops over indexing maps, shared memory, shuffles, atomics."""

from collections.abc import Hashable, Mapping, Sequence
from hashlib import blake2b
from itertools import product

import numpy as np
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from xshardy.dialects import xla_gpu
from xshardy.gpus.launch import AXES, along_axis
from xshardy.gpus.sizes import WARP_SIZE
from xshardy.interpreters.simt import access, memory
from xshardy.interpreters.simt.domains import evaluate, in_domain, is_in_domain
from xshardy.interpreters.simt.gpu import from_thread
from xshardy.interpreters.simt.machine import Lanes, Rule, constant
from xshardy.interpreters.simt.memory import AccessKind, Tensor, Value
from xshardy.interpreters.simt.unspecified import Unspecified, plain
from xshardy.numerics.element_types import Array, as_tensor_type

# -- Indexing maps ----------------------------------------------------------------------------------------------------


def apply_indexing(lanes: Lanes, op: xla_gpu.ApplyIndexingOp, *operands: Array) -> list[Array]:
    """The results of the map, unspecified outside of its domain."""
    dims, symbols = operands[: len(op.dims)], operands[len(op.dims) :]
    results = [evaluate(result, dims, symbols) for result in op.map.results]
    return in_domain(lanes, op, op.map, dims, symbols, results)


def loop(lanes: Lanes, op: xla_gpu.LoopOp, *operands: Value) -> Sequence[Value]:
    """
    Execute the body for all values of the symbols, the first one outermost, in the lanes that are then in the domain.
    """
    map, count = op.map, len(op.dims)
    dims = [value for value in operands[:count] if isinstance(value, np.ndarray)]
    carried = operands[count:]
    for point in product(*(range(bounds.lower, bounds.upper + 1) for bounds in map.symbol_intervals)):
        symbols = [constant(value) for value in point]
        mask = lanes.active & is_in_domain(map, dims, symbols)
        if not mask.any():
            continue
        results = [evaluate(result, dims, symbols) for result in map.results]
        with lanes.only(mask):
            updated = lanes.run(op.body.block, (*symbols, *results, *carried))
        carried = lanes.merged(mask, updated, carried)
    return carried


# -- Calls ------------------------------------------------------------------------------------------------------------


def pure_call(lanes: Lanes, op: xla_gpu.PureCallOp, *arguments: Value) -> Sequence[Value]:
    """
    A call; its result is cached if the callee has several call sites, and more operations than a few.

    Without a cache, a chain of functions that each call the next one twice would take exponential time. Accesses that
    are observed are those of calls with a cache.
    """
    name, program = op.callee.string_value(), lanes.program
    if program.call_sites[name] < 2 or (program.observe is None and program.is_small(name)):
        return lanes.call(name, arguments)
    key = (name, *map(contents, arguments))
    mask, results = lanes.pure_results.pop(key, (None, ()))
    if mask is None or (lanes.active & ~mask).any():
        mask, results = lanes.active, lanes.call(name, arguments)
    lanes.pure_results[key] = mask, results
    if len(lanes.pure_results) > MAX_CACHED_CALLS:
        del lanes.pure_results[next(iter(lanes.pure_results))]
    return results


MAX_CACHED_CALLS = 256
"""The maximal number of cached results, most recently used. Each takes a few numbers per lane."""


def contents(value: Value) -> Hashable:
    """A key that is equal for equal values: the tensor itself, which includes its time, or a digest of an array."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Unspecified):
        return contents(plain(value)), contents(value.where), value.causes
    return value.dtype, value.shape, blake2b(value.tobytes(), digest_size=16).digest()


def shuffle_reduce(lanes: Lanes, op: xla_gpu.ShuffleReduceOp, *values: Array) -> Sequence[Value]:
    """
    Combine each thread with the one at `distance`, with the distance halved each time.

    A thread without such a partner in its warp is combined with itself; its result is unused.
    """
    results = values
    distance = op.max_distance.value.data
    warp = max(WARP_SIZE, 2 * distance)
    while distance > 0:
        partners = lanes.threads + distance if op.to_all is None else lanes.threads ^ distance
        inside = partners // warp == lanes.threads // warp
        others = [from_thread(lanes, value, partners, inside)[0] for value in results]
        combined = lanes.call(op.combiner.string_value(), (*results, *others))
        results = tuple(value for value in combined if isinstance(value, np.ndarray))
        distance //= 2
    return results


# -- Memory -----------------------------------------------------------------------------------------------------------


def allocate_shared(lanes: Lanes, op: xla_gpu.AllocateSharedOp) -> Tensor:
    kind = as_tensor_type(op.result.type)
    assert kind is not None
    name = f"shared memory %{op.result.name_hint}" if op.result.name_hint else "shared memory"
    return memory.shared_tensor(name, kind, lanes.shape[0])


def sync_threads(lanes: Lanes, op: xla_gpu.SyncThreadsOp, *tensors: Tensor) -> Sequence[Tensor]:
    lanes.barrier(op)
    return [tensor.at(lanes.time) for tensor in tensors]


def overlap(lanes: Lanes, op: xla_gpu.PdlWaitOp | xla_gpu.PdlLaunchDependentsOp) -> None:
    """Nothing to do: a kernel is executed alone."""


def predicated_extract(
    lanes: Lanes, op: xla_gpu.PredicatedExtractOp, condition: Array, fallback: Array, source: Tensor, *indices: Array
) -> Array:
    loaded = access.load(lanes, op, source, indices, lanes.active & condition)
    return np.where(condition, loaded, fallback)


def predicated_insert(
    lanes: Lanes, op: xla_gpu.PredicatedInsertOp, condition: Array, value: Array, dest: Tensor, *indices: Array
) -> Tensor:
    return access.store(lanes, op, dest, indices, value, lanes.active & condition)


def ranks_per_element(where: Array, mask: Array) -> Array:
    """For each lane in `mask`, the number of earlier lanes with the same element; -1 for the others."""
    elements = where[mask]
    order = np.argsort(elements, kind="stable")
    ordered = elements[order]
    is_first = np.diff(ordered, prepend=ordered[:1] - 1) != 0
    first = np.maximum.accumulate(np.where(is_first, np.arange(len(ordered)), 0))
    result = np.full(mask.shape, -1)
    counts = np.empty(len(ordered), np.int64)
    counts[order] = np.arange(len(ordered)) - first
    result[mask] = counts
    return result


def atomic_rmw(lanes: Lanes, op: xla_gpu.AtomicRMWOp, dest: Tensor, *indices: Array) -> Tensor:
    """
    Lanes that update the same element do so sequentially, in the order of their numbers; all others together.

    The number of steps is the maximal number of lanes per element. A vector is updated as a whole; lanes with
    overlapping vectors have the same vector.
    """
    kind = op.current_value.type
    places: list[Sequence[Array]] = [indices]
    if is_vector := isa(kind, VectorType[Attribute]):
        places = [(*indices[:-1], indices[-1] + i) for i in range(kind.get_shape()[0])]
    mask = np.broadcast_to(lanes.active, lanes.shape)
    where = np.broadcast_to(access.offsets(lanes, op, dest, indices, lanes.active), lanes.shape)
    together = where[..., None] + np.arange(len(places)) * dest.strides[-1] if is_vector else where
    access.report(lanes, AccessKind.ATOMIC, dest, together, lanes.on_vector(lanes.active, together.ndim))
    rank = ranks_per_element(where, mask)
    for now in range(int(rank.max(initial=-1)) + 1):
        with lanes.only(rank == now):
            loaded = [access.load(lanes, op, dest, at, lanes.active, atomic=True) for at in places]
            (updated,) = lanes.run(op.computation.block, (np.stack(loaded, axis=-1) if is_vector else loaded[0],))
            assert isinstance(updated, np.ndarray)
            for i, at in enumerate(places):
                value = updated[..., i] if is_vector else updated
                dest = access.store(lanes, op, dest, at, value, lanes.active, atomic=True)
    return dest


def workgroup_id(lanes: Lanes, op: xla_gpu.WorkgroupIdOp) -> Array:
    return along_axis(lanes.blocks, lanes.launch.grid, AXES.index(op.dimension.data.value))


XLA_GPU: Mapping[str, Rule] = {
    "xla_gpu.allocate_shared": allocate_shared,
    "xla_gpu.apply_indexing": apply_indexing,
    "xla_gpu.atomic_rmw": atomic_rmw,
    "xla_gpu.loop": loop,
    "xla_gpu.pdl_launch_dependents": overlap,
    "xla_gpu.pdl_wait": overlap,
    "xla_gpu.predicated_extract": predicated_extract,
    "xla_gpu.predicated_insert": predicated_insert,
    "xla_gpu.pure_call": pure_call,
    "xla_gpu.shuffle_reduce": shuffle_reduce,
    "xla_gpu.sync_threads": sync_threads,
    "xla_gpu.workgroup_id": workgroup_id,
}
