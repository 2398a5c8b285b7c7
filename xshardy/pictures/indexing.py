"""A picture of indexing maps: what one element of a result reads, and which elements read one of an operand."""

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from xshardy import compiler
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects.shapes import shape_of
from xshardy.display.svg import Drawing, colour
from xshardy.indexing.fusions import MapSet, maps_to_operands

CELL = 15
GAP = 60
MOST_ELEMENTS = 2048
"""The largest tensor that is drawn."""

Index = tuple[int, ...]


def indexing_picture(hlo: ModuleOp) -> Drawing:
    """
    The result and the operands of the first fusion of `hlo`, an element a cell.

    Some elements of the result have a colour, and so have the elements of the operands that each of them reads. Raises
    `ValueError` for tensors of more than `MOST_ELEMENTS` elements, and maps that are not known.
    """
    computation = compiler.select_fusions(hlo)[0].callee_function()
    returned = computation.get_return_op()
    assert returned is not None, "an HLO computation has a root"
    result = returned.operands[0]
    maps = maps_to_operands(result)
    tensors = {"result": result, **{f"operand {n}": arg for n, arg in enumerate(computation.body.block.args)}}
    shapes = {name: _rows(shape_of(value)) for name, value in tensors.items()}
    if any(rows * columns > MOST_ELEMENTS for rows, columns in shapes.values()):
        raise ValueError(f"a tensor has more than {MOST_ELEMENTS} elements: run `xshardy shrink` on the module first")
    chosen = [*_spread(shape_of(result))]
    width = sum(columns * CELL for _, columns in shapes.values()) + GAP * (len(shapes) - 1) + 4
    drawing = Drawing(width, max(rows for rows, _ in shapes.values()) * CELL + 48, "Which elements a fusion reads")
    x = 2.0
    for name, value in tensors.items():
        rows, columns = shapes[name]
        drawing.text(x, 14, f"{name}: {'x'.join(map(str, shape_of(value)))}", 12, font_weight="bold")
        for row, column in product(range(rows), range(columns)):
            drawing.rect(x + column * CELL, 24 + row * CELL, CELL, CELL, stroke="currentColor", stroke_width=0.25)
        for number, element in enumerate(chosen):
            for index in {element} if value is result else {*_read(maps, value, element)}:
                row, column = _place(index, shape_of(value))
                place = x + column * CELL + 1, 24 + row * CELL + 1
                drawing.rect(*place, CELL - 2, CELL - 2, colour(number), fill_opacity=0.75, rx=2)
        x += columns * CELL + GAP
    return drawing


def _spread(shape: Index) -> Iterator[Index]:
    """Elements at three places of a tensor: the first one, one in the middle, the last one."""
    yield from dict.fromkeys(tuple(int(share * (size - 1)) for size in shape) for share in (0, 0.5, 1))


def _read(maps: Mapping[SSAValue, MapSet], operand: SSAValue, element: Index) -> Iterator[Index]:
    """The elements of `operand` that `element` of the result reads."""
    found = maps.get(operand, ())
    if found is None:
        raise ValueError("the indexing maps of the fusion are not known")
    for map in found:
        yield from _images(map, element)


def _images(map: IndexingMap, element: Index) -> Iterator[Index]:
    for symbols in product(*(_values(interval) for interval in map.symbol_intervals)):
        if map.holds(element, symbols):
            yield map.evaluate(element, symbols)


def _values(interval: Interval) -> range:
    return range(interval.lower, interval.upper + 1)


def _rows(shape: Index) -> tuple[int, int]:
    """The rows and columns that a tensor is drawn as: its last dimension goes from left to right."""
    return prod(shape[:-1]), shape[-1] if shape else 1


def _place(index: Index, shape: Index) -> tuple[int, int]:
    row = 0
    for place, size in zip(index[:-1], shape[:-1], strict=True):
        row = row * size + place
    return row, index[-1] if index else 0
