"""Whether a sharding rule fits the operation it stands on. Source: rows SDY-ATTR-06, SDY-ATTR-13 and SDY-ATTR-17."""

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects.builtin import ArrayAttr, ShapedType
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr, TensorMappingAttr, factor_symbol
from xshardy.dialects.sdy.verification import value_prefixes


def verify_sharding_rule(rule: OpShardingRuleAttr, op: Operation) -> None:
    """Check that `rule` maps every dimension of `op`, uses each factor, and lists its factor groups properly."""
    sizes = [size.data for size in rule.factor_sizes]
    in_operands = _verify_mappings(rule.operand_mappings, op.operand_types, sizes, "operand")
    in_results = _verify_mappings(rule.result_mappings, op.result_types, sizes, "result")
    for factor, size in enumerate(sizes):
        if factor not in in_operands | in_results:
            raise VerifyException(
                f"has factor {factor_symbol(factor)}={size} that isn't used in operand and result mappings"
            )
    groups = rule.groups
    exclusive = [factor for group, factors in groups.items() if group != "blocked_propagation" for factor in factors]
    for group, factors in groups.items():
        if group == "blocked_propagation" and len(set(exclusive)) != len(exclusive):
            break
        _verify_group(factors, len(sizes))
    if len(set(exclusive)) != len(exclusive):
        raise VerifyException(
            "a factor can only be in one of the reduction, need replication, or permutation factor sets"
        )
    if in_results.intersection(groups["reduction"]):
        raise VerifyException("reduction factor cannot be in result mappings")


def _verify_mappings(
    mappings: ArrayAttr[TensorMappingAttr], types: Sequence[Attribute], sizes: Sequence[int], what: str
) -> set[int]:
    """Check the mappings of all operands or all results; gives the factors that they use."""
    if len(mappings) != len(types):
        raise VerifyException(f"number of {what}s and mappings must match: {len(types)} != {len(mappings)}")
    if not mappings.data:
        raise VerifyException(
            f"number of {what}s mappings cannot be 0. Op sharding rules can only be defined on operations with at "
            "least one operand and result."
        )
    used: set[int] = set()
    for prefix, mapping, type in zip(value_prefixes(what, len(types)), mappings, types, strict=True):
        try:
            used |= _verify_mapping(mapping, type, sizes)
        except VerifyException as error:
            raise VerifyException(prefix + str(error)) from None
    return used


def _verify_mapping(mapping: TensorMappingAttr, type: Attribute, sizes: Sequence[int]) -> set[int]:
    if not isinstance(type, ShapedType) or not type.has_static_shape():
        raise VerifyException(f"expected a ranked tensor with a static shape. type: '{type}'")
    if mapping.rank != type.get_num_dims():
        raise VerifyException(f"mapping rank must match: {mapping.rank} != {type.get_num_dims()}")
    used: set[int] = set()
    for dimension in mapping.dim_mappings:
        factors = dimension.factors
        if not factors:
            raise VerifyException("dim mapping must have at least one factor")
        for factor in factors:
            if not 0 <= factor < len(sizes):
                raise VerifyException(
                    "expecting factor indices to be within 0<=...<num_factors; "
                    f"received: {factor}, num_factors: {len(sizes)}"
                )
            if factor in used:
                raise VerifyException("cannot reuse factors for the same tensor value")
            if sizes[factor] == 1 and len(factors) > 1:
                raise VerifyException("dim mapping can't have a factor of size 1 if there are multiple factors")
            used.add(factor)
    return used


def _verify_group(factors: Sequence[int], count: int) -> None:
    """Check that the factors of a group are sorted, distinct, and at least 0 and less than `count`."""
    if any(a > b for a, b in pairwise(factors)):
        raise VerifyException("indices of special factors must be sorted")
    if any(a == b for a, b in pairwise(factors)):
        raise VerifyException("indices of special factors must be unique")
    if factors and factors[0] < 0:
        raise VerifyException("index must be non-negative")
    if factors and factors[-1] >= count:
        raise VerifyException(f"index must be less than {count}, got: {factors[-1]}")
