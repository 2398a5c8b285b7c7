"""Whole modules on a GPU: the launch plan of a compiled module, executed through the driver."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from xshardy import compiler
from xshardy.dialects import stablehlo
from xshardy.dialects.hlo import FusionKind, FusionOp
from xshardy.engines.cuda.gpu import DeviceMemory, Gpu, Launch
from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo import evaluate
from xshardy.lowering.nvptx import Kernel
from xshardy.modules.buffer_assignment import Slice
from xshardy.modules.compilation import CompiledModule
from xshardy.modules.computations import Computations, computation_of
from xshardy.modules.fusion_text import fusion_text
from xshardy.modules.kernels import entry_of, fingerprint_of
from xshardy.modules.launch_plan import (
    Argument,
    AsyncDoneStep,
    AsyncStartStep,
    Call,
    CopyStep,
    KernelStep,
    LibraryStep,
    MemsetStep,
    Step,
)
from xshardy.modules.memory import from_memory, to_memory
from xshardy.syntax import parse_module
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo.expand_library_calls import TARGETS


@dataclass(frozen=True, slots=True)
class Loaded:
    """A kernel on the GPU; without a handle if it has no blocks."""

    kernel: Kernel
    handle: Any | None


def stays_on_gpu(step: Step) -> bool:
    """Whether the host only has to submit the work of `step`, and needs nothing of its results."""
    match step:
        case KernelStep() | CopyStep() | MemsetStep() | AsyncDoneStep():
            return True
        case AsyncStartStep():
            return all(map(stays_on_gpu, step.steps))
        case Call():
            return _has_kernel(step)
        case _:
            return False


def _has_kernel(step: Call) -> bool:
    """Whether a kernel of ours stands for a call of a library."""
    return isinstance(step.op, stablehlo.CustomCallOp) and step.op.call_target_name.data in TARGETS


class GpuMachine:
    """
    Executes the steps of `module` on `gpu`, on one stream.

    Matrix products and convolutions of libraries are kernels of ours with one thread for each element of the result:
    slow, but with no need for the libraries. Sorts, factorizations and Fourier transforms are computed on the host.
    """

    def __init__(self, module: CompiledModule, gpu: Gpu):
        self.module, self.gpu = module, gpu
        self.memory: list[DeviceMemory] = []
        """The allocations of the plan."""
        self._kernels: dict[str, Loaded] = {}
        self._of_library_call: dict[Operation, str] = {}
        """The fingerprint of the kernel for a call."""
        self._computations = Computations()
        """Those that the host evaluates."""

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
        """Load all kernels; without this, each is loaded before its first launch."""
        for step in self.module.plan.all_steps():
            if isinstance(step, KernelStep):
                self._load_fusion(step)
            elif isinstance(step, Call) and _has_kernel(step):
                self._load_call(step)

    def kernel(self, step: KernelStep) -> None:
        self._load_fusion(step)
        self._launch(step.fingerprint, (*step.operands, *step.results))

    def library(self, step: LibraryStep) -> None:
        if not _has_kernel(step):
            operands = [from_memory(self.read(argument.slice), argument.leaf) for argument in step.operands]
            for argument, array in zip(step.results, evaluate(self._computations.of(step), operands), strict=False):
                self.write(argument.slice, to_memory(array, argument.leaf))
            return
        fingerprint = self._load_call(step)
        results = len(self._kernels[fingerprint].kernel.arguments) - len(step.operands)
        self._launch(fingerprint, (*step.operands, *step.results[:results]))

    def _load_fusion(self, step: KernelStep) -> None:
        if step.fingerprint not in self._kernels:
            self._load(step.fingerprint, self.module.kernels[step.fingerprint])

    def _load_call(self, step: Call) -> str:
        """Load the kernel for a call of a library; its fingerprint."""
        if step.op not in self._of_library_call:
            self._of_library_call[step.op] = self._compiled(computation_of(step))
        return self._of_library_call[step.op]

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
