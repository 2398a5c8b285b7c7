"""Inserts exchanges into a manual computation: each device fills a buffer with its own elements and with messages."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.sharding.devices import shard_indices
from xshardy.transforms.sdy_partition.exchange.device_numbers import pairs_between, sent
from xshardy.transforms.sdy_partition.exchange.exchanges import Exchange, Round
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode


@dataclass(frozen=True, slots=True)
class ExchangeCode:
    """Inserts exchanges along the dimension `dim`, which is sharded along `axes`."""

    dim: int
    axes: AxisRefs
    mesh: MeshAttr
    code: DeviceCode

    def _by_part(self, table: Sequence[int], device: SSAValue) -> SSAValue:
        """The entry of `table` for the part of `device`."""
        if len({*table}) == 1:
            return self.code.integer(table[0])
        return self.code.index([table[index] for index in shard_indices(self.axes, self.mesh)], device)

    def _at(self, position: SSAValue, rank: int) -> list[SSAValue]:
        """`position` along the dimension, 0 along the others."""
        nothing = self.code.integer(0)
        return [position if dim == self.dim else nothing for dim in range(rank)]

    def slice(self, value: SSAValue, starts: Sequence[int], size: int, device: SSAValue | None = None) -> SSAValue:
        """`size` elements of `value` from the entry of `starts` for the part on."""
        shape = [*tensor_type(value).get_shape()]
        if len({*starts}) > 1:
            at = self._at(self._by_part(starts, device or self.code.device_id()), len(shape))
            shape[self.dim] = size
            return self.code.insert(stablehlo.DynamicSliceOp(value, at, shape))
        if size == shape[self.dim]:
            return value
        firsts, limits = [0] * len(shape), shape
        firsts[self.dim], limits[self.dim] = starts[0], starts[0] + size
        return self.code.insert(stablehlo.SliceOp(value, firsts, limits, [1] * len(shape)))

    def _message(self, value: SSAValue, round: Round, device: SSAValue) -> SSAValue:
        """What the device sends to itself, or receives, in `round`."""
        starts = {round.starts[source] for source, _ in round.pairs}
        piece = self.slice(value, [*starts] if len(starts) == 1 else round.starts, round.size, device)
        if round.is_local:
            return piece
        return sent(piece, pairs_between(round.pairs, self.axes, self.mesh), self.code)

    def read(self, sources: Sequence[tuple[SSAValue, Exchange]], padding: SSAValue) -> SSAValue:
        """What the device reads of `sources`, which fill it one after the other; `padding` where they do not."""
        device = self.code.device_id()
        margins = [exchange.margins for _, exchange in sources]
        before, behind = max(each[0] for each in margins), max(each[1] for each in margins)
        type, length = tensor_type(sources[0][0]), sources[0][1].length
        shape = [*type.get_shape()]
        shape[self.dim] = before + length + behind
        buffer = self.code.insert(stablehlo.BroadcastInDimOp(padding, [], TensorType(type.element_type, shape)))
        for value, exchange in sources:
            for round in exchange.rounds:
                message = self._message(value, round, device)
                position = self._by_part([before + position for position in round.positions], device)
                at = self._at(position, len(shape))
                buffer = self.code.insert(stablehlo.DynamicUpdateSliceOp(buffer, message, at))
        return self.slice(buffer, [before], length)
