"""The attributes that keep the layouts and memory spaces of an instruction."""

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute

from xshardy.dialects.hlo import LAYOUT, MEMORY
from xshardy.dialects.stablehlo.attributes import integers
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
