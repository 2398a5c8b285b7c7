"""
Which operations of a block become one kernel: a root, whose results are in memory, and what is computed only for it.

Operations are visited from readers to producers. A producer joins the kernels of its readers if all of them are kernels
that can compute it element by element, and if this computes nothing costly twice; otherwise it is the root of another
kernel. Source: XLA's docs, "Operator fusion"; the conditions of the emitters (`emitters/heroes.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import cast

from xdsl.dialects.builtin import AnyTensorType, DenseIntOrFPElementsAttr, TensorType
from xdsl.dialects.func import CallOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.dense_elements import is_splat
from xshardy.dialects.shapes import is_static, shape_of
from xshardy.emitters.row_wise.choice import row_dimensions
from xshardy.emitters.sort import fits_shared_memory
from xshardy.facts.movement import is_elementwise
from xshardy.fusing.cost import is_cheap, is_computed_by_element, pays_to_repeat, pays_to_reread, reads_a_few_times
from xshardy.indexing.fusions import MapSet, operand_reads, union_of_maps
from xshardy.indexing.reduction_dimensions import ReductionDimensions, row_map
from xshardy.indexing.tensor_maps import minor_to_major
from xshardy.launch.plan_steps import MEMORY_ONLY, STEPS
from xshardy.launch.unfused import SHARDY, moves_elements
from xshardy.rewriting.captured import captured

MAX_MEMBERS = 256
"""The maximal number of operations of a kernel, which limits the size of its code and its number of operands."""
MAX_CONSTANT = 16
"""The maximal number of elements of a constant that kernels have copies of, unless all are equal."""

NOT_FUSED = (CallOp, stablehlo.CompositeOp, stablehlo.ConstantOp)
"""No part of a kernel: calls, which are inlined first, and constants, which each kernel has copies of."""
UPDATING = (stablehlo.DynamicUpdateSliceOp, stablehlo.ScatterOp)
"""Roots that write into the memory of their first operand, which therefore is not computed by their kernel."""
REREADING = (
    stablehlo.ConvolutionOp,
    stablehlo.DotGeneralOp,
    stablehlo.DotOp,
    stablehlo.ReduceWindowOp,
    stablehlo.SelectAndScatterOp,
)
"""
Roots that read an element of an operand for several of the result: their kernels compute only what is cheap, or what is
read a few times.
"""


@dataclass(eq=False)
class Group:
    """The operations of one kernel."""

    root: Operation
    place: float
    """The position in the block at which the kernel runs: that of the root, at first."""
    results: list[SSAValue] = field(default_factory=list[SSAValue])
    """What the kernel writes: the results of the root first."""
    members: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """Readers before producers: the root first."""
    maps: dict[SSAValue, MapSet] = field(default_factory=dict[SSAValue, MapSet])
    """For each value that members read, the maps to its indices from those of the first result of the root."""
    rows: ReductionDimensions | None = None
    """The dimensions of the reductions among the members, if these are of rows."""
    has_hero: bool = False
    """Whether a member determines the structure of the kernel: anything that is not computed element by element."""
    is_chain: bool = True
    """Whether all members are elementwise operations of one operand."""

    @staticmethod
    def of(root: Operation, place: int) -> "Group":
        """The group of `root` alone."""
        group = Group(root, place, [*root.results])
        group.maps.update((result, (IndexingMap.identity(shape_of(result)),)) for result in root.results)
        group.add(root)
        return group

    def add(self, op: Operation) -> None:
        """Add `op`, whose readers among the members have been added before."""
        self.members[op] = None
        self.has_hero |= not is_computed_by_element(op)
        self.is_chain &= is_elementwise(op) and len(op.operands) == 1
        if isinstance(op, stablehlo.ReduceOp):
            self.rows = row_dimensions(op)
        for result in op.results:
            if result in self.maps:
                for operand, maps in operand_reads(result, self.maps[result]):
                    self.maps[operand] = union_of_maps(self.maps.get(operand, ()), maps)

    def takes(self, op: Operation) -> bool:
        """Whether the kernel can compute `op`, all readers of which in this group are members."""
        if len(self.members) >= MAX_MEMBERS or (
            isinstance(self.root, UPDATING) and self.root.operands[0] in op.results
        ):
            return False
        if isinstance(self.root, REREADING):
            return is_cheap(op) or (reads_a_few_times(self.root) and pays_to_reread(op))
        match op:
            case stablehlo.ReduceOp():
                return self.is_chain or self._takes_rows(op)
            case _ if is_computed_by_element(op):
                return True
            case _:
                return self.is_chain and isinstance(op, stablehlo.TransposeOp | hlo.CopyOp)

    def _takes_rows(self, op: stablehlo.ReduceOp) -> bool:
        """Whether the row-wise emitter can reduce the rows of `op` first."""
        dimensions, result = row_dimensions(op), self.root.results[0]
        if dimensions is None or not (self.rows == dimensions if self.has_hero else self.rows in (None, dimensions)):
            return False
        _, rows, minor = dimensions.sizes
        if prod(shape_of(result)) not in (rows, rows * minor):
            return False
        row = row_map(result, op, minor).results
        read = [self.maps[value] for value in op.results if value in self.maps]
        return all(maps is not None and all(map.results == row for map in maps) for maps in read)

    def computes_in_place(self, op: Operation) -> bool:
        """Whether the kernel reads the results of `op` only at the index for which it computes its first result."""
        if self.has_hero and self.rows is None:
            return False
        own = self.results[0]
        place = IndexingMap.identity(shape_of(own)).results
        return all(
            shape_of(result) == shape_of(own)
            and minor_to_major(result) == minor_to_major(own)
            and [map.results for map in self.maps.get(result) or ()] == [place]
            for result in op.results
        )


@dataclass
class Grouping:
    """The kernels of a block."""

    places: Mapping[Operation, int]
    """The positions of the operations."""
    groups: list[Group] = field(default_factory=list[Group])
    computing: dict[Operation, Sequence[Group]] = field(default_factory=dict[Operation, Sequence[Group]])
    """The kernels that compute each operation."""
    views: set[Operation] = field(default_factory=set[Operation])
    """Of these operations, those that stay in the block, because others than kernels read them too."""

    @staticmethod
    def of(block: Block) -> "Grouping":
        """The kernels of `block`, with one root each. Linear in operations, uses and members."""
        found = Grouping({op: place for place, op in enumerate(block.ops)})
        for op in reversed([*found.places]):
            if any(result.uses for result in op.results) and is_fusible(op):
                found.add(op)
        return found

    def add(self, op: Operation) -> None:
        """Decide which kernels compute `op`. Precondition: the operations after it were added."""
        readers = dict.fromkeys(use.operation for result in op.results for use in result.uses)
        groups = [*dict.fromkeys(group for reader in readers for group in self.computing.get(reader, ()))]
        taking = [group for group in groups if group.takes(op)]
        if (
            all(self.is_in_kernels(reader) for reader in readers)
            and len(taking) == len(groups)
            and (len(groups) == 1 or pays_to_repeat(op, [group.maps for group in groups]))
        ):
            self.join(op, groups)
        elif isinstance(op, MEMORY_ONLY) and not (isinstance(op, stablehlo.ReshapeOp) and moves_elements(op)):
            if taking:
                self.views.add(op)
                self.join(op, taking)
        elif (group := self.writing_also(op, readers, groups)) is not None:
            group.results += op.results
            self.join(op, [group])
        else:
            group = Group.of(op, self.places[op])
            self.groups.append(group)
            self.computing[op] = [group]

    def join(self, op: Operation, groups: Sequence[Group]) -> None:
        """Let `groups` compute `op`."""
        for group in groups:
            group.add(op)
        self.computing[op] = groups

    def is_in_kernels(self, op: Operation) -> bool:
        """Whether only kernels compute `op`."""
        return op in self.computing and op not in self.views

    def writing_also(self, op: Operation, readers: Iterable[Operation], groups: Sequence[Group]) -> Group | None:
        """
        The first of the kernels that read `op`, if it can write the result too.

        It computes each element where it computes that of its own result, and runs before all other readers.
        """
        if not groups or not is_elementwise(op):
            return None
        first = min(groups, key=lambda group: group.place)
        if not (first.computes_in_place(op) and first.takes(op)):
            return None
        runs_first = all(
            self.places.get(reader, -1) > first.place for reader in readers if not self.is_in_kernels(reader)
        )
        return first if runs_first else None


# -- Kinds of operations ----------------------------------------------------------------------------------------------


def is_fusible(op: Operation) -> bool:
    """
    Whether `op` can be part of a kernel: it is no step of its own, and takes and gives tensors of known sizes.

    What it applies to elements reads nothing else.
    """
    if isinstance(op, hlo.CopyOp):
        return moves_elements(op)
    is_step = type(op) in STEPS and not is_sorted_by_kernel(op)
    if is_step or isinstance(op, NOT_FUSED) or op.dialect_name() == SHARDY or captured(op.regions):
        return False
    types = (*op.operand_types, *op.result_types)
    return all(isinstance(type, TensorType) and is_static(cast(AnyTensorType, type)) for type in types)


def is_sorted_by_kernel(op: Operation) -> bool:
    """Whether `op` is a sort whose rows fit into the shared memory of a block."""
    return isinstance(op, stablehlo.SortOp) and prod(shape_of(op.inputs[0])) > 0 and fits_shared_memory(op)


def is_small(op: stablehlo.ConstantOp) -> bool:
    """Whether a constant is part of the kernels that read it; others are in memory."""
    is_here = isinstance(op.properties["value"], DenseIntOrFPElementsAttr)  # its elements are in no resource
    return is_here and (is_splat(op.value) or prod(shape_of(op.output)) <= MAX_CONSTANT)
