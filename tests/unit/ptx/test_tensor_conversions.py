"""Copies to tensor memory that make bytes of elements of 6 and 4 bits, and loads that reduce, beside numpy."""

from itertools import product

import numpy as np
import pytest
from ptx_matrices import accepted_by_ptxas, is_taken
from tensor_kernels import copied, copy_kernel, registers, tensor_kernel, transfers

from xshardy.lowering.ptxas import assemble
from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.machine import Machine, Options

FORMATS = {"b8x16.b6x16_p32": (6, 0), "b8x16.b4x16_p64": (4, 2)}
"""Of each format the bits of an element, and the first bit that it has of its byte."""


def packed(codes: Array, bits: int) -> Array:
    """Sixteen codes at the start of each 16 bytes: [rows, elements] to [rows, bytes]."""
    digits = (codes[..., None] >> np.arange(bits) & 1).astype(np.uint8).reshape(len(codes), -1, 16 * bits)
    return np.packbits(digits, axis=-1, bitorder="little").reshape(len(codes), -1, 2 * bits)


@pytest.mark.parametrize("shape, words", [("128x128b", 4), ("128x256b", 8), ("32x128b.warpx4", 4)])
@pytest.mark.parametrize("format", FORMATS)
def test_decompression(format: str, shape: str, words: int):
    """Behind the elements are 4 or 8 bytes that are not read: here nobody has written them."""
    bits, first = FORMATS[format]
    rows = int(shape.partition("x")[0])
    codes = np.random.default_rng(bits).integers(0, 1 << bits, (rows, 4 * words)).astype(np.uint8)
    used = 2 * bits
    held = np.zeros((rows // 8, words // 4, 8, 16), np.uint8)
    groups = packed(codes, bits)
    for row in range(rows):
        held[row // 8, :, row % 8, :used] = groups[row]
    descriptor = 128 >> 4 << 16 | 128 * (words // 4) >> 4 << 32 | 1 << 46
    copies = "\n".join(f"ld.global.b32 %r10, [%rd9+{at}];\nst.shared.b32 [%r5+{at}], %r10;" for at in range(0, used, 4))
    written = copied(4096, "%rd1")
    whole = written[written.index("ld.global.v4") : written.index("add.u32 %r5, %r5, 2048;")]
    source = np.zeros(4096, np.uint8)
    source[: held.size] = held.reshape(-1)
    out = np.zeros((128, words), np.uint32)
    copy = f"tcgen05.cp.cta_group::1.{shape}.{format}"
    ptx = copy_kernel(copy, words, descriptor, written.replace(whole, copies))
    assemble(ptx, "sm_100a")
    assert Machine(ptx).run([1], [128], [source, out], Options(checks=True)) == []
    np.testing.assert_array_equal(out.view(np.uint8), np.tile(codes << first, (128 // rows, 1)))


def test_forms_of_copies_that_ptxas_takes():
    """But for copies to four lanes."""
    shapes = ("128x256b", "128x128b", "64x128b", "32x128b")
    ways = ("", ".warpx2::02_13", ".warpx2::01_23", ".warpx4")
    tried = [
        f"tcgen05.cp.cta_group::1.{shape}{way}{format} [%r1], %rd1;"
        for shape, way, format in product(shapes, ways, ("", *(f".{each}" for each in FORMATS), ".b8x16", ".b6x16_p32"))
    ]
    declared = ".reg .b32 %r<9>; .reg .b64 %rd<9>;"
    expected = accepted_by_ptxas(tried, declared, "sm_100a")
    assert sum(expected) == 15
    assert [form for form, is_right in zip(tried, expected, strict=True) if is_right != is_taken(form, declared)] == []


NAN = float("nan")


def reduced(operation: str, values: Array) -> Array:
    """One number at a time."""
    name, *modifiers, type = operation.split(".")
    result: list[float] = []
    for row in values.view({"f32": np.float32, "s32": np.int32, "u32": np.uint32}[type]).tolist():
        numbers = [abs(number) if "abs" in modifiers else number for number in row]
        known = [number for number in numbers if number == number]
        is_missing = not known or ("NaN" in modifiers and len(known) < len(numbers))
        result.append(NAN if is_missing else max(known) if name == "max" else min(known))
    return np.array(result)


OPERATIONS = [
    *(f"{name}{absolute}{nan}.f32" for name, absolute, nan in product(("min", "max"), ("", ".abs"), ("", ".NaN"))),
    *(f"{name}.{type}" for name, type in product(("min", "max"), ("u32", "s32"))),
]


def reducing_kernel(operation: str, count: int, *, waits: bool = True) -> str:
    return tensor_kernel(f"""
.reg .b32 %v<128>;
{transfers("ld", count, "%rd1")}
tcgen05.st.sync.aligned.32x32b.x{count}.b32 [%r31], {registers(count)};
{"tcgen05.wait::st.sync.aligned;" if waits else ""}
tcgen05.ld.red.sync.aligned.32x32b.x{count}.{operation} {registers(count)}, %v{count}, [%r31];
tcgen05.wait::ld.sync.aligned;
{transfers("st", count + 1, "%rd2")}""")


@pytest.mark.parametrize("count", [2, 8, 32])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_reductions(operation: str, count: int):
    rng = np.random.default_rng(count)
    values = rng.integers(0, 1 << 32, (128, count)).astype(np.uint32)
    if operation.endswith("f32"):
        numbers = rng.standard_normal((128, count)).astype(np.float32)
        numbers[rng.random((128, count)) < 0.1] = NAN
        numbers[7] = NAN
        values = numbers.view(np.uint32)
    out = np.zeros((128, count + 1), np.uint32)
    assert Machine(reducing_kernel(operation, count)).run([1], [128], [values, out], Options(checks=True)) == []
    np.testing.assert_array_equal(out[:, :count], values)
    dtype = {"f32": np.float32, "s32": np.int32, "u32": np.uint32}[operation.rpartition(".")[2]]
    expected = reduced(operation, values).astype(dtype)
    np.testing.assert_array_equal(np.ascontiguousarray(out[:, count]).view(dtype), expected)


def test_a_reduction_of_what_is_not_stored_yet():
    values, out = np.zeros((128, 2), np.uint32), np.zeros((128, 3), np.uint32)
    options = Options(checks=True, collects_faults=True)
    faults = Machine(reducing_kernel("max.u32", 2, waits=False)).run([1], [128], [values, out], options)
    assert {fault.kind for fault in faults} == {FaultKind.RACE}


def test_forms_of_reductions_that_ptxas_takes():
    tried = [
        f"tcgen05.ld.red.sync.aligned.{shape}.x{count}.{operation} {{{', '.join(f'%r{n}' for n in range(given))}}}, "
        f"%r9, [%r8];"
        for shape, count, given, operation in product(
            ("32x32b", "16x64b"),
            (1, 2, 4),
            (1, 2, 4),
            (*OPERATIONS, "add.u32", "max.b32", "max.f16", "max.abs.s32", "max.NaN.u32", "max.pack::16b.f32", "max"),
        )
    ]
    declared = ".reg .b32 %r<16>;"
    expected = accepted_by_ptxas(tried, declared, "sm_103a")
    assert sum(expected) == 2 * len(OPERATIONS)
    assert [form for form, is_right in zip(tried, expected, strict=True) if is_right != is_taken(form, declared)] == []


def test_lanes_of_two_threads_are_refused():
    """The ISA does not say whether they get what is least of both."""
    with pytest.raises(PtxError, match=r"only \.32x32b with at least two registers is supported"):
        Machine(tensor_kernel("tcgen05.ld.red.sync.aligned.16x32bx2.x2.max.u32 {%r1, %r2}, %r3, [%r31], 16;")).run(
            [1], [128], [np.zeros(4, np.uint32)] * 2
        )
