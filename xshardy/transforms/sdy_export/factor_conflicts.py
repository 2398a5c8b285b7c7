"""
Decide which operands and results of an operation are resharded so that all its tensors are sharded compatibly.

Decisions are remembered for operations that are alike, because models repeat their layers. To remember them by rule,
shardings and sizes as well saves 2 of 174 for a transformer of 8 layers.

Source: Shardy's docs, "Export passes" (sdy-insert-explicit-reshards).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from math import prod
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from xdsl.dialects.builtin import ModuleOp, ShapedType, SymbolRefAttr
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.axes.spans import Axes, Span, overlaps
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import sorted_and_merged
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.contraction import DotGeneralOp
from xshardy.dialects.stablehlo.convolution import ConvolutionOp
from xshardy.dialects.stablehlo.einsum import DotOp
from xshardy.dialects.stablehlo.shape import ReshapeOp
from xshardy.dialects.stablehlo.slicing import DynamicUpdateSliceOp
from xshardy.dialects.stablehlo.sorting import SortOp
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.ir.fields import operands_of
from xshardy.rewriting.operation_index import kept_over
from xshardy.sharding.conflicts.common_axes import FactorAxes, axes_in_all, common_axes
from xshardy.sharding.conflicts.dot_results import result_as_operands
from xshardy.sharding.conflicts.parts_rules import PARTS_RULES, parts_rule
from xshardy.sharding.conflicts.reduction_kinds import reduction_kind
from xshardy.sharding.conflicts.reshape_axes import axes_of_both_sides, common_prefix, complete
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.factors import FactorSharding, TensorFactors, project, unproject
from xshardy.sharding.interning import DimSharding, Sharding, ShardingTable
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.likeness import Likeness
from xshardy.transforms.sdy_export.unreduced_axes import axes_without, unreduced_axes
from xshardy.transforms.sdy_export.verify_unreduced_axes import before_barriers

T = TypeVar("T")

DOTS = frozenset[type[Operation]]({DotOp, DotGeneralOp})

REPLICATING = frozenset[type[Operation]]({ConvolutionOp, DynamicUpdateSliceOp, SortOp})
"""Operations with factors that need replication although their rules do not say so: see `factors_to_replicate`."""

NOTHING_REDUCED: Mapping[int, TensorShardingAttr] = MappingProxyType({})


class Resolution(NamedTuple):
    """A decision that makes an operation free of conflicts."""

    operands: Sequence[TensorShardingAttr | None]
    """The sharding to which each operand is resharded; None if it is not."""
    results: Sequence[TensorShardingAttr | None]
    """The sharding in which each result is produced, before its reshard to the original one; None without a reshard."""
    reduced: Sequence[AxisRefAttr]
    """The axes along which all results are reduced."""
    reduction: ReductionOp
    """How all results are reduced."""
    mesh: SymbolRefAttr | MeshAttr
    """The mesh of results that have no sharding."""
    combined: Sequence[AxisRefAttr] = ()
    """The axes along which devices have parts of the results: they are reduced or unreduced along each."""


Known = dict[tuple[int, bool, bool], Resolution | None]
"""Resolutions by the number of operations that are alike, `full`, and whether the rule is one of `PARTS_RULES`."""


class _Case(NamedTuple):
    """An operation, with its operands and results projected to the factors of its rule."""

    op: Operation
    rule: FactorRule
    over: TensorShardingAttr
    """A sharding over the mesh that most tensors are sharded over."""
    mesh_attribute: MeshAttr
    """That mesh."""
    mesh: int
    """Its number."""
    shardings: Sequence[Sharding]
    tensors: Sequence[TensorFactors]
    axes: Sequence[FactorAxes]
    elements: Sequence[int]
    has_other_device_order: Sequence[bool]
    """Which tensors are sharded over a mesh with another order of devices."""
    unreduced: Sequence[AxisRefAttr]
    """The axes along which the results are unreduced, the same for all results."""
    names: Sequence[str]
    """The names of the axes of the mesh."""


class _Decision(NamedTuple):
    """The new axes of each tensor, which tensors are resharded, and the axes of the reduction."""

    axes: Sequence[FactorAxes]
    moves: Sequence[bool]
    reduction: Axes


def element_count(type: Attribute) -> int:
    """The number of elements of a tensor; 0 for other types, and for tensors of dynamic shape."""
    return prod(type.get_shape()) if isinstance(type, ShapedType) and type.has_static_shape() else 0


def factors_to_replicate(op: Operation, rule: FactorRule, kind: ReductionOp | None) -> tuple[int, ...]:
    """
    The factors of `op` that no device may have a part of, beyond those that need replication by its rule.

    Those are the reduced factors, if no all-reduce combines partial results: if `kind` is None. For an update at
    constant indices, they are also the dimensions of the update that cover a part of the dimension of the operand: the
    rule takes a partitioner that moves the parts of the update. For a sort along a dimension that is counted from the
    last one, it is that dimension: the rule, as upstream's, does not know it. For a convolution, they are the spatial
    dimensions of the kernel, unless its windows divide the input.
    """
    factors = rule.reduction if kind is None else ()
    if isinstance(op, ConvolutionOp):
        return factors + tuple(_windows_of_parts(op, rule))
    if isinstance(op, SortOp):
        return factors + rule.operands[0][-1 if op.dimension is None else op.dimension.value.data]
    if isinstance(op, DynamicUpdateSliceOp):
        of_operand = {*chain.from_iterable(rule.operands[0])}
        factors += tuple([factor for factor in chain.from_iterable(rule.operands[1]) if factor not in of_operand])
    return factors


def _windows_of_parts(op: ConvolutionOp, rule: FactorRule) -> Iterator[int]:
    """The factors along windows that a part of the input does not have parts of, as the kernel has."""
    numbers = op.dimension_numbers
    of_kernel, of_input = numbers.kernel_spatial_dimensions.get_values(), numbers.input_spatial_dimensions.get_values()
    shape, reversal = shape_of(op.lhs.type), op.window_reversal
    for index, window in enumerate(op.window()):
        windows = window.positions(shape[of_input[index]])
        is_plain = window == WindowDimension(window.size, window.size) or (windows == 1 and not window.low)
        is_divided = shape[of_input[index]] == windows * window.size and window.base_dilation == 1
        is_minor = windows >= window.size or windows == 1  # the larger of the two is the major factor of the input
        is_reversed = reversal is not None and bool(reversal.get_values()[index])
        fits = is_plain and is_divided and is_minor and not window.high
        if not fits or is_reversed:
            yield from rule.operands[1][of_kernel[index]]


class FactorConflicts:
    """
    Resolves the conflicts between the shardings of the operands and results of an operation.

    With `by_parts`, operations without a sharding rule have the rule of `parts_rule`, and so have custom calls.
    """

    def __init__(self, likeness: Likeness, meshes: Mapping[str, MeshAttr], known: Known, *, by_parts: bool = False):
        """`meshes` are those of the module, by name."""
        self._likeness = likeness
        self._known = known
        self._by_parts = by_parts
        self._rules = ShardingRules()
        self._meshes = meshes
        self._table = ShardingTable(self._mesh_of)

    def has_rule(self, op: Operation) -> bool:
        """Whether `op` has a sharding rule: its own, or that of its kind."""
        return self._rule_of(op) is not None

    def resolve(
        self, op: Operation, *, full: bool, reduced: Mapping[int, TensorShardingAttr] = NOTHING_REDUCED
    ) -> Resolution | None:
        """
        The resolution of the conflicts of `op`. With `full=False`, it has only reshards that make a dot product
        cheaper, and reductions of results that are unreduced along other axes. `reduced` has the shardings of the
        operands, by index, that are already reduced.

        None if `op` has no conflicts, no rule or a custom rule, or if its shardings are over different meshes. Raises
        `OperationFailedException` if its operands do not determine the axes along which its results are reduced, or
        shard results along axes along which they are unreduced.
        """
        number = None if reduced else self._likeness.of(op)
        if number is None:
            return self._resolved(op, full=full, reduced=reduced)
        key = number, full, self._by_parts and type(op) in PARTS_RULES
        if key not in self._known:
            self._known[key] = self._resolved(op, full=full, reduced=reduced)
        return self._known[key]

    def _resolved(self, op: Operation, *, full: bool, reduced: Mapping[int, TensorShardingAttr]) -> Resolution | None:
        """`resolve`, worked out for `op` itself."""
        rule = self._rule_of(op)
        if rule is None or rule.is_custom:
            return None
        values = (*operands_of(op), *op.results)
        kind = reduction_kind(op) if rule.reduction else ReductionOp.SUM
        if (kind is None or type(op) in REPLICATING) and (factors := factors_to_replicate(op, rule, kind)):
            rule = self._replicating(rule, factors)
        numbers = tuple([self._table.read(_sharding_behind_barriers(value)) for value in values])
        if reduced:
            reads = [self._table.read(reduced[i]) if i in reduced else numbers[i] for i in range(len(op.operands))]
            numbers = (*reads, *numbers[len(reads) :])
        elements = tuple([element_count(value.type) for value in values])
        return self._resolve(op, rule, numbers, elements, kind or ReductionOp.SUM, full=full)

    def without_axes(self, op: Operation, factors: Collection[int]) -> Resolution | None:
        """
        The resolution of `op`, whose tensors are sharded compatibly, that leaves `factors` of its rule without axes.

        None if they have none, if there is no rule, or if the shardings are over different meshes.
        """
        case = self._case_of(op)
        if case is None:
            return None
        wanted = [{factor: () if factor in factors else axes[factor] for factor in axes} for axes in case.axes]
        moves = [old != new for old, new in zip(case.axes, wanted, strict=True)]
        return self._resolution(case, _Decision(wanted, moves, ()), ReductionOp.SUM)

    def with_shared_axes(self, op: Operation) -> Resolution | None:
        """
        The resolution of `op` that leaves each factor of its rule only the axes with which all its tensors begin.

        None if no tensor has others, if there is no rule, or if the shardings are over different meshes.
        """
        case = self._case_of(op)
        if case is None:
            return None
        shared = [
            common_prefix([axes[factor] for axes in case.axes if factor in axes])
            for factor in range(len(case.rule.sizes))
        ]
        wanted = [{factor: shared[factor] for factor in axes} for axes in case.axes]
        tensors = zip(case.tensors, case.axes, wanted, strict=True)
        moves = [_overflows(tensor) or old != new for tensor, old, new in tensors]
        return self._resolution(case, _Decision(wanted, moves, ()), ReductionOp.SUM)

    def _case_of(self, op: Operation) -> _Case | None:
        """None if there is no rule, or if the shardings are over different meshes."""
        rule = self._rule_of(op)
        if rule is None:
            return None
        values = (*op.operands, *op.results)
        numbers = tuple([self._table.read(_sharding_behind_barriers(value)) for value in values])
        return self._case(op, rule, numbers, [0] * len(values))

    def permutation_factors(self, op: Operation) -> Mapping[int, Sequence[int]]:
        """
        The factors of `op` that need elements of other parts, and the dimension of each tensor that has it, or -1.

        Tensors are the operands, then the results. Empty if `op` has no rule, or one of its own.
        """
        rule = self._rule_of(op)
        if rule is None or rule.is_custom:
            return {}
        tensors = (*rule.operands, *rule.results)
        return {
            factor: [next((dim for dim, of_dim in enumerate(tensor) if factor in of_dim), -1) for tensor in tensors]
            for factor in rule.permutation
        }

    def reduction_axes(self, op: Operation) -> Sequence[AxisRefAttr] | None:
        """
        The axes that shard what `op` reduces, along which devices have parts of its results.

        None if they shard it differently in its operands, or shard a result, too.
        """
        case = self._case_of(op)
        if case is None or reduction_kind(op) is None:
            return ()
        shared = [axes_in_all(factor, case.axes) for factor in case.rule.reduction]
        if None in shared:
            return None
        axes = tuple(chain.from_iterable(shared))  # pyright: ignore[reportArgumentType]
        of_results = [axis for tensor in case.axes[len(op.operands) :] for listed in tensor.values() for axis in listed]
        if any(overlaps(axis, other) for axis in axes for other in of_results):
            return None
        return self._table.axis_refs(axes, case.mesh)

    def _replicating(self, rule: FactorRule, factors: tuple[int, ...]) -> FactorRule:
        """`rule`, where `factors` need replication."""
        needed = tuple(sorted({*rule.need_replication, *factors}))
        reduction = tuple([factor for factor in rule.reduction if factor not in factors])
        return replace(rule, reduction=reduction, need_replication=needed)

    def _rule_of(self, op: Operation) -> FactorRule | None:
        rule = self._rules.factor_rule(op)
        return parts_rule(op, rule) if self._by_parts else rule

    def _resolve(
        self,
        op: Operation,
        rule: FactorRule,
        numbers: Sequence[int],
        elements: Sequence[int],
        kind: ReductionOp,
        *,
        full: bool,
    ) -> Resolution | None:
        case = self._case(op, rule, numbers, elements)
        if case is None:
            return None
        return self._resolution(case, _decide_fully(case) if full else _decide_dot_result(case), kind)

    def _case(self, op: Operation, rule: FactorRule, numbers: Sequence[int], elements: Sequence[int]) -> _Case | None:
        """None if the shardings of `op`, of these numbers, are over different meshes."""
        attributes = [self._table.attribute(number) for number in numbers]
        over = self._most_common_mesh(attributes)
        if over is None:
            return None
        mesh, common = self._mesh_of(over), self._table.sharding(self._table.read(over))
        assert mesh is not None and common is not None
        mappings = (*rule.operands, *rule.results)
        shardings = [
            self._table.sharding(number) or Sharding(common.mesh, (DimSharding((), is_closed=True),) * len(mapping))
            for number, mapping in zip(numbers, mappings, strict=True)
        ]
        tensors = [project(*each, rule.sizes) for each in zip(mappings, shardings, strict=True)]
        return _Case(
            op,
            rule,
            over,
            mesh,
            common.mesh,
            shardings,
            tensors,
            [{factor: sharding.axes for factor, sharding in tensor.factors.items()} for tensor in tensors],
            elements,
            [self._is_on_other_devices(attribute, mesh) for attribute in attributes],
            unreduced_axes(attributes[len(op.operands)]) if op.results else (),
            tuple(mesh.sizes),
        )

    def _resolution(self, case: _Case, decision: _Decision, kind: ReductionOp) -> Resolution | None:
        """The resolution that applies `decision`; None if it changes nothing."""
        if case.unreduced:
            _check_unreduced_results(case, decision)
        becomes = [
            self._table.attribute(self._table.number(_sharding_with(case, index, axes))) if moves else None
            for index, (axes, moves) in enumerate(zip(decision.axes, decision.moves, strict=True))
        ]
        if not (decision.reduction or any(decision.moves)):
            return None
        operands, results = case.op.operands, case.op.results
        combined = self._table.axis_refs(decision.reduction, case.mesh)
        reduced = axes_without(combined, case.unreduced, case.mesh_attribute)
        return Resolution(
            becomes[: len(operands)],
            becomes[len(operands) :],
            sorted_and_merged(reduced, case.mesh_attribute) if results else (),
            kind,
            case.over.mesh_or_ref,
            combined if results else (),
        )

    # Meshes

    def _mesh_of(self, sharding: TensorShardingAttr) -> MeshAttr | None:
        reference = sharding.mesh_or_ref
        return reference if isinstance(reference, MeshAttr) else self._meshes.get(reference.string_value())

    def _most_common_mesh(self, shardings: Iterable[TensorShardingAttr | None]) -> TensorShardingAttr | None:
        """
        One of `shardings` over their most frequent mesh; shardings without axes do not count.

        None if there are none, if they are over a single device, or if the axes of their meshes differ.
        """
        known = [(sharding, mesh) for sharding in shardings if sharding and (mesh := self._mesh_of(sharding))]
        over = [each for each in known if not each[1].is_empty] or known
        if not over or any(mesh.is_maximal or mesh.axes != over[0][1].axes for _, mesh in over):
            return None
        if all(sharding.mesh_or_ref == over[0][0].mesh_or_ref for sharding, _ in over):
            return over[0][0]  # nearly always; to count meshes is to hash them
        best, most = over[0][0], 0
        count = Counter[SymbolRefAttr | MeshAttr]()
        for sharding, mesh in over:
            if not sharding.is_fully_replicated:
                count[sharding.mesh_or_ref] += 1
                if count[sharding.mesh_or_ref] > most:
                    best, most = sharding, count[sharding.mesh_or_ref]
            elif not most and not mesh.device_ids.data:
                best = sharding
        return best

    def _is_on_other_devices(self, sharding: TensorShardingAttr | None, mesh: MeshAttr) -> bool:
        if sharding is None or sharding.is_fully_replicated:
            return False
        other = self._mesh_of(sharding)
        return other is not None and other.device_ids != mesh.device_ids


def meshes_in(module: ModuleOp) -> Mapping[str, MeshAttr]:
    """The meshes that `module` declares, by name."""
    return {op.sym_name.data: op.mesh for op in module.ops if isinstance(op, MeshOp)}


def kept_while_meshes_stay(module: ModuleOp, what: Hashable, make: Callable[[], T]) -> T:
    """`kept_over` for what depends on `what` and on the meshes of `module`."""
    return kept_over(module, (what, *meshes_in(module).items()), make)


def conflicts_in(module: ModuleOp, *, by_parts: bool = False) -> FactorConflicts:
    """The `FactorConflicts` of `module`: of a pipeline those of earlier passes, as long as the meshes stay."""
    known = kept_while_meshes_stay(module, Resolution, Known)

    def made() -> FactorConflicts:
        return FactorConflicts(Likeness(module), meshes_in(module), known, by_parts=by_parts)

    return kept_while_meshes_stay(module, (FactorConflicts, by_parts), made)


def _decide_fully(case: _Case) -> _Decision:
    """Give all tensors that have a factor the same axes for it."""
    rule = case.rule
    overflowing = [*map(_overflows, case.tensors)]
    deals_out = isinstance(case.op, ReshapeOp) and any(overflowing)
    if deals_out:
        chosen = axes_of_both_sides(rule, *case.tensors)
    else:
        chosen = common_axes(rule, case.axes, case.elements, case.names)
    wanted = [{factor: chosen[factor] for factor in axes} for axes in case.axes]
    if deals_out:
        changes = [
            not _have_same_parts(sharding, _sharding_with(case, index, wanted[index]))
            for index, sharding in enumerate(case.shardings)
        ]
    else:
        changes = [over or old != new for over, old, new in zip(overflowing, case.axes, wanted, strict=True)]
    moves = [changed or elsewhere for changed, elsewhere in zip(changes, case.has_other_device_order, strict=True)]
    reduction = chain.from_iterable(chosen[factor] for factor in rule.reduction)
    return _Decision(wanted, moves, tuple(reduction))


def _overflows(tensor: TensorFactors) -> bool:
    """Whether a dimension has axes that do not divide its factors."""
    return any(factor.overflow for factor in tensor.factors.values())


def _decide_dot_result(case: _Case) -> _Decision:
    """Reshard only the result of a dot product, if that makes the product cheaper."""
    wanted = case.axes
    result = result_as_operands(case.rule, case.axes, case.elements) if type(case.op) in DOTS else None
    if result is not None:
        wanted = [*case.axes[:2], result]
    moves = [old is not new for old, new in zip(case.axes, wanted, strict=True)]
    return _Decision(wanted, moves, _reduction_in_part(case) if case.unreduced else ())


def _reduction_in_part(case: _Case) -> Axes:
    """The axes of the reduction factors. Raises `OperationFailedException` if the operands disagree on them."""
    axes: list[Span] = []
    for factor in case.rule.reduction:
        shared = axes_in_all(factor, case.axes)
        if shared is None:
            raise OperationFailedException(
                case.op,
                f"'{case.op.name}' op has results with unreduced axes, while its operands are not sharded alike along "
                "the dimensions that it reduces: reshard one of them",
            )
        axes += shared
    return tuple(axes)


def _check_unreduced_results(case: _Case, decision: _Decision) -> None:
    """
    Raises `OperationFailedException` if a result would be sharded along an axis along which it is unreduced.

    C++ Shardy makes such a sharding, which does not verify.
    """
    for index in range(len(case.op.operands), len(case.tensors)):
        sharding = _sharding_with(case, index, decision.axes[index])
        for dim, axis in ((dim, axis) for dim, each in enumerate(sharding.dims) for axis in each.axes):
            if decision.moves[index] and any(overlaps(axis, unreduced) for unreduced in sharding.unreduced):
                name = case.names[axis.axis]
                raise OperationFailedException(
                    case.op,
                    f"'{case.op.name}' op has a result that is unreduced along axis \"{name}\", while an operand is "
                    f"sharded along it in dimension {dim} of the result: reshard the operand, or remove the axis from "
                    "the unreduced ones",
                )


def _sharding_with(case: _Case, index: int, axes: FactorAxes) -> Sharding:
    """The sharding of tensor `index` with exactly these axes."""
    tensor, mapping = case.tensors[index], (*case.rule.operands, *case.rule.results)[index]
    factors = {factor: FactorSharding(axes[factor], known.is_closed) for factor, known in tensor.factors.items()}
    return unproject(replace(tensor, factors=complete(factors, mapping)), mapping, case.rule.sizes, case.mesh)


def _have_same_parts(a: Sharding, b: Sharding) -> bool:
    """Whether each device has the same part of a tensor under both shardings."""
    axes = [dim.axes for dim in a.dims]
    return axes == [dim.axes for dim in b.dims] and (a.mesh == b.mesh or not any(axes))


def _sharding_behind_barriers(value: SSAValue) -> TensorShardingAttr | None:
    """The sharding of `value`, looked up before any propagation barriers."""
    return sharding_of(before_barriers(value))
