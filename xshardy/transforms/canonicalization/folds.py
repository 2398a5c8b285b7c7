"""The folds of upstream's dialects. Those of a dialect are loaded when one of its operations is looked at."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

from xdsl.ir import Attribute, Operation, SSAValue

Fold: TypeAlias = Callable[[Any, Sequence[Attribute | None]], SSAValue | Attribute | None]
"""
What an operation with one result is equal to, given it and the attributes of its operands that are constants.

The answer is a value, or the attribute of a constant; None: nothing simpler is known.
"""

HOMES: Mapping[str, Sequence[str]] = {
    "arith": ("arith_integers", "arith_floats", "arith_patterns"),
    "complex": ("containers",),
    "math": ("arith_floats",),
    "tensor": ("containers",),
    "vector": ("containers",),
}
"""The modules beside this one with the folds of each dialect: the table `FOLDS` of each."""


@cache
def fold_of(op_type: type[Operation]) -> Fold | None:
    """The fold of the operations of a class; None if it has none here."""
    return _folds(op_type.name.partition(".")[0]).get(op_type)


@cache
def _folds(dialect: str) -> Mapping[type[Operation], Fold]:
    if dialect not in HOMES:
        return {}
    from xshardy.dialects.extensions.arith_elementwise import with_elementwise

    tables = (import_module(f"{__package__}.{home}").FOLDS for home in HOMES[dialect])
    return with_elementwise({op_type: fold for table in tables for op_type, fold in table.items()})
