"""`mma.sp` beside numpy: which elements of A are stored, whose metadata are read, and metadata that are faults."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_matrices import ORDERED, G, T, executed, faults_of, words_of

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultKind

DTYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
    "s8": np.int8,
    "u8": np.uint8,
    "s4": np.int64,
    "u4": np.int64,
}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "s4": 4, "u4": 4}
RANGES = {"s8": (-128, 128), "u8": (0, 256), "s4": (-8, 8), "u4": (0, 16)}
DISTINCT = [code for code in range(16) if code & 3 != code >> 2]


def sparse(rng: np.random.Generator, name: str, depth: int, codes: Array) -> tuple[Array, Array]:
    """A matrix of 16 rows with zeros, and what is stored of it, by the codes of its chunks."""
    low, high = RANGES.get(name, (-4, 5))
    bits = BITS.get(name, 8)
    chunk, width = {32: (2, 1), 4: (8, 2)}.get(bits, (4, 1))
    dense, stored = np.zeros((16, depth), np.int64), list[int]()
    for row in range(16):
        for number in range(depth // chunk):
            code = int(codes[row, number])
            places = [{0b0100: 0, 0b1110: 1}[code]] if bits == 32 else [code & 3, code >> 2]
            for place in places:
                for element in range(width):
                    value = int(rng.integers(low, high))
                    dense[row, number * chunk + place * width + element] = value
                    stored.append(value)
    return dense, np.array(stored).reshape(16, depth // 2)


def metadata_of(codes: Array, bits: int, selector: int, rng: np.random.Generator) -> Array:
    """The register of each lane: of those that are not asked, anything. [32, 1]."""
    words = rng.integers(0, 1 << 32, 32, np.uint64)
    blocks = codes.shape[1] // (4 if bits >= 16 else 8)
    for g in range(8):
        for block in range(blocks):
            if bits >= 16:  # four codes of row g, and four of row g + 8
                both = [*codes[g, 4 * block : 4 * block + 4], *codes[g + 8, 4 * block : 4 * block + 4]]
                words[4 * g + selector * blocks + block] = sum(int(code) << 4 * i for i, code in enumerate(both))
                continue
            for half in range(2):
                row = codes[g + 8 * half, 8 * block : 8 * block + 8]
                lane = 4 * g + selector * 2 * blocks + half + 2 * block
                words[lane] = sum(int(code) << 4 * i for i, code in enumerate(row))
    return words.astype(np.uint32)[:, None]


FORMS = [
    *(("f16", depth) for depth in (16, 32)),
    *(("bf16", depth) for depth in (16, 32)),
    *(("tf32", depth) for depth in (8, 16)),
    *((name, 64) for name in ("e4m3", "e5m2")),
    *((name, depth) for name in ("s8", "u8") for depth in (32, 64)),
    *((name, depth) for name in ("s4", "u4") for depth in (64, 128)),
]


def operands_of(
    name: str, depth: int, selector: int, codes: Array, rng: np.random.Generator
) -> tuple[list[Array], Array]:
    """The registers of A, B, C and the metadata, and the exact product."""
    bits = BITS.get(name, 8)
    dense, stored = sparse(rng, name, depth, codes)
    b = rng.integers(*RANGES.get(name, (-4, 5)), (depth, 8))
    c = rng.integers(-100, 100, (16, 8))
    per = 32 // bits
    held_a, held_b = np.zeros((32, depth // 4), np.int64), np.zeros((32, depth // 4), np.int64)
    for i in range(depth // 4):
        register, within = divmod(i, per)
        held_a[:, i] = stored[G + 8 * (register % 2), T * per + within + register // 2 * 4 * per]
        held_b[:, i] = b[T * per + within + register * 4 * per, G]
    held_c = np.stack([c[G + 8 * (i >= 2), T * 2 + i % 2] for i in range(4)], axis=1)
    held_c = held_c.astype(np.int32 if name in RANGES else np.float32)
    words = [words_of(held.astype(DTYPES[name]), name) for held in (held_a, held_b)]
    return [*words, held_c.view(np.uint32), metadata_of(codes, bits, selector, rng)], dense @ b + c


def codes_of(name: str, depth: int, rng: np.random.Generator, valid: list[int]) -> Array:
    chunk = {32: 2, 4: 8}.get(BITS.get(name, 8), 4)
    return rng.choice([0b0100, 0b1110] if name == "tf32" else valid, (16, depth // chunk))


def selectors_of(name: str, depth: int) -> int:
    """Of how many sets of threads one has the metadata."""
    chunk = {32: 2, 4: 8}.get(BITS.get(name, 8), 4)
    return 4 // (depth // chunk // 4)


def opcode_of(name: str, depth: int, sp: str = "sp") -> str:
    of_result = "s32" if name in RANGES else "f32"
    return f"mma.{sp}.sync.aligned.m16n8k{depth}.row.col.{of_result}.{name}.{name}.{of_result}"


@pytest.mark.parametrize("sp, valid", [("sp", DISTINCT), ("sp::ordered_metadata", ORDERED)])
@pytest.mark.parametrize("name, depth", FORMS)
def test_products(name: str, depth: int, sp: str, valid: list[int]):
    for selector in range(selectors_of(name, depth)):
        rng = np.random.default_rng(depth + selector)
        operands, expected = operands_of(name, depth, selector, codes_of(name, depth, rng, valid), rng)
        dtype = np.int32 if name in RANGES else np.float32
        found = executed(f"{opcode_of(name, depth, sp)} $4, $0, $1, $2, $3.0, {selector};", operands, 4, dtype)
        for i in range(4):
            np.testing.assert_array_equal(found[:, i], expected[G + 8 * (i >= 2), T * 2 + i % 2])


@pytest.mark.parametrize("name, depth, invalid", [("f16", 16, 0b1010), ("s8", 64, 0b0101), ("tf32", 8, 0b0101)])
def test_codes_that_name_no_elements_are_faults(name: str, depth: int, invalid: int):
    rng = np.random.default_rng(0)
    codes = codes_of(name, depth, rng, ORDERED)
    operands, _ = operands_of(name, depth, 0, codes, rng)
    codes[3, 1] = invalid
    operands[3] = metadata_of(codes, BITS.get(name, 8), 0, rng)
    (fault,) = faults_of(f"{opcode_of(name, depth)} $4, $0, $1, $2, $3.0, 0;", operands, 4)
    assert fault.kind is FaultKind.METADATA and fault.threads == 1
    assert "thread (12, 0, 0)" in fault.message and "which are not all valid codes" in fault.message


def test_ordered_metadata_have_places_in_order():
    rng = np.random.default_rng(0)
    codes = codes_of("f16", 16, rng, ORDERED)
    codes[8, 0] = 0b0001
    operands, _ = operands_of("f16", 16, 2, codes, rng)
    text = "$4, $0, $1, $2, $3.0, 2;"
    assert not faults_of(f"{opcode_of('f16', 16)} {text}", operands, 4)
    (fault,) = faults_of(f"{opcode_of('f16', 16, 'sp::ordered_metadata')} {text}", operands, 4)
    assert "places in order" in fault.message


@pytest.mark.parametrize("name, depth", FORMS)
def test_a_selector_names_threads_that_there_are(name: str, depth: int):
    count = selectors_of(name, depth)
    operands = [np.zeros((32, n), np.uint32) for n in (depth // 4 * BITS.get(name, 8) // 32,) * 2]
    operands += [np.zeros((32, 4), np.uint32), np.zeros((32, 1), np.uint32)]
    for selector in (count, -1, "$3.0"):
        with pytest.raises(PtxError, match=f"the sparsity selector must be a constant below {count}"):
            executed(f"{opcode_of(name, depth)} $4, $0, $1, $2, $3.0, {selector};", operands, 4)
