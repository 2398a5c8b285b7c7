"""
Sorts of rows that do not fit into the shared memory of a block, by many kernels.

Rows are cut into chunks that fit, and each chunk is sorted. Then runs of sorted chunks are merged, two at a time, as in
a bitonic network without directions (`emitters/sort.py`): elements of a run are exchanged with the mirrored ones of the
other run, then those at distances that halve, as long as these are whole chunks; then each chunk is sorted again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.builder import Builder
from xdsl.dialects.builtin import ModuleOp, TensorType, i1, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo import FusionKind, FusionOp
from xshardy.dialects.shapes import is_static, shape_of
from xshardy.dialects.stablehlo import ComparisonDirection
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.emitters.grids import ceil_div
from xshardy.emitters.sort import bytes_of_row, sorted_dimension
from xshardy.emitters.transpose.tiling import SHARED_MEMORY
from xshardy.fusing.fuse import SinkConstant
from xshardy.indexing.tensor_maps import minor_to_major, row_major
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.rewriting.captured import captured
from xshardy.transforms.call_graph import outside_of_fusions
from xshardy.transforms.sdy.symbols import SymbolNames

SCALAR_INDEX = TensorType(i32, [])
MAX_ELEMENTS = 2**31 - 1
"""The most elements of a row: their indices have 32 bits."""


@dataclass(frozen=True)
class SplitSort(RewritePattern):
    """`sort %x: [m, n]` -> sorts of `[m, n / c, c]` along the last dimension, and fusions that exchange elements."""

    module: ModuleOp
    names: SymbolNames
    shared_memory: int

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.SortOp, rewriter: PatternRewriter, /):
        size = size_of_chunks(op, self.shared_memory)
        if not size or not may_be_split(op) or bytes_of_row(op) <= self.shared_memory:
            return
        chunks = SortOfChunks(op, size, Tensors(rewriter), self.names)
        results = chunks.results()
        rewriter.insert(chunks.functions, InsertPoint.at_end(self.module.body.block))
        rewriter.replace(op, (), results)


def may_be_split(op: stablehlo.SortOp) -> bool:
    """Whether the tensors of `op` are row-major, and its comparator reads nothing else."""
    values = (*op.inputs, *op.outputs)
    if not all(is_static(tensor_type(value)) for value in values) or not prod(shape_of(op.inputs[0])):
        return False
    is_plain = all(minor_to_major(value) == row_major(shape_of(value)) for value in values)
    return is_plain and shape_of(op.inputs[0])[sorted_dimension(op)] < MAX_ELEMENTS and not captured(op.regions)


def size_of_chunks(op: stablehlo.SortOp, shared_memory: int) -> int:
    """
    The largest power of two of elements that fit into shared memory together with their indices in the row.

    0 if one does not.
    """
    size = 0
    while bytes_of_row(op, 2 * size or 1) + ceil_div((2 * size or 1) * i32.bitwidth, 8) <= shared_memory:
        size = 2 * size or 1
    return size


class SortOfChunks:
    """The operations instead of a sort. Its elements have their indices with them, so that no two are equal."""

    def __init__(self, op: stablehlo.SortOp, chunk: int, t: Tensors, names: SymbolNames):
        self.op = op
        self.t = t
        self.names = names
        self.exchanges: dict[tuple[int, bool], str] = {}
        """The names of the functions of exchanges, by their distance and whether they are mirrored."""
        self.functions: list[FuncOp] = []
        self.dimension = sorted_dimension(op)
        shape = shape_of(op.inputs[0])
        self.size = shape[self.dimension]
        self.rows = prod(shape) // self.size
        self.chunk = chunk
        self.chunks = 1 << (ceil_div(self.size, self.chunk) - 1).bit_length()
        """The number of chunks of a row, a power of two."""

    def results(self) -> Sequence[SSAValue]:
        """What to replace the results of the sort by."""
        values = self.sorted_chunks(self.read())
        run = 1
        while run < self.chunks:
            values = self.exchanged(values, run, is_mirrored=True)
            distance = run // 2
            while distance:
                values = self.exchanged(values, distance, is_mirrored=False)
                distance //= 2
            values = self.sorted_chunks(values)
            run *= 2
        return [*map(self.written, values[:-1])]

    def read(self) -> Sequence[SSAValue]:
        """The inputs as `[rows, chunks, chunk]`, padded with anything, and the indices in the row."""
        t, shape = self.t, (self.rows, self.chunks * self.chunk)
        values: list[SSAValue] = []
        for value in self.op.inputs:
            rows = t.reshape(t.transpose(value, self.permutation), (self.rows, self.size))
            if self.size < shape[1]:
                first = t.reshape(t(stablehlo.SliceOp(rows, [0, 0], [1, 1], [1, 1])), ())
                padded = TensorType(element_type(value), shape)
                rows = t(stablehlo.PadOp(rows, first, [0, 0], [0, shape[1] - self.size], [0, 0], padded))
            values.append(rows)
        values.append(t.iota(1, i32, shape))
        return [t.reshape(value, (self.rows, self.chunks, self.chunk)) for value in values]

    @property
    def permutation(self) -> Sequence[int]:
        """The dimensions, with the one that is sorted along last."""
        others = [d for d in range(len(shape_of(self.op.inputs[0]))) if d != self.dimension]
        return [*others, self.dimension]

    def written(self, value: SSAValue) -> SSAValue:
        """`value` without padding, in the shape of the results."""
        t, shape = self.t, shape_of(self.op.inputs[0])
        rows = t.reshape(value, (self.rows, self.chunks * self.chunk))
        if self.size < shape_of(rows)[1]:
            rows = t(stablehlo.SliceOp(rows, [0, 0], [self.rows, self.size], [1, 1]))
        permuted = t.reshape(rows, [shape[d] for d in self.permutation])
        return t.transpose(permuted, [self.permutation.index(d) for d in range(len(shape))])

    def sorted_chunks(self, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """`values` with each chunk sorted."""
        sort = stablehlo.SortOp(values, self.comes_before(), 2)
        self.t(sort)
        return sort.results

    def exchanged(self, values: Sequence[SSAValue], distance: int, *, is_mirrored: bool) -> Sequence[SSAValue]:
        """
        `values`, of which each pair of elements at `distance`, in chunks, is in order.

        If mirrored, the pairs are the first of `distance` chunks and the last of the next ones, and so on. It is one
        kernel: one of several exchanges would compute each element of one for each that depends on it in the next.
        """
        key = (distance, is_mirrored)
        if (name := self.exchanges.get(key)) is None:
            name = self.exchanges[key] = self.names.fresh("exchange")
            types = [value.type for value in values]
            block = Block(arg_types=types)
            t = Tensors(Builder(InsertPoint.at_end(block)))
            t.builder.insert(ReturnOp(*self.in_order(block.args, distance, t, is_mirrored=is_mirrored)))
            self.functions.append(FuncOp(name, (types, types), Region(block), visibility="private"))
        fusion = FusionOp(FusionKind.LOOP, name, values, [value.type for value in values])
        self.t(fusion)
        return fusion.results

    def in_order(
        self, values: Sequence[SSAValue], distance: int, t: Tensors, *, is_mirrored: bool
    ) -> Sequence[SSAValue]:
        """The operations of an exchange of `values`."""
        shape = (self.rows, self.chunks // (2 * distance), 2, distance * self.chunk)
        own = [t.reshape(value, shape) for value in values]
        others = [t(stablehlo.ReverseOp(value, [2, 3] if is_mirrored else [2])) for value in own]
        pairs = [value for pair in zip(others, own, strict=True) for value in pair]
        before = t(stablehlo.MapOp(pairs, range(4), self.comes_before(), TensorType(i1, shape)))
        is_second = t(stablehlo.CompareOp(t.iota(2, i32, shape), t.constant(1, i32, shape), ComparisonDirection.EQ))
        takes_other = t.xor(before, is_second)
        taken = [t.select(takes_other, other, value) for other, value in zip(others, own, strict=True)]
        return [t.reshape(value, shape_of(values[0])) for value in taken]

    def comes_before(self) -> Region:
        """
        Whether an element comes before another one: by the comparator, then by the index, and padding last.

        Like the comparator, it takes two elements of each input, and of the indices.
        """
        old = self.op.comparator.block
        block = Block(arg_types=[*old.arg_types, SCALAR_INDEX, SCALAR_INDEX])
        *arguments, index, other_index = block.args
        swapped = [argument for pair in zip(arguments[1::2], arguments[::2], strict=True) for argument in pair]
        t = Tensors(Builder(InsertPoint.at_end(block)))
        less, greater = self.compared(arguments, t), self.compared(swapped, t)
        is_before = t(stablehlo.CompareOp(index, other_index, ComparisonDirection.LT))
        decided = t.either(less, greater)
        if self.size < self.chunks * self.chunk:
            size = t.constant(self.size, i32)
            for each in (index, other_index):
                decided = t.both(decided, t(stablehlo.CompareOp(each, size, ComparisonDirection.LT)))
        t.builder.insert(stablehlo.ReturnOp(t.select(decided, less, is_before)))
        return Region(block)

    def compared(self, arguments: Sequence[SSAValue], t: Tensors) -> SSAValue:
        """The comparator applied to `arguments`."""
        copy = self.op.comparator.clone().block
        end = copy.last_op
        assert isinstance(end, stablehlo.ReturnOp)
        for old, new in zip(copy.args, arguments, strict=True):
            old.replace_all_uses_with(new)
        (result,) = end.operands
        for op in [*copy.ops]:
            op.detach()
            if op is end:
                end.erase()
            else:
                t.builder.insert(op)
        return result


@dataclass(frozen=True)
class SplitSortsPass(PatternPass):
    """
    Sort rows that do not fit into the shared memory of a block by many kernels: in chunks, which are merged. Sorts in
    fusions stay.

    With c elements in a chunk, a row of n takes 1 + log2(n / c) sorts of all chunks, and (log2(n / c) + 1) * log2(n /
    c) / 2 kernels that exchange elements. Elements that compare equal stay in order.
    """

    name = "hlo-split-sorts"
    source: ClassVar[str] = "XLA:GPU's sort emitter, which sorts long rows by many kernels"

    shared_memory: int = SHARED_MEMORY
    """The bytes of shared memory of a block."""

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        yield Step((SinkConstant(),))
        pattern = SplitSort(module, SymbolNames(module), self.shared_memory)
        yield Step((pattern,), roots=outside_of_fusions(module))
