"""Memory of a kernel: arguments and results, shared memory, atomics, and each error with its message."""

import ml_dtypes
import numpy as np
import pytest
from kernels import kernel, run

from xshardy.interpreters.simt import SimtError, run_kernel

COPY = """
  %i = gpu.thread_id x
  %v = tensor.extract %in[%i] : tensor<4xi32>
  %r = tensor.insert %v into %out[%i] : tensor<4xi32>
  func.return %r : tensor<4xi32>"""
COPY_SIGNATURE = "(%in: tensor<4xi32>, %out: tensor<4xi32>) -> tensor<4xi32>"


# -- Arguments --------------------------------------------------------------------------------------------------------


def test_arrays_keep_their_shape_and_type():
    x = np.array([[1, 2], [3, 2**32 - 1]], np.uint32)
    (result,) = run(COPY, COPY_SIGNATURE, x, np.zeros((2, 2), np.uint32))
    assert result.dtype == np.uint32
    assert (result == x).all()


def test_outputs_that_are_left_out_are_made():
    (result,) = run(COPY, COPY_SIGNATURE, np.arange(4, dtype=np.int32))
    assert (result.dtype, result.tolist()) == (np.int32, [0, 1, 2, 3])


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(5, np.int32), r"argument 0 is a tensor<4xi32>, but the array given for it has the shape \(5,\)"),
        (np.zeros(4, np.int64), "argument 0 is a tensor<4xi32>, but the array .* has elements of type int64"),
        (
            np.zeros(4, np.float32),
            "argument 0 is a tensor<4xi32>, but the array .* has elements of type float32",
        ),
    ],
)
def test_arrays_that_do_not_fit_are_refused(array: np.ndarray, message: str):
    with pytest.raises(SimtError, match=message):
        run(COPY, COPY_SIGNATURE, array)


def test_too_many_arrays_are_refused():
    with pytest.raises(SimtError, match="@main has 2 arguments, but 3 arrays are given"):
        run(COPY, COPY_SIGNATURE, *[np.zeros(4, np.int32)] * 3)


CHOOSE = """
  %i = gpu.thread_id x
  %first = arith.constant 0 : index
  %n = tensor.extract %which[%first] : tensor<1xindex>
  %c = arith.cmpi eq, {compared}, %n : index
  %t = arith.select %c, %a, %b : tensor<4xi32>
  %v = tensor.extract %t[%i] : tensor<4xi32>
  %r = tensor.insert %v into %out[%i] : tensor<4xi32>
  func.return %r : tensor<4xi32>"""
CHOOSE_SIGNATURE = (
    "(%which: tensor<1xindex>, %a: tensor<4xi32>, %b: tensor<4xi32>, %out: tensor<4xi32>) -> tensor<4xi32>"
)


@pytest.mark.parametrize(("which", "expected"), [(0, [0, 1, 2, 3]), (1, [4, 5, 6, 7])])
def test_all_threads_choose_one_tensor(which: int, expected: list[int]):
    arrays = np.array([which]), np.arange(4, dtype=np.int32), np.arange(4, 8, dtype=np.int32)
    (result,) = run(CHOOSE.format(compared="%first"), CHOOSE_SIGNATURE, *arrays)
    assert result.tolist() == expected


def test_threads_that_choose_different_tensors_are_refused():
    arrays = np.array([0]), np.zeros(4, np.int32), np.zeros(4, np.int32)
    with pytest.raises(SimtError, match="chooses different tensors in different threads"):
        run(CHOOSE.format(compared="%i"), CHOOSE_SIGNATURE, *arrays)


def test_arguments_with_one_slice_index_are_one_buffer():
    signature = "(%in: tensor<4xi32> {xla.slice_index = 0}, %out: tensor<4xi32> {xla.slice_index = 0}) -> tensor<4xi32>"
    body = COPY.replace("tensor.insert %v", "tensor.insert %w").replace("  %r", "  %w = arith.addi %v, %v : i32\n  %r")
    (result,) = run(body, signature, np.arange(4, dtype=np.int32))
    assert result.tolist() == [0, 2, 4, 6]


def test_layout_determines_the_order_of_elements():
    """An array of the tensor's shape is indexed as the tensor is; a flat one is the memory, column after column."""
    kind = "tensor<2x2xi32, dense<[0, 1]> : tensor<2xi64>>"
    body = f"""
      %i = gpu.thread_id x
      %j = gpu.block_id x
      %v = tensor.extract %in[%i, %j] : {kind}
      %r = tensor.insert %v into %out[%i, %j] : tensor<2x2xi32>
      func.return %r : tensor<2x2xi32>"""
    module = kernel(body, f"(%in: {kind}, %out: tensor<2x2xi32>) -> tensor<2x2xi32>", (2, 1, 1), (2, 1, 1))
    x = np.array([[1, 2], [3, 4]], np.int32)
    assert run_kernel(module, [x])[0].tolist() == [[1, 2], [3, 4]]
    assert run_kernel(module, [x.reshape(-1)])[0].tolist() == [[1, 3], [2, 4]]


def test_narrow_integers_and_preds():
    body = """
      %i = gpu.thread_id x
      %v = tensor.extract %in[%i] : tensor<4xi4>
      %p = tensor.extract %pred[%i] : tensor<4xi1>
      %n = arith.extsi %v : i4 to i32
      %z = arith.constant 0 : i32
      %w = arith.select %p, %n, %z : i32
      %r = tensor.insert %w into %out[%i] : tensor<4xi32>
      func.return %r : tensor<4xi32>"""
    signature = "(%in: tensor<4xi4>, %pred: tensor<4xi1>, %out: tensor<4xi32>) -> tensor<4xi32>"
    x, pred = np.array([1, 15, 8, 7]).astype(ml_dtypes.uint4), np.array([1, 1, 1, 0], np.int8)
    assert run(body, signature, x, pred)[0].tolist() == [1, -1, -8, 0]


def test_constants_and_reshapes_are_tensors_too():
    body = """
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
      %flat = tensor.collapse_shape %table [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
      %a = tensor.extract %flat[%i] : tensor<4xf32>
      %cast = builtin.unrealized_conversion_cast %flat : tensor<4xf32> to tensor<2x2xf32>
      %b = tensor.extract %cast[%c1, %c1] : tensor<2x2xf32>
      %bits = tensor.bitcast %flat : tensor<4xf32> to tensor<4xi32>
      %c = tensor.extract %bits[%i] : tensor<4xi32>
      func.return %a, %b, %c : f32, f32, i32"""
    a, b, c = run(body, "() -> (f32, f32, i32)")
    assert a.tolist() == [[1, 2, 3, 4]]
    assert b[0, 0] == 4
    assert c.tolist() == [np.array([1, 2, 3, 4], np.float32).view(np.int32).tolist()]


def test_sizes_of_tensors_and_tensors_of_one_value():
    body = """
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = tensor.splat %x : tensor<2x3xf32>
      %a = tensor.extract %t[%c1, %c0] : tensor<2x3xf32>
      %n = tensor.dim %t, %c1 : tensor<2x3xf32>
      func.return %a, %n : f32, index"""
    a, n = run(body, "(%x: f32) -> (f32, index)", np.float32(2.5))
    assert (a[0, 0], n[0, 0]) == (2.5, 3)


def test_a_transfer_from_a_tensor_without_elements_is_padding():
    body = """
      %c0 = arith.constant 0 : index
      %z = arith.constant 1.5 : f32
      %v = vector.transfer_read %t[%c0], %z : tensor<0xf32>, vector<2xf32>
      %a = vector.extract %v[1] : f32 from vector<2xf32>
      func.return %a : f32"""
    (found,) = run(body, "(%t: tensor<0xf32>) -> f32", np.zeros(0, np.float32))
    assert found[0, 0] == 1.5


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "%a = builtin.unrealized_conversion_cast %n : tensor<4xf32> to tensor<3xf32>",
            "expected a tensor of as many elements as the operand has",
        ),
        (
            "%a = tensor.bitcast %n : tensor<4xf32> to tensor<4xi32>",
            "argument 0 has been written to: bitcast its elements as they are read",
        ),
    ],
)
def test_tensors_that_cannot_be_read_otherwise(statement: str, message: str):
    body = f"""
      %i = gpu.thread_id x
      %z = arith.constant 1.5 : f32
      %n = tensor.insert %z into %t[%i] : tensor<4xf32>
      {statement}
      func.return %n : tensor<4xf32>"""
    with pytest.raises(SimtError, match=message):
        run(body, "(%t: tensor<4xf32>) -> tensor<4xf32>")


def test_a_scalar_argument_has_a_value():
    with pytest.raises(SimtError, match="argument 0 of @main is a f32: give a value for it"):
        run("func.return %x : f32", "(%x: f32) -> f32")


def test_tensor_of_elements():
    body = """
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %t = tensor.from_elements %x, %y, %y, %z : tensor<2x2xf32>
      %r = tensor.extract %t[%c1, %i] : tensor<2x2xf32>
      func.return %r : f32"""
    numbers = [np.float32(number) for number in (1, 2, 3)]
    (result,) = run(body, "(%x: f32, %y: f32, %z: f32) -> f32", *numbers, block=(2, 1, 1))
    assert result.tolist() == [[2, 3]]


def test_tensor_of_elements_that_differ_between_threads_is_an_error():
    body = """
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %t = tensor.from_elements %c1, %i : tensor<2xindex>
      %r = tensor.extract %t[%i] : tensor<2xindex>
      func.return %r : index"""
    with pytest.raises(SimtError, match="a tensor of values that differ between threads has no place in memory"):
        run(body, "() -> index", block=(2, 1, 1))


def test_a_thread_fills_an_empty_tensor():
    body = """
      %i = gpu.thread_id x
      %e = tensor.empty() : tensor<4xindex>
      %f = tensor.insert %i into %e[%i] : tensor<4xindex>
      %r = tensor.extract %f[%i] : tensor<4xindex>
      func.return %r : index"""
    assert run(body, "() -> index")[0].ravel().tolist() == [0, 1, 2, 3]


# -- Vectors in memory ------------------------------------------------------------------------------------------------

TRANSFER = """
  %t = gpu.thread_id x
  %c2 = arith.constant 2 : index
  %i = arith.muli %t, %c2 : index
  %pad = arith.constant 9 : i32
  %v = vector.transfer_read %in[%i], %pad {in_bounds = [FLAG]} : tensor<7xi32>, vector<2xi32>
  %r = vector.transfer_write %v, %out[%i] {in_bounds = [false]} : vector<2xi32>, tensor<8xi32>
  func.return %r : tensor<8xi32>"""
TRANSFER_SIGNATURE = "(%in: tensor<7xi32>, %out: tensor<8xi32>) -> tensor<8xi32>"


def test_transfers_pad_out_of_bounds_elements():
    (result,) = run(TRANSFER.replace("FLAG", "false"), TRANSFER_SIGNATURE, np.arange(1, 8, dtype=np.int32))
    assert result.tolist() == [1, 2, 3, 4, 5, 6, 7, 9]


def test_transfer_that_promises_to_be_in_bounds_is_held_to_it():
    message = r"vector.transfer_read .*\n  index 7 is out of bounds in dimension 0 of size 7, in thread \(3, 0, 0\)"
    with pytest.raises(SimtError, match=message):
        run(TRANSFER.replace("FLAG", "true"), TRANSFER_SIGNATURE, np.arange(7, dtype=np.int32))


def test_writes_out_of_bounds_are_dropped():
    body = TRANSFER.replace("FLAG", "false").replace("tensor<8x", "tensor<7x")
    (result,) = run(body, TRANSFER_SIGNATURE.replace("8x", "7x"), np.arange(7, dtype=np.int32))
    assert result.tolist() == [0, 1, 2, 3, 4, 5, 6]


# -- Errors -----------------------------------------------------------------------------------------------------------


def test_out_of_bounds_names_op_index_and_thread():
    with pytest.raises(SimtError) as error:
        run(COPY, COPY_SIGNATURE, np.zeros(4, np.int32), block=(6, 1, 1))
    assert str(error.value) == (
        "%v = tensor.extract %in[%i] : tensor<4xi32>\n"
        "  index 4 is out of bounds in dimension 0 of size 4, in thread (4, 0, 0) of block (0, 0, 0)"
    )


def test_a_kernel_returns_its_arguments():
    body = "%s = xla_gpu.allocate_shared : tensor<4xi32>\nfunc.return %s : tensor<4xi32>"
    with pytest.raises(SimtError, match=r"@main returns .*, which is not one of its arguments"):
        run(body, "() -> tensor<4xi32>")


SAME_PLACE = """
  %i = gpu.thread_id x
  %b = gpu.block_id x
  %c0 = arith.constant 0 : index
  %r = tensor.insert %VALUE into %out[%PLACE] : tensor<4xindex>
  func.return %r : tensor<4xindex>"""
SAME_PLACE_SIGNATURE = "(%out: tensor<4xindex>) -> tensor<4xindex>"


def same_place(value: str, place: str) -> str:
    return SAME_PLACE.replace("VALUE", value).replace("PLACE", place)


def test_two_threads_that_write_different_values_to_one_element():
    with pytest.raises(SimtError) as error:
        run(same_place("i", "c0"), SAME_PLACE_SIGNATURE)
    assert str(error.value) == (
        "%r = tensor.insert %i into %out[%c0] : tensor<4xindex>\n"
        "  thread (0, 0, 0) of block (0, 0, 0) writes 0 to element 0 of argument 0, to which thread (3, 0, 0) of block "
        "(0, 0, 0) writes 3: a kernel may give an element one value only"
    )


@pytest.mark.parametrize("max_lanes", [4, 1 << 20])
def test_two_blocks_that_write_different_values_to_one_element(max_lanes: int):
    """Whether they run together or one after the other."""
    with pytest.raises(SimtError, match=r"of block \(\d, 0, 0\) writes . to element . of argument 0, to which .*"):
        run(same_place("b", "i"), SAME_PLACE_SIGNATURE, grid=(2, 1, 1), max_lanes=max_lanes)


def test_the_same_value_may_be_written_twice():
    assert run(same_place("i", "i"), SAME_PLACE_SIGNATURE, grid=(2, 1, 1))[0].tolist() == [0, 1, 2, 3]


def test_read_of_another_threads_write_is_a_race():
    body = """
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %r = tensor.insert %i into %out[%i] : tensor<4xindex>
      %v = tensor.extract %r[%c0] : tensor<4xindex>
      func.return %v : index"""
    message = (
        r"thread \(1, 0, 0\) of block \(0, 0, 0\) reads element 0 of argument 0, which thread \(0, 0, 0\) of block "
        r"\(0, 0, 0\) wrote with no barrier in between: a race"
    )
    with pytest.raises(SimtError, match=message):
        run(body, "(%out: tensor<4xindex>) -> index")


def test_read_through_a_tensor_from_before_the_write():
    """In memory there is no old tensor any more."""
    body = """
      %i = gpu.thread_id x
      %r = tensor.insert %i into %out[%i] : tensor<4xindex>
      %v = tensor.extract %out[%i] : tensor<4xindex>
      func.return %v : index"""
    with pytest.raises(SimtError, match="through a tensor from before it overwrote that element"):
        run(body, "(%out: tensor<4xindex>) -> index")
    assert run(body.replace("extract %out", "extract %r"), "(%out: tensor<4xindex>) -> index")[0].tolist() == [
        [0, 1, 2, 3]
    ]


def test_ways_that_go_on_with_different_tensors():
    body = """
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %p = arith.cmpi eq, %i, %c0 : index
      %r = scf.if %p -> (tensor<4xindex>) {
        scf.yield %a : tensor<4xindex>
      } else {
        scf.yield %b : tensor<4xindex>
      }
      func.return %r : tensor<4xindex>"""
    with pytest.raises(SimtError, match="would go on with different tensors, argument 1 and argument 0"):
        run(body, "(%a: tensor<4xindex>, %b: tensor<4xindex>) -> tensor<4xindex>")


# -- Shared memory and warps ------------------------------------------------------------------------------------------

REVERSE = """
  %i = gpu.thread_id x
  %b = gpu.block_id x
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %base = arith.muli %b, %c4 : index
  %place = arith.addi %base, %i : index
  %other = arith.subi %c3, %i : index
  %shared = xla_gpu.allocate_shared : tensor<4xindex>
  %filled = tensor.insert %place into %shared[%i] : tensor<4xindex>
  BARRIER
  %v = tensor.extract %synced[%other] : tensor<4xindex>
  %r = tensor.insert %v into %out[%place] : tensor<12xindex>
  func.return %r : tensor<12xindex>"""
REVERSE_SIGNATURE = "(%out: tensor<12xindex>) -> tensor<12xindex>"
BARRIER = "%synced = xla_gpu.sync_threads %filled : tensor<4xindex>"


@pytest.mark.parametrize("max_lanes", [4, 8, 1 << 20])
def test_each_block_has_its_own_shared_memory(max_lanes: int):
    (result,) = run(REVERSE.replace("BARRIER", BARRIER), REVERSE_SIGNATURE, grid=(3, 1, 1), max_lanes=max_lanes)
    assert result.tolist() == [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]


def test_shared_memory_needs_a_barrier():
    body = REVERSE.replace("BARRIER", "").replace("%synced", "%filled")
    with pytest.raises(SimtError, match=r"of shared memory %shared, which .* wrote with no barrier in between: a race"):
        run(body, REVERSE_SIGNATURE, grid=(3, 1, 1))


def test_barrier_that_some_threads_do_not_reach():
    body = """
      %i = gpu.thread_id x
      %c2 = arith.constant 2 : index
      %p = arith.cmpi slt, %i, %c2 : index
      scf.if %p {
        gpu.barrier
        scf.yield
      }
      func.return"""
    with pytest.raises(SimtError) as error:
        run(body, "() -> ()", grid=(2, 1, 1))
    assert str(error.value).endswith(
        "\n  thread (2, 0, 0) of block (0, 0, 0) does not reach this barrier, but other threads of its block do"
    )


def test_whole_blocks_may_skip_a_barrier():
    body = """
      %b = gpu.block_id x
      %c1 = arith.constant 1 : index
      %p = arith.cmpi eq, %b, %c1 : index
      scf.if %p {
        gpu.barrier
        scf.yield
      }
      func.return %b : index"""
    (result,) = run(body, "() -> index", block=(2, 1, 1), grid=(3, 1, 1))
    assert result.tolist() == [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("xor", [1, 0, 3, 2, 5, 4, 7, 6]),
        ("up", [0, 0, 1, 2, 4, 4, 5, 6]),
        ("down", [1, 2, 3, 3, 5, 6, 7, 7]),
        ("idx", [1, 1, 1, 1, 5, 5, 5, 5]),
    ],
)
def test_shuffles_stay_within_their_subgroup(mode: str, expected: list[int]):
    body = f"""
      %i = gpu.thread_id x
      %n = arith.index_cast %i : index to i32
      %c1 = arith.constant 1 : i32
      %c4 = arith.constant 4 : i32
      %v, %valid = gpu.shuffle {mode} %n, %c1, %c4 : i32
      func.return %v, %valid : i32, i1"""
    values, valid = run(body, "() -> (i32, i1)", block=(8, 1, 1))
    assert values.tolist() == [expected]
    assert valid[0].tolist() == [mode in ("xor", "idx") or a != b for a, b in zip(expected, range(8), strict=True)]


def test_shuffle_reduce_leaves_the_sum_of_a_warp_in_its_first_thread():
    rest = """func.func private @add(%a: f32, %i: i32, %b: f32, %j: i32) -> (f32, i32) {
      %0 = arith.addf %a, %b : f32
      %1 = arith.maxsi %i, %j : i32
      func.return %0, %1 : f32, i32
    }"""
    body = """
      %i = gpu.thread_id x
      %n = arith.index_cast %i : index to i32
      %f = arith.sitofp %n : i32 to f32
      %sum:2 = xla_gpu.shuffle_reduce(%f, %n) to 16 combiner=@add : f32, i32
      func.return %sum#0, %sum#1 : f32, i32"""
    total, largest = run(body, "() -> (f32, i32)", block=(64, 1, 1), rest=rest)
    assert total[0, [0, 32]].tolist() == [sum(range(32)), sum(range(32, 64))]
    assert largest[0, [0, 32]].tolist() == [31, 63]


HISTOGRAM = """
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %c8 = arith.constant 8 : index
  %base = arith.muli %b, %c8 : index
  %i = arith.addi %base, %t : index
  %bin = tensor.extract %bins[%i] : tensor<24xindex>
  %w = tensor.extract %weights[%i] : tensor<24xi32>
  %r = xla_gpu.atomic_rmw %out[%bin] : tensor<3xi32> {
  ^bb0(%old: i32):
    %c3 = arith.constant 3 : i32
    %scaled = arith.muli %old, %c3 : i32
    %new = arith.addi %scaled, %w : i32
    xla_gpu.yield %new : i32
  }
  func.return %r : tensor<3xi32>"""


@pytest.mark.parametrize("max_lanes", [8, 1 << 20])
def test_atomic_updates_come_in_the_order_of_the_threads(max_lanes: int):
    rng = np.random.default_rng(0)
    bins, weights = rng.integers(0, 3, 24), rng.integers(0, 9, 24).astype(np.int32)
    signature = "(%bins: tensor<24xindex>, %weights: tensor<24xi32>, %out: tensor<3xi32>) -> tensor<3xi32>"
    launch = {"block": (8, 1, 1), "grid": (3, 1, 1), "max_lanes": max_lanes}
    (result,) = run(HISTOGRAM, signature, bins, weights, np.zeros(3, np.int32), **launch)
    expected = np.zeros(3, np.int32)
    for place, weight in zip(bins, weights, strict=True):
        expected[place] = expected[place] * 3 + weight
    assert result.tolist() == expected.tolist()


def test_predicated_access():
    body = """
      %i = gpu.thread_id x
      %c2 = arith.constant 2 : index
      %c7 = arith.constant 7 : index
      %p = arith.cmpi slt, %i, %c2 : index
      %v = xla_gpu.predicated_extract %in[%i] if %p else %c7 : tensor<2xindex>
      %r = xla_gpu.predicated_insert %v into %out[%i] if %p : tensor<2xindex>
      func.return %r, %v : tensor<2xindex>, index"""
    signature = "(%in: tensor<2xindex>, %out: tensor<2xindex>) -> (tensor<2xindex>, index)"
    out, values = run(body, signature, np.array([5, 6]))
    assert out.tolist() == [5, 6]
    assert values.tolist() == [[5, 6, 7, 7]]
