"""Rules for the operations of xtile, and for those of other dialects that kernels of tiles have beside StableHLO's."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import Float4E2M1FNType, Float8E8M0FNUType, IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import InterpretationError

from xshardy.dialects.xla_gpu import ApplyIndexingOp
from xshardy.dialects.xtile.ops import DotScaledOp, ExtractOp, InsertOp, MaskOp, ScanOp, SelectBufferOp, TileOp
from xshardy.dialects.xtile.ops import values_of as numbers_in
from xshardy.interpreters.constants import constant_array
from xshardy.interpreters.simt.arith import ARITH
from xshardy.interpreters.simt.math import MATH
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value, unsupported
from xshardy.interpreters.stablehlo.scans import places, scanned
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.universe import installed_dialects

# -- Tiles of buffers -------------------------------------------------------------------------------------------------


def places_of(op: TileOp, shape: Sequence[int], offsets: Sequence[Array]) -> tuple[list[Array], list[Array]]:
    """For each dimension of a buffer: the indices of the tile, and which of them are inside of the buffer."""
    places = [
        int(offset) + step * np.arange(size) for offset, step, size in zip(offsets, op.steps, op.sizes, strict=True)
    ]
    return places, [(place >= 0) & (place < size) for place, size in zip(places, shape, strict=True)]


def extract(evaluator: Evaluator, op: ExtractOp, buffer: Array, *offsets: Array) -> Array:
    places, inside = places_of(op, buffer.shape, offsets)
    tile = np.zeros(op.sizes, buffer.dtype)
    tile[np.ix_(*inside)] = buffer[np.ix_(*(place[known] for place, known in zip(places, inside, strict=True)))]
    return tile.reshape(op.result.type.get_shape())


def insert(evaluator: Evaluator, op: InsertOp, tile: Array, buffer: Array, *offsets: Array) -> Sequence[Array]:
    places, inside = places_of(op, buffer.shape, offsets)
    written = tile.reshape(op.sizes)[np.ix_(*inside)]
    buffer[np.ix_(*(place[known] for place, known in zip(places, inside, strict=True)))] = written
    return ()


def select_buffer(evaluator: Evaluator, op: SelectBufferOp, *operands: Array) -> Array:
    raise unsupported(op, "its operand holds addresses, and the interpreter has arrays: pass the buffer itself")


# -- Tensors ----------------------------------------------------------------------------------------------------------


def mask(evaluator: Evaluator, op: MaskOp, x: Array, value: Array) -> Array:
    inside = np.zeros(x.shape, np.bool_)
    inside[tuple(slice(max(bound, 0)) for bound in numbers_in(op.bounds))] = True
    return np.where(inside, x, value)


def scan(evaluator: Evaluator, op: ScanOp, *operands: Array) -> Sequence[Value]:
    count, dimension = len(op.inputs), op.dimension.value.data
    is_reverse = op.is_reverse is not None and bool(op.is_reverse.value.data)
    order = places(operands[0].shape[dimension], is_reverse=is_reverse)

    def step(arguments: Sequence[Array]) -> Sequence[Value]:
        returned = cast(tuple[Array, ...], evaluator.run(op.body.block, arguments))
        both, carried = (*returned[:count], *returned[-count:]), arguments[count:]
        return [np.broadcast_to(x, like.shape) for x, like in zip(both, (*carried, *carried), strict=True)]

    return scanned(op.outputs, operands[:count], operands[count:], dimension, order, step)


def unpacked(x: Array, element: Attribute, axis: int) -> Array:
    """The elements of an operand of a product, as f64: two in each i8 along `axis`, the first in the low bits."""
    dtype = numpy_dtype(element)
    if x.dtype == np.int8 and isinstance(element, Float4E2M1FNType | IntegerType) and element.bitwidth == 4:
        low, high = x.view(np.uint8) & 15, x.view(np.uint8) >> 4
        halves = np.stack([low, high], axis + 1)
        x = halves.reshape([size * (2 if d == axis else 1) for d, size in enumerate(x.shape)])
        return (x.view(dtype) if dtype.kind == "V" else ((x.astype(np.int8) ^ 8) - 8)).astype(np.float64)
    return (x if x.dtype == dtype else x.view(dtype)).astype(np.float64)


def scaled(x: Array, factors: Array | None, axis: int) -> Array:
    """`x` with each block along `axis` times its factor; `factors` has the blocks in its last dimension."""
    if factors is None:
        return x
    if factors.dtype == np.int8:  # the bits of an exponent
        factors = factors.view(numpy_dtype(Float8E8M0FNUType()))
    factors = np.moveaxis(factors.astype(np.float64), -1, axis)
    if x.shape[axis] % factors.shape[axis]:
        raise InterpretationError(f"{factors.shape[axis]} factors for {x.shape[axis]} elements: no whole blocks")
    return x * factors.repeat(x.shape[axis] // factors.shape[axis], axis)


def dot_scaled(evaluator: Evaluator, op: DotScaledOp, *operands: Array) -> Array:
    """`[..., m, k]` times `[..., k, n]`, summed in f64 and rounded once."""
    lhs, rhs, *scales = operands
    rank = lhs.ndim
    batch = [*range(rank - 2)]
    numbers = op.dot_dimension_numbers
    if numbers is not None and (
        [*map(numbers_in, (numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions))]
        != [(rank - 1,), (rank - 2,)]
        or [*numbers_in(numbers.lhs_batching_dimensions)] not in (batch, [])
    ):
        raise unsupported(op, "expected products of [batch, m, k] and [batch, k, n]: transpose the operands first")
    for pack, element in ((op.lhs_k_pack, op.lhs_elem_type), (op.rhs_k_pack, op.rhs_elem_type)):
        if pack is not None and not pack.value.data and getattr(element, "bitwidth", 8) == 4:
            raise unsupported(op, "elements of 4 bits are packed along m or n: pack them along k")
    found = iter(scales)
    lhs_scale = next(found) if op.lhs_scale is not None else None
    rhs_scale = next(found) if op.rhs_scale is not None else None
    left = scaled(unpacked(lhs, op.lhs_elem_type, rank - 1), lhs_scale, rank - 1)
    right = scaled(unpacked(rhs, op.rhs_elem_type, rank - 2), rhs_scale, rank - 2)
    return (left @ right).astype(numpy_dtype(op.result.type))


# -- Other dialects ---------------------------------------------------------------------------------------------------


def on_arrays(rule: Callable[..., Any]) -> Rule:
    """A rule of the interpreter of threads that reads its operands only, for scalars and tensors."""

    def rule_on_arrays(evaluator: Evaluator, op: Operation, *operands: Array) -> Array:
        return np.asarray(rule(None, op, *operands))

    return rule_on_arrays


def constant(_: None, op: arith.ConstantOp) -> Array:
    return constant_array(op.value)


def select(_: None, op: arith.SelectOp, condition: Array, x: Array, y: Array) -> Array:
    return np.where(condition, x, y)


OWN_ARITH: Mapping[str, Callable[..., Any]] = {"arith.constant": constant, "arith.select": select}
"""In place of the rules for values of threads."""


def apply_indexing(evaluator: Evaluator, op: ApplyIndexingOp, *operands: Array) -> Sequence[Array]:
    dims = len(op.map.dimensions)
    indices = [int(operand) for operand in operands]
    return [np.asarray(value) for value in op.map.evaluate(indices[:dims], indices[dims:])]


def loop(evaluator: Evaluator, op: scf.ForOp, lower: Array, upper: Array, step: Array, *carried: Array) -> Any:
    results: Any = carried
    for number in range(int(lower), int(upper), int(step)):
        results = evaluator.run(op.body.block, [np.asarray(number), *results])
    return results


def branch(evaluator: Evaluator, op: scf.IfOp, condition: Array) -> Any:
    region = op.true_region if condition else op.false_region
    return evaluator.run(region.block, []) if region.blocks else ()


def tensor_extract(evaluator: Evaluator, op: tensor.ExtractOp, x: Array, *indices: Array) -> Array:
    return np.asarray(x[tuple(int(index) for index in indices)])


def from_elements(evaluator: Evaluator, op: tensor.FromElementsOp, *elements: Array) -> Array:
    return np.array(elements).reshape(op.result.type.get_shape())


def _by_class(rules: Mapping[str, Any], dialect: str) -> Mapping[type[Operation], Rule]:
    """The rules of a table by names, for the operations of xDSL and for ours that are fuller ones."""
    classes = (base for op in installed_dialects()[dialect]().operations for base in op.__mro__)
    named = {op: vars(op).get("name", "") for op in classes if issubclass(op, Operation)}
    return {op: on_arrays(rules[name]) for op, name in named.items() if name in rules}


XTILE: Mapping[type[Operation], Rule] = {
    **_by_class({**ARITH, **OWN_ARITH}, "arith"),
    **_by_class(MATH, "math"),
    ApplyIndexingOp: apply_indexing,
    DotScaledOp: dot_scaled,
    ExtractOp: extract,
    InsertOp: insert,
    MaskOp: mask,
    ScanOp: scan,
    SelectBufferOp: select_buffer,
    scf.ForOp: loop,
    scf.IfOp: branch,
    tensor.ExtractOp: tensor_extract,
    tensor.FromElementsOp: from_elements,
}
