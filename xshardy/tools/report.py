"""`xshardy compile --report`: the emitter, memory traffic and resources of each kernel."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from operator import add

from rich.table import Table
from rich.text import Text
from xdsl.dialects.func import FuncOp

from xshardy.dialects.hlo import FusionOp
from xshardy.emitters import explain
from xshardy.emitters.entry import size_in_bytes
from xshardy.emitters.signatures import emitted_tensor_type
from xshardy.gpus.occupancy import Occupancy, occupancy
from xshardy.gpus.sizes import SECTOR_BYTES
from xshardy.gpus.targets import Vendor, device_of
from xshardy.lowering.code_generators import Kernel
from xshardy.lowering.cuda_files import MissingCudaExtraError
from xshardy.lowering.ptxas import AssemblerError, PtxasReport, assemble
from xshardy.ptx.bound import bound_of
from xshardy.ptx.machine import Machine
from xshardy.ptx.memory import SHARED, AccessKind, Boundless
from xshardy.ptx.profiling import Profile, profile
from xshardy.ptx.traffic import Requests
from xshardy.tools.amd_report import print_amd_reports
from xshardy.tools.console import console
from xshardy.tools.output import printable
from xshardy.tools.widths import widths


@dataclass(frozen=True, slots=True)
class KernelReport:
    """A row of the table."""

    name: str
    emitter: str
    reason: str
    kernel: Kernel
    assembled: PtxasReport | None
    """None without ptxas."""
    least_bytes: int
    """The bytes of all inputs and results, each moved once."""
    profile: Profile
    """What the PTX executes, counted on the PTX machine."""

    @property
    def occupancy(self) -> Occupancy | None:
        """The resident warps per multiprocessor; None without ptxas."""
        if self.assembled is None:
            return None
        kernel = self.kernel
        return occupancy(kernel.target, prod(kernel.block), self.assembled.registers, kernel.shared_memory)


def report_of(name: str, fusion: FusionOp, kernel: Kernel) -> KernelReport:
    """The report on the kernel of a fusion. Executes some of its blocks on the PTX machine, with buffers of zeros."""
    choice = explain(fusion, device_of(kernel.target))
    try:
        assembled = assemble(kernel.ptx, kernel.target)
    except (MissingCudaExtraError, AssemblerError):
        assembled = None
    buffers = {number: Boundless(f"argument {number}") for number in kernel.buffers}
    arguments = [buffers[number] for number in kernel.buffers]
    counted = profile(Machine(kernel.ptx, kernel.entry), kernel.grid, kernel.block, arguments)
    least = _least_bytes(fusion.callee_function())
    return KernelReport(name, choice.emitter, choice.reason, kernel, assembled, least, counted)


def _least_bytes(computation: FuncOp) -> int:
    last = computation.body.block.last_op
    assert last is not None
    return sum(size_in_bytes(emitted_tensor_type(value)) for value in (*computation.body.block.args, *last.operands))


def print_ptx_reports(kernels: Sequence[tuple[str, FusionOp, Kernel]]) -> None:
    """A table with a column per kernel, on standard error."""
    reports = [report_of(*each) for each in kernels]
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


def _compared(sectors: float, report: KernelReport) -> str:
    bytes = round(sectors * SECTOR_BYTES)
    return f"{bytes} bytes ({bytes / max(report.least_bytes, 1):.2f} x inputs and results)"


def _memory_requests(report: KernelReport) -> Sequence[Requests]:
    """The requests to global and local memory."""
    return [found for found in report.profile.traffic.found.values() if found.region != SHARED]


def _accesses(report: KernelReport) -> str:
    """A line for each kind of access: what a request of a warp moves, and the least that could hold its bytes."""
    totals: dict[tuple[AccessKind, str, int], list[int]] = {}
    for found in _memory_requests(report):
        total = totals.setdefault((found.kind, found.region, found.bytes), [0, 0, 0])
        total[:] = map(add, total, (found.requests, found.sectors, found.least_sectors))
    lines = [
        f"{kind.value} {region}, {8 * bytes} bit: {requests} requests of {sectors / max(requests, 1):.1f} sectors "
        f"(least {least / max(requests, 1):.1f})"
        for (kind, region, bytes), (requests, sectors, least) in totals.items()
    ]
    return "\n".join(lines) or "-"


def _coalescing(report: KernelReport) -> str:
    found = _memory_requests(report)
    sectors, least = sum(each.sectors for each in found), sum(each.least_sectors for each in found)
    return f"{sectors / least if least else 1:.2f} x the least sectors of the requests"


def _bank_conflicts(report: KernelReport) -> str:
    found = [each for each in report.profile.traffic.found.values() if each.region == SHARED]
    extra, accesses = (sum(each.wavefronts - each.least_wavefronts for each in found), sum(e.requests for e in found))
    return f"{extra / max(accesses, 1):.2f} per access"


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
    "bank conflicts": _bank_conflicts,
    "registers": _assembled("{0.registers}"),
    "spills": _assembled("{0.spill_stores} bytes stored, {0.spill_loads} loaded"),
    "occupancy": _occupancy,
    "instructions of warps": _executed,
    "issue slots": _issue_slots,
    "time": _bound,
    "requests of the executed blocks": _accesses,
    "coalescing": _coalescing,
    "sectors moved": lambda report: _compared(report.profile.sectors, report),
    "... if caches keep all": lambda report: _compared(report.profile.least_memory_sectors, report),
}
"""The rows of the table: the label, and the cell of a kernel."""

PRINTERS: Mapping[Vendor, Callable[[Sequence[tuple[str, FusionOp, Kernel]]], None]] = {
    Vendor.AMD: print_amd_reports,
    Vendor.NVIDIA: print_ptx_reports,
}
"""What prints the table of kernels: the name, the fusion and the kernel of each."""
