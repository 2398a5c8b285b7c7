"""
Instruction descriptors of `tcgen05.mma`: the shape of a product and the types of its matrices, in 32 bits.

What is in them depends on the kind of the instruction: `PLACES` has where, `RULES` what is wrong. Source: PTX ISA,
"Instruction descriptor", "Matrix Shape", "Transpose and Negate operations", "Valid combinations of scale_vectorsize".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xshardy.ptx.tensor_elements import BF16, E2M1, E2M3, E3M2, E4M3, E5M2, F16, S8, TF32, U8, MemoryElement
from xshardy.ptx.tensor_memory import LANES
from xshardy.ptx.tensor_sparsity import PAIRED_BITS, SELECTORS
from xshardy.ptx.types import TYPES, Type


@dataclass(frozen=True, slots=True)
class Kind:
    """What products of a kind have in common."""

    elements: Mapping[int, MemoryElement]
    """By the number in a descriptor."""
    results: Mapping[int, Type]
    depth: int
    """Columns of an A that is not sparse."""
    container: int
    """The bits that an element takes in shared memory."""
    negates: bool = True
    transposes: bool = True
    scales_accumulator: bool = False
    """It may have the operand `scale-input-d`."""
    factors: Mapping[str, int] | None = None
    """With scale factors: by the modifier for their number along the depth, that number."""


_F32 = {1: TYPES["f32"]}
_SCALED_F32 = {0: TYPES["f32"]}
"""Descriptors of scaled products do not name it."""
_NARROW = {0: E4M3, 1: E5M2, 3: E2M3, 4: E3M2, 5: E2M1}
_ONE = {"scale_vec::1X": 1, "block32": 1, "": 1}
_TWO = {"scale_vec::2X": 2, "block32": 2}
_FOUR = {"scale_vec::4X": 4, "block16": 4}

KINDS: Mapping[str, Kind] = {
    "f16": Kind({0: F16, 1: BF16}, {0: TYPES["f16"], **_F32}, 16, 16, scales_accumulator=True),
    "tf32": Kind({2: TF32}, _F32, 8, 32, scales_accumulator=True),
    "f8f6f4": Kind(_NARROW, {0: TYPES["f16"], **_F32}, 32, 8),
    "i8": Kind({0: U8, 1: S8}, {2: TYPES["s32"]}, 32, 8, negates=False),
    "mxf8f6f4": Kind(_NARROW, _SCALED_F32, 32, 8, factors=_ONE),
    "mxf4": Kind({1: E2M1}, _SCALED_F32, 64, 4, transposes=False, factors={**_TWO, "": 2}),
    "mxf4nvf4": Kind({1: E2M1}, _SCALED_F32, 64, 4, transposes=False, factors=_TWO | _FOUR),
}


@dataclass(frozen=True, slots=True)
class Use:
    """What the opcode of a product says of it."""

    name: str
    """Of its kind."""
    blocks: int
    """How many multiply together."""
    factors: int = 0
    """Of a row of A or column of B; 0 for products that are not scaled."""
    is_sparse: bool = False
    """Whether half of A is stored."""
    is_stationary: bool = False
    """Whether B stays while A changes: `.ws`."""

    @property
    def kind(self) -> Kind:
        return KINDS[self.name]


@dataclass(frozen=True, slots=True)
class Fields:
    """The numbers in a descriptor; 0 for those that its kind has not."""

    is_sparse: int
    of_a: int
    of_b: int
    negates_a: int
    negates_b: int
    transposes_a: int
    transposes_b: int
    columns: int
    rows: int
    selector: int = 0
    """Of metadata."""
    saturates: int = 0
    of_result: int = 0
    first_of_b: int = 0
    """The scale factors of a cell begin at these bytes."""
    first_of_a: int = 0
    has_powers: int = 0
    """Whether scale factors are powers of two."""
    is_deep: int = 0
    """Whether the depth is 96."""
    most_shift: int = 0
    """The number of the largest shift of columns of B that stays."""


_OF_ALL = {
    "is_sparse": (2, 1),
    "of_a": (7, 3),
    "of_b": (10, 3),
    "negates_a": (13, 1),
    "negates_b": (14, 1),
    "transposes_a": (15, 1),
    "transposes_b": (16, 1),
    "columns": (17, 6),
}
PLACES: Mapping[bool, Mapping[str, tuple[int, int]]] = {
    False: {
        **_OF_ALL,
        "selector": (0, 2),
        "saturates": (3, 1),
        "of_result": (4, 2),
        "rows": (24, 5),
        "most_shift": (30, 2),
    },
    True: {
        **_OF_ALL,
        "first_of_b": (4, 2),
        "has_powers": (23, 1),
        "rows": (27, 2),
        "first_of_a": (29, 2),
        "is_deep": (31, 1),
    },
}
"""Of each field the first bit and the number of bits, in descriptors of products that are not scaled, and that are."""
ROW_UNITS: Mapping[bool, int] = {False: 16, True: 128}
COLUMN_UNIT = 8
"""The rows and columns that a descriptor counts."""
SHIFTS = (0, 8, 16, 32)
"""By its number, the largest shift."""


@dataclass(frozen=True, slots=True)
class Product:
    """A descriptor that is right."""

    use: Use
    rows: int
    columns: int
    of_a: MemoryElement
    of_b: MemoryElement
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
    selector: int
    """By how many columns the metadata of A are behind their address."""
    most_shift: int
    """By how many columns B may be shifted."""

    @property
    def kind(self) -> Kind:
        return self.use.kind

    @property
    def blocks(self) -> int:
        return self.use.blocks

    @property
    def factors(self) -> int:
        return self.use.factors

    @property
    def is_sparse(self) -> bool:
        return self.use.is_sparse

    @property
    def depth(self) -> int:
        """Rows of B: twice as many as A has columns where it is sparse."""
        return self.kind.depth * (2 if self.is_sparse else 1)

    @property
    def parts(self) -> int:
        """In how many parts the columns of the sums are, in different lanes: so that few rows fill all lanes."""
        own = self.rows // self.blocks
        return LANES // own if self.use.is_stationary or (self.blocks == 2 and not self.is_sparse) else 1


def rows_of(fields: Fields, use: Use) -> int:
    return fields.rows * ROW_UNITS[use.factors > 0]


def scale_of(fields: Fields) -> str:
    return "ue8m0" if fields.has_powers else "ue4m3"


def wrong_types(fields: Fields, use: Use) -> str | None:
    """The elements of A, B and D."""
    kind = use.kind
    for matrix, code, known in (
        ("A", fields.of_a, kind.elements),
        ("B", fields.of_b, kind.elements),
        ("D", fields.of_result, kind.results),
    ):
        if code not in known:
            return f"has type {code} for {matrix}, but .kind::{use.name} has {_listed(sorted(known))}"
    of_a, of_b = kind.elements[fields.of_a], kind.elements[fields.of_b]
    if kind.results[fields.of_result] == TYPES["f16"] and BF16 in (of_a, of_b):
        return "has elements bf16 and sums f16: these need elements f16"
    return None


def wrong_sparsity(fields: Fields, use: Use) -> str | None:
    """Whether A is sparse, and which columns have its metadata."""
    if bool(fields.is_sparse) != use.is_sparse:
        return f"has a {'sparse' if fields.is_sparse else 'dense'} A, which this instruction has not"
    most = SELECTORS if use.kind.container >= PAIRED_BITS else 1
    if use.is_sparse and fields.selector >= most:
        return f"has the sparsity selector {fields.selector}: expected less than {most}"
    return None


def wrong_changes(fields: Fields, use: Use) -> str | None:
    """Whether matrices are negated or transposed that cannot be."""
    if (fields.negates_a or fields.negates_b) and not use.kind.negates:
        return f"negates A or B, which .kind::{use.name} does not do"
    if (fields.transposes_a or fields.transposes_b) and not use.kind.transposes:
        return f"transposes A or B, which .kind::{use.name} does not do"
    return None


def rows_allowed(use: Use) -> Sequence[int]:
    if use.is_stationary:
        return (32, 64, 128)
    if use.factors and (use.blocks == 1 or use.is_sparse):
        return (128 * use.blocks,)
    return (64 * use.blocks, 128 * use.blocks)


def wrong_shape(fields: Fields, use: Use) -> str | None:
    """The numbers of rows and columns."""
    rows, columns, blocks = rows_of(fields, use), fields.columns * COLUMN_UNIT, use.blocks
    if rows not in rows_allowed(use):
        of_blocks = "1 block" if blocks == 1 else f"{blocks} blocks"
        return f"has {rows} rows, but .kind::{use.name} of {of_blocks} has {_listed(rows_allowed(use))}"
    if use.is_stationary:
        allowed = (64, 128) if use.is_sparse else (64, 128, 256)
        return None if columns in allowed else f"has {columns} columns: expected {_listed(allowed)}"
    step = COLUMN_UNIT * blocks
    if use.name == "i8":
        step = 16 * blocks if columns > 32 or blocks > 1 else COLUMN_UNIT
    if fields.transposes_b and use.kind.elements[fields.of_b].bits == 8:
        step = 16 * blocks
    fits = 0 < columns <= 256 and columns % step == 0
    return None if fits else f"has {columns} columns: expected a multiple of {step} up to 256"


def wrong_factors(fields: Fields, use: Use) -> str | None:
    """The scale factors."""
    if not use.factors:
        return None
    if fields.is_deep:
        return "has a depth of 96, which sm_100 has not"
    if not fields.has_powers and (use.name, use.factors) != ("mxf4nvf4", 4):
        return f"has scale factors ue4m3, which .kind::{use.name} with {use.factors} of them has not"
    ids = fields.first_of_a, fields.first_of_b
    if any(first % use.factors for first in ids):
        return f"begins with scale factor {ids[0]} of A and {ids[1]} of B: expected multiples of {use.factors}"
    return None


RULES: Sequence[Callable[[Fields, Use], str | None]] = (
    wrong_types,
    wrong_sparsity,
    wrong_changes,
    wrong_shape,
    wrong_factors,
)
"""What each gives is wrong with a descriptor, in words, or None. Later ones expect that earlier ones hold."""


def decoded(bits: int, use: Use) -> Product | str:
    """What a descriptor says; or what is wrong with it."""
    places = PLACES[use.factors > 0]
    fields = Fields(**{name: bits >> first & (1 << size) - 1 for name, (first, size) in places.items()})
    for rule in RULES:
        if (wrong := rule(fields, use)) is not None:
            return wrong
    return Product(
        use,
        rows_of(fields, use),
        fields.columns * COLUMN_UNIT,
        use.kind.elements[fields.of_a],
        use.kind.elements[fields.of_b],
        use.kind.results[fields.of_result],
        fields.negates_a != fields.negates_b,
        (bool(fields.transposes_a), bool(fields.transposes_b)),
        bool(fields.saturates),
        scale_of(fields),
        (fields.first_of_a, fields.first_of_b),
        fields.selector if use.is_sparse else 0,
        SHIFTS[fields.most_shift],
    )


def _listed(numbers: Sequence[int]) -> str:
    return " or ".join(map(str, numbers))
