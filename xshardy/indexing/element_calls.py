"""
Calls of functions of elements: one element of each operand gives one element of each result.

Such a call states, as the attribute `element_maps`, the map from the indices of its results to those of each operand.
The body of the callee then needs not be read again, so that functions that call each other stay linear.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation
from xdsl.utils.hints import isa

from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.xla_gpu.attributes import IndexingMapAttr

ELEMENT_MAPS = "element_maps"


def element_call(name: str, op: Operation, maps: Sequence[IndexingMap]) -> CallOp:
    """The call of the function of elements `name` with the operands and results of `op`; each operand has a map."""
    call = CallOp(name, op.operands, op.result_types)
    call.attributes[ELEMENT_MAPS] = ArrayAttr(map(IndexingMapAttr, maps))
    return call


def element_maps(op: Operation) -> tuple[IndexingMap, ...] | None:
    """The map at which each operand of `op` is read, if `op` calls a function of elements; None otherwise."""
    maps = op.attributes.get(ELEMENT_MAPS) if isinstance(op, CallOp) else None
    if not isa(maps, ArrayAttr[IndexingMapAttr]):
        return None
    return tuple(attribute.data for attribute in maps)
