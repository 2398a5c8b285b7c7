"""Pictures of a kernel on its way down: its levels side by side, and the operations after each pass."""

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy import compiler
from xshardy.display.svg import Drawing, colour, width_of
from xshardy.emitters import emit_fusion
from xshardy.gpus.capability import DEFAULT_TARGET
from xshardy.gpus.targets import device_of
from xshardy.transforms.xla_gpu.codegen_pipeline import LEVELS

COLUMN = 128
LINE = 5
INDENT = 9
MOST_OPERATIONS = 110
"""A column is cut off behind so many operations."""
DIALECTS = ("xla_gpu", "func", "arith", "math", "tensor", "scf", "vector", "llvm", "gpu", "others")
"""Each has a colour; the dialects of all other operations share the last one."""


def _emitted(hlo: ModuleOp) -> ModuleOp:
    return emit_fusion(compiler.select_fusions(hlo)[0], device_of(DEFAULT_TARGET))


def _hue(dialect: str) -> str:
    return colour(DIALECTS.index(dialect))


def _dialect(name: str) -> str:
    """The dialect of the operation `name`, if it has a colour of its own."""
    dialect = name.partition(".")[0]
    return dialect if dialect in DIALECTS else "others"


def levels_picture(hlo: ModuleOp) -> Drawing:
    """
    The kernel of the first fusion in `hlo` at each level: a bar for each operation, in the colour of its dialect.

    The length of a bar is that of the name; bars of nested operations are indented.
    """
    module = _emitted(hlo)
    columns = {level: _operations(module, 0) for level in compiler.lower_by_level(module)}
    longest = max(min(len(rows), MOST_OPERATIONS) for rows in columns.values())
    drawing = Drawing(COLUMN * len(LEVELS), longest * LINE + 78, "A kernel at each level, an operation a line")
    _draw_legend(drawing, {_dialect(name) for rows in columns.values() for _, name in rows})
    for number, (level, rows) in enumerate(columns.items()):
        left = number * COLUMN
        drawing.text(left, 40, level, 12, font_weight="bold")
        drawing.text(left, 54, f"{len(rows)} operations", 10, opacity=0.75)
        for row, (depth, name) in enumerate(rows[:MOST_OPERATIONS]):
            x = left + min(depth, 6) * INDENT
            length = min(8 + len(name) * 2.2, left + COLUMN - 10 - x)
            drawing.rect(x, 62 + row * LINE, length, LINE - 1.5, _hue(_dialect(name)))
        if len(rows) > MOST_OPERATIONS:
            drawing.text(left, 62 + longest * LINE + 10, f"... {len(rows) - MOST_OPERATIONS} more", 10)
    return drawing


def _operations(op: Operation, depth: int) -> Sequence[tuple[int, str]]:
    """The depth and the name of each operation inside of `op`, in text order."""
    found: list[tuple[int, str]] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                found.append((depth, inner.name))
                found += _operations(inner, depth + 1)
    return found


def passes_picture(hlo: ModuleOp) -> Drawing:
    """The operations of the kernel of the first fusion in `hlo` after each pass of the pipeline, by dialect."""
    module, counts = _emitted(hlo), list[tuple[str, Counter[str]]]()

    def observe(name: str, module: ModuleOp, seconds: float) -> None:
        counts.append((name, Counter(_dialect(name) for _, name in _operations(module, 0))))

    observe("emit", module, 0)
    compiler.lower(module, LEVELS[-1], observe=observe)
    label = 10 + max(width_of(name, 11) for name, _ in counts)
    most = max(sum(found.values()) for _, found in counts)
    scale = 560 / most
    drawing = Drawing(label + 620, 17 * len(counts) + 40, "The operations of a kernel after each pass, by dialect")
    _draw_legend(drawing, {name for _, found in counts for name in found})
    for row, (name, found) in enumerate(counts):
        y, x = 30 + row * 17, label
        drawing.text(label - 8, y + 12, name, 11, "end")
        for dialect in DIALECTS:
            if found[dialect]:
                drawing.rect(x, y + 1, found[dialect] * scale, 15, _hue(dialect))
                x += found[dialect] * scale
        drawing.text(x + 6, y + 12, str(sum(found.values())), 10)
    return drawing


def _draw_legend(drawing: Drawing, dialects: set[str]) -> None:
    """The colours of `dialects`, in one line at the top."""
    x = 0.0
    for dialect in DIALECTS:
        if dialect in dialects:
            drawing.rect(x, 2, 11, 11, _hue(dialect))
            drawing.text(x + 15, 12, dialect, 11)
            x += 30 + width_of(dialect, 11)
