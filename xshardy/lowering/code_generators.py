# llvmlite comes without types.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
"""
The hand-off to LLVM: a module of the llvm dialect, as text, becomes PTX, or assembly and machine code of AMD's GPUs.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import IO, ClassVar

import llvmlite.binding as binding
from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, ModuleOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from xshardy.dialects import nvvm
from xshardy.dialects.attribute_names import xla_attribute
from xshardy.dialects.function_attributes import argument_attributes
from xshardy.dialects.xla_gpu.discardable import INVARIANT, KNOWN_GRID_SIZE, SLICE_INDEX
from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.gpus.targets import AMD_TARGETS, GpuTarget, Vendor, target_of
from xshardy.lowering.kernel import Kernel, KernelArgument, KernelSource
from xshardy.lowering.kernel_marks import MARKS, marks_of, required_block_size, stated_target
from xshardy.lowering.libdevice import functions_used, libdevice_module
from xshardy.lowering.llvm_text import module_text
from xshardy.lowering.ptx_versions import ARCHITECTURES, check_intrinsics, ptx_feature

MAX_OPT_LEVEL = 3

MAX_CODEGEN_LEVEL = 2
"""
The highest level of the code generator, after the optimizer.

At level 3 it numbers values globally where level 2 looks for common subexpressions. This takes an eighth longer, and
gives five of 680 kernels of the corpora other PTX, with up to 3 % more issue slots.
"""


@dataclass(frozen=True, slots=True)
class CodeGenerator:
    """LLVM's code generator for the GPUs of a vendor."""

    triple: str
    features: Callable[[str], str]
    """The features of LLVM for a target."""
    flags: str
    """Module flags, as LLVM IR."""


NO_FTZ = '!llvm.module.flags = !{!1000000}\n!1000000 = !{i32 4, !"nvvm-reflect-ftz", i32 0}\n'
"""The module flag that libdevice reads: denormals are kept, as XLA does by default."""

CODE_OBJECT_V5 = '!llvm.module.flags = !{!1000000}\n!1000000 = !{i32 1, !"amdhsa_code_object_version", i32 500}\n'
"""The version of the format of machine code."""

CODE_GENERATORS: Mapping[Vendor, CodeGenerator] = {
    Vendor.AMD: CodeGenerator("amdgcn-amd-amdhsa", lambda target: "", CODE_OBJECT_V5),
    Vendor.NVIDIA: CodeGenerator("nvptx64-nvidia-cuda", ptx_feature, NO_FTZ),
}


TARGETS = (*ARCHITECTURES, *AMD_TARGETS)
"""What LLVM makes code for."""


class CompilationError(DiagnosticException):
    """A module that LLVM cannot compile, or that has no kernel."""


@dataclass(frozen=True, slots=True)
class Backend:
    """LLVM's code generator for one target, and the builder of its pass managers."""

    machine: binding.TargetMachine
    builder: binding.PassBuilder
    row: CodeGenerator

    @property
    def data_layout(self) -> str:
        """The sizes and alignments of types."""
        return str(self.machine.target_data)


@cache
def _initialize() -> None:
    """
    Initialize LLVM, once per process.

    Quotients and roots of f32 are computed as in XLA:GPU: `div.full.f32`, within 2 ulp, and `sqrt.approx.f32`.
    """
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    binding.set_option("xshardy", "-nvptx-prec-divf32=1")
    binding.set_option("xshardy", "-nvptx-prec-sqrtf32=0")


@cache
def backend(target: str, opt_level: int = 3) -> Backend:
    """The backend for `target`, such as `sm_90`. Raises `CompilationError` if LLVM has none, or no such `opt_level`."""
    row = CODE_GENERATORS[known_target(target).vendor]
    if not 0 <= opt_level <= MAX_OPT_LEVEL:
        raise CompilationError(f"unknown opt_level {opt_level}: expected 0 to {MAX_OPT_LEVEL}")
    _initialize()
    machine = binding.Target.from_triple(row.triple).create_target_machine(
        cpu=target, features=row.features(target), opt=min(opt_level, MAX_CODEGEN_LEVEL)
    )
    options = binding.create_pipeline_tuning_options(speed_level=opt_level)
    options.slp_vectorization = opt_level > 1
    options.loop_vectorization = False  # finds no vector registers on a GPU, after a look at each loop
    builder = binding.create_pass_builder(machine, options)
    return Backend(machine, builder, row)


def known_target(target: str) -> GpuTarget:
    """The row of `target`. Raises `CompilationError` if LLVM makes no code for it."""
    if target not in TARGETS:
        raise CompilationError(f"unknown target '{target}': LLVM has {', '.join(TARGETS)}")
    return target_of(target)


def compile_module(module: ModuleOp, target: str | None = None, opt_level: int = 3, entry: str | None = None) -> Kernel:
    """
    Compile `module`, which is lowered to the llvm and nvvm dialects and has one kernel, for `target`.

    By default the target is the one that the module is lowered for (`nvvm.target`), or sm_90 if it does not say. The
    assembly calls the kernel `entry`, as in `compile_text`.
    libdevice is linked in if the kernel calls it. Raises `LLVMTextError` for a module that is not lowered,
    `MissingCudaExtraError` if libdevice is needed and absent, `CompilationError` if LLVM rejects the module, or if the
    module is lowered for another target.
    """
    source = kernel_source(module)
    target = target_for(module, target)
    return compile_source(source, target, opt_level, entry)


def compile_source(source: KernelSource, target: str, opt_level: int = 3, entry: str | None = None) -> Kernel:
    """Compile a kernel in LLVM IR, as `compile_text` does. Raises `CompilationError` if LLVM rejects it."""
    compiled = compile_text(source.llvm_ir, source.function, target, opt_level, entry)
    return Kernel(
        function=source.function,
        llvm_ir=source.llvm_ir,
        block=source.block,
        grid=source.grid,
        arguments=source.arguments,
        entry=compiled.entry,
        assembly=compiled.assembly,
        target=target,
        shared_memory=compiled.shared_memory,
    )


def target_for(module: ModuleOp, wanted: str | None) -> str:
    """The target to compile `module` for. Raises `CompilationError` if it is lowered for another one than `wanted`."""
    attribute = stated_target(module)
    stated = None if attribute is None else attribute.chip.data
    if attribute is not None and wanted not in (None, stated):
        raise CompilationError(
            f"the module is lowered for {stated} (its attribute `{attribute.name}`) and cannot be compiled for "
            f"{wanted}: lower it with target={wanted}, or leave the target of the compilation out"
        )
    target = wanted if wanted is not None else stated or DEFAULT_TARGET
    kernel = kernel_function(module)
    if MARKS[known_target(target).vendor].kernel not in kernel.attributes:
        raise CompilationError(
            f"@{kernel.sym_name.data} is lowered for the GPUs of another vendor, not for {target}: lower the module "
            f"with target={target}"
        )
    return target


def kernel_source(module: ModuleOp) -> KernelSource:
    """The kernel of `module` as LLVM IR. Raises `LLVMTextError` for a module that is not lowered."""
    function = kernel_function(module)
    return KernelSource(
        function=function.sym_name.data,
        llvm_ir=module_text(module),
        block=required_block_size(function) or (1, 1, 1),
        grid=_sizes(function.attributes.get(KNOWN_GRID_SIZE)) or (1, 1, 1),
        arguments=_arguments(function),
    )


def kernel_function(module: ModuleOp) -> llvm.FuncOp:
    """The kernel of `module`. Raises `CompilationError` if there is not exactly one."""
    kernels = [op for op in module.ops if isinstance(op, llvm.FuncOp) and marks_of(op) is not None]
    if len(kernels) != 1:
        names = ", ".join(f"@{kernel.sym_name.data}" for kernel in kernels) or "none"
        raise CompilationError(
            f"the module has {len(kernels)} kernels ({names}), expected one: mark it with `{nvvm.KERNEL}`, or with "
            "`xla.entry` before the function is lowered"
        )
    return kernels[0]


@dataclass(frozen=True, slots=True)
class Compiled:
    """Compiled LLVM IR: assembly, the name of the kernel in it, and the bytes of shared memory per block."""

    entry: str
    assembly: str
    shared_memory: int


def compile_text(
    llvm_ir: str, kernel: str, target: str = DEFAULT_TARGET, opt_level: int = 3, entry: str | None = None
) -> Compiled:
    """
    Compile LLVM IR text that holds the function `kernel`. Raises `CompilationError` if LLVM rejects it.

    The assembly has the kernel by its own name. With `entry`, an identifier of PTX, it has it by this one, and the
    names of all other symbols begin with `entry`: then PTX of several kernels can be one module.
    """
    module, name, generator = _optimized(llvm_ir, kernel, target, opt_level, entry)
    shared = shared_memory(module, generator.machine)
    return Compiled(name, generator.machine.emit_assembly(module), shared)


def code_object(kernel: Kernel) -> bytes:
    """
    The machine code of a kernel for one of AMD's GPUs: an ELF file, relocatable, that a linker makes loadable.

    Raises `CompilationError` for another GPU, whose driver assembles PTX.
    """
    if kernel.vendor is not Vendor.AMD:
        raise CompilationError(f"LLVM makes no machine code for {kernel.target}: write PTX, which the driver assembles")
    module, _, generator = _optimized(kernel.llvm_ir, kernel.function, kernel.target, 3, kernel.entry)
    return generator.machine.emit_object(module)


def _optimized(
    llvm_ir: str, kernel: str, target: str, opt_level: int, entry: str | None
) -> tuple[binding.ModuleRef, str, Backend]:
    """The module of LLVM IR, ready for the code generator; the name of the kernel in it; and the code generator."""
    generator = backend(target, opt_level)
    try:
        check_intrinsics(llvm_ir, target)
    except ValueError as error:
        raise CompilationError(str(error)) from None
    try:
        module = binding.parse_assembly(llvm_ir + generator.row.flags)
        module.verify()
    except RuntimeError as error:
        raise CompilationError(f"LLVM rejects the module: {str(error).strip()}") from error
    module.triple, module.data_layout = generator.row.triple, generator.data_layout
    link_libdevice(module, functions_used(llvm_ir), generator)
    function = module.get_function(kernel)
    function.name = entry or ptx_name(kernel)
    generator.builder.getModulePassManager().run(module, generator.builder)
    if entry is not None:
        qualify_symbols(module, entry)
    return module, function.name, generator


def qualify_symbols(module: binding.ModuleRef, entry: str) -> None:
    """Prefix the names of all functions and variables that `module` defines with `entry`, but for `entry` itself."""
    for symbol in (*module.functions, *module.global_variables):
        if not symbol.is_declaration and symbol.name != entry:
            symbol.name = f"{entry}${ptx_name(symbol.name)}"


def link_libdevice(module: binding.ModuleRef, names: frozenset[str], generator: Backend) -> None:
    """Link the bodies of the functions `names`, which `module` declares, into it."""
    if not names:
        return
    library = libdevice_module(names, generator.builder)
    library.triple, library.data_layout = generator.row.triple, generator.data_layout
    module.link_in(library)
    for name in names:
        module.get_function(name).linkage = binding.Linkage.internal


_NOT_IN_PTX = re.compile(r"[^a-zA-Z0-9_$]")


def ptx_name(name: str) -> str:
    """`name` as an identifier of PTX: XLA's `fusion.1` becomes `fusion_1`."""
    name = _NOT_IN_PTX.sub("_", name)
    return name if name[:1].isalpha() else f"_{name}"


_SHARED_VARIABLE = re.compile(rf"= .*?\baddrspace\({nvvm.SHARED_MEMORY}\) global ")


def shared_memory(module: binding.ModuleRef, machine: binding.TargetMachine) -> int:
    """The bytes of shared memory per block that the optimised `module` uses."""
    total = 0
    for variable in module.global_variables:
        if _SHARED_VARIABLE.search(str(variable)):
            alignment = int(machine.target_data.get_abi_alignment(variable.global_value_type))
            total = -(-total // alignment) * alignment
            total += int(machine.target_data.get_abi_size(variable.global_value_type))
    return total


def _sizes(attribute: Attribute | None) -> tuple[int, ...] | None:
    return tuple(int(size) for size in attribute.get_values()) if isinstance(attribute, DenseArrayBase) else None


def _arguments(function: llvm.FuncOp) -> tuple[KernelArgument, ...]:
    return tuple(
        KernelArgument(
            index=index,
            slice_index=_number(xla_attribute(known, SLICE_INDEX)),
            size=_number(known.get("llvm.dereferenceable")),
            alignment=_number(known.get("llvm.align")),
            is_output=xla_attribute(known, INVARIANT) is None,
        )
        for index, known in enumerate(argument_attributes(function))
    )


def _number(attribute: Attribute | None) -> int | None:
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


@dataclass(frozen=True)
class LLVMIRTarget(Target):
    """`-t llvm-ir`: a module of the llvm and nvvm dialects as LLVM IR text."""

    name: ClassVar[str] = "llvm-ir"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(module_text(module))


@dataclass(frozen=True)
class PTXTarget(Target):
    """
    `-t ptx{target=sm_90}`: a module of the llvm and nvvm dialects as PTX, optimised at level `opt_level`.

    By default the target is the one that the module is lowered for, or sm_90 if it does not say.
    """

    name: ClassVar[str] = "ptx"
    target: str | None = None
    opt_level: int = 3

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(compile_module(module, self.target, self.opt_level).ptx)
