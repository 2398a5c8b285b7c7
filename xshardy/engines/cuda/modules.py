"""Whole modules on a GPU: the launch plan of a compiled module, executed through the driver."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from xshardy import compiler
from xshardy.dialects.hlo import FusionKind, FusionOp
from xshardy.engines.cuda.dlpack import Exported
from xshardy.engines.cuda.gpu import DeviceMemory, Gpu, Launch
from xshardy.engines.cuda.gpu_views import row_major
from xshardy.engines.cuda.jax_libraries import JaxLibraries
from xshardy.engines.cuda.step_program import StepRefusedError, memory_shape, step_program
from xshardy.engines.pjrt.executable import Executable
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.buffer_assignment import Slice
from xshardy.launch.compilation import CompiledModule
from xshardy.launch.computations import computation_of
from xshardy.launch.fusion_text import fusion_text
from xshardy.launch.kernels import entry_of, fingerprint_of
from xshardy.launch.launch_plan import (
    Argument,
    AsyncDoneStep,
    AsyncStartStep,
    CopyStep,
    KernelStep,
    LaunchStep,
    LibraryStep,
    MemsetStep,
)
from xshardy.launch.memory import from_memory, to_memory
from xshardy.lowering.code_generators import Kernel
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.programs.errors import EngineError
from xshardy.syntax import parse_module
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo.expand_library_calls import TARGETS


@dataclass(frozen=True, slots=True)
class Loaded:
    """A kernel on the GPU; without a handle if it has no blocks."""

    kernel: Kernel
    handle: object


class Way(StrEnum):
    """Who computes a library step."""

    XLA = "XLA, through JAX"
    KERNEL = "kernels of xshardy"
    HOST = "the host"


@dataclass(frozen=True, slots=True)
class ByKernel:
    """A library step that the loaded kernel of this fingerprint computes."""

    fingerprint: str


Callee: TypeAlias = Executable | ByKernel | FuncOp
"""What computes a library step: XLA, a kernel of ours, or the host, which evaluates a function."""

WAYS: Mapping[type, Way] = {Executable: Way.XLA, ByKernel: Way.KERNEL, FuncOp: Way.HOST}


class GpuMachine:
    """
    Executes the steps of `module` on `gpu`, on one stream.

    Library steps are left to `libraries`, if there are any. What these refuse, and without them, matrix products and
    convolutions are kernels of ours with one thread for each element of the result: slow, but with no need for the
    libraries. The host computes sorts, factorizations and Fourier transforms then. With `full_precision`, no library
    rounds f32 to narrower types.
    """

    def __init__(
        self,
        module: CompiledModule,
        gpu: Gpu,
        libraries: JaxLibraries | None = None,
        *,
        full_precision: bool = False,
    ):
        self.module, self.gpu = module, gpu
        self.libraries, self.full_precision = libraries, full_precision
        self.refused: dict[str, str] = {}
        """For the name of each library step that `libraries` refuse, why."""
        self.memory: list[DeviceMemory] = []
        """The allocations of the plan."""
        self._kernels: dict[str, Loaded] = {}
        self._callees: dict[Operation, Callee] = {}
        """What computes each library step."""

    def allocate(self, sizes: Sequence[int]) -> None:
        self.memory = [self.gpu.allocate(size) for size in sizes]

    def _part(self, place: Slice) -> DeviceMemory:
        return self.gpu.part(self.memory[place.allocation], place.offset, place.size)

    def read(self, place: Slice) -> Array:
        return self.gpu.download(self._part(place))

    def write(self, place: Slice, data: Array) -> None:
        if place.size:
            self.gpu.store(data, self._part(place))

    def copy(self, source: Slice, target: Slice) -> None:
        if source.size:
            self.gpu.copy(self._part(source), self._part(target))

    def fill(self, place: Slice, byte: int) -> None:
        if place.size:
            self.gpu.fill(self._part(place), byte)

    def prepare(self) -> None:
        """Load all kernels, and compile all library steps; without this, each is before it first runs."""
        for step in self.module.plan.all_steps():
            if isinstance(step, KernelStep):
                self._load_fusion(step)
            elif isinstance(step, LibraryStep):
                self._callee(step)

    def stays_on_gpu(self, step: LaunchStep) -> bool:
        """Whether the host only has to submit the work of `step`, and needs nothing of its results."""
        match step:
            case KernelStep() | CopyStep() | MemsetStep() | AsyncDoneStep():
                return True
            case AsyncStartStep():
                return all(map(self.stays_on_gpu, step.steps))
            case LibraryStep():
                return isinstance(self._callee(step), ByKernel)
            case _:
                return False

    def way(self, step: LibraryStep) -> Way:
        """Who computes `step`."""
        return WAYS[type(self._callee(step))]

    def is_reference(self, step: LibraryStep) -> bool:
        return self.way(step) is Way.HOST

    def kernel(self, step: KernelStep) -> None:
        self._load_fusion(step)
        self._launch(step.fingerprint, (*step.operands, *step.results))

    def library(self, step: LibraryStep) -> None:
        match self._callee(step):
            case Executable() as executable:
                self._run_by_xla(executable, step)
            case ByKernel(fingerprint):
                results = len(self._kernels[fingerprint].kernel.arguments) - len(step.operands)
                self._launch(fingerprint, (*step.operands, *step.results[:results]))
            case FuncOp() as computation:
                operands = [from_memory(self.read(argument.slice), argument.leaf) for argument in step.operands]
                for argument, array in zip(step.results, evaluate(computation, operands), strict=False):
                    self.write(argument.slice, to_memory(array, argument.leaf))

    def _run_by_xla(self, executable: Executable, step: LibraryStep) -> None:
        assert self.libraries is not None
        operands = [
            Exported(
                self.gpu, self._part(a.slice), memory_shape(a), row_major(memory_shape(a)), numpy_dtype(a.leaf.type)
            )
            for a in step.operands
        ]
        self.libraries.run(executable, operands, [self._part(argument.slice) for argument in step.results])

    def _load_fusion(self, step: KernelStep) -> None:
        if step.fingerprint not in self._kernels:
            self._load(step.fingerprint, self.module.kernels[step.fingerprint])

    def _callee(self, step: LibraryStep) -> Callee:
        """What computes `step`; it is compiled when it is first asked for."""
        if step.op not in self._callees:
            self._callees[step.op] = self._chosen(step)
        return self._callees[step.op]

    def _chosen(self, step: LibraryStep) -> Callee:
        computation = computation_of(step)
        if self.libraries is not None:
            try:
                return self.libraries.compiled(step_program(step, computation, full_precision=self.full_precision))
            except (EngineError, StepRefusedError) as error:
                self.refused[step.name] = str(error)
        return ByKernel(self._compiled(computation)) if step.target in TARGETS else computation

    def _compiled(self, computation: FuncOp) -> str:
        """Compile and load a kernel for `computation`; its fingerprint."""
        module = computation.parent_op()
        assert isinstance(module, ModuleOp)
        types = computation.function_type
        block = Block(arg_types=types.inputs)
        fusion = FusionOp(FusionKind.LOOP, computation.sym_name.data, block.args, types.outputs.data)
        text = fusion_text(fusion, functions_of(module))
        fingerprint = fingerprint_of(text)
        if fingerprint not in self._kernels:
            entry = entry_of(fingerprint)
            self._load(fingerprint, compiler.compile(parse_module(text), target=self.module.target, entry=entry))
        return fingerprint

    def _load(self, fingerprint: str, kernel: Kernel) -> None:
        handle = None if kernel.is_empty else self.gpu.load(kernel.ptx, kernel.entry)
        self._kernels[fingerprint] = Loaded(kernel, handle)

    def _launch(self, fingerprint: str, arguments: Sequence[Argument]) -> None:
        loaded = self._kernels[fingerprint]
        if loaded.handle is not None:
            pointers = tuple(self.memory[a.slice.allocation].pointer + a.slice.offset for a in arguments)
            self.gpu.launch(Launch(loaded.handle, loaded.kernel.grid, loaded.kernel.block, pointers))
