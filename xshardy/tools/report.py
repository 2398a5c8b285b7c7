"""`xshardy compile --report`: the emitter, memory traffic and resources of each kernel."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from rich.table import Table
from rich.text import Text
from xdsl.dialects.func import FuncOp

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import emit_fusion, explain
from xshardy.emitters.entry import size_in_bytes
from xshardy.emitters.signatures import emitted_tensor_type
from xshardy.gpus.devices import device_of
from xshardy.gpus.occupancy import Occupancy, occupancy
from xshardy.gpus.sizes import SECTOR_BYTES
from xshardy.interpreters.inputs import inputs_of
from xshardy.interpreters.simt.traffic import Traffic, traffic_of_block
from xshardy.lowering.cuda_files import MissingCudaExtraError
from xshardy.lowering.nvptx import Kernel
from xshardy.lowering.ptxas import AssemblerError, PtxasReport, assemble
from xshardy.ptx.bound import bound_of
from xshardy.ptx.machine import Machine
from xshardy.ptx.profiling import Profile, profile
from xshardy.tools.console import console
from xshardy.tools.output import printable
from xshardy.tools.widths import widths
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS


@dataclass(frozen=True, slots=True)
class KernelReport:
    """A row of the table."""

    name: str
    emitter: str
    reason: str
    kernel: Kernel
    assembled: PtxasReport | None
    """None without ptxas."""
    traffic: Traffic
    blocks: int
    least_bytes: int
    """The bytes of all inputs and results, each moved once."""
    profile: Profile
    """What the PTX executes, counted on the PTX machine."""

    @property
    def moved_bytes(self) -> int:
        """The bytes of the sectors that all requests move, if all blocks move as many as the first one."""
        return self.traffic.sectors * SECTOR_BYTES * self.blocks

    @property
    def distinct_bytes(self) -> int:
        """The same if a cache keeps the sectors of a block."""
        return self.traffic.distinct_sectors * SECTOR_BYTES * self.blocks

    @property
    def occupancy(self) -> Occupancy | None:
        """The resident warps per multiprocessor; None without ptxas."""
        if self.assembled is None:
            return None
        kernel = self.kernel
        return occupancy(kernel.target, prod(kernel.block), self.assembled.registers, kernel.shared_memory)


def report_of(name: str, fusion: FusionOp, kernel: Kernel) -> KernelReport:
    """
    The report on the kernel of a fusion. Executes the first block, at a level before LLVM, to count the sectors that
    it moves.
    """
    device = device_of(kernel.target)
    choice = explain(fusion, device)
    computation = fusion.callee_function()
    try:
        assembled = assemble(kernel.ptx, kernel.target)
    except (MissingCudaExtraError, AssemblerError):
        assembled = None
    module = compiler.lower(emit_fusion(fusion, device), LEVELS[-2], target=kernel.target)
    traffic, blocks = traffic_of_block(module, inputs_of(computation, seed=0))
    counted = profile(Machine(kernel.ptx, kernel.entry), kernel.grid, kernel.block)
    least = _least_bytes(computation)
    return KernelReport(name, choice.emitter, choice.reason, kernel, assembled, traffic, blocks, least, counted)


def _least_bytes(computation: FuncOp) -> int:
    last = computation.body.block.last_op
    assert last is not None
    return sum(size_in_bytes(emitted_tensor_type(value)) for value in (*computation.body.block.args, *last.operands))


def print_reports(reports: Sequence[KernelReport]) -> None:
    """A table with a column per kernel, on standard error."""
    table = Table("", *(report.name for report in reports))
    for label, cell in ROWS.items():
        table.add_row(label, *(_lines(cell(report)) for report in reports))
    console(stderr=True).print(table)


def _lines(cell: str) -> Text:
    """A cell of several lines, whose other control characters are escaped."""
    return Text("\n".join(map(printable, cell.split("\n"))))


def _assembled(text: str) -> Callable[[KernelReport], str]:
    """A cell with values of the report of ptxas, formatted by `text`."""

    def cell(report: KernelReport) -> str:
        return "-" if report.assembled is None else text.format(report.assembled)

    return cell


def _compared(bytes: int, report: KernelReport) -> str:
    return f"{bytes} bytes ({bytes / max(report.least_bytes, 1):.2f} x inputs and results)"


def _accesses(report: KernelReport) -> str:
    """A line for each kind of access: what a request of a warp moves, and the least that could hold its elements."""
    lines: list[str] = []
    for access, found in report.traffic.accesses.items():
        counts = (found.sectors, found.least_sectors, found.transactions)
        sectors, least, transactions = (count / max(found.requests, 1) for count in counts)
        lines.append(
            f"{access.kind.value} {access.buffer}, {access.bits} bit: {found.requests} requests of {sectors:.1f} "
            f"sectors (least {least:.1f}), {transactions:.1f} transactions"
        )
    return "\n".join(lines) or "-"


def _executed(report: KernelReport) -> str:
    """The instructions that warps execute, and the classes with the most of them."""
    classes = [f"{count:,.0f} {name}" for name, count in [*report.profile.classes.items()][:4]]
    return "\n".join([f"{report.profile.instructions:,.0f}", *classes])


def _issue_slots(report: KernelReport) -> str:
    low, high = report.profile.issue_slots
    return f"{low:,.0f} to {high:,.0f} (estimate)"


def _bound(report: KernelReport) -> str:
    bound = bound_of(report.profile, report.kernel.target)
    low, high = bound.seconds
    return f"{low * 1e6:.2f} to {high * 1e6:.2f} us (estimate), {bound.binds} most"


def _occupancy(report: KernelReport) -> str:
    found = report.occupancy
    if found is None:
        return "-"
    return f"{found.share:.0%}: {found.warps} of {found.max_warps} warps, limited by {found.limit}"


ROWS: Mapping[str, Callable[[KernelReport], str]] = {
    "emitter": lambda report: report.emitter,
    "because": lambda report: report.reason,
    "blocks x threads": lambda report: f"{list(report.kernel.grid)} x {list(report.kernel.block)}",
    "global loads": lambda report: widths(report.kernel.ptx, "ld", "global"),
    "global stores": lambda report: widths(report.kernel.ptx, "st", "global"),
    "shared loads": lambda report: widths(report.kernel.ptx, "ld", "shared"),
    "shared stores": lambda report: widths(report.kernel.ptx, "st", "shared"),
    "shared memory": lambda report: f"{report.kernel.shared_memory} bytes",
    "bank conflicts": lambda report: f"{report.traffic.conflicts:.2f} per access",
    "registers": _assembled("{0.registers}"),
    "spills": _assembled("{0.spill_stores} bytes stored, {0.spill_loads} loaded"),
    "occupancy": _occupancy,
    "instructions of warps": _executed,
    "issue slots": _issue_slots,
    "time": _bound,
    "requests of the first block": _accesses,
    "coalescing": lambda report: f"{report.traffic.scattering:.2f} x the least sectors of the requests",
    "sectors moved": lambda report: _compared(report.moved_bytes, report),
    "... each once per block": lambda report: _compared(report.distinct_bytes, report),
}
"""The rows of the table: the label, and the cell of a kernel."""
