"""Truncate shardings that need padding, where values enter or leave a function or a region."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from math import gcd
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.axis_refs import pre_size, sharded_size, size
from xshardy.dialects.sdy.collectives import Collective
from xshardy.dialects.sdy.interfaces import ShardingRuleOpInterface
from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.dialects.sdy.value_shardings import SHARDING, lookup_mesh
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.rewriting.walk import operations_below, operations_of
from xshardy.transforms.call_graph import functions_of, is_private
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.function_shardings import update_function_shardings
from xshardy.transforms.sdy.shardings import with_dimensions


def dividing_prefix(axes: Iterable[AxisRefAttr], extent: int, mesh: MeshAttr) -> list[AxisRefAttr]:
    """The longest prefix of `axes`, the last one split if needed, that divides a dimension of `extent` evenly."""
    prefix: list[AxisRefAttr] = []
    for axis in axes:
        common = gcd(size(axis, mesh), extent)
        if common != size(axis, mesh):
            if common > 1:
                prefix.append(AxisRefAttr.part(axis.axis.data, pre_size(axis), common))
            break
        prefix.append(axis)
        extent //= common
    return prefix


def evenly_sharded(sharding: TensorShardingAttr, type: Attribute, mesh: MeshAttr) -> TensorShardingAttr:
    """
    `sharding` of a value of `type`, truncated so that all parts have the same shape.

    As upstream, a dimension that loses axes loses its priority too. Without a static shape the sharding is returned as
    is.
    """
    if sharding.is_fully_replicated or not isinstance(type, ShapedType) or not type.has_static_shape():
        return sharding
    dims = list(sharding.dim_shardings)
    for index, (extent, dim) in enumerate(zip(type.get_shape(), dims, strict=True)):
        if extent % sharded_size(dim.axes, mesh):
            dims[index] = DimensionShardingAttr(dividing_prefix(dim.axes, extent, mesh), is_closed=bool(dim.is_closed))
    return sharding if dims == list(sharding.dim_shardings) else with_dimensions(sharding, dims)


def evenly_sharded_on(sharding: TensorShardingAttr, type: Attribute, op: Operation) -> TensorShardingAttr:
    """`evenly_sharded` over the mesh of `sharding`, an attribute of `op`; itself if there is no such mesh."""
    mesh = lookup_mesh(sharding, op)
    return sharding if mesh is None else evenly_sharded(sharding, type, mesh)


def each_evenly_sharded(
    per_value: TensorShardingPerValueAttr, types: Iterable[Attribute], op: Operation
) -> TensorShardingPerValueAttr:
    """`per_value`, an attribute of `op` for values of `types`, with each sharding truncated; itself if none changes."""
    shardings = [evenly_sharded_on(each, type, op) for each, type in zip(per_value.shardings, types, strict=False)]
    is_same = all(new is old for new, old in zip(shardings, per_value.shardings, strict=True))
    return per_value if is_same else TensorShardingPerValueAttr(shardings)


def padded_functions(module: ModuleOp) -> Collection[str]:
    """The private functions that are called: their callers are known, and can give and take padded tensors."""
    called = {call.callee.string_value() for call in operations_of(module, CallOp)}
    functions = functions_of(module)
    return {name for name in called & functions.keys() if is_private(functions[name]) and functions[name].body.blocks}


@dataclass(frozen=True)
class CutSignature(RewritePattern):
    """`func @f(%x: tensor<3xf32> {sdy.sharding = [{"x"}]})` -> `func @f(%x: tensor<3xf32> {sdy.sharding = [{}]})`"""

    padded: Collection[str]
    """The functions whose signatures stay."""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        if op.sym_name.data in self.padded:
            return
        if update_function_shardings(op, lambda sharding, type: evenly_sharded_on(sharding, type, op)):
            rewriter.notify_op_modified(op)


class CutManualComputation(RewritePattern):
    """`manual_computation(x) in=[[{"x"}]] out=[[{"x"}]]` -> `manual_computation(x) in=[[{}]] out=[[{}]]`"""

    @match_op_type
    def match_and_rewrite(self, op: ManualComputationOp, rewriter: PatternRewriter, /) -> None:
        before = op.in_shardings, op.out_shardings
        after = (
            each_evenly_sharded(op.in_shardings, op.operand_types, op),
            each_evenly_sharded(op.out_shardings, op.result_types, op),
        )
        if after[0] is not before[0] or after[1] is not before[1]:
            op.in_shardings, op.out_shardings = after
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class CutResults(RewritePattern):
    """`%0 = call @f() {[{"x"}]} : tensor<3xf32>` -> `%0 = call @f() {[{}]} : tensor<3xf32>`"""

    padded: Collection[str]
    """The functions whose calls stay."""

    @match_op_type
    def match_and_rewrite(self, op: CallOp | ShardingRuleOpInterface, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, ShardingRuleOpInterface) and not op.keep_output_shardings_divisible:
            return
        if isinstance(op, CallOp) and op.callee.string_value() in self.padded:
            return
        shardings = op.attributes.get(SHARDING)
        if isinstance(shardings, TensorShardingPerValueAttr):
            cut = each_evenly_sharded(shardings, op.result_types, op)
            if cut is not shardings:
                op.attributes[SHARDING] = cut
                rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class UpdateNonDivisibleInputOutputShardingsPass(PatternPass):
    """
    Truncate shardings that do not divide their tensor evenly, so that no tensor needs padding.

    This applies to arguments and results of functions, results of calls, operands and results of manual computations,
    and results of operations that declare so.

    With `pad_calls`, private functions and their calls keep their shardings, so that `sdy-pad-for-divisibility` pads
    what they take and return.

    Raises `OperationFailedException` for a collective whose operand is truncated: it says how the operand was sharded.
    """

    name = "sdy-update-non-divisible-input-output-shardings"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-update-non-divisible-input-output-shardings'
    pad_calls: bool = False  # not an option upstream

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        padded = padded_functions(module) if self.pad_calls else ()
        return CutSignature(padded), CutManualComputation(), CutResults(padded)

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        yield Step(self.patterns(module), self.walk)
        verify_collectives(module)


def verify_collectives(module: ModuleOp) -> None:
    """Raises `OperationFailedException` if a collective does not fit the sharding of its operand."""
    for op in operations_below(module, Collective):
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            raise OperationFailedException(
                op,
                f"'{op.name}' op does not fit its operand, whose sharding is truncated because it does not divide "
                f"the operand evenly: {error}",
            ) from None
