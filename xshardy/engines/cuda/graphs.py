"""CUDA graphs of a launch plan: what the GPU does between two decisions of the host, submitted at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from xshardy.engines.cuda.gpu import Gpu
from xshardy.launch.execution import Execution, Running
from xshardy.launch.launch_plan import LaunchStep


@dataclass
class Graphs:
    """The graphs of a plan, each by the number of its first step. They hold for one choice of addresses."""

    gpu: Gpu
    stays_on_gpu: Callable[[LaunchStep], bool]
    """Whether the host only has to submit the work of a step."""
    addresses: Sequence[int] = ()
    recorded: dict[int, Any] = field(default_factory=dict[int, Any])

    def at(self, addresses: Sequence[int]) -> "Graphs":
        """These graphs, of which none is left if the allocations of the plan are not where they were."""
        if addresses != self.addresses:
            self.addresses = addresses
            self.recorded.clear()
        return self


@dataclass
class GraphExecution(Execution):
    """An execution that records steps in a row, without loops, branches and work of the host, when they first run."""

    graphs: Graphs = field(kw_only=True)

    def run_steps(self, steps: Sequence[LaunchStep]) -> Running:
        for stays, group in groupby(steps, self.graphs.stays_on_gpu):
            if stays:
                self._run_graph([*group])
            else:
                yield from super().run_steps([*group])

    def _run_graph(self, steps: Sequence[LaunchStep]) -> None:
        graphs, first = self.graphs, steps[0].number
        if first not in graphs.recorded:
            plain = Execution(self.plan, self.machine, checks=False)
            graphs.recorded[first] = graphs.gpu.record(lambda: plain.execute(steps))
        graphs.gpu.replay(graphs.recorded[first])
