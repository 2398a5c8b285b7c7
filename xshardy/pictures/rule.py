"""A picture of a sharding rule: the loops of an operation, and the dimensions that they walk."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.ir import Operation

from xshardy.display.svg import Drawing, colour
from xshardy.sharding.factor_rule import FactorRule, TensorMapping
from xshardy.sharding.rules import ShardingRules

CELL_WIDTH, CELL_HEIGHT = 66, 34
LETTERS = "ijklmnopqrstuvwxyz"
TOP, MIDDLE, BOTTOM = 30, 130, 230


def rule_picture(op: Operation) -> Drawing:
    """The sharding rule of `op`: operands above the factors, results below. Raises `ValueError` if it has none."""
    rule = ShardingRules(beyond_upstream=True).factor_rule(op)
    if rule is None:
        raise ValueError(f"{op.name} has no sharding rule")
    rows = (rule.operands, rule.results)
    cells = max(sum(map(len, row)) + len(row) for row in (*rows, [[*rule.sizes]]))
    drawing = Drawing((cells + 1) * CELL_WIDTH, BOTTOM + CELL_HEIGHT + 24, f"The factors of {op.name}")
    width = CELL_WIDTH * 1.3
    start = (drawing.width - len(rule.sizes) * width) / 2
    centres = [start + (factor + 0.5) * width for factor in range(len(rule.sizes))]
    for row, y, what in ((rule.operands, TOP, "operand"), (rule.results, BOTTOM, "result")):
        values = op.operands if what == "operand" else op.results
        _draw_tensors(drawing, row, [value.type for value in values], y, what, centres)
    for factor, (x, size) in enumerate(zip(centres, rule.sizes, strict=True)):
        hue = colour(factor)
        drawing.rect(x - 40, MIDDLE, 80, CELL_HEIGHT, hue, rx=16, fill_opacity=0.5, stroke=hue)
        drawing.text(x, MIDDLE + 15, f"{LETTERS[factor]} = {size}", 12, "middle")
        drawing.text(x, MIDDLE + 28, _kind(rule, factor), 9, "middle")
    drawing.text(0, MIDDLE + 20, op.name.partition(".")[2], 13, font_weight="bold")
    return drawing


def _draw_tensors(
    drawing: Drawing,
    tensors: Sequence[TensorMapping],
    types: Sequence[object],
    y: float,
    what: str,
    centres: list[float],
) -> None:
    """A box for each dimension of each tensor, and a line from it to each of its factors."""
    cells = sum(map(len, tensors)) + len(tensors) - 1
    x = (drawing.width - cells * CELL_WIDTH) / 2
    for number, (dims, type) in enumerate(zip(tensors, types, strict=True)):
        label = f"{what} {number}" if len(tensors) > 1 else what
        below = y > MIDDLE
        drawing.text(x + len(dims) * CELL_WIDTH / 2, y + CELL_HEIGHT + 16 if below else y - 8, label, 11, "middle")
        shape = type.get_shape() if isinstance(type, ShapedType) else ()
        for dim, (factors, size) in enumerate(zip(dims, shape, strict=True)):
            left = x + dim * CELL_WIDTH
            hue = colour(factors[0]) if factors else "none"
            drawing.rect(left, y, CELL_WIDTH, CELL_HEIGHT, hue, fill_opacity=0.35, stroke="currentColor")
            drawing.text(left + CELL_WIDTH / 2, y + 21, str(size), 12, "middle")
            for factor in factors:
                edge, end = (y, MIDDLE + CELL_HEIGHT) if below else (y + CELL_HEIGHT, MIDDLE)
                points = [(left + CELL_WIDTH / 2, edge), (centres[factor], end)]
                drawing.line(points, colour(factor), stroke_width=2.5)
        x += (len(dims) + 1) * CELL_WIDTH


def _kind(rule: FactorRule, factor: int) -> str:
    """What a device needs of the others if the factor is sharded."""
    kinds = {"reduction": rule.reduction, "need replication": rule.need_replication, "permutation": rule.permutation}
    return next((kind for kind, factors in kinds.items() if factor in factors), "pass-through")


def contraction(module: ModuleOp) -> Operation:
    """The first operation of `module` with a sharding rule that has a reduction. Raises `ValueError` without one."""
    rules = ShardingRules(beyond_upstream=True)
    for op in module.walk():
        if (rule := rules.factor_rule(op)) is not None and rule.reduction:
            return op
    raise ValueError("no operation of the module reduces over a dimension")
