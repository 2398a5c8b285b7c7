"""
The operand reads of operations as seen by emitted code.

An indexing map says which element is read. This module adds where in the code: unconditionally, in a branch, or in a
loop. Source: rows XGPU-11, XGPU-15, XGPU-16, XGPU-18.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Operation

from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.contraction import DotGeneralOp
from xshardy.dialects.stablehlo.convolution import ConvolutionOp
from xshardy.dialects.stablehlo.gather import GatherOp
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.shape import BitcastConvertOp, ConcatenateOp, PadOp
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp, DynamicUpdateSliceOp
from xshardy.dialects.stablehlo.windows import ReduceWindowOp
from xshardy.indexing.element_calls import element_maps
from xshardy.indexing.operations import IDENTITY, has_maps, operand_maps, relation_of


@dataclass(frozen=True, slots=True)
class Read:
    """A read of one operand: at `map` of the operation's indices, if these are in the domain of `map`."""

    map: IndexingMap
    """The symbols are induction variables of a loop, or values that the operation reads first."""
    is_identity: bool = False
    part: int | None = None
    """
    The part of the operation's code that reads the operand: a branch, a loop, or code that depends on other operands.

    Operands of one part are read together. None: the operand is read once, at indices that depend on the operation's
    indices only.
    """
    is_repeated: bool = False
    """
    Whether each element of the result reads several elements; the operand is then computed by a function of its own.
    """

    @staticmethod
    def once(map: IndexingMap, shape: tuple[int, ...]) -> "Read":
        """The unconditional read at `map`, without symbols, of an operation whose result has this shape."""
        return Read(map, is_identity=map == IndexingMap.identity(shape))


def covers(map: IndexingMap, shape: tuple[int, ...]) -> bool:
    """Whether the domain of `map` contains all indices of a tensor of this shape and all values of its symbols."""
    return not map.constraints and map.dimension_intervals == tuple(Interval.of_size(size) for size in shape if size)


def reads_of(op: Operation) -> tuple[Read, ...]:
    """The reads of the operands of `op`."""
    if not op.operands:
        return ()
    if (rule := READS.get(type(op))) is not None:
        return tuple(rule(op))
    shape = shape_of(op.results[0])
    if relation_of(op) is IDENTITY:
        return (_identity_read(shape),) * len(op.operands)
    return tuple(Read.once(map, shape) for (map,) in operand_maps(op))


def has_reads(op: Operation) -> bool:
    """Whether `reads_of` supports `op`."""
    if isinstance(op, CallOp):
        return element_maps(op) is not None
    return isinstance(op, ReturnOp) or has_maps(op)


@lru_cache(maxsize=1024)
def _identity_read(shape: tuple[int, ...]) -> Read:
    return Read(IndexingMap.identity(shape), is_identity=True)


def _where_inside(op: PadOp | ConcatenateOp) -> Sequence[Read]:
    """An operand that is read for some elements only gets a branch of its own."""
    shape = shape_of(op.result)
    reads: list[Read] = []
    for i, (map,) in enumerate(operand_maps(op)):
        reads.append(Read.once(map, shape) if covers(map, shape) else Read(map, part=i))
    return reads


def _in_one_loop(op: ReduceOp | ReduceWindowOp | DotGeneralOp | ConvolutionOp) -> Sequence[Read]:
    """Inputs are read together in the loop; initial values are read before it."""
    inits = len(op.operands) // 2 if isinstance(op, ReduceOp | ReduceWindowOp) else 0
    maps = [map for (map,) in operand_maps(op)]
    shape = shape_of(op.results[0])
    looped = len(maps) - inits
    return [*(Read(map, part=0) for map in maps[:looped]), *(Read.once(map, shape) for map in maps[looped:])]


def _behind_starts(op: DynamicSliceOp | DynamicUpdateSliceOp) -> Sequence[Read]:
    """The start indices are read first: the positions of the other reads depend on them."""
    shape, tensors = shape_of(op.result), len(op.operands) - len(op.start_indices)
    maps = [map for (map,) in operand_maps(op)]
    return [
        *(Read(map, part=i) for i, map in enumerate(maps[:tensors])),
        *(Read.once(map, shape) for map in maps[tensors:]),
    ]


def _behind_index_vector(op: GatherOp) -> Sequence[Read]:
    """The components of the index vector are read first."""
    ((operand,), (indices,)) = operand_maps(op)
    return Read(operand, part=0), _each(indices, shape_of(op.result))


INDICES, UPDATES = 0, 1
"""The parts of the code of a scatter that read its index vectors and its updates."""


def _slice_by_slice(op: ScatterOp) -> Sequence[Read]:
    """The operands are read first. In a loop over the slices, the index vectors decide whether updates are read."""
    count = len(op.inputs)
    maps = [map for (map,) in operand_maps(op)]
    return [
        *(Read.once(map, shape_of(op.results[0])) for map in maps[:count]),
        Read(maps[count], part=INDICES, is_repeated=True),
        *(Read(map, part=UPDATES) for map in maps[count + 1 :]),
    ]


def _element_of_each(op: CallOp) -> Sequence[Read]:
    """A function of elements reads one element of each operand."""
    shape = shape_of(op.results[0])
    return [Read.once(map, shape) for map in element_maps(op) or ()]


def _all_bits(op: BitcastConvertOp) -> Sequence[Read]:
    ((map,),) = operand_maps(op)
    return (_each(map, shape_of(op.result)),)


def _each(map: IndexingMap, shape: tuple[int, ...]) -> Read:
    """The elements at all values of the range variable of `map`, one read each."""
    if not map.ranges:
        return Read.once(map, shape)
    if map.symbol_intervals[0].is_point:
        return Read.once(map.bind({}, {0: map.symbol_intervals[0].lower}), shape)
    return Read(map, is_repeated=True)


READS: Mapping[type[Operation], Callable[..., Sequence[Read]]] = {
    BitcastConvertOp: _all_bits,
    CallOp: _element_of_each,
    ConcatenateOp: _where_inside,
    ConvolutionOp: _in_one_loop,
    DotGeneralOp: _in_one_loop,
    DynamicSliceOp: _behind_starts,
    DynamicUpdateSliceOp: _behind_starts,
    GatherOp: _behind_index_vector,
    PadOp: _where_inside,
    ReduceOp: _in_one_loop,
    ReduceWindowOp: _in_one_loop,
    ScatterOp: _slice_by_slice,
}
"""One row per operation that reads an operand conditionally, in a loop, or at indices computed from other operands."""
