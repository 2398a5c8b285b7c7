"""Checks that the parts that an operation sees on a device belong together: that no reshard is missing."""

from collections.abc import Hashable, Iterable, Iterator

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy import ops as sdy
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.sharding_text import axes_text
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.factor_conflicts import conflicts_in, kept_while_meshes_stay
from xshardy.transforms.sdy_export.insert_explicit_reshards import moves_to
from xshardy.transforms.sdy_export.likeness import Likeness
from xshardy.transforms.sdy_export.partial_sums import (
    WITH_WRITTEN_AXES,
    Unreduced,
    mesh_of,
    own_axes,
    passage,
    required_operands,
    unreduced_results,
)
from xshardy.transforms.sdy_export.required_shardings import (
    RequiredUse,
    operand_of,
    required_by_branches,
    required_by_edges,
    required_by_function,
)
from xshardy.transforms.sdy_export.reshard_checks import rare_features
from xshardy.transforms.sdy_export.sink_data_flow_edges import FLOW_OPS
from xshardy.transforms.sdy_export.unreduced_axes import axes_without
from xshardy.transforms.sdy_partition.local.manual_regions import ManualRegions
from xshardy.transforms.sdy_partition.local.whole_tensors import refuse

HELP = "give them shardings that fit, or put an sdy.reshard between them"

HELP_SUMS = (
    "`xshardy run`, `plan` and `partition` reduce such operands and divide such results; in a pipeline of passes, "
    "sdy-keep-partial-sums does"
)

PASSES_TENSORS_ON = (*FLOW_OPS, CallOp, ReturnOp, sdy.ReturnOp, stablehlo.IfOp, stablehlo.ReturnOp)
"""Operations that pass on each operand by itself, so that these may be over different meshes."""

NEEDS_NO_RULE = (*PASSES_TENSORS_ON, UnregisteredOp)
"""Operations without a sharding rule, whose parts belong together if their uses do, or of which nothing is known."""


class CompatibleShardings:
    """The check, for the operations of one module."""

    def __init__(self, module: ModuleOp):
        self.likeness = Likeness(module)
        self.conflicts = conflicts_in(module, by_parts=True)
        self.manual = ManualRegions(module)
        self.has_unreduced = rare_features(module).unreduced
        self._passed = kept_while_meshes_stay(module, CompatibleShardings, set[Hashable])
        """Operations that need no reshard, by likeness."""

    def check(self, op: Operation, *, has_own_form: bool = False) -> None:
        """
        Raises `OperationFailedException` if a tensor that `op` reads or writes needs a reshard first.

        With `has_own_form`, the pattern for `op` has checked how its tensors belong together; else its sharding rule
        says it, and without one nothing may be sharded.
        """
        key = self.likeness.of(op), has_own_form
        if key in self._passed:
            return
        self._check(op, has_own_form=has_own_form)
        if key[0] is not None:
            self._passed.add(key)

    def check_partial_sums(self, op: Operation) -> None:
        """
        Raises `OperationFailedException` if `op` reads parts of a sum in which it is not linear, drops parts, or has
        whole results that are to be parts.
        """
        if isinstance(op, (*PASSES_TENSORS_ON, *WITH_WRITTEN_AXES)):
            return
        wanted = unreduced_results(op)
        given = [Unreduced.of(sharding_of(operand)) for operand in op.operands]
        if required := required_operands(op):
            first, needed = next(iter(required.items()))
            known, taken = (axes_text(unreduced.axes) or "nothing" for unreduced in (given[first], needed))
            raise refuse(op, f"operand {first} is unreduced along {known}, and is read as along {taken}. {HELP_SUMS}")
        if wanted.axes:
            mesh = mesh_of(wanted, op)
            known = (*passage(op, given, wanted, mesh).axes, *(own_axes(op, wanted, self.conflicts) or ()))
            if whole := axes_without(wanted.axes, known, mesh):
                raise refuse(
                    op,
                    f"has results that are unreduced along {axes_text(whole)}, but no operand that it is linear in is, "
                    f"and nothing that it reduces is sharded so: each device has the whole result. {HELP_SUMS}",
                )

    def _check(self, op: Operation, *, has_own_form: bool) -> None:
        if not isinstance(op, PASSES_TENSORS_ON):
            _check_meshes(op)
        _check_uses(_uses_in(op))
        if not has_own_form and not isinstance(op, NEEDS_NO_RULE) and not self.conflicts.has_rule(op):
            _require_replicated(op)
        resolution = self.conflicts.resolve(op, full=True)
        if resolution is None:
            return
        for what, values, shardings in (
            ("operand", op.operands, resolution.operands),
            ("result", op.results, resolution.results),
        ):
            for index, (value, required) in enumerate(zip(values, shardings, strict=True)):
                if required is not None:
                    raise _needs_reshard(op, f"{what} {index}", sharding_of(value), required)


def _require_replicated(op: Operation) -> None:
    """Raises `OperationFailedException` if `op` reads, writes, or returns from a region, a part of a tensor."""
    ends = [block.last_op for region in op.regions for block in region.blocks]
    read = [(op, value) for value in (*op.operands, *op.results)]
    read += [(end, value) for end in ends if end is not None for value in end.operands]
    for reader, value in read:
        sharding = sharding_of(value)
        if sharding is not None and not sharding.is_fully_replicated:
            raise refuse(
                op,
                f"'{reader.name}' has a value sharded {sharding}, and no sharding rule says which parts of the tensors "
                f"of a '{op.name}' belong together: let a sharding constraint replicate them",
            )


def _check_meshes(op: Operation) -> None:
    """
    Raises `OperationFailedException` if `op` has parts of different meshes.

    A part has the position of its device in the mesh. A replicated tensor may be over the mesh with the same axes in
    another order of devices.
    """
    shardings = [sharding for value in (*op.operands, *op.results) if (sharding := sharding_of(value)) is not None]
    if all(sharding.is_fully_replicated for sharding in shardings):
        return
    if all(sharding.mesh_or_ref == shardings[0].mesh_or_ref for sharding in shardings):
        return  # nearly always; to look a mesh up takes longer
    known = [(sharding, mesh) for sharding in shardings if (mesh := lookup_mesh(sharding, op)) and not mesh.is_empty]
    axes = {mesh.axes for _, mesh in known}
    parted = {mesh for sharding, mesh in known if not sharding.is_fully_replicated}
    if len(axes) > 1 or len(parted) > 1:
        raise refuse(op, "operands and results are sharded over different meshes: shard them over one")


def _uses_in(op: Operation) -> Iterable[RequiredUse]:
    """The uses by `op`, or by the ends of its regions, that require a sharding."""
    if isinstance(op, FLOW_OPS):
        return required_by_edges(op)
    if isinstance(op, stablehlo.IfOp):
        return required_by_branches(op)
    if isinstance(op, ReturnOp) and isinstance(function := op.parent_op(), FuncOp):
        return _returned_by(op, function)
    return ()


def _returned_by(op: ReturnOp, function: FuncOp) -> Iterator[RequiredUse]:
    return ((use, required) for use, required in required_by_function(function) if use.operation is op)


def _check_uses(uses: Iterable[RequiredUse]) -> None:
    for use, required in uses:
        source = sharding_of(operand_of(use))
        if required is None and source is not None and not source.is_fully_replicated:
            raise refuse(use.operation, f"operand {use.index} is sharded {source}, and its result is not: {HELP}")
        if required is not None and moves_to(source, required, use.operation, full=True):
            raise _needs_reshard(use.operation, f"operand {use.index}", source, required)


def how_sharded(sharding: TensorShardingAttr | None) -> str:
    return "not sharded" if sharding is None else f"sharded {sharding}"


def _needs_reshard(op: Operation, what: str, source: TensorShardingAttr | None, required: TensorShardingAttr):
    return refuse(op, f"{what} is {how_sharded(source)}, and the other tensors require {required}: {HELP}")
