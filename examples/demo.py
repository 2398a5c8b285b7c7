"""
The compiler from end to end: an HLO fusion to PTX, assembled by ptxas, executed on the CPU and compared with numpy.

Run by `make demo`. Without the `cuda` extra there is no ptxas, and tanh is computed without libdevice.
"""

from pathlib import Path
from time import perf_counter

from rich.table import Table

from xshardy import compiler
from xshardy.hlo_text import parse_hlo
from xshardy.lowering.code_generators import Kernel
from xshardy.lowering.cuda_files import MissingCudaExtraError
from xshardy.lowering.ptxas import assemble
from xshardy.tools.console import console
from xshardy.tools.execution import execute_fusion
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

GELU = Path(__file__).parent / "gelu.hlo"


def main() -> None:
    out = console()
    text = GELU.read_text()

    start = perf_counter()
    kernel = compiler.compile(text, target="sm_90", name=str(GELU))
    compiled = perf_counter() - start

    table = Table(title="gelu.hlo, bf16[6,512,4096], for sm_90", title_justify="left", show_header=False)
    table.add_row("HLO text to PTX", f"{compiled * 1e3:.0f} ms (the first one in this process)")
    table.add_row("entry", kernel.entry)
    table.add_row("launch", f"{kernel.block[0]} threads x {kernel.grid[0]} blocks")
    table.add_row("PTX", f"{len(kernel.ptx.splitlines())} lines")
    table.add_row("ptxas", assembled(kernel))
    out.print(table)

    fusion = compiler.select_fusions(parse_hlo(text, str(GELU)))[0]
    table = Table("level", "result", "time", title="executed on the CPU, compared with numpy", title_justify="left")
    with out.status("executing"):
        for output in execute_fusion(fusion, compiler.emit(text), LEVELS, check=True):
            table.add_row(output.level, str(output.comparison), f"{output.seconds:.1f} s")
            if not output.comparison:
                raise SystemExit(f"level {output.level} differs from the reference: {output.comparison}")
    out.print(table)


def assembled(kernel: Kernel) -> str:
    """What ptxas says of `kernel`; without the `cuda` extra, that it was skipped."""
    try:
        report = assemble(kernel.ptx, kernel.target)
    except MissingCudaExtraError as error:
        return f"skipped: {error}"
    return f"accepted: {report.registers} registers, {report.spill_stores + report.spill_loads} bytes spilled"


if __name__ == "__main__":
    main()
