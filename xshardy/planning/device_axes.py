"""The mesh axes that a collective communicates along, found in its groups of devices."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from xshardy.axes.strides import strides_of
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.planning.collective_bytes import Groups


class DeviceAxes:
    """The coordinates of the devices of `mesh`."""

    def __init__(self, mesh: MeshAttr):
        self._sizes = mesh.sizes
        order = [device.data for device in mesh.device_ids] or range(mesh.device_count)
        place_of = {device: place for place, device in enumerate(order)}
        strides = zip(self._sizes.items(), strides_of([*self._sizes.values()]), strict=True)
        self._coordinates = {
            name: {device: place // stride % size for device, place in place_of.items()}
            for (name, size), stride in strides
        }
        self._known: dict[tuple[tuple[int, ...], ...], tuple[str, ...]] = {}

    def of(self, groups: Groups) -> tuple[str, ...]:
        """
        The axes along which the devices of a group differ, in the order of the mesh; `x:(2)4` for a part of one.

        A part has a size that divides the axis, and each group is within one part, as groups along a sub-axis are.
        """
        key = tuple(map(tuple, groups))
        if key not in self._known:
            self._known[key] = tuple(self._along(key))
        return self._known[key]

    def _along(self, groups: Sequence[Sequence[int]]) -> Iterable[str]:
        for name, size in self._sizes.items():
            along = self._coordinates[name]
            places = [sorted({along[device] for device in group}) for group in groups]
            widest = max(places, key=len)
            if len(widest) < 2:
                continue
            stride = min(after - before for before, after in pairwise(widest))
            span = stride * len(widest)
            parts = [{(place // span, place % stride) for place in group} for group in places]
            is_part = span <= size and size % span == 0 and all(len(part) == 1 for part in parts)
            yield f"{name}:({size // span}){len(widest)}" if is_part and len(widest) < size else name
