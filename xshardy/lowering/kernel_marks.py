"""How the llvm dialect says that a function is a kernel, and which GPU a module is lowered for: a row per vendor."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Operation

from xshardy.dialects import nvvm, rocdl
from xshardy.gpus.targets import Vendor


@dataclass(frozen=True, slots=True)
class KernelMarks:
    """Names of attributes, and what they are in LLVM IR."""

    kernel: str
    """Unit attribute of a kernel."""
    block_size: str
    """Attribute of a kernel: the threads of a block, (x, y, z)."""
    target_attribute: type[nvvm.ChipAttr]
    """Of a module, under its own name."""
    convention: str
    """The calling convention of a kernel."""
    launch_bounds: Callable[[Sequence[int]], str]
    """The attributes of a kernel in LLVM IR for a block size."""


def _required_threads(block: Sequence[int]) -> str:
    return f'"{nvvm.REQUIRED_BLOCK_SIZE}"="{",".join(map(str, block))}"'


def _work_group_size(block: Sequence[int]) -> str:
    """The fewest and the most threads of a block; and that all blocks are alike."""
    threads = prod(block)
    return f'"amdgpu-flat-work-group-size"="{threads},{threads}" "uniform-work-group-size"'


MARKS: Mapping[Vendor, KernelMarks] = {
    Vendor.NVIDIA: KernelMarks(nvvm.KERNEL, nvvm.REQUIRED_BLOCK_SIZE, nvvm.TargetAttr, "ptx_kernel", _required_threads),
    Vendor.AMD: KernelMarks(
        rocdl.KERNEL, rocdl.REQUIRED_BLOCK_SIZE, rocdl.TargetAttr, "amdgpu_kernel", _work_group_size
    ),
}


def marks_of(function: Operation) -> KernelMarks | None:
    """The row of the kernel `function`; None if it is no kernel."""
    return next((marks for marks in MARKS.values() if marks.kernel in function.attributes), None)


def required_block_size(function: Operation) -> tuple[int, ...] | None:
    """The threads per block, (x, y, z), that the kernel `function` must be launched with; None if it does not say."""
    marks = marks_of(function)
    sizes = None if marks is None else function.attributes.get(marks.block_size)
    return tuple(int(size) for size in sizes.get_values()) if isinstance(sizes, DenseArrayBase) else None


def stated_target(module: Operation) -> nvvm.ChipAttr | None:
    """The attribute of the GPU that `module` is lowered for; None if it does not say."""
    stated = (module.attributes.get(marks.target_attribute.name) for marks in MARKS.values())
    return next((target for target in stated if isinstance(target, nvvm.ChipAttr)), None)
