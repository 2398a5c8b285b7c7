"""
The plugin of pytest: `pytest --xshardy-plan` fails a test if a function that JAX compiles there for several devices
sends or holds more than the plan recorded beside the test; `pytest --xshardy-plan-update` records plans.

Every test starts with empty caches of JAX, so that what it compiles does not depend on the tests before it.

The fixture `ptx_check` executes kernels on the CPU, and fails a test if one has a race or another fault.
"""

import json
import os
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from xshardy.planning.plan import Plan
    from xshardy.ptx.machine import Argument, Options
    from xshardy.tools.placed_faults import PlacedFaults

# What plans is imported in tests that compile something: every run of pytest imports this module.

FILE = "xshardy_plans.json"
"""By test and function, what a device sends and holds: `{"test_m.py::test_f": {"step": {"sent": 8, "peak": 9}}}`."""
MEASURED = "xshardy-plan"
"""The property of the report of a test that has its figures: with pytest-xdist, another process writes the file."""

Figures = Mapping[str, Mapping[str, int]]
"""By function, the bytes `sent`, and those held at the `peak`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("xshardy")
    group.addoption(
        "--xshardy-plan",
        action="store_true",
        help="fail a test if a function that JAX compiles there for several devices sends or holds more on a device "
        f"than {FILE} beside it says",
    )
    group.addoption("--xshardy-plan-update", action="store_true", help=f"write {FILE} for the tests that pass")


def pytest_configure(config: pytest.Config) -> None:
    """Compare plans, or record them, if an option says so."""
    if config.getoption("xshardy_plan") or config.getoption("xshardy_plan_update"):
        config.pluginmanager.register(RecordedPlans(config), "xshardy-plan")


def place_of(nodeid: str, root: Path) -> tuple[Path, str]:
    """The file of recorded plans for the test `nodeid`, and the name of the test there."""
    path, _, name = nodeid.partition("::")
    return root / Path(path).parent / FILE, f"{Path(path).name}::{name}"


def read_recorded(file: Path) -> dict[str, Figures]:
    """The figures in `file` by test; none if it is missing."""
    return json.loads(file.read_text()) if file.exists() else {}


class RecordedPlans:
    """The hooks of a run of pytest that compares plans or records them."""

    def __init__(self, config: pytest.Config):
        self._root = config.rootpath
        self._updates = bool(config.getoption("xshardy_plan_update"))
        self._is_worker = hasattr(config, "workerinput")
        self._measured: dict[Path, dict[str, Figures]] = defaultdict(dict)
        self._unrecorded = 0
        self._folder = TemporaryDirectory(prefix="xshardy-plan-")
        self._variables = {"JAX_DUMP_IR_TO": self._folder.name, "JAX_DUMP_IR_MODES": "stablehlo"}
        """JAX reads them when it is imported, and writes there what it compiles."""
        self._before = {name: os.environ.get(name) for name in self._variables}
        os.environ.update(self._variables)
        self._configure_jax(self._folder.name)

    def pytest_unconfigure(self) -> None:
        """Leave JAX and the environment as they were."""
        self._configure_jax("")
        for name, value in self._before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
        self._folder.cleanup()

    def _configure_jax(self, folder: str) -> None:
        if (jax := sys.modules.get("jax")) is not None:
            jax.config.update("jax_dump_ir_to", folder)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a test, and compare the plans of what it compiles."""
        for dump in Path(self._folder.name).iterdir():
            dump.unlink()
        if (jax := sys.modules.get("jax")) is not None:
            jax.clear_caches()
        result = yield
        if any(Path(self._folder.name).iterdir()):
            self._compare(item)
        elif self._updates:
            item.user_properties.append((MEASURED, {}))
        return result

    def _compare(self, item: pytest.Item) -> None:
        plans = dict(self._plans(item))
        measured = {name: {"sent": plan.bytes, "peak": plan.peak_bytes} for name, plan in plans.items()}
        item.user_properties.append((MEASURED, measured))
        if self._updates:
            return
        file, test = place_of(item.nodeid, self._root)
        recorded = read_recorded(file).get(test, {})
        known = [name for name in plans if name in recorded]
        if lines := [line for name in known for line in excess(name, plans[name], recorded[name])]:
            lines.append(f"if this is meant: pytest --xshardy-plan-update {item.nodeid}")
            pytest.fail("\n".join(lines), pytrace=False)

    def _plans(self, item: pytest.Item) -> Iterator[tuple[str, "Plan"]]:
        """The plans of what the test compiled, by function; a warning for one that cannot be planned."""
        from xshardy.api import plan
        from xshardy.tools.diagnostics import describe
        from xshardy.tools.tracing.script import compiled_in

        for function in compiled_in(Path(self._folder.name)):
            try:
                yield function.name, plan(function.source)
            except Exception as error:
                item.warn(pytest.PytestWarning(f"{function.name} has no plan: {describe(error, item.nodeid)}"))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the figures of a test that passed, in this process or in another one."""
        measured = cast(Figures | None, dict(report.user_properties).get(MEASURED))
        if report.when != "call" or not report.passed or measured is None:
            return
        file, test = place_of(report.nodeid, self._root)
        if self._updates:
            self._measured[file][test] = measured
        else:
            self._unrecorded += len(measured.keys() - read_recorded(file).get(test, {}).keys())

    def pytest_sessionfinish(self) -> None:
        """Write the figures of the tests that passed; those of others stay."""
        if self._is_worker:
            return
        for file, measured in self._measured.items():
            before = read_recorded(file)
            after = {test: figures for test, figures in sorted((before | measured).items()) if figures}
            if after != before:
                file.write_text(json.dumps(after, indent=2) + "\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what has no recorded plan."""
        if self._unrecorded:
            terminalreporter.write_line(
                f"xshardy: {self._unrecorded} compiled functions have no recorded plan: --xshardy-plan-update writes it"
            )


class PtxCheck:
    """Executes kernels by the PTX machine, and fails the test with the report of each fault."""

    def __call__(
        self,
        file: str | Path,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence["Argument"] = (),
        options: "Options | None" = None,
        *,
        entry: str | None = None,
        target: str | None = None,
        schedules: int = 1,
    ) -> None:
        """
        Check a kernel in a file of PTX or CUDA C++: `entry`, or the only one. Arrays are changed as it changes them.

        `options` and `schedules` are those of `xshardy.ptx.Machine.check`; CUDA C++ is compiled for `target`.
        """
        from xshardy.ptx import Machine
        from xshardy.tools.placed_faults import placed_faults
        from xshardy.tools.ptx_source import read_kernel

        source = read_kernel(str(file), target)
        machine = Machine(source.ptx, source.entry(entry))
        faults = machine.check(grid, block, arguments, options, schedules=schedules)
        self._fail_for(placed_faults(faults, source))

    @contextmanager
    def triton(self, target: str = "sm_90", options: "Options | None" = None, *, schedules: int = 1) -> Generator[None]:
        """
        Within the context, kernels that Triton launches are compiled for `target`, executed on their tensors, which are
        on the CPU, and checked.
        """
        from xshardy.ptx import Options
        from xshardy.tools.triton_check.checked_launches import CheckedLaunches
        from xshardy.tools.triton_check.without_gpu import without_gpu

        checked = CheckedLaunches("triton", options or Options(), schedules)
        try:
            with without_gpu(target, checked):
                yield
        finally:
            self._fail_for(checked.faults)

    def _fail_for(self, faults: "PlacedFaults") -> None:
        from xshardy.tools.placed_faults import fault_text

        if faults:
            pytest.fail("\n".join(fault_text(place, fault) for (_, place), fault in faults.items()), pytrace=False)


@pytest.fixture
def ptx_check() -> PtxCheck:
    """Fails the test if a kernel of PTX, CUDA C++ or Triton has a race or another fault."""
    return PtxCheck()


def excess(function: str, plan: "Plan", recorded: Mapping[str, int]) -> list[str]:
    """The lines about what `plan` has more than the `recorded` figures, and why; none if it has not."""
    from xshardy.planning.byte_counts import in_bytes
    from xshardy.testing import listed_collectives, listed_memory

    lines: list[str] = []
    for verb, key, value, listed in (
        ("sends", "sent", plan.bytes, listed_collectives(plan)),
        ("holds", "peak", plan.peak_bytes, listed_memory(plan)),
    ):
        if value > recorded[key]:
            what = f"{function} {verb} {value} bytes per device, and by its recorded plan {recorded[key]}"
            lines += [f"{what}: {in_bytes(value - recorded[key])} more", *listed]
    return lines
