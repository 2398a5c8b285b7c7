"""The maps of scatter agree with evaluating it: the updates that they name for an element, added up by hand."""

from itertools import product
from math import prod
from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from test_evaluated_maps import adder, arguments, check_relation, evaluated, numbered
from xdsl.dialects.builtin import IntAttr

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.indexing.operations import operand_maps
from xshardy.indexing.scatters import SliceDimensions

shapes = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple)


def scatter_into(shape: tuple[int, ...], rng: Random) -> ScatterOp:
    """A scatter into a tensor of this shape: any dimensions may be batches, inserted, or started at."""
    batch = [rng.randint(1, 3) for _ in range(rng.randint(0, 2))]
    batching = [d for d in range(len(shape)) if rng.random() < 0.4][: len(batch)]
    index_batching = rng.sample(range(len(batch)), len(batching))
    for d, place in zip(batching, index_batching, strict=True):
        batch[place] = shape[d]
    others = [d for d in range(len(shape)) if d not in batching]
    components = rng.sample(others, rng.randint(0, len(others)))
    vector_dim = rng.randint(0, len(batch))
    indices_shape = [*batch[:vector_dim], len(components), *batch[vector_dim:]]
    if len(components) == 1 and rng.random() < 0.5:
        vector_dim, indices_shape = len(batch), batch
    window = {d: rng.randint(1, shape[d]) for d in others}
    inserted = [d for d in others if window[d] == 1 and rng.random() < 0.5]
    kept = [window[d] for d in others if d not in inserted]
    rank = len(kept) + len(batch)
    window_dims = sorted(rng.sample(range(rank), len(kept)))
    sources = {True: iter(kept), False: iter(batch)}
    x, indices, updates = arguments(shape, indices_shape, [next(sources[d in window_dims]) for d in range(rank)])
    numbers = stablehlo.ScatterDimensionNumbersAttr(
        integers(window_dims),
        integers(inserted),
        integers(batching),
        integers([place + (place >= vector_dim and len(indices_shape) > len(batch)) for place in index_batching]),
        integers(components),
        IntAttr(vector_dim),
    )
    return ScatterOp([x], indices, [updates], numbers, adder())


@given(shape=shapes, seed=st.integers(0, 1000))
def test_scatter(shape: tuple[int, ...], seed: int):
    rng = Random(seed)
    op = scatter_into(shape, rng)
    check_relation(op)
    (of_operand,), (of_indices,), (of_updates,) = operand_maps(op)
    slices = SliceDimensions(op)
    operand, updates = numbered(op.inputs[0]), numbered(op.updates[0], 100)
    sizes = op.scatter_indices.type.get_shape()
    vectors = np.array([rng.randint(-1, 3) for _ in range(prod(sizes))], np.int32).reshape(sizes)
    result = evaluated(op, [operand, vectors, updates])
    for index in np.ndindex(*shape):
        total = operand[of_operand.evaluate(index)]
        for number in product(*map(range, slices.shape)):
            along = [(i,) for i in range(len(slices.started))] if slices.has_vectors else [()]
            starts = [int(vectors[of_indices.evaluate(index, (*number, *component))]) for component in along]
            inside = all(0 <= start <= slices.last_start(d) for start, d in zip(starts, slices.started, strict=True))
            if inside and of_updates.holds(index, (*number, *starts)):
                total += updates[of_updates.evaluate(index, (*number, *starts))]
        assert result[index] == total
