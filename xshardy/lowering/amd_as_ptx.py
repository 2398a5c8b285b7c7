"""
Kernels for AMD's GPUs as PTX, to execute them on the PTX machine.

The LLVM IR is the one that the kernel is lowered to. Its address spaces have the same numbers in PTX. Its intrinsics
that exchange words of lanes or convert small floats become instructions of the PTX machine, by inline assembly; others
have a twin of NVIDIA's.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp

from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.gpus.targets import AMD_SMALL_FLOATS, Vendor, target_of
from xshardy.lowering.code_generators import (
    CompilationError,
    compile_module,
    compile_source,
    kernel_source,
    target_for,
)
from xshardy.lowering.gpu_to_rocdl import SCOPE_OF_BLOCK
from xshardy.lowering.kernel import Kernel
from xshardy.lowering.specialize_memory_for_amd import SCOPE

TWINS: Mapping[str, str] = {
    " amdgpu_kernel ": " ptx_kernel ",
    f'syncscope("{SCOPE}")': 'syncscope("device")',
    f'syncscope("{SCOPE_OF_BLOCK}")': 'syncscope("block")',
    "@llvm.amdgcn.s.barrier(": "@llvm.nvvm.barrier0(",
    **{f"@llvm.amdgcn.workgroup.id.{axis}(": f"@llvm.nvvm.read.ptx.sreg.ctaid.{axis}(" for axis in "xyz"},
    **{f"@llvm.amdgcn.workitem.id.{axis}(": f"@llvm.nvvm.read.ptx.sreg.tid.{axis}(" for axis in "xyz"},
}
"""Parts of LLVM IR for AMD's GPUs, and what NVIDIA's code generator has in their place."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """An instruction of the PTX machine, by inline assembly."""

    operands: str
    """For each operand whether it is an integer register, a float, or a number."""
    result: str = "r"
    """The register of the result: of 32 or 64 bits, or a float."""


ASSEMBLY: Mapping[str, Assembly] = {
    "ds.bpermute": Assembly("rr"),
    "ds.swizzle": Assembly("rn"),
    "mbcnt.hi": Assembly("rr"),
    "mbcnt.lo": Assembly("rr"),
    "update.dpp.i32": Assembly("rrnnnn"),
    **{f"cvt.f32.{format}": Assembly("rn", "f") for format in AMD_SMALL_FLOATS},
    **{f"cvt.pk.f32.{format}": Assembly("rn", "l") for format in AMD_SMALL_FLOATS},
    **{f"cvt.pk.{format}.f32": Assembly("ffrn") for format in AMD_SMALL_FLOATS},
}
"""The intrinsics that `xshardy/ptx/instructions` has under `amdgcn`."""

_CALL = re.compile(
    r"(?P<name>%\w+) = call (?P<type>[\w<> ]+) @llvm\.amdgcn\.(?P<intrinsic>[\w.]+)\((?P<operands>[^()]*)\)"
)
_LEFT = re.compile(r'call .*@(llvm\.amdgcn\.[\w.]+)|(syncscope\("(?!(?:block|device|singlethread)")[^"]*"\))')
"""What NVIDIA's code generator does not know: it would end the process."""


def as_nvidia_ir(llvm_ir: str, target: str) -> str:
    """LLVM IR for an AMD GPU as LLVM IR for NVIDIA's. Raises `CompilationError` for what has no row."""

    def assembly(call: re.Match[str]) -> str:
        if (found := ASSEMBLY.get(call["intrinsic"])) is None:
            return call[0]
        name = call["intrinsic"].removesuffix(".i32").replace(".", "_")
        places = ", ".join(f"${number}" for number in range(len(found.operands) + 1))
        text = f'"amdgcn.{name}.{target} {places};", "={",".join((found.result, *found.operands))}"'
        result, type = (f"{call['name']}.bits", "i64") if found.result == "l" else (call["name"], call["type"])
        line = f"{result} = call {type} asm sideeffect {text}({call['operands']}) convergent nounwind"
        return line if type == call["type"] else f"{line}\n  {call['name']} = bitcast i64 {result} to {call['type']}"

    for word, twin in TWINS.items():
        llvm_ir = llvm_ir.replace(word, twin)
    llvm_ir = _CALL.sub(assembly, llvm_ir)
    if (left := _LEFT.search(llvm_ir)) is not None:
        raise CompilationError(f"level llvm of kernels for AMD's GPUs cannot be executed with {left[1] or left[2]}")
    return llvm_ir


def _compile_as_ptx(module: ModuleOp, target: str, opt_level: int) -> Kernel:
    source = kernel_source(module)
    return compile_source(replace(source, llvm_ir=as_nvidia_ir(source.llvm_ir, target)), DEFAULT_TARGET, opt_level)


PTX_OF: Mapping[Vendor, Callable[[ModuleOp, str, int], Kernel]] = {
    Vendor.AMD: _compile_as_ptx,
    Vendor.NVIDIA: compile_module,
}


def compile_to_execute(module: ModuleOp, target: str | None = None, opt_level: int = 3) -> Kernel:
    """PTX of the kernel of `module`, lowered for any GPU, for the PTX machine. Raises as `compile_module` does."""
    target = target_for(module, target)
    return PTX_OF[target_of(target).vendor](module, target, opt_level)
