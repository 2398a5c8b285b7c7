"""
Which parts of tensors an operation without a sharding rule needs on each device, as a rule of factors.

Nothing propagates by these rules: they say what is computed rightly, not what should be sharded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from xdsl.dialects.builtin import AnyTensorType, TensorType
from xdsl.ir import Attribute, Operation

from xshardy.dialects import chlo, hlo, mhlo, stablehlo
from xshardy.dialects.chlo.broadcasting import BroadcastBinaryOp
from xshardy.dialects.chlo.custom_calls import ELEMENTWISE_CUSTOM_CALLS
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.sharding.factor_rule import FactorRule

PartsRule = Callable[[Any, FactorRule | None], FactorRule | None]
"""The rule for parts of an operation, given the sharding rule that it has."""

WHOLE: tuple[type[Operation], ...] = (
    chlo.ConstantOp,
    chlo.RaggedDotOp,
    chlo.ScanOp,
    stablehlo.BatchNormGradOp,
    stablehlo.BatchNormTrainingOp,
    stablehlo.BroadcastOp,
    stablehlo.CollectiveReduceOp,
    stablehlo.DynamicBroadcastInDimOp,
    stablehlo.DynamicConvOp,
    stablehlo.DynamicGatherOp,
    stablehlo.DynamicIotaOp,
    stablehlo.DynamicPadOp,
    stablehlo.DynamicReshapeOp,
    stablehlo.EinsumOp,
    stablehlo.GetTupleElementOp,
    stablehlo.RealDynamicSliceOp,
    stablehlo.SetDimensionSizeOp,
    stablehlo.TorchIndexSelectOp,
    stablehlo.TupleOp,
    stablehlo.UnaryEinsumOp,
    stablehlo.UniformDequantizeOp,
    stablehlo.UniformQuantizeOp,
)
"""Operations that each device executes on whole tensors."""

ELEMENTWISE = (
    *ELEMENTWISE_CUSTOM_CALLS,
    *("annotate_device_placement", "MoveToDevice", "MoveToHost", "LayoutConstraint"),
    *("X64Combine", "X64SplitHigh", "X64SplitLow", "xla.megascale.provide_metadata"),
)

WHOLE_DIMENSIONS: Mapping[str, int] = {
    **dict.fromkeys(ELEMENTWISE, 0),
    "mhlo.topk": 1,
    **dict.fromkeys(("Cholesky", "Eigh", "LuDecomposition", "ProductOfElementaryHouseholderReflectors", "Qr"), 2),
}
"""By target, the number of last dimensions of the first operand that a device needs whole; others are batches."""


def _shapes(types: Sequence[Attribute]) -> tuple[tuple[int, ...], ...]:
    """The shape of each type; that of a scalar for what is no tensor."""
    return tuple(cast(AnyTensorType, type).get_shape() if isinstance(type, TensorType) else () for type in types)


@lru_cache(maxsize=1024)
def batched(operands: Sequence[Sequence[int]], results: Sequence[Sequence[int]], batches: int) -> FactorRule:
    """
    `([b, i], [b, j])->([b, k]) need_replication={i, j, k}`, with the first `batches` dimensions of all tensors shared.

    A shorter tensor, such as the scalar condition of a select, has none of them.
    """
    shared = next((shape[:batches] for shape in (*results, *operands) if len(shape) >= batches), ())
    sizes = [*shared]
    mappings: list[tuple[tuple[int, ...], ...]] = []
    for shape in (*operands, *results):
        has_batches = tuple(shape[: len(shared)]) == tuple(shared)
        mapping: list[tuple[int, ...]] = []
        for dim, extent in enumerate(shape):
            if has_batches and dim < len(shared):
                mapping.append((dim,))
            else:
                mapping.append((len(sizes),))
                sizes.append(max(extent, 1))
        mappings.append(tuple(mapping))
    needed = tuple(range(len(shared), len(sizes)))
    count = len(operands)
    return FactorRule(tuple(sizes), tuple(mappings[:count]), tuple(mappings[count:]), need_replication=needed)


@lru_cache(maxsize=1024)
def passing(rule: FactorRule) -> FactorRule:
    """
    A rule that a user has written on an operation, for its parts: the factors of operands and results are independent.

    Whole are the factors that only operands have, or only results, for what is done along these is unknown.
    """
    read, written = (
        {factor for tensor in tensors for dim in tensor for factor in dim} for tensors in (rule.operands, rule.results)
    )
    independent = (read & written) - rule.special
    needed = tuple(factor for factor in range(len(rule.sizes)) if factor not in independent)
    return replace(rule, need_replication=needed, reduction=(), permutation=(), is_custom=False)


@lru_cache(maxsize=1024)
def expanding(rule: FactorRule) -> FactorRule:
    """
    The rule of a broadcast for its parts: every device needs the only element along a dimension that is expanded.

    A part of such a dimension is that element on one device, and padding on the others.
    """
    written = {factor for tensor in rule.results for dim in tensor for factor in dim}
    expanded = (factor for factor in range(len(rule.sizes)) if factor not in written)
    return replace(rule, need_replication=tuple(dict.fromkeys((*rule.need_replication, *expanded))))


def _whole_last(dims: int) -> PartsRule:
    """Devices need the last `dims` dimensions of the first operand whole; -1 for all. The others are batches."""

    def rule(op: Operation, rule: FactorRule | None) -> FactorRule:
        operands, results = _shapes(op.operand_types), _shapes(op.result_types)
        first = (*operands, *results)[:1]
        batches = 0 if dims < 0 or not first else max(0, len(first[0]) - dims)
        return batched(operands, results, batches)

    return rule


_elementwise, _whole = _whole_last(0), _whole_last(-1)


def _broadcasting(op: Operation, rule: FactorRule | None) -> FactorRule | None:
    """An implicit broadcast of CHLO is elementwise if it broadcasts nothing."""
    is_elementwise = len({*_shapes((*op.operand_types, *op.result_types))}) == 1
    return (_elementwise if is_elementwise else _whole)(op, rule)


def _custom_call(op: stablehlo.CustomCallOp, rule: FactorRule | None) -> FactorRule | None:
    if rule is not None and SHARDING_RULE in op.attributes:
        return passing(rule)
    return _whole_last(WHOLE_DIMENSIONS.get(op.call_target_name.data, -1))(op, rule)


BROADCASTING = (BroadcastBinaryOp, chlo.BroadcastSelectOp)

PARTS_RULES: Mapping[type[Operation], PartsRule] = {
    **dict.fromkeys(WHOLE, _whole),
    **dict.fromkeys((op for op in chlo.CHLO.operations if issubclass(op, BROADCASTING)), _broadcasting),
    **dict.fromkeys((op for op in chlo.CHLO.operations if op.has_trait(Elementwise)), _elementwise),
    **dict.fromkeys((chlo.ConstantLikeOp, stablehlo.MapOp), _elementwise),
    **dict.fromkeys((chlo.TopKOp, hlo.TopKOp, mhlo.TopKOp), _whole_last(1)),
    stablehlo.BroadcastInDimOp: lambda op, rule: None if rule is None else expanding(rule),
    stablehlo.CustomCallOp: _custom_call,
}
"""The rule for parts of each operation whose sharding rule does not say it."""


def parts_rule(op: Operation, rule: FactorRule | None) -> FactorRule | None:
    """The rule by which devices can have parts of the tensors of `op`, given its sharding rule; None if none can."""
    return rule if (row := PARTS_RULES.get(type(op))) is None else row(op, rule)
