"""The types of the rules of the StableHLO interpreter, and the values that they compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.ir import Operation
from xdsl.utils.exceptions import InterpretationError

from xshardy.numerics.element_types import Array

Value: TypeAlias = "Array | tuple[Value, ...]"
"""A tensor, or a tuple of values."""

Results: TypeAlias = "Array | Sequence[Value]"
Rule: TypeAlias = "Callable[..., Any]"
"""
`rule(evaluator, op, *operands)` returns `Results` of the op: a single value directly, several as a sequence.

A rule during which devices may meet returns the `Execution` that has these results, see `calls.py`.
"""


def listed(results: Results) -> Sequence[Value]:
    """The results of an op as a sequence. A scalar of numpy is an array here."""
    return [results] if isinstance(results, np.ndarray | np.generic) else results


def unsupported(op: Operation, why: str) -> InterpretationError:
    """An error that names the op and the reason."""
    return InterpretationError(f"{op.name}: {why}")
