"""
Reductions whose results depend on the order of their steps, found by evaluating their reducers on sample values.

HLO leaves the order of a reduction open, and how often the initial value takes part. The result is defined only if the
reducer is associative and commutative, and if the initial value combined with itself is itself: 0 for a sum, but also
0 for a maximum. Updates of one element by a scatter come in any order too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import prod

import numpy as np
from xdsl.dialects import func
from xdsl.ir import Block, Operation

from xshardy.dialects import stablehlo
from xshardy.interpreters.calls import called_function
from xshardy.interpreters.reducers import is_associative, is_commutative, is_idempotent, updates_commute
from xshardy.interpreters.stablehlo.evaluator import RULES
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.reductions import converted_to
from xshardy.interpreters.stablehlo.rules import Results, Rule
from xshardy.interpreters.stablehlo.scatter import index_vectors, windows
from xshardy.numerics.element_types import Array

NOT_ASSOCIATIVE = "the reducer is not associative"
NOT_COMMUTATIVE = "the reducer is not commutative"
NO_IDENTITY = "the initial value is not an identity of the reducer"
NOT_UNIQUE = "indices that are declared unique repeat"
NOT_SORTED = "indices that are declared sorted are not"
UPDATES_IN_ORDER = "several updates of one element, which do not commute"


class ReductionOrder:
    """The rules of an evaluation that also finds the operations whose results depend on the order of their steps."""

    def __init__(self):
        self.reasons: dict[Operation, str] = {}
        """Why the result of an operation depends on the order. Only operations whose result does."""
        self.rules: Mapping[type[Operation], Rule] = {
            **RULES,
            stablehlo.ReduceOp: self._watched(RULES[stablehlo.ReduceOp], reduction_reason),
            stablehlo.ReduceWindowOp: self._watched(RULES[stablehlo.ReduceWindowOp], reduction_reason),
            stablehlo.ScatterOp: self._watched(RULES[stablehlo.ScatterOp], scatter_reason),
        }

    def _watched(self, rule: Rule, reason: Callable[..., str | None]) -> Rule:
        def rule_with_check(evaluator: Evaluator, op: Operation, *operands: Array) -> Results:
            if op not in self.reasons and (found := reason(evaluator, op, operands)) is not None:
                self.reasons[op] = found
            return rule(evaluator, op, *operands)

        return rule_with_check

    def reasons_of_results(self, computation: func.FuncOp) -> Mapping[int, str]:
        """The results of `computation`, by number, that read an operation whose result depends on the order."""
        last = computation.body.block.last_op
        assert last is not None
        found: dict[int, str] = {}
        numbers = 0
        for operand in last.operands:
            count = 1
            if isinstance(operand.owner, stablehlo.TupleOp):
                parts = [self._reason_behind([part.owner]) for part in operand.owner.operands]
                count = len(parts)
            else:
                parts = [self._reason_behind([operand.owner])]
            found |= {numbers + i: reason for i, reason in enumerate(parts) if reason is not None}
            numbers += count
        return found

    def _reason_behind(self, owners: Sequence[Operation | Block]) -> str | None:
        """The reason of an operation among `owners` and those that they read, with the name of its result."""
        pending = [owner for owner in owners if isinstance(owner, Operation)]
        seen: set[Operation] = set()
        while pending:
            op = pending.pop()
            if op in seen:
                continue
            seen.add(op)
            if op in self.reasons:
                return f"%{op.results[0].name_hint or op.name}: {self.reasons[op]}"
            inner = [*op.walk()][1:]
            if (callee := called_function(op)) is not None:
                inner += callee.body.walk()
            pending += inner
            pending += [operand.owner for operand in op.operands if isinstance(operand.owner, Operation)]
        return None


# -- Reasons ----------------------------------------------------------------------------------------------------------


def reduction_reason(
    evaluator: Evaluator, op: stablehlo.ReduceOp | stablehlo.ReduceWindowOp, operands: Sequence[Array]
) -> str | None:
    """Why the result of a reduction depends on the order of its steps; None if it does not."""
    body, count = op.body.block, len(op.inputs)
    if not is_associative(body):
        return NOT_ASSOCIATIVE
    if not is_commutative(body):
        return NOT_COMMUTATIVE
    _, inits = converted_to(body, operands[:count], operands[count:])
    return None if is_idempotent(body, inits) else NO_IDENTITY


def scatter_reason(evaluator: Evaluator, op: stablehlo.ScatterOp, operands: Sequence[Array]) -> str | None:
    """Why the result of a scatter depends on the order of its updates, for these indices; None if it does not."""
    count = len(op.inputs)
    indices, shape = operands[count], operands[0].shape
    dims = op.scatter_dimension_numbers.dims
    vectors = index_vectors(dims, indices)
    if op.indices_are_sorted and op.indices_are_sorted.value.data and not in_order(vectors, [*dims.batch_of.values()]):
        return NOT_SORTED
    is_unique = bool(op.unique_indices and op.unique_indices.value.data)
    if not is_unique and updates_commute(op):
        return None
    updated = np.zeros(shape, np.bool_)
    updates = operands[count + 1 :]
    by_window: dict[tuple[int, ...], list[bytes]] = {}
    for where, chosen in windows(op, shape, indices, updates[0].shape):
        start, new = tuple(part.start for part in where), [update[chosen].tobytes() for update in updates]
        if updated[where].any() and by_window.get(start) != new:  # equal updates commute
            return NOT_UNIQUE if is_unique else UPDATES_IN_ORDER
        updated[where] = True
        by_window[start] = new
    return None


def in_order(vectors: Array, batching: Sequence[int]) -> bool:
    """Whether the index vectors, along the last dimension, are in lexicographic order, for each batch its own."""
    by_batch = np.moveaxis(vectors, batching, range(len(batching)))
    batches, inner = by_batch.shape[: len(batching)], by_batch.shape[len(batching) : -1]
    rows = by_batch.reshape(prod(batches), prod(inner), vectors.shape[-1]).tolist()
    return all(first <= second for of_batch in rows for first, second in pairwise(of_batch))
