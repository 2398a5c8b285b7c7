"""A kernel: its code as LLVM IR or assembly, and what the host needs to launch it."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.utils.exceptions import DiagnosticException

from xshardy.display.html_parts import facts, shown
from xshardy.gpus.targets import Vendor, target_of


@dataclass(frozen=True, slots=True)
class KernelArgument:
    """A pointer that the host passes to a kernel."""

    index: int
    slice_index: int | None
    """The number of its buffer."""
    size: int | None
    """At least so many bytes can be read through it."""
    alignment: int | None
    """In bytes."""
    is_output: bool
    """Whether the kernel writes through it."""

    def described(self) -> str:
        """`read, at least 4096 bytes, aligned to 16`"""
        least = "" if self.size is None else f", at least {self.size} bytes"
        aligned = "" if self.alignment is None else f", aligned to {self.alignment}"
        return f"{'written' if self.is_output else 'read'}{least}{aligned}"


class NoPTXError(DiagnosticException):
    """PTX is wanted of a kernel for a GPU that is not NVIDIA's."""


LANGUAGES: Mapping[Vendor, str] = {Vendor.AMD: "AMDGPU assembly", Vendor.NVIDIA: "PTX"}


@dataclass(frozen=True, slots=True, repr=False)
class KernelSource:
    """A kernel as LLVM IR, and what the host needs to launch it."""

    function: str
    """The name of the kernel in `llvm_ir`."""
    llvm_ir: str
    """LLVM IR text. Its calls of libdevice are linked later."""
    block: tuple[int, ...]
    """Threads per block, along x, y and z."""
    grid: tuple[int, ...]
    """Blocks, along x, y and z."""
    arguments: tuple[KernelArgument, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to launch: the grid has no blocks."""
        return 0 in self.grid

    @property
    def buffers(self) -> tuple[int, ...]:
        """The number of the buffer behind each argument: its `slice_index`, or else its own number."""
        return tuple(a.index if a.slice_index is None else a.slice_index for a in self.arguments)

    @property
    def written_buffers(self) -> frozenset[int]:
        """The numbers of the buffers that the kernel writes."""
        written = zip(self.buffers, self.arguments, strict=True)
        return frozenset(number for number, argument in written if argument.is_output)

    def __repr__(self) -> str:
        return f"<kernel source {self.function}: {self._launch()}; {_lines(self.llvm_ir)} of LLVM IR>"

    def _launch(self) -> str:
        """The blocks, threads and arguments in words."""
        outputs = sum(argument.is_output for argument in self.arguments)
        blocks, threads = ("x".join(map(str, sizes)) for sizes in (self.grid, self.block))
        return f"{blocks} blocks of {threads} threads, {len(self.arguments)} arguments ({outputs} written)"


@dataclass(frozen=True, slots=True, repr=False)
class Kernel(KernelSource):
    """A compiled kernel."""

    entry: str
    """The name of the kernel in `assembly`."""
    assembly: str
    """PTX, or the assembly of an AMD GPU."""
    target: str
    shared_memory: int
    """Bytes per block."""

    @property
    def ptx(self) -> str:
        """The assembly, which is PTX. Raises `NoPTXError` for a kernel of another vendor."""
        if self.vendor is not Vendor.NVIDIA:
            raise NoPTXError(f"a kernel for {self.target} has no PTX: choose a target such as sm_90")
        return self.assembly

    @property
    def language(self) -> str:
        """What `assembly` is."""
        return LANGUAGES[self.vendor]

    @property
    def vendor(self) -> Vendor:
        """Whose GPU the kernel is for."""
        return target_of(self.target).vendor

    def __repr__(self) -> str:
        return (
            f"<kernel {self.entry} for {self.target}: {self._launch()}, {self.shared_memory} bytes of shared memory; "
            f"{_lines(self.assembly)} of {self.language}>"
        )

    def _repr_html_(self) -> str:
        """The launch, the arguments and the PTX, for notebooks."""
        launch = {
            "kernel": self.entry,
            "target": self.target,
            "blocks x threads": f"{list(self.grid)} x {list(self.block)}",
            "shared memory": f"{self.shared_memory} bytes",
        }
        arguments = {f"argument {each.index}": each.described() for each in self.arguments}
        texts = (shown(self.assembly, "ptx", self.language, most=0), shown(self.llvm_ir, "llvm", "LLVM IR", most=0))
        return facts(launch | arguments) + "".join(texts)


def _lines(text: str) -> str:
    return f"{text.count(chr(10))} lines"
