"""Compile a module: its kernels, its launch plan and the PTX of all kernels."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xshardy import compiler
from xshardy.dialects import hlo
from xshardy.lowering.nvptx import Kernel
from xshardy.lowering.ptx_module import join_ptx
from xshardy.modules.aliases import donated_parameters, library_aliases
from xshardy.modules.buffer_assignment import assign_buffers
from xshardy.modules.fusion_text import fusion_text
from xshardy.modules.kernel_cache import KernelCache
from xshardy.modules.kernels import Failure, Progress, compile_kernels, fingerprint_of, renamed
from xshardy.modules.launch_plan import LaunchPlan
from xshardy.modules.program import prepared, scheduled
from xshardy.modules.scheduling import schedule
from xshardy.modules.unfused import require_fused
from xshardy.transforms.call_graph import functions_of


@dataclass(slots=True)
class Fusions:
    """The fusions of a program: what equal ones have in common."""

    fingerprints: dict[hlo.FusionOp, str] = field(default_factory=dict[hlo.FusionOp, str])
    """That of each fusion, in schedule order."""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """The `fusion_text` of each fingerprint."""

    @staticmethod
    def of(entry: FuncOp) -> "Fusions":
        """The fusions of the prepared program `entry`."""
        module = entry.parent_op()
        assert isinstance(module, ModuleOp)
        functions, found = functions_of(module), Fusions()
        for op in scheduled(entry.body.block):
            if isinstance(op, hlo.FusionOp):
                text = fusion_text(op, functions)
                found.fingerprints[op] = fingerprint_of(text)
                found.texts[found.fingerprints[op]] = text
        return found


@dataclass(frozen=True, slots=True)
class CompiledModule:
    """A launch plan, and the kernels that it launches."""

    plan: LaunchPlan
    kernels: Mapping[str, Kernel] = field(repr=False)
    """By the fingerprint of their fusions, in the order of first use."""
    failures: Mapping[str, str]
    """For the name of each fusion that cannot be compiled, why."""
    target: str

    @property
    def ptx(self) -> str:
        """All kernels as one PTX module."""
        return join_ptx([kernel.ptx for kernel in self.kernels.values()])


def compile_module(
    module: ModuleOp,
    *,
    target: str = compiler.DEFAULT_TARGET,
    math: str = "auto",
    jobs: int = 1,
    cache: KernelCache | None = None,
    progress: Progress = lambda done, count: None,
    keep_going: bool = True,
) -> CompiledModule:
    """
    Compile an optimised HLO module, which is not changed, for `target`; see `compiler.compile` for `math`, and
    `compile_kernels` for the other options.

    Raises `ModuleError` for a module that is not fused, or whose program has no launch plan.
    """
    entry = prepared(module)
    require_fused(entry)
    fusions = Fusions.of(entry)
    found = compile_kernels(
        fusions.texts, target, math=math, jobs=jobs, cache=cache, progress=progress, keep_going=keep_going
    )

    def in_place(op: Operation) -> Mapping[int, int]:
        if isinstance(op, hlo.FusionOp):
            kernel = found.get(fusions.fingerprints[op])
            return aliases_of(kernel, len(op.operands)) if isinstance(kernel, Kernel) else {}
        return library_aliases(op)

    assignment = assign_buffers(entry, in_place, donated_parameters(module))
    plan = schedule(entry, assignment, fusions.fingerprints)
    names = plan.kernels.items()
    kernels = {mark: renamed(kernel, name) for mark, name in names if isinstance(kernel := found.get(mark), Kernel)}
    failures = {name: failed.reason for mark, name in names if isinstance(failed := found.get(mark), Failure)}
    return CompiledModule(plan, kernels, failures, target)


def aliases_of(kernel: Kernel, operands: int) -> Mapping[int, int]:
    """The results of a kernel with so many operands that it writes into the buffer of one: result to operand number."""
    buffers = kernel.buffers
    inputs = {buffer: index for index, buffer in reversed([*enumerate(buffers[:operands])])}
    return {index: inputs[buffer] for index, buffer in enumerate(buffers[operands:]) if buffer in inputs}
