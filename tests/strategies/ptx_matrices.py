"""Kernels of one matrix instruction of a warp, whose registers come from arrays, [32 lanes, registers]."""

import re
from collections.abc import Sequence

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import Fault
from xshardy.ptx.machine import Machine, Options

HEADER = ".version 9.1\n.target {target}\n.address_size 64\n"

LANE = np.arange(32)
G, T = LANE // 4, LANE % 4
"""The group of four lanes that a lane is in, and its place there, as the PTX ISA has them."""
ORDERED = [code for code in range(16) if code & 3 < code >> 2]
"""Metadata of two elements of four, the first of which comes first."""


def warp_kernel(instruction: str, counts: Sequence[int], *, bits: int = 32, target: str = "sm_90a") -> str:
    """
    A kernel of one warp: parameter i has the `counts[i]` registers of each lane, the last one those of the result.

    In `instruction`, `$0` is the vector of registers of parameter i, and `$0.0` its first register.
    """
    size, lines = bits // 8, list[str]()
    names = [[f"%x{number}_{register}" for register in range(count)] for number, count in enumerate(counts)]
    for number, registers in enumerate(names):
        lines.append(f"  .reg .b{bits} {', '.join(registers)};\n  ld.param.b64 %rd2, [k_{number}];")
        lines.append(f"  mad.wide.u32 %rd3, %r1, {size * len(registers)}, %rd2;")
        if number < len(names) - 1:
            lines += [f"  ld.global.b{bits} {name}, [%rd3+{size * at}];" for at, name in enumerate(registers)]
    text = re.sub(r"\$(\d+)\.(\d+)", lambda found: names[int(found[1])][int(found[2])], instruction)
    lines.append("  " + re.sub(r"\$(\d+)", lambda found: "{" + ", ".join(names[int(found[1])]) + "}", text))
    lines += [f"  st.global.b{bits} [%rd3+{size * at}], {name};" for at, name in enumerate(names[-1])]
    listed = ",\n".join(f"  .param .u64 .ptr .align 16 k_{number}" for number in range(len(counts)))
    return (
        f"{HEADER.format(target=target)}.visible .entry k(\n{listed}\n)\n{{\n  .reg .b32 %r<4>;\n"
        "  .reg .b64 %rd<4>;\n  mov.u32 %r1, %tid.x;\n" + "\n".join(lines) + "\n  ret;\n}\n"
    )


def executed(instruction: str, operands: Sequence[Array], registers: int, dtype: type[np.generic] = np.uint32) -> Array:
    """What the instruction writes to so many registers of each lane, for words of the operands."""
    out = np.zeros((32, registers), operands[0].dtype)
    ptx = warp_kernel(instruction, [*(operand.shape[1] for operand in operands), registers], bits=8 * out.itemsize)
    assert Machine(ptx).run([1], [32], [*map(np.ascontiguousarray, operands), out], Options(checks=True)) == []
    return out.view(dtype)


def faults_of(instruction: str, operands: Sequence[Array], registers: int) -> Sequence[Fault]:
    """The faults of the instruction, all of them."""
    ptx = warp_kernel(instruction, [*(operand.shape[1] for operand in operands), registers])
    arguments = [*map(np.ascontiguousarray, operands), np.zeros((32, registers), np.uint32)]
    return Machine(ptx).run([1], [32], arguments, Options(checks=True, collects_faults=True))


def packed(values: Array, bits: int) -> Array:
    """Small integers as words, the first in the lowest bits: [..., elements] to [..., words]."""
    parts = (values.astype(np.int64) & ((1 << bits) - 1)).reshape(*values.shape[:-1], -1, 32 // bits)
    return (parts << np.arange(0, 32, bits)).sum(axis=-1).astype(np.uint32)


def words_of(values: Array, name: str) -> Array:
    """Elements of a type of the PTX ISA, [32, elements], as words."""
    bits = {"s4": 4, "u4": 4, "b1": 1}.get(name)
    return packed(values, bits) if bits else np.ascontiguousarray(values).view(np.uint32)


def is_taken(instruction: str, registers: str) -> bool:
    """Whether the machine takes an instruction, in a kernel with these declarations."""
    text = f"{HEADER.format(target='sm_90a')}.visible .entry k()\n{{\n{registers}\n{instruction}\nret;\n}}\n"
    try:
        Machine(text).run([0], [128], [])
    except PtxError:
        return False
    return True


def accepted_by_ptxas(instructions: Sequence[str], registers: str, target: str = "sm_90a") -> list[bool]:
    """Which instructions ptxas accepts, each in a line of one kernel with these declarations."""
    from xshardy.lowering.ptxas import AssemblerError, assemble

    kernel = [*HEADER.format(target=target).splitlines(), ".visible .entry k()", "{", registers]
    text = "\n".join([*kernel, *instructions, "ret;", "}"])
    try:
        assemble(text, target)
    except AssemblerError as error:
        wrong = {int(found) for found in re.findall(r"line (\d+); error", str(error))}
        assert wrong, error
        return [len(kernel) + 1 + number not in wrong for number in range(len(instructions))]
    return [True] * len(instructions)
