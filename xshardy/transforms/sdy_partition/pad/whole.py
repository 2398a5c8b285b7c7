"""
Operations without a form on padded tensors: they get tensors without padding.

A dimension is gathered before the operation, and divided again after it, if its padding would change the result.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.collectives import AllGatherOp, AllSliceOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.rewriting import DecisionPattern
from xshardy.sharding.factor_rule import FactorRule
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensor, PaddedTensors
from xshardy.transforms.sdy_partition.pad.padding_code import PaddingCode, axes_in, replicated_in


def dims_to_gather(rule: FactorRule | None, tensors: PaddedTensors) -> list[set[int]]:
    """
    For each operand, then each result, the dimensions that are not divided while the operation runs.

    These are the padded ones, and those that share a factor with one of them. Without a rule, all dimensions are.
    """
    listed = (*tensors.operands, *tensors.results)
    if rule is None:
        return [{*range(len(tensor.shape))} for tensor in listed]
    mappings = (*rule.operands, *rule.results)
    found = [{*tensor.padded_dims} for tensor in listed]
    while True:
        factors = {
            factor for dims, mapping in zip(found, mappings, strict=True) for dim in dims for factor in mapping[dim]
        }
        after = [
            dims | {dim for dim, of_dim in enumerate(mapping) if factors & {*of_dim}}
            for dims, mapping in zip(found, mappings, strict=True)
        ]
        if after == found:
            return found
        found = after


@dataclass(frozen=True, slots=True)
class Whole:
    """The dimensions that are not divided while an operation runs."""

    tensors: PaddedTensors
    dims: Sequence[Collection[int]]
    """For each operand, then each result."""


def gathered(value: SSAValue, tensor: PaddedTensor, dims: Collection[int], code: PaddingCode) -> SSAValue:
    """`value`, a padded `tensor`, not divided in `dims`, and without padding there."""
    sharding = tensor.sharding
    divided = [dim for dim in dims if tensor.whole.axes(dim)]
    if sharding is None or not divided:
        return value
    between = replicated_in(sharding, divided)
    whole = code.insert(AllGatherOp(value, axes_in(sharding, divided), between))
    shape = [tensor.shape[dim] if dim in divided else extent for dim, extent in enumerate(tensor.padded)]
    return code.trimmed(whole, shape, between)


def divided(value: SSAValue, tensor: PaddedTensor, dims: Collection[int], code: PaddingCode) -> SSAValue:
    """The padded `tensor` of `value`, which is not divided in `dims`."""
    sharding = tensor.sharding
    if sharding is None or not any(tensor.whole.axes(dim) for dim in dims):
        return value
    padded = code.padded(value, tensor.padded, replicated_in(sharding, dims))
    return code.insert(AllSliceOp(padded, axes_in(sharding, dims), sharding))


class ComputeWhole(DecisionPattern[Operation, Whole]):
    """`reverse %a, dims = [0]` -> `all_slice (pad (reverse (slice (all_gather %a)), dims = [0]))`"""

    def rewrite(self, op: Operation, decision: Whole, rewriter: PatternRewriter, /) -> None:
        code, tensors = PaddingCode(rewriter), decision.tensors
        for index, (tensor, dims) in enumerate(zip(tensors.operands, decision.dims, strict=False)):
            op.operands[index] = gathered(op.operands[index], tensor, dims, code)
        of_results = list(zip(tensors.results, decision.dims[len(tensors.operands) :], strict=True))
        shapes = [
            [extent if dim in dims else tensor.padded[dim] for dim, extent in enumerate(tensor.shape)]
            for tensor, dims in of_results
        ]
        attributes = dict(op.attributes)
        if any(tensor.sharding for tensor in tensors.results):
            attributes[SHARDING] = TensorShardingPerValueAttr(
                replicated_in(tensor.sharding, dims) for tensor, dims in of_results if tensor.sharding is not None
            )
        whole = type(op).create(
            operands=op.operands,
            result_types=[
                TensorType(tensor_type(value).element_type, shape) if tensor.is_padded else value.type
                for value, (tensor, _), shape in zip(op.results, of_results, shapes, strict=True)
            ],
            properties=dict(op.properties),
            attributes=attributes,
            regions=[op.detach_region(region) for region in tuple(op.regions)],
        )
        code.insert(whole)
        values = [
            divided(value, tensor, dims, code) for value, (tensor, dims) in zip(whole.results, of_results, strict=True)
        ]
        code.replace(op, *values)
