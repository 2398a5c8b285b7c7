"""Meshes: devices arranged along named axes. Source: rows SDY-ATTR-10, SDY-ATTR-11 and SDY-ATTR-12."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.attribute_text import (
    INT64,
    NONE_LISTED,
    STRING,
    BareBodyAttribute,
    Body,
    BodyAttribute,
    array,
    body,
    field,
    listed,
    optional,
)


@irdl_attr_definition
class MeshAxisAttr(BareBodyAttribute):
    """`"axis"=size`: a named axis, and the number of devices along it."""

    name = "sdy.mesh_axis"
    axis: StringAttr = param_def(converter=StringAttr.get)
    size: IntAttr = param_def(converter=IntAttr.get)
    BODY: ClassVar[Body] = body(field("axis", STRING), "=", field("size", INT64))

    def verify(self) -> None:
        if self.size.data < 1:
            raise VerifyException(f"axis size must be at least 1, got: {self.size.data}")


Axes = Mapping[str, int] | Iterable[MeshAxisAttr | tuple[str, int]]
"""The axes of a mesh, where Python code builds one."""


def _axes(axes: Axes) -> ArrayAttr[MeshAxisAttr]:
    """Raises `TypeError` for what is neither an axis nor its name and size."""
    if isinstance(axes, Mapping):
        return ArrayAttr([MeshAxisAttr(name, size) for name, size in cast(Mapping[str, int], axes).items()])
    return ArrayAttr([_axis(axis) for axis in axes])


def _axis(axis: object) -> MeshAxisAttr:
    match axis:
        case MeshAxisAttr():
            return axis
        case (str(name), int(size)):
            return MeshAxisAttr(name, size)
        case _:
            raise TypeError(f'{axis!r} is no axis of a mesh: write its name and size, such as ("a", 2)')


SHOWN_DEVICE_IDS = 64
"""The number of device ids that an error about a mesh lists at most."""


def _is_iota(device_ids: Sequence[int]) -> bool:
    return all(index == device for index, device in enumerate(device_ids))


@irdl_attr_definition
class MeshAttr(BodyAttribute):
    """
    `<["a"=2, "b"=3], device_ids=[...]>`: axes from major to minor, and the order of the devices along them.

    Without `device_ids` the devices are 0, 1, 2, ... Without axes, one device id makes a maximal mesh, which is that
    device alone, and none makes the empty mesh, a placeholder.
    """

    name = "sdy.mesh"
    axes: ArrayAttr[MeshAxisAttr] = param_def(converter=array)
    device_ids: ArrayAttr[IntAttr] = param_def(converter=array)
    BODY: ClassVar[Body] = body(
        "<",
        field("axes", listed(MeshAxisAttr)),
        optional(", device_ids=", "device_ids", listed(INT64, at_least_one=True), NONE_LISTED),
        ">",
    )

    def __init__(self, axes: Axes, device_ids: Iterable[IntAttr | int] = ()):
        """`MeshAttr([("a", 2), ("b", 4)])` and `MeshAttr({"a": 2, "b": 4})` are `<["a"=2, "b"=4]>`."""
        super().__init__(_axes(axes), [IntAttr.get(device) for device in device_ids])

    @classmethod
    def of(cls, axes: Iterable[tuple[str, int]], device_ids: Iterable[int] = ()) -> MeshAttr:
        """The mesh of these axes (name, size). Device ids 0, 1, 2, ... written out are dropped, as upstream does."""
        return cls._without_iota([MeshAxisAttr(axis, size) for axis, size in axes], tuple(device_ids))

    @classmethod
    def _without_iota(cls, axes: Sequence[MeshAxisAttr], device_ids: Sequence[int]) -> MeshAttr:
        count = prod(axis.size.data for axis in axes)
        redundant = bool(axes) and len(device_ids) == count and _is_iota(device_ids)
        return cls(axes, () if redundant else map(IntAttr, device_ids))

    @classmethod
    def of_fields(cls, fields: Mapping[str, Attribute]) -> MeshAttr:
        """The mesh of a text, where redundant device ids are allowed and dropped (row SDY-Q-04)."""
        axes = cast(ArrayAttr[MeshAxisAttr], fields["axes"])
        device_ids = cast(ArrayAttr[IntAttr], fields["device_ids"])
        return cls._without_iota(axes.data, [device.data for device in device_ids])

    @property
    def sizes(self) -> dict[str, int]:
        """The size of each axis by its name, from major to minor."""
        return {axis.axis.data: axis.size.data for axis in self.axes}

    @property
    def device_count(self) -> int:
        """The number of devices along all axes; 1 for a mesh without axes."""
        return prod(axis.size.data for axis in self.axes)

    @property
    def maximal_device_id(self) -> int | None:
        """The device of a maximal mesh; None for every other mesh."""
        return self.device_ids.data[0].data if self.device_ids.data and not self.axes.data else None

    @property
    def is_maximal(self) -> bool:
        return self.maximal_device_id is not None

    @property
    def is_empty(self) -> bool:
        """Whether this is the placeholder without axes and devices."""
        return not self.axes.data and not self.device_ids.data

    def verify(self) -> None:
        ids = [device.data for device in self.device_ids]
        if (lowest := min(ids, default=0)) < 0:
            raise VerifyException(f"device id must be non-negative, got: {lowest}")
        if not self.axes.data:
            if len(ids) > 1:
                raise VerifyException("axes is empty and device_ids has more than one element")
            return
        seen: set[str] = set()
        for axis in self.axes:
            if axis.axis.data in seen:
                raise VerifyException(f'duplicate axis name: "{axis.axis.data}"')
            seen.add(axis.axis.data)
        if not ids:
            return
        if len(ids) != self.device_count:
            raise VerifyException(
                "total product of axis sizes must match total number of device ids, "
                f"got: {self.device_count} != {len(ids)}"
            )
        if not _is_iota(sorted(ids)):
            listed = ", ".join(map(str, sorted(ids)[:SHOWN_DEVICE_IDS]))
            more = f", ... ({len(ids)} ids)" if len(ids) > SHOWN_DEVICE_IDS else ""
            raise VerifyException(f"sorted device ids must be iota(product(axes)), got: {listed}{more}")
        if _is_iota(ids):
            raise VerifyException(
                "if the ordered device ids are the same as iota(product(axes)), no need to specify them for simplicity"
            )


@irdl_attr_definition
class ManualAxesAttr(BareBodyAttribute):
    """`{"a", "b"}`: the full axes that the body of a manual computation is local to."""

    name = "sdy.manual_axes"
    axes: ArrayAttr[StringAttr] = param_def(converter=array)
    BODY: ClassVar[Body] = body(field("axes", listed(STRING, "{}")))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(axis.data for axis in self.axes)
