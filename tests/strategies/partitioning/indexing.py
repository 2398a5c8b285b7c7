"""Operations at positions that are known at run time only: inside of the tensor, and outside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from xdsl.ir import Operation

from partitioning.combining import COMBINERS, WIDER
from partitioning.movement import listed
from partitioning.samples import Draw, Sample, Sampler, array, extents, full_extents, program, tensor
from partitioning.samples import shapes as any_shapes
from xshardy.dialects import stablehlo
from xshardy.numerics.element_types import Array

INDICES = st.sampled_from(["i32", "ui32", "i64", "i8", "i4", "ui4"])
"""Types of 4 bits have no index into the second half of most tensors."""


def indices(draw: Draw, shape: Sequence[int], element: str, limit: int) -> Array:
    """Indices into a dimension of `limit` elements, some of them out of bounds."""
    return array(draw, shape, element, -2, limit + 1)


def starts(draw: Draw, shape: Sequence[int]) -> list[tuple[Array | None, str]]:
    """A start in each dimension, as arguments or as constants."""
    element, constant = draw(INDICES), draw(st.integers(0, 3)) == 0
    found: list[tuple[Array | None, str]] = []
    for size in shape:
        value = indices(draw, [], element, size)
        found.append((None, f"dense<{value}> : {tensor([], element)}") if constant else (value, tensor([], element)))
    return found


def dynamic_slice(draw: Draw) -> Sample:
    shape = draw(any_shapes())
    sizes = [size if draw(st.booleans()) else draw(st.integers(0, size)) for size in shape]
    return program(
        "stablehlo.dynamic_slice",
        [(array(draw, shape, "i32"), tensor(shape, "i32")), *starts(draw, shape)],
        [tensor(sizes, "i32")],
        properties=f"slice_sizes = {listed(sizes)}",
    )


def dynamic_update_slice(draw: Draw) -> Sample:
    shape = draw(any_shapes())
    sizes = [size if draw(st.booleans()) else draw(st.integers(0, size)) for size in shape]
    type = tensor(shape, "i32")
    given = [(array(draw, shape, "i32"), type), (array(draw, sizes, "i32"), tensor(sizes, "i32"))]
    return program("stablehlo.dynamic_update_slice", [*given, *starts(draw, shape)], [type])


@dataclass(frozen=True)
class Windows:
    """The parts of an operand that indices choose: batching dimensions in front, then indexed ones, then others."""

    batching: list[int]
    indexed: list[int]
    shape: list[int]
    """Of the operand."""
    dropped: list[int]
    """The indexed dimensions that parts do not have."""
    sizes: list[int]
    """Of a part, by dimension of the operand."""
    count: list[int]
    """The dimensions of the indices that are not batching ones."""

    @property
    def kept(self) -> list[int]:
        """The dimensions of the operand that parts have."""
        return [dim for dim in range(len(self.batching), len(self.shape)) if dim not in self.dropped]

    @property
    def of_indices(self) -> list[int]:
        return [*self.batching, *self.count, len(self.indexed)]

    @property
    def vector_dim(self) -> int:
        return len(self.batching) + len(self.count)


def windows(draw: Draw) -> Windows:
    batching = draw(st.lists(full_extents, min_size=0, max_size=1))
    indexed = draw(st.lists(full_extents, min_size=0 if batching else 1, max_size=2))
    others = draw(st.lists(full_extents, min_size=0, max_size=1))
    dropped = [draw(st.booleans()) for _ in indexed]
    sizes = [1] * len(batching)
    sizes += [1 if drop else draw(st.integers(1, size)) for size, drop in zip(indexed, dropped, strict=True)]
    sizes += [size if draw(st.booleans()) else draw(st.integers(1, size)) for size in others]
    count = draw(st.lists(extents, min_size=0, max_size=1))
    dims = [len(batching) + dim for dim, drop in enumerate(dropped) if drop]
    return Windows(batching, indexed, [*batching, *indexed, *others], dims, sizes, count)


def gather(draw: Draw) -> Sample:
    parts = windows(draw)
    batches, shape, kept, of_indices = len(parts.batching), parts.shape, parts.kept, parts.of_indices
    element = draw(INDICES)
    order = draw(st.permutations(range(len(parts.indexed))))
    slices_first = not batches and draw(st.booleans())
    offsets = [place if slices_first else parts.vector_dim + place for place in range(len(kept))]
    of_slices, of_batch = [parts.sizes[dim] for dim in kept], [*parts.batching, *parts.count]
    result = [*of_slices, *of_batch] if slices_first else [*of_batch, *of_slices]
    numbers = f"""#stablehlo.gather<offset_dims = {offsets}, collapsed_slice_dims = {parts.dropped},
        operand_batching_dims = {[*range(batches)]}, start_indices_batching_dims = {[*range(batches)]},
        start_index_map = {[batches + dim for dim in order]}, index_vector_dim = {parts.vector_dim}>"""
    found = indices(draw, of_indices, element, max(parts.indexed, default=1))
    return program(
        "stablehlo.gather",
        [(array(draw, shape, "i32"), tensor(shape, "i32")), (found, tensor(of_indices, element))],
        [tensor(result, "i32")],
        properties=f"dimension_numbers = {numbers}, slice_sizes = {listed(parts.sizes)}, indices_are_sorted = false",
    )


def scatter(draw: Draw) -> Sample:
    """As gathers. Updates of an element are combined in any order, by commutative combiners, some in a wider type."""
    parts = windows(draw)
    batches, shape, kept, of_indices = len(parts.batching), parts.shape, parts.kept, parts.of_indices
    index, (element, combiner) = draw(INDICES), draw(COMBINERS)
    result = element if draw(st.integers(0, 3)) else WIDER.get(element, element)
    updates = [*parts.batching, *parts.count, *(parts.sizes[dim] for dim in kept)]
    order = draw(st.permutations(range(len(parts.indexed))))
    numbers = f"""#stablehlo.scatter<update_window_dims = {[parts.vector_dim + place for place in range(len(kept))]},
        inserted_window_dims = {parts.dropped}, input_batching_dims = {[*range(batches)]},
        scatter_indices_batching_dims = {[*range(batches)]},
        scatter_dims_to_operand_dims = {[batches + dim for dim in order]}, index_vector_dim = {parts.vector_dim}>"""
    found = indices(draw, of_indices, index, max(parts.indexed, default=1))
    inputs = draw(st.integers(1, 2)) if combiner == "add" else 1
    x, u = tensor(shape, element), tensor(updates, element)
    properties = f"scatter_dimension_numbers = {numbers}, indices_are_sorted = false, unique_indices = false"
    given = [(array(draw, shape, element), x) for _ in range(inputs)]
    given.append((found, tensor(of_indices, index)))
    given += [(array(draw, updates, element), u) for _ in range(inputs)]
    scalars = ", ".join(f"%a{i}: tensor<{result}>" for i in range(2 * inputs))
    sums = "\n".join(f"%s{i} = stablehlo.{combiner} %a{i}, %a{inputs + i} : tensor<{result}>" for i in range(inputs))
    returned = ", ".join(f"%s{i}" for i in range(inputs))
    region = f"""({{
      ^bb0({scalars}):
        {sums}
        stablehlo.return {returned} : {", ".join([f"tensor<{result}>"] * inputs)}
    }})"""
    return program("stablehlo.scatter", given, [tensor(shape, result)] * inputs, properties=properties, regions=region)


def torch_index_select(draw: Draw) -> Sample:
    shape = draw(any_shapes(1, 3, full_extents))
    batches = draw(st.integers(0, 1)) if len(shape) > 1 else 0
    dim = draw(st.integers(batches, len(shape) - 1))
    of_index = [*shape[:batches], *draw(st.lists(extents, min_size=0 if batches else 1, max_size=1))]
    result = [*shape[:dim], *of_index[batches:], *shape[dim + 1 :]]
    found = indices(draw, of_index, "i32", shape[dim])
    return program(
        "stablehlo.torch_index_select",
        [(array(draw, shape, "i32"), tensor(shape, "i32")), (found, tensor(of_index, "i32"))],
        [tensor(result, "i32")],
        properties=f"dim = {dim} : i64, batch_dims = {batches} : i64",
    )


SAMPLERS: Mapping[type[Operation], Sampler] = {
    stablehlo.DynamicSliceOp: dynamic_slice,
    stablehlo.DynamicUpdateSliceOp: dynamic_update_slice,
    stablehlo.GatherOp: gather,
    stablehlo.ScatterOp: scatter,
    stablehlo.TorchIndexSelectOp: torch_index_select,
}
