"""A whole program as kernels: compiled for a GPU, written to a folder, and executed on the CPU."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.sdy.sharding_text import dimensions
from xshardy.display.html_parts import facts, shown
from xshardy.engines.checked_run import check_arguments
from xshardy.engines.kernels import Kernels
from xshardy.fusing.pipeline import fused_program
from xshardy.gpus.targets import target_of
from xshardy.hlo_text.shapes import print_type
from xshardy.launch.compilation import CompiledModule, compile_module
from xshardy.launch.launch_plan import LaunchPlan
from xshardy.launch.module_devices import grid_of, is_optimised
from xshardy.launch.plan_text import write_plan
from xshardy.lowering.kernel import LANGUAGES, Kernel
from xshardy.numerics.element_types import Array
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.programs.errors import EngineError
from xshardy.programs.meshes import MeshSizes, mesh_of, resize_meshes
from xshardy.programs.partitioned import PartitionedProgram, partition_module
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED


@dataclass(frozen=True, repr=False)
class CompiledProgram:
    """The kernels of a program, and its launch plan: those of each device, if it was partitioned."""

    module: ModuleOp
    """The program as fusions, library calls and collectives."""
    compiled: CompiledModule
    partitioned: PartitionedProgram | None
    math: str

    @property
    def plan(self) -> LaunchPlan:
        """What a device launches, in which order and on which memory."""
        return self.compiled.plan

    @property
    def kernels(self) -> Sequence[Kernel]:
        """Each kernel once, in the order of first use."""
        return tuple(self.compiled.kernels.values())

    @property
    def ptx(self) -> str:
        """All kernels as one PTX module."""
        return self.compiled.ptx

    @property
    def devices(self) -> int:
        """The number of devices that execute the plan together."""
        return grid_of(self.module).size if self.partitioned is None else self.partitioned.devices

    def run(self, arguments: Sequence[object], *, level: str = EMITTED, check: bool = False) -> list[Array]:
        """
        The results for whole `arguments`, arrays of NumPy or JAX, with kernels executed at `level` on the CPU.

        With `check`, each step is compared with the evaluator. Raises `EngineError` or `ModuleError` for arguments that
        do not fit, and for a program that XLA has partitioned: which part of a tensor a device has is unknown. Raises
        `StepFailedError` for a step that cannot be executed, and `WrongStepError`.
        """
        arrays = [np.asarray(argument) for argument in arguments]
        engine = Kernels(level, self.compiled.target, self.math, check)
        if self.partitioned is not None:
            check_arguments(self.partitioned, arrays)
            parts = self.partitioned.by_result(engine.execute_plan(self.plan, self.partitioned.by_device(arrays)))
            return [tensor.whole(of_result) for tensor, of_result in zip(self.partitioned.results, parts, strict=True)]
        if self.devices > 1:
            raise EngineError(
                f"XLA has partitioned this program for {self.devices} devices, so it takes no whole arguments: "
                "`xshardy run --check FILE` executes it with arguments of each device"
            )
        return engine.execute_plan(self.plan, [arrays])[0]

    def write(self, folder: str | Path) -> None:
        """Write the files of kernels, `kernels.ptx`, and `plan.json` into `folder`, which is made if there is none."""
        write_plan(Path(folder), self.compiled, partitioning(self.partitioned))

    def __repr__(self) -> str:
        return f"<program {self.plan.name} for {self.compiled.target}: {self._described()}>"

    def _described(self) -> str:
        count, kernels = len([*self.plan.all_steps()]), len(self.kernels)
        of_devices = f" on each of {self.devices} devices" if self.devices > 1 else ""
        return (
            f"{count} steps{of_devices} ({self.plan.counted()}), {kernels} different kernel{'s' * (kernels != 1)}, "
            f"{self.plan.assignment.temporary_bytes:,} bytes of temporary memory"
        )

    def _repr_html_(self) -> str:
        """The steps, the memory and the kernels, for notebooks."""
        rows = {"program": self.plan.name, "target": self.compiled.target, "steps": self._described()}
        steps = {f"step {step.number}": step.name for step in self.plan.all_steps()}
        assembly = "\n".join(kernel.assembly for kernel in self.kernels)
        return facts(rows) + facts(steps) + shown(assembly, "text", LANGUAGES[target_of(self.compiled.target).vendor])


def compile_for_devices(
    module: ModuleOp,
    context: Context,
    *,
    mesh: MeshSizes | None = None,
    target: str,
    math: str = "auto",
    jobs: int = 1,
) -> CompiledProgram:
    """
    Compile `module` for `target`: as it is if XLA has optimised it, else partitioned, in place, and fused.

    It is partitioned if it has a mesh of several devices; `mesh` gives axes other sizes, or a mesh to a module without.
    Raises `EngineError`, `ModuleError`, `PassFailedException` and `VerifyException` for what cannot be compiled.
    """
    partitioned = None
    if not is_optimised(module):
        resize_meshes(module, mesh, context)
        if mesh_of(module)[1] > 1:
            partitioned = partition_module(module, context)
        module = fused_program(module)
    elif mesh:
        raise EngineError("XLA has optimised this program, so it cannot be partitioned: leave the mesh out")
    compiled = compile_module(module, target=target, math=math, jobs=jobs)
    compiled.require_complete()
    return CompiledProgram(module, compiled, partitioned, math)


def partitioning(program: PartitionedProgram | None) -> dict[str, object] | None:
    """What `plan.json` says of the devices of `program`. Its keys are described in docs/launching.md."""
    if program is None:
        return None
    return {
        "devices": program.devices,
        "mesh": None if program.mesh is None else str(program.mesh),
        "parameters": [*map(_tensor, program.arguments)],
        "results": [*map(_tensor, program.results)],
    }


def _tensor(tensor: DistributedTensor) -> dict[str, object]:
    """The shape of a whole tensor, and how it is divided: None if each device has all of it."""
    return {"shape": print_type(tensor.type), "sharding": dimensions(tensor.sharding) or None}
