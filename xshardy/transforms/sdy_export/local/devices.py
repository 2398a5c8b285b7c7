"""Which device has which part: the names of `xshardy.sharding.devices` that local forms use."""

from xshardy.sharding.devices import (
    axis_stride,
    device_groups,
    exchange_pairs,
    mirrored,
    shard_indices,
    split_axes,
)

__all__ = ["axis_stride", "device_groups", "exchange_pairs", "mirrored", "shard_indices", "split_axes"]
