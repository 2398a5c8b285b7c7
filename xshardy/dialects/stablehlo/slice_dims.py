"""How the dimensions of a tensor, of index vectors into it, and of its slices correspond, in a gather or scatter."""

from collections.abc import Mapping
from typing import NamedTuple


class SliceDims(NamedTuple):
    """
    The dimension numbers of a gather, or under their other names of a scatter.

    The tensor is what is gathered from or scattered into; its slices are the result of a gather, or the updates.
    """

    offset: tuple[int, ...]
    """The dimensions of the slices that are inside of a slice."""
    collapsed: tuple[int, ...]
    """The dimensions of the tensor along which slices have one element, and that they lack."""
    batching: tuple[int, ...]
    """The dimensions of the tensor that dimensions of the indices walk, and that slices lack."""
    index_batching: tuple[int, ...]
    """For each of `batching`, the dimension of the indices."""
    started: tuple[int, ...]
    """For each component of an index vector, the dimension of the tensor that it moves along."""
    index_vector: int
    """The dimension of the indices along which a vector lies; their rank for vectors of one component."""

    @property
    def absent(self) -> tuple[int, ...]:
        """The dimensions of the tensor that slices lack."""
        return self.collapsed + self.batching

    def offset_of(self, rank: int) -> Mapping[int, int]:
        """For each dimension of the tensor, of this rank, that a slice has, that of the slices."""
        kept = (dim for dim in range(rank) if dim not in self.absent)
        return dict(zip(kept, self.offset, strict=True))

    def batch_dims(self, rank: int) -> tuple[int, ...]:
        """The dimensions that number the slices, a tensor of this rank: those of the indices without the vectors'."""
        return tuple(dim for dim in range(rank) if dim not in self.offset)

    @property
    def batch_of(self) -> Mapping[int, int]:
        """For each batching dimension of the tensor, which one of `batch_dims` walks it."""
        return {
            dim: index - (index > self.index_vector)
            for dim, index in zip(self.batching, self.index_batching, strict=True)
        }

    def places(self, rank: int) -> list[int]:
        """For each dimension of the slices, a tensor of this rank, its place if those inside of a slice come last."""
        ordered = (*self.batch_dims(rank), *self.offset)
        return [ordered.index(dim) for dim in range(rank)]
