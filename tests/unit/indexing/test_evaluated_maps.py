"""
The maps of lookups, reductions and products agree with evaluating the operation: the elements that they name, combined
by hand, are what the interpreter gives. The maps to the result are the same relation, read the other way.
"""

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from indexing_strategies import points
from xdsl.dialects.builtin import DenseArrayBase, FunctionType, IntAttr, TensorType, i1, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.indexing.operations import operand_maps, result_maps
from xshardy.interpreters.stablehlo import evaluate

shapes = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple)


def arguments(*shapes: Sequence[int]) -> list[SSAValue]:
    """Parameters of these shapes."""
    return list(Block(arg_types=[TensorType(i32, shape) for shape in shapes]).args)


def numbered(value: SSAValue, start: int = 0) -> np.ndarray:
    """Distinct numbers, an iota, as the value of an operand."""
    shape = value.type.get_shape()
    return np.arange(start, start + prod(shape), dtype=np.int32).reshape(shape)


def evaluated(op: Operation, operands: Sequence[np.ndarray]) -> np.ndarray:
    """What the interpreter gives for `op`, whose operands are the parameters of a block, in order."""
    block = op.operands[0].owner
    assert isinstance(block, Block)
    block.add_ops([op, ReturnOp(op.results[0])])
    types = FunctionType.from_lists([arg.type for arg in block.args], [op.results[0].type])
    (result,) = evaluate(FuncOp("f", types, Region(block)), operands)
    return result


def ranges_of(map: IndexingMap):
    """All values of the range variables; none where the map holds nowhere."""
    if map.is_known_empty:
        return ()
    return product(*(range(v.bounds.lower, v.bounds.upper + 1) for v in map.ranges))


def check_relation(op: Operation) -> None:
    for (to_operand,), (to_result,) in zip(operand_maps(op), result_maps(op), strict=True):
        there = {(dims, to_operand.evaluate(dims, symbols)) for dims, symbols in points(to_operand)}
        back = {(to_result.evaluate(dims, symbols), dims) for dims, symbols in points(to_result)}
        assert there == back


def adder() -> Region:
    block = Block(arg_types=[TensorType(i32, [])] * 2)
    total = stablehlo.AddOp(*block.args)
    block.add_ops([total, stablehlo.ReturnOp(total.result)])
    return Region(block)


@given(shape=shapes, data=st.data())
def test_reduce(shape, data):
    dims = data.draw(st.lists(st.sampled_from(range(len(shape))), unique=True))
    x, init = arguments(shape, ())
    kept = [size for d, size in enumerate(shape) if d not in dims]
    op = stablehlo.ReduceOp([x], [init], dims, adder(), [TensorType(i32, kept)])
    check_relation(op)
    (map,), (of_init,) = operand_maps(op)
    array = numbered(x)
    result = evaluated(op, [array, np.array(7, np.int32)])
    for index in np.ndindex(*kept):
        assert of_init.evaluate(index) == ()
        assert result[index] == 7 + sum(array[map.evaluate(index, symbols)] for symbols in ranges_of(map))


windows = st.builds(
    WindowDimension,
    size=st.integers(1, 3),
    stride=st.integers(1, 2),
    base_dilation=st.integers(1, 2),
    window_dilation=st.integers(1, 2),
    low=st.integers(-1, 2),
    high=st.integers(-1, 2),
)


@given(shape=shapes, data=st.data())
def test_reduce_window(shape, data):
    window = [data.draw(windows) for _ in shape]
    x, init = arguments(shape, ())
    target = [dimension.positions(size) for dimension, size in zip(window, shape, strict=True)]
    op = stablehlo.ReduceWindowOp([x], [init], window, adder(), [TensorType(i32, target)])
    check_relation(op)
    (map,), _ = operand_maps(op)
    array = numbered(x, 1)
    result = evaluated(op, [array, np.array(7, np.int32)])
    for index in np.ndindex(*target):
        read = [array[map.evaluate(index, symbols)] for symbols in ranges_of(map) if map.holds(index, symbols)]
        assert result[index] == 7 + sum(read)


def check_product(op: Operation) -> None:
    """The sum over the points of the first map, of the products of what both maps read there."""
    check_relation(op)
    (left,), (right,) = operand_maps(op)
    arrays = [numbered(value, 1) for value in op.operands]
    result = evaluated(op, arrays)
    for index in np.ndindex(*result.shape):
        assert result[index] == sum(
            arrays[0][left.evaluate(index, symbols)] * arrays[1][right.evaluate(index, symbols)]
            for symbols in ranges_of(left)
            if left.holds(index, symbols)
        )


@given(
    batch=st.lists(st.integers(1, 3), max_size=2),
    summed=st.lists(st.integers(1, 3), max_size=2),
    free=st.tuples(st.lists(st.integers(1, 3), max_size=2), st.lists(st.integers(1, 3), max_size=2)),
    rng=st.randoms(use_true_random=False),
)
def test_dot(batch, summed, free, rng):
    """Batching, contracting and free dimensions in any order, differently on both sides."""
    sides, numbers = [], []
    for sizes in free:
        whole = [*batch, *summed, *sizes]
        places = rng.sample(range(len(whole)), len(whole))
        shape = [0] * len(whole)
        for place, size in zip(places, whole, strict=True):
            shape[place] = size
        sides.append(shape)
        numbers.append((places[: len(batch)], places[len(batch) : len(batch) + len(summed)]))
    x, y = arguments(*sides)
    left = [size for d, size in enumerate(sides[0]) if d not in (*numbers[0][0], *numbers[0][1])]
    right = [size for d, size in enumerate(sides[1]) if d not in (*numbers[1][0], *numbers[1][1])]
    dims = stablehlo.DotDimensionNumbersAttr(
        *map(integers, (numbers[0][0], numbers[1][0], numbers[0][1], numbers[1][1]))
    )
    check_product(stablehlo.DotGeneralOp(x, y, dims, TensorType(i32, [*batch, *left, *right])))


@given(
    spatial=st.lists(st.integers(1, 4), max_size=2),
    data=st.data(),
    groups=st.sampled_from([(1, 1), (2, 1), (1, 2)]),
    rng=st.randoms(use_true_random=False),
)
def test_convolution(spatial, data, groups, rng):
    """Dimensions in any order, on each side."""
    features, batches = groups
    window = [data.draw(windows) for _ in spatial]
    sizes = {
        "lhs": [batches * 2, features * 2, *spatial],
        "rhs": [2, features * batches * 2, *(dimension.size for dimension in window)],
        "result": [2, features * batches * 2, *(w.positions(size) for w, size in zip(window, spatial, strict=True))],
    }
    places = {name: rng.sample(range(len(spatial) + 2), len(spatial) + 2) for name in sizes}
    layouts = {}
    for name, places_of in places.items():
        layouts[name] = [0] * len(places_of)
        for place, size in zip(places_of, sizes[name], strict=True):
            layouts[name][place] = size
    x, y = arguments(layouts["lhs"], layouts["rhs"])
    roles = [(*places[name][:2], places[name][2:]) for name in ("lhs", "rhs", "result")]
    numbers = stablehlo.ConvDimensionNumbersAttr.new(
        [part for first, second, rest in roles for part in (IntAttr(first), IntAttr(second), integers(rest))]
    )
    op = stablehlo.ConvolutionOp(x, y, numbers, TensorType(i32, layouts["result"]), window, features, batches)
    if rng.random() < 0.5 and spatial:
        op.properties["window_reversal"] = DenseArrayBase.from_list(i1, [rng.randint(0, 1) for _ in spatial])
    check_product(op)


def clamped(start: int, size: int, part: int) -> int:
    return min(max(start, 0), size - part)


@given(shape=shapes, data=st.data())
def test_dynamic_slice(shape, data):
    sizes = [data.draw(st.integers(1, size)) for size in shape]
    starts = [data.draw(st.integers(-2, 4)) for _ in shape]
    x, *scalars = arguments(shape, *[()] * len(shape))
    op = stablehlo.DynamicSliceOp(x, scalars, sizes)
    check_relation(op)
    map = operand_maps(op)[0][0]
    runtime = [clamped(*triple) for triple in zip(starts, shape, sizes, strict=True)]
    array = numbered(x)
    result = evaluated(op, [array, *(np.array(start, np.int32) for start in starts)])
    assert all(map.holds(index, runtime) for index in np.ndindex(*sizes))
    assert all(result[index] == array[map.evaluate(index, runtime)] for index in np.ndindex(*sizes))


@given(shape=shapes, data=st.data())
def test_dynamic_update_slice(shape, data):
    sizes = [data.draw(st.integers(1, size)) for size in shape]
    starts = [data.draw(st.integers(-2, 4)) for _ in shape]
    x, update, *scalars = arguments(shape, sizes, *[()] * len(shape))
    op = stablehlo.DynamicUpdateSliceOp(x, update, scalars)
    check_relation(op)
    (of_operand,), (of_update,), *_ = operand_maps(op)
    runtime = [clamped(*triple) for triple in zip(starts, shape, sizes, strict=True)]
    array, new = numbered(x), numbered(update, 1000)
    result = evaluated(op, [array, new, *(np.array(start, np.int32) for start in starts)])
    for index in np.ndindex(*shape):
        if of_update.holds(index, runtime):
            assert result[index] == new[of_update.evaluate(index, runtime)]
        else:
            assert result[index] == array[of_operand.evaluate(index)]


@given(
    shape=shapes, batch=st.lists(st.integers(1, 3), max_size=2), data=st.data(), rng=st.randoms(use_true_random=False)
)
def test_gather(shape, batch, data, rng):
    """Of any form: with collapsed and batching dimensions, and the vectors along any dimension, or along none."""
    batching = (
        [d for d in range(len(shape)) if data.draw(st.booleans())][: len(batch)] if data.draw(st.booleans()) else []
    )
    index_batching = rng.sample(range(len(batch)), len(batching))
    for d, place in zip(batching, index_batching, strict=True):
        batch[place] = shape[d]
    others = [d for d in range(len(shape)) if d not in batching]
    components = rng.sample(others, rng.randint(0, len(others)))
    vector_dim = rng.randint(0, len(batch))
    indices_shape = [*batch[:vector_dim], len(components), *batch[vector_dim:]]
    if len(components) == 1 and rng.random() < 0.5:
        vector_dim, indices_shape = len(batch), batch
    sizes = [1 if d in batching else rng.randint(1, size) for d, size in enumerate(shape)]
    collapsed = [d for d in others if sizes[d] == 1 and rng.random() < 0.5]
    kept = [size for d, size in enumerate(sizes) if d not in (*collapsed, *batching)]
    rank = len(kept) + len(batch)
    offset_dims = sorted(rng.sample(range(rank), len(kept)))
    sources = {True: iter(kept), False: iter(batch)}
    target = [next(sources[d in offset_dims]) for d in range(rank)]
    x, indices = arguments(shape, indices_shape)
    numbers = stablehlo.GatherDimensionNumbersAttr(
        integers(offset_dims),
        integers(collapsed),
        integers(batching),
        integers([place + (place >= vector_dim and len(indices_shape) > len(batch)) for place in index_batching]),
        integers(components),
        IntAttr(vector_dim),
    )
    op = stablehlo.GatherOp(x, indices, numbers, sizes, TensorType(i32, target))
    check_relation(op)
    (map,), (of_indices,) = operand_maps(op)
    array = numbered(x)
    vectors = np.array([rng.randint(-2, 4) for _ in range(prod(indices_shape))], np.int32).reshape(indices_shape)
    result = evaluated(op, [array, vectors])
    for index in np.ndindex(*target):
        read = [int(vectors[of_indices.evaluate(index, symbols)]) for symbols in ranges_of(of_indices)]
        runtime = [clamped(start, shape[d], sizes[d]) for start, d in zip(read, components, strict=False)]
        assert map.holds(index, runtime)
        assert result[index] == array[map.evaluate(index, runtime)]


@given(shape=shapes)
def test_map(shape):
    x, y = arguments(shape, shape)
    op = stablehlo.MapOp([x, y], range(len(shape)), adder(), TensorType(i32, shape))
    check_relation(op)
    (left,), (right,) = operand_maps(op)
    arrays = [numbered(x), numbered(y, 100)]
    result = evaluated(op, arrays)
    for index in np.ndindex(*shape):
        assert result[index] == arrays[0][left.evaluate(index)] + arrays[1][right.evaluate(index)]
