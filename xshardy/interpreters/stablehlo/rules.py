"""
What the rules of the StableHLO interpreter have in common: the values they work on, and how an op is asked for its
meaning.
"""

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
"""`rule(evaluator, op, *operands)`: what the op gives; a single tensor as it is, several results as a sequence."""


def unsupported(op: Operation, why: str) -> InterpretationError:
    """An error that names the op and the reason."""
    return InterpretationError(f"{op.name}: {why}")
