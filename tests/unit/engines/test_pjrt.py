"""Programs executed by XLA on virtual CPUs, in one process and in two."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerType

import xshardy
from xshardy.dialects import stablehlo
from xshardy.dialects.discardable import verify
from xshardy.dialects.stablehlo.building import element_type
from xshardy.engines.pjrt import engine, worker
from xshardy.engines.pjrt.devices import devices_of
from xshardy.engines.pjrt.executable import load
from xshardy.engines.pjrt.extremes import extremes_as_integers
from xshardy.engines.pjrt.flat_mesh import on_flat_mesh
from xshardy.engines.simulated import Simulated
from xshardy.interpreters.check import Comparison
from xshardy.programs import jax_functions
from xshardy.programs.errors import EngineError
from xshardy.rewriting.walk import operations_of
from xshardy.syntax import print_module

pytestmark = pytest.mark.processes

EVERYTHING = """
sdy.mesh @mesh = <["data"=2, "model"=2], device_ids=[3, 1, 2, 0]>
func.func @main(%x: tensor<4x6xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>, jax.buffer_donor = true},
                %w: tensor<6x4xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                %s: tensor<f64>, %b: tensor<4x4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"model", "data"}, {}]>},
                %n: tensor<4xi4> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}, %e: tensor<0x4xf32>)
    -> (tensor<4x4xf64>, tensor<f64>, tensor<4x4xbf16>, tensor<4xi4>, tensor<0x4xf32>) {
  %0 = stablehlo.dot %x, %w : (tensor<4x6xf64>, tensor<6x4xf64>) -> tensor<4x4xf64>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f64>) -> tensor<4x4xf64>
  %2 = stablehlo.add %0, %1 : tensor<4x4xf64>
  %c = stablehlo.constant dense<0.0> : tensor<f64>
  %3 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<4x4xf64>, tensor<f64>) -> tensor<f64>
  %4 = stablehlo.transpose %b, dims = [1, 0] : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %2, %3, %4, %n, %e : tensor<4x4xf64>, tensor<f64>, tensor<4x4xbf16>, tensor<4xi4>, tensor<0x4xf32>
}
"""
"""Types of all sizes, scalars, an empty tensor, and a mesh with an order of its own."""

REFUSED = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @nobody_has_this(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.mark.parametrize("processes", [1, 2])
def test_results_are_those_of_one_device(processes: int):
    run = xshardy.run(EVERYTHING, on="pjrt", processes=processes, check=True, time_out=200)
    assert run.agrees and run.comparisons is not None
    assert all(isinstance(comparison, Comparison) for comparison in run.comparisons)
    assert not np.array_equal(run.results[0], np.zeros((4, 4)))


LAPACK = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<4x3x3xf32> {
  %0:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%a) {
    mhlo.backend_config = {high = 3 : i32, low = 1 : i32},
    operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>],
    result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>],
    sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i])
      {i=4, j=3, k=3, l=3, m=3, n=2}, custom>
  } : (tensor<4x3x3xf32>) -> (tensor<4x3x3xf32>, tensor<4x2xf32>, tensor<4xi32>)
  return %0#0 : tensor<4x3x3xf32>
}
"""


def test_calls_of_lapack_run_on_batches():
    """As JAX writes them. jaxlib's kernels crash in a process that has not set them up."""
    run = xshardy.run(LAPACK, on="pjrt", check=True, time_out=200)
    assert run.agrees and run.program.results[0].axes == (("x",), (), ())


ROW_OF_A_SLICE = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%t: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %i: tensor<1xi32>,
                %r: tensor<3xf32>) -> tensor<8x3xf32> {
  %0 = sdy.sharding_constraint %t <@mesh, [{"x"}, {}]> : tensor<8x3xf32>
  %1 = "stablehlo.scatter"(%0, %i, %r) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x3xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}
"""


@pytest.mark.parametrize("row", [0, 5])
def test_a_row_is_updated_on_the_device_that_slices_its_part_from_the_whole(row: int):
    table = np.arange(24, dtype=np.float32).reshape(8, 3)
    arguments = [table, np.array([row], np.int32), np.full(3, -1, np.float32)]
    run = xshardy.run(ROW_OF_A_SLICE, arguments, on="pjrt", check=True, time_out=200)
    assert run.agrees and [*np.argwhere(run.results[0] != table)[:, 0]] == [row] * 3


UNUSED = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %whole: tensor<1xf32>, %parts: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_arguments_may_be_unused():
    """XLA drops unused operands of a manual computation, and would then want such an argument whole on each device."""
    assert xshardy.run(UNUSED, on="pjrt", check=True, time_out=200).agrees


def test_main_is_a_manual_computation_over_a_flat_mesh():
    module = on_flat_mesh(xshardy.partition(EVERYTHING))
    verify(module)
    text = print_module(module)
    assert 'sdy.mesh @all_devices = <["device"=4]>' in text and "device_ids=" not in text
    assert text.count("jax.buffer_donor = true") == 1


EXTREMES = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<9x4xTYPE> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<9xTYPE>, tensor<9xTYPE>, tensor<9x4xTYPE>) {
  %low = stablehlo.constant dense<LOW> : tensor<TYPE>
  %high = stablehlo.constant dense<HIGH> : tensor<TYPE>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1]
    : (tensor<9x4xTYPE>, tensor<TYPE>) -> tensor<9xTYPE>
  %1 = stablehlo.reduce(%x init: %high) applies stablehlo.minimum across dimensions = [1]
    : (tensor<9x4xTYPE>, tensor<TYPE>) -> tensor<9xTYPE>
  %2 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{}, {"x"}]>]
      manual_axes={"x"} (%y: tensor<9x2xTYPE>) {
    %3 = "stablehlo.reduce_scatter"(%y) <{scatter_dimension = 1 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<TYPE>, %b: tensor<TYPE>):
      %4 = stablehlo.maximum %a, %b : tensor<TYPE>
      stablehlo.return %4 : tensor<TYPE>
    }) : (tensor<9x2xTYPE>) -> tensor<9x1xTYPE>
    %5 = stablehlo.concatenate %3, %3, dim = 1 : (tensor<9x1xTYPE>, tensor<9x1xTYPE>) -> tensor<9x2xTYPE>
    sdy.return %5 : tensor<9x2xTYPE>
  } : (tensor<9x4xTYPE>) -> tensor<9x4xTYPE>
  return %0, %1, %2 : tensor<9xTYPE>, tensor<9xTYPE>, tensor<9x4xTYPE>
}
"""
WITH_NAN = np.array([-np.inf, -2, -0.0, 0, 0.5, 3, np.inf, np.nan, -np.nan], np.float32)


def extremes(type: str, low: str, high: str) -> str:
    return EXTREMES.replace("TYPE", type).replace("LOW", low).replace("HIGH", high)


@pytest.mark.parametrize(
    ("type", "dtype", "low", "high"),
    [
        ("f16", np.float16, "0xFC00", "0x7C00"),
        ("bf16", ml_dtypes.bfloat16, "0xFF80", "0x7F80"),
        ("f32", np.float32, "0xFF800000", "0x7F800000"),
        ("f64", np.float64, "0xFFF0000000000000", "0x7FF0000000000000"),
    ],
)
def test_extremes_over_devices_are_those_of_integers(type: str, dtype: type[Any], low: str, high: str):
    """For every pair of numbers, one on each device."""
    program = xshardy.partition(extremes(type, low, high))
    changed = replace(program, module=program.module.clone())
    extremes_as_integers(changed.module)
    collectives = [*operations_of(changed.module, stablehlo.AllReduceOp, stablehlo.ReduceScatterOp)]
    assert len(collectives) == 3
    assert all(isinstance(element_type(op.computation.block.args[0]), IntegerType) for op in collectives)
    for shift in range(len(WITH_NAN)):
        x = np.repeat(np.stack([WITH_NAN, np.roll(WITH_NAN, shift)], 1), 2, axis=1).astype(dtype)
        of_devices = [[x[:, :2]], [x[:, 2:]]]
        expected = Simulated().execute(program, of_devices)
        for ours, right in zip(Simulated().execute(changed, of_devices), expected, strict=True):
            for one, other in zip(ours, right, strict=True):
                np.testing.assert_array_equal(one.astype(np.float64), other.astype(np.float64))


def test_a_nan_of_one_device_is_not_lost():
    """XLA's collectives on the CPU lose it: `jax.jit` gives the largest of the other numbers, or an infinity."""
    x = np.arange(36, dtype=np.float32).reshape(9, 4)
    x[2, 3], x[5], x[7, 0] = np.nan, np.nan, np.nan
    run = xshardy.run(extremes("f32", "0xFF800000", "0x7F800000"), arguments=[x], on="pjrt", check=True, time_out=200)
    assert run.agrees
    np.testing.assert_array_equal(run.results[0], x.max(1))
    np.testing.assert_array_equal(run.results[1], x.min(1))


def test_an_operation_that_xla_refuses_is_one_diagnostic():
    with pytest.raises(EngineError, match=r"(?s)XLA refuses the program: .*nobody_has_this"):
        xshardy.run(REFUSED, on="pjrt", time_out=200)


def test_a_callback_into_python_starts_no_process(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine, "run_together", lambda *_, **__: pytest.fail("a process was started"))
    program = xshardy.partition(REFUSED.replace("nobody_has_this", "xla_ffi_python_cpu_callback"))
    with pytest.raises(EngineError, match=r"custom_call @xla_ffi_python_cpu_callback: a Python callback"):
        engine.PJRT().execute(program, [[], []])


def test_the_reason_for_a_refusal_has_at_most_four_lines():
    """XLA writes the whole module after some messages, with empty lines between."""

    def refuse(*_: Any) -> None:
        raise RuntimeError("INVALID_ARGUMENT: no\n\nfirst\nsecond\n\nthird\nthe module\n")

    cpu = SimpleNamespace(id=0, client=SimpleNamespace(compile_and_load=refuse))
    with pytest.raises(EngineError) as caught:
        load("", [cpu])
    assert str(caught.value) == "XLA refuses the program: INVALID_ARGUMENT: no\nfirst\nsecond\nthird"


@pytest.mark.parametrize(("platform", "of_processes"), [("cuda", [[0, 1], [2, 3]]), ("cpu", [None, None])])
def test_each_process_has_gpus_of_its_own(
    platform: str, of_processes: list[list[int] | None], monkeypatch: pytest.MonkeyPatch
):
    """Processes on one machine see all its GPUs, but each its own virtual CPUs."""
    given: list[list[int] | None] = []

    def join(*_: Any, local_device_ids: Sequence[int] | None, **__: Any) -> Any:
        given.append(None if local_device_ids is None else [*local_device_ids])
        raise EngineError("nobody is there")

    monkeypatch.setattr(worker, "join", join)
    for process in range(2):
        with pytest.raises(EngineError, match="nobody is there"):
            worker.run_job(worker.Job("", 4, 2, platform, "127.0.0.1:8476"), process, [])
    assert given == of_processes


def test_processes_must_divide_the_devices():
    with pytest.raises(EngineError, match="2 devices cannot be divided among 3 processes"):
        xshardy.run(REFUSED, on="pjrt", processes=3)


def test_the_extra_is_named_without_jax(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jax_functions, "find_spec", lambda name: None)  # pyright: ignore
    with pytest.raises(EngineError, match=r"pip install 'xshardy\[jax\]'"):
        xshardy.run(REFUSED, on="pjrt")


def jax_with(processes: Sequence[int]) -> Any:
    """A JAX whose devices belong to these processes."""
    found = [SimpleNamespace(process_index=process, platform="cpu") for process in processes]
    return SimpleNamespace(devices=lambda: found)


def test_the_first_devices_of_all_processes_run_a_program():
    jax = jax_with([0, 0, 1, 1])
    assert devices_of(jax, 3) == jax.devices()[:3]
    with pytest.raises(EngineError, match=r"processes \[1\] would have none"):
        devices_of(jax, 2)
    with pytest.raises(EngineError, match="needs 5 devices, but JAX has 4 devices of platform cpu"):
        devices_of(jax, 5)
    with pytest.raises(EngineError, match="JAX has 1 device of platform"):
        devices_of(jax_with([0]), 2)
