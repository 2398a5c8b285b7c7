"""Custom calls, by the target names of XLA and JAX."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import ShapedType
from xdsl.ir import Operation

from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.dialects.stablehlo.python_callbacks import PYTHON_CALLBACKS
from xshardy.dialects.stablehlo.random_numbers import RngBitGeneratorOp
from xshardy.sharding.rules.builder import (
    Factor,
    Factors,
    FactorType,
    Row,
    Shapes,
    UnknownOperation,
    pointwise,
    pointwise_but_for_mismatch,
)

REPLICATED = FactorType.NEED_REPLICATION


class CustomCall(NamedTuple):
    """The target name, whether the first result is a tensor, and whether a result is the state of a generator."""

    name: str
    gives_tensor: bool
    seeds_generator: bool


def custom_call(shapes: Shapes, call: CustomCall) -> Factors | None:
    """The factors that the table has for the called name. Raises `UnknownOperation` if it has none."""
    if call.name in WITHOUT_RULE:
        return None
    if call.name == "X64Combine" and call.seeds_generator:
        return generator_state(shapes)
    if (factors := CALLS.get(call.name)) is None:
        raise UnknownOperation(f"custom call @{call.name} is unknown to SDY sharding rule registry")
    try:
        found = [*factors(shapes)] if call.gives_tensor else None
        for factor in found or ():
            if (len(factor.operand_dims), len(factor.result_dims)) != (len(shapes.operands), len(shapes.results)):
                raise ValueError("the rule is for another number of tensors")
        return None if found is None else iter(found)
    except (IndexError, ValueError) as error:
        raise UnknownOperation(
            f"custom call @{call.name} has other operands or results than SDY sharding rule registry expects"
        ) from error


def generator_state(shapes: Shapes) -> Factors:
    """`([i], [i])->([i]) need_replication={i} blocked_propagation={i}`: `ui64` values, which cannot be resharded."""
    yield shapes.factor(0, shapes.results[0][0], REPLICATED, blocked=True)


def eigh(shapes: Shapes) -> Factors:
    """`([b, i, j])->([b, i, j], [b, j])`: eigenvectors, and eigenvalues."""
    *batch, rows, columns = shapes.operands[0]
    for dim, size in enumerate(batch):
        yield shapes.factor(dim, size)
    row_dim, column_dim = len(batch), len(batch) + 1
    yield Factor((row_dim,), (row_dim, None), rows)
    yield Factor((column_dim,), (column_dim, row_dim), columns)


def qr(shapes: Shapes) -> Factors:
    """`([b, i, j])->([b, i, j], [b, k]) need_replication={i, j, k}`: the factors of reflectors are as many as those."""
    *batch, rows, columns = shapes.operands[0]
    for dim, size in enumerate(batch):
        yield shapes.factor(dim, size)
    row_dim, column_dim = len(batch), len(batch) + 1
    yield Factor((row_dim,), (row_dim, None), rows, REPLICATED)
    yield Factor((column_dim,), (column_dim, None), columns, REPLICATED)
    yield Factor((None,), (None, row_dim), shapes.results[1][row_dim], REPLICATED)


def householder_product(shapes: Shapes) -> Factors:
    """`([b, i, j], [b, k])->([b, i, j]) need_replication={i, j, k}`: the inverse of `qr`."""
    *batch, rows, columns = shapes.operands[0]
    for dim, size in enumerate(batch):
        yield shapes.factor(dim, size)
    row_dim, column_dim = len(batch), len(batch) + 1
    yield Factor((row_dim, None), (row_dim,), rows, REPLICATED)
    yield Factor((column_dim, None), (column_dim,), columns, REPLICATED)
    yield Factor((None, row_dim), (None,), shapes.operands[1][row_dim], REPLICATED)


def top_k(shapes: Shapes) -> Factors:
    """`([i, j])->([i, j], [i, j]) need_replication={j} blocked_propagation={j}`: values and their indices."""
    return pointwise_but_for_mismatch(shapes, shapes.operands[0], shapes.results[0], REPLICATED, blocked=True)


def approximate_top_k(shapes: Shapes) -> Factors:
    """`([i, j], [i, j], [], [])->([i, k], [i, k]) need_replication={k} blocked_propagation={k}`: from each shard."""
    for dim, (size, kept) in enumerate(zip(shapes.operands[0], shapes.results[0], strict=True)):
        if size == kept:
            yield shapes.factor(dim, size)
        else:
            yield Factor(shapes.in_operands(dim), shapes.nowhere_in_results, size)
            yield Factor(shapes.nowhere_in_operands, shapes.in_results(dim), kept, REPLICATED, blocked=True)


WITHOUT_RULE = frozenset(
    {
        "sdy_testonly",
        "tpu_custom_call",
        "xla.debug.Log",
        *PYTHON_CALLBACKS,
    }
)
"""Calls of code outside the compiler."""

POINTWISE = (
    *("annotate_device_placement", "Cholesky", "CompactWyHelper", "InspectSharding"),
    *("InvertDiagBlocksLowerTriangular", "InvertDiagBlocksUpperTriangular", "LayoutConstraint", "mhlo.erf"),
    *("MoveToDevice", "MoveToHost", "X64Combine", "X64SplitHigh", "X64SplitLow", "xla.megascale.provide_metadata"),
    *("_SPMDInternalOp_MultiPad", "_SPMDInternalOp_MultiRotate", "_SPMDInternalOp_MultiSlice"),
    *("_SPMDInternalOp_RotateRight", "_SPMDInternalOp_Wrap"),
)

CALLS: Mapping[str, Callable[[Shapes], Factors]] = {
    **dict.fromkeys(POINTWISE, pointwise),
    "ApproxTopK": approximate_top_k,
    "Eigh": eigh,
    "PartialReduce": approximate_top_k,
    "ProductOfElementaryHouseholderReflectors": householder_product,
    "Qr": qr,
    "QrDecompositionBlock": qr,
    "mhlo.topk": top_k,
}


def _call(op: CustomCallOp) -> CustomCall:
    return CustomCall(
        op.call_target_name.data,
        bool(op.operands and op.results) and isinstance(op.results[0].type, ShapedType),
        any(isinstance(use.operation, RngBitGeneratorOp) for result in op.results for use in result.uses),
    )


RULES: Mapping[type[Operation], Row] = {CustomCallOp: Row(custom_call, _call)}
