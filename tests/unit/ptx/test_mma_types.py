"""`mma.sync` of integers of 4 bits and single bits, of f8 and of quad pairs, beside numpy; and what is refused."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_matrices import LANE, G, T, executed, words_of

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError

RANGES = {"s4": (-8, 8), "u4": (0, 16), "b1": (0, 2), "s8": (-128, 128), "u8": (0, 256)}


def fragments(a: Array, b: Array, c: Array, in_register: int) -> tuple[Array, Array, Array]:
    """What each lane has of the matrices, element by element as the ISA's formulas say: [32, elements]."""
    rows = len(a)
    of_a, of_b, of_c = (np.zeros((32, m.size // 32), m.dtype) for m in (a, b, c))
    for i in range(of_a.shape[1]):
        register, within = divmod(i, in_register)
        below = rows == 16 and register % 2 == 1
        block = register // 2 if rows == 16 else register
        of_a[:, i] = a[G + 8 * below, T * in_register + within + block * 4 * in_register]
    for i in range(of_b.shape[1]):
        register, within = divmod(i, in_register)
        of_b[:, i] = b[T * in_register + within + register * 4 * in_register, G]
    for i in range(of_c.shape[1]):
        of_c[:, i] = c[G + 8 * (i >= 2), T * 2 + i % 2]
    return of_a, of_b, of_c


def matrix_of(found: Array) -> Array:
    """The accumulator that the lanes hold."""
    result = np.zeros((8 * found.shape[1] // 2, 8), found.dtype)
    for i in range(found.shape[1]):
        result[G + 8 * (i >= 2), T * 2 + i % 2] = found[:, i]
    return result


def product(opcode: str, names: tuple[str, str], a: Array, b: Array, c: Array) -> Array:
    bits = {"s4": 4, "u4": 4, "b1": 1}.get(names[0], 8 * a.itemsize)
    held = fragments(a, b, c, 32 // bits)
    operands = [words_of(held[0], names[0]), words_of(held[1], names[1]), held[2].view(np.uint32)]
    return matrix_of(executed(f"mma.sync.aligned.{opcode} $3, $0, $1, $2;", operands, held[2].shape[1], c.dtype.type))


@pytest.mark.parametrize("of_a", ["s4", "u4"])
@pytest.mark.parametrize("of_b", ["s4", "u4"])
@pytest.mark.parametrize("rows, depth", [(8, 32), (16, 32), (16, 64)])
def test_integers_of_4_bits(rows: int, depth: int, of_a: str, of_b: str):
    rng = np.random.default_rng(rows + depth)
    a, b = rng.integers(*RANGES[of_a], (rows, depth)), rng.integers(*RANGES[of_b], (depth, 8))
    c = rng.integers(-1000, 1000, (rows, 8)).astype(np.int32)
    found = product(f"m{rows}n8k{depth}.row.col.s32.{of_a}.{of_b}.s32", (of_a, of_b), a, b, c)
    np.testing.assert_array_equal(found, a @ b + c)


@pytest.mark.parametrize("operation", ["xor", "and"])
@pytest.mark.parametrize("rows, depth", [(8, 128), (16, 128), (16, 256)])
def test_single_bits(rows: int, depth: int, operation: str):
    """The number of bits that differ, or that are both there."""
    rng = np.random.default_rng(depth)
    a, b = rng.integers(0, 2, (rows, depth)), rng.integers(0, 2, (depth, 8))
    c = rng.integers(-1000, 1000, (rows, 8)).astype(np.int32)
    found = product(f"m{rows}n8k{depth}.row.col.s32.b1.b1.s32.{operation}.popc", ("b1", "b1"), a, b, c)
    combined = a[:, :, None] ^ b[None] if operation == "xor" else a[:, :, None] & b[None]
    np.testing.assert_array_equal(found, combined.sum(axis=1) + c)


@pytest.mark.parametrize("opcode, wraps", [("", True), (".satfinite", False)])
def test_sums_of_small_integers_wrap_or_saturate(opcode: str, wraps: bool):
    a, b, c = np.full((16, 64), 15), np.full((64, 8), 15), np.full((16, 8), 2**31 - 1, np.int32)
    found = product(f"m16n8k64.row.col{opcode}.s32.u4.u4.s32", ("u4", "u4"), a, b, c)
    assert (found == (64 * 225 - 2**31 - 1 if wraps else 2**31 - 1)).all()


@pytest.mark.parametrize("depth", [16, 32])
@pytest.mark.parametrize("dtypes", [("e4m3", "e5m2"), ("e5m2", "e4m3")])
def test_two_types_of_f8(depth: int, dtypes: tuple[str, str]):
    types: dict[str, Any] = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
    rng = np.random.default_rng(depth)
    a, b = rng.integers(-4, 5, (16, depth)), rng.integers(-4, 5, (depth, 8))
    of_a, of_b = a.astype(types[dtypes[0]]), b.astype(types[dtypes[1]])
    c = rng.integers(-9, 9, (16, 8)).astype(np.float32)
    found = product(f"m16n8k{depth}.row.col.f32.{dtypes[0]}.{dtypes[1]}.f32", dtypes, of_a, of_b, c)
    np.testing.assert_array_equal(found, a @ b + c)


def test_tf32_has_no_lower_bits():
    """1 + 2^-11 is 1 in `tf32`, of which the lower 13 bits are not read."""
    a, b, c = np.full((16, 8), 1 + 2.0**-11, np.float32), np.ones((8, 8), np.float32), np.zeros((16, 8), np.float32)
    found = product("m16n8k8.row.col.f32.tf32.tf32.f32", ("tf32", "tf32"), a, b, c)
    np.testing.assert_array_equal(found, np.full((16, 8), 8, np.float32))


@pytest.mark.parametrize("layout_a", ["row", "col"])
@pytest.mark.parametrize("layout_b", ["row", "col"])
@pytest.mark.parametrize("of_result, of_c", [("f16", "f16"), ("f32", "f16"), ("f32", "f32")])
def test_quad_pairs(layout_a: str, layout_b: str, of_result: str, of_c: str):
    """Four products of 8 by 4 by 8, each by lanes 4q to 4q + 3 and 16 further."""
    types: dict[str, Any] = {"f16": np.float16, "f32": np.float32}
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(-4, 5, (4, *size)) for size in ((8, 4), (4, 8), (8, 8)))
    q, s, up = LANE // 4 % 4, LANE % 4, LANE // 16 * 4
    held_a, held_b = np.zeros((32, 4), np.float16), np.zeros((32, 4), np.float16)
    for i in range(4):
        held_a[:, i] = a[q, s + up, i] if layout_a == "row" else a[q, i + up, s]
        held_b[:, i] = b[q, i, s + up] if layout_b == "col" else b[q, s, i + up]

    def places(name: str, i: int) -> tuple[Array, Array]:
        if name == "f16":
            return s + up, np.full(32, i)
        return s % 2 + (i & 2) + up, (i & 4) + (s & 2) + (i & 1)

    held_c = np.zeros((32, 8), types[of_c])
    for i in range(8):
        held_c[:, i] = c[(q, *places(of_c, i))]
    operands = [held.view(np.uint32) for held in (held_a, held_b, held_c)]
    opcode = f"mma.sync.aligned.m8n8k4.{layout_a}.{layout_b}.{of_result}.f16.f16.{of_c}"
    found = executed(f"{opcode} $3, $0, $1, $2;", operands, 4 if of_result == "f16" else 8, types[of_result])
    expected = a @ b + c
    for i in range(8):
        np.testing.assert_array_equal(found[:, i], expected[(q, *places(of_result, i))])


WORDS = [np.zeros((32, count), np.uint32) for count in (4, 2, 4)]


@pytest.mark.parametrize(
    "opcode, message",
    [
        ("m16n8k64.row.col.f32.s4.s4.f32", "takes B of .s4, .u4, and both C and the result of one of .s32"),
        ("m16n8k16.row.col.f32.f16.bf16.f32", "takes B of .f16, and"),
        ("m16n8k16.row.col.f32.f16.f16.f16", "both C and the result of one of .f16, .f32"),
        ("m16n8k16.row.col.f64.tf32.tf32.f64", "products of .tf32 of this shape are not supported"),
        ("m16n8k16.row.col.satfinite.f32.f16.f16.f32", "only sums of integers of 4 and 8 bits saturate"),
        ("m16n8k256.row.col.s32.b1.b1.s32", "expected one of .xor, .and"),
        ("m16n8k256.row.col.s32.b1.b1.s32.xor", "expected one of .popc"),
        ("m16n8.row.col.s32.b1.b1.s32", "expected a shape such as .m16n8k16"),
        ("m8n8k4.row.f32.f16.f16.f32", "expected the layouts of A and B, .row or .col"),
        ("m8n8k4.row.col.f32.f16.f16", "expected 4 types"),
    ],
)
def test_refused_products(opcode: str, message: str):
    with pytest.raises(PtxError) as error:
        executed(f"mma.sync.aligned.{opcode} $3, $0, $1, $2;", WORDS, 4)
    assert message in str(error.value)


def test_registers_of_another_shape_are_refused():
    for wrong in range(4):
        registers = ["$3", "$0", "$1", "$2"]
        registers[wrong] = "{$0.0}"
        opcode = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"
        with pytest.raises(PtxError, match="the registers do not hold matrices of this shape: 1 where it takes"):
            executed(f"{opcode} {', '.join(registers)};", WORDS, 4)
