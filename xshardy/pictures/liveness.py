"""A picture of asynchronous operations: what is in flight while others run, and the buffers that stay live."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from xshardy.dialects.hlo.async_operation import DoneOp, StartOp
from xshardy.display.svg import Drawing, colour, width_of
from xshardy.hlo_text.names import instruction_name
from xshardy.transforms.hlo_async.aliasing import Buffer, ShapeIndex
from xshardy.transforms.hlo_async.liveness import ENTRY, Liveness, liveness_of
from xshardy.transforms.sdy.main_function import main_function

STEP = 56
ROW = 22
TOP = 110


def liveness_picture(module: ModuleOp) -> Drawing:
    """
    The schedule of the main function of `module`, from left to right.

    Arrows are asynchronous operations in flight; bars are the live ranges of buffers, those that an operation in
    flight reads or writes in its colour.
    """
    block = main_function(module).body.block
    liveness = liveness_of(block)
    ops = [*block.ops]
    names = {buffer: _name(*places[0]) for buffer, places in liveness.aliasing.places().items()}
    rows = [(names[buffer], range, buffer) for buffer, range in liveness.ranges.items() if buffer in names]
    left = 14 + max(width_of(name, 11) for name in ("in flight", *names.values()))
    height = TOP + ROW * (len(liveness.in_flight) + len(rows)) + 30
    drawing = Drawing(left + STEP * (len(ops) + 1) + 40, height, "Asynchronous operations and live buffers")

    def x_of(position: int) -> float:
        return left + (position - ENTRY) * STEP

    for position, op in enumerate(ops):
        x = x_of(position) + STEP / 2
        drawing.text(x, TOP - 12, _label(op), 11, transform=f"rotate(-40 {x:.0f} {TOP - 12})")
        drawing.line([(x, TOP - 6), (x, height)], stroke_width=0.3)
    y = TOP
    for number, flight in enumerate(liveness.in_flight):
        hue, start, end = colour(number), x_of(flight.first) + STEP / 2, x_of(flight.last) + STEP / 2
        drawing.text(left - 8, y + 15, "in flight", 11, "end")
        drawing.line([(start, y + 11), (end, y + 11)], hue, stroke_width=4)
        drawing.line([(end - 8, y + 4), (end + 2, y + 11), (end - 8, y + 18)], hue, stroke_width=4)
        y += ROW
    y += 10
    for name, live, buffer in rows:
        drawing.text(left - 8, y + 15, name, 11, "end")
        hue = _hue(liveness, buffer)
        start, end = x_of(live.first) + STEP / 2, x_of(live.last) + STEP / 2
        drawing.rect(start, y + 3, max(end - start, 3), ROW - 6, hue, fill_opacity=0.6, rx=3)
        y += ROW
    return drawing


def _name(value: SSAValue, index: ShapeIndex) -> str:
    """`%fetch{1}`: an element of a value, as the reports on liveness write it."""
    return f"%{value.name_hint or '?'}" + (f"{{{','.join(map(str, index))}}}" if index else "")


def _label(op: Operation) -> str:
    """The name of an instruction; which end of an asynchronous operation it is."""
    name = instruction_name(op) or op.name.partition(".")[2]
    return f"{name} start" if isinstance(op, StartOp) else f"{name} done" if isinstance(op, DoneOp) else name


def _hue(liveness: Liveness, buffer: Buffer) -> str:
    """The colour of the operation in flight that holds a buffer; grey if there is none."""
    for number, flight in enumerate(liveness.in_flight):
        bundle = flight.chain[0].results[0]
        if buffer in liveness.aliasing.buffers_of(bundle):
            return colour(number)
    return colour(9)
