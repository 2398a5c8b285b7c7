"""
The data of a page about the shardings of a program: tables whose rows refer to each other by number.

Value `n` of a table is number `n + 1` of the history, whose first number stands for no value.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from xdsl.ir import Attribute, BlockArgument

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.shapes import is_tensor
from xshardy.dialects.stablehlo.types import ANY_ELEMENT
from xshardy.planning.plan import Plan
from xshardy.programs.sharded import Sharded
from xshardy.syntax.locations import without_locations
from xshardy.tools.explain.folds import Fold, folds, without_numbers
from xshardy.tools.explain.page_collectives import CollectiveRow, collective_rows
from xshardy.tools.explain.page_paths import LossRow, OperationRow, OriginRow, Paths, StepRow
from xshardy.tools.explain.page_shardings import AxisRow, MeshRow, ShardingRow, ShardingTables
from xshardy.tools.explain.placement import type_of
from xshardy.tools.explain.story import value_name
from xshardy.tools.explain.tables import Table
from xshardy.tools.shard import bytes_of_part
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.main_function import main_if_any
from xshardy.transforms.sdy_propagation.numbering import FunctionResult, Home


class ValueRow(NamedTuple):
    """A tensor. Bytes are those that a device holds; -1 for a type whose elements have no size of their own."""

    name: str
    line: int
    """The line where its chip stands; 0 if a pass created it."""
    place: int
    """The text of its place in the user's program; 0 if the program has no locations."""
    type: int
    sharding: int
    written: int
    """The sharding before propagation."""
    bytes: int
    bytes_before: int
    came: Sequence[int]
    """For each axis of the sharding, dimension by dimension, the step or the origin: see `Paths.came_by`."""


class PageData(TypedDict):
    """What the page shows; for rows, see where they are defined."""

    lines: Sequence[str]
    first: int
    """The first line that is shown, counted from 1: those in front of it define locations."""
    folds: Sequence[Fold]
    texts: Sequence[str]
    axes: Sequence[AxisRow]
    meshes: Sequence[MeshRow]
    parts: Sequence[Sequence[int]]
    shardings: Sequence[ShardingRow]
    types: Sequence[tuple[str, Sequence[int]]]
    """The text and the shape of each type."""
    values: Sequence[ValueRow]
    arguments: Sequence[int]
    """The values that are arguments of the main function."""
    results: Sequence[int]
    operations: Sequence[OperationRow]
    steps: Sequence[StepRow]
    origins: Sequence[OriginRow]
    losses: Sequence[LossRow]
    is_planned: bool
    """Whether the collectives are known."""
    collectives: Sequence[CollectiveRow]


class _Builder:
    """Makes the rows of values, and of what they refer to."""

    def __init__(self, sharded: Sharded):
        self._sharded = sharded
        self._history, self._names = sharded.history, sharded.names
        self.shardings = ShardingTables(sharded.module.body.block.first_op or sharded.module)
        self.paths = Paths(sharded.history, sharded.names, self.shardings.axes)
        self.types: Table[Attribute, tuple[str, Sequence[int]]] = Table(_type_row)
        self._bytes: dict[tuple[int, int], int] = {}
        """By the numbers of a type and of a sharding."""

    def value(self, number: int) -> ValueRow:
        """The row of a value."""
        history = self._history
        home = history.home(number)
        sharding, written = self._sharded.sharding(number), history.written(number)
        type = type_of(home)
        return ValueRow(
            value_name(self._sharded, number),
            self._line(home),
            self._place(home),
            self.types.number(type),
            self.shardings.number(sharding),
            self.shardings.number(written),
            self._bytes_of(type, sharding),
            self._bytes_of(type, written),
            []
            if sharding is None
            else [self.paths.came_by(number, axis) for dim in sharding.dim_shardings for axis in dim.axes],
        )

    def _line(self, home: Home) -> int:
        is_result = isinstance(home, FunctionResult)
        return (self._names.line(home.function) if is_result else self._names.line_of(home)) or 0

    def _place(self, home: Home) -> int:
        """The place in the user's program of the operation that makes a value."""
        place = None if isinstance(home, FunctionResult | BlockArgument) else self._names.source_place_of(home)
        return self.paths.texts.number(place or "")

    def _bytes_of(self, type: Attribute, sharding: TensorShardingAttr | None) -> int:
        key = self.types.number(type), self.shardings.number(sharding)
        if (known := self._bytes.get(key)) is None:
            known = -1
            if is_tensor(type) and type.element_type in ANY_ELEMENT and type.has_static_shape():
                known = bytes_of_part(type, sharding, self.shardings.mesh(sharding))
            self._bytes[key] = known
        return known


def _type_row(type: Attribute) -> tuple[str, Sequence[int]]:
    return str(type), type.get_shape() if is_tensor(type) else ()


def page_data(sharded: Sharded, plan: Plan | None = None) -> PageData:
    """The tables for all values of `sharded`, and for `plan`. Takes time linear in the operations and steps."""
    builder, history = _Builder(sharded), sharded.history
    values = [builder.value(number) for number in history.numbers()]
    losses = builder.paths.losses()
    lines = without_locations(sharded.program.source.text).removesuffix("\n").split("\n")
    first = next((number for number, line in enumerate(lines, 1) if line), 1)
    function = main_if_any(functions_of(sharded.module))
    arguments = () if function is None else map(history.number, function.args)
    results = (number for number in history.numbers() if isinstance(history.home(number), FunctionResult))
    shown: dict[int, list[int]] = {}
    for value in values:
        shown.setdefault(value.line, []).append(value.sharding)
    return {
        "lines": lines,
        "first": first,
        "folds": [
            *folds(
                [
                    (without_numbers(line) if number >= first else str(number), *shown.get(number, ()))
                    for number, line in enumerate(lines, 1)
                ]
            )
        ],
        "texts": builder.paths.texts.rows,
        "axes": builder.shardings.axes.rows,
        "meshes": builder.shardings.meshes.rows,
        "parts": builder.shardings.parts.rows,
        "shardings": builder.shardings.shardings,
        "types": builder.types.rows,
        "values": values,
        "arguments": [number - 1 for number in arguments if number is not None],
        "results": [number - 1 for number in results],
        "operations": builder.paths.operations,
        "steps": builder.paths.steps,
        "origins": builder.paths.origins,
        "losses": losses,
        "is_planned": plan is not None,
        "collectives": [] if plan is None else [*collective_rows(plan)],
    }
