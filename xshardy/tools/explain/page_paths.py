"""The tables of a page for the paths of axes: each step is written once, and refers to the step before it."""

from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.planning.origins import origin, visible
from xshardy.programs.names import SourceNames, what
from xshardy.tools.explain.losses import Losses
from xshardy.tools.explain.page_shardings import AxisRow
from xshardy.tools.explain.tables import Table
from xshardy.transforms.sdy_propagation.propagation_history import Arrival, History

StepRow = tuple[int, int, int, int, int]
"""The step, the axis that arrived, the operation, the value that got it, and the step before: see `Paths.came_by`."""

OriginRow = tuple[int, int]
"""A value, and how it came to have an axis without a step."""

OperationRow = tuple[str, int, int]
"""The name, the line (0: created by a pass), and the place in the user's program."""

LossRow = tuple[int, int, int, int, int]
"""A value, the operation, the other value, which operand or result that is, and what it has that the value lacks."""


class Paths:
    """The steps by which axes came to values, with the operations and origins that they refer to."""

    def __init__(self, history: History, names: SourceNames, axes: Table[AxisRefAttr, AxisRow]):
        self._history, self._names, self._axes = history, names, axes
        self.texts = Table[str, str](str)
        """Texts that rows share. The first is empty."""
        self.texts.number("")
        self._operations: Table[Operation, OperationRow] = Table(self._operation_row)
        self._origins: Table[tuple[int, AxisRefAttr], OriginRow] = Table(self._origin_row)
        self.operations, self.origins = self._operations.rows, self._origins.rows
        self.steps: list[StepRow] = []
        self._known: dict[tuple[int, int, int, int], int] = {}
        """By the step, its value, the axis that arrived, and that which is looked for."""

    def came_by(self, number: int, axis: AxisRefAttr) -> int:
        """The row of the last step by which value `number` got `axis`; `~row` of an origin if there was no step."""
        new: list[tuple[tuple[int, int, int, int], Arrival]] = []
        axis_number = self._axes.number(axis)
        arrival, last = self._history.arrival(number, axis), number
        came: int | None = None
        while arrival is not None:
            key = arrival.step, arrival.target, self._axes.number(arrival.axis), axis_number
            if (came := self._known.get(key)) is not None:
                break
            new.append((key, arrival))
            last = arrival.source
            arrival = self._history.arrival(last, axis, arrival.step)
        if came is None:
            came = ~self._origins.number((last, axis))
        for key, arrival in reversed(new):
            operation = self._operations.number(visible(arrival.op))
            self.steps.append((arrival.step, key[2], operation, arrival.target - 1, came))
            came = self._known[key] = len(self.steps) - 1
        return came

    def losses(self) -> list[LossRow]:
        """What each value lacks and a neighbour has."""
        losses, texts = Losses(self._history), self.texts
        rows: dict[LossRow, None] = {}
        for at in self._history.neighbourhoods():
            for loss in losses.at(at):
                mine, other = at.values[loss.mine], at.values[loss.other]
                label = texts.number(at.roles[loss.other].label)
                rows[mine - 1, self._operations.number(at.op), other - 1, label, texts.number(loss.text)] = None
        return [*rows]

    def _operation_row(self, op: Operation) -> OperationRow:
        return what(op), self._names.line(op) or 0, self.texts.number(self._names.source_place(op) or "")

    def _origin_row(self, key: tuple[int, AxisRefAttr]) -> OriginRow:
        number, axis = key
        return number - 1, self.texts.number(origin(self._history, number, axis))
