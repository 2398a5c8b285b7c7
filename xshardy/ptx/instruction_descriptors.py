"""
Instruction descriptors of `tcgen05.mma`: the shape of a product and the types of its matrices, in 32 bits.

What is in them depends on the kind of the instruction. Source: PTX ISA, "Instruction descriptor", "Matrix Shape",
"Transpose and Negate operations", "Valid combinations of scale_vectorsize".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xshardy.ptx.tensor_elements import BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, S8, TF32, U8, Element
from xshardy.ptx.types import TYPES, Type


@dataclass(frozen=True, slots=True)
class Kind:
    """What products of a kind have in common."""

    elements: Mapping[int, Element]
    """By the number in a descriptor."""
    results: Mapping[int, Type]
    depth: int
    """Columns of A."""
    container: int
    """The bits that an element takes in shared memory."""
    negates: bool = True
    transposes: bool = True
    scales_accumulator: bool = False
    """It may have the operand `scale-input-d`."""
    factors: Mapping[str, int] | None = None
    """With scale factors: by the modifier for their number along the depth, that number."""


_F32 = {1: TYPES["f32"]}
_NARROW = {0: E4M3, 1: E5M2, 3: E2M3, 4: E3M2, 5: E2M1}
_ONE = {"scale_vec::1X": 1, "block32": 1, "": 1}
_TWO = {"scale_vec::2X": 2, "block32": 2}

KINDS: Mapping[str, Kind] = {
    "f16": Kind({0: F16, 1: BF16}, {0: TYPES["f16"], **_F32}, 16, 16, scales_accumulator=True),
    "tf32": Kind({2: TF32}, _F32, 8, 32, scales_accumulator=True),
    "f8f6f4": Kind(_NARROW, {0: TYPES["f16"], **_F32}, 32, 8),
    "i8": Kind({0: U8, 1: S8}, {2: TYPES["s32"]}, 32, 8, negates=False),
    "mxf8f6f4": Kind(_NARROW, _F32, 32, 8, factors=_ONE),
    "mxf4": Kind({1: E2M1}, _F32, 64, 4, transposes=False, factors={**_TWO, "": 2}),
    "mxf4nvf4": Kind({1: E2M1}, _F32, 64, 4, transposes=False, factors={**_TWO, "scale_vec::4X": 4, "block16": 4}),
}


@dataclass(frozen=True, slots=True)
class Product:
    """A descriptor that is right."""

    kind: Kind
    rows: int
    columns: int
    of_a: Element
    of_b: Element
    result: Type
    negative: bool
    """Whether one of A and B is negated."""
    transposed: tuple[bool, bool]
    """Whether A is contiguous along its rows, and B along its columns."""
    saturates: bool
    scale: str
    """The type of the scale factors."""
    first_factors: tuple[int, int]
    """The byte of a cell in which the first scale factor of A and of B is."""


def _field(bits: int, first: int, size: int) -> int:
    return bits >> first & (1 << size) - 1


def decoded(bits: int, name: str, blocks: int, factors: int) -> Product | str:
    """What a descriptor for a kind says that so many blocks execute with so many scale factors; or what is wrong."""
    kind = KINDS[name]
    scaled = kind.factors is not None
    codes = [_field(bits, 7, 3), _field(bits, 10, 3 if name not in ("mxf4", "mxf4nvf4") else 2)]
    for matrix, code in zip("AB", codes, strict=True):
        if code not in kind.elements:
            return f"has type {code} for {matrix}, but .kind::{name} has {_listed(sorted(kind.elements))}"
    of_a, of_b = (kind.elements[code] for code in codes)
    result = _field(bits, 4, 2) if not scaled else 1
    if result not in kind.results:
        return f"has type {result} for D, but .kind::{name} has {_listed(sorted(kind.results))}"
    if name == "f16" and result == 0 and (of_a is BF16 or of_b is BF16):
        return "has elements bf16 and sums f16: these need elements f16"
    if _field(bits, 2, 1):
        return "has a sparse A, which this instruction has not"
    negates, transposes = (tuple(bool(_field(bits, first + n, 1)) for n in (0, 1)) for first in (13, 15))
    if any(negates) and not kind.negates:
        return f"negates A or B, which .kind::{name} does not do"
    if any(transposes) and not kind.transposes:
        return f"transposes A or B, which .kind::{name} does not do"
    rows = _field(bits, 27, 2) * 128 if scaled else _field(bits, 24, 5) * 16
    columns = _field(bits, 17, 6) * 8
    if wrong := _wrong_shape(name, rows, columns, blocks, scaled):
        return wrong
    if scaled and _field(bits, 31, 1):
        return "has a depth of 96, which sm_100 has not"
    scale, ids = "ue8m0", (0, 0)
    if scaled:
        scale = "ue8m0" if _field(bits, 23, 1) else "ue4m3"
        if scale == "ue4m3" and (name, factors) != ("mxf4nvf4", 4):
            return f"has scale factors ue4m3, which .kind::{name} with {factors} of them has not"
        ids = _field(bits, 29, 2), _field(bits, 4, 2)
        if any(first % factors for first in ids):
            return f"begins with scale factor {ids[0]} of A and {ids[1]} of B: expected multiples of {factors}"
    saturates = name == "i8" and bool(_field(bits, 3, 1))
    return Product(
        kind,
        rows,
        columns,
        of_a,
        of_b,
        kind.results[result],
        negates[0] != negates[1],
        (transposes[0], transposes[1]),
        saturates,
        scale,
        ids,
    )


def _wrong_shape(name: str, rows: int, columns: int, blocks: int, scaled: bool) -> str | None:
    """Why there is no product with so many rows and columns."""
    allowed = [128 * blocks] if scaled and blocks == 1 else [64 * blocks, 128 * blocks]
    if rows not in allowed:
        of_blocks = "1 block" if blocks == 1 else f"{blocks} blocks"
        return f"has {rows} rows, but .kind::{name} of {of_blocks} has {_listed(allowed)}"
    step = 8 * blocks
    if name == "i8":
        step = 16 * blocks if columns > 32 or blocks > 1 else 8
    fits = 0 < columns <= 256 and columns % step == 0
    return None if fits else f"has {columns} columns: expected a multiple of {step} up to 256"


def _listed(numbers: Sequence[int]) -> str:
    return " or ".join(map(str, numbers))
