"""Checks while a plan is executed: what they find, where they say it is, and in which order steps run."""

from collections.abc import Sequence

import numpy as np
import pytest
from module_programs import FUSIONS, LOOP, PROGRAMS
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.hlo import FusionOp
from xshardy.hlo_text import parse_hlo
from xshardy.launch.buffer_assignment import Slice
from xshardy.launch.checked_run import ModuleRuns, planned
from xshardy.launch.computations import computation_of
from xshardy.launch.cpu_machine import CpuMachine, cpu_machines
from xshardy.launch.execution import Execution
from xshardy.launch.kernel_levels import ALL_LEVELS
from xshardy.launch.launch_plan import ConditionalStep, KernelStep, LaunchStep, LibraryStep
from xshardy.launch.parallel_execution import WrongStepError, execute_on_devices
from xshardy.numerics.element_types import Array


class Counting(CpuMachine):
    """Remembers the kernels that it has launched, and the copies."""

    def __init__(self):
        super().__init__("xla_gpu", "sm_90")
        self.launched = list[str]()

    def kernel(self, step: KernelStep) -> None:
        super().kernel(step)
        self.launched.append(step.name)

    def copy(self, source: Slice, target: Slice) -> None:
        super().copy(source, target)
        self.launched.append("copy")


def test_an_overwritten_value_that_a_loop_carries_is_found():
    """Where it is read first, before anything else runs."""
    module = parse_hlo(LOOP)
    plan, machine = planned(module, "sm_90"), Counting()

    def overwrite(step: LaunchStep) -> None:
        if step.kind == "memset":
            machine.write(step.results[0].slice, np.array([1, 0, 0, 0], np.uint8))

    execution = Execution(plan, machine, checks=True, finished=overwrite)
    execution.run(ModuleRuns(module, plan).arguments[0])
    assert str(execution.wrong).startswith("step 4, go, operand state: 1 of its 4 bytes were overwritten before")
    assert machine.launched == ["y", "copy", "go"]


def test_an_overwritten_selector_is_found():
    module = parse_hlo(PROGRAMS["branches"])
    plan, machine = planned(module, "sm_90"), Counting()
    (choice,) = (step for step in plan.steps if isinstance(step, ConditionalStep) and step.name == "z")

    def overwrite(step: LaunchStep) -> None:
        if step.name == "y":
            machine.write(choice.selector.slice, np.full(choice.selector.slice.size, 77, np.uint8))

    execution = Execution(plan, machine, checks=True, finished=overwrite)
    execution.run(ModuleRuns(module, plan).arguments[0])
    assert "z, operand index: 4 of its 4 bytes were overwritten before" in str(execution.wrong)


def test_nothing_runs_after_a_wrong_step_of_a_body():
    module = parse_hlo(LOOP)
    plan, machine = planned(module, "sm_90"), Counting()

    def overwrite(step: LaunchStep) -> None:
        if step.kind == "copy" and "go" in machine.launched:
            place = step.results[0].slice
            machine.write(place, np.full(place.size, 1, np.uint8))

    execution = Execution(plan, machine, checks=True, finished=overwrite)
    execution.run(ModuleRuns(module, plan).arguments[0])
    assert execution.wrong is not None and machine.launched.count("go") == 1


def test_an_overwritten_predicate_is_found():
    module = parse_hlo(LOOP)
    plan, machine = planned(module, "sm_90"), Counting()

    def overwrite(step: LaunchStep) -> None:
        if step.name == "go":
            machine.write(step.results[0].slice, np.full(1, 7, np.uint8))

    execution = Execution(plan, machine, checks=True, finished=overwrite)
    execution.run(ModuleRuns(module, plan).arguments[0])
    assert str(execution.wrong).startswith("step 3, loop, operand go: 1 of its 1 bytes")


def test_the_operands_of_copies_are_checked():
    text = "HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] copy(x)\n}\n"
    module = parse_hlo(text)
    plan = planned(module, "sm_90")

    class Overwriting(CpuMachine):
        def write(self, place: Slice, data: Array) -> None:
            super().write(place, data ^ 1)

    execution = Execution(plan, Overwriting("xla_gpu", "sm_90"), checks=True)
    execution.run(ModuleRuns(module, plan).arguments[0])
    assert execution.wrong is not None and execution.wrong.what == "operand x"


TWO_DEVICES = f"""HloModule m, num_partitions=2
{FUSIONS}
ENTRY main {{
  x = f32[300] parameter(0)
  i = u32[] partition-id()
  y = f32[300] fusion(x), kind=kLoop, calls=negate
  ROOT r = (u32[], f32[300]) tuple(i, y)
}}
"""


def runs_on_two_devices() -> ModuleRuns:
    module: ModuleOp = parse_hlo(TWO_DEVICES)
    return ModuleRuns(module, planned(module, "sm_90"))


def test_every_result_of_every_device_is_compared_with_its_own():
    runs = runs_on_two_devices()
    results = runs.run(cpu_machines(runs.plan.assignment, 2, "xla_gpu", "sm_90"), checks=True)
    assert [of_device[0].item() for of_device in results] == [0, 1]
    assert all(runs.compare(index, results) for index in (0, 1))
    results[1][0] = results[0][0]
    assert not runs.compare(0, results)


class Wrong(CpuMachine):
    """Kernels leave what was in the memory of their results."""

    def kernel(self, step: KernelStep) -> None:
        pass


@pytest.mark.parametrize("wrong", [0, 1])
def test_an_error_names_the_device(wrong: int):
    runs = runs_on_two_devices()
    machines: Sequence[CpuMachine] = cpu_machines(runs.plan.assignment, 2, "xla_gpu", "sm_90")
    machines = [Wrong("xla_gpu", "sm_90") if device == wrong else each for device, each in enumerate(machines)]
    with pytest.raises(WrongStepError, match=rf"^device {wrong}: step \d+, y, result y: "):
        runs.run(machines, checks=True)


def test_an_error_on_one_device_names_none():
    module = parse_hlo(
        f"HloModule m\n{FUSIONS}ENTRY main {{\n  x = f32[300] parameter(0)\n"
        "  ROOT y = f32[300] fusion(x), kind=kLoop, calls=negate\n}\n"
    )
    with pytest.raises(WrongStepError, match=r"^step \d+, y, result y: "):
        ModuleRuns(module, planned(module, "sm_90")).run([Wrong("xla_gpu", "sm_90")], checks=True)


@pytest.mark.parametrize(
    ("late", "expected"), [(False, ["a", "r", "b"]), (True, ["a", "b", "r"]), (None, ["a", "r", "b"])]
)
def test_what_is_started_runs_at_once_unless_it_is_late(late: bool | None, expected: list[str]):
    module = parse_hlo(PROGRAMS["asynchronous"])
    plan, machine = planned(module, "sm_90"), Counting()
    runs = ModuleRuns(module, plan)
    options = {} if late is None else {"late": late}
    execute_on_devices(plan, [machine], runs.arguments, runs.grid, checks=True, **options)
    assert [name for name in machine.launched if name in expected][:3] == expected


UNDEFINED = """HloModule m
subtract {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] subtract(x, y)
}
inner {
  x = f32[300] parameter(0)
  z = f32[] constant(0)
  n = f32[300] negate(x)
  r = f32[] reduce(x, z), dimensions={0}, to_apply=subtract
  ROOT t = (f32[], f32[300]) tuple(r, n)
}
ENTRY main {
  x = f32[300] parameter(0)
  ROOT y = (f32[], f32[300]) fusion(x), kind=kInput, calls=inner
}
"""
"""HLO does not say in which order the first result is computed."""


def test_what_hlo_leaves_open_is_not_compared():
    module = parse_hlo(UNDEFINED)
    plan = planned(module, "sm_90")
    runs = ModuleRuns(module, plan)
    results = runs.run([CpuMachine("xla_gpu", "sm_90")], checks=True)
    assert "the reducer is not associative" in str(runs.compare(0, results))
    assert runs.compare(1, results)
    with pytest.raises(WrongStepError, match=r"result y\{1\}"):
        runs.run([Wrong("xla_gpu", "sm_90")], checks=True)


@pytest.mark.parametrize("level", ALL_LEVELS)
def test_kernels_run_at_every_level(level: str):
    module = parse_hlo(PROGRAMS["loop"])
    plan = planned(module, "sm_90")
    runs = ModuleRuns(module, plan)
    results = runs.run([CpuMachine(level, "sm_90")], checks=True)
    for index in range(len(results[0])):
        assert (comparison := runs.compare(index, results)), str(comparison)


def test_a_kernel_is_compared_with_its_own_computation():
    plan = planned(parse_hlo(LOOP), "sm_90")
    kernels = [step for step in plan.all_steps() if isinstance(step, KernelStep)]
    for step in kernels:
        assert isinstance(step.op, FusionOp) and computation_of(step) is step.op.callee_function()


def test_the_computation_of_a_library_call_holds_all_that_reads_its_arguments():
    plan = planned(parse_hlo(PROGRAMS["library"]), "sm_90")
    for step in (step for step in plan.all_steps() if isinstance(step, LibraryStep)):
        function = computation_of(step)
        assert {use.operation.parent for argument in function.args for use in argument.uses} <= {function.body.block}
