"""The slices of the updates of a scatter and their positions in the operand. Source: StableHLO, `scatter`."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from xshardy.dialects.extensions.arith import IndexCastUIOp
from xshardy.emitters.elemental.kinds import Kind, element_type_of, kind_of
from xshardy.emitters.elemental.scalars import Scalars, width_of
from xshardy.emitters.indices import Indices
from xshardy.indexing.scatters import SliceDimensions
from xshardy.indexing.tensor_maps import minor_to_major

NARROWEST_INDEX = 32
"""The minimal width of an `index` in a kernel, in bits."""


class Slices(SliceDimensions):
    """The slices of the updates of a scatter, and the index vectors with their start indices."""

    @property
    def are_contiguous(self) -> bool:
        """Whether the elements of a slice are contiguous in memory, in row-major order."""
        return minor_to_major(self.op.updates[0])[: len(self.window)] == tuple(reversed(self.window_dims))

    @property
    def possible_starts(self) -> int:
        """The number of index vectors for which a slice is inside of the operand."""
        return prod(self.last_start(d) + 1 for d in self.started)

    @property
    def is_signed(self) -> bool:
        """Whether the components of index vectors are signed."""
        return kind_of(element_type_of(self.op.scatter_indices.type)) is Kind.SIGNED

    def update_indices(self, number: Sequence[SSAValue], inside: Sequence[SSAValue]) -> Indices:
        """The indices in the updates of element `inside` of slice `number`."""
        at = dict(zip((*self.slice_dims, *self.window_dims), (*number, *inside), strict=True))
        return tuple(at[d] for d in range(len(at)))

    def index_vector(self, s: Scalars, number: Indices) -> list[Indices]:
        """The indices of the components of the index vector of slice `number`."""
        if not self.has_vectors:
            return [number]
        axis, components = self.vector_dim, [s.constant(i, IndexType()) for i in range(len(self.started))]
        return [(*number[:axis], component, *number[axis:]) for component in components]

    def starts(self, s: Scalars, components: Sequence[SSAValue]) -> list[SSAValue]:
        """The components of an index vector, cast to indices."""
        cast = arith.IndexCastOp if self.is_signed else IndexCastUIOp
        return [s(cast(component, IndexType())) for component in components]

    def is_inside(self, s: Scalars, components: Sequence[SSAValue], starts: Sequence[SSAValue]) -> SSAValue:
        """
        Whether a slice with these start indices is inside of the operand, as an i1.

        Uses unsigned comparisons: a negative number exceeds every size. A component wider than an `index` is compared
        before the cast.
        """
        compared = [
            start if width_of(component) <= NARROWEST_INDEX else component
            for component, start in zip(components, starts, strict=True)
        ]
        return s.all_of(
            [s.compare("ule", start, self.last_start(d)) for start, d in zip(compared, self.started, strict=True)]
        )

    def element(self, s: Scalars, number: Indices, inside: Indices, starts: Sequence[SSAValue]) -> Indices:
        """The indices in the operand of update `inside` of slice `number`."""
        start_of = dict(zip(self.started, starts, strict=True))
        result: list[SSAValue] = []
        for d in range(len(self.operand_shape)):
            parts = [start_of[d]] if d in start_of else []
            parts += [inside[self.window_of[d]]] if d in self.window_of else []
            parts += [number[self.batch_of[d]]] if d in self.batch_of else []
            sum = parts[0] if parts else s.constant(0, IndexType())
            for part in parts[1:]:
                sum = s(arith.AddiOp(part, sum))
            result.append(sum)
        return tuple(result)
