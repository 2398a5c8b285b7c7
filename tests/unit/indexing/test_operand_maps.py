"""
The maps from the result of an operation to its operands, against numpy.

The maps from operands to the result are the same relation, read the other way.

Rows XGPU-15 and XGPU-16.
"""

from itertools import accumulate, product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from indexing_strategies import points
from xdsl.dialects.builtin import DenseArrayBase, TensorType, f32, i1, i8, i32, i64
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import SSAValue

from xshardy.dialects import chlo, hlo, stablehlo
from xshardy.indexing.operations import operand_maps, result_maps

shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple)
full_shapes = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)


def tensor(*shape: int, of=f32) -> SSAValue:
    return AnyOp(result_types=[TensorType(of, shape)]).results[0]


def numbered(shape: tuple[int, ...], start: int = 0) -> np.ndarray:
    """An array of distinct values."""
    return np.arange(start, start + prod(shape)).reshape(shape)


def gathered(map, operand: np.ndarray, shape: tuple[int, ...], symbols=()) -> np.ndarray:
    """What `map` reads from `operand` for each element of the result, and -1 where it does not read."""
    result = np.full(shape, -1)
    for index in product(*map_range(shape)):
        if map.holds(index, symbols):
            result[index] = operand[map.evaluate(index, symbols)]
    return result


def map_range(shape):
    return [range(size) for size in shape]


def only(op):
    """The map of an operation of one operand that is read once."""
    check_result_maps(op)
    ((map,),) = operand_maps(op)
    return map


def pairs(map) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """What the map relates: the indices it is at, and those it gives."""
    return {(dims, map.evaluate(dims, symbols)) for dims, symbols in points(map)}


def check_result_maps(op):
    """The maps to the result relate the same elements as those from it."""
    for (to_operand,), (to_result,) in zip(operand_maps(op), result_maps(op), strict=True):
        assert pairs(to_result) == {(source, target) for target, source in pairs(to_operand)}


@given(shape=shapes)
def test_elementwise(shape):
    x = tensor(*shape)
    for op in (stablehlo.AddOp(x, x), stablehlo.ExpOp(x), stablehlo.ConvertOp(x, TensorType(i8, shape)), chlo.ErfOp(x)):
        check_result_maps(op)
        maps = operand_maps(op)
        assert len(maps) == len(op.operands)
        for (map,) in maps:
            assert (gathered(map, numbered(shape), shape) == numbered(shape)).all()


def test_no_operands():
    iota = stablehlo.IotaOp(0, TensorType(i32, [3]))
    assert operand_maps(iota) == result_maps(iota) == ()


@given(shape=shapes, scalar=st.booleans())
def test_scalar_operands_are_read_everywhere(shape, scalar):
    x, pred, bound = tensor(*shape), tensor(*(() if scalar else shape), of=i1), tensor(*(() if scalar else shape))
    for op in (stablehlo.SelectOp(pred, x, x), stablehlo.ClampOp(bound, x, bound)):
        check_result_maps(op)
        for operand, (map,) in zip(op.operands, operand_maps(op), strict=True):
            source = numbered(tuple(operand.type.get_shape()))
            assert (gathered(map, source, shape) == np.broadcast_to(source, shape)).all()


@given(data=st.data(), result_shape=shapes)
def test_broadcast_in_dim(data, result_shape):
    dims = data.draw(
        st.permutations(range(len(result_shape))).flatmap(lambda p: st.integers(0, len(p)).map(lambda n: p[:n]))
    )
    shape = tuple(data.draw(st.sampled_from([1, result_shape[d]])) for d in dims)
    op = stablehlo.BroadcastInDimOp(tensor(*shape), dims, TensorType(f32, result_shape))
    order = np.argsort(dims)
    aligned = numbered(shape).transpose(order).reshape([
        shape[dims.index(d)] if d in dims else 1 for d in range(len(result_shape))
    ])  # fmt: skip
    assert (gathered(only(op), numbered(shape), result_shape) == np.broadcast_to(aligned, result_shape)).all()


@given(shape=shapes, data=st.data())
def test_transpose(shape, data):
    permutation = data.draw(st.permutations(range(len(shape))))
    expected = numbered(shape).transpose(permutation)
    op = stablehlo.TransposeOp(tensor(*shape), permutation)
    assert (gathered(only(op), numbered(shape), expected.shape) == expected).all()


@given(shape=shapes, data=st.data())
def test_reverse(shape, data):
    dims = data.draw(st.lists(st.sampled_from(range(len(shape))), unique=True)) if shape else []
    expected = np.flip(numbered(shape), dims) if dims else numbered(shape)
    op = stablehlo.ReverseOp(tensor(*shape), dims)
    assert (gathered(only(op), numbered(shape), shape) == expected).all()


@given(shape=full_shapes, data=st.data())
def test_slice(shape, data):
    limits = [data.draw(st.integers(0, size)) for size in shape]
    starts = [data.draw(st.integers(0, limit)) for limit in limits]
    strides = [data.draw(st.integers(1, 3)) for _ in shape]
    expected = numbered(shape)[tuple(map(slice, starts, limits, strides))]
    op = stablehlo.SliceOp(tensor(*shape), starts, limits, strides)
    assert (gathered(only(op), numbered(shape), expected.shape) == expected).all()


def padded(x: np.ndarray, low, high, interior) -> np.ndarray:
    """`x` spread out with gaps of -1, then -1 put before and behind, or cut off where negative."""
    spread = np.full([max(size + (size - 1) * gap, 0) for size, gap in zip(x.shape, interior, strict=True)], -1)
    spread[tuple(slice(None, None, gap + 1) for gap in interior)] = x
    grown = np.pad(spread, [(max(a, 0), max(b, 0)) for a, b in zip(low, high, strict=True)], constant_values=-1)
    kept = (slice(max(-a, 0), size - max(-b, 0)) for a, b, size in zip(low, high, grown.shape, strict=True))
    return grown[tuple(kept)]


@given(shape=shapes.filter(len), data=st.data())
@settings(max_examples=60)
def test_pad(shape, data):
    low, high = ([data.draw(st.integers(-2, 3)) for _ in shape] for _ in range(2))
    interior = [data.draw(st.integers(0, 2)) for _ in shape]
    spread = [size + max(size - 1, 0) * gap for size, gap in zip(shape, interior, strict=True)]
    # What is cut off in front must be there, and so for the end.
    low = [max(a, -size) for a, size in zip(low, spread, strict=True)]
    high = [max(b, -(size + a)) for a, b, size in zip(low, high, spread, strict=True)]
    expected = padded(numbered(shape), low, high, interior)
    op = stablehlo.PadOp(tensor(*shape), tensor(), low, high, interior, TensorType(f32, expected.shape))
    check_result_maps(op)
    (map,), (padding,) = operand_maps(op)
    assert (gathered(map, numbered(shape), expected.shape) == expected).all()
    assert (gathered(padding, np.array(7), expected.shape) == 7).all()


@given(shape=full_shapes, sizes=st.lists(st.integers(0, 3), min_size=1, max_size=3), data=st.data())
def test_concatenate(shape, sizes, data):
    axis = data.draw(st.integers(0, len(shape) - 1))
    parts = [(*shape[:axis], size, *shape[axis + 1 :]) for size in sizes]
    starts = [0, *accumulate(map(prod, parts))]
    arrays = [numbered(part, start) for part, start in zip(parts, starts, strict=False)]
    expected = np.concatenate(arrays, axis)
    op = stablehlo.ConcatenateOp([tensor(*part) for part in parts], axis, TensorType(f32, expected.shape))
    check_result_maps(op)
    reads = [gathered(map, array, expected.shape) for (map,), array in zip(operand_maps(op), arrays, strict=True)]
    assert (np.maximum.reduce(reads) == expected).all()
    assert all((np.sum([read >= 0 for read in reads], axis=0) == 1).flat), "each element is read from one operand"


reshaped = st.sampled_from(
    [((), (1,)), ((6,), (2, 3)), ((4, 8), (2, 4, 4)), ((4, 6), (3, 8)), ((2, 0, 3), (0, 5)), ((12, 5), (3, 5, 4))]
)


@given(pair=reshaped, swap=st.booleans())
def test_reshape(pair, swap):
    source, target = reversed(pair) if swap else pair
    op = stablehlo.ReshapeOp(tensor(*source), TensorType(f32, target))
    assert (gathered(only(op), numbered(source), target) == numbered(source).reshape(target)).all()


@given(pair=reshaped, swap=st.booleans(), data=st.data())
def test_bitcast_of_layouts(pair, swap, data):
    source, target = reversed(pair) if swap else pair
    orders = [data.draw(st.permutations(range(len(shape)))) for shape in (source, target)]
    operand = tensor(*source)
    op = hlo.BitcastOp(operand, TensorType(f32, target))
    for owner, order in zip((operand.owner, op), orders, strict=True):
        owner.attributes[hlo.LAYOUT] = DenseArrayBase.from_list(i64, order)
    # The elements as they lie in memory: dimensions from major to minor.
    in_memory = numbered(source).transpose(list(reversed(orders[0]))).reshape(-1)
    major_to_minor = list(reversed(orders[1]))
    expected = in_memory.reshape([target[d] for d in major_to_minor]).transpose(np.argsort(major_to_minor).astype(int))
    assert (gathered(only(op), numbered(source), target) == expected).all()


@given(shape=full_shapes, data=st.data())
def test_dynamic_slice(shape, data):
    sizes = [data.draw(st.integers(0, size)) for size in shape]
    starts = [data.draw(st.integers(0, size - part)) for size, part in zip(shape, sizes, strict=True)]
    op = stablehlo.DynamicSliceOp(tensor(*shape), [tensor(of=i32) for _ in shape], sizes)
    (map,), *scalars = operand_maps(op)
    expected = numbered(shape)[tuple(slice(start, start + part) for start, part in zip(starts, sizes, strict=True))]
    assert (gathered(map, numbered(shape), expected.shape, starts) == expected).all()
    assert [scalar.results for (scalar,) in scalars] == [()] * len(shape)


@given(shape=full_shapes, data=st.data())
def test_dynamic_update_slice(shape, data):
    sizes = tuple(data.draw(st.integers(0, size)) for size in shape)
    starts = [data.draw(st.integers(0, size - part)) for size, part in zip(shape, sizes, strict=True)]
    op = stablehlo.DynamicUpdateSliceOp(tensor(*shape), tensor(*sizes), [tensor(of=i32) for _ in shape])
    (identity,), (map,), *scalars = operand_maps(op)
    expected = np.full(shape, -1)
    expected[tuple(slice(a, a + part) for a, part in zip(starts, sizes, strict=True))] = numbered(sizes)
    assert (gathered(map, numbered(sizes), shape, starts) == expected).all()
    assert (gathered(identity, numbered(shape), shape) == numbered(shape)).all()
    assert [scalar.results for (scalar,) in scalars] == [()] * len(shape)


def test_bitcast_convert():
    same, wider, narrower = (
        only(stablehlo.BitcastConvertOp(tensor(*shape, of=source), TensorType(target, result)))
        for shape, source, target, result in (
            ((3,), f32, i32, (3,)),
            ((3, 4), i8, f32, (3,)),
            ((3,), f32, i8, (3, 4)),
        )
    )
    assert str(same) == "(d0) -> (d0), domain: d0 in [0, 2]"
    assert str(wider) == "(d0)[s0] -> (d0, s0), domain: d0 in [0, 2], s0 in [0, 3]"
    assert str(narrower) == "(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [0, 3]"


def test_forms():
    """What the documentation of XLA's indexing analysis shows."""
    x = tensor(4, 8)
    assert str(only(stablehlo.ReshapeOp(x, TensorType(f32, [32])))) == (
        "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"
    )
    assert str(only(stablehlo.ReshapeOp(x, TensorType(f32, [2, 4, 4])))) == (
        "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2), "
        "domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]"
    )
    pad = stablehlo.PadOp(tensor(4, 4), tensor(), [1, 4], [4, 8], [1, 0], TensorType(f32, [12, 16]))
    assert str(operand_maps(pad)[0][0]) == (
        "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4), domain: d0 in [1, 7], d1 in [4, 7], (d0 - 1) mod 2 in [0, 0]"
    )
    concatenate = stablehlo.ConcatenateOp([tensor(5), tensor(11)], 0, TensorType(f32, [16]))
    assert str(operand_maps(concatenate)[1][0]) == "(d0) -> (d0 - 5), domain: d0 in [5, 15]"


def test_an_operation_that_is_not_known():
    op = AnyOp(operands=[tensor(2)], result_types=[TensorType(f32, [2])])
    with pytest.raises(NotImplementedError, match=r"no indexing maps for test\.op"):
        operand_maps(op)
    with pytest.raises(NotImplementedError, match=r"no indexing maps for test\.op"):
        result_maps(op)


def test_a_bitcast_that_regroups_bytes():
    with pytest.raises(NotImplementedError, match="sizes differ"):
        operand_maps(hlo.BitcastOp(tensor(2), TensorType(i8, [8])))
