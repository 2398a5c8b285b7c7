"""
Borders of manual computations: shardings inside omit the manual axes; outside, each dimension has them first.

Source: rows SDY-OP-09 and SDY-IF-01 (transformation of the sharding of a target).
"""

from collections.abc import Collection

from xdsl.ir import BlockArgument, SSAValue

from xshardy.axes.spans import Axes
from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.sharding.interning import DimSharding, Sharding, ShardingTable
from xshardy.sharding.steps import Border


def _without(axes: Axes, manual: Collection[int]) -> Axes:
    return tuple(axis for axis in axes if axis.axis not in manual)


def erase_manual_axes(sharding: Sharding, manual: Collection[int]) -> Sharding:
    """`sharding` inside the body: without the axes with the numbers `manual`."""
    return sharding._replace(
        dims=tuple(dim._replace(axes=_without(dim.axes, manual)) for dim in sharding.dims),
        replicated=_without(sharding.replicated, manual),
        unreduced=_without(sharding.unreduced, manual),
    )


def add_manual_axes(sharding: Sharding, outer: Sharding, manual: Collection[int]) -> Sharding:
    """`sharding` of the body as it is outside: each dimension starts with its manual axes from `outer`."""
    dims = (
        DimSharding(tuple(axis for axis in around.axes if axis.axis in manual) + dim.axes, dim.is_closed, dim.priority)
        for dim, around in zip(sharding.dims, outer.dims, strict=True)
    )
    return Sharding(sharding.mesh, tuple(dims), outer.replicated, outer.unreduced)


class ManualBorders:
    """The borders of the edges of a module. Edges with equal shardings and manual axes share a border."""

    def __init__(self, table: ShardingTable):
        self._table = table
        self._known: dict[tuple[int, frozenset[int], bool], Border] = {}

    def of(self, owner: SSAValue) -> Border | None:
        """The border that the edge of `owner` crosses; None if the edge is not one of a manual computation."""
        enters = isinstance(owner, BlockArgument)
        computation = owner.block.parent_op() if isinstance(owner, BlockArgument) else owner.owner
        if not isinstance(computation, ManualComputationOp):
            return None
        index = owner.index if enters else computation.outputs.index(owner)
        shardings = computation.in_shardings if enters else computation.out_shardings
        number = self._table.read(shardings.shardings.data[index])
        manual = self._table.axis_numbers(number, computation.manual_axes.names)
        key = number, manual, enters
        if key not in self._known:
            self._known[key] = self._border(number, manual, enters=enters)
        return self._known[key]

    def _border(self, number: int, manual: frozenset[int], *, enters: bool) -> Border:
        outer = self._table.sharding(number)
        assert outer is not None, "a manual computation has a sharding for each operand and result"

        def local(sharding: Sharding) -> Sharding:
            return erase_manual_axes(sharding, manual)

        def global_(sharding: Sharding) -> Sharding:
            return add_manual_axes(sharding, outer, manual)

        # The edge of an argument is inside and its source outside; for the edge of a result it is the reverse.
        return Border(global_, local) if enters else Border(local, global_)
