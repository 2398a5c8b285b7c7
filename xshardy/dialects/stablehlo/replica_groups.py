"""The groups of devices of a collective: lists of device numbers, or axes of a mesh."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntAttr,
    NoneAttr,
    StringAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.dense_elements import first_values
from xshardy.dialects.stablehlo.structs import ATTRIBUTE, INTEGER, STRING, Field, StructAttribute
from xshardy.dialects.symbols import find_symbol

__all__ = ["AxisRefAttr", "MeshAttr", "MeshAxisAttr", "ReplicaGroupMeshAxesAttr", "SubAxisInfoAttr"]

NO_DEVICE = -1
"""The padding of shorter groups."""


@irdl_attr_definition
class SubAxisInfoAttr(ParametrizedAttribute):
    """`(2)4`: the part of an axis that has 4 devices, after parts that have 2 together."""

    name = "stablehlo.sub_axis_info"
    pre_size: IntAttr
    size: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_parens():
            pre_size = parser.parse_integer()
        return [IntAttr(pre_size), IntAttr(parser.parse_integer())]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"({self.pre_size.data}){self.size.data}")


def _parse_sub_axis(parser: AttrParser) -> Attribute:
    return SubAxisInfoAttr.new(SubAxisInfoAttr.parse_parameters(parser))


SUB_AXIS = Field(_parse_sub_axis, lambda printer, value: value.print_parameters(printer), NoneAttr())


@irdl_attr_definition
class AxisRefAttr(StructAttribute):
    """An axis of a mesh by its name, or a part of it."""

    name = "stablehlo.axis_ref"
    FIELDS = {"name": STRING, "sub_axis_info": SUB_AXIS}
    axis: StringAttr
    sub_axis_info: SubAxisInfoAttr | NoneAttr


@irdl_attr_definition
class MeshAxisAttr(StructAttribute):
    """An axis of a mesh: its name, and how many devices lie along it."""

    name = "stablehlo.mesh_axis"
    FIELDS = {"name": STRING, "size": INTEGER}
    axis: StringAttr
    size: IntAttr


@irdl_attr_definition
class MeshAttr(ParametrizedAttribute):
    """`<axes=[<name = "x", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>`: the devices, in rows along axes."""

    name = "stablehlo.mesh"
    axes: ArrayAttr[MeshAxisAttr]
    device_ids: DenseIntOrFPElementsAttr | NoneAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def parse_axis() -> MeshAxisAttr:
            axis = parser.parse_optional_attribute()
            if axis is None:  # the name of the attribute is elided here
                return MeshAxisAttr.new(MeshAxisAttr.parse_parameters(parser))
            if not isinstance(axis, MeshAxisAttr):
                parser.raise_error('expected an axis, as in `<name = "x", size = 2>`')
            return axis

        device_ids: Attribute = NoneAttr()
        with parser.in_angle_brackets():
            parser.parse_keyword("axes")
            parser.parse_punctuation("=")
            axes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_axis)
            if not axes:
                parser.raise_error("expected '<': a mesh has at least one axis, as in `[<name = \"x\", size = 2>]`")
            if parser.parse_optional_punctuation(","):
                parser.parse_keyword("device_ids")
                parser.parse_punctuation("=")
                device_ids = parser.parse_attribute()
        return [ArrayAttr(axes), device_ids]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("axes=[")
            printer.print_list(self.axes, lambda axis: axis.print_parameters(printer))
            printer.print_string("]")
            if not isinstance(self.device_ids, NoneAttr):
                printer.print_string(", device_ids=")
                printer.print_attribute(self.device_ids)


@irdl_attr_definition
class ReplicaGroupMeshAxesAttr(StructAttribute):
    """A group for each way to fix the indices along all axes of `mesh` but `axes`; the mesh is there or a symbol."""

    name = "stablehlo.replica_group_mesh_axes"
    FIELDS = {"mesh": ATTRIBUTE, "axes": ATTRIBUTE}
    mesh: Attribute
    axes: ArrayAttr[Attribute]

    def verify(self) -> None:
        if isinstance(self.mesh, SymbolRefAttr) and not self.mesh.nested_references.data:
            return
        if not isinstance(self.mesh, MeshAttr):
            raise VerifyException("mesh must be a FlatSymbolRefAttr or MeshAttr")
        names = {axis.axis for axis in self.mesh.axes}
        for axis in self.axes:
            if not isinstance(axis, AxisRefAttr):
                raise VerifyException("expected AxisRefAttr in axes list")
            if axis.axis not in names:
                raise VerifyException(f"axis '{axis.axis.data}' not found in mesh definition")


ReplicaGroups = DenseIntOrFPElementsAttr | ReplicaGroupMeshAxesAttr


class MeshOfGroupsExists(SymbolUserOpInterface):
    """The symbol that replica groups name as their mesh is defined."""

    def verify(self, op: Operation) -> None:
        groups = op.properties.get("replica_groups")
        if not isinstance(groups, ReplicaGroupMeshAxesAttr) or not isinstance(groups.mesh, SymbolRefAttr):
            return
        if find_symbol(op, groups.mesh) is None:
            raise VerifyException(f"replica_groups: mesh symbol '{groups.mesh.string_value()}' not found")


def integer_table(name: str, attribute: DenseIntOrFPElementsAttr) -> tuple[tuple[int, ...], list[int]]:
    """
    The shape and the values of the attribute `name`; of a large splat, the first of them.

    Raises `VerifyException` on all but 64-bit integers.
    """
    if attribute.get_element_type() != i64:
        raise VerifyException(
            f"attribute '{name}' failed to satisfy constraint: 64-bit signless integer elements attribute, but got "
            f"elements of '{attribute.type}'"
        )
    return attribute.get_shape(), list(cast(tuple[int, ...], first_values(attribute)))


def listed_groups(groups: DenseIntOrFPElementsAttr) -> list[list[int]]:
    """The groups that are rows of numbers, without the padding of shorter ones. Raises as `integer_table`."""
    shape, numbers = integer_table("replica_groups", groups)
    width = shape[-1] if shape else 0
    rows = (numbers[start : start + width] for start in range(0, len(numbers), width or 1))
    return [[number for number in row if number != NO_DEVICE] for row in rows if row]


def verify_replica_groups(
    groups: ReplicaGroups, of_one_size: bool, has_global_ids: bool = False, expected_size: int | None = None
) -> None:
    """
    Verify that each device from 0 on is in one group, and that groups have the sizes they should.

    Groups over the axes of a mesh are right by construction.
    """
    if isinstance(groups, ReplicaGroupMeshAxesAttr):
        return
    shape, ids = integer_table("replica_groups", groups)
    if len(shape) != 2:
        raise VerifyException("replica groups should be a rank 2 tensor")
    if has_global_ids and not shape[0] * shape[1]:
        raise VerifyException("if `use_global_device_ids` is set, the replica groups cannot be empty")
    seen: set[int] = set()
    for id in ids:
        if id == NO_DEVICE and of_one_size:
            raise VerifyException("Invalid replica id -1")
        if id == NO_DEVICE:
            continue
        if id in seen:
            raise VerifyException(f"replica id #{id} seen more than once")
        seen.add(id)
    for id in range(len(seen)):
        if id not in seen:
            raise VerifyException(f"replica id #{id} not seen in replica groups")
    if of_one_size and expected_size is not None and (not shape[0] or shape[1] != expected_size):
        raise VerifyException(f"group size of replica_groups must be {expected_size}")
