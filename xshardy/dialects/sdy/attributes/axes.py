"""
References to axes and to parts of axes, and lists of them.

What can be computed with them is in `dialects/sdy/axis_refs.py`.
Source: rows SDY-ATTR-01 to SDY-ATTR-04, SDY-ATTR-09 and SDY-ATTR-16.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr, StringAttr
from xdsl.irdl import irdl_attr_definition, param_def

from xshardy.dialects.attribute_text import (
    INT64,
    STRING,
    BareBodyAttribute,
    Body,
    Int64,
    Listed,
    array,
    body,
    field,
    listed,
    optional,
)


@irdl_attr_definition
class SubAxisInfoAttr(BareBodyAttribute):
    """
    `(pre_size)size`: one factor of a split axis, in devices, after the product of the factors to its left.

    The valid values depend on the axis, so they are verified where the attribute is bound to a mesh.
    """

    name = "sdy.sub_axis_info"
    pre_size: IntAttr = param_def(converter=IntAttr.get)
    size: IntAttr = param_def(converter=IntAttr.get)
    BODY: ClassVar[Body] = body(
        "(",
        field("pre_size", Int64(" for the pre-size of a sub-axis, as in `(1)2`")),
        ")",
        field("size", Int64(" for the size of a sub-axis, as in `(1)2`")),
    )


@irdl_attr_definition
class AxisRefAttr(BareBodyAttribute):
    """`"axis"`, a whole axis of a mesh, or `"axis":(pre_size)size`, a part of one."""

    name = "sdy.axis_ref"
    axis: StringAttr = param_def()
    sub_axis: SubAxisInfoAttr | NoneAttr = param_def()
    BODY: ClassVar[Body] = body(field("axis", STRING), optional(":", "sub_axis", SubAxisInfoAttr, NoneAttr()))

    def __init__(self, axis: str, sub_axis: SubAxisInfoAttr | NoneAttr | tuple[int, int] | None = None):
        """`AxisRefAttr("a", (1, 2))` is `"a":(1)2`."""
        part = SubAxisInfoAttr(*sub_axis) if isinstance(sub_axis, tuple) else sub_axis
        super().__init__(StringAttr(axis), part or NoneAttr())

    @classmethod
    def part(cls, axis: str, pre_size: int, size: int) -> AxisRefAttr:
        """The sub-axis `"axis":(pre_size)size`."""
        return cls(axis, SubAxisInfoAttr(pre_size, size))

    @property
    def is_full(self) -> bool:
        return isinstance(self.sub_axis, NoneAttr)

    @property
    def text(self) -> str:
        """The axis as shardings write it, for diagnostics."""
        if isinstance(self.sub_axis, NoneAttr):
            return f'"{self.axis.data}"'
        return f'"{self.axis.data}":({self.sub_axis.pre_size.data}){self.sub_axis.size.data}'


Axis = AxisRefAttr | str
"""An axis, where Python code builds an attribute: the name of a whole one is enough."""


def axis_refs(axes: Iterable[Axis]) -> ArrayAttr[AxisRefAttr]:
    """`["a", AxisRefAttr("b", (1, 2))]` as `{"a", "b":(1)2}`: the converter of lists of axes. Raises `TypeError`."""
    if isinstance(axes, ArrayAttr):
        return cast(ArrayAttr[AxisRefAttr], axes)
    if isinstance(axes, str):
        raise TypeError(f'"{axes}" is no list of axes: write ["{axes}"]')
    return ArrayAttr([_axis_ref(axis) for axis in axes])


def _axis_ref(axis: object) -> AxisRefAttr:
    match axis:
        case AxisRefAttr():
            return axis
        case str():
            return AxisRefAttr(axis)
        case _:
            raise TypeError(f'{axis!r} is no axis: write its name, or a part of it as AxisRefAttr("a", (1, 2))')


AxisRefs = Sequence[AxisRefAttr]
"""References to axes, from major to minor."""

AXES: Listed[AxisRefAttr] = listed(AxisRefAttr, "{}")
SOME_AXES: Listed[AxisRefAttr] = listed(AxisRefAttr, "{}", at_least_one=True)
"""`{"a", "b":(1)2}`"""


@irdl_attr_definition
class AxisRefListAttr(BareBodyAttribute):
    """`{"a", "b":(1)2}`: axes from major to minor."""

    name = "sdy.axis_ref_list"
    axes: ArrayAttr[AxisRefAttr] = param_def(converter=axis_refs)
    BODY: ClassVar[Body] = body(field("axes", AXES))


@irdl_attr_definition
class ListOfAxisRefListsAttr(BareBodyAttribute):
    """`[{"b", "c"}, {}, {"d"}]`: one list of axes for each dimension of a tensor."""

    name = "sdy.list_of_axis_ref_lists"
    lists: ArrayAttr[AxisRefListAttr] = param_def(converter=array)
    BODY: ClassVar[Body] = body(field("lists", listed(AxisRefListAttr)))


@irdl_attr_definition
class AllToAllParamAttr(BareBodyAttribute):
    """`{"b"}: 0->2`: the axes that an all-to-all moves, and the dimensions from which and to which."""

    name = "sdy.all_to_all_param"
    axes: ArrayAttr[AxisRefAttr] = param_def(converter=axis_refs)
    src_dim: IntAttr = param_def(converter=IntAttr.get)
    tgt_dim: IntAttr = param_def(converter=IntAttr.get)
    BODY: ClassVar[Body] = body(field("axes", AXES), ": ", field("src_dim", INT64), "->", field("tgt_dim", INT64))


@irdl_attr_definition
class AllToAllParamListAttr(BareBodyAttribute):
    """`[{"b"}: 0->2, {"c"}: 1->3]`"""

    name = "sdy.all_to_all_param_list"
    params: ArrayAttr[AllToAllParamAttr] = param_def(converter=array)
    BODY: ClassVar[Body] = body(field("params", listed(AllToAllParamAttr)))
