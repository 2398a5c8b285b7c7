"""The axes that a tensor lacks although another tensor of an operation has them along the same factor, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import overlaps
from xshardy.dialects.sdy.sharding_text import axes_text, dimensions
from xshardy.transforms.sdy_propagation.propagation_history import History, Neighbourhood

Shardings = Sequence[TensorShardingAttr | None]

OPEN = DimensionShardingAttr((), is_closed=False)
"""How each dimension of a tensor without a sharding is sharded."""

BLOCKED = "nothing goes along this dimension of the operation"


LossKey = tuple[OpShardingRuleAttr | TensorShardingAttr | None, ...]
"""A rule, and the shardings of the tensors of the operation."""


class Loss(NamedTuple):
    """Tensor `mine` of an operation lacks axes of tensor `other`, both given by their places among its tensors."""

    mine: int
    other: int
    text: str
    """`has "a" in dimension 0, which is dimension 1 here: the dimension is closed here`"""


@dataclass(frozen=True, slots=True)
class Losses:
    """Finds losses, once for operations with equal rules and shardings."""

    history: History
    computed: dict[LossKey, Sequence[Loss]] = field(default_factory=dict[LossKey, Sequence[Loss]])

    def at(self, neighbourhood: Neighbourhood) -> Sequence[Loss]:
        """The losses at an operation."""
        shardings = [self.history.sharding(value) for value in neighbourhood.values]
        key = neighbourhood.rule, *shardings
        if key not in self.computed:
            self.computed[key] = tuple(_losses(neighbourhood, shardings))
        values = neighbourhood.values
        return [loss for loss in self.computed[key] if values[loss.mine] != values[loss.other]]


def _losses(at: Neighbourhood, shardings: Shardings) -> Iterator[Loss]:
    for mine, sharding in enumerate(shardings):
        for other, theirs in enumerate(shardings):
            if other != mine and theirs is not None:
                lost = _stopped(sharding, theirs) if at.rule is None else _lost(at, at.rule, shardings, mine, other)
                yield from (Loss(mine, other, text) for text in lost)


def _stopped(mine: TensorShardingAttr | None, theirs: TensorShardingAttr) -> Iterator[str]:
    """What a tensor lacks at an operation without a sharding rule."""
    known = () if mine is None else tuple(mine.axis_refs())
    if any(not any(overlaps(axis, other) for other in known) for dim in theirs.dim_shardings for axis in dim.axes):
        yield f"has {dimensions(theirs)}: the operation has no sharding rule, so nothing goes through it"


def _lost(at: Neighbourhood, rule: OpShardingRuleAttr, shardings: Shardings, mine: int, other: int) -> Iterator[str]:
    for dim, factors in enumerate(at.roles[mine].dims):
        here = _dim_sharding(shardings[mine], dim)
        for other_dim, other_factors in enumerate(at.roles[other].dims):
            # Axes propagate to a shared major factor first.
            if factors[0] != other_factors[0]:
                continue
            axes = _dim_sharding(shardings[other], other_dim).axes
            missing = [axis for axis in axes if not _has(here, axis)]
            if missing:
                is_blocked = factors[0] in rule.groups["blocked_propagation"]
                yield (
                    f"has {axes_text(missing)} in dimension {other_dim}, which is dimension {dim} here: "
                    f"{BLOCKED if is_blocked else _reason(at, shardings, mine, dim, missing[0])}"
                )


def _reason(at: Neighbourhood, shardings: Shardings, mine: int, dim: int, axis: AxisRefAttr) -> str:
    """Why dimension `dim` of tensor `mine` has not got `axis`."""
    sharding = shardings[mine]
    here = _dim_sharding(sharding, dim)
    for index, other in enumerate(() if sharding is None else sharding.dim_shardings):
        if index != dim and _has(other, axis):
            return f"the axis shards dimension {index} here, and can shard one dimension only"
    kept_free = () if sharding is None else (*sharding.replicated_axes, *sharding.unreduced_axes)
    if any(overlaps(axis, other) for other in kept_free):
        return "the axis is named as replicated or unreduced here"
    if here.is_closed:
        return "the dimension is closed here"
    if here.axes.data:
        return f"a conflict: the dimension has {axes_text(here.axes)} here"
    factor = at.roles[mine].dims[dim][0]
    for other, role in enumerate(at.roles):
        for other_dim, factors in enumerate(role.dims):
            theirs = _dim_sharding(shardings[other], other_dim)
            if factors[0] == factor and theirs.axes.data and not _has(theirs, axis):
                return f"a conflict: {role.label} has {axes_text(theirs.axes)} along this dimension"
            if factors[0] != factor and _has(theirs, axis):
                return f"a conflict: {role.label} has the axis in another dimension, {other_dim}"
    return "it does not divide the dimension, or the operation passes it on in the other direction only"


def _dim_sharding(sharding: TensorShardingAttr | None, dim: int) -> DimensionShardingAttr:
    return sharding.dim_shardings.data[dim] if sharding is not None and sharding.rank else OPEN


def _has(dim: DimensionShardingAttr, axis: AxisRefAttr) -> bool:
    return any(overlaps(axis, known) for known in dim.axes)
