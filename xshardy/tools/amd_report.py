"""`xshardy compile --report` for AMD's GPUs: the emitter and the resources of each kernel, from its metadata."""

from collections.abc import Callable, Mapping, Sequence

from rich.table import Table

from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import explain
from xshardy.emitters.heroes import Choice
from xshardy.gpus.targets import device_of
from xshardy.lowering.amd_resources import AmdResources, resources_of
from xshardy.lowering.kernel import Kernel
from xshardy.tools.console import console

ROWS: Mapping[str, Callable[[Choice, Kernel, AmdResources], str]] = {
    "emitter": lambda choice, kernel, used: choice.emitter,
    "because": lambda choice, kernel, used: choice.reason,
    "blocks x threads": lambda choice, kernel, used: f"{list(kernel.grid)} x {list(kernel.block)}",
    "threads of a wave": lambda choice, kernel, used: f"{used.wavefront_size}",
    "registers": lambda choice, kernel, used: f"{used.vgpr_count} vector, {used.sgpr_count} scalar",
    "spills": lambda choice, kernel, used: f"{used.vgpr_spill_count} vector, {used.sgpr_spill_count} scalar",
    "memory of a thread": lambda choice, kernel, used: f"{used.private_segment_fixed_size} bytes",
    "shared memory": lambda choice, kernel, used: f"{used.group_segment_fixed_size} bytes",
}
"""The rows of the table: the label, and the cell of a kernel."""


def print_amd_reports(kernels: Sequence[tuple[str, FusionOp, Kernel]]) -> None:
    """A table with a column per kernel, on standard error."""
    found = [
        (explain(fusion, device_of(kernel.target)), kernel, resources_of(kernel.assembly))
        for _, fusion, kernel in kernels
    ]
    table = Table("", *(name for name, _, _ in kernels))
    for label, cell in ROWS.items():
        table.add_row(label, *(cell(*each) for each in found))
    console(stderr=True).print(table)
