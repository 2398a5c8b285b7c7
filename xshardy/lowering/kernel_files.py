"""What is written of compiled kernels: PTX of all as one module; for AMD's GPUs, assembly and machine code of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xshardy.gpus.targets import Vendor, target_of
from xshardy.lowering.code_generators import CompilationError, code_object
from xshardy.lowering.kernel import Kernel
from xshardy.lowering.ptx_module import join_ptx


@dataclass(frozen=True, slots=True)
class KernelFiles:
    """Files by name, and the entries of a launch plan that refer to them."""

    contents: Mapping[str, str | bytes]
    plan_entries: Mapping[str, object]


def _ptx_file(kernels: Sequence[Kernel], name: str) -> KernelFiles:
    return KernelFiles({name: join_ptx([kernel.ptx for kernel in kernels])}, {"ptx": name})


def _code_objects(kernels: Sequence[Kernel], name: str) -> KernelFiles:
    assembly = {f"{kernel.entry}{SUFFIXES[Vendor.AMD]}": kernel.assembly for kernel in kernels}
    objects = {f"{kernel.entry}.o": code_object(kernel) for kernel in kernels}
    return KernelFiles(
        {**assembly, **objects}, {"code_objects": {kernel.entry: f"{kernel.entry}.o" for kernel in kernels}}
    )


SUFFIXES: Mapping[Vendor, str] = {Vendor.AMD: ".s", Vendor.NVIDIA: ".ptx"}
"""Of a file with assembly."""

FILES: Mapping[Vendor, Callable[[Sequence[Kernel], str], KernelFiles]] = {
    Vendor.AMD: _code_objects,
    Vendor.NVIDIA: _ptx_file,
}


def kernel_files(kernels: Sequence[Kernel], target: str, ptx_file: str) -> KernelFiles:
    """The files of `kernels`, all for `target`; PTX is in `ptx_file`."""
    return FILES[target_of(target).vendor](kernels, ptx_file)


def one_text(kernels: Sequence[Kernel]) -> str:
    """The assembly of all kernels. Raises `CompilationError` for several, unless it is PTX."""
    if all(kernel.vendor is Vendor.NVIDIA for kernel in kernels):
        return join_ptx([kernel.ptx for kernel in kernels])
    return only(kernels, kernels[0].language).assembly


def only(kernels: Sequence[Kernel], what: str) -> Kernel:
    """The only one of `kernels`. Raises `CompilationError` for several: `what` of several is no single file."""
    if len(kernels) != 1:
        raise CompilationError(f"{what} of {len(kernels)} kernels is no single module: write to a folder, -o DIR")
    return kernels[0]
