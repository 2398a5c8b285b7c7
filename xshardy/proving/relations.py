"""Guesses, by shardings, where values that loops and branches of a device carry are in those of the whole program."""

from collections.abc import Sequence

from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.proving.boundary import place_of
from xshardy.proving.index import Index, identity, number
from xshardy.proving.program import Branched, Maps, Repeated
from xshardy.proving.summands import count_of, ranks_of
from xshardy.proving.views import View


class BySharding:
    """`Relations` by the shardings that the loops and branches of the whole program have."""

    def __init__(self, devices: int):
        self._devices = devices

    def of_loop(self, loop: Repeated, op: Operation, shapes: Sequence[tuple[int, ...]], attempt: int) -> Maps | None:
        """Its only guess."""
        return self._maps(loop.op, loop.initial, shapes) if attempt == 0 else None

    def of_branch(self, branched: Branched, op: Operation, shapes: Sequence[tuple[int, ...]]) -> Maps | None:
        """Its only guess."""
        return self._maps(branched.op, branched.results, shapes)

    def _maps(self, op: Operation, views: Sequence[View], shapes: Sequence[tuple[int, ...]]) -> Maps | None:
        """The first part, where there is no sharding: that of what a loop carries unchanged does not matter."""
        written = op.attributes.get(SHARDING)
        shardings: Sequence[TensorShardingAttr | None] = (
            written.shardings.data if isinstance(written, TensorShardingPerValueAttr) else [None] * len(views)
        )
        maps = list[tuple[Index, ...]]()
        for sharding, result, view, shape in zip(shardings, op.results, views, shapes, strict=True):
            if len(view.shape) != len(shape):
                return None
            tensor = DistributedTensor.under(tensor_type(result), sharding, op, self._devices)
            at = place_of(tensor) if tensor.local_shape == shape else identity(shape)
            maps.append((*at, number(ranks_of(tensor))) if count_of(tensor) > 1 else at)
        return maps
