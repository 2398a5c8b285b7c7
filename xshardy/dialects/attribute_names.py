"""Discardable attributes that are looked for without loading the dialect that they belong to."""

from collections.abc import Mapping

from xdsl.ir import Attribute

SHARDING = "sdy.sharding"
"""The sharding of an argument or a result of a function, or those of the results of an operation."""

BACKEND_KIND = "xla.backend_kind"
"""On a kernel: what it is compiled for."""
NO_COMPUTE = "no_compute"
"""On a function: it computes nothing of its own, so that a copy of it costs nothing."""


def xla_attribute(attributes: Mapping[str, Attribute], name: str) -> Attribute | None:
    """The attribute that is called `xla.NAME`, as `name` says, or `xla_gpu.NAME`."""
    found = attributes.get(name)
    return attributes.get(name.replace("xla.", "xla_gpu.", 1)) if found is None else found
