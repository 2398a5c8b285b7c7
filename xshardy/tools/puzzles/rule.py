"""A puzzle about sharding rules: the operation is computed from parts, as each factor of a rule claims it can be."""

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import TensorType, f32
from xdsl.dialects.test import TestOp

from xshardy.numerics.element_types import Array
from xshardy.programs.source import Source
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.rules import ShardingRules
from xshardy.tools.puzzles.puzzle import Puzzle, StillWrong, require
from xshardy.tools.puzzles.python_answer import running

QUERIES, KEYS, WEIGHTS = (4, 6, 8), (4, 10, 8), (4, 6, 10)
"""Shapes of the operands and of the result: no two loops have the same size, and numpy broadcasts no half of one."""

FactorsByDim = Sequence[Sequence[int]]
"""The factors of each dimension of a tensor, major to minor."""


def scores(q: Array, k: Array) -> Array:
    """What the operation computes."""
    powers = np.exp(q @ k.swapaxes(1, 2))
    return powers / powers.sum(axis=2, keepdims=True)


def rule_is_true(answer: Source, puzzle: Puzzle) -> str:
    """Each factor that passes through or is reduced does so, and those of batches and queries pass through."""
    with running(answer, "ScoresOp") as operation:
        types = [TensorType(f32, shape) for shape in (QUERIES, KEYS, WEIGHTS)]
        op = operation.build(operands=TestOp(result_types=types[:2]).results, result_types=types[2:])
        rule = ShardingRules().factor_rule(op)
    require(rule is not None, "The operation has no rule: register one with register_rule.")
    assert rule is not None
    needed = {*rule.need_replication, *rule.permutation}
    for factor, size in enumerate(rule.sizes):
        if size > 1 and factor not in needed:
            _require_true(rule, factor)
    for dim, what in enumerate(("batch", "query")):
        divides = prod(rule.sizes[factor] for factor in rule.results[0][dim] if factor not in needed)
        require(
            divides == WEIGHTS[dim],
            f"The rule claims too little: two devices could each compute the weights of half of the {what} dimension, "
            f"and no factor that passes through walks dimension {dim} of the result.",
        )
    return "Devices may divide batches and queries, and need whole rows of products."


def _require_true(rule: FactorRule, factor: int) -> None:
    """Raise `StillWrong` if two devices that have half of a factor each do not compute what the rule claims."""
    is_sum = factor in rule.reduction
    rng = np.random.default_rng(0)
    operands = [rng.normal(size=shape) for shape in (QUERIES, KEYS)]
    result = scores(operands[0], operands[1])
    kind = "is a reduction" if is_sum else "passes through"
    claim = f"Factor {factor}, of size {rule.sizes[factor]}, {kind}: two devices have half of it each"
    parts: list[Array] = []
    for half in range(2):
        q, k = (_half(t, m, rule, factor, half) for t, m in zip(operands, rule.operands, strict=True))
        try:
            parts.append(scores(q, k))
        except ValueError:
            shapes = f"{list(q.shape)} of the queries and {list(k.shape)} of the keys"
            raise StillWrong(f"{claim}. One gets {shapes}, which do not fit together.") from None
    if is_sum:
        require(np.allclose(sum(parts), result), f"{claim}. The sum of what they compute is not the result.")
    for half, part in enumerate(parts if not is_sum else []):
        expected = _half(result, rule.results[0], rule, factor, half)
        require(
            part.shape == expected.shape and np.allclose(part, expected),
            f"{claim}. Device {half} should compute {list(expected.shape)} of the result, and computes something else: "
            "it lacks numbers that they depend on.",
        )


def _half(tensor: Array, mapping: FactorsByDim, rule: FactorRule, factor: int, half: int) -> Array:
    """The elements of a tensor at the first or second half of the places along a factor; all if it does not have it."""
    for dim, factors in enumerate(mapping):
        if factor in factors:
            minor = prod(rule.sizes[each] for each in factors[factors.index(factor) + 1 :])
            size = rule.sizes[factor]
            chosen = [place for place in range(tensor.shape[dim]) if (place // minor % size >= size // 2) == half]
            return tensor.take(chosen, dim)
    return tensor
