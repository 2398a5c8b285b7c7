"""Matrices in the registers of a warp: each thread holds a fragment of them."""

from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.numerics.floats import narrowed
from xshardy.ptx.decode import Context, Reader, Writer
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.scalar.memory import elements_of
from xshardy.ptx.instructions.warp.matrix_elements import RegisterElement, unpacked
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Integer, Operand
from xshardy.ptx.types import TYPES, Type

ALL_LANES = Integer(0xFFFFFFFF)
"""The member mask of instructions that all threads of a warp execute together."""
INTEGER_BOUNDS = np.iinfo(np.int32)


@dataclass(frozen=True, slots=True)
class Fragment:
    """The part of a matrix that each thread holds, and where its elements are in the matrix."""

    element: RegisterElement
    places: tuple[Array, Array]
    """The row and column of each element, by lane, register and element of the register."""
    shape: tuple[int, ...]

    def readers(self, form: Form, context: Context, operand: Operand) -> list[Reader]:
        """What reads the registers of an operand. Raises `PtxError` unless there are as many as the fragment has."""
        word = TYPES[f"b{self.element.register_bits}"]
        return [context.registers.reader(form.instruction, each, word) for each in self._registers(form, operand)]

    def writers(self, form: Form, context: Context, operand: Operand) -> list[Writer]:
        """The same for those of a result."""
        word = TYPES[f"b{self.element.register_bits}"]
        return [context.registers.writer(form.instruction, each, word) for each in self._registers(form, operand)]

    def _registers(self, form: Form, operand: Operand) -> tuple[Operand, ...]:
        found, count = elements_of(operand), self.places[0].shape[1]
        if len(found) != count:
            raise form.error(f"the registers do not hold matrices of this shape: {len(found)} where it takes {count}")
        return found

    def read(self, lanes: Lanes, readers: list[Reader]) -> Array:
        """The matrices of all warps, in f64: [blocks, warps, rows, columns]."""
        bits = np.stack([lanes.warps(read(lanes)) for read in readers], axis=-1)
        result = np.zeros((*bits.shape[:2], *self.shape), np.float64)
        result[..., self.places[0], self.places[1]] = unpacked(bits, self.element)
        return result

    def write(self, lanes: Lanes, writers: list[Writer], matrices: Array) -> None:
        """The inverse: `matrices` have the type of the elements."""
        values = np.ascontiguousarray(matrices[..., self.places[0], self.places[1]])
        registers = values.view(f"u{self.element.register_bits // 8}")[..., 0]
        for number, writer in enumerate(writers):
            writer(lanes, lanes.of_warps(np.ascontiguousarray(registers[..., number])))


def rounded(sums: Array, type: Type | RegisterElement, saturates: bool) -> Array:
    """Sums in f64 as numbers of a type; integers wrap around or, if it `saturates`, have the nearest bound."""
    if not type.is_integer:
        return narrowed(sums, type.dtype)
    if saturates:
        sums = np.clip(sums, INTEGER_BOUNDS.min, INTEGER_BOUNDS.max)
    return sums.astype(np.int64).astype(type.dtype)
