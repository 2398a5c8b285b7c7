"""Runs on the simulated mesh, compared with the program on one device; what is wrong must be found."""

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec

import xshardy
from xshardy.engines.engine import engine_named
from xshardy.engines.simulated import Simulated
from xshardy.interpreters.check import Comparison
from xshardy.numerics.element_types import Array
from xshardy.programs.errors import EngineError
from xshardy.programs.partitioned import PartitionedProgram
from xshardy.transforms.failures import OperationWarning

MLP = """
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                %w1: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.dot %x, %w0 : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.tanh %0 : tensor<8x32xf32>
  %2 = stablehlo.dot %1, %w1 : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}
"""


@dataclass(frozen=True)
class Broken:
    """An engine that returns a wrong part on one device."""

    device: int

    def execute(self, program: PartitionedProgram, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        results = Simulated().execute(program, arguments)
        part = results[self.device][0]
        results[self.device][0] = part + part.dtype.type(1)
        return results


def test_results_are_whole_tensors():
    rng = np.random.default_rng(0)
    x, w0, w1 = (rng.standard_normal(shape, np.float32) for shape in ((8, 16), (16, 32), (32, 16)))
    run = xshardy.run(MLP, [x, w0, w1])
    np.testing.assert_allclose(run.results[0], np.tanh(x @ w0) @ w1, rtol=1e-4, atol=1e-5)
    assert run.comparisons is None and run.agrees


@pytest.mark.parametrize("mesh", [{}, {"data": 1, "model": 16}])
def test_seeded_runs_agree_with_one_device(mesh: dict[str, int]):
    run = xshardy.run(MLP, mesh=mesh, check=True, seed=3)
    assert run.agrees and run.comparisons and run.difference is None
    assert np.isfinite(run.results[0]).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_loss_is_a_number_to_compare(seed: int):
    """JAX reads NaN at indices out of bounds, and the mean of the scores of all labels would be NaN."""

    def loss(scores: jax.Array, labels: jax.Array) -> jax.Array:
        read = jnp.take_along_axis(jax.nn.log_softmax(scores), labels[:, None], axis=1)
        return -jnp.mean(read)

    rows = NamedSharding(AbstractMesh((4,), ("data",), axis_types=(AxisType.Auto,)), PartitionSpec("data"))
    types = [
        jax.ShapeDtypeStruct(shape, dtype, sharding=rows)
        for shape, dtype in (((64, 32), jnp.float32), ((64,), jnp.int32))
    ]
    run = xshardy.run(jax.jit(loss).trace(*types).lower(lowering_platforms=("cpu",)), check=True, seed=seed)
    assert run.agrees and np.isfinite(run.results[0])


@pytest.mark.parametrize("device", range(8))
def test_a_wrong_part_of_any_device_is_found(device: int):
    run = xshardy.run(MLP, on=Broken(device), check=True)
    assert not run.agrees and isinstance(run.comparisons, list)
    comparison = run.comparisons[0]
    assert isinstance(comparison, Comparison) and comparison.wrong == 64  # a part is half of the tensor
    assert run.is_fault_of_engine


def test_a_wrong_program_is_no_fault_of_the_engine(monkeypatch: pytest.MonkeyPatch):
    execute = Simulated.execute

    def wrong(self: Simulated, program: PartitionedProgram, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        return [[-part for part in of_device] for of_device in execute(self, program, arguments)]

    monkeypatch.setattr(Simulated, "execute", wrong)
    run = xshardy.run(MLP, on=Broken(0), check=True)
    assert not run.agrees and not run.is_fault_of_engine


BF16_DOT = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<3x16xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %b: tensor<16x12xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<3x12xbf16> {
  %0 = stablehlo.dot %a, %b : (tensor<3x16xbf16>, tensor<16x12xbf16>) -> tensor<3x12xbf16>
  return %0 : tensor<3x12xbf16>
}
"""


def test_partial_sums_may_round_to_the_type_of_the_result():
    """Where partial sums cancel each other, the sum is many units in its last place away; an error is still found."""
    run = xshardy.run(BF16_DOT, check=True, seed=1)
    assert run.agrees and run.comparisons and isinstance(run.comparisons[0], Comparison)
    assert run.comparisons[0].max_ulp > 16
    assert not xshardy.run(BF16_DOT, on=Broken(1), check=True, seed=1).agrees


RING = """
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> tensor<4x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {"x"}]>]
      manual_axes={"x"} (%p: tensor<4x4xf32>) {
    %1 = stablehlo.tanh %p {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<4x4xf32>
    %2 = "stablehlo.collective_permute"(%1) <{
      source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>
    }> : (tensor<4x4xf32>) -> tensor<4x4xf32>
    sdy.return %2 : tensor<4x4xf32>
  } : (tensor<4x4xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
"""


def test_a_collective_across_automatic_axes_gets_whole_tensors():
    """Devices 0 and 1 have different parts along y, so exchanging these would mix them up."""
    with pytest.warns(OperationWarning, match="is sharded along axes that are not manual"):
        run = xshardy.run(RING, check=True)
    assert run.agrees


@pytest.mark.parametrize(
    ("shapes", "message"),
    [([(8, 16)], "3 arguments, but got 1"), ([(8, 16), (16, 32), (3, 3)], r"argument 2 is a tensor<32x16xf32>")],
)
def test_arguments_must_fit(shapes: list[tuple[int, ...]], message: str):
    with pytest.raises(EngineError, match=message):
        xshardy.run(MLP, [np.zeros(shape, np.float32) for shape in shapes])


@pytest.mark.parametrize("engine", ["simulated", "kernels"])
@pytest.mark.parametrize("row", range(6))
def test_a_row_that_one_device_has_is_spread_from_there(row: int, engine: str):
    text = f"""
    sdy.mesh @mesh = <["a"=3, "b"=2]>
    func.func @main(%x: tensor<6x3xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"a", "b"}}, {{?}}]>}})
        -> tensor<4x3xf32> {{
      %0 = stablehlo.slice %x [{row}:{row + 1}, 0:3] : (tensor<6x3xf32>) -> tensor<1x3xf32>
      %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<4x3xf32>
      return %1 : tensor<4x3xf32>
    }}
    """
    x = np.arange(18, dtype=np.float32).reshape(6, 3)
    run = xshardy.run(text, [x], on=engine, check=True)
    assert run.agrees
    np.testing.assert_array_equal(run.results[0], np.tile(x[row], (4, 1)))


@pytest.mark.parametrize("engine", ["simulated", "kernels"])
def test_constants_of_arith_are_constants_as_for_xla(engine: str):
    text = """
    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
      %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %0 = stablehlo.multiply %x, %c : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    """
    run = xshardy.run(text, [np.full(4, 2, np.float32)], on=engine, check=True)
    assert run.agrees
    assert run.results[0].tolist() == [2, 4, 6, 8]
    assert run.program.results[0].slices[1][0].start == 2
    assert xshardy.plan(text).devices == 2


def test_an_unknown_engine_is_named():
    with pytest.raises(EngineError, match="no engine 'abacus': there are simulated, kernels, pjrt"):
        engine_named("abacus")


ROWS = "tensor<?x4xf32, #stablehlo.bounds<8, ?>>"
DYNAMIC = f"""
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: {ROWS} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> ({ROWS}, tensor<4xf32>) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : {ROWS}
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : ({ROWS}, tensor<f32>) -> tensor<4xf32>
  return %0, %1 : {ROWS}, tensor<4xf32>
}}
"""  # noqa: E501


@pytest.mark.parametrize("size", [0, 3, 8])
def test_a_dynamic_dimension_is_padded_and_sharded(size: int):
    """An argument and a result are of the largest size, followed by the size in use."""
    x = np.random.default_rng(size).standard_normal((8, 4), np.float32)
    run = xshardy.run(DYNAMIC, [x, np.array(size, np.int32)], check=True)
    assert run.agrees
    rows, in_use, sums = run.results
    wanted = np.where(np.arange(8)[:, None] < size, np.exp(x), 0)
    np.testing.assert_allclose(rows, wanted, rtol=1e-6)
    np.testing.assert_allclose(sums, wanted.sum(axis=0), rtol=1e-5)
    assert int(in_use) == size


def test_sizes_of_dynamic_dimensions_are_drawn_up_to_their_bounds():
    found = {int(xshardy.run(DYNAMIC, seed=seed).results[1]) for seed in range(40)}
    assert found <= set(range(9)) and len(found) > 4
