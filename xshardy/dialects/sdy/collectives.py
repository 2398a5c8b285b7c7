"""
The collectives of sdy: operations that move the parts of a tensor between devices and keep its value.

A collective has the axes along which it communicates and the sharding of its result, which is verified against the
sharding of its operand. Source: section 1 and row SDY-IF-01, and upstream's `sharded_to_unreduced` and
`replicated_to_unreduced`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, TypeAlias

from xdsl.dialects.builtin import I32, IntegerAttr, ShapedType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.canonicalized_by import CanonicalizedBy
from xshardy.dialects.listing import operations_of
from xshardy.dialects.sdy.attributes.axes import (
    AllToAllParamListAttr,
    AxisRefAttr,
    AxisRefListAttr,
    AxisRefs,
    ListOfAxisRefListsAttr,
)
from xshardy.dialects.sdy.attributes.enums import ReductionOp, member_of, number_of
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import (
    appended,
    is_suffix,
    merged,
    mesh_order,
    overlaps,
    prefix_without,
    sharded_size,
)
from xshardy.dialects.sdy.formats import ReductionUnlessSum
from xshardy.dialects.sdy.interfaces import CANONICALIZATION, CollectiveOpInterface
from xshardy.dialects.sdy.unreduced import verify_unreduced_transition
from xshardy.dialects.sdy.value_shardings import local_sharding, lookup_mesh
from xshardy.dialects.sdy.verification import (
    verify_axis_refs,
    verify_sharding,
    verify_sorted_axis_refs,
    verify_sub_axes,
)


def sorted_and_merged(axes: AxisRefs, mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    """The same axes in the order of the mesh, neighbours merged."""
    return merged(sorted(axes, key=lambda axis: mesh_order(axis, mesh)), mesh)


Axes: TypeAlias = AxisRefListAttr | ListOfAxisRefListsAttr | AllToAllParamListAttr
"""The axes along which a collective communicates: in one list, in one for each dimension, or by moves."""


class Collective(IRDLOperation, CollectiveOpInterface):
    """The base of all collectives: an operand, a result of the same type, and the sharding of the result."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    tensor = operand_def(T)
    out_sharding = prop_def(TensorShardingAttr)
    result = result_def(T)
    traits = traits_def(CanonicalizedBy(CANONICALIZATION))
    AXES: ClassVar[str]
    """The property that lists the axes."""

    def __init__(self, tensor: SSAValue, axes: Axes, out_sharding: TensorShardingAttr):
        properties = {self.AXES: axes, "out_sharding": out_sharding}
        super().__init__(operands=[tensor], properties=properties, result_types=[tensor.type])

    @property
    def in_sharding(self) -> TensorShardingAttr:
        """The sharding of the operand; replicated if it has none."""
        sharding = local_sharding(self.tensor)
        return sharding or TensorShardingAttr.fully_open(self.out_sharding.mesh_or_ref, self.out_sharding.rank)

    @property
    def mesh(self) -> MeshAttr:
        """The mesh of the result. Precondition: `verify_collective` has found one."""
        mesh = lookup_mesh(self.out_sharding, self)
        assert mesh is not None
        return mesh

    def verify_(self) -> None:
        verify_collective(self)
        self.verify_axes()

    def verify_axes(self) -> None:
        """Check that the axes of the collective lead from the sharding of the operand to that of the result."""
        raise NotImplementedError


def verify_collective(op: Collective) -> None:
    """Check the conditions of all collectives (row SDY-IF-01)."""
    before, after = local_sharding(op.tensor), op.out_sharding
    if not isinstance(op.result.type, ShapedType):
        raise VerifyException(f"operand must be shaped of any element type, but got '{op.result.type}'")
    if before is None and not op.allows_missing_input_sharding:
        raise VerifyException("collective on operand without sharding")
    verify_sharding(after, op.result.type, op)
    if before is None:
        return
    operand_mesh = lookup_mesh(before, op)
    if operand_mesh is not None:
        for axis in before.axis_refs():
            if axis.axis.data not in operand_mesh.sizes:  # xDSL's tools do not verify the sharding where it stands
                raise VerifyException(f'operand - unknown axis name: "{axis.axis.data}"')
        if operand_mesh != op.mesh and not op.allows_different_meshes:
            raise VerifyException("result mesh does not match operand mesh")
    if before.rank != after.rank:
        raise VerifyException(f"result sharding has rank {after.rank} but operand sharding has rank {before.rank}")


def gathered(dimension: DimensionShardingAttr, axes: AxisRefs, dim: int, mesh: MeshAttr, what: str) -> AxisRefs:
    """The axes of `dimension` without `axes`, which must be the last; the first may be the end of a longer one."""
    left = list(dimension.axes)
    for axis in reversed(axes):
        if not left or not is_suffix(axis, left[-1], mesh):
            raise VerifyException(f"can't apply {what} axis {axis.text} to operand sharding on dimension {dim}")
        before = prefix_without(left.pop(), axis, mesh)
        if before is not None:
            left.append(before)
    return left


def sliced(dimension: DimensionShardingAttr, axes: AxisRefs, mesh: MeshAttr) -> AxisRefs:
    """The axes of `dimension` with `axes` after them."""
    return appended(dimension.axes.data, axes, mesh)


def _verify_dimension(op: Collective, dim: int, expected: AxisRefs) -> None:
    if tuple(expected) != op.out_sharding.dim_shardings.data[dim].axes.data:
        listed = ", ".join(axis.text for axis in expected)
        raise VerifyException(f"result sharding doesn't match expected sharding [{listed}] on dimension {dim}")


def _verify_per_dimension(
    op: Collective,
    lists: ListOfAxisRefListsAttr,
    expected: Callable[[DimensionShardingAttr, AxisRefs, int], AxisRefs],
) -> None:
    """Check each dimension of the result: `expected` computes its axes from those of the operand and `lists`."""
    seen: set[AxisRefAttr] = set()
    for axes in lists.lists:
        verify_axis_refs(axes.axes, op.mesh, seen)
    rank = op.out_sharding.rank
    if rank != len(lists.lists):
        raise VerifyException(f"result sharding has rank {rank} but collective axes has rank {len(lists.lists)}")
    for dim, (dimension, axes) in enumerate(zip(op.in_sharding.dim_shardings, lists.lists, strict=True)):
        _verify_dimension(op, dim, expected(dimension, axes.axes.data, dim))


@irdl_op_definition
class AllGatherOp(Collective):
    """Collects the parts of a tensor along axes of each dimension; the result is not sharded along them."""

    name = "sdy.all_gather"
    AXES: ClassVar = "gathering_axes"
    gathering_axes = prop_def(ListOfAxisRefListsAttr)
    assembly_format = "$gathering_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)"

    def verify_axes(self) -> None:
        _verify_per_dimension(
            self,
            self.gathering_axes,
            lambda dimension, axes, dim: gathered(dimension, axes, dim, self.mesh, "gathering"),
        )


@irdl_op_definition
class AllSliceOp(Collective):
    """Each device keeps its part along axes of each dimension; the result is sharded along them too."""

    name = "sdy.all_slice"
    AXES: ClassVar = "slicing_axes"
    slicing_axes = prop_def(ListOfAxisRefListsAttr)
    assembly_format = "$slicing_axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)"

    @property
    def allows_missing_input_sharding(self) -> bool:
        return True

    def verify_axes(self) -> None:
        _verify_per_dimension(self, self.slicing_axes, lambda dimension, axes, dim: sliced(dimension, axes, self.mesh))


@irdl_op_definition
class AllToAllOp(Collective):
    """Moves the last axes of some dimensions to the end of others: gathers the former and slices the latter."""

    name = "sdy.all_to_all"
    AXES: ClassVar = "params"
    params = prop_def(AllToAllParamListAttr)
    assembly_format = "$params $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)"

    def verify_axes(self) -> None:
        params = self.params.params.data
        if not params:
            raise VerifyException("parameter list is empty")
        rank = self.out_sharding.rank
        seen_axes: set[AxisRefAttr] = set()
        seen_dims: set[int] = set()
        previous = -1
        for param in params:
            verify_axis_refs(param.axes, self.mesh, seen_axes)
            source, target = param.src_dim.data, param.tgt_dim.data
            for what, dim in (("source", source), ("target", target)):
                if not 0 <= dim < rank:
                    raise VerifyException(f"{what} dimension {dim} is out of range [0, {rank})")
            for dim in (source, target):
                if dim in seen_dims:
                    raise VerifyException(f"overlapping source/target dimensions in all-to-all params: {dim}")
                seen_dims.add(dim)
            if previous >= source:
                raise VerifyException(
                    f"source dimensions are not sorted in ascending order: {source} appears after {previous}"
                )
            previous = source
        before = self.in_sharding.dim_shardings.data
        for param in params:
            axes, source, target = param.axes.data, param.src_dim.data, param.tgt_dim.data
            _verify_dimension(self, source, gathered(before[source], axes, source, self.mesh, "all-to-all"))
            _verify_dimension(self, target, sliced(before[target], axes, self.mesh))
        for dim in set(range(rank)) - seen_dims:
            _verify_dimension(self, dim, before[dim].axes.data)


@irdl_op_definition
class CollectivePermuteOp(Collective):
    """Each device sends its part to another one: axes change, the number of parts of each dimension stays."""

    name = "sdy.collective_permute"
    assembly_format = "$tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)"

    def __init__(self, tensor: SSAValue, out_sharding: TensorShardingAttr):
        IRDLOperation.__init__(
            self, operands=[tensor], properties={"out_sharding": out_sharding}, result_types=[tensor.type]
        )

    @property
    def allows_different_meshes(self) -> bool:
        return True

    def verify_axes(self) -> None:
        before, after = self.in_sharding, self.out_sharding
        operand_mesh = lookup_mesh(before, self)
        if operand_mesh is None or operand_mesh.axes != self.mesh.axes:
            raise VerifyException("result mesh has different axes than operand mesh")
        if before.mesh_or_ref != after.mesh_or_ref and operand_mesh.device_ids == self.mesh.device_ids:
            raise VerifyException("result mesh name is different but same device ids as operand")
        for dim, (old, new) in enumerate(zip(before.dim_shardings, after.dim_shardings, strict=True)):
            old_size, new_size = sharded_size(old.axes, self.mesh), sharded_size(new.axes, self.mesh)
            if old_size != new_size:
                raise VerifyException(
                    f"sharded size of result doesn't match operand on dimension {dim}: {new_size} != {old_size}"
                )


class Reduction(Collective):
    """A collective that combines the parts of an unreduced tensor."""

    reduction_op = opt_prop_def(IntegerAttr[I32])
    custom_directives = (ReductionUnlessSum,)

    def __init__(
        self,
        tensor: SSAValue,
        axes: Axes,
        out_sharding: TensorShardingAttr,
        reduction: ReductionOp = ReductionOp.SUM,
    ):
        super().__init__(tensor, axes, out_sharding)
        if reduction is not ReductionOp.SUM:
            self.reduction_op = number_of(reduction)

    @property
    def allows_missing_input_sharding(self) -> bool:
        return True

    @property
    @abstractmethod
    def reduced_axes(self) -> AxisRefs:
        """The axes along which the parts are combined, in the order of the operation."""

    @property
    def reduction(self) -> ReductionOp:
        """The member of the enum whose number `reduction_op` is; a sum if it is left out."""
        return ReductionOp.SUM if self.reduction_op is None else member_of(ReductionOp, self.reduction_op)

    def verify_reduced(self) -> None:
        """Check that nothing becomes unreduced, and that what is reduced was unreduced for the same reduction."""
        verify_unreduced_transition(
            self, [self.in_sharding], [self.out_sharding], introduced=None, removed=self.reduction
        )


def is_equivalent(a: TensorShardingAttr, b: TensorShardingAttr) -> bool:
    """Whether both divide the dimensions alike, open or closed, whatever they leave unreduced."""
    if a.is_fully_replicated or b.is_fully_replicated:
        return a.is_fully_replicated and b.is_fully_replicated
    return a.mesh_or_ref == b.mesh_or_ref and [d.axes for d in a.dim_shardings] == [d.axes for d in b.dim_shardings]


@irdl_op_definition
class AllReduceOp(Reduction):
    """Combines the parts of a tensor along axes, so that each device along them has all of it."""

    name = "sdy.all_reduce"
    AXES: ClassVar = "reduction_axes"
    reduction_axes = prop_def(AxisRefListAttr)
    assembly_format = (
        "custom<ReductionUnlessSum>($reduction_op) $reduction_axes $tensor `out_sharding` `` `=` `` $out_sharding "
        "attr-dict `:` type($result)"
    )

    @property
    def reduced_axes(self) -> AxisRefs:
        return self.reduction_axes.axes.data

    def verify_axes(self) -> None:
        before, after = self.in_sharding, self.out_sharding
        if not is_equivalent(before, after):
            raise VerifyException("operand and result shardings are not equivalent")
        verify_sorted_axis_refs(self.reduction_axes.axes.data, self.mesh, set(), "reduction")
        kept = [axis for dimension in before.dim_shardings for axis in dimension.axes] + list(before.replicated_axes)
        for axis in self.reduction_axes.axes:
            if any(overlaps(axis, other) for other in kept):
                raise VerifyException(
                    f"reduction axis {axis.text} overlaps with operand dimension sharding or replicated axes"
                )
            if any(overlaps(axis, other) for other in after.unreduced_axes):
                raise VerifyException(f"reduction axis {axis.text} overlaps with result unreduced axes")
        verify_sub_axes(self.reduction_axes.axes, self.mesh)
        self.verify_reduced()


@irdl_op_definition
class ReduceScatterOp(Reduction):
    """Combines the parts of a tensor along axes; each device gets its part of the result along the same axes."""

    name = "sdy.reduce_scatter"
    AXES: ClassVar = "reduce_scatter_axes"
    reduce_scatter_axes = prop_def(ListOfAxisRefListsAttr)
    assembly_format = (
        "custom<ReductionUnlessSum>($reduction_op) $reduce_scatter_axes $tensor `out_sharding` `` `=` `` $out_sharding "
        "attr-dict `:` type($result)"
    )

    @property
    def reduced_axes(self) -> AxisRefs:
        return tuple(axis for of_dim in self.reduce_scatter_axes.lists for axis in of_dim.axes)

    def verify_axes(self) -> None:
        self.verify_reduced()
        _verify_per_dimension(
            self, self.reduce_scatter_axes, lambda dimension, axes, dim: sliced(dimension, axes, self.mesh)
        )


def _verify_becomes_unreduced(op: Collective, added: AxisRefs, formula: str) -> None:
    """Check that the result is unreduced along the axes that the operand is unreduced along, and `added`."""
    expected = sorted_and_merged([*op.in_sharding.unreduced_axes, *added], op.mesh)
    if expected != op.out_sharding.unreduced_axes.data:
        raise VerifyException(f"out_unreduced_axes should be in_unreduced_axes + {formula}")


def _verify_sum(op: Collective) -> None:
    if op.out_sharding.reduction_op.data is not ReductionOp.SUM:
        raise VerifyException("out_sharding reduction_op must be SUM")


@irdl_op_definition
class ShardedToUnreducedOp(Collective):
    """Each device pads its part with zeros to the whole: a tensor sharded along axes becomes unreduced along them."""

    name = "sdy.sharded_to_unreduced"
    AXES: ClassVar = "axes"
    axes = prop_def(ListOfAxisRefListsAttr)
    assembly_format = "$axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)"

    def verify_axes(self) -> None:
        _verify_sum(self)
        _verify_per_dimension(
            self,
            self.axes,
            lambda dimension, axes, dim: gathered(dimension, axes, dim, self.mesh, "shard-to-unreduce"),
        )
        moved = [axis for axes in self.axes.lists for axis in axes.axes]
        _verify_becomes_unreduced(self, moved, "sharded_to_unreduced_axes")


@irdl_op_definition
class ReplicatedToUnreducedOp(Collective):
    """All devices but one along axes replace the tensor by zeros: replicated before, it is unreduced along them."""

    name = "sdy.replicated_to_unreduced"
    AXES: ClassVar = "axes"
    axes = prop_def(AxisRefListAttr)
    assembly_format = "$axes $tensor `out_sharding` `` `=` `` $out_sharding attr-dict `:` type($result)"

    def verify_axes(self) -> None:
        before = self.in_sharding
        _verify_sum(self)
        if before.dim_shardings != self.out_sharding.dim_shardings:
            raise VerifyException("input and output must share the same dimension shardings")
        axes = self.axes.axes.data
        if not axes:
            raise VerifyException("r2u axes must not be empty")
        verify_sorted_axis_refs(axes, self.mesh, set(), "r2u")
        for axis in axes:
            if any(overlaps(other, axis) for dimension in before.dim_shardings for other in dimension.axes):
                raise VerifyException(f"r2u axis {axis.text} overlaps with operand dimension sharding")
            if any(overlaps(other, axis) for other in before.unreduced_axes):
                raise VerifyException(f"r2u axis {axis.text} overlaps with operand unreduced axes")
        _verify_becomes_unreduced(self, axes, "r2u_axes")


COLLECTIVES = operations_of("sdy", globals())
"""The operations of this module: the result is the operand as a whole tensor."""
