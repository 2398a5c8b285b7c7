"""The way from the llvm dialect to PTX that NVIDIA's assembler accepts."""

import re
from pathlib import Path

import llvmlite.binding as binding
import numpy as np
import pytest
from lowering_host import lowered, parse
from xdsl.dialects.builtin import ModuleOp

from xshardy.lowering import cuda_files, libdevice
from xshardy.lowering.code_generators import CompilationError, backend, compile_module, compile_text, ptx_name
from xshardy.lowering.cuda_files import MissingCudaExtraError
from xshardy.lowering.libdevice import UnknownFunctionError
from xshardy.lowering.llvm_text import module_text
from xshardy.lowering.math_to_libdevice import LIBDEVICE
from xshardy.lowering.pipeline import steps_for
from xshardy.lowering.ptx_versions import PTX_VERSIONS
from xshardy.lowering.ptxas import AssemblerError, assemble
from xshardy.universe import new_context

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64")

INTEGER_OPERATIONS = [
    "addi",
    "subi",
    "muli",
    "divsi",
    "divui",
    "remsi",
    "remui",
    "andi",
    "ori",
    "xori",
    "shli",
    "shrsi",
    "shrui",
    "maxsi",
    "maxui",
    "minsi",
    "minui",
    "ceildivsi",
    "floordivsi",
]

ASSEMBLED_AS = {"sm_70": "sm_75", "sm_80": "sm_80", "sm_90": "sm_90", "sm_100": "sm_100"}
"""Targets, and the oldest architecture that the assembler of CUDA 13 makes machine code of their PTX for."""

GELU = Path(__file__).with_name("gelu.mlir").read_text()
"""The GELU kernel of spec row XGPU-37, in its corrected form, as a kernel."""


def bodies() -> list[tuple[str, str, str]]:
    """Every lowered operation on every element type: the type loaded, that stored, and the operations between."""
    cases: list[tuple[str, str, str]] = []
    unary = [op.name for op in LIBDEVICE if op.name not in ("arith.remf", "math.atan2", "math.powf")]
    unary += [
        "math.exp",
        "math.absf",
        "math.ceil",
        "math.floor",
        "math.round",
        "math.roundeven",
        "math.sqrt",
        "math.trunc",
    ]
    binary = ["math.atan2", "math.powf", "math.copysign"]
    binary += [
        f"arith.{name}"
        for name in ["addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf", "maxnumf", "minnumf"]
    ]
    for type in FLOATS:
        cases += [(type, type, f"%r = {name} %a : {type}") for name in (*unary, "arith.negf")]
        cases += [(type, type, f"%r = {name} %a, %b : {type}") for name in binary]
        cases.append((type, type, f"%r = math.fma %a, %b, %a : {type}"))
        for test in (
            "math.isnan %a",
            "math.isinf %a",
            "math.isfinite %a",
            "arith.cmpf olt, %a, %b",
            "arith.cmpf uno, %a, %b",
        ):
            cases.append((type, "i8", f"%c = {test} : {type}\n%r = arith.extui %c : i1 to i8"))
        for integer in INTEGERS:
            cases += [(type, integer, f"%r = arith.{name} %a : {type} to {integer}") for name in ("fptosi", "fptoui")]
            cases += [(integer, type, f"%r = arith.{name} %a : {integer} to {type}") for name in ("sitofp", "uitofp")]
            cases.append(
                (type, type, f"%n = arith.fptosi %a : {type} to {integer}\n%r = math.fpowi %a, %n : {type}, {integer}")
            )
        cases.append(("i8", type, f"%n = arith.trunci %a : i8 to i1\n%r = arith.uitofp %n : i1 to {type}"))
    for narrow, wide in (("f16", "f32"), ("f16", "f64"), ("bf16", "f32"), ("bf16", "f64"), ("f32", "f64")):
        cases.append((narrow, wide, f"%r = arith.extf %a : {narrow} to {wide}"))
        cases.append((wide, narrow, f"%r = arith.truncf %a : {wide} to {narrow}"))
    for type in INTEGERS:
        cases += [(type, type, f"%r = arith.{name} %a, %b : {type}") for name in INTEGER_OPERATIONS]
        cases += [(type, type, f"%r = math.{name} %a : {type}") for name in ("absi", "ctlz", "cttz", "ctpop")]
        cases.append((type, type, f"%s, %r = arith.mulsi_extended %a, %b : {type}"))
    for type in (*FLOATS, "i8", "i32"):
        vector = f"vector<4x{type}>"
        add = "arith.addf" if type in FLOATS else "arith.addi"
        cases.append((vector, vector, f"%r = {add} %a, %b : {vector}"))
        cases.append((vector, type, f"%r = vector.reduction <add>, %a : {vector} into {type}"))
        cases.append((type, vector, f"%r = vector.broadcast %a : {type} to {vector}"))
    for type in ("f32", "f64"):
        cases.append(
            (type, type, f"%z = complex.create %a, %b : complex<{type}>\n%w = complex.exp %z : complex<{type}>\n"
             f"%c = arith.cmpf olt, %a, %b : {type}\n%v = arith.select %c, %z, %w : complex<{type}>\n"
             f"%r = complex.re %v : complex<{type}>")
        )  # fmt: skip
    return cases


def kernel(index: int, loaded: str, stored: str, body: str) -> str:
    return f"""func.func @k{index}(%p: !llvm.ptr, %q: !llvm.ptr) attributes {{xla.entry}} {{
      %a = llvm.load %p : !llvm.ptr -> {loaded}
      %p1 = llvm.getelementptr inbounds %p[1] : (!llvm.ptr) -> !llvm.ptr, {loaded}
      %b = llvm.load %p1 : !llvm.ptr -> {loaded}
      {body}
      llvm.store %r, %q : {stored}, !llvm.ptr
      func.return
    }}"""


@pytest.fixture(scope="module")
def everything() -> str:
    """The LLVM IR of a kernel for each of `bodies`."""
    return module_text(lowered("\n".join(kernel(i, *case) for i, case in enumerate(bodies()))))


@pytest.mark.parametrize("target", ASSEMBLED_AS)
def test_every_operation_on_every_type(everything: str, target: str):
    compiled = compile_text(everything, "k0", target)
    assert compiled.assembly.count(".entry") == len(bodies())
    assert not assemble(compiled.assembly, ASSEMBLED_AS[target]).spills


@pytest.mark.parametrize("target", ASSEMBLED_AS)
def test_gelu_of_the_specification(target: str):
    compiled = compile_module(parse(GELU), target)
    assert f".target {target}" in compiled.ptx
    assert "__nv_tanhf" not in compiled.ptx
    report = assemble(compiled.ptx, ASSEMBLED_AS[target])
    assert not report.spills and report.stack == 0


def test_host_interface_of_a_kernel():
    compiled = compile_module(parse(GELU))
    assert (compiled.entry, compiled.target) == ("main", "sm_90")
    assert (compiled.block, compiled.grid, compiled.shared_memory) == ((128, 1, 1), (24576, 1, 1), 0)
    read, written = compiled.arguments
    assert (read.slice_index, read.size, read.alignment, read.is_output) == (0, 25165824, 16, False)
    assert (written.slice_index, written.size, written.alignment, written.is_output) == (1, 25165824, 256, True)
    assert "declare float @__nv_tanhf(float)" in compiled.llvm_ir


def test_a_kernel_that_states_no_sizes_runs_one_thread():
    compiled = compile_module(parse("llvm.func @k() attributes {nvvm.kernel} { llvm.return }"))
    assert (compiled.block, compiled.grid) == ((1, 1, 1), (1, 1, 1))


def test_facts_reach_the_ptx():
    ptx = compile_module(parse(GELU)).ptx
    assert ".param .u64 .ptr .align 16 main_param_0" in ptx
    assert ".param .u64 .ptr .align 256 main_param_1" in ptx
    assert ".reqntid 128, 1, 1" in ptx
    assert re.search(r"ld\.global\.nc\.v[24]", ptx) and re.search(r"st\.global\.v[24]", ptx)
    assert "mul.rn.bf16" in ptx and "fma.rn.bf16" not in ptx, "bf16 operations round one by one"


def test_shared_memory_is_counted():
    text = """
    llvm.mlir.global private @first() {addr_space = 3 : i32} : !llvm.array<5 x i8>
    llvm.mlir.global private @second() {addr_space = 3 : i32} : !llvm.array<10 x f64>
    llvm.func @main(%p: !llvm.ptr, %i: i32) attributes {nvvm.kernel} {
      %0 = llvm.mlir.addressof @first : !llvm.ptr<3>
      %1 = llvm.mlir.addressof @second : !llvm.ptr<3>
      %2 = llvm.getelementptr %0[0, %i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<5 x i8>
      %3 = llvm.getelementptr %1[0, %i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<10 x f64>
      %4 = llvm.load volatile %2 : !llvm.ptr<3> -> i8
      %5 = llvm.load volatile %3 : !llvm.ptr<3> -> f64
      llvm.store volatile %4, %2 : i8, !llvm.ptr<3>
      llvm.store volatile %5, %3 : f64, !llvm.ptr<3>
      llvm.return
    }"""
    compiled = compile_module(parse(text))
    assert compiled.shared_memory == 8 + 80
    assert assemble(compiled.ptx).shared_memory == 8 + 80


@pytest.mark.parametrize(
    ("name", "expected"), [("main", "main"), ("fusion.1", "fusion_1"), ("a-b c", "a_b_c"), ("1st", "_1st"), ("", "_")]
)
def test_names_of_ptx(name: str, expected: str):
    assert ptx_name(name) == expected


def test_one_kernel_is_expected():
    with pytest.raises(CompilationError, match="0 kernels"):
        compile_module(ModuleOp([]))
    two = "\n".join(f"llvm.func @{name}() attributes {{nvvm.kernel}} {{ llvm.return }}" for name in "ab")
    with pytest.raises(CompilationError, match="2 kernels \\(@a, @b\\)"):
        compile_module(parse(two))


@pytest.mark.parametrize("target", ["sm_13", "sm_71", "sm_80a", "gfx803", ""])
def test_unknown_target(target: str):
    with pytest.raises(CompilationError, match=f"unknown target '{target}'"):
        compile_module(parse(GELU), target)


@pytest.mark.parametrize("target", PTX_VERSIONS)
def test_known_targets(target: str):
    major, minor = PTX_VERSIONS[target]
    assert f".version {major}.{minor}\n.target {target}\n" in compile_module(parse(GELU), target).ptx


NEWER = {"sm_70": (6, 3), "sm_72": (6, 3), "sm_89": (8, 1), "sm_90": (8, 1), "sm_90a": (8, 1)} | {
    f"sm_{number}{suffix}": (8, 8) for number in (100, 101, 120) for suffix in ("", "a")
}
"""Architectures whose version is not the oldest one that supports them: `targets.py` has the reasons."""


@pytest.mark.parametrize("number", range(70, 130))
def test_versions_are_the_oldest_that_llvm_has_for_an_architecture(number: int):
    """For an architecture that LLVM does not know it writes a version from before all of ours."""
    backend("sm_90", 0)  # initialises LLVM
    module = binding.parse_assembly('target triple = "nvptx64-nvidia-cuda"')
    for suffix in ("", "a", "f"):
        name = f"sm_{number}{suffix}"
        machine = binding.Target.from_triple(module.triple).create_target_machine(cpu=name)
        found = re.search(r"\.version (\d+)\.(\d+)\n", machine.emit_assembly(module))
        assert found is not None
        oldest = (int(found[1]), int(found[2]))
        is_known = oldest >= (6, 0)
        assert PTX_VERSIONS.get(name) == (NEWER.get(name, oldest) if is_known else None)
        assert not is_known or oldest <= PTX_VERSIONS[name]


@pytest.mark.parametrize("level", [-1, 4])
def test_unknown_level(level: int):
    with pytest.raises(CompilationError, match="expected 0 to 3"):
        compile_module(parse(GELU), opt_level=level)


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_levels(level: int):
    assemble(compile_module(parse(GELU), opt_level=level).ptx)


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_pairs_of_halves_are_packed_from_level_2(level: int):
    halves = "".join(
        f"  %p{i} = getelementptr half, ptr %p, i64 {i}\n  %x{i} = load half, ptr %p{i}, align 4\n"
        f"  %y{i} = fadd half %x{i}, %x{i}\n  store half %y{i}, ptr %p{i}, align 4\n"
        for i in range(2)
    )
    kernel = compile_text(f"define ptx_kernel void @f(ptr %p) {{\n{halves}  ret void\n}}", "f", opt_level=level)
    assert ("add.f16x2" in kernel.assembly or "add.rn.f16x2" in kernel.assembly) == (level >= 2)


def test_llvm_rejects():
    with pytest.raises(CompilationError, match="LLVM rejects the module"):
        compile_text("define void @f() {\n  ret i32 1\n}", "f")


def test_unknown_function_of_libdevice():
    with pytest.raises(UnknownFunctionError, match="__nv_tanx"):
        compile_module(parse(GELU.replace("__nv_tanhf", "__nv_tanx")))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch):
    def nowhere(name: str) -> None:
        return None

    monkeypatch.setattr(cuda_files, "find_spec", nowhere)
    with pytest.raises(MissingCudaExtraError, match=r"calls __nv_tanhf .* 'xshardy\[cuda\]'"):
        compile_module(parse(GELU))
    with pytest.raises(MissingCudaExtraError, match="ptxas"):
        assemble("")
    plain = "llvm.func @main() attributes {nvvm.kernel} { llvm.return }"
    assert ".entry main" in compile_module(parse(plain)).ptx, "a kernel without libdevice needs no extra"


def test_errors_of_ptxas_are_reported():
    with pytest.raises(AssemblerError, match="ptxas rejects the PTX for sm_90"):
        assemble("not ptx")
    with pytest.raises(AssemblerError, match="no machine code for sm_60: assemble for a newer architecture"):
        assemble(compile_module(parse(GELU)).ptx, "sm_60")


def test_only_used_functions_are_linked():
    generator = backend("sm_90")
    names = frozenset({"__nv_sin"})
    module = libdevice.libdevice_module(names, generator.builder)
    defined = {function.name for function in module.functions if not function.is_declaration}
    assert defined == {"__nv_sin", "__internal_trig_reduction_slowpathd"}


def test_every_step_leaves_valid_ir():
    text = """
    func.func @main(%p: !llvm.ptr) attributes {xla.entry} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %z = complex.constant [1.0 : f32, 2.0 : f32] : complex<f32>
      %thread = gpu.thread_id x
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%w = %z) -> (complex<f32>) {
        %c = arith.cmpi slt, %i, %thread : index
        %v = scf.if %c -> (complex<f32>) {
          %m = complex.mul %w, %w : complex<f32>
          scf.yield %m : complex<f32>
        } else {
          scf.yield %w : complex<f32>
        }
        scf.yield %v : complex<f32>
      }
      %re = complex.re %r : complex<f32>
      llvm.store %re, %p : f32, !llvm.ptr
      func.return
    }"""
    module = parse(text)
    for step in steps_for():
        step.apply(new_context(), module)
        module.verify()
    assert {op.name.split(".")[0] for op in module.walk()} == {"builtin", "llvm", "nvvm"}
    assert "unrealized" not in str(module)
    assert not assemble(compile_module(module).ptx).spills


@pytest.mark.parametrize(("type", "bits", "largest"), [("bf16", 8, 88), ("f16", 11, 11)])
def test_exponentials_of_16_bits_are_far_more_exact_than_their_type(type: str, bits: int, largest: int):
    """For all arguments of normal results. `ex2.approx` is within 2 ulp of f32."""
    codes = np.arange(1 << 16, dtype=np.uint32)
    x = (codes << 16).view(np.float32) if type == "bf16" else codes.astype(np.uint16).view(np.float16)
    x = x[np.isfinite(x) & (np.abs(x) < largest)].astype(np.float32)
    product = (x * np.float32(np.log2(np.e))).astype(np.float64)
    for error in (-(2.0**-22), 2.0**-22):
        moved = np.abs(np.exp2(product) * (1 + error) / np.exp(x.astype(np.float64)) - 1)
        assert moved.max() < 2.0 ** -(bits + 7)
