"""Fourier transforms, Cholesky decompositions, and triangular solves: only their batch dimensions pass through."""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.ir import Operation

from xshardy.dialects.stablehlo.fourier import FftOp
from xshardy.dialects.stablehlo.linear_algebra import CholeskyOp, Transpose, TriangularSolveOp
from xshardy.sharding.rules.builder import Factor, Factors, FactorType, Row, Shapes

REPLICATED = FactorType.NEED_REPLICATION


def fft(shapes: Shapes, transformed: int) -> Factors:
    """`([i, j])->([i, j]) need_replication={j}`: the last dimension of a real transform also changes its size."""
    (source,), (target,) = shapes.operands, shapes.results
    for dim, size in enumerate(source):
        if dim < len(source) - transformed:
            yield shapes.factor(dim, size)
        else:
            yield shapes.factor(dim, size, REPLICATED, blocked=size != target[dim])


def cholesky(shapes: Shapes, parameters: object = ()) -> Factors:
    """`([b, i, j])->([b, i, j]) need_replication={i, j}`: the last two dimensions are a matrix."""
    (shape,) = shapes.operands
    for dim, size in enumerate(shape):
        yield shapes.factor(dim, size, FactorType.PASS_THROUGH if dim < len(shape) - 2 else REPLICATED)


class TriangularSolve(NamedTuple):
    """`op(a) x = b`, or `x op(a) = b` if not on the `left_side`, where `op` may transpose."""

    left_side: bool
    transposed: bool


def triangular_solve(shapes: Shapes, system: TriangularSolve) -> Factors:
    """
    `([n, i, k], [n, i, j])->([n, k, j]) need_replication={i, j, k}`, on the left side, and not transposed.

    The rows of `a` are those of `b` then, and its columns are contracted with the rows of the result.
    """
    a, b = shapes.operands
    for dim in range(len(a) - 2):
        yield shapes.factor(dim, a[dim])
    rows, columns = len(a) - 2, len(a) - 1
    own, contracted = (columns, rows) if system.transposed == system.left_side else (rows, columns)
    shared, kept = (rows, columns) if system.left_side else (columns, rows)
    of_a = Factor((own, shared), (None,), a[own], REPLICATED)
    of_result = Factor((None, kept), (kept,), b[kept], REPLICATED)
    yield from (of_a, of_result) if system.left_side else (of_result, of_a)
    yield Factor((contracted, None), (shared,), a[contracted], REPLICATED)


def _transformed(op: FftOp) -> int:
    return len(op.fft_length.get_values())


def _system(op: TriangularSolveOp) -> TriangularSolve:
    transposed = op.transpose_a.data in (Transpose.TRANSPOSE, Transpose.ADJOINT)
    return TriangularSolve(bool(op.left_side), transposed)


RULES: Mapping[type[Operation], Row] = {
    CholeskyOp: Row(cholesky),
    FftOp: Row(fft, _transformed),
    TriangularSolveOp: Row(triangular_solve, _system),
}
