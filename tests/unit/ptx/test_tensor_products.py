"""`tcgen05.mma` on matrices that the test lays out element by element, beside numpy."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import booleans, sampled_from
from ptx_kernels import line_of
from ptx_warpgroups import SECOND, image, signed
from tensor_kernels import copied, issued, registers, tensor_kernel, transfers

from xshardy.lowering.ptxas import assemble
from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultError, FaultKind
from xshardy.ptx.instruction_descriptors import Product, Use, decoded
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.profiling import profile

VERSION = 1 << 46
"""Of descriptors of matrices in shared memory for `tcgen05`."""
KINDS: dict[str, tuple[str, type[Any], int, int]] = {
    "f16": ("f16", np.float16, 0, 16),
    "bf16": ("f16", ml_dtypes.bfloat16, 1, 16),
    "tf32": ("tf32", np.float32, 2, 8),
    "e4m3": ("f8f6f4", ml_dtypes.float8_e4m3fn, 0, 32),
    "e5m2": ("f8f6f4", ml_dtypes.float8_e5m2, 1, 32),
    "s8": ("i8", np.int8, 1, 32),
    "u8": ("i8", np.uint8, 0, 32),
}
"""Of each element, the kind, how numpy calls it, its number in a descriptor and the depth of a product."""


def descriptor(rows: int, columns: int, code: int, result: int, turned: tuple[bool, bool] = (False, False)) -> int:
    """An instruction descriptor."""
    bits = result << 4 | code << 7 | code << 10 | columns >> 3 << 17 | rows >> 4 << 24
    return bits | turned[0] << 15 | turned[1] << 16


def numbers(dtype: type[Any], *shape: int) -> Array:
    low = 0 if np.dtype(dtype).kind == "u" else -4
    return np.random.default_rng(sum(shape)).integers(low, 5, shape).astype(dtype)


def product_kernel(columns: int, instructions: list[str], before: str = "", words: int | None = None) -> str:
    """A kernel that copies 64 KiB to shared memory, executes instructions and stores `words` columns of each lane."""
    words = words or columns
    loads = "\n".join(
        f"tcgen05.ld.sync.aligned.32x32b.x8.b32 {registers(8, first)}, [%r31+{first}];" for first in range(0, words, 8)
    )
    body = f"""
.reg .b32 %v<128>;
{copied(2 * SECOND, "%rd1")}
mov.pred %p2, 1;
mov.pred %p3, 0;
{before}
{issued(instructions)}
{loads}
tcgen05.wait::ld.sync.aligned;
{transfers("st", words, "%rd2")}"""
    return tensor_kernel(body, columns=128, shared=2 * SECOND)


def steps(
    kind: str, a: Array, b: Array, spans: tuple[int, int], turned: tuple[bool, bool], depth: int, bits: int
) -> tuple[bytes, list[str]]:
    """The bytes of A and B in shared memory, and the products for each part of the depth."""
    (left, left_bits, left_steps), (right, right_bits, right_steps) = (
        image(matrix, span, is_turned, depth) for matrix, span, is_turned in zip((a, b), spans, turned, strict=True)
    )
    found: list[str] = []
    for step in range(a.shape[1] // depth):
        one = signed(left_bits + step * left_steps[0] | VERSION)
        other = signed(right_bits + (SECOND >> 4) + step * right_steps[0] | VERSION)
        keep = "%p2" if step else "%p3"
        found.append(f"tcgen05.mma.cta_group::1.kind::{kind} [%r30], {one}, {other}, {bits}, {keep};")
    return left + right, found


def execute(ptx: str, source: bytes, out: Array) -> None:
    assert Machine(ptx).run([1], [128], [np.frombuffer(source, np.uint8).copy(), out], Options(checks=True)) == []


@given(
    name=sampled_from([*KINDS]),
    rows=sampled_from([64, 128]),
    columns=sampled_from([8, 16, 32, 64]),
    span=sampled_from([0, 32, 64, 128]),
    turned_a=booleans(),
    turned_b=booleans(),
)
def test_products_of_each_kind(name: str, rows: int, columns: int, span: int, turned_a: bool, turned_b: bool):
    """Of every element, shape, swizzle and order. Of 64 rows there are 16 in each quarter of the lanes."""
    kind, dtype, code, depth = KINDS[name]
    result = np.dtype(np.int32 if kind == "i8" else np.float32)
    size = np.dtype(dtype).itemsize
    turned = (turned_a and size < 4, turned_b and size < 4)
    if turned[1]:
        columns = max(columns, span // size, 16)
    if kind == "i8":
        columns = max(columns, 16)
    whole = span // size if span else 2 * depth
    a, b = numbers(dtype, rows, whole), numbers(dtype, columns, whole)
    bits = descriptor(rows, columns, code, 2 if kind == "i8" else 1, turned)
    source, instructions = steps(kind, a, b, (span, span), turned, depth, bits)
    before = "" if rows == 128 else f"mov.b32 %v0, 0;\n{_cleared(columns)}"
    ptx = product_kernel(columns, instructions, before)
    out = np.zeros((128, columns), np.uint32)
    execute(ptx, source, out)
    expected = a.astype(np.float64) @ b.astype(np.float64).T
    found = out.view(result)
    if rows == 64:
        found = found.reshape(4, 32, columns)[:, :16].reshape(64, columns)
    np.testing.assert_array_equal(found, expected.astype(result))


def _cleared(columns: int) -> str:
    """Stores of zeros to all lanes of so many columns."""
    zeros = "{" + ", ".join(["%v0"] * 8) + "}"
    each = [f"tcgen05.st.sync.aligned.32x32b.x8.b32 [%r31+{first}], {zeros};" for first in range(0, columns, 8)]
    return "\n".join([*each, "tcgen05.wait::st.sync.aligned;", "bar.sync 0;"])


def test_ptxas_accepts_the_kernels():
    a, b = numbers(np.float16, 128, 32), numbers(np.float16, 16, 32)
    _, instructions = steps("f16", a, b, (0, 0), (False, False), 16, descriptor(128, 16, 0, 1))
    assemble(product_kernel(16, [_in_registers(each) for each in instructions]), "sm_100a")


def _in_registers(instruction: str) -> str:
    """ptxas wants descriptors in registers."""
    opcode, operands = instruction.split(" ", 1)
    d, one, other, bits, keep = operands.rstrip(";").split(", ")
    moves = f"mov.b64 %rd10, {one};\nmov.b64 %rd11, {other};\nmov.b32 %r20, {bits};\n"
    return f"bra.uni $next{one[-6:]};\n$next{one[-6:]}:\n{moves}@%p11 {opcode} {d}, %rd10, %rd11, %r20, {keep};"


def of_f16(rows: int = 128, columns: int = 16, *, change: int = 0, keep: str = "%p3", behind: str = "") -> str:
    """One product of f16, with bits of its descriptor changed."""
    a, b = numbers(np.float16, 128, 16), numbers(np.float16, columns, 16)
    _, (instruction,) = steps("f16", a, b, (0, 0), (False, False), 16, descriptor(rows, columns, 0, 1) ^ change)
    return instruction.replace("%p3;", f"{keep}{behind};")


def with_descriptor_of_a(change: int) -> str:
    """A product of f16 with bits of the descriptor of A changed."""
    d, one, *rest = of_f16().split(", ")
    return ", ".join([d, str(signed(int(one) % (1 << 64) ^ change)), *rest])


def matrices_of_f16(columns: int = 16) -> tuple[Array, Array, bytes]:
    a, b = numbers(np.float16, 128, 16), numbers(np.float16, columns, 16)
    source, _ = steps("f16", a, b, (0, 0), (False, False), 16, 0)
    return a, b, source


def test_a_negated_matrix():
    a, b, source = matrices_of_f16()
    out = np.zeros((128, 16), np.float32)
    execute(product_kernel(16, [of_f16(change=1 << 13)]), source, out)
    np.testing.assert_array_equal(out, -(a.astype(np.float32) @ b.astype(np.float32).T))


def test_a_scaled_accumulator():
    a, b, source = matrices_of_f16()
    out = np.zeros((128, 16), np.float32)
    execute(product_kernel(16, [of_f16(), of_f16(keep="%p2", behind=", 2")]), source, out)
    np.testing.assert_array_equal(out, 1.25 * (a.astype(np.float32) @ b.astype(np.float32).T))


def test_sums_of_16_bits_have_a_cell_each():
    a, b, source = matrices_of_f16()
    out = np.zeros((128, 16), np.uint32)
    execute(product_kernel(16, [of_f16(change=1 << 4)]), source, out)
    np.testing.assert_array_equal(
        out.astype(np.uint16).view(np.float16), (a.astype(np.float32) @ b.astype(np.float32).T).astype(np.float16)
    )


def test_disabled_lanes_stay():
    a, b, source = matrices_of_f16()
    out = np.zeros((128, 16), np.float32)
    masked = of_f16(keep="%p2").replace(", %p2", ", {%v4, %v5, %v6, %v7}, %p2")
    before = "mov.b32 %v4, 3;\nmov.b32 %v5, 0;\nmov.b32 %v6, 0x80000000;\nmov.b32 %v7, -1;"
    execute(product_kernel(16, [of_f16(), masked], before), source, out)
    once = a.astype(np.float32) @ b.astype(np.float32).T
    disabled = np.zeros(128, np.bool_)
    disabled[[0, 1, 95, *range(96, 128)]] = True
    np.testing.assert_array_equal(out, np.where(disabled[:, None], once, 2 * once))


def test_a_in_tensor_memory():
    """Eight cells of a lane have 16 numbers of a row."""
    a, b, source = matrices_of_f16()
    packed = np.ascontiguousarray(a).view(np.uint32)
    instruction = of_f16().split(", ")
    instruction[1] = "[%r30+64]"
    before = f"""
{transfers("ld", 8, "%rd3")}
tcgen05.st.sync.aligned.32x32b.x8.b32 [%r31+64], {registers(8)};
tcgen05.wait::st.sync.aligned;
bar.sync 0;"""
    ptx = product_kernel(16, [", ".join(instruction)], before).replace(
        "k_1\n)", "k_1,\n  .param .u64 .ptr .align 16 k_2\n)"
    )
    ptx = ptx.replace("  mov.u32 %r1, %tid.x;", "  ld.param.b64 %rd3, [k_2];\n  mov.u32 %r1, %tid.x;")
    out = np.zeros((128, 16), np.float32)
    arguments = [np.frombuffer(source, np.uint8).copy(), out, packed]
    assert Machine(ptx).run([1], [128], arguments, Options(checks=True)) == []
    np.testing.assert_array_equal(out, a.astype(np.float32) @ b.astype(np.float32).T)


PACKED = {
    "e2m1": (ml_dtypes.float4_e2m1fn, 4, 5),
    "e2m3": (ml_dtypes.float6_e2m3fn, 6, 3),
    "e3m2": (ml_dtypes.float6_e3m2fn, 6, 4),
}


def packed(codes: Array, bits: int, container: int) -> Array:
    """Rows of codes as bytes: sixteen of them at the start of each 16 bytes if their container has 8 bits."""
    digits = (codes[..., None] >> np.arange(bits, dtype=np.uint8) & 1).astype(np.uint8)
    if container == bits:
        return np.packbits(digits.reshape(len(codes), -1), axis=-1, bitorder="little")
    groups = digits.reshape(len(codes), -1, 16 * bits)
    groups = np.pad(groups, ((0, 0), (0, 0), (0, 16 * (container - bits))))
    return np.packbits(groups, axis=-1, bitorder="little").reshape(len(codes), -1)


@pytest.mark.parametrize("name", PACKED)
def test_elements_of_fewer_bits_than_a_byte(name: str):
    dtype, bits, code = PACKED[name]
    random = np.random.default_rng(bits)
    a, b = (random.integers(0, 1 << bits, (rows, 32)).astype(np.uint8) for rows in (128, 16))
    raw = [packed(codes, bits, 8) for codes in (a, b)]
    source, instructions = steps("f8f6f4", raw[0], raw[1], (0, 0), (False, False), 32, descriptor(128, 16, code, 1))
    out = np.zeros((128, 16), np.float32)
    execute(product_kernel(16, instructions), source, out)
    left, right = (codes.view(dtype).astype(np.float64) for codes in (a, b))
    np.testing.assert_array_equal(out, (left @ right.T).astype(np.float32))


SCALED = {
    "mxf8f6f4": ("block_scale", ml_dtypes.float8_e4m3fn, 8, 0, 32, 1, True),
    "mxf4": ("block_scale", ml_dtypes.float4_e2m1fn, 4, 1, 64, 2, True),
    "mxf4nvf4": ("block_scale.scale_vec::4X", ml_dtypes.float4_e2m1fn, 4, 1, 64, 4, False),
}
"""Modifiers, elements, their bits and number, the depth, the factors of a row, and whether these are powers of two."""


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("kind", SCALED)
def test_scaled_products(kind: str, first: int):
    """Row i of A, and column i of B, have their factors in lane i % 32 of column i / 32, from byte `first` on."""
    modifiers, dtype, bits, code, depth, factors, powers = SCALED[kind]
    first = first // factors * factors
    random = np.random.default_rng(depth + first)
    columns = 40
    a, b = (random.integers(0, 1 << min(bits, 6), (rows, depth)).astype(np.uint8) for rows in (128, columns))
    raw = [codes if bits == 8 else packed(codes, bits, bits) for codes in (a, b)]
    scales = random.integers(*((120, 134) if powers else (40, 80)), (168, 4)).astype(np.uint8)
    left, right = (codes.view(dtype).astype(np.float64) for codes in (a, b))
    scale = ml_dtypes.float8_e8m0fnu if powers else ml_dtypes.float8_e4m3fn
    values = scales.view(scale).astype(np.float64)[:, first : first + factors].repeat(depth // factors, axis=1)
    idesc = first << 4 | code << 7 | code << 10 | columns >> 3 << 17 | powers << 23 | 1 << 27 | first << 29
    source, (instruction,) = steps(kind, raw[0], raw[1], (0, 0), (False, False), 32, 0)
    instruction = instruction.replace(f"kind::{kind}", f"kind::{kind}.{modifiers}")
    instruction = instruction.replace(", 0, %p3", f", {idesc}, [%r30+64], [%r30+80], %p3")
    cells = np.zeros((32, 6), np.uint32)
    for row in range(168):
        place = row // 32 if row < 128 else 4 + (row - 128) // 32
        cells[row % 32 if row < 128 else (row - 128) % 32, place] = scales[row].view(np.uint32)[0]
    before = f"""
and.b32 %r20, %r1, 31;
mul.wide.u32 %rd20, %r20, 24;
add.s64 %rd20, %rd1, %rd20;
{"".join(f"ld.global.b32 %v{number}, [%rd20+{SECOND - 1024 + 4 * number}];" for number in range(6))}
tcgen05.st.sync.aligned.32x32b.x4.b32 [%r31+64], {registers(4)};
tcgen05.st.sync.aligned.32x32b.x2.b32 [%r31+80], {registers(2, 4)};
tcgen05.wait::st.sync.aligned;
bar.sync 0;"""
    held = bytearray(source)
    held[SECOND - 1024 : SECOND - 1024 + cells.nbytes] = cells.tobytes()
    out = np.zeros((128, columns), np.float32)
    execute(product_kernel(columns, [instruction], before), bytes(held), out)
    expected = (left * values[:128]) @ (right * values[128:]).T
    np.testing.assert_array_equal(out, expected.astype(np.float32))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (7 << 7, "has type 7 for A, but .kind::f16 has 0 or 1"),
        (2 << 10, "has type 2 for B, but .kind::f16 has 0 or 1"),
        (3 << 4, "has type 2 for D, but .kind::f16 has 0 or 1"),
        (1 << 4 | 1 << 7, "has elements bf16 and sums f16: these need elements f16"),
        (1 << 2, "has a sparse A"),
        (1 << 24, "has 144 rows, but .kind::f16 of 1 block has 64 or 128"),
        (2 << 17, "has 0 columns: expected a multiple of 8 up to 256"),
        (33 << 17, "has 280 columns: expected a multiple of 8 up to 256"),
    ],
)
def test_wrong_instruction_descriptors(change: int, message: str):
    instruction = of_f16(change=change)
    _, _, source = matrices_of_f16()
    ptx = product_kernel(16, [instruction])
    with pytest.raises(FaultError) as error:
        execute(ptx, source, np.zeros((128, 16), np.float32))
    assert error.value.fault.kind is FaultKind.DESCRIPTOR
    assert f"uses an instruction descriptor that {message}" in error.value.fault.message
    assert error.value.fault.line == line_of(ptx, instruction)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (VERSION, "has 0 in bits 46 to 48, where sm_100 expects 1"),
        (1 << 55, "has bits 53 to 60 set, which must be 0"),
        (3 << 61, "has the unknown swizzle 3"),
        (1 << 61, "has a swizzle with atoms of 32 bytes, which is not supported"),
        (1 << 52, "has an absolute leading dimension, which sm_100 has not"),
    ],
)
def test_wrong_matrix_descriptors(change: int, message: str):
    _, _, source = matrices_of_f16()
    ptx = product_kernel(16, [with_descriptor_of_a(change)])
    with pytest.raises(FaultError) as error:
        execute(ptx, source, np.zeros((128, 16), np.float32))
    assert error.value.fault.kind is FaultKind.DESCRIPTOR
    assert message in error.value.fault.message


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        (of_f16(change=1 << 2), "uses an instruction descriptor that has a sparse A"),
        (with_descriptor_of_a(VERSION), "has 0 in bits 46 to 48"),
        (of_f16().replace("[%r30]", "[%r30+1048576]"), "has its sums from lane 16 on: expected 0"),
        (
            of_f16(64).replace(f"[%r30], {of_f16().split(', ')[1]}", "[%r30+1048576], [%r30+64]"),
            "has its A from lane 0 on, but its sums from lane 16 on",
        ),
        (
            of_f16().replace("cta_group::1", "cta_group::2"),
            "multiplies with another block, but its cluster has an odd number of blocks",
        ),
    ],
)
def test_a_refused_product_leaves_the_sums_as_they_were(instruction: str, message: str):
    _, _, source = matrices_of_f16()
    out = np.zeros((128, 16), np.uint32)
    arguments = [np.frombuffer(source, np.uint8).copy(), out]
    ptx = product_kernel(16, [instruction], f"mov.b32 %v0, 7;\n{_cleared(16)}")
    (fault,) = Machine(ptx).run([1], [128], arguments, Options(checks=True, collects_faults=True))
    assert fault.kind is FaultKind.DESCRIPTOR and message in fault.message
    assert (out == 7).all()


def scaled_descriptor(change: int = 0) -> int:
    """Of 128 rows and 32 columns of e2m1, whose scale factors are powers of two."""
    return (1 << 7 | 1 << 10 | 32 >> 3 << 17 | 1 << 23 | 1 << 27) ^ change


@pytest.mark.parametrize(
    ("bits", "use", "message"),
    [
        (descriptor(128, 32, 1, 2) | 1 << 13, Use("i8", 1), "negates A or B, which .kind::i8 does not do"),
        (scaled_descriptor(1 << 16), Use("mxf4", 1, 2), "transposes A or B, which .kind::mxf4 does not do"),
        (scaled_descriptor(1 << 31), Use("mxf4", 1, 2), "has a depth of 96, which sm_100 has not"),
        (
            scaled_descriptor(1 << 23),
            Use("mxf4nvf4", 1, 2),
            "has scale factors ue4m3, which .kind::mxf4nvf4 with 2 of them has not",
        ),
        (
            scaled_descriptor(1 << 29),
            Use("mxf4", 1, 2),
            "begins with scale factor 1 of A and 0 of B: expected multiples of 2",
        ),
    ],
)
def test_what_a_kind_of_product_has_not(bits: int, use: Use, message: str):
    assert decoded(bits, use) == message


def test_descriptors_of_scaled_products_that_are_right():
    found = decoded(scaled_descriptor(), Use("mxf4", 1, 2))
    assert isinstance(found, Product) and (found.rows, found.columns, found.scale) == (128, 32, "ue8m0")
    fine = decoded(scaled_descriptor(1 << 23), Use("mxf4nvf4", 1, 4))
    assert isinstance(fine, Product) and fine.scale == "ue4m3"


@pytest.mark.parametrize(
    ("instruction", "message"),
    [
        (of_f16().replace("kind::f16", "kind::f16.ashift"), "the direction of .ashift is not known"),
        (of_f16().replace(", %p3;", ", {%r1, %r1}, %p3;"), "the mask of lanes has 2 registers, not 4"),
        (with_descriptor_of_a(1 << 49 | 2 << 61), "descriptors with a base offset"),
        (
            steps("tf32", *(numbers(np.float32, rows, 8) for rows in (128, 16)), (0, 0), (False, False), 8, 0)[1][
                0
            ].replace(", 0, ", f", {descriptor(128, 16, 2, 1, (True, False))}, "),
            "transposed matrices of tf32",
        ),
    ],
)
def test_products_that_are_not_supported(instruction: str, message: str):
    _, _, source = matrices_of_f16()
    with pytest.raises(PtxError, match=message):
        execute(product_kernel(16, [instruction]), source, np.zeros((128, 16), np.float32))


def fault_of(ptx: str) -> tuple[FaultKind, str, int]:
    _, _, source = matrices_of_f16()
    with pytest.raises(FaultError) as error:
        execute(ptx, source, np.zeros((128, 16), np.float32))
    fault = error.value.fault
    return fault.kind, fault.message, fault.line


def test_sums_that_are_read_before_they_are_complete():
    """Behind a barrier of the threads, but not behind that of the commit."""
    ptx = product_kernel(16, [of_f16()])
    start, end = ptx.index("$wait0:"), ptx.index("@!%p13 bra $wait0;")
    ptx = ptx[:start] + "bar.sync 0;//" + ptx[start:end].replace("\n", " ") + ptx[end + len("@!%p13 bra $wait0;") :]
    kind, message, line = fault_of(ptx)
    assert kind is FaultKind.RACE
    assert "reads what the tcgen05 of thread (0, 0, 0) of block (0, 0, 0) writes, with no wait and barrier" in message
    assert line == line_of(ptx, "tcgen05.ld.sync")


def test_a_product_that_is_not_committed():
    ptx = product_kernel(16, [of_f16()])
    ptx = ptx.replace("@%p11 tcgen05.commit", "//@%p11 tcgen05.commit")
    kind, message, _ = fault_of(ptx)
    assert kind is FaultKind.NEVER_COMPLETE
    assert "which lacks 1 arrivals and 0 bytes" in message


def test_an_arrival_is_no_commit():
    ptx = product_kernel(16, [of_f16()])
    ptx = ptx.replace("@%p11 tcgen05.commit", "@%p11 mbarrier.arrive.shared.b64 _, [%r32];\n//@%p11 tcgen05.commit")
    kind, message, line = fault_of(ptx)
    assert kind is FaultKind.RACE
    assert "reads what the tcgen05 of thread" in message
    assert line == line_of(ptx, "tcgen05.ld.sync")


def test_a_missing_proxy_fence():
    ptx = product_kernel(16, [of_f16()])
    kind, message, line = fault_of(ptx.replace("fence.proxy.async.shared::cta;", ""))
    assert kind is FaultKind.PROXY
    assert line == line_of(ptx, "@%p11 tcgen05.mma")
    assert "with no fence.proxy.async between" in message


def test_a_matrix_that_is_overwritten_while_it_is_read():
    ptx = product_kernel(16, [of_f16()])
    ptx = ptx.replace("@%p11 tcgen05.commit", "@%p11 st.shared.b32 [%r3], %r1;\n@%p11 tcgen05.commit")
    kind, message, line = fault_of(ptx)
    assert kind is FaultKind.RACE
    assert "writes what the tcgen05 of thread (0, 0, 0) of block (0, 0, 0) reads" in message
    assert line == line_of(ptx, "@%p11 st.shared")


def test_sums_that_nobody_has_cleared():
    kind, message, _ = fault_of(product_kernel(16, [of_f16(keep="%p2")]))
    assert kind is FaultKind.UNINITIALIZED
    assert "at lane 0, column 0 of tensor memory" in message


def test_products_are_counted():
    counted = profile(product_kernel(16, [of_f16()]), [3], [128])
    assert counted.products == 3 * 128 * 16 * 16
    assert counted.classes["matrix"] == 3 * 4  # warps, most of which have no thread that issues it
    assert counted.classes["tensor memory load"] == 3 * 4 * 2


PAIR = """
.reg .b32 %v<128>;
mov.u32 %r7, %cluster_ctarank;
{copied}
mov.pred %p2, 1;
mov.pred %p3, 0;
setp.eq.u32 %p12, %r7, 0;
and.pred %p11, %p11, %p12;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
mov.b16 %h1, 3;
mov.b32 %r20, {bits};
mov.b64 %rd10, {left};
mov.b64 %rd11, {right};
@%p11 tcgen05.mma.cta_group::2.kind::f16 [%r30], %rd10, %rd11, %r20, %p3;
@%p11 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r32], %h1;
$wait0:
mbarrier.try_wait.parity.shared.b64 %p13, [%r32], 0;
@!%p13 bra $wait0;
tcgen05.fence::after_thread_sync;
{loads}
tcgen05.wait::ld.sync.aligned;
shl.b32 %r8, %r7, 7;
add.u32 %r1, %r1, %r8;
{stores}
sub.u32 %r1, %r1, %r8;
barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;"""


def test_scaled_products_of_two_blocks():
    """Each has the factors of its rows, and those of all columns."""
    columns = 32
    random = np.random.default_rng(2)
    a, b = (random.integers(0, 64, (rows, 32)).astype(np.uint8) for rows in (256, columns))
    scales = random.integers(120, 134, (256 + columns, 1)).astype(np.uint8)
    halves: list[bytes] = []
    for block in range(2):
        source, (instruction,) = steps(
            "mxf8f6f4", a[128 * block :][:128], b[16 * block :][:16], (0, 0), (False, False), 32, 0
        )
        cells = np.zeros((32, 5), np.uint32)
        for row in range(128):
            cells[row % 32, row // 32] = scales[128 * block + row, 0]
        cells[:, 4] = scales[256:, 0]
        held = bytearray(source)
        held[SECOND - 1024 : SECOND - 1024 + cells.nbytes] = cells.tobytes()
        halves.append(bytes(held))
    _, left, right, *_ = instruction.split(", ")
    copies = f"""mul.wide.u32 %rd7, %r7, {2 * SECOND};
add.s64 %rd1, %rd1, %rd7;
{copied(2 * SECOND, "%rd1")}
and.b32 %r20, %r1, 31;
mul.wide.u32 %rd20, %r20, 20;
add.s64 %rd20, %rd1, %rd20;
{"".join(f"ld.global.b32 %v{number}, [%rd20+{SECOND - 1024 + 4 * number}];" for number in range(5))}
tcgen05.st.sync.aligned.32x32b.x4.b32 [%r31+64], {registers(4)};
tcgen05.st.sync.aligned.32x32b.x1.b32 [%r31+80], {registers(1, 4)};
tcgen05.wait::st.sync.aligned;"""
    body = PAIR.format(
        copied=copies,
        bits=columns >> 3 << 17 | 1 << 23 | 2 << 27,
        left=left,
        right=right,
        loads=f"tcgen05.ld.sync.aligned.32x32b.x32.b32 {registers(32)}, [%r31];",
        stores=transfers("st", columns, "%rd2"),
    )
    body = body.replace("kind::f16", "kind::mxf8f6f4.block_scale").replace(
        "%r20, %p3", "%r20, [%r30+64], [%r30+80], %p3"
    )
    ptx = tensor_kernel(body, columns=128, shared=2 * SECOND).replace("cta_group::1", "cta_group::2")
    assemble(ptx, "sm_100a")
    source, out = np.frombuffer(b"".join(halves), np.uint8).copy(), np.zeros((256, columns), np.float32)
    assert Machine(ptx).run([2], [128], [source, out], Options(checks=True, cluster=[2])) == []
    values = scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float64)
    known = [codes.view(ml_dtypes.float8_e4m3fn).astype(np.float64) for codes in (a, b)]
    expected = (known[0] * values[:256]) @ (known[1] * values[256:]).T
    np.testing.assert_array_equal(out, expected.astype(np.float32))


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (128, 24, "has 24 columns: expected a multiple of 16 up to 256"),
        (64, 32, "has 64 rows, but .kind::f16 of 2 blocks has 128 or 256"),
    ],
)
def test_shapes_that_two_blocks_have_not(rows: int, columns: int, message: str):
    assert decoded(descriptor(rows, columns, 0, 1), Use("f16", 2)) == message


@pytest.mark.parametrize(("columns", "fits"), [(8, True), (24, True), (40, False), (48, True), (256, True)])
def test_columns_of_integers(columns: int, fits: bool):
    assert isinstance(decoded(descriptor(128, columns, 1, 2), Use("i8", 1)), Product) == fits


@pytest.mark.parametrize(("columns", "fits"), [(8, False), (16, True), (24, False), (256, True)])
def test_columns_of_a_transposed_b_of_bytes(columns: int, fits: bool):
    found = decoded(descriptor(128, columns, 0, 1, (False, True)), Use("f8f6f4", 1))
    assert isinstance(found, Product) == fits
    assert isinstance(decoded(descriptor(128, columns, 0, 1, (False, True)), Use("f16", 1)), Product)


@pytest.mark.parametrize("rows", [128, 256])
def test_products_of_two_blocks(rows: int):
    """
    Each has half of A and of B in its shared memory, and half of the rows of the sums: if these are 64, the right half
    of their columns is in the upper lanes.
    """
    columns, words = 32, 32 if rows == 256 else 16
    a, b = numbers(np.float16, rows, 16), numbers(np.float16, columns, 16)
    halves: list[bytes] = []
    for block in range(2):
        own_a, own_b = a[block * rows // 2 :][: rows // 2], b[block * 16 :][:16]
        source, (instruction,) = steps("f16", own_a, own_b, (0, 0), (False, False), 16, 0)
        halves.append(source)
    _, left, right, *_ = instruction.split(", ")
    loads = "\n".join(
        f"tcgen05.ld.sync.aligned.32x32b.x8.b32 {registers(8, at)}, [%r31+{at}];" for at in range(0, words, 8)
    )
    body = PAIR.format(
        copied=f"mul.wide.u32 %rd7, %r7, {2 * SECOND};\nadd.s64 %rd1, %rd1, %rd7;\n" + copied(2 * SECOND, "%rd1"),
        bits=descriptor(rows, columns, 0, 1),
        left=left,
        right=right,
        loads=loads,
        stores=transfers("st", words, "%rd2"),
    )
    ptx = tensor_kernel(body, columns=32, shared=2 * SECOND).replace("cta_group::1", "cta_group::2")
    assemble(ptx, "sm_100a")
    source, out = np.frombuffer(b"".join(halves), np.uint8).copy(), np.zeros((2, 128, words), np.float32)
    options = Options(checks=True, cluster=[2])
    assert Machine(ptx).run([2], [128], [source, out], options) == []
    if rows == 128:
        out = out.reshape(2, 2, 64, 16).swapaxes(1, 2)
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_array_equal(np.ascontiguousarray(out).reshape(rows, columns), expected)
