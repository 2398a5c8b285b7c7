"""When an operation only needs the types of padded tensors: what it computes from padding is padding again."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import accumulate
from math import prod
from operator import mul

from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.sharding.factor_rule import FactorRule
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensor, PaddedTensors


def fits_rule(op: Operation, rule: FactorRule | None, tensors: PaddedTensors) -> bool:
    """
    Whether `op`, with this sharding rule, only needs padded types.

    Each padded dimension has to be a single factor, which passes through all tensors that have it, with the same
    padding.
    """
    if rule is None:
        return False
    sizes: dict[int, set[int]] = {}
    for tensor, mapping in _mapped(rule, tensors):
        for dim, factors in enumerate(mapping):
            is_single = len(factors) == 1 and factors[0] not in rule.special
            if dim in tensor.padded_dims and not is_single:
                return False
            for factor in factors:
                sizes.setdefault(factor, set()).add(tensor.padded[dim] if len(factors) == 1 else 0)
    padded = {
        factors[0]
        for tensor, mapping in _mapped(rule, tensors)
        for dim, factors in enumerate(mapping)
        if dim in tensor.padded_dims
    }
    return all(len(sizes[factor]) == 1 for factor in padded)


def _mapped(rule: FactorRule, tensors: PaddedTensors):
    """The operands and results, with the factors of their dimensions."""
    return (*zip(tensors.operands, rule.operands, strict=True), *zip(tensors.results, rule.results, strict=True))


def always(op: Operation, rule: FactorRule | None, tensors: PaddedTensors) -> bool:
    """An iota counts on into its padding."""
    return True


def never(op: Operation, rule: FactorRule | None, tensors: PaddedTensors) -> bool:
    """A generator draws other numbers for another shape; a collective moves padding between tensors."""
    return False


def sorts_no_padding(op: stablehlo.SortOp, rule: FactorRule | None, tensors: PaddedTensors) -> bool:
    (rank,) = {len(tensor.shape) for tensor in tensors.operands}
    dim = rank - 1 if op.dimension is None else op.dimension.value.data % rank
    return all(dim not in tensor.padded_dims for tensor in tensors.operands) and fits_rule(op, rule, tensors)


def joins_no_padding(op: stablehlo.ConcatenateOp, rule: FactorRule | None, tensors: PaddedTensors) -> bool:
    dim, joined = op.dimension.value.data, (*tensors.operands, *tensors.results)
    return all(dim not in tensor.padded_dims for tensor in joined) and fits_rule(op, rule, tensors)


def reverses_no_padding(op: stablehlo.ReverseOp, rule: FactorRule | None, tensors: PaddedTensors) -> bool:
    is_reversed = {*op.dimensions.get_values()} & {*tensors.operands[0].padded_dims}
    return not is_reversed and fits_rule(op, rule, tensors)


# -- Reshapes ---------------------------------------------------------------------------------------------------------


def _groups(tensor: PaddedTensor, cuts: Collection[int]) -> dict[int, list[int]]:
    """
    The dimensions of `tensor` between two of `cuts`, which are counts of elements: by the cut before them.

    Dimensions of size 1 are left out.
    """
    groups, count = defaultdict[int, list[int]](list), 1
    for dim, extent in enumerate(tensor.shape):
        if tensor.padded[dim] != 1:
            groups[max(cut for cut in cuts if cut <= count)].append(dim)
        count *= extent
    return groups


def _common_cuts(before: Sequence[int], after: Sequence[int]) -> set[int]:
    """The counts of elements of leading dimensions that both shapes have."""
    return {1} | ({*accumulate(before, mul)} & {*accumulate(after, mul)})


def reshapes_padding_alike(op: stablehlo.ReshapeOp, rule: FactorRule | None, tensors: PaddedTensors) -> bool:
    """
    Whether padding is at the end of the elements that are reshaped together, and as long on both sides.

    It is at the end if only the first dimension of them has padding: `reshape %a : tensor<14xf32> -> tensor<7x2xf32>`
    is then `reshape %a : tensor<16xf32> -> tensor<8x2xf32>`.
    """
    sides = (tensors.operands[0], tensors.results[0])
    if 0 in sides[0].shape:
        return False
    cuts = _common_cuts(sides[0].shape, sides[1].shape)
    groups = [_groups(side, cuts) for side in sides]
    for side, groups_of_side in zip(sides, groups, strict=True):
        if any(dim in side.padded_dims for dims in groups_of_side.values() for dim in dims[1:]):
            return False
    counts = [
        {cut: prod(side.padded[dim] for dim in dims) for cut, dims in groups_of_side.items()}
        for side, groups_of_side in zip(sides, groups, strict=True)
    ]
    return counts[0] == counts[1]
