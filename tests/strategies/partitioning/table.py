"""For each operation of StableHLO, what draws programs of it."""

from collections.abc import Mapping

from xdsl.ir import Operation

from partitioning import combining, control, elementwise, indexing, movement
from partitioning.samples import Sampler

SAMPLERS: Mapping[type[Operation], Sampler] = {
    **combining.SAMPLERS,
    **control.SAMPLERS,
    **elementwise.SAMPLERS,
    **indexing.SAMPLERS,
    **movement.SAMPLERS,
}
