"""Operations whose shape is an operand equal those whose shape is an attribute."""

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import InterpretationError

from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module

X = np.arange(24, dtype=np.float32).reshape(4, 6)
GATHER = "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"


def run(dynamic: str, operands: dict[str, Array], result: str) -> Array:
    """The result of one operation, whose type here has no known sizes."""
    types = {name: f"tensor<{'x'.join(map(str, (*x.shape, NAMES[x.dtype.name])))}>" for name, x in operands.items()}
    arguments = ", ".join(f"%{name}: {type}" for name, type in types.items())
    text = f"""func.func @main({arguments}) -> {result} {{
      %0 = {dynamic} : ({", ".join(types.values())}) -> {result}
      return %0 : {result}
    }}"""
    (found,) = evaluate(parse_module(text), [*operands.values()])
    return found


NAMES = {"float32": "f32", "int32": "i32", "int64": "i64"}


def sizes(*values: int) -> Array:
    return np.array(values, np.int64)


def dims(*values: int) -> Array:
    return np.array(values, np.int32)


def test_reshape():
    found = run("stablehlo.dynamic_reshape %x, %s", {"x": X, "s": dims(3, 8)}, "tensor<?x8xf32>")
    np.testing.assert_array_equal(found, X.reshape(3, 8))


def test_broadcast_in_dim():
    dynamic = "stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [2, 0]"
    found = run(dynamic, {"x": X[:, :1], "s": dims(3, 2, 4)}, "tensor<?x?x4xf32>")
    np.testing.assert_array_equal(found, np.broadcast_to(X[:, 0], (3, 2, 4)))


def test_iota():
    found = run("stablehlo.dynamic_iota %s, dim = 1", {"s": dims(2, 3)}, "tensor<?x?xf32>")
    np.testing.assert_array_equal(found, [[0, 1, 2], [0, 1, 2]])


def test_pad():
    operands = {"x": X, "v": np.array(-1, np.float32), "l": sizes(1, -2), "h": sizes(0, 1), "i": sizes(1, 0)}
    found = run("stablehlo.dynamic_pad %x, %v, %l, %h, %i", operands, "tensor<?x?xf32>")
    wanted = np.full((8, 5), -1, np.float32)
    wanted[1::2, :4] = X[:, 2:]
    np.testing.assert_array_equal(found, wanted)


def test_slice():
    operands = {"x": X, "s": sizes(0, 1), "l": sizes(4, 6), "t": sizes(2, 3)}
    found = run("stablehlo.real_dynamic_slice %x, %s, %l, %t", operands, "tensor<?x?xf32>")
    np.testing.assert_array_equal(found, X[::2, 1::3])


@pytest.mark.parametrize(("start", "limit", "stride"), [(0, 7, 1), (-1, 2, 1), (3, 2, 1), (0, 2, 0)])
def test_a_slice_that_is_not_within_the_operand_is_refused(start: int, limit: int, stride: int):
    operands = {"x": X, "s": sizes(0, start), "l": sizes(4, limit), "t": sizes(1, stride)}
    with pytest.raises(InterpretationError, match=f"dimension 1 of size 6: no slice {start}:{limit}:{stride}"):
        run("stablehlo.real_dynamic_slice %x, %s, %l, %t", operands, "tensor<?x?xf32>")


def test_gather():
    dynamic = f'"stablehlo.dynamic_gather"(%x, %i, %s) <{{dimension_numbers = #stablehlo.gather<{GATHER}>}}>'
    found = run(dynamic, {"x": X, "i": sizes(3, 0)[:, None], "s": sizes(1, 6)}, "tensor<2x6xf32>")
    np.testing.assert_array_equal(found, X[[3, 0]])


@pytest.mark.parametrize("padding", [(0, 0), (1, 2)])
def test_convolution(padding: Sequence[int]):
    dynamic = (
        '"stablehlo.dynamic_conv"(%x, %k, %p) <{batch_group_count = 1 : i64, feature_group_count = 1 : i64, '
        "dimension_numbers = #stablehlo.conv<[b, f, 0]x[i, o, 0]->[b, f, 0]>}>"
    )
    operands = {"x": X[:2, None, :], "k": X[:1, None, :3], "p": np.array([padding], np.int64)}
    found = run(dynamic, operands, "tensor<2x1x?xf32>")
    wanted = [np.correlate(np.pad(row, padding), X[0, :3], "valid") for row in X[:2]]
    np.testing.assert_allclose(found[:, 0], wanted)


def test_set_dimension_size():
    found = run("stablehlo.set_dimension_size %x, %s, dim = 1", {"x": X, "s": np.array(2, np.int32)}, BOUNDED)
    np.testing.assert_array_equal(found, X[:, :2])


def test_a_size_beyond_the_bound():
    with pytest.raises(InterpretationError, match="the size 7 is not between 0 and 6"):
        run("stablehlo.set_dimension_size %x, %s, dim = 1", {"x": X, "s": np.array(7, np.int32)}, BOUNDED)


BOUNDED = "tensor<4x?xf32, #stablehlo.bounds<?, 6>>"


@pytest.mark.parametrize(
    ("operation", "sizes", "reason"),
    [
        ("dynamic_reshape %x, %s", [2, 3], r"an operand of shape \(4,\) has no reshape to \(2, 3\)"),
        ("dynamic_reshape %x, %s", [-2, -2], r"an operand of shape \(4,\) has no reshape to \(-2, -2\)"),
        ("dynamic_broadcast_in_dim %x, %s, dims = [1]", [2, 3], r"does not fit \(2, 3\) along \[1\]"),
    ],
)
def test_a_shape_that_does_not_fit_is_refused(operation: str, sizes: Sequence[int], reason: str):
    module = parse_module(f"""func.func @main(%x: tensor<4xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {{
      %0 = stablehlo.{operation} : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }}""")
    with pytest.raises(InterpretationError, match=reason):
        evaluate(module, [np.zeros(4, np.float32), np.array(sizes, np.int32)])


V6 = "tensor<?xf32, #stablehlo.bounds<6>>"


def run_on_sizes(operation: str, sizes: Sequence[int], result: str = V6) -> Array:
    """An operation on `%a` and `%b`, the first `sizes` of 6 elements, and on `%x`, all of them."""
    module = parse_module(f"""func.func @main(%x: tensor<6xf32>, %n: tensor<i32>, %m: tensor<i32>) -> {result} {{
      %a = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<6xf32>, tensor<i32>) -> {V6}
      %b = stablehlo.set_dimension_size %x, %m, dim = 0 : (tensor<6xf32>, tensor<i32>) -> {V6}
      %0 = {operation}
      return %0 : {result}
    }}""")
    (found,) = evaluate(module, [X[0], *(np.array(size, np.int32) for size in sizes)])
    return found


@pytest.mark.parametrize("size", [0, 1, 4])
def test_a_static_operand_is_cut_to_the_size_in_use(size: int):
    found = run_on_sizes(f"stablehlo.add %a, %x : ({V6}, tensor<6xf32>) -> {V6}", [size, size])
    np.testing.assert_array_equal(found, 2 * X[0, :size])


@pytest.mark.parametrize(
    "operation",
    [
        f"stablehlo.add %a, %b : {V6}",
        f"stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : ({V6}, {V6}) -> tensor<f32>",
    ],
)
def test_different_sizes_in_use_are_refused(operation: str):
    """Also a size of 1, whose element numpy would repeat."""
    result = "tensor<f32>" if "dot" in operation else V6
    with pytest.raises(InterpretationError, match="its operands have different sizes in use: 1, 4"):
        run_on_sizes(operation, [1, 4], result)


def test_a_broadcast_to_an_unknown_size_is_refused():
    result = V6.replace("f32", "i32")
    with pytest.raises(InterpretationError, match="nothing says of which size dimension 0 of the result is"):
        run_on_sizes(f"stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> {result}", [1, 1], result)


CALLS = """HloModule m
ENTRY e {
  x = f32[6] parameter(0)
  n = s32[] parameter(1)
  d = f32[<=6] custom-call(x, n), custom_call_target="SliceToDynamic"
  p = (f32[6], s32[]) custom-call(d), custom_call_target="PadToStatic"
  whole = f32[6] get-tuple-element(p), index=0
  size = s32[] get-tuple-element(p), index=1
  ROOT r = (f32[6], s32[]) tuple(whole, size)
}
"""


@pytest.mark.parametrize("size", [0, 2, 6])
def test_calls_of_xla_at_the_borders_of_dynamic_tensors(size: int):
    whole, found = evaluate(parse_hlo(CALLS), [X[1], np.array(size, np.int32)])
    np.testing.assert_array_equal(whole, [*X[1, :size], *[0] * (6 - size)])
    assert found == size


@pytest.mark.parametrize("size", [-1, 7])
def test_a_slice_to_dynamic_beyond_its_operand(size: int):
    with pytest.raises(InterpretationError, match=rf"shape \(6,\) has no part of shape \({size},\) at its beginning"):
        evaluate(parse_hlo(CALLS), [X[1], np.array(size, np.int32)])


def test_drawn_sizes_of_calls_are_within_bounds():
    (entry,) = (op for op in parse_hlo(CALLS).ops if isinstance(op, FuncOp))
    assert {int(inputs_of(entry, seed)[1]) for seed in range(50)} == set(range(7))
