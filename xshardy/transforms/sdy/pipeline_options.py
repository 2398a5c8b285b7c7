"""
Options that the import, propagation and export pipelines share, each declared once.

A pipeline inherits the groups that it takes. Fields of a later base come first: `class P(B, A)` has the options of `A`,
then those of `B`, then its own; errors list them in this order.
"""

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class ImportOptions:
    """Options of what happens before propagation."""

    dedup_functions_fully: bool = False
    """Whether all calls of a function share it, and not only those that come out sharded alike."""
    enable_explicit_gather_scatter_batching: bool = False
    """Whether gathers and scatters that work row by row get explicit batching dimensions."""


@dataclass(frozen=True)
class PropagationOptions:
    """Options of propagation itself."""

    module_dump_directory: str = ""
    """Where to write the module after stages of the pipeline; nowhere if empty."""
    conservative_propagation: bool = False
    """Whether to propagate only whole axes that divide dimensions."""
    rules_beyond_upstream: bool = False
    """Whether CHLO's functions and other elementwise operations that upstream's registry lacks have sharding rules."""


@dataclass(frozen=True)
class DebugOptions:
    """Options that add debugging records to the module, which show in dumps."""

    debug_sharding_origins: bool = False
    """Whether to record where the axes of shardings come from."""
    debug_propagation_edge_sharding: bool = False
    """Whether to record along which edges axes are propagated."""


@dataclass(frozen=True)
class RuleOptions:
    """Options of what propagation leaves behind."""

    keep_sharding_rules: bool = False
    """Whether to leave the sharding rules on operations."""


@dataclass(frozen=True)
class PartitioningOptions:
    """Options of how the module is prepared for a partitioner."""

    avoid_export_for_partitioning: bool = False
    """Whether to leave constraints and groups, and insert no reshards, so that the module can be propagated again."""
    enable_insert_explicit_collectives: bool = False
    """Whether to turn reshards into collectives."""
    remove_all_gather_reduce_scatter_for_cmv1: bool = False
    """Whether to drop the collectives around products of matrices that a partitioner overlaps with them itself."""


@dataclass(frozen=True)
class SignatureOptions:
    """Options of how shardings are written in the end."""

    update_non_divisible_input_output_shardings: bool = True
    """Whether to cut the shardings of inputs and outputs that divide no dimension evenly, or that have sub-axes."""
    inline_meshes: bool = False
    """Whether to write out the mesh of each sharding."""
    pad_calls: bool = False
    """Whether private functions keep shardings that divide no dimension evenly. Not an option upstream."""


def options_of(holder: object, *groups: type[Any]) -> dict[str, Any]:
    """The options of `groups`, as `holder` has them, by name."""
    return {field.name: getattr(holder, field.name) for group in groups for field in fields(group)}
