"""`tcgen05.mma.sp` and `.ws`, and both, beside numpy: where metadata and sums are, and which columns count as 0."""

import re
from itertools import product as combinations
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import booleans, integers, lists, sampled_from
from ptx_kernels import line_of
from ptx_matrices import ORDERED, accepted_by_ptxas, is_taken
from ptx_warpgroups import SECOND, image, signed
from tensor_kernels import copied, issued, registers, tensor_kernel, transfers

from xshardy.lowering.ptxas import assemble
from xshardy.numerics.element_types import Array
from xshardy.ptx.faults import Fault, FaultError, FaultKind
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.profiling import profile
from xshardy.ptx.zero_columns import ZeroColumns, zero_columns

VERSION = 1 << 46
FURTHER = SECOND - 8192
"""Where the words for the lanes of tensor memory are, before they are stored there."""
WORDS = 8
"""Of each lane, from column 192 on: the metadata, behind them the scale factors of A and B."""
KINDS: dict[str, tuple[str, Any, int, int, int]] = {
    "f16": ("f16", np.float16, 0, 32, 1),
    "bf16": ("f16", ml_dtypes.bfloat16, 1, 32, 1),
    "tf32": ("tf32", np.float32, 2, 16, 1),
    "e4m3": ("f8f6f4", ml_dtypes.float8_e4m3fn, 0, 64, 1),
    "s8": ("i8", np.int8, 1, 64, 2),
}
"""Of each element the kind, how numpy calls it, its number in a descriptor, the depth of a sparse product, and the
number of the type of its sums."""


def numbers(dtype: Any, *shape: int) -> Array:
    return np.random.default_rng(sum(shape)).integers(-4, 5, shape).astype(dtype)


def sparse(rng: np.random.Generator, stored: Array, chunk: int, width: int) -> tuple[Array, Array]:
    """From the stored half of A the matrix with its zeros, and the codes of its chunks."""
    rows, chunks = len(stored), 2 * stored.shape[1] // chunk
    codes = rng.choice([0b0100, 0b1110] if chunk == 2 else [*ORDERED, 0b0110], (rows, chunks))
    dense = np.zeros((rows, chunks, chunk), stored.dtype)
    held = stored.reshape(rows, chunks, -1)
    for row, at in combinations(range(rows), range(chunks)):
        code = int(codes[row, at])
        places = [{0b0100: 0, 0b1110: 1}[code]] if chunk == 2 else [code & 3, code >> 2]
        for number, place in enumerate(places):
            dense[row, at, place * width : (place + 1) * width] = held[row, at, number * width : (number + 1) * width]
    return dense.reshape(rows, -1), codes


def lane_of(row: int, rows: int) -> int:
    """16 of 64 rows are in each quarter of the lanes."""
    return row // 16 * 32 + row % 16 if rows == 64 else row


def metadata(codes: Array, rows: int, bits: int, *, spread: bool = True) -> Array:
    """The words of two columns of each lane: of wide elements one of them, of others both."""
    words = np.zeros((128, 2), np.uint32)
    for row, at in combinations(range(rows), range(codes.shape[1])):
        if bits >= 16:
            lane, column, shift = row // 16 * 16 + at // 4 * 8 + row % 8, 0, row // 8 % 2 * 16 + at % 4 * 4
        else:
            lane, column, shift = row, at // 8, at % 8 * 4
        words[lane_of(lane, rows) if spread else lane, column] |= np.uint32(int(codes[row, at]) << shift)
    return words


def idesc(rows: int, columns: int, code: int, result: int, *, is_sparse: bool = True, selector: int = 0) -> int:
    bits = result << 4 | code << 7 | code << 10 | columns >> 3 << 17 | rows >> 4 << 24
    return bits | is_sparse << 2 | (selector if is_sparse else 0)


def smem(matrix: Array, span: int, start: int) -> tuple[bytes, int]:
    """A matrix in shared memory, and its descriptor."""
    data, bits, _ = image(matrix, span, False, matrix.shape[1])
    return data, signed(bits + (start >> 4) | VERSION)


def mode_kernel(instruction: str, columns: int, *, extra: str = "", allocated: int = 256) -> str:
    """
    A kernel that copies 64 KiB to shared memory, stores further words of its lanes to tensor memory from column 192 on,
    multiplies, and stores `columns` columns of each lane.
    """
    loads = "\n".join(
        f"tcgen05.ld.sync.aligned.32x32b.x8.b32 {registers(8, first)}, [%r31+{first}];"
        for first in range(0, columns, 8)
    )
    body = f"""
.reg .b32 %v<128>;
{copied(2 * SECOND, "%rd1")}
mov.pred %p2, 1;
mov.pred %p3, 0;
mul.wide.u32 %rd20, %r1, {4 * WORDS};
add.s64 %rd20, %rd1, %rd20;
{"".join(f"ld.global.b32 %v{number}, [%rd20+{FURTHER + 4 * number}];" for number in range(WORDS))}
tcgen05.st.sync.aligned.32x32b.x{WORDS}.b32 [%r31+192], {registers(WORDS)};
{extra}
tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
{issued([instruction])}
{loads}
tcgen05.wait::ld.sync.aligned;
{transfers("st", columns, "%rd2")}"""
    return tensor_kernel(body, columns=allocated, shared=2 * SECOND)


def run(ptx: str, left: bytes, right: bytes, words: Array, columns: int) -> Array:
    out, faults = run_on(ptx, left, right, words, columns, Options(checks=True))
    assert faults == []
    return out


def run_on(
    ptx: str, left: bytes, right: bytes, words: Array, columns: int, options: Options
) -> tuple[Array, list[Fault]]:
    source = bytearray(left + right)
    source[FURTHER : FURTHER + words.nbytes] = words.tobytes()
    out = np.zeros((128, columns), np.uint32)
    return out, Machine(ptx).run([1], [128], [np.frombuffer(source, np.uint8).copy(), out], options)


def words_of_lanes(first: Array, at: int = 0) -> Array:
    words = np.zeros((128, WORDS), np.uint32)
    words[:, at : at + first.shape[1]] = first
    return words


@pytest.mark.parametrize("span", [0, 64, 128])
@pytest.mark.parametrize("rows", [64, 128])
@pytest.mark.parametrize("name", KINDS)
def test_sparse_products(name: str, rows: int, span: int):
    kind, dtype, code, depth, result = KINDS[name]
    rng, bits, columns = np.random.default_rng(rows + span), 8 * np.dtype(dtype).itemsize, 32
    stored, b = numbers(dtype, rows, depth // 2), numbers(dtype, columns, depth)
    dense, codes = sparse(rng, stored, 2 if bits == 32 else 4, 1)
    for selector in range(2 if bits >= 16 else 1):
        (left, one), (right, other) = smem(stored, span, 0), smem(b, span, SECOND)
        descriptor = idesc(rows, columns, code, result, selector=selector)
        instruction = f"tcgen05.mma.sp.cta_group::1.kind::{kind} [%r30], {one}, {other}, [%r30+192], {descriptor}, %p3;"
        words = metadata(codes, rows, bits)
        if selector:
            words = words[:, ::-1]
        cleared = mode_kernel(instruction, columns, extra=_cleared(columns))
        out = run(cleared, left, right, words_of_lanes(words), columns)
        expected = dense.astype(np.float64) @ b.astype(np.float64).T
        found = out.view(np.int32 if kind == "i8" else np.float32)[[lane_of(row, rows) for row in range(rows)]]
        np.testing.assert_array_equal(found, expected.astype(found.dtype))


def _cleared(columns: int) -> str:
    zeros = "{" + ", ".join(["%v127"] * 8) + "}"
    each = [f"tcgen05.st.sync.aligned.32x32b.x8.b32 [%r31+{first}], {zeros};" for first in range(0, columns, 8)]
    return "\n".join(["mov.b32 %v127, 0;", *each])


SCALED = {
    "mxf8f6f4": ("block_scale", ml_dtypes.float6_e2m3fn, 6, 3, 64, 1, 8),
    "mxf4": ("block_scale", ml_dtypes.float4_e2m1fn, 4, 1, 128, 2, 4),
    "mxf4nvf4": ("block_scale.scale_vec::4X", ml_dtypes.float4_e2m1fn, 4, 1, 128, 4, 4),
}
"""Modifiers, elements, their bits and number, the depth, the factors of a row, and the bits that an element takes."""


def packed(codes: Array, bits: int, container: int) -> Array:
    """Rows of codes as bytes: sixteen of them at the start of each 16 bytes if their container has 8 bits."""
    digits = (codes[..., None] >> np.arange(bits, dtype=np.uint8) & 1).astype(np.uint8)
    groups = digits.reshape(len(codes), -1, 16 * bits)
    groups = np.pad(groups, ((0, 0), (0, 0), (0, 16 * (container - bits))))
    return np.packbits(groups, axis=-1, bitorder="little").reshape(len(codes), -1)


@pytest.mark.parametrize("kind", SCALED)
def test_sparse_scaled_products(kind: str):
    modifiers, dtype, bits, code, depth, factors, container = SCALED[kind]
    rng, columns = np.random.default_rng(depth), 32
    stored, b = (rng.integers(0, 1 << bits, shape).astype(np.uint8) for shape in ((128, depth // 2), (columns, depth)))
    dense, codes = sparse(rng, stored, 8 if container == 4 else 4, 2 if container == 4 else 1)
    scales = rng.integers(120, 134, (160, 4)).astype(np.uint8)
    values = scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float64)[:, :factors].repeat(depth // factors, axis=1)
    (left, one), (right, other) = (
        smem(packed(stored, bits, container), 0, 0),
        smem(packed(b, bits, container), 0, SECOND),
    )
    words = words_of_lanes(metadata(codes, 128, container))
    for row in range(160):
        at = row // 32 if row < 128 else 4
        words[row % 32, 2 + at] = scales[row].view(np.uint32)[0]
    descriptor = 1 << 2 | code << 7 | code << 10 | columns >> 3 << 17 | 1 << 23 | 1 << 27
    opcode = f"tcgen05.mma.sp.cta_group::1.kind::{kind}.{modifiers}"
    operands = f"[%r30], {one}, {other}, [%r30+192], {descriptor}, [%r30+194], [%r30+198], %p3;"
    out = run(mode_kernel(f"{opcode} {operands}", columns), left, right, words, columns).view(np.float32)
    known = [each.view(dtype).astype(np.float64) for each in (dense, b)]
    expected = (known[0] * values[:128]) @ (known[1] * values[128:]).T
    np.testing.assert_array_equal(out, expected.astype(np.float32))


def of_f16(words: Array | None = None, *, change: int = 0, metadata_at: str = "%r30+192") -> tuple[str, list[Any]]:
    """A sparse product of f16 with 128 rows, and what it reads."""
    rng = np.random.default_rng(0)
    stored, b = numbers(np.float16, 128, 16), numbers(np.float16, 32, 32)
    _, codes = sparse(rng, stored, 4, 1)
    (left, one), (right, other) = smem(stored, 0, 0), smem(b, 0, SECOND)
    descriptor = idesc(128, 32, 0, 1) ^ change
    opcode = "tcgen05.mma.sp.cta_group::1.kind::f16"
    held = words_of_lanes(metadata(codes, 128, 16) if words is None else words)
    ptx = mode_kernel(f"{opcode} [%r30], {one}, {other}, [{metadata_at}], {descriptor}, %p3;", 32)
    return ptx, [left, right, held, 32]


def test_codes_that_name_no_elements_are_a_fault():
    ptx, arguments = of_f16()
    arguments[2][9, 0] = arguments[2][9, 0] & ~np.uint32(0xF0) | 0x50
    with pytest.raises(FaultError) as error:
        run(ptx, *arguments)
    assert error.value.fault.kind is FaultKind.METADATA
    assert "has the code 0b0101 for chunk 5 of row 1 of A, which names no elements" in error.value.fault.message
    assert error.value.fault.line == line_of(ptx, "tcgen05.mma.sp")


@pytest.mark.parametrize(
    "change, message",
    [
        (1 << 2, "has a dense A, which this instruction has not"),
        (2, "has the sparsity selector 2: expected less than 2"),
    ],
)
def test_wrong_descriptors(change: int, message: str):
    ptx, arguments = of_f16(change=change)
    with pytest.raises(FaultError) as error:
        run(ptx, *arguments)
    assert error.value.fault.kind is FaultKind.DESCRIPTOR and message in error.value.fault.message


def test_metadata_that_nobody_has_written():
    ptx, arguments = of_f16(metadata_at="%r30+202")
    with pytest.raises(FaultError) as error:
        run(ptx, *arguments)
    assert error.value.fault.kind is FaultKind.UNINITIALIZED


def test_metadata_that_are_overwritten_while_they_are_read():
    ptx, arguments = of_f16()
    store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r31+192], {%v0};"
    with pytest.raises(FaultError) as error:
        run(ptx.replace("$wait0:", f"{store}\n$wait0:"), *arguments)
    assert error.value.fault.kind is FaultKind.RACE
    assert "writes what the tcgen05 of thread (0, 0, 0)" in error.value.fault.message


def test_rows_that_are_longer_than_their_swizzle():
    """B has 64 bytes of each column where A is sparse."""
    _, one = smem(numbers(np.float16, 128, 16), 0, 0)
    _, other = smem(numbers(np.float16, 32, 32), 32, SECOND)
    operands = f"[%r30], {one}, {other}, [%r30+192], {idesc(128, 32, 0, 1)}, %p3;"
    _, arguments = of_f16()
    with pytest.raises(FaultError, match="reads rows of 64 bytes of a matrix whose swizzle has 32"):
        run(mode_kernel(f"tcgen05.mma.sp.cta_group::1.kind::f16 {operands}", 32), *arguments)


def test_a_refused_product_leaves_the_sums_as_they_were():
    """For codes that name no elements, rows that are longer than their swizzle, and a shift that is not allowed."""
    ptx, (left, right, words, columns) = of_f16()
    wrong_words = words.copy()
    wrong_words[9, 0] = words[9, 0] & ~np.uint32(0xF0) | 0x50
    (_, one), (_, other) = (smem(numbers(np.float16, 32, 32), span, SECOND) for span in (0, 32))
    stationary = (
        f"[%r30], {smem(numbers(np.float16, 64, 16), 0, 0)[1]}, {smem(numbers(np.float16, 64, 16), 0, SECOND)[1]}"
    )
    shifted = (
        f"tcgen05.mma.ws.cta_group::1.kind::f16 {stationary}, {idesc(64, 64, 0, 1, is_sparse=False)}, %p3, {3 << 56};"
    )
    for refused, held, kind in (
        (ptx, wrong_words, FaultKind.METADATA),
        (ptx.replace(str(one), str(other)), words, FaultKind.DESCRIPTOR),
        (mode_kernel(shifted, columns), words, FaultKind.DESCRIPTOR),
    ):
        cleared = _cleared(columns).replace(", 0;", ", 7;")
        refused = refused.replace("tcgen05.wait::st.sync", f"{cleared}\ntcgen05.wait::st.sync", 1)
        out, (fault,) = run_on(refused, left, right, held, columns, Options(checks=True, collects_faults=True))
        assert fault.kind is kind
        assert (out == 7).all()


def test_sparse_products_are_counted():
    """As those of the stored half."""
    ptx, (left, right, words, columns) = of_f16()
    source = bytearray(left + right)
    source[FURTHER : FURTHER + words.nbytes] = words.tobytes()
    arguments = [np.frombuffer(source, np.uint8).copy(), np.zeros((128, columns), np.uint32)]
    assert profile(ptx, [3], [128], arguments).products == 3 * 128 * 32 * 16


def place_of(row: int, column: int, rows: int, columns: int) -> tuple[int, int]:
    """The lane and column of a sum of `.ws`: of few rows, the columns are in parts, each in lanes of its own."""
    own = columns * rows // 128
    return row + column // own * rows, column % own


def placed(out: Array, rows: int, columns: int) -> Array:
    return np.array([[out[place_of(row, column, rows, columns)] for column in range(columns)] for row in range(rows)])


SHAPES = [(32, 64), (32, 256), (64, 64), (64, 256), (128, 64), (128, 128)]


@pytest.mark.parametrize("rows, columns", SHAPES)
@pytest.mark.parametrize("name", ["f16", "tf32", "e4m3", "s8"])
def test_stationary_products(name: str, rows: int, columns: int):
    kind, dtype, code, depth, result = KINDS[name]
    a, b = numbers(dtype, rows, depth // 2), numbers(dtype, columns, depth // 2)
    (left, one), (right, other) = smem(a, 0, 0), smem(b, 0, SECOND)
    descriptor = idesc(rows, columns, code, result, is_sparse=False)
    instruction = (
        f"tcgen05.mma.ws.cta_group::1.kind::{kind}.collector::b1::fill [%r30], {one}, {other}, {descriptor}, %p3;"
    )
    own = columns * rows // 128
    out = run(mode_kernel(instruction, own), left, right, words_of_lanes(np.zeros((128, 1))), own)
    found = placed(out.view(np.int32 if kind == "i8" else np.float32), rows, columns)
    np.testing.assert_array_equal(found, (a.astype(np.float64) @ b.astype(np.float64).T).astype(found.dtype))


@pytest.mark.parametrize("rows, columns", [(32, 128), (64, 64), (128, 64)])
@pytest.mark.parametrize("name", ["bf16", "tf32", "e4m3"])
def test_sparse_stationary_products(name: str, rows: int, columns: int):
    """Each part of the columns has metadata in its own lanes."""
    kind, dtype, code, depth, result = KINDS[name]
    bits = 8 * np.dtype(dtype).itemsize
    stored, b = numbers(dtype, rows, depth // 2), numbers(dtype, columns, depth)
    dense, codes = sparse(np.random.default_rng(rows), stored, 2 if bits == 32 else 4, 1)
    (left, one), (right, other) = smem(stored, 0, 0), smem(b, 0, SECOND)
    descriptor = idesc(rows, columns, code, result)
    instruction = f"tcgen05.mma.ws.sp.cta_group::1.kind::{kind} [%r30], {one}, {other}, [%r30+192], {descriptor}, %p3;"
    own, words = columns * rows // 128, metadata(codes, rows, bits, spread=False)
    words = np.tile(words[:rows], (128 // rows, 1))
    out = run(mode_kernel(instruction, own), left, right, words_of_lanes(words), own)
    found = placed(out.view(np.float32), rows, columns)
    np.testing.assert_array_equal(found, (dense.astype(np.float64) @ b.astype(np.float64).T).astype(np.float32))


def test_a_in_tensor_memory_for_each_part():
    """Of 64 rows, both parts of the columns have a copy of A."""
    a, b = numbers(np.float16, 64, 16), numbers(np.float16, 64, 16)
    right, other = smem(b, 0, SECOND)
    words = np.tile(np.ascontiguousarray(a).view(np.uint32), (2, 1))
    descriptor = idesc(64, 64, 0, 1, is_sparse=False)
    instruction = f"tcgen05.mma.ws.cta_group::1.kind::f16 [%r30], [%r30+192], {other}, {descriptor}, %p3;"
    out = run(mode_kernel(instruction, 32), bytes(SECOND), right, words, 32)
    found = placed(out.view(np.float32), 64, 64)
    np.testing.assert_array_equal(found, (a.astype(np.float64) @ b.astype(np.float64).T).astype(np.float32))


def pair_kernel(instruction: str, columns: int) -> str:
    """As `mode_kernel`, of two blocks, each with 64 KiB and words of its own; a thread of the first one multiplies."""
    ptx = mode_kernel(instruction, columns, extra=_cleared(columns)).replace("cta_group::1", "cta_group::2")
    own = f"mov.u32 %r7, %cluster_ctarank;\nmul.wide.u32 %rd7, %r7, {2 * SECOND};\nadd.s64 %rd1, %rd1, %rd7;\n"
    both = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;"
    ptx = ptx.replace("mov.b32 %r3, s;", f"{own}mov.b32 %r3, s;", 1)
    first = "setp.eq.u32 %p12, %r7, 0;\nand.pred %p11, %p11, %p12;\nmov.b16 %h1, 3;"
    before = "tcgen05.fence::before_thread_sync;\n"
    ptx = ptx.replace(f"{before}bar.sync 0;", f"{before}{both}\n{first}")
    commit = "mbarrier::arrive::one.shared::cluster.b64 [%r32];"
    ptx = ptx.replace(commit, "mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r32], %h1;")
    stores = transfers("st", columns, "%rd2")
    ptx = ptx.replace(stores, f"shl.b32 %r8, %r7, 7;\nadd.u32 %r1, %r1, %r8;\n{stores}\nsub.u32 %r1, %r1, %r8;\n{both}")
    return ptx


def run_pair(ptx: str, halves: list[tuple[bytes, bytes, Array]], columns: int) -> Array:
    sources: list[Array] = []
    for left, right, words in halves:
        source = bytearray(left + right)
        source[FURTHER : FURTHER + words.nbytes] = words.tobytes()
        sources.append(np.frombuffer(source, np.uint8))
    out = np.zeros((2, 128, columns), np.uint32)
    arguments = [np.concatenate(sources), out]
    assert Machine(ptx).run([2], [128], arguments, Options(checks=True, cluster=[2])) == []
    return out


@pytest.mark.parametrize("rows", [128, 256])
@pytest.mark.parametrize("name", ["f16", "e4m3"])
def test_sparse_products_of_two_blocks(name: str, rows: int):
    """Each has its own rows, with their metadata; of 64 rows, 16 are in each quarter of the lanes."""
    kind, dtype, code, depth, result = KINDS[name]
    bits, columns, own = 8 * np.dtype(dtype).itemsize, 32, rows // 2
    stored, b = numbers(dtype, rows, depth // 2), numbers(dtype, columns, depth)
    dense, codes = sparse(np.random.default_rng(rows), stored, 4, 1)
    halves: list[tuple[bytes, bytes, Array]] = []
    for block in range(2):
        mine = slice(block * own, (block + 1) * own)
        left, one = smem(stored[mine], 0, 0)
        right, other = smem(b[16 * block :][:16], 0, SECOND)
        halves.append((left, right, words_of_lanes(metadata(codes[mine], own, bits))))
    descriptor = idesc(rows, columns, code, result)
    instruction = f"tcgen05.mma.sp.cta_group::2.kind::{kind} [%r30], {one}, {other}, [%r30+192], {descriptor}, %p3;"
    out = run_pair(pair_kernel(instruction, columns), halves, columns).view(np.float32)
    found = np.concatenate([half[[lane_of(row, own) for row in range(own)]] for half in out])
    np.testing.assert_array_equal(found, (dense.astype(np.float64) @ b.astype(np.float64).T).astype(np.float32))


def test_a_of_two_blocks_in_tensor_memory():
    """Of 64 rows of each block, both halves of the columns have a copy."""
    a, b = numbers(np.float16, 128, 16), numbers(np.float16, 32, 16)
    halves: list[tuple[bytes, bytes, Array]] = []
    for block in range(2):
        right, other = smem(b[16 * block :][:16], 0, SECOND)
        words = np.tile(np.ascontiguousarray(a[64 * block :][:64]).view(np.uint32), (2, 1))
        halves.append((bytes(SECOND), right, words_of_lanes(words)))
    descriptor = idesc(128, 32, 0, 1, is_sparse=False)
    instruction = f"tcgen05.mma.cta_group::2.kind::f16 [%r30], [%r30+192], {other}, {descriptor}, %p3;"
    out = run_pair(pair_kernel(instruction, 16), halves, 16).view(np.float32)
    found = np.concatenate([np.concatenate([half[:64], half[64:]], axis=1) for half in out])
    np.testing.assert_array_equal(found, (a.astype(np.float64) @ b.astype(np.float64).T).astype(np.float32))


PACKED = {"e2m1": (ml_dtypes.float4_e2m1fn, 4, 5), "e2m3": (ml_dtypes.float6_e2m3fn, 6, 3)}


@pytest.mark.parametrize("name", PACKED)
def test_elements_of_few_bits_in_tensor_memory(name: str):
    """They have a byte each: those of 4 bits its middle, as in `mma`."""
    dtype, bits, code = PACKED[name]
    rng = np.random.default_rng(bits)
    a, b = (rng.integers(0, 1 << bits, (rows, 32)).astype(np.uint8) for rows in (128, 32))
    right, other = smem(packed(b, bits, 8), 0, SECOND)
    words = np.ascontiguousarray(a << (2 if bits == 4 else 0)).view(np.uint32)
    descriptor = idesc(128, 32, code, 1, is_sparse=False)
    instruction = f"tcgen05.mma.cta_group::1.kind::f8f6f4 [%r30], [%r30+192], {other}, {descriptor}, %p3;"
    out = run(mode_kernel(instruction, 32), bytes(SECOND), right, words, 32).view(np.float32)
    expected = a.view(dtype).astype(np.float64) @ b.view(dtype).astype(np.float64).T
    np.testing.assert_array_equal(out, expected.astype(np.float32))


def columns_of(
    start: list[int], first: list[bool], skipped: int, used: int, shift: int, *, is_mask: bool = True
) -> int:
    """A descriptor of columns."""
    bits = sum(each << 8 * at for at, each in enumerate(start)) | sum(each << 32 + at for at, each in enumerate(first))
    return bits | is_mask << 39 | skipped << 40 | used << 48 | shift << 56


def test_columns_that_count_as_zero():
    """B has three columns more than the product: the first three are shifted out."""
    rows, columns, shift = 64, 64, 3
    a, b = numbers(np.float16, rows, 16), numbers(np.float16, 72, 16)
    (left, one), (right, other) = smem(a, 0, 0), smem(b, 0, SECOND)
    zeros = columns_of([1, 4], [True, False], 2, 4, shift)
    descriptor = idesc(rows, columns, 0, 1, is_sparse=False) | 1 << 30
    operands = f"[%r30], {one}, {other}, {descriptor}, %p3, {signed(zeros)};"
    out = run(mode_kernel(f"tcgen05.mma.ws.cta_group::1.kind::f16 {operands}", 32), left, right, np.zeros(1), 32)
    found = placed(out.view(np.float32), rows, columns)
    used = np.array([1, 1, 0, 0, 0, 0, 0] + [1, 1, 1, 0, 0, 0, 0, 0] * 8)[:32] == 0
    of_second = np.array([0] + [1, 1, 1, 0, 0, 0, 0, 0] * 8)[:32] == 0
    kept = b[shift : shift + columns] * np.concatenate([used, of_second])[:, None]
    np.testing.assert_array_equal(found, (a.astype(np.float64) @ kept.astype(np.float64).T).astype(np.float32))


@given(
    start=lists(integers(0, 255), min_size=4, max_size=4),
    first=lists(booleans(), min_size=4, max_size=4),
    skipped=integers(0, 255),
    used=integers(0, 255),
    parts=sampled_from([1, 2, 4]),
)
def test_masks_of_columns(start: list[int], first: list[bool], skipped: int, used: int, parts: int):
    found = zero_columns(columns_of(start, first, skipped, used, 7), 128 // parts, 64 * parts, parts)
    assert isinstance(found, ZeroColumns) and found.shift == 7
    expected: list[bool] = []
    for part in range(parts):
        run_of = {True: skipped + 1, False: used + 1}
        mask: list[bool] = []
        kind = first[part]
        while len(mask) < start[part] + 64:
            mask += [kind] * run_of[kind]
            kind = not kind
        expected += mask[start[part] : start[part] + 64]
    assert found.is_zero.tolist() == expected


def test_the_masks_that_the_isa_shows():
    found = zero_columns(columns_of([0, 1, 2, 1], [True, True, False, False], 2, 3, 2), 32, 64, 4)
    assert isinstance(found, ZeroColumns)
    shown = ["11100001110000", "11000011100001", "00111000011100", "00011100001110"]
    for part, mask in enumerate(shown):
        assert "".join("01"[each] for each in found.is_zero[16 * part : 16 * part + 14].tolist()) == mask


def test_no_mask_and_wrong_descriptors_of_columns():
    found = zero_columns(columns_of([0] * 4, [True] * 4, 2, 3, 0, is_mask=False), 128, 64, 1)
    assert isinstance(found, ZeroColumns) and not found.is_zero.any()
    assert zero_columns(1 << 36, 128, 64, 1) == "has bits 36 to 38, 62 or 63 set, which must be 0"
    assert zero_columns(17 << 56, 32, 64, 4) == "shifts columns by 17, more than 16"
    assert not isinstance(zero_columns(17 << 56, 64, 64, 2), str)


@pytest.mark.parametrize(
    "change, zeros, message",
    [
        (0, 3 << 56, "shifts columns by 3, but the instruction descriptor allows 0"),
        (3 << 30, 33 << 56, "shifts columns by 33, more than 32"),
        (64 >> 4 << 24, 0, "has 0 rows, but .kind::f16 of 1 block has 32 or 64 or 128"),
        (8 >> 3 << 17, 0, "has 72 columns: expected 64 or 128 or 256"),
    ],
)
def test_wrong_stationary_products(change: int, zeros: int, message: str):
    (left, one), (right, other) = smem(numbers(np.float16, 64, 16), 0, 0), smem(numbers(np.float16, 64, 16), 0, SECOND)
    operands = f"[%r30], {one}, {other}, {idesc(64, 64, 0, 1, is_sparse=False) ^ change}, %p3, {zeros};"
    with pytest.raises(FaultError) as error:
        run(mode_kernel(f"tcgen05.mma.ws.cta_group::1.kind::f16 {operands}", 32), left, right, np.zeros(1), 32)
    assert error.value.fault.kind is FaultKind.DESCRIPTOR and message in error.value.fault.message


DECLARED = ".reg .b32 %r<32>; .reg .b64 %rd<4>; .reg .pred %p<4>;"
IGNORED = re.compile(r"tcgen05\.mma\.(?:sp\.)?cta_group::\d\.kind::i8.*%p1, 3;")
"""ptxas takes a scaled accumulator of integers, which the PTX ISA does not have."""


def forms() -> list[str]:
    found = list[str]()
    masks = {1: "{%r1, %r2, %r3, %r4}", 2: "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}"}
    for mode, group, kind in combinations(
        ("", "ws.", "sp.", "ws.sp.", "sp.ws."), (1, 2), ("f16", "tf32", "f8f6f4", "i8")
    ):
        for collector, a in combinations(("", ".collector::a::use", ".collector::b2::fill"), ("%rd1", "[%r11]")):
            for meta, end in combinations(("", "[%r12], "), ("%p1", f"{masks[group]}, %p1", "%p1, 3", "%p1, %rd3")):
                opcode = f"tcgen05.mma.{mode}cta_group::{group}.kind::{kind}{collector}"
                found.append(f"{opcode} [%r10], {a}, %rd2, {meta}%r20, {end};")
    vectors = ("", ".scale_vec::1X", ".scale_vec::2X", ".scale_vec::4X", ".block16", ".block32")
    for mode, kind, vector in combinations(("", "ws.", "sp."), ("mxf8f6f4", "mxf4", "mxf4nvf4", "f16"), vectors):
        for meta, mask in combinations(("", "[%r12], "), ("", f"{masks[1]}, ")):
            opcode = f"tcgen05.mma.{mode}cta_group::1.kind::{kind}.block_scale{vector}"
            found.append(f"{opcode} [%r10], %rd1, %rd2, {meta}%r20, [%r13], [%r14], {mask}%p1;")
    return [form for form in found if not IGNORED.fullmatch(form)]


def test_forms_that_ptxas_takes():
    tried = forms()
    expected = accepted_by_ptxas(tried, DECLARED, "sm_100a")
    assert sum(expected) > 100
    assert [form for form, is_right in zip(tried, expected, strict=True) if is_right != is_taken(form, DECLARED)] == []


def test_ptxas_accepts_the_kernels():
    """It wants descriptors in registers."""
    ptx, _ = of_f16()
    opcode, operands = next(line for line in ptx.split("\n") if "tcgen05.mma.sp" in line).split(" [", 1)
    d, one, other, meta, descriptor, keep = f"[{operands}".split(", ")
    moves = f"mov.b64 %rd10, {one};\nmov.b64 %rd11, {other};\nmov.b32 %r20, {descriptor};\n"
    assemble(
        ptx.replace(f"{opcode} [{operands}", f"{moves}{opcode} {d}, %rd10, %rd11, {meta}, %r20, {keep}"), "sm_100a"
    )
