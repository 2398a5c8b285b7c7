"""
The sort emitter: each block sorts a row in shared memory.

A bitonic network without directions: stage s merges sorted runs of 2^s elements. Its first step compares each element
of a run with the mirrored one of the next run, the other steps compare elements at a distance that halves. All
comparisons order elements the same way, so rows of any length need no padding: elements beyond the end would be last
already. Elements that compare equal are ordered by their index, so every sort is stable. Source: K. E. Batcher,
"Sorting networks and their applications" (1968); XLA:GPU's sort emitter for the form without directions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import IndexType, TensorType, i1, i32
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xshardy.affine.expressions import add, constant, dim, mul, sym
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.slicing import SliceOp
from xshardy.dialects.stablehlo.sorting import SortOp
from xshardy.dialects.xla_gpu.ops import AllocateSharedOp, SyncThreadsOp
from xshardy.emitters.analysis import Choice, Emission, Fusion
from xshardy.emitters.elemental.kinds import bits_in_memory, element_type_of, emitted_type
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.grids import ceil_div, grid_map, split
from xshardy.emitters.indices import Indices, loop_over
from xshardy.emitters.kernel import Kernel, Values
from xshardy.emitters.launch_dimensions import LaunchDimensions
from xshardy.emitters.partition import RootGroup
from xshardy.emitters.transpose.tiling import SHARED_MEMORY

MAX_THREADS = 512
"""Threads of a block: enough to hide the latency of shared memory, and several blocks fit."""


def choose_sort(fusion: Fusion) -> Choice | None:
    """
    The sort emitter, if every result is one of the same sort, or the first elements of one along its dimension.

    Raises `PassFailedException` if a row does not fit into shared memory.
    """
    heroes = {sorted_behind(root) for root in fusion.roots}
    hero = heroes.pop()
    if hero is None or heroes or not prod(shape_of(hero.inputs[0])):
        return None
    size = shape_of(hero.inputs[0])[sorted_dimension(hero)]
    if not fits_shared_memory(hero):
        raise PassFailedException(
            f"stablehlo.sort of rows of {size} elements cannot be emitted: a row and its indices take "
            f"{bytes_of_row(hero)} bytes of shared memory, a block has {SHARED_MEMORY}; outside of fusions, --fuse "
            "sorts such rows by several kernels"
        )
    reason = f"it sorts rows of {size} elements in shared memory"
    return Choice("sort", hero, reason, partial(emit_sort, fusion, hero))


def bytes_of_row(op: SortOp, size: int | None = None) -> int:
    """The bytes of shared memory for a row, or for the first `size` elements of one, and their indices."""
    bits = sum(bits_in_memory(value.type) for value in op.inputs) + i32.bitwidth
    return ceil_div((shape_of(op.inputs[0])[sorted_dimension(op)] if size is None else size) * bits, 8)


def fits_shared_memory(op: SortOp) -> bool:
    """Whether a block can sort a row of `op`."""
    return bytes_of_row(op) <= SHARED_MEMORY


def sorted_behind(root: SSAValue) -> SortOp | None:
    """The sort whose result, or the first elements of whose result, `root` is; None if it is anything else."""
    if isinstance(root.owner, SliceOp) and isinstance(root.owner.operand.owner, SortOp):
        op, hero = root.owner, root.owner.operand.owner
        wanted = list(shape_of(op.operand))
        wanted[sorted_dimension(hero)] = shape_of(root)[sorted_dimension(hero)]
        is_prefix = not any(op.start_indices.get_values()) and shape_of(root) == tuple(wanted)
        return hero if is_prefix and all(stride == 1 for stride in op.strides.get_values()) else None
    return root.owner if isinstance(root.owner, SortOp) else None


def sorted_dimension(op: SortOp) -> int:
    """The dimension that `op` sorts along, counted from the first one."""
    dimension = -1 if op.dimension is None else op.dimension.value.data
    return dimension % len(shape_of(op.inputs[0]))


def emit_sort(fusion: Fusion, hero: SortOp, entry_name: str) -> Emission:
    """The kernel of a fusion whose results are those of `hero`, and its functions, in a new module."""
    shape, axis = shape_of(hero.inputs[0]), sorted_dimension(hero)
    stages = (shape[axis] - 1).bit_length()
    threads = min(MAX_THREADS, max(fusion.device.threads_per_warp, 1 << max(stages - 1, 0)))
    launch = LaunchDimensions(threads, (prod(shape) // shape[axis], 1))
    group = RootGroup.same_indices(hero.inputs)
    kernel = Kernel(fusion.computation, [group], launch, entry_name, heroes=[hero])
    emission = SortEmission(kernel, hero, axis, stages)
    return kernel.module(emission.write_results(emission.sort(emission.read_row())))


@dataclass(frozen=True, eq=False)
class SortEmission:
    """A kernel under construction. A block holds a tile for each input, and one of the indices, all of one row."""

    kernel: Kernel
    hero: SortOp
    axis: int
    stages: int
    """The number of stages: 2^stages is at least the size of a row."""

    @property
    def shape(self) -> Sequence[int]:
        return shape_of(self.hero.inputs[0])

    def row_map(self, size: int) -> IndexingMap:
        """The map from a thread and its steps to the indices of the first `size` elements of the row of its block."""
        launch = self.kernel.launch
        position = add(dim(0), mul(sym(0), constant(launch.threads)))
        others = [length for d, length in enumerate(self.shape) if d != self.axis]
        indices = list(split(dim(1), others))
        indices.insert(self.axis, position)
        map = grid_map(launch, indices, [ceil_div(size, launch.threads)])
        return map.constrained(position, Interval.of_size(size)).simplify() if size else map.nowhere()

    # -- Between global and shared memory -----------------------------------------------------------------------------

    def read_row(self) -> Values:
        """The tiles, with the elements of the row and their indices, after a barrier."""
        s, function = self.kernel.s, self.kernel.parts.subgraphs[0]
        types = [emitted_type(element_type_of(value.type)) for value in self.hero.inputs]
        tiles = [s(AllocateSharedOp(TensorType(type, [self.shape[self.axis]]))) for type in (*types, i32)]

        def body(s: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            at = indices[self.axis]
            elements = [*self.kernel.call(s, function, indices), s(arith.IndexCastOp(at, i32))]
            return [s(tensor.InsertOp(x, tile, at)) for x, tile in zip(elements, carried, strict=True)]

        map = self.row_map(self.shape[self.axis])
        return synchronized(s, loop_over(s, map, self.kernel.ids, tiles, body))

    def write_results(self, tiles: Values) -> Values:
        """The outputs, with the first elements of the tiles."""
        outputs: list[SSAValue] = []
        for root, output in zip(self.kernel.roots, self.kernel.entry.outputs, strict=True):
            result = root.owner.operand if isinstance(root.owner, SliceOp) else root
            tile = tiles[self.hero.results.index(result)]

            def body(s: Scalars, ivs: Indices, indices: Indices, carried: Values, tile: SSAValue = tile) -> Values:
                element = s(tensor.ExtractOp(tile, indices[self.axis], element_type_of(tile.type)))
                return [s(tensor.InsertOp(element, carried[0], indices))]

            map = self.row_map(shape_of(root)[self.axis])
            outputs += loop_over(self.kernel.s, map, self.kernel.ids, [output], body)
        return outputs

    # -- The network --------------------------------------------------------------------------------------------------

    def sort(self, tiles: Values) -> Values:
        """The tiles with the row in order: a loop over the stages, and one over the steps of a stage."""
        s = self.kernel.s
        zero, one = (s.constant(value, IndexType()) for value in (0, 1))

        def stage(s: Scalars, number: SSAValue, tiles: Values) -> Values:
            def step(s: Scalars, done: SSAValue, tiles: Values) -> Values:
                distance = s(arith.ShLIOp(one, s(arith.SubiOp(number, done))))
                is_first = s.compare("eq", done, zero)
                # The mirrored element differs in all bits up to the distance, others in the bit of the distance.
                all_bits = s(arith.SubiOp(s(arith.AddiOp(distance, distance)), one))
                return synchronized(s, self.exchange(s, distance, s.select(is_first, all_bits, distance), tiles))

            return counted_loop(s, zero, s(arith.AddiOp(number, one)), one, tiles, step)

        return counted_loop(s, zero, s.constant(self.stages, IndexType()), one, tiles, stage)

    def exchange(self, s: Scalars, distance: SSAValue, difference: SSAValue, tiles: Values) -> Values:
        """
        Compare each element whose bit `distance`, a power of two, is 0 with that whose number differs in the bits
        `difference`, and exchange those that are out of order.
        """
        size = s.constant(self.shape[self.axis], IndexType())
        low_bits = s(arith.SubiOp(distance, s.constant(1, IndexType())))

        def body(s: Scalars, ivs: Indices, indices: Indices, carried: Values) -> Values:
            (pair,) = indices
            low = s(arith.AndIOp(pair, low_bits))
            left = s(arith.SubiOp(s(arith.AddiOp(pair, pair)), low))  # a 0 is inserted at the bit of the distance
            right = s(arith.XOrIOp(left, difference))
            return s.branch_all(
                s.compare("ult", right, size), carried, lambda s: self.compare_and_exchange(s, left, right, carried)
            )

        return loop_over(s, self.pair_map(), self.kernel.ids[:1], tiles, body)

    def pair_map(self) -> IndexingMap:
        """The map from a thread and its steps to the numbers of its pairs, half as many as elements."""
        launch = self.kernel.launch
        pairs = 1 << max(self.stages - 1, 0)
        number = add(dim(0), mul(sym(0), constant(launch.threads)))
        map = grid_map(launch, [number], [ceil_div(pairs, launch.threads)])
        only_thread = IndexingMap(map.results, map.dimensions[:1], map.ranges)
        return only_thread.constrained(number, Interval.of_size(pairs)).simplify()

    def compare_and_exchange(self, s: Scalars, left: SSAValue, right: SSAValue, tiles: Values) -> Values:
        """The tiles after the elements at `left` and `right` are put in order."""
        before = [s(tensor.ExtractOp(tile, left, element_type_of(tile.type))) for tile in tiles]
        after = [s(tensor.ExtractOp(tile, right, element_type_of(tile.type))) for tile in tiles]
        is_greater = self.comes_first(s, after[:-1], before[:-1])
        is_less = self.comes_first(s, before[:-1], after[:-1])
        is_later = s.compare("ult", after[-1], before[-1])
        is_tie_out_of_order = s(arith.AndIOp(is_later, s(arith.XOrIOp(is_less, s.constant(1, i1)))))
        is_swapped = s(arith.OrIOp(is_greater, is_tie_out_of_order))

        def swap(s: Scalars) -> Values:
            swapped = [s(tensor.InsertOp(x, tile, left)) for x, tile in zip(after, tiles, strict=True)]
            return [s(tensor.InsertOp(x, tile, right)) for x, tile in zip(before, swapped, strict=True)]

        return s.branch_all(is_swapped, tiles, swap)

    def comes_first(self, s: Scalars, first: Values, second: Values) -> SSAValue:
        """Whether the comparator places the elements `first` before `second`."""
        pairs = [element for pair in zip(first, second, strict=True) for element in pair]
        call = self.kernel.parts.applied[self.hero].root.call(pairs, ())
        s.builder.insert(call)
        return call.results[0]


def synchronized(s: Scalars, tiles: Values) -> Values:
    """The tiles after a barrier."""
    op = SyncThreadsOp(tiles)
    s.builder.insert(op)
    return op.results


def counted_loop(
    s: Scalars,
    start: SSAValue,
    end: SSAValue,
    step: SSAValue,
    inits: Values,
    body: Callable[[Scalars, SSAValue, Values], Values],
) -> Values:
    """`scf.for` with `body`, which takes the number of the iteration and the carried values, and returns the next."""
    block = Block(arg_types=[IndexType(), *(value.type for value in inits)])
    inner = Scalars.at_end(block)
    inner.builder.insert(scf.YieldOp(*body(inner, block.args[0], block.args[1:])))
    loop = scf.ForOp(start, end, step, inits, Region(block))
    s.builder.insert(loop)
    return loop.results
