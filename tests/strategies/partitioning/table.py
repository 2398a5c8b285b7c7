"""For each operation of StableHLO, what draws programs of it."""

from collections.abc import Mapping

from partitioning import combining, elementwise, indexing, movement
from partitioning.samples import Sampler
from xdsl.ir import Operation

SAMPLERS: Mapping[type[Operation], Sampler] = {
    **combining.SAMPLERS,
    **elementwise.SAMPLERS,
    **indexing.SAMPLERS,
    **movement.SAMPLERS,
}
