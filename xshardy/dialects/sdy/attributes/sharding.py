"""Shardings: how a tensor is divided over a mesh. Source: rows SDY-ATTR-07, SDY-ATTR-18 and SDY-ATTR-19."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntAttr, NoneAttr, SymbolRefAttr
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, parse_axis_refs, print_axis_refs
from xshardy.dialects.sdy.attributes.enums import ReductionOp, ReductionOpAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.text import BareBodyAttribute, BodyAttribute, array, expect, parse_list

LARGEST_PRIORITY = 2**63 - 1


@irdl_attr_definition
class DimensionShardingAttr(BareBodyAttribute):
    """
    `{"a", "b"}p1`, or `{"a", ?}` if open: the axes that shard a dimension, major to minor; a lower priority goes first.

    A closed dimension cannot be sharded further. No priority means 0, the highest.
    """

    name = "sdy.dimension_sharding"
    axes: ArrayAttr[AxisRefAttr] = param_def(converter=array)
    is_closed: BoolAttr = param_def()
    priority: IntAttr | NoneAttr = param_def()

    def __init__(self, axes: Iterable[AxisRefAttr] = (), *, is_closed: bool, priority: int | None = None):
        super().__init__(
            array(axes), BoolAttr.from_bool(is_closed), NoneAttr() if priority is None else IntAttr(priority)
        )

    @classmethod
    def parse_body(cls, parser: AttrParser) -> DimensionShardingAttr:
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
        return cls(axes, is_closed=is_closed, priority=_parse_optional_priority(parser))

    def print_body(self, printer: Printer) -> None:
        with printer.in_braces():
            printer.print_list(self.axes, lambda axis: axis.print_body(printer))
            if not self.is_closed:
                printer.print_string(", ?" if self.axes.data else "?")
        if not isinstance(self.priority, NoneAttr):
            printer.print_string(f"p{self.priority.data}")


def _parse_optional_priority(parser: AttrParser) -> int | None:
    """`p1`"""
    start = parser.pos
    text = parser.parse_optional_identifier()
    if text is None:
        return None
    digits = text[1:]
    if text[0] != "p" or not digits.isdecimal():
        parser.raise_error(f"expecting priority in format 'p<number>', got: {text}", start)
    if digits[0] == "0" and len(digits) > 1:
        parser.raise_error(f"priorities with leading zeros are not allowed, got: {text}", start)
    if len(digits) > len(str(LARGEST_PRIORITY)) or int(digits) > LARGEST_PRIORITY:
        parser.raise_error(f"expecting integer priority, got: {text}", start)
    return int(digits)


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
    replicated_axes: ArrayAttr[AxisRefAttr] = param_def(converter=array)
    unreduced_axes: ArrayAttr[AxisRefAttr] = param_def(converter=array)
    reduction_op: ReductionOpAttr = param_def()

    def __init__(
        self,
        mesh_or_ref: SymbolRefAttr | MeshAttr | str,
        dim_shardings: Iterable[DimensionShardingAttr],
        replicated_axes: Iterable[AxisRefAttr] = (),
        unreduced_axes: Iterable[AxisRefAttr] = (),
        reduction_op: ReductionOp = ReductionOp.SUM,
    ):
        mesh = SymbolRefAttr(mesh_or_ref) if isinstance(mesh_or_ref, str) else mesh_or_ref
        super().__init__(
            mesh, array(dim_shardings), array(replicated_axes), array(unreduced_axes), ReductionOpAttr(reduction_op)
        )

    @staticmethod
    def fully_open(mesh_or_ref: SymbolRefAttr | MeshAttr | str, rank: int) -> TensorShardingAttr:
        """What a tensor of this rank has that nobody gave a sharding."""
        return TensorShardingAttr(mesh_or_ref, (DimensionShardingAttr(is_closed=False),) * rank)

    @staticmethod
    def fully_closed(mesh_or_ref: SymbolRefAttr | MeshAttr | str, rank: int) -> TensorShardingAttr:
        """Replicated, and to remain so."""
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

    @classmethod
    def parse_body(cls, parser: AttrParser) -> TensorShardingAttr:
        expect(parser, "<")
        mesh_or_ref = _parse_mesh_or_ref(parser)
        expect(parser, ",")
        dims = parse_list(parser, lambda: DimensionShardingAttr.parse_body(parser), "[", "]")
        replicated: list[AxisRefAttr] = []
        unreduced: list[AxisRefAttr] = []
        reduction = ReductionOp.SUM
        while parser.parse_optional_punctuation(",") is not None:
            if not replicated and parser.parse_optional_keyword("replicated") is not None:
                expect(parser, "=")
                replicated = parse_axis_refs(parser)
            elif not unreduced and parser.parse_optional_keyword("unreduced") is not None:
                # Upstream reads `unreduced{...}` too, but prints the `=`.
                if parser.parse_optional_punctuation("=") is not None:
                    reduction = parser.parse_optional_str_enum(ReductionOp) or ReductionOp.SUM
                unreduced = parse_axis_refs(parser)
            else:
                parser.raise_error("failed to parse Sdy_TensorSharding, expected valid named axis list after comma")
        expect(parser, ">")
        return cls(mesh_or_ref, dims, replicated, unreduced, reduction)

    def print_body(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            if isinstance(self.mesh_or_ref, MeshAttr):
                printer.print_string("mesh")
                self.mesh_or_ref.print_body(printer)
            else:
                printer.print_symbol_name(self.mesh_or_ref.string_value())
            printer.print_string(", ")
            with printer.in_square_brackets():
                printer.print_list(self.dim_shardings, lambda dimension: dimension.print_body(printer))
            if self.replicated_axes.data:
                printer.print_string(", replicated=")
                print_axis_refs(printer, self.replicated_axes)
            if self.unreduced_axes.data:
                reduction = self.reduction_op.data
                printer.print_string(", unreduced=" + ("" if reduction is ReductionOp.SUM else reduction.value))
                print_axis_refs(printer, self.unreduced_axes)


def _parse_mesh_or_ref(parser: AttrParser) -> MeshAttr | SymbolRefAttr:
    if parser.parse_optional_keyword("mesh") is not None:
        return MeshAttr.parse_body(parser)
    symbol = parser.parse_optional_symbol_name()
    if symbol is None:
        parser.raise_error("expecting MeshAttr or FlatSymbolRefAttr: write the name of a mesh, as in `<@mesh, [{}]>`")
    return SymbolRefAttr(symbol)


@irdl_attr_definition
class TensorShardingPerValueAttr(BodyAttribute):
    """`<[<@mesh, [{"a"}]>, <@mesh, [{}]>]>`: a sharding for each operand or each result of an operation."""

    name = "sdy.sharding_per_value"
    shardings: ArrayAttr[TensorShardingAttr] = param_def(converter=array)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> TensorShardingPerValueAttr:
        expect(parser, "<")
        shardings = cls.parse_stripped(parser)
        expect(parser, ">")
        return shardings

    def print_body(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_stripped(printer)

    @classmethod
    def parse_stripped(cls, parser: AttrParser) -> TensorShardingPerValueAttr:
        """`[<@mesh, [{"a"}]>, <@mesh, [{}]>]`, as it stands in operations (section 0.1 of the specification)."""

        def parse_sharding() -> TensorShardingAttr:
            whole = parser.parse_optional_attribute()  # `#sdy.sharding<...>`, or an alias of it
            if whole is None:
                return TensorShardingAttr.parse_body(parser)
            if not isinstance(whole, TensorShardingAttr):
                parser.raise_error('expected a sharding, as in `<@mesh, [{"a"}]>`')
            return whole

        return cls(parse_list(parser, parse_sharding, "[", "]"))

    def print_stripped(self, printer: Printer) -> None:
        with printer.in_square_brackets():
            printer.print_list(self.shardings, lambda sharding: sharding.print_body(printer))
