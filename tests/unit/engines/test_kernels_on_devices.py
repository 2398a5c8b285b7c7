"""Launch plans executed on all devices of a mesh: control flow with collectives, and what must be found."""

import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException

import xshardy
from xshardy.engines.kernels import Kernels
from xshardy.launch.buffer_assignment import Slice
from xshardy.launch.cpu_machine import CpuMachine
from xshardy.launch.launch_plan import KernelStep
from xshardy.launch.parallel_execution import WrongStepError
from xshardy.numerics.element_types import Array

MLP = """
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w0: tensor<16x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                %w1: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.dot %x, %w0 : (tensor<8x16xf32>, tensor<16x12xf32>) -> tensor<8x12xf32>
  %1 = stablehlo.tanh %0 : tensor<8x12xf32>
  %2 = stablehlo.dot %1, %w1 : (tensor<8x12xf32>, tensor<12x16xf32>) -> tensor<8x16xf32>
  %3 = stablehlo.exponential %2 : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}
"""

LOOP = """
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<3xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<3xf32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %limit = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %first, %sum = %zeros) : tensor<i32>, tensor<3xf32>
  cond {
    %more = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %tanh = stablehlo.tanh %x : tensor<8x3xf32>
    %rows = stablehlo.reduce(%tanh init: %zero) applies stablehlo.add across dimensions = [0]
      : (tensor<8x3xf32>, tensor<f32>) -> tensor<3xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %sums = stablehlo.add %sum, %rows : tensor<3xf32>
    stablehlo.return %next, %sums : tensor<i32>, tensor<3xf32>
  }
  return %0#1, %0#0 : tensor<3xf32>, tensor<i32>
}
"""


@pytest.mark.parametrize("mesh", [{}, {"data": 1, "model": 4}, {"data": 3, "model": 5}])
@pytest.mark.parametrize("level", ["xla_gpu", "vectorized", "ptx"])
def test_parts_of_any_size_agree_with_one_device(mesh: dict[str, int], level: str):
    run = xshardy.run(MLP, on=Kernels(level=level, check=True), mesh=mesh, check=True)
    assert run.agrees and run.program.devices == np.prod(list((mesh or {"data": 2, "model": 2}).values()))


def test_devices_meet_in_each_iteration_of_a_loop():
    x = np.random.default_rng(0).standard_normal((8, 3), np.float32)
    sums, count = xshardy.run(LOOP, [x], on="kernels").results
    np.testing.assert_allclose(sums, 5 * np.tanh(x).sum(0), rtol=1e-5, atol=1e-5)
    assert count == 5


def test_a_wrong_kernel_is_found_on_its_device(monkeypatch: pytest.MonkeyPatch):
    """The kernel of the last operation, whose result is no operand of a collective, is wrong on device 2."""
    kernel = CpuMachine.kernel
    machines: list[CpuMachine] = []

    def wrong(machine: CpuMachine, step: KernelStep) -> None:
        kernel(machine, step)
        if machine not in machines:
            machines.append(machine)
        if len(machines) == 3 and machine is machines[2] and step.number:
            _flip(machine, step.results[0].slice)

    monkeypatch.setattr(CpuMachine, "kernel", wrong)
    with pytest.raises(WrongStepError, match=r"device 2: step \d, fusion"):
        xshardy.run(MLP, on=Kernels(check=True))


def _flip(machine: CpuMachine, place: Slice) -> None:
    data: Array = machine.read(place)
    data[3] ^= 0x40  # the exponent of the first float
    machine.write(place, data)


UNKNOWN_CALL = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mystery(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""

INFEED = """
func.func @main() -> tensor<4xf32> {
  %token = stablehlo.create_token : !stablehlo.token
  %0:2 = "stablehlo.infeed"(%token) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return %0#0 : tensor<4xf32>
}
"""


@pytest.mark.filterwarnings("ignore:custom call @mystery")
@pytest.mark.parametrize(
    ("text", "message"), [(UNKNOWN_CALL, "step 0, custom_call: .*'mystery' is not a function"), (INFEED, "infeed")]
)
def test_what_cannot_be_executed_is_refused(text: str, message: str):
    with pytest.raises(DiagnosticException, match=message):
        xshardy.run(text, on="kernels")
