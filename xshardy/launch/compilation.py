"""Compile a module: its kernels, its launch plan and the PTX of all kernels."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects import hlo
from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.launch.aliases import aliases_of, donated_parameters
from xshardy.launch.fusions import Fusions
from xshardy.launch.kernel_cache import KernelCache
from xshardy.launch.kernels import Failure, Progress, compile_kernels, no_progress, renamed
from xshardy.launch.launch_plan import LaunchPlan
from xshardy.launch.layouts import require_layouts
from xshardy.launch.plan_steps import plan_of
from xshardy.launch.prepared_program import ModuleError, prepared
from xshardy.launch.unfused import require_fused
from xshardy.lowering.code_generators import Kernel
from xshardy.lowering.ptx_module import join_ptx


@dataclass(frozen=True, slots=True)
class CompiledModule:
    """A launch plan, and the kernels that it launches."""

    plan: LaunchPlan
    kernels: Mapping[str, Kernel] = field(repr=False)
    """By the fingerprint of their fusions, in the order of first use."""
    failures: Mapping[str, str]
    """For the name of each fusion that cannot be compiled, why."""
    target: str

    def require_complete(self) -> None:
        """Raises `ModuleError` if a fusion could not be compiled."""
        for name, reason in self.failures.items():
            raise ModuleError(f"{name} cannot be compiled: {reason}")

    @property
    def ptx(self) -> str:
        """All kernels as one PTX module."""
        return join_ptx([kernel.ptx for kernel in self.kernels.values()])


def compile_module(
    module: ModuleOp,
    *,
    target: str = DEFAULT_TARGET,
    math: str = "auto",
    jobs: int = 1,
    cache: KernelCache | None = None,
    progress: Progress = no_progress,
    keep_going: bool = True,
) -> CompiledModule:
    """
    Compile an optimised HLO module, which is not changed, for `target`; see `compiler.compile` for `math`, and
    `compile_kernels` for the other options.

    Raises `ModuleError` for a module that is not fused, whose layouts do not fit, or whose program has no launch plan.
    """
    entry = prepared(module)
    require_fused(entry)
    require_layouts(entry)
    fusions = Fusions.of(entry)
    found = compile_kernels(
        fusions.texts, target, math=math, jobs=jobs, cache=cache, progress=progress, keep_going=keep_going
    )

    def aliases(op: hlo.FusionOp) -> Mapping[int, int]:
        kernel = found.get(fusions.fingerprints[op])
        return aliases_of(kernel.buffers, len(op.operands)) if isinstance(kernel, Kernel) else {}

    plan = plan_of(entry, fusions.fingerprints, aliases, donated_parameters(module))
    names = plan.kernels.items()
    kernels = {mark: renamed(kernel, name) for mark, name in names if isinstance(kernel := found.get(mark), Kernel)}
    failures = {name: failed.reason for mark, name in names if isinstance(failed := found.get(mark), Failure)}
    return CompiledModule(plan, kernels, failures, target)
