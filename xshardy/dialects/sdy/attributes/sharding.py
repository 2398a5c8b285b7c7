"""Shardings: how a tensor is divided over a mesh. Source: rows SDY-ATTR-07, SDY-ATTR-18 and SDY-ATTR-19."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntAttr, NoneAttr, SymbolRefAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects.attribute_text import (
    NONE_LISTED,
    BareBodyAttribute,
    Body,
    BodyAttribute,
    Listed,
    Part,
    Text,
    Values,
    array,
    body,
    expect,
    field,
    listed,
)
from xshardy.dialects.sdy.attributes.axes import SOME_AXES, Axis, AxisRefAttr, axis_refs
from xshardy.dialects.sdy.attributes.enums import ReductionOp, ReductionOpAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr

LARGEST_PRIORITY = 2**63 - 1
OPEN_MARK = "?"
"""The last entry of an open dimension, as in the text."""


class AxesOrOpen(Part):
    """`{"a", ?}`: the fields `axes` and `is_closed`; a `?` at the end means open."""

    def read(self, parser: AttrParser, values: Values) -> None:
        expect(parser, "{")
        axes: list[AxisRefAttr] = []
        is_closed = True
        while parser.parse_optional_punctuation("}") is None:
            if axes:
                expect(parser, ",")
            if parser.parse_optional_punctuation("?") is not None:
                is_closed = False
                expect(parser, "}")
                break
            axes.append(AxisRefAttr.parse_body(parser))
        values |= {"axes": ArrayAttr(axes), "is_closed": BoolAttr.from_bool(is_closed)}

    def print(self, printer: Printer, attribute: Attribute) -> None:
        assert isinstance(attribute, DimensionShardingAttr)
        with printer.in_braces():
            printer.print_list(attribute.axes, lambda axis: axis.print_body(printer))
            if not attribute.is_closed:
                printer.print_string(", ?" if attribute.axes.data else "?")


CLOSED, OPEN, NO_PRIORITY = BoolAttr.from_bool(True), BoolAttr.from_bool(False), NoneAttr()
REDUCTIONS: Mapping[ReductionOp, ReductionOpAttr] = {reduction: ReductionOpAttr(reduction) for reduction in ReductionOp}
"""Attributes that shardings have in common: each takes several times as long to make as a sharding of them."""


class Priority(Text[IntAttr | NoneAttr]):
    """`p1`, or nothing for no priority."""

    def read(self, parser: AttrParser) -> IntAttr | NoneAttr:
        start = parser.pos
        text = parser.parse_optional_identifier()
        if text is None:
            return NoneAttr()
        digits = text[1:]
        if text[0] != "p" or not digits.isdecimal():
            parser.raise_error(f"expecting priority in format 'p<number>', got: {text}", start)
        if digits[0] == "0" and len(digits) > 1:
            parser.raise_error(f"priorities with leading zeros are not allowed, got: {text}", start)
        if len(digits) > len(str(LARGEST_PRIORITY)) or int(digits) > LARGEST_PRIORITY:
            parser.raise_error(f"expecting integer priority, got: {text}", start)
        return IntAttr(int(digits))

    def print(self, printer: Printer, value: IntAttr | NoneAttr) -> None:
        if not isinstance(value, NoneAttr):
            printer.print_string(f"p{value.data}")


@irdl_attr_definition
class DimensionShardingAttr(BareBodyAttribute):
    """
    `{"a", "b"}p1`, or `{"a", ?}` if open: the axes that shard a dimension, major to minor; a lower priority goes first.

    A closed dimension cannot be sharded further. No priority means 0, the highest.
    """

    name = "sdy.dimension_sharding"
    axes: ArrayAttr[AxisRefAttr] = param_def()
    is_closed: BoolAttr = param_def()
    priority: IntAttr | NoneAttr = param_def()
    BODY: ClassVar[Body] = body(AxesOrOpen(), field("priority", Priority()))

    def __init__(self, axes: Iterable[Axis] = (), *, is_closed: bool | None = None, priority: int | None = None):
        """`DimensionShardingAttr(["a", "?"])` is `{"a", ?}`; without `?`, and without `is_closed`, it is closed."""
        refs, is_open = _without_mark(axes)
        if is_open and is_closed:
            raise TypeError(f'"{OPEN_MARK}" says that the dimension is open: leave it out, or is_closed=True')
        closed = not is_open if is_closed is None else is_closed
        super().__init__(refs, CLOSED if closed else OPEN, NO_PRIORITY if priority is None else IntAttr(priority))


def _without_mark(axes: Iterable[Axis]) -> tuple[ArrayAttr[AxisRefAttr], bool]:
    """The axes before a `?` at the end, and whether there is one."""
    if isinstance(axes, ArrayAttr | str):
        return axis_refs(cast(Iterable[Axis], axes)), False
    listed = tuple(axes)
    is_open = bool(listed) and listed[-1] == OPEN_MARK
    return axis_refs(listed[:-1] if is_open else listed), is_open


def _dim_shardings(
    dims: Iterable[DimensionShardingAttr | Iterable[Axis]],
) -> ArrayAttr[DimensionShardingAttr]:
    if isinstance(dims, ArrayAttr):
        return cast(ArrayAttr[DimensionShardingAttr], dims)
    return ArrayAttr([dim if isinstance(dim, DimensionShardingAttr) else DimensionShardingAttr(dim) for dim in dims])


class MeshOrName(Text[MeshAttr | SymbolRefAttr]):
    """`@mesh`, or a mesh written out: `mesh<["a"=2]>`."""

    def read(self, parser: AttrParser) -> MeshAttr | SymbolRefAttr:
        if parser.parse_optional_keyword("mesh") is not None:
            return MeshAttr.parse_body(parser)
        symbol = parser.parse_optional_symbol_name()
        if symbol is None:
            parser.raise_error(
                "expecting MeshAttr or FlatSymbolRefAttr: write the name of a mesh, as in `<@mesh, [{}]>`"
            )
        return SymbolRefAttr(symbol)

    def print(self, printer: Printer, value: MeshAttr | SymbolRefAttr) -> None:
        if isinstance(value, MeshAttr):
            printer.print_string("mesh")
            value.print_body(printer)
        else:
            printer.print_symbol_name(value.string_value())


class NamedAxisLists(Part):
    """
    `, replicated={"b"}, unreduced=max{"c"}`: two lists in any order, and the reduction.

    A list without axes is left out; as upstream, `{}` is refused.
    """

    def read(self, parser: AttrParser, values: Values) -> None:
        replicated: ArrayAttr[AxisRefAttr] = NONE_LISTED
        unreduced: ArrayAttr[AxisRefAttr] = NONE_LISTED
        reduction = ReductionOp.SUM
        while parser.parse_optional_punctuation(",") is not None:
            if not replicated.data and parser.parse_optional_keyword("replicated") is not None:
                expect(parser, "=")
                replicated = SOME_AXES.read(parser)
            elif not unreduced.data and parser.parse_optional_keyword("unreduced") is not None:
                # Upstream reads `unreduced{...}` too, but prints the `=`.
                if parser.parse_optional_punctuation("=") is not None:
                    reduction = parser.parse_optional_str_enum(ReductionOp) or ReductionOp.SUM
                unreduced = SOME_AXES.read(parser)
            else:
                parser.raise_error("failed to parse Sdy_TensorSharding, expected valid named axis list after comma")
        values |= {
            "replicated_axes": replicated,
            "unreduced_axes": unreduced,
            "reduction_op": ReductionOpAttr(reduction),
        }

    def print(self, printer: Printer, attribute: Attribute) -> None:
        assert isinstance(attribute, TensorShardingAttr)
        if attribute.replicated_axes.data:
            printer.print_string(", replicated=")
            SOME_AXES.print(printer, attribute.replicated_axes)
        if attribute.unreduced_axes.data:
            reduction = attribute.reduction_op.data
            printer.print_string(", unreduced=" + ("" if reduction is ReductionOp.SUM else reduction.value))
            SOME_AXES.print(printer, attribute.unreduced_axes)


@irdl_attr_definition
class TensorShardingAttr(BodyAttribute):
    """
    `<@mesh, [{"a"}, {?}], replicated={"b"}, unreduced={"c"}>`: a dimension sharding for each dimension of a tensor.

    The mesh is named, or written out as `mesh<["a"=2]>`. Axes that shard no dimension are replicated: so they stay
    where they are listed, and free to be used where they are not. Along unreduced axes each device has a part of the
    sum (or of the maximum or minimum: `unreduced=max{"c"}`).
    """

    name = "sdy.sharding"
    mesh_or_ref: SymbolRefAttr | MeshAttr = param_def()
    dim_shardings: ArrayAttr[DimensionShardingAttr] = param_def(converter=array)
    replicated_axes: ArrayAttr[AxisRefAttr] = param_def(converter=axis_refs)
    unreduced_axes: ArrayAttr[AxisRefAttr] = param_def(converter=axis_refs)
    reduction_op: ReductionOpAttr = param_def()
    BODY: ClassVar[Body] = body(
        "<",
        field("mesh_or_ref", MeshOrName()),
        ", ",
        field("dim_shardings", listed(DimensionShardingAttr)),
        NamedAxisLists(),
        ">",
    )

    def __init__(
        self,
        mesh_or_ref: SymbolRefAttr | MeshAttr | str,
        dim_shardings: Iterable[DimensionShardingAttr | Iterable[Axis]],
        replicated_axes: Iterable[Axis] = (),
        unreduced_axes: Iterable[Axis] = (),
        reduction_op: ReductionOp = ReductionOp.SUM,
    ):
        """`TensorShardingAttr("mesh", [["a"], ["b", "?"], []])` is `<@mesh, [{"a"}, {"b", ?}, {}]>`."""
        mesh = SymbolRefAttr(mesh_or_ref) if isinstance(mesh_or_ref, str) else mesh_or_ref
        dims = _dim_shardings(dim_shardings)
        super().__init__(mesh, dims, replicated_axes, unreduced_axes, REDUCTIONS[reduction_op])

    @staticmethod
    @cache
    def fully_open(mesh_or_ref: SymbolRefAttr | MeshAttr | str, rank: int) -> TensorShardingAttr:
        """The sharding of a tensor of this rank that has none: every dimension is open."""
        return TensorShardingAttr(mesh_or_ref, (DimensionShardingAttr(is_closed=False),) * rank)

    @staticmethod
    @cache
    def fully_closed(mesh_or_ref: SymbolRefAttr | MeshAttr | str, rank: int) -> TensorShardingAttr:
        """Replicated, with every dimension closed."""
        return TensorShardingAttr(mesh_or_ref, (DimensionShardingAttr(is_closed=True),) * rank)

    @property
    def rank(self) -> int:
        return len(self.dim_shardings)

    @property
    def mesh_name(self) -> str | None:
        """The name of the mesh; None if it is written out."""
        return self.mesh_or_ref.string_value() if isinstance(self.mesh_or_ref, SymbolRefAttr) else None

    def axis_refs(self) -> Iterator[AxisRefAttr]:
        """Every axis that is named, dimension by dimension, then the replicated and the unreduced ones."""
        for dimension in self.dim_shardings:
            yield from dimension.axes
        yield from self.replicated_axes
        yield from self.unreduced_axes

    @property
    def is_fully_replicated(self) -> bool:
        """Whether no axis shards a dimension."""
        return not any(dimension.axes.data for dimension in self.dim_shardings)


class ShardingOrAlias(Text[TensorShardingAttr]):
    """`<@mesh, [{"a"}]>`; `#sdy.sharding<...>` and an alias of it are read too."""

    def read(self, parser: AttrParser) -> TensorShardingAttr:
        whole = parser.parse_optional_attribute()
        if whole is None:
            return TensorShardingAttr.parse_body(parser)
        if not isinstance(whole, TensorShardingAttr):
            parser.raise_error('expected a sharding, as in `<@mesh, [{"a"}]>`')
        return whole

    def print(self, printer: Printer, value: TensorShardingAttr) -> None:
        value.print_body(printer)


SHARDINGS: Listed[TensorShardingAttr] = listed(ShardingOrAlias())
"""`[<@mesh, [{"a"}]>, <@mesh, [{}]>]`, as operations write it (section 0.1 of the specification)."""


@irdl_attr_definition
class TensorShardingPerValueAttr(BodyAttribute):
    """`<[<@mesh, [{"a"}]>, <@mesh, [{}]>]>`: a sharding for each operand or each result of an operation."""

    name = "sdy.sharding_per_value"
    shardings: ArrayAttr[TensorShardingAttr] = param_def(converter=array)
    BODY: ClassVar[Body] = body("<", field("shardings", SHARDINGS), ">")
