"""
Scale factors of the rows of A and the columns of B in products by a warp, one to four for each, along the depth.

They are bytes of registers. Which ones, two selectors say: the first byte, and the threads. With the thread selector t,
lane 4g + 2t has those of row g of A, the next lane those of row g + 8; lane 4g + t has those of column g of B. Source:
PTX ISA, "Block Scaling for mma.sync"; which lane of a pair has which row, its text does not say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.decode import Context, Reader
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Instruction, Integer, Operand, Register, Vector
from xshardy.ptx.tensor_elements import scale_factors
from xshardy.ptx.types import TYPES

SCALINGS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "kind::mxf8f6f4": {"scale_vec::1X": ("ue8m0",), "": ("ue8m0",)},
    "kind::mxf4": {"scale_vec::2X": ("ue8m0",), "": ("ue8m0",)},
    "kind::mxf4nvf4": {"scale_vec::2X": ("ue8m0",), "scale_vec::4X": ("ue8m0", "ue4m3")},
}
"""By the kind of a product and the modifier for the number of factors, the types of these."""
NUMBERS: Mapping[str, int] = {"scale_vec::1X": 1, "scale_vec::2X": 2, "scale_vec::4X": 4}
DEFAULTS: Mapping[str, str] = {"kind::mxf8f6f4": "scale_vec::1X", "kind::mxf4": "scale_vec::2X"}
BYTES = 4
"""Of a register."""
B32, U16 = TYPES["b32"], TYPES["u16"]


@dataclass(frozen=True, slots=True)
class Scaling:
    """What an opcode says of scale factors."""

    number: int
    """For each row of A and column of B."""
    type: str


def take_scaling(form: Form, kind: str) -> Scaling | None:
    """Remove the modifiers of scale factors; None for a kind that has none. Raises `PtxError` for wrong ones."""
    known = SCALINGS.get(kind)
    if form.has("block_scale") != (known is not None):
        raise form.error(f".{kind} {'needs' if known else 'has no'} .block_scale")
    if known is None:
        return None
    vector = form.take(*NUMBERS) or ""
    if vector not in known:
        raise form.error(f".{kind} needs .{' or .'.join(filter(None, known))}")
    return Scaling(NUMBERS[vector or DEFAULTS[kind]], form.required(*known[vector]))


@dataclass(frozen=True, slots=True)
class Holders:
    """The lanes with the factors of a matrix."""

    lanes: Array
    """Of each row of A or column of B, for the thread selector 0."""
    step: int
    """By how many lanes the next selector is further."""

    @property
    def selectors(self) -> int:
        """How many thread selectors there are."""
        return 4 // self.step


OF_A = Holders(np.arange(16) % 8 * 4 + np.arange(16) // 8, 2)
OF_B = Holders(np.arange(8) * 4, 1)


@dataclass(frozen=True, slots=True)
class Factors:
    """Reads the factors of A or of B."""

    instruction: Instruction
    holders: Holders
    scaling: Scaling
    words: Reader
    selectors: tuple[Reader, Reader]
    """The first byte, and the threads."""

    def read(self, lanes: Lanes, context: Context) -> Array:
        """In f64: [blocks, warps, rows of A or columns of B, factors]. Reports wrong selectors."""
        byte, thread = (self._selector(lanes, context, which) for which in (0, 1))
        lane = self.holders.lanes + self.holders.step * thread[..., None]  # [blocks, warps, rows]
        words = np.take_along_axis(lanes.warps(self.words(lanes)), lane, axis=-1)
        codes = np.ascontiguousarray(words)[..., None].view(np.uint8)
        which = np.broadcast_to(byte[..., None, None], (*codes.shape[:-1], 1)) + np.arange(self.scaling.number)
        return scale_factors(np.take_along_axis(codes, which, axis=-1), self.scaling.type)

    def _selector(self, lanes: Lanes, context: Context, which: int) -> Array:
        """One of the selectors of each warp: that of its first thread; 0 if it is wrong."""
        values = lanes.warps(np.broadcast_to(self.selectors[which](lanes), lanes.shape)).astype(np.int64)
        allowed = allowed_selectors(self.holders, self.scaling)[which]
        wrong = lanes.of_warps(~np.isin(values, allowed)) & lanes.active_mask()
        differs = lanes.of_warps(values != values[..., :1]) & lanes.active_mask()
        name, faults, line = SELECTORS[which], context.memory.faults, self.instruction.line
        if wrong.any():
            shown = lanes.of_warps(values)
            faults.report(
                FaultKind.SELECTOR,
                line,
                lanes,
                wrong,
                lambda number: f"names {shown.flat[number]} as {name}: expected {_listed(allowed)}",
            )
        if differs.any():
            what = f"has another {name} than the first thread of its warp"
            faults.report(FaultKind.OPERANDS, line, lanes, differs, lambda _: what)
        first = values[..., 0]
        return np.where(np.isin(first, allowed), first, 0)


SELECTORS = ("byte-id", "thread-id")
"""As the PTX ISA names them."""


def allowed_selectors(holders: Holders, scaling: Scaling) -> tuple[list[int], list[int]]:
    """The first bytes and the threads that can be named."""
    return list(range(0, BYTES, scaling.number)), list(range(holders.selectors))


def factors_of(
    form: Form, context: Context, holders: Holders, scaling: Scaling, operands: tuple[Operand, Operand]
) -> Factors:
    """What reads `data, {byte, thread}`. Raises `PtxError` for constants that are no selectors."""
    data, selectors = operands
    if not isinstance(selectors, Vector) or len(selectors.elements) != len(SELECTORS):
        raise form.error("expected {byte-id, thread-id} behind the register of scale factors")
    byte, thread = selectors.elements
    registers, instruction = context.registers, form.instruction
    for name, operand, allowed in zip(SELECTORS, selectors.elements, allowed_selectors(holders, scaling), strict=True):
        if isinstance(operand, Integer) and operand.value not in allowed:
            raise form.error(f"the {name} must be {_listed(allowed)}, not {operand.value}")
        if isinstance(operand, Register) and registers.bits[registers.slot(operand.name)] != U16.bits:
            raise form.error(f"the {name} must be a register of {U16.bits} bits, or a constant")
    return Factors(
        instruction,
        holders,
        scaling,
        registers.reader(instruction, data, B32),
        (registers.reader(instruction, byte, U16), registers.reader(instruction, thread, U16)),
    )


def _listed(numbers: Sequence[int]) -> str:
    return " or ".join(map(str, numbers))


def scaled(matrix: Array, factors: Array) -> Array:
    """The rows of a matrix, each in as many equal parts as it has factors, times these."""
    return matrix * factors.repeat(matrix.shape[-1] // factors.shape[-1], axis=-1)
