"""Kernels for AMD's GPUs: what LLVM makes of them, on each target."""

from collections.abc import Sequence

import pytest
from xdsl.dialects import gpu
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern

from xshardy import compiler
from xshardy.dialects.extensions.gpu import ShuffleOp
from xshardy.dialects.xla_gpu import PdlLaunchDependentsOp, PdlWaitOp
from xshardy.gpus.targets import AMD_TARGETS, target_of
from xshardy.lowering.amd_resources import resources_of
from xshardy.lowering.code_generators import CompilationError, code_object, compile_module, compile_text
from xshardy.lowering.gpu_to_nvvm import ConvertGpuToNVVMPass
from xshardy.lowering.gpu_to_rocdl import REFUSED, REGISTERS, ConvertGpuToROCDLPass
from xshardy.lowering.kernel import Kernel, NoPTXError
from xshardy.lowering.kernel_files import one_text
from xshardy.lowering.types import LLVMTypes
from xshardy.rewriting import ClassPattern
from xshardy.syntax import parse_module

ROWS = """
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
f { p = f32[64,8192] parameter(0) z = f32[] constant(0) ROOT r = f32[64] reduce(p, z), dimensions={1}, to_apply=add }
ENTRY e { p = f32[64,8192] parameter(0) ROOT r = f32[64] fusion(p), kind=kInput, calls=f }"""

COLUMNS = """
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
f { p = f32[512,256] parameter(0) z = f32[] constant(0) ROOT r = f32[256] reduce(p, z), dimensions={0}, to_apply=add }
ENTRY e { p = f32[512,256] parameter(0) ROOT r = f32[256] fusion(p), kind=kInput, calls=f }"""

FUNCTIONS = """
f { p = f32[1000] parameter(0) s = f32[1000] sine(p) ROOT t = f32[1000] tanh(s) }
ENTRY e { p = f32[1000] parameter(0) ROOT r = f32[1000] fusion(p), kind=kLoop, calls=f }"""

SCATTER = """
add {{ x = {type}[] parameter(0) y = {type}[] parameter(1) ROOT s = {type}[] add(x, y) }}
f {{
  t = {type}[64,128] parameter(0)
  i = s32[512,1] parameter(1)
  u = {type}[512,1,128] parameter(2)
  ROOT s = {type}[64,128] scatter(t, i, u), update_window_dims={{1,2}}, inserted_window_dims={{}},
    scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, to_apply=add
}}
ENTRY e {{
  t = {type}[64,128] parameter(0)
  i = s32[512,1] parameter(1)
  u = {type}[512,1,128] parameter(2)
  ROOT r = {type}[64,128] fusion(t, i, u), kind=kInput, calls=f
}}"""

ADDITIONS = {
    ("gfx90a", "f16"): "global_atomic_pk_add_f16",
    ("gfx942", "f32"): "global_atomic_add_f32",
    ("gfx942", "f64"): "global_atomic_add_f64",
    ("gfx942", "f16"): "global_atomic_pk_add_f16",
    ("gfx942", "bf16"): "global_atomic_pk_add_bf16",
    ("gfx1100", "f32"): "global_atomic_add_f32",
    ("gfx1201", "bf16"): "global_atomic_pk_add_bf16",
}
"""The instruction that adds a type on a target."""


def compiled(hlo: str, target: str) -> Kernel:
    return compiler.compile(f"HloModule m\n{hlo}", target=target)


@pytest.mark.parametrize("target", AMD_TARGETS)
@pytest.mark.parametrize("hlo", [ROWS, COLUMNS, FUNCTIONS], ids=["rows", "columns", "functions"])
def test_kernels_are_assembled_without_spills(hlo: str, target: str):
    kernel = compiled(hlo, target)
    used = resources_of(kernel.assembly)
    assert f'.amdgcn_target "amdgcn-amd-amdhsa--{target}"' in kernel.assembly
    assert not used.spills and used.private_segment_fixed_size == 0
    assert used.group_segment_fixed_size == kernel.shared_memory
    assert used.wavefront_size == target_of(target).device.threads_per_warp
    assert "flat_load" not in kernel.assembly, "pointers are known to be global"
    assert kernel.block[0] <= 1024


@pytest.mark.parametrize(("target", "type"), ADDITIONS)
def test_floats_are_added_by_an_instruction(target: str, type: str):
    assembly = compiled(SCATTER.format(type=type), target).assembly
    assert ADDITIONS[target, type] in assembly and "cmpswap" not in assembly


ADDENDS = {("f32", 1): "float", ("f64", 1): "double", ("f16", 2): "<2 x half>", ("bf16", 2): "<2 x bfloat>"}

ADDITION = """
define amdgpu_kernel void @k(ptr addrspace(1) %p, {type} %x) {{
  %r = atomicrmw fadd ptr addrspace(1) %p, {type} %x syncscope("agent-one-as") monotonic,
    !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0, !amdgpu.ignore.denormal.mode !0
  ret void
}}
!0 = !{{}}
"""


@pytest.mark.parametrize("target", AMD_TARGETS)
def test_additions_are_those_that_llvm_has_instructions_for(target: str):
    for addend, type in ADDENDS.items():
        has_loop = "cmpswap" in compile_text(ADDITION.format(type=type), "k", target).assembly
        assert (addend in AMD_TARGETS[target].atomics.additions) != has_loop, addend


@pytest.mark.parametrize(("target", "type"), [("gfx90a", "bf16"), ("gfx1100", "f16"), ("gfx1100", "f64")])
def test_floats_without_an_instruction_are_added_by_a_loop(target: str, type: str):
    assert "cmpswap" in compiled(SCATTER.format(type=type), target).assembly


def test_machine_code_is_a_relocatable_file_for_the_gpu():
    kernel = compiled(ROWS, "gfx942")
    code = code_object(kernel)
    assert code[:4] == b"\x7fELF" and int.from_bytes(code[16:18], "little") == 1, "ET_REL"
    assert int.from_bytes(code[18:20], "little") == 224, "EM_AMDGPU"
    assert f"{kernel.entry}.kd".encode() in code


def test_the_assembly_of_several_kernels_is_no_single_text_unless_it_is_ptx():
    kernels = [compiled(ROWS, "gfx942"), compiled(ROWS, "gfx942")]
    assert one_text(kernels[:1]) == kernels[0].assembly
    with pytest.raises(CompilationError, match="of 2 kernels is no single module: write to a folder, -o DIR"):
        one_text(kernels)


def test_the_chipset_is_a_known_one():
    with pytest.raises(ValueError, match="unknown chipset 'gfx1': expected one of gfx"):
        ConvertGpuToROCDLPass("gfx1")


def test_the_driver_assembles_ptx():
    with pytest.raises(CompilationError, match="no machine code for sm_90"):
        code_object(compiled(ROWS, "sm_90"))


def test_a_kernel_has_no_ptx():
    kernel = compiled(ROWS, "gfx942")
    assert "AMDGPU assembly" in repr(kernel)
    with pytest.raises(NoPTXError, match="a kernel for gfx942 has no PTX"):
        _ = kernel.ptx


def test_a_kernel_of_another_vendor_is_refused():
    module = parse_module("llvm.func @k() attributes {nvvm.kernel} { llvm.return }")
    with pytest.raises(CompilationError, match="@k is lowered for the GPUs of another vendor, not for gfx942"):
        compile_module(module, "gfx942")


def test_every_operation_of_gpu_to_nvvm_has_a_row_or_is_refused():
    theirs, ours = (each.conversions(LLVMTypes()) for each in (ConvertGpuToNVVMPass(), ConvertGpuToROCDLPass()))
    operations = [*gpu.GPU.operations, ShuffleOp, PdlWaitOp, PdlLaunchDependentsOp]
    known = {op for op in operations if _takes(theirs, op)}
    assert len(known) == 9
    assert {op for op in operations if _takes(ours, op)} == known
    assert not REFUSED.keys() & REGISTERS.keys()


def _takes(patterns: Sequence[RewritePattern], op: type[Operation]) -> bool:
    return any(isinstance(pattern, ClassPattern) and pattern.takes(op) for pattern in patterns)
