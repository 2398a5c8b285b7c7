"""Which device has which part: the names of `xshardy.sharding.devices` that local forms use."""

from xshardy.sharding.devices import device_groups, exchange_pairs, shard_indices, split_axes

__all__ = ["device_groups", "exchange_pairs", "shard_indices", "split_axes"]
