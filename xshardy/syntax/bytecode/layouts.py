"""
The layouts of memrefs in bytecode of MLIR 24 and newer: affine maps and strides. Before, they are text.

They are read only: what is written, older readers take too. Source: what jaxlib 0.12 writes.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum

from xdsl.dialects.builtin import AffineMapAttr, StridedLayoutAttr
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from xshardy.syntax.bytecode.encoding import SVARINT, Encoding, Field, Source, listed
from xshardy.syntax.bytecode.errors import BytecodeError


class _Form(IntEnum):
    """How the results of a map are written: the two lowest bits of its first number; the others count dimensions."""

    IDENTITY = 0
    PERMUTATION = 1
    """The number of a dimension for each dimension."""
    PROJECTION = 2
    """So many dimensions, and their numbers."""
    EXPRESSIONS = 3
    """The number of symbols, and expressions."""


class _Leaf(IntEnum):
    """The first number of an expression without operands; a number follows."""

    DIMENSION = 0
    SYMBOL = 1
    CONSTANT = 2


OPERATIONS: Mapping[int, AffineBinaryOpKind] = {
    3: AffineBinaryOpKind.Add,
    4: AffineBinaryOpKind.Mul,
    5: AffineBinaryOpKind.Mod,
    6: AffineBinaryOpKind.FloorDiv,
    7: AffineBinaryOpKind.CeilDiv,
}
"""The first number of an expression with two operands, which follow."""


def _read_map(source: Source) -> AffineMap:
    header = source.varint()
    dims, form = header >> 2, _Form(header & 3)
    match form:
        case _Form.IDENTITY:
            return AffineMap.identity(dims)
        case _Form.PERMUTATION:
            return AffineMap(dims, 0, tuple(AffineDimExpr(source.varint()) for _ in range(dims)))
        case _Form.PROJECTION:
            return AffineMap(dims, 0, tuple(AffineDimExpr(source.varint()) for _ in range(source.count())))
        case _Form.EXPRESSIONS:
            symbols = source.varint()
            return AffineMap(dims, symbols, tuple(_read_expression(source) for _ in range(source.count())))


def _read_expression(source: Source) -> AffineExpr:
    match source.varint():
        case _Leaf.DIMENSION:
            return AffineDimExpr(source.varint())
        case _Leaf.SYMBOL:
            return AffineSymExpr(source.varint())
        case _Leaf.CONSTANT:
            return AffineConstantExpr(source.svarint())
        case code if code in OPERATIONS:
            left = _read_expression(source)
            return AffineBinaryOpExpr(OPERATIONS[code], left, _read_expression(source))
        case code:
            raise source.error(f"an affine expression with code {code} is not known")


def _strided(offset: int, strides: Sequence[int]) -> StridedLayoutAttr:
    dynamic = -(2**63)
    parts = [None if number == dynamic else number for number in (offset, *strides)]
    return StridedLayoutAttr(parts[1:], parts[0])


def _not_written(sink: object, value: object) -> None:
    raise BytecodeError("affine maps are written as text")


LAYOUTS = (
    Encoding(23, AffineMapAttr, (Field(_read_map, _not_written),), AffineMapAttr, lambda a: None),
    Encoding(25, StridedLayoutAttr, (SVARINT, listed(SVARINT)), _strided, lambda a: None),
)
"""The rows of layouts."""
