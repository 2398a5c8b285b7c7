"""Index arithmetic as operations: shared constants, maps applied to values, domain checks."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from operator import is_

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IndexType, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineSymExpr
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsolatedFromAbove

from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects.extensions.effects import has_trait
from xshardy.dialects.xla_gpu.ops import ApplyIndexingOp
from xshardy.ir import new_operation, set_name_hint
from xshardy.ir.fields import next_op_of

ConstantValue = IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr


def shared_constant(value: ConstantValue, user: Operation, builder: Builder) -> SSAValue:
    """
    `value` as an `arith.constant` at the start of the function of `user`: an existing one, or a new one.

    Constants outside of loops do not interfere with moving, cloning and unrolling of loops.
    """
    block = _entry_block(user)
    leading = _leading_constants(block)
    if (known := leading.find(value)) is None:
        known = new_operation(arith.ConstantOp, (), (value.type,), {"value": value})
        builder.insert(known, InsertPoint.at_end(block) if (end := leading.end()) is None else InsertPoint.before(end))
    return known.results[0]


class _LeadingConstants:
    """The constants that a block starts with, by value: looking for one does not compare it with all."""

    def __init__(self, block: Block):
        self._block = block
        self._ops: list[Operation] = []
        self._by_value: dict[Attribute, arith.ConstantOp] = {}

    def find(self, value: ConstantValue) -> arith.ConstantOp | None:
        """The first leading constant with this value."""
        if self._ops[:1] != [self._block.first_op] or not self._are_neighbours():
            self._ops.clear()
            self._by_value.clear()
        while isinstance(end := self.end(), arith.ConstantOp):
            self._ops.append(end)
            self._by_value.setdefault(end.properties["value"], end)
        return self._by_value.get(value)

    def end(self) -> Operation | None:
        """The operation after the constants that were found."""
        return self._ops[-1].next_op if self._ops else self._block.first_op

    def _are_neighbours(self) -> bool:
        """Whether nothing was inserted between the constants, or erased. Hot path: a loop without Python code."""
        return all(map(is_, map(next_op_of, self._ops), islice(self._ops, 1, None)))


_leading_constants = lru_cache(maxsize=1)(_LeadingConstants)
"""Those of the block that was asked for last: patterns go through one function after another."""


def index_constant(value: int, user: Operation, builder: Builder) -> SSAValue:
    """The `index` constant `value`, where `shared_constant` puts it."""
    result = shared_constant(index_attribute(value), user, builder)
    if value >= 0:
        set_name_hint(result, f"c{value}")
    return result


@lru_cache(maxsize=4096)
def index_attribute(value: int) -> IntegerAttr[IndexType]:
    """`value : index`. The same object for the same value, which is compared faster."""
    return IntegerAttr.from_index_int_value(value)


def apply_map(
    indexing_map: IndexingMap, dims: Sequence[SSAValue], symbols: Sequence[SSAValue], user: Operation, builder: Builder
) -> tuple[SSAValue, ...]:
    """
    The results of a map as values for `user`, emitted at `builder`.

    Each result is an `xla_gpu.apply_indexing` of its own; a plain variable is its operand, and a constant an
    `arith.constant`.
    """
    values: list[SSAValue] = []
    for expr in indexing_map.results:
        match expr:
            case AffineDimExpr(position):
                values.append(dims[position])
            case AffineSymExpr(position):
                values.append(symbols[position])
            case AffineConstantExpr(value):
                values.append(index_constant(value, user, builder))
            case _:
                single = IndexingMap((expr,), indexing_map.dimensions, indexing_map.ranges, indexing_map.runtimes)
                values.append(builder.insert(ApplyIndexingOp((*dims, *symbols), single)).results[0])
    return tuple(values)


def domain_check(
    indexing_map: IndexingMap, dims: Sequence[SSAValue], symbols: Sequence[SSAValue], user: Operation, builder: Builder
) -> SSAValue | None:
    """
    Whether `dims` are within their bounds and all constraints hold, as an `i1`; None if this is always true.

    Precondition: the symbols are within their bounds, as in a loop over them.
    """
    exprs = indexing_map.with_results(c.expr for c in indexing_map.constraints)
    tested = (*apply_map(exprs, dims, symbols, user, builder), *dims)
    bounds = (*(c.bounds for c in indexing_map.constraints), *indexing_map.dimension_intervals)
    inside: SSAValue | None = None
    for value, interval in zip(tested, bounds, strict=True):
        check = bounds_check(value, interval, user, builder)
        inside = check if inside is None else builder.insert(arith.AndIOp(inside, check)).result
    return inside


def bounds_check(value: SSAValue, bounds: Interval, user: Operation, builder: Builder) -> SSAValue:
    """`lower <= value <= upper` as an `i1`, for a signed index."""
    lower = index_constant(bounds.lower, user, builder)
    if bounds.is_point:
        return builder.insert(arith.CmpiOp(value, lower, "eq")).result
    upper = index_constant(bounds.upper, user, builder)
    at_least = builder.insert(arith.CmpiOp(value, lower, "sge"))
    at_most = builder.insert(arith.CmpiOp(value, upper, "sle"))
    return builder.insert(arith.AndIOp(at_least, at_most)).result


def _entry_block(op: Operation) -> Block:
    """The first block of the function around `op`, or of the outermost region if there is no function."""
    region = op.parent_region()
    while region is not None and (parent := region.parent_op()) is not None:
        if has_trait(type(parent), IsolatedFromAbove, True) or parent.parent_region() is None:
            break
        region = parent.parent_region()
    if region is None or region.first_block is None:
        raise ValueError(f"{op.name} is in no function that could hold its constants")
    return region.first_block
