"""
Move parts once instead of twice where a permutation of devices is followed by all-to-alls.

Source: C++ Shardy, `sdy-optimize-collectives`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.axes import AllToAllParamAttr, AllToAllParamListAttr, AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.axis_refs import appended, contains, sharded_size, size
from xshardy.dialects.sdy.collectives import AllToAllOp, CollectivePermuteOp
from xshardy.dialects.sdy.value_shardings import SHARDING, lookup_mesh
from xshardy.dialects.stablehlo.shape import ReshapeOp
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.sharding.devices import split_axes
from xshardy.transforms.sdy.shardings import with_dimensions


@dataclass(frozen=True, slots=True)
class Chain:
    """A permutation of the axes of one dimension, and the all-to-alls that take axes from there."""

    permute: CollectivePermuteOp
    dim: int
    exchanges: Sequence[AllToAllOp]
    mesh: MeshAttr

    @staticmethod
    def of(op: CollectivePermuteOp) -> "Chain | None":
        """The longest chain that starts at `op`; None if there is no all-to-all in it."""
        before, after = op.in_sharding, op.out_sharding
        pairs = zip(before.dim_shardings, after.dim_shardings, strict=True)
        changed = [dim for dim, (old, new) in enumerate(pairs) if old.axes != new.axes]
        if len(changed) != 1 or lookup_mesh(before, op) != op.mesh:
            return None
        exchanges: list[AllToAllOp] = []
        user = op.result.get_user_of_unique_use()
        while isinstance(user, AllToAllOp) and [param.src_dim.data for param in user.params.params] == changed:
            exchanges.append(user)
            user = user.result.get_user_of_unique_use()
        return Chain(op, changed[0], exchanges, op.mesh) if exchanges else None

    def axes(self, sharding: TensorShardingAttr) -> tuple[AxisRefAttr, ...]:
        return sharding.dim_shardings.data[self.dim].axes.data

    def parts_of(self, axes: Iterable[AxisRefAttr]) -> list[AxisRefAttr]:
        """`axes`, cut wherever the permutation cuts an axis, in order; without axes that an all-to-all cuts."""
        shardings = (self.permute.in_sharding, self.permute.out_sharding)
        atoms = split_axes([axis for sharding in shardings for axis in self.axes(sharding)], self.mesh)
        return [atom for axis in axes for atom in atoms if contains(axis, atom)]


@dataclass(frozen=True, slots=True)
class Plan:
    """
    The dimension of a chain as several, one for each axis it is sharded along, and the all-to-alls between them.

    Each move is an axis, the dimension that it leaves, and the one that it goes to.
    """

    chain: Chain
    slots: Sequence[AxisRefAttr]
    sizes: Sequence[int]
    """The sizes of the dimensions: one for each of `slots`, and one for what a device has, unless it is 1."""
    moves: Sequence[tuple[AxisRefAttr, int, int]]

    @staticmethod
    def of(chain: Chain) -> "Plan | None":
        """
        None if the dimension cannot be split, an all-to-all cuts an axis or takes axes in another order than that of
        the dimension, an axis has no place to go, or more elements would move.
        """
        mesh, first = chain.mesh, chain.dim
        slots = chain.parts_of(chain.axes(chain.permute.in_sharding))
        extent = tensor_type(chain.permute.result).get_shape()[first]
        parts = sharded_size(slots, mesh)
        if extent == DYNAMIC_INDEX or extent % parts:
            return None
        sizes = [*(size(slot, mesh) for slot in slots), *([extent // parts] if extent > parts else ())]
        taken: list[AxisRefAttr | None] = [*slots]
        moves: list[tuple[AxisRefAttr, int, int]] = []
        for exchange in chain.exchanges:
            (param,) = exchange.params.params
            leaving = chain.parts_of(param.axes)
            sources = [slots.index(axis) for axis in leaving]
            if sharded_size(leaving, mesh) != sharded_size(param.axes, mesh) or sources != sorted(sources):
                return None
            target = param.tgt_dim.data + (len(sizes) - 1 if param.tgt_dim.data > first else 0)
            for axis, source in zip(leaving, sources, strict=True):
                moves.append((axis, first + source, target))
                taken[source] = None
        moved_parts = 0.0
        for place, axis in enumerate(chain.parts_of(chain.axes(chain.exchanges[-1].out_sharding))):
            if taken[place] == axis:
                continue
            if taken[place] is not None or size(axis, mesh) != size(slots[place], mesh):
                return None
            moves.append((axis, first + taken.index(axis), first + place))
            taken[taken.index(axis)], taken[place] = None, axis
            moved_parts += 1 - 1 / size(axis, mesh)
        return Plan(chain, slots, sizes, moves) if moved_parts <= 1 else None

    @property
    def type(self) -> TensorType[Attribute]:
        """The tensor with the dimension split."""
        whole, dim = tensor_type(self.chain.permute.result), self.chain.dim
        shape = whole.get_shape()
        return TensorType(whole.element_type, [*shape[:dim], *self.sizes, *shape[dim + 1 :]], whole.encoding)

    def shardings(self) -> list[TensorShardingAttr]:
        """The sharding of the split tensor at first, and after each move."""
        before, dim = self.chain.permute.in_sharding, self.chain.dim
        dims = before.dim_shardings.data
        split = [DimensionShardingAttr([slot], is_closed=True) for slot in self.slots]
        rest = [DimensionShardingAttr(is_closed=True)] * (len(self.sizes) - len(self.slots))
        current = [*dims[:dim], *split, *rest, *dims[dim + 1 :]]
        found = [with_dimensions(before, current)]
        for axis, source, target in self.moves:
            current[source] = DimensionShardingAttr(is_closed=True)
            current[target] = DimensionShardingAttr(
                appended(current[target].axes.data, [axis], self.chain.mesh), is_closed=True
            )
            found.append(with_dimensions(before, current))
        return found


class SplitPermutedDimension(RewritePattern):
    """`all_to_all [{"x"}: 0->1] (collective_permute %a)` -> `reshape (all_to_all [{"x"}: 0->3] (reshape %a))`"""

    @match_op_type
    def match_and_rewrite(self, op: CollectivePermuteOp, rewriter: PatternRewriter, /) -> None:
        chain = Chain.of(op)
        plan = None if chain is None else Plan.of(chain)
        if chain is None or plan is None:
            return
        first, *after = plan.shardings()
        split = ReshapeOp(op.tensor, plan.type)
        split.attributes[SHARDING] = TensorShardingPerValueAttr([first])
        value = rewriter.insert(split).result
        for (axis, source, target), sharding in zip(plan.moves, after, strict=True):
            param = AllToAllParamListAttr([AllToAllParamAttr([axis], source, target)])
            value = rewriter.insert(AllToAllOp(value, param, sharding)).result
        joined = ReshapeOp(value, op.result.type)
        last = chain.exchanges[-1]
        joined.attributes[SHARDING] = TensorShardingPerValueAttr([last.out_sharding])
        rewriter.insert(joined)
        rewriter.replace(last, (), (joined.result,))
        for done in (*reversed(chain.exchanges[:-1]), op):
            rewriter.erase(done)


class OptimizeCollectivesPass(PatternPass):
    """
    Replace a permutation of the axes of a dimension, and the all-to-alls behind it, by all-to-alls alone.

    The dimension is split into one for each axis, so that axes leave it in any order. A chain stays if an all-to-all
    cuts an axis or takes several in another order than that of the dimension, or if more elements would move.
    """

    name = "sdy-optimize-collectives"
    source: ClassVar[str] = "C++ Shardy, sdy-optimize-collectives"
    fixed_patterns = (SplitPermutedDimension(),)
