"""
Every `x op c`, `c op x` and `x op x` that is `x`, `c` or a number for all `x` is found, and nothing else, for i3.

What holds for all `x` is found out by folding constants, which `test_arith_folds` compares with numpy.
"""

from collections.abc import Callable

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.transforms.canonicalization import arith_integers

WIDTH = 3
VALUES = range(-(1 << (WIDTH - 1)), 1 << (WIDTH - 1))
TYPE = IntegerType(WIDTH)

OPS = [op for op in arith_integers.FOLDS if issubclass(op, arith.SignlessIntegerBinaryOperation)]


def constant(value: int) -> IntegerAttr[IntegerType]:
    return IntegerAttr(value, TYPE)


def unknown(count: int) -> list[SSAValue]:
    return list(AnyOp(result_types=[TYPE] * count).results)


def computed(op: type[Operation], a: int, b: int) -> int | None:
    """`a op b`; None if it is undefined."""
    operands = unknown(2)
    result = folded(op, operands, [constant(a), constant(b)])
    return (a, b)[operands.index(result)] if isinstance(result, SSAValue) else result


def folded(op: type[Operation], operands: list[SSAValue], constants: list[Attribute | None]) -> SSAValue | int | None:
    result = arith_integers.FOLDS[op](op(*operands), constants)
    return result.value.data if isinstance(result, IntegerAttr) else result  # pyright: ignore


def meaning(compute: Callable[[int], int | None]) -> str | int | None:
    """What `compute(x)` is for all `x`: "x", a number, or neither. It may be undefined for some `x`: then neither."""
    table = {x: compute(x) for x in VALUES}
    if all(result == x for x, result in table.items()):
        return "x"
    return table[0] if len(set(table.values())) == 1 else None


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_identities(op: type[Operation]):
    x, y = unknown(2)
    missed: list[str] = []
    for c in VALUES:
        for side, operands, constants, compute in (
            ("x op c", [x, y], [None, constant(c)], lambda v, c=c: computed(op, v, c)),
            ("c op x", [y, x], [constant(c), None], lambda v, c=c: computed(op, c, v)),
        ):
            expected, found = meaning(compute), folded(op, operands, constants)
            found = "x" if found is x else c if found is y else found
            if found is None and expected is not None:
                missed.append(f"{side} {c}")
            elif found is not None:
                assert found == expected, (side, c)
    expected, found = meaning(lambda v: computed(op, v, v)), folded(op, [x, x], [None, None])
    found = "x" if found is x else found
    if found is None and expected is not None:
        missed.append("x op x")
    elif found is not None:
        assert found == expected
    assert missed == []
