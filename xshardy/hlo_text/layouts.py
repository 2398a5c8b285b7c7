"""The attributes that keep the layouts and memory spaces of an instruction."""

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, MemRefType, NoneAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute

from xshardy.dialects.hlo import LAYOUT, MEMORY
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.hlo_text.errors import HLOPrintError
from xshardy.hlo_text.shapes import ArrayShape, Shape, leaves


def layout_attributes(shape: Shape) -> Mapping[str, Attribute]:
    """The discardable attributes for the layouts in `shape`; none if all are the default."""
    if isinstance(shape, ArrayShape):
        if shape.layout is None and not shape.annotation:
            return {}
        arrays = (shape,)
    else:
        arrays = tuple(leaves(shape))
    attributes: dict[str, Attribute] = {}
    if any(array.layout is not None for array in arrays):
        layouts = [UnitAttr() if array.layout is None else integers(array.layout) for array in arrays]
        attributes[LAYOUT] = layouts[0] if isinstance(shape, ArrayShape) else ArrayAttr(layouts)
    if any(array.annotation for array in arrays):
        texts = [StringAttr(array.annotation) for array in arrays]
        attributes[MEMORY] = texts[0] if isinstance(shape, ArrayShape) else ArrayAttr(texts)
    return attributes


def has_default_layout(buffer: Attribute) -> bool:
    """Whether the type of a buffer says nothing about its layout."""
    return isinstance(cast(MemRefType, buffer).layout, NoneAttr)


def minor_to_major(buffer: Attribute) -> Sequence[int]:
    """
    The order of the dimensions that the type of a buffer says: `memref<2x4xf32, strided<[1, 2]>>` -> `(0, 1)`.

    Raises `HLOPrintError` if the elements do not fill the memory, one after the other.
    """
    type = cast(MemRefType, buffer)
    sizes = type.get_shape()
    if isinstance(type.layout, NoneAttr) or 0 in sizes:
        return range(len(sizes) - 1, -1, -1)
    place = type.layout.get_affine_map()
    origin = [0] * len(sizes)
    first = place.eval(origin, [])[0]
    strides = [place.eval([*origin[:i], 1, *origin[i + 1 :]], [])[0] - first for i in range(len(sizes))]
    order = sorted(range(len(sizes)), key=lambda dimension: (strides[dimension], sizes[dimension], -dimension))
    last = place.eval([size - 1 for size in sizes], [])[0]
    expected, filled = 1, True
    for dimension in order:
        filled &= sizes[dimension] == 1 or strides[dimension] == expected
        expected *= sizes[dimension]
    if not filled or last != expected - 1:
        raise HLOPrintError(f"{buffer}: its elements are not next to each other, as those of arrays of HLO are")
    return order
