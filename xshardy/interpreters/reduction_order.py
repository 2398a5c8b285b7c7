"""
Reductions whose results depend on the order of their steps, found by evaluating their reducers on sample values.

HLO leaves the order of a reduction open, and how often the initial value takes part. The result is defined only if the
reducer is associative and commutative, and if the initial value combined with itself is itself: 0 for a sum, but also
0 for a maximum. Updates of one element by a scatter come in any order too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from xdsl.dialects import func
from xdsl.ir import Block, Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.symbols import function_called
from xshardy.interpreters.check import distance
from xshardy.interpreters.element_types import KINDS, Array, DType, Kind, float_info, numpy_dtype
from xshardy.interpreters.inputs import plain_floats, random_integers, random_preds
from xshardy.interpreters.stablehlo.evaluator import RULES
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.reductions import converted_to
from xshardy.interpreters.stablehlo.rules import Results, Rule
from xshardy.interpreters.stablehlo.scatter import index_vectors, windows

SAMPLES = 64
"""The number of triples of values for which a reducer is evaluated."""

EXCEPTIONS = SAMPLES // 16
"""The number of triples that may differ by more than rounding: some are ill-conditioned."""

UNITS = 8
"""The rounding errors of a reducer, in units in the last place of the largest number around."""

NOT_ASSOCIATIVE = "the reducer is not associative"
NOT_COMMUTATIVE = "the reducer is not commutative"
NO_IDENTITY = "the initial value is not an identity of the reducer"
NOT_UNIQUE = "indices that are declared unique repeat"
NOT_SORTED = "indices that are declared sorted are not"
UPDATES_IN_ORDER = "several updates of one element, which do not commute"

Combine = Callable[[Sequence[Array], Sequence[Array]], Sequence[Array]]


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


def called_function(op: Operation) -> func.FuncOp | None:
    """The function that `op` calls, if it is a call."""
    if isinstance(op, hlo.FusionOp):
        return op.callee_function()
    if not isinstance(op, func.CallOp):
        return None
    return function_called(op, op.callee)


# -- Reasons ----------------------------------------------------------------------------------------------------------


def reduction_reason(
    evaluator: Evaluator, op: stablehlo.ReduceOp | stablehlo.ReduceWindowOp, operands: Sequence[Array]
) -> str | None:
    """Why the result of a reduction depends on the order of its steps; None if it does not."""
    body, count = op.body.block, len(op.inputs)
    combine = reducer(evaluator, body)
    a, b, c = (samples(body, number) for number in range(3))
    ab, bc = combine(a, b), combine(b, c)
    if differ(combine(ab, c), combine(a, bc), [*a, *b, *c, *ab, *bc]):
        return NOT_ASSOCIATIVE
    if differ(ab, combine(b, a), [*a, *b, *ab]):
        return NOT_COMMUTATIVE
    _, inits = converted_to(body, operands[:count], operands[count:])
    starts = [np.broadcast_to(init, SAMPLES) for init in inits]
    return NO_IDENTITY if differ(combine(starts, starts), starts, starts) else None


def scatter_reason(evaluator: Evaluator, op: stablehlo.ScatterOp, operands: Sequence[Array]) -> str | None:
    """Why the result of a scatter depends on the order of its updates, for these indices; None if it does not."""
    count = len(op.inputs)
    indices, shape = operands[count], operands[0].shape
    if op.indices_are_sorted and op.indices_are_sorted.value.data and not in_order(index_vectors(op, indices)):
        return NOT_SORTED
    body = op.update_computation.block
    is_unique = bool(op.unique_indices and op.unique_indices.value.data)
    if not is_unique:
        combine = reducer(evaluator, body)
        x, a, b = (samples(body, number) for number in range(3))
        ab, ba = combine(combine(x, a), b), combine(combine(x, b), a)
        if not differ(ab, ba, [*x, *a, *b, *ab, *ba]):
            return None
    updated = np.zeros(shape, np.bool_)
    for where, _ in windows(op, shape, indices, operands[count + 1].shape):
        if updated[where].any():
            return NOT_UNIQUE if is_unique else UPDATES_IN_ORDER
        updated[where] = True
    return None


def in_order(vectors: Array) -> bool:
    """Whether the index vectors, along the last dimension, are in lexicographic order."""
    rows = vectors.reshape(-1, vectors.shape[-1]).tolist()
    return all(first <= second for first, second in pairwise(rows))


# -- Evaluation of reducers -------------------------------------------------------------------------------------------


def reducer(evaluator: Evaluator, body: Block) -> Combine:
    def combine(left: Sequence[Array], right: Sequence[Array]) -> Sequence[Array]:
        values = evaluator.run(body, [*left, *right], elementwise=True)
        return [np.broadcast_to(np.asarray(value), SAMPLES) for value in values if not isinstance(value, tuple)]

    return combine


def samples(body: Block, seed: int) -> list[Array]:
    """Values for the left arguments of a reducer: half of them small integers, so that some are equal."""
    rng = np.random.default_rng(seed)
    half = SAMPLES // 2
    found: list[Array] = []
    for argument in body.args[: len(body.args) // 2]:
        dtype = numpy_dtype(argument.type)
        small = rng.integers(0 if KINDS[dtype] is Kind.PRED else -2, 2, half)
        if KINDS[dtype] is Kind.INTEGER and dtype not in (np.dtype(np.bool_),):
            small = np.abs(small)
        found.append(np.concatenate([small.astype(dtype), ordinary(rng, half, dtype)]))
    return found


def ordinary(rng: np.random.Generator, size: int, dtype: DType) -> Array:
    """Numbers without infinities and NaN."""
    match KINDS[dtype]:
        case Kind.PRED:
            return random_preds(rng, size, dtype)
        case Kind.INTEGER:
            return random_integers(rng, size, dtype)
        case Kind.FLOAT:
            return plain_floats(rng, size, dtype)
        case Kind.COMPLEX:
            return (rng.normal(0, 2, size) + 1j * rng.normal(0, 2, size)).astype(dtype)


def differ(actual: Sequence[Array], expected: Sequence[Array], around: Sequence[Array]) -> bool:
    """Whether more than `EXCEPTIONS` samples differ by more than the rounding of the numbers `around`."""
    wrong = np.zeros(SAMPLES, np.bool_)
    with np.errstate(all="ignore"):
        sizes = [np.abs(x.astype(np.complex128)) for x in around if KINDS[x.dtype] in (Kind.FLOAT, Kind.COMPLEX)]
        size = np.max([np.where(np.isfinite(x), x, 0) for x in sizes], axis=0) if sizes else np.zeros(SAMPLES)
        for x, y in zip(actual, expected, strict=True):
            allowed = 0.0
            if KINDS[x.dtype] in (Kind.FLOAT, Kind.COMPLEX):
                part = np.dtype(f"f{x.dtype.itemsize // 2}") if KINDS[x.dtype] is Kind.COMPLEX else x.dtype
                allowed = UNITS * float_info(part).epsilon * size
            wrong |= distance(x, y) > allowed
    return int(wrong.sum()) > EXCEPTIONS
