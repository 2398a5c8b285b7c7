"""The types of the rules of the StableHLO interpreter, and the values that they compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.ir import Operation
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.element_types import Array

Value: TypeAlias = "Array | tuple[Value, ...]"
"""A tensor, or a tuple of values."""

Results: TypeAlias = "Array | Sequence[Value]"
Rule: TypeAlias = "Callable[..., Results]"
"""`rule(evaluator, op, *operands)` returns the results of the op: a single value directly, several as a sequence."""


def unsupported(op: Operation, why: str) -> InterpretationError:
    """An error that names the op and the reason."""
    return InterpretationError(f"{op.name}: {why}")
