"""Kernels at a level of the lowering, executed on the CPU."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from xshardy import compiler
from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.xla_gpu.discardable import slice_index
from xshardy.emitters import emit_fusion
from xshardy.gpus.targets import device_of
from xshardy.interpreters import simt
from xshardy.lowering.amd_as_ptx import compile_to_execute
from xshardy.lowering.code_generators import MAX_OPT_LEVEL, Kernel, compile_module
from xshardy.numerics.element_types import Array
from xshardy.ptx.kernels import run_kernel
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

PTX = "ptx"
"""The level below the last one: the compiled kernel, which a GPU or the PTX machine executes."""

ALL_LEVELS = (*LEVELS, PTX)
"""The levels at which a kernel can be executed."""

OPT_LEVELS: Mapping[str, int] = {LEVELS[-1]: 1, PTX: MAX_OPT_LEVEL}
"""
The optimisation level of LLVM for each level that the PTX machine executes.

At 0, a function of a fusion would be called anew on each path to it, instead of once for equal arguments.
"""


@dataclass(frozen=True, slots=True)
class CpuKernel:
    """A kernel at one level, and which of its arguments are one buffer."""

    module: ModuleOp
    level: str
    first_of_buffer: Sequence[int]
    """For each argument, the number of the first argument for the same buffer."""
    operands: int
    """How many arguments are operands; the others are results."""
    compiled: Kernel | None
    """At the levels of `OPT_LEVELS`."""

    def run(self, arrays: Sequence[Array]) -> list[Array]:
        """
        The results for arguments of which `arrays` have the elements in memory order; these are not changed.

        Raises `SimtError` or `FaultError` for an invalid kernel, and `PtxError` for an instruction that the PTX machine
        lacks.
        """
        if self.compiled is not None:
            return run_compiled(self.compiled, arrays, self.first_of_buffer[self.operands :])
        return simt.run_kernel(self.module, arrays)


def kernel_at(fusion: FusionOp, level: str, target: str, math: str = "auto") -> CpuKernel:
    """
    The kernel of `fusion` for `target`, lowered to `level`; see `compiler.compile` for `math`.

    Raises `PassFailedException` if it cannot be emitted.
    """
    module = emit_fusion(fusion, device_of(target))
    buffers = first_of_buffer(simt.find_kernel(module))  # lower levels merge the arguments for one buffer
    compiler.lower(module, LEVELS[-1] if level == PTX else level, target=target, math=math)
    compiled = compiled_at(level, module, target) if level in OPT_LEVELS else None
    return CpuKernel(module, level, buffers, len(fusion.operands), compiled)


def compiled_at(level: str, module: ModuleOp, target: str | None = None) -> Kernel:
    """
    The kernel of `module`, lowered to `llvm`, compiled as the PTX machine executes it at `level`.

    At level `llvm`, kernels for every GPU can be executed; at `PTX`, those that are compiled to it.
    """
    compiled = compile_module if level == PTX else compile_to_execute
    return compiled(module, target, OPT_LEVELS[level])


def run_compiled(kernel: Kernel, buffers: Sequence[Array], written_in: Sequence[int]) -> list[Array]:
    """
    Run `kernel` on the PTX machine; return the arguments in `written_in` as the kernel leaves them.

    Of several arguments for the same buffer, only the first one is used.
    """
    written = run_kernel(kernel, dict(enumerate(buffers)))
    return [written[number] for number in written_in]


def first_of_buffer(kernel: FuncOp) -> list[int]:
    """For each argument of the emitted `kernel`, the number of the first argument for the same buffer."""
    first: dict[int, int] = {}
    numbers = [slice_index(argument) for argument in kernel.args]
    return [position if n is None else first.setdefault(n, position) for position, n in enumerate(numbers)]
