"""Meshes, axes, shardings and rules, valid by construction."""

from math import prod

from hypothesis import strategies as st
from xdsl.dialects.builtin import BoolAttr

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.rule import DimMappingAttr, OpShardingRuleAttr, TensorMappingAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr

NAMES = st.text(alphabet='ab_ 0"\\\n\té', min_size=1, max_size=4)
SPLIT = st.lists(st.sampled_from([2, 3, 4]), min_size=1, max_size=3)


@st.composite
def meshes(draw: st.DrawFn) -> MeshAttr:
    """A mesh of up to four axes, sometimes with device ids in another order, and sometimes of a single device."""
    if draw(st.integers(0, 9)) == 0:
        return MeshAttr.of((), draw(st.lists(st.integers(0, 2**63 - 1), max_size=1)))
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    axes = [(name, draw(st.integers(1, 4))) for name in names]
    count = prod(size for _, size in axes)
    return MeshAttr.of(axes, draw(st.permutations(range(count))) if draw(st.booleans()) else ())


@st.composite
def split_meshes(draw: st.DrawFn) -> tuple[MeshAttr, list[AxisRefAttr]]:
    """A mesh, and the digits that its axes are split into: axes that can stand in one sharding together."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    splits = {name: draw(SPLIT) for name in names}
    digits: list[AxisRefAttr] = []
    for name, split in splits.items():
        if len(split) == 1:
            digits.append(AxisRefAttr(name))
        else:
            digits += [AxisRefAttr.part(name, prod(split[:place]), size) for place, size in enumerate(split)]
    return MeshAttr.of((name, prod(split)) for name, split in splits.items()), digits


RANKS = st.integers(0, 3)


@st.composite
def shardings(draw: st.DrawFn, rank: st.SearchStrategy[int] = RANKS) -> tuple[TensorShardingAttr, MeshAttr]:
    """A sharding and the mesh `@mesh` that it is over. Neighbouring digits are not merged, so it may be invalid."""
    mesh, digits = draw(split_meshes())
    extent = draw(rank)
    homes = [draw(st.sampled_from(["free", "replicated", "unreduced", *range(extent)])) for _ in digits]
    at = {home: [digit for digit, where in zip(digits, homes, strict=True) if where == home] for home in homes}
    dims = [
        DimensionShardingAttr(
            draw(st.permutations(at.get(dim, []))),
            is_closed=draw(st.booleans()),
            priority=draw(st.none() | st.integers(0, 2**63 - 1)),
        )
        for dim in range(extent)
    ]
    unreduced = at.get("unreduced", [])
    reduction = draw(st.sampled_from(ReductionOp)) if unreduced else ReductionOp.SUM
    inline = draw(st.booleans())
    return TensorShardingAttr(mesh if inline else "mesh", dims, at.get("replicated", []), unreduced, reduction), mesh


@st.composite
def rules(draw: st.DrawFn) -> OpShardingRuleAttr:
    """A rule of up to 22 factors, which is not always that of an operation."""
    sizes = draw(st.lists(st.integers(1, 9), max_size=22))
    factors = st.integers(0, max(len(sizes) - 1, 0))
    dimension = st.builds(DimMappingAttr, st.lists(factors, max_size=3) if sizes else st.just([]))
    tensor = st.builds(TensorMappingAttr, st.lists(dimension, max_size=4))
    tensors = st.lists(tensor, min_size=1, max_size=3)
    group = st.lists(factors, max_size=2) if sizes else st.just([])
    groups = [draw(group) for _ in range(4)]
    return OpShardingRuleAttr(sizes, draw(tensors), draw(tensors), *groups, BoolAttr.from_bool(draw(st.booleans())))
