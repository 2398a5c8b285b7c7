# llvmlite has no type stubs.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
"""
Executes the LLVM IR of a kernel on the host CPU, thread after thread: the last level before PTX.

The numpy interpreter covers the levels up to vectors and scf. This one covers the later steps (index types, addresses,
alignment, constants, calls of libdevice): LLVM compiles for the host the same text that the NVPTX backend gets. Special
registers become variables set by a loop over the grid, and libdevice calls become calls of the C library. Threads run
one after another; threads that synchronize are coroutines (`host_threads`).
"""

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import CFUNCTYPE, c_void_p
from functools import cache
from math import prod

import llvmlite.binding as binding
import numpy as np
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.host_conversions import with_conversions
from xshardy.interpreters.host_threads import EXCHANGES, as_coroutine, scheduler
from xshardy.lowering.nvptx import KernelSource
from xshardy.numerics.element_types import SIGNED_INTEGERS, Array, bits_in_memory

REGISTERS = "llvm.nvvm.read.ptx.sreg."
ALIGNMENT = 256
"""The alignment in bytes of the arguments; no kernel may assume more."""

_REGISTER = re.compile(rf"declare i32 @{re.escape(REGISTERS)}(\w+)\.([xyz])\(\)")
_VECTOR_ADD = re.compile(
    r'(?P<result>%\S+) = call \{[^}]*\} asm sideeffect "atom\.global\.v\d\.f32\.add [^"]*", "[^"]*"'
    r"\(ptr (?P<address>%\S+), (?P<addends>[^)]*)\)"
)
_PAIR_ADD = re.compile(
    r'call void asm sideeffect (?:alignstack )?"red\.global\.add\.noftz(?:\.v\d)?\.(?P<type>b?f16)x2 [^"]*", "[^"]*"'
    r"\(ptr (?P<address>%\S+), (?P<pairs>[^)]*)\)"
)
_FUNCTION = re.compile(r"^define ", re.MULTILINE)
_GRID_CONTROL = re.compile(r"^.*@llvm\.nvvm\.griddepcontrol\..*\n", re.MULTILINE)
"""Waiting for another kernel, and letting one start: on the host, one kernel runs at a time."""
_GPU_CALL = re.compile(r" call .*(@llvm\.nvvm\.[\w.]+)\(")
_BF16_BITS = re.compile(r"bitcast (?P<value>bfloat \S+) to i16")
_LIBDEVICE = re.compile(r"declare (?P<type>\w+) @__nv_(?P<name>\w+)\((?P<parameters>[^)]*)\)")

FLOAT_CONVERSIONS = """
define bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %low = lshr i32 %bits, 16
  %odd = and i32 %low, 1
  %bias = add i32 %odd, 32767
  %rounded = add i32 %bits, %bias
  %isnan = fcmp uno float %x, %x
  %quiet = or i32 %bits, 4194304
  %kept = select i1 %isnan, i32 %quiet, i32 %rounded
  %high = lshr i32 %kept, 16
  %narrow = trunc i32 %high to i16
  %result = bitcast i16 %narrow to bfloat
  ret bfloat %result
}
define internal float @xshardy.to_odd(double %x) {
  %near = fptrunc double %x to float
  %back = fpext float %near to double
  %inexact = fcmp one double %back, %x
  %negative = fcmp olt double %x, 0.0
  %larger = fcmp ogt double %back, %x
  %smaller = fcmp olt double %back, %x
  %above = select i1 %negative, i1 %smaller, i1 %larger
  %bits = bitcast float %near to i32
  %step = zext i1 %above to i32
  %toward_zero = sub i32 %bits, %step
  %odd = or i32 %toward_zero, 1
  %chosen = select i1 %inexact, i32 %odd, i32 %bits
  %result = bitcast i32 %chosen to float
  ret float %result
}
define bfloat @__truncdfbf2(double %x) {
  %odd = call float @xshardy.to_odd(double %x)
  %result = call bfloat @__truncsfbf2(float %odd)
  ret bfloat %result
}
define half @__truncdfhf2(double %x) {
  %odd = call float @xshardy.to_odd(double %x)
  %result = fptrunc float %odd to half
  ret half %result
}
define internal i16 @xshardy.bf16.bits(bfloat %x) noinline {
  %bits = bitcast bfloat %x to i16
  ret i16 %bits
}
"""
"""
Functions for narrow floats: those that LLVM calls and a Python process does not link, and the bits of a bf16.

The bits of a bf16 come from a call because LLVM 22 for x86 aborts on a test of the sign of a scalar bitcast. A double
is first rounded to odd as a float, so that the second rounding gives the result of a single one.
"""


def run_on_host(kernel: KernelSource, buffers: Mapping[int, Array]) -> dict[int, Array]:
    """
    Run `kernel` over its whole grid; returns the written buffers by their slice index, in their original shapes.

    `buffers` are the arguments by slice index, elements in memory order; they are not changed. Raises
    `InterpretationError` for calls that the host does not support.
    """
    memory = {number: _aligned(packed(array)) for number, array in buffers.items()}
    pointers = np.array([memory[number].ctypes.data for number in kernel.buffers], np.uint64)
    if not kernel.is_empty:
        with _compiled(kernel) as address:
            CFUNCTYPE(None, c_void_p)(address)(pointers.ctypes.data)
    return {number: unpacked(memory[number], buffers[number]) for number in kernel.written_buffers}


@contextmanager
def _compiled(kernel: KernelSource) -> Generator[int]:
    """The address of a function that runs all threads, given an array of pointers to the arguments."""
    jit = binding.create_lljit_compiler(_host_machine())
    builder = binding.JITLibraryBuilder()
    program = _prepared(host_program(kernel), kernel)
    library = builder.add_ir(program).export_symbol("xshardy.run").add_current_process()
    try:
        tracker = library.link(jit, "kernel")
    except RuntimeError as error:
        raise InterpretationError(f"the host cannot run this kernel: {str(error).strip()}") from error
    yield tracker["xshardy.run"]
    del tracker


def _prepared(text: str, kernel: KernelSource) -> str:
    """
    LLVM IR with coroutines split into functions and repeated pure calls merged.

    Without merging, the functions of a fusion that call each other would compute each value once per path to it.
    """
    level = 1 if len(_FUNCTION.findall(kernel.llvm_ir)) > 1 else 0
    if not level and "presplitcoroutine" not in text:
        return text
    module = binding.parse_assembly(text)
    builder = binding.create_pass_builder(_host_machine(), binding.create_pipeline_tuning_options(speed_level=level))
    builder.getModulePassManager().run(module, builder)
    return str(module)


@cache
def _host_machine() -> binding.TargetMachine:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    triple = binding.get_default_triple()
    # Restrict to the oldest instructions with half floats: newer bf16 instructions flush denormals to zero.
    is_x86 = triple.startswith("x86_64")
    target = binding.Target.from_triple(triple)
    return target.create_target_machine(cpu="x86-64" if is_x86 else "", features="+f16c,+fma" if is_x86 else "", opt=2)


def host_program(kernel: KernelSource) -> str:
    """The LLVM IR of `kernel` with the support code to run it on a host: `xshardy.run(pointers)`."""
    text = with_conversions(_GRID_CONTROL.sub("", kernel.llvm_ir))
    arguments = ", ".join(f"ptr %p{index}" for index in range(len(kernel.arguments)))
    if EXCHANGES.search(text) is None:
        block = _thread_loop(kernel, arguments)
    else:
        text, block = as_coroutine(text), scheduler(kernel, arguments)
    registers = set(_REGISTER.findall(text))
    text = _REGISTER.sub("", text).replace(f"@{REGISTERS}", "@xshardy.sreg.").replace("ptx_kernel ", "")
    text = _VECTOR_ADD.sub(_element_by_element, _LIBDEVICE.sub(_c_library_call, text))
    text = _BF16_BITS.sub(r"call i16 @xshardy.bf16.bits(\g<value>)", _PAIR_ADD.sub(_half_by_half, text))
    if " asm " in text:
        raise InterpretationError("the host cannot run the PTX instructions in this kernel: run another level")
    if (unknown := _GPU_CALL.search(text)) is not None:
        raise InterpretationError(f"the host cannot run {unknown[1]}: run another level")
    definitions = [_register_definition(kernel, name, axis) for name, axis in sorted(registers)]
    setters = [
        _register_setter("set_thread", "tid", kernel.block, registers),
        _register_setter("set_block", "ctaid", kernel.grid, registers),
    ]
    return "\n".join([text, *definitions, FLOAT_CONVERSIONS, *setters, block, _grid_loop(kernel, arguments)])


def _element_by_element(vector_add: re.Match[str]) -> str:
    """An atomic addition to each element, in place of one to a vector in memory."""
    result, address = vector_add["result"], vector_add["address"]
    lines: list[str] = []
    for i, addend in enumerate(vector_add["addends"].split(", ")):
        place = f"{result}.{i}"
        lines.append(f"{place} = getelementptr float, ptr {address}, i64 {i}")
        lines.append(f"{place}.before = atomicrmw fadd ptr {place}, {addend} monotonic")
    return "\n  ".join(lines)


def _half_by_half(pair_add: re.Match[str]) -> str:
    """An atomic addition of each half of several i32, in place of one to a vector of pairs in memory."""
    type = {"f16": "half", "bf16": "bfloat"}[pair_add["type"]]
    name = f"%pairs.{pair_add.start()}"
    lines: list[str] = []
    for i, pair in enumerate(pair_add["pairs"].split(", ")):
        for half in range(2):
            place = f"{name}.{2 * i + half}"
            lines += [
                f"{place}.moved = lshr {pair}, {16 * half}",
                f"{place}.bits = trunc i32 {place}.moved to i16",
                f"{place}.value = bitcast i16 {place}.bits to {type}",
                f"{place} = getelementptr {type}, ptr {pair_add['address']}, i64 {2 * i + half}",
                f"{place}.before = atomicrmw fadd ptr {place}, {type} {place}.value monotonic",
            ]
    return "\n  ".join(lines)


def _c_library_call(declaration: re.Match[str]) -> str:
    """`declare float @__nv_tanhf(float)` -> a function of that name that calls `tanhf`."""
    type, name = declaration["type"], declaration["name"]
    parameters = [parameter.strip() for parameter in declaration["parameters"].split(",")]
    listed = ", ".join(f"{parameter} %x{index}" for index, parameter in enumerate(parameters))
    stem = name.removesuffix("f") if type == "float" else name
    suffix = name[len(stem) :]
    if stem == "rsqrt":
        lines = [f"%root = call {type} @sqrt{suffix}({type} %x0)", f"%r = fdiv {type} 1.0, %root"]
        declared = f"declare {type} @sqrt{suffix}({type})"
    elif stem == "powi":
        lines = [f"%n = sitofp i32 %x1 to {type}", f"%r = call {type} @pow{suffix}({type} %x0, {type} %n)"]
        declared = f"declare {type} @pow{suffix}({type}, {type})"
    else:
        lines = [f"%r = call {type} @{name}({listed})"]
        declared = f"declare {type} @{name}({', '.join(parameters)})"
    body = "\n  ".join([*lines, f"ret {type} %r"])
    return f"{declared}\ndefine {type} @__nv_{name}({listed}) {{\n  {body}\n}}"


def _register_definition(kernel: KernelSource, name: str, axis: str) -> str:
    """The variable of a special register, and the function that reads it. Sizes are constants."""
    sizes = {"ntid": kernel.block, "nctaid": kernel.grid}
    register = f"xshardy.sreg.{name}.{axis}"
    if name in sizes:
        size = sizes[name]["xyz".index(axis)]
        return f"define i32 @{register}() {{\n  ret i32 {size}\n}}"
    return (
        f"@{register}.value = internal global i32 0\n"
        f"define i32 @{register}() {{\n  %v = load i32, ptr @{register}.value\n  ret i32 %v\n}}"
    )


def _register_setter(name: str, register: str, sizes: Sequence[int], registers: set[tuple[str, str]]) -> str:
    """
    `xshardy.NAME(number)`: set the special registers for thread `number` of a block, or block `number` of the grid.
    """
    body: list[str] = []
    stride = 1
    for axis, size in zip("xyz", sizes, strict=False):
        if (register, axis) in registers:
            body += [
                f"%{axis}.q = udiv i64 %number, {stride}",
                f"%{axis}.r = urem i64 %{axis}.q, {size}",
                f"%{axis} = trunc i64 %{axis}.r to i32",
                f"store i32 %{axis}, ptr @xshardy.sreg.{register}.{axis}.value",
            ]
        stride *= size
    lines = "\n  ".join([*body, "ret void"])
    return f"define internal void @xshardy.{name}(i64 %number) {{\n  {lines}\n}}"


def _thread_loop(kernel: KernelSource, arguments: str) -> str:
    """`xshardy.block(arguments)`: call the kernel for each thread of a block."""
    return f"""
define internal void @xshardy.block({arguments}) {{
start:
  br label %loop
loop:
  %thread = phi i64 [ 0, %start ], [ %next, %loop ]
  call void @xshardy.set_thread(i64 %thread)
  call void @"{kernel.function}"({arguments})
  %next = add i64 %thread, 1
  %more = icmp ult i64 %next, {prod(kernel.block)}
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


def _grid_loop(kernel: KernelSource, arguments: str) -> str:
    """`xshardy.run(pointers)`: run each block of the grid."""
    loads = "\n  ".join(
        f"%slot{index} = getelementptr ptr, ptr %pointers, i64 {index}\n  %p{index} = load ptr, ptr %slot{index}"
        for index in range(len(kernel.arguments))
    )
    return f"""
define void @xshardy.run(ptr %pointers) {{
start:
  {loads}
  br label %loop
loop:
  %block = phi i64 [ 0, %start ], [ %next, %loop ]
  call void @xshardy.set_block(i64 %block)
  call void @xshardy.block({arguments})
  %next = add i64 %block, 1
  %more = icmp ult i64 %next, {prod(kernel.grid)}
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


def packed(array: Array) -> Array:
    """The bytes of `array` in memory: elements of less than a byte are packed, the first one in the lowest bits."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    bits = bits_in_memory(array.dtype)
    if bits >= 8:
        return data
    per_byte = 8 // bits
    data = np.pad(data & ((1 << bits) - 1), (0, -data.size % per_byte)).reshape(-1, per_byte)
    return np.bitwise_or.reduce(data << (bits * np.arange(per_byte, dtype=np.uint8)), axis=1).astype(np.uint8)


def unpacked(memory: Array, like: Array) -> Array:
    """The inverse of `packed`: an array of the shape and type of `like`."""
    bits = bits_in_memory(like.dtype)
    if bits >= 8:
        return memory.view(like.dtype).reshape(like.shape).copy()
    shifts = bits * np.arange(8 // bits, dtype=np.uint8)
    data = ((memory[:, None] >> shifts) & ((1 << bits) - 1)).reshape(-1)[: like.size].astype(np.uint8)
    if like.dtype in SIGNED_INTEGERS.values():
        sign = np.uint8(1 << (bits - 1))
        data = (data ^ sign) - sign  # numpy holds each element in a byte
    return data.view(like.dtype).reshape(like.shape)


def _aligned(data: Array) -> Array:
    """A copy of `data`, bytes, at an address that is a multiple of `ALIGNMENT`."""
    space = np.zeros(data.size + ALIGNMENT, np.uint8)
    start = -space.ctypes.data % ALIGNMENT
    space[start : start + data.size] = data
    return space[start : start + data.size]
