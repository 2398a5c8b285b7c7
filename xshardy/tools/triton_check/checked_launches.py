"""Launches of Triton, each executed and checked by the PTX machine."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from xshardy.programs.errors import InputError
from xshardy.ptx.errors import LaunchError, PtxError
from xshardy.ptx.faults import Fault
from xshardy.ptx.machine import Machine, Options
from xshardy.tools.placed_faults import PlacedFaults, placed_faults
from xshardy.tools.ptx_source import Place, located_ptx
from xshardy.tools.triton_check.launches import TritonLaunch


@dataclass(slots=True)
class CheckedLaunches:
    """Is told launches, executes each on its tensors, and collects what is wrong."""

    file: str
    """Where faults are of which Triton does not say the place."""
    options: Options = field(default_factory=Options)
    schedules: int = 1
    tell: Callable[[Place, Fault], object] = lambda place, fault: None
    """Is told each fault once, when it is found."""
    faults: PlacedFaults = field(default_factory=PlacedFaults)
    launches: int = 0
    _machines: dict[str, Machine] = field(default_factory=dict[str, Machine])
    """By their PTX: a kernel is often launched many times."""

    @property
    def kernels(self) -> int:
        """How many different kernels there were."""
        return len(self._machines)

    def __call__(self, launch: TritonLaunch) -> None:
        """Check a launch. Raises `InputError` for what the machine does not know, or tensors that it cannot read."""
        source = located_ptx(launch.ptx, self.file)
        try:
            machine = self._machines.get(launch.ptx) or self._machines.setdefault(launch.ptx, Machine(launch.ptx))
            options = replace(self.options, dynamic_shared=int(launch.metadata.shared), cluster=(launch.clusters,))
            arguments = launch.machine_arguments(machine)
            grid, block = launch.machine_grid(), launch.block(machine)
            faults = machine.check(grid, block, arguments, options, schedules=self.schedules)
        except PtxError as error:
            raise InputError(f"{source.place(error.line)}: error: the PTX of this kernel: {error}") from error
        except LaunchError as error:
            raise InputError(f"{self.file}: error: {launch.metadata.name}: {error}") from error
        self.launches += 1
        for key, fault in placed_faults(faults, source).items():
            if key not in self.faults:
                self.faults[key] = fault
                self.tell(key[1], fault)
