"""`mma` of floats of 8, 6 and 4 bits, and with scale factors, beside numpy: which bits are read, and faults."""

from itertools import product as combinations
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_matrices import ORDERED, G, T, executed, faults_of, warp_kernel

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.profiling import profile

DTYPES: dict[str, Any] = {
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "e3m2": ml_dtypes.float6_e3m2fn,
    "e2m3": ml_dtypes.float6_e2m3fn,
    "e2m1": ml_dtypes.float4_e2m1fn,
}
IN_BYTE = {"e4m3": (0, 8), "e5m2": (0, 8), "e3m2": (0, 6), "e2m3": (0, 6), "e2m1": (2, 4)}
"""Which bits of a byte an element has: the first, and how many."""
SCALES: dict[str, Any] = {"ue8m0": ml_dtypes.float8_e8m0fnu, "ue4m3": ml_dtypes.float8_e4m3fn}
FORMS = [
    ("mxf8f6f4.block_scale", "ue8m0", 1),
    ("mxf8f6f4.block_scale.scale_vec::1X", "ue8m0", 1),
    ("mxf4.block_scale", "ue8m0", 2),
    ("mxf4.block_scale.scale_vec::2X", "ue8m0", 2),
    ("mxf4nvf4.block_scale.scale_vec::2X", "ue8m0", 2),
    ("mxf4nvf4.block_scale.scale_vec::4X", "ue8m0", 4),
    ("mxf4nvf4.block_scale.scale_vec::4X", "ue4m3", 4),
]
"""Kinds with scale factors, the type and the number of these."""


def codes_of(rng: np.random.Generator, name: str, *shape: int) -> Array:
    """Random elements as codes: all of those with few bits, small integers of f8."""
    if name in ("e4m3", "e5m2"):
        return rng.integers(-4, 5, shape).astype(DTYPES[name]).view(np.uint8)
    return rng.integers(0, 1 << IN_BYTE[name][1], shape).astype(np.uint8)


def values_of(codes: Array, name: str) -> Array:
    return codes.view(DTYPES[name]).astype(np.float64)


def words_of(rng: np.random.Generator, codes: Array, name: str, *, is_dense: bool) -> Array:
    """Codes in the registers of each lane, [32, elements] to [32, words], with anything in the bits between them."""
    first, count = (0, 4) if is_dense else IN_BYTE[name]
    width = 4 if is_dense else 8
    others = rng.integers(0, 1 << width, codes.shape) & ~((1 << count) - 1 << first)
    parts = (codes.astype(np.int64) << first | others).reshape(32, -1, 32 // width)
    return (parts << np.arange(0, 32, width)).sum(axis=-1).astype(np.uint32)


def fragment_of_a(matrix: Array, per: int) -> Array:
    """By the formulas of the ISA: row g (+ 8 in odd registers), `per` columns from t * per (+ 4 * per) on."""
    held = np.zeros((32, matrix.size // 32), matrix.dtype)
    for i in range(held.shape[1]):
        register, within = divmod(i, per)
        held[:, i] = matrix[G + 8 * (register % 2), T * per + within + register // 2 * 4 * per]
    return held


def fragment_of_b(matrix: Array, per: int) -> Array:
    held = np.zeros((32, matrix.size // 32), matrix.dtype)
    for i in range(held.shape[1]):
        register, within = divmod(i, per)
        held[:, i] = matrix[T * per + within + register * 4 * per, G]
    return held


def fragment_of_c(matrix: Array) -> Array:
    return np.stack([matrix[G + 8 * (i >= 2), T * 2 + i % 2] for i in range(4)], axis=1)


def sparse(rng: np.random.Generator, codes: Array, width: int) -> tuple[Array, Array]:
    """
    From the stored half of A a matrix with zeros, and the metadata of each lane. Of four places, each of `width`
    elements, two are stored; lane 4g + 2b + h has the codes of row g + 8h, chunks 8b to 8b + 7.
    """
    chunks = codes.shape[1] // (2 * width)
    metadata = rng.choice(ORDERED, (16, chunks))
    dense = np.zeros((16, chunks, 4, width), codes.dtype)
    stored = codes.reshape(16, chunks, 2, width)
    for row, chunk in combinations(range(16), range(chunks)):
        code = int(metadata[row, chunk])
        dense[row, chunk, [code & 3, code >> 2]] = stored[row, chunk]
    words = np.zeros((32, 1), np.uint32)
    for lane in range(32):
        g, b, h = lane // 4, lane % 4 // 2, lane % 2
        own = metadata[g + 8 * h, 8 * b : 8 * b + 8]
        words[lane] = sum(int(code) << 4 * i for i, code in enumerate(own))
    return dense.reshape(16, -1), words


class Case:
    """Random operands of a product, and what it is."""

    def __init__(self, kind: str, names: tuple[str, str], result: str = "f32", *, is_sparse: bool = False):
        rng = np.random.default_rng(len(kind) + sum(map(ord, names[0] + names[1])))
        is_dense = kind.startswith("mxf4")
        per = 8 if is_dense else 4
        self.depth = (64 if is_dense else 32) * (2 if is_sparse else 1)
        of_a = codes_of(rng, names[0], 16, self.depth // 2 if is_sparse else self.depth)
        of_b = codes_of(rng, names[1], self.depth, 8)
        c = rng.integers(-9, 10, (16, 8)).astype(np.float16 if result == "f16" else np.float32)
        self.left, self.right, self.plus = values_of(of_a, names[0]), values_of(of_b, names[1]), c
        self.operands = [
            words_of(rng, fragment_of_a(of_a, per), names[0], is_dense=is_dense),
            words_of(rng, fragment_of_b(of_b, per), names[1], is_dense=is_dense),
            np.ascontiguousarray(fragment_of_c(c)).view(np.uint32),
        ]
        if is_sparse:
            dense, metadata = sparse(rng, of_a, 2 if is_dense else 1)
            self.left = values_of(dense, names[0])
            self.operands.append(metadata)
        sp = "sp::ordered_metadata." if is_sparse else ""
        self.opcode = (
            f"mma.{sp}sync.aligned.m16n8k{self.depth}.row.col.kind::{kind}.{result}.{'.'.join(names)}.{result}"
        )
        self.text = "$0, $1, $2" + (", $3.0, 0" if is_sparse else "")
        self.rng, self.result = rng, c.dtype

    def scales(self, holders: str, kind: str, number: int, byte: int, thread: int) -> Array:
        """
        Random scale factors of `holders` ("a" or "b"), in the registers that the selectors name, which become an
        operand; anything is in the others. [rows or columns, number].
        """
        words = self.rng.integers(0x30, 0x50, (32, 4)).astype(np.uint8)
        rows = 16 if holders == "a" else 8
        found = self.rng.integers(*((120, 134) if kind == "ue8m0" else (40, 80)), (rows, number)).astype(np.uint8)
        for row in range(rows):
            lane = 4 * (row % 8) + 2 * thread + row // 8 if holders == "a" else 4 * row + thread
            words[lane, byte : byte + number] = found[row]
        self.operands.append(words.view(np.uint32))
        return found.view(SCALES[kind]).astype(np.float64).repeat(self.depth // number, axis=1)

    def check(self, left: Array, right: Array) -> None:
        out = len(self.operands)
        found = executed(
            f"{self.opcode} ${out}, {self.text};", self.operands, self.operands[2].shape[1], self.result.type
        )
        expected = (left @ right + self.plus).astype(self.result)
        np.testing.assert_array_equal(found, fragment_of_c(expected))


@pytest.mark.parametrize("result", ["f32", "f16"])
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("names", list(combinations(DTYPES, DTYPES)))
def test_narrow_floats(names: tuple[str, str], is_sparse: bool, result: str):
    case = Case("f8f6f4", names, result, is_sparse=is_sparse)
    case.check(case.left, case.right)


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("kind, scale, number", FORMS)
def test_scaled_products(kind: str, scale: str, number: int, is_sparse: bool):
    """With each pair of selectors of A, and of B the next ones."""
    names = ("e2m1", "e2m1") if kind.startswith("mxf4") else ("e3m2", "e2m1")
    for byte, thread in combinations(range(0, 4, number), range(2)):
        case = Case(kind, names, is_sparse=is_sparse)
        case.opcode += f".{scale}"
        other, others = (byte + number) % 4, thread + 2
        rows = case.scales("a", scale, number, byte, thread)
        columns = case.scales("b", scale, number, other, others)
        at = len(case.operands)
        case.text += f", ${at - 2}.0, {{{byte}, {thread}}}, ${at - 1}.0, {{{other}, {others}}}"
        case.check(case.left * rows, case.right * columns.T)


@pytest.mark.parametrize("names", list(combinations(DTYPES, DTYPES)))
def test_scaled_products_of_all_types(names: tuple[str, str]):
    case = Case("mxf8f6f4.block_scale", names)
    case.opcode += ".ue8m0"
    rows, columns = case.scales("a", "ue8m0", 1, 3, 1), case.scales("b", "ue8m0", 1, 0, 3)
    case.text += ", $3.0, {3, 1}, $4.0, {0, 3}"
    case.check(case.left * rows, case.right * columns.T)


SELECTED = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 $7, $0, $1, $2"
BY_REGISTERS = f"""{{ .reg .b16 %h<4>;
cvt.u16.u32 %h0, $5.0; cvt.u16.u32 %h1, $5.1; cvt.u16.u32 %h2, $6.0; cvt.u16.u32 %h3, $6.1;
{SELECTED}, $3.0, {{%h0, %h1}}, $4.0, {{%h2, %h3}}; }}"""


def selected(of_a: tuple[int, int], of_b: tuple[int, int]) -> tuple[Case, list[Array]]:
    """A product whose selectors are in registers."""
    case = Case("mxf4.block_scale", ("e2m1", "e2m1"))
    case.left = case.left * case.scales("a", "ue8m0", 2, of_a[0] & 2, of_a[1] & 1)
    case.right = case.right * case.scales("b", "ue8m0", 2, of_b[0] & 2, of_b[1] & 3).T
    case.operands += [np.tile(np.array(each, np.uint32), (32, 1)) for each in (of_a, of_b)]
    return case, case.operands


def test_selectors_in_registers():
    case, operands = selected((2, 1), (2, 3))
    found = executed(BY_REGISTERS, operands, 4, np.float32)
    expected = (case.left @ case.right + case.plus).astype(np.float32)
    np.testing.assert_array_equal(found, fragment_of_c(expected))


@pytest.mark.parametrize(
    "of_a, of_b, message",
    [
        ((1, 0), (0, 0), "names 1 as byte-id: expected 0 or 2"),
        ((0, 2), (0, 0), "names 2 as thread-id: expected 0 or 1"),
        ((0, 0), (3, 0), "names 3 as byte-id: expected 0 or 2"),
        ((0, 0), (0, 4), "names 4 as thread-id: expected 0 or 1 or 2 or 3"),
    ],
)
def test_wrong_selectors_are_faults(of_a: tuple[int, int], of_b: tuple[int, int], message: str):
    _, operands = selected(of_a, of_b)
    (fault,) = faults_of(BY_REGISTERS, operands, 4)
    assert fault.kind is FaultKind.SELECTOR and fault.threads == 32
    assert message in fault.message


def test_selectors_that_differ_within_a_warp_are_faults():
    _, operands = selected((2, 1), (2, 3))
    operands[6][17, 1] = 1
    (fault,) = faults_of(BY_REGISTERS, operands, 4)
    assert fault.kind is FaultKind.OPERANDS and fault.threads == 1
    assert "thread (17, 0, 0)" in fault.message
    assert "has another thread-id than the first thread of its warp" in fault.message


def test_elements_that_are_not_ordered_are_faults():
    case = Case("mxf4.block_scale", ("e2m1", "e2m1"), is_sparse=True)
    case.opcode += ".ue8m0"
    for holders in ("a", "b"):
        case.scales(holders, "ue8m0", 2, 0, 0)
    case.operands[3][9, 0] = case.operands[3][9, 0] & ~np.uint32(15) | 1  # place 1, then place 0
    text = f"{case.opcode} $6, {case.text}, $4.0, {{0, 0}}, $5.0, {{0, 0}};"
    (fault,) = faults_of(text, case.operands, 4)
    assert fault.kind is FaultKind.METADATA and fault.threads == 1
    assert "thread (9, 0, 0)" in fault.message


WORDS = [np.zeros((32, count), np.uint32) for count in (4, 2, 4, 1, 1)]
BY_CONSTANTS = "$5, $0, $1, $2, $3.0, {0, 0}, $4.0, {0, 0};"


@pytest.mark.parametrize(
    "opcode, operands, message",
    [
        ("m16n8k32.row.col.kind::f8f6f4.block_scale.f32.e2m1.e2m1.f32", BY_CONSTANTS, "has no .block_scale"),
        ("m16n8k32.row.col.kind::mxf8f6f4.f32.e2m1.e2m1.f32.ue8m0", BY_CONSTANTS, "needs .block_scale"),
        (
            "m16n8k64.row.col.kind::mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
            BY_CONSTANTS,
            "needs .scale_vec::2X or .scale_vec::4X",
        ),
        (
            "m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue4m3",
            BY_CONSTANTS,
            "expected one of .ue8m0",
        ),
        (
            "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f16.e2m1.e2m1.f16.ue8m0",
            BY_CONSTANTS,
            "both C and the result of one of .f32",
        ),
        (
            "m16n8k64.row.col.kind::mxf4.block_scale.f32.e4m3.e4m3.f32.ue8m0",
            BY_CONSTANTS,
            "takes A and B of .e2m1",
        ),
        (
            "m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32",
            "$5, $0, $1, $2;",
            "products of .kind::f8f6f4 of this shape are not supported",
        ),
        (
            "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
            "$5, $0, $1, $2;",
            "takes 8 operands, but there are 4",
        ),
        (
            "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
            "$5, $0, $1, $2, $3.0, {4, 0}, $4.0, {0, 0};",
            "the byte-id must be 0 or 1 or 2 or 3, not 4",
        ),
        (
            "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
            "$5, $0, $1, $2, $3.0, {0, 2}, $4.0, {0, 0};",
            "the thread-id must be 0 or 1, not 2",
        ),
        (
            "m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
            "$5, $0, $1, $2, $3.0, 0, $4.0, 0;",
            "expected {byte-id, thread-id}",
        ),
        ("m16n8k32.row.col.f32.e2m1.e2m1.f32", "$5, $0, $1, $2;", "products of .e2m1 of this shape are not supported"),
    ],
)
def test_refused_products(opcode: str, operands: str, message: str):
    with pytest.raises(PtxError) as error:
        executed(f"mma.sync.aligned.{opcode} {operands}", WORDS, 4)
    assert message in str(error.value)


def test_sparse_products_are_ordered():
    opcode = "mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32"
    with pytest.raises(PtxError, match=r"have \.sp::ordered_metadata"):
        executed(f"{opcode} $4, $0, $1, $2, $3.0, 0;", [np.zeros((32, n), np.uint32) for n in (4, 4, 4, 1)], 4)


@pytest.mark.parametrize("kind, depth, products", [("f8f6f4", 32, 16 * 8 * 16), ("mxf4.block_scale", 64, 16 * 8 * 16)])
def test_products_are_counted(kind: str, depth: int, products: int):
    """In units of those of 16 bits: elements take 8 bits, or 4."""
    case = Case(kind, ("e2m1", "e2m1"))
    text = case.text
    if "scale" in kind:
        case.opcode += ".ue8m0"
        case.operands += [np.zeros((32, 1), np.uint32)] * 2
        text += ", $3.0, {0, 0}, $4.0, {0, 0}"
    out = len(case.operands)
    counts = [*(operand.shape[1] for operand in case.operands), 4]
    counted = profile(warp_kernel(f"{case.opcode} ${out}, {text};", counts), [1], [32])
    assert counted.products == products and counted.classes["matrix"] == 1
