"""The reduction that combines the partial results of an operation, by the operation in its body."""

import pytest
from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.sharding.conflicts.reduction_kinds import reduction_kind
from xshardy.syntax import parse_module

SUM, MAX, MIN = ReductionOp.SUM, ReductionOp.MAX, ReductionOp.MIN

# The meaning of a reduction, not our table: of booleans, `or` is the maximum and `and` the minimum.
OF_NUMBERS = {"add": SUM, "maximum": MAX, "minimum": MIN, "multiply": None, "subtract": None}
OF_BITS = {"add": SUM, "maximum": MAX, "minimum": MIN, "multiply": None, "and": None, "or": None, "xor": None}
OF_BOOLEANS = {"add": MAX, "or": MAX, "maximum": MAX, "and": MIN, "multiply": MIN, "minimum": MIN, "xor": None}

CASES = [
    *(("f32", name, kind) for name, kind in OF_NUMBERS.items()),
    *(("i32", name, kind) for name, kind in OF_BITS.items()),
    *(("i1", name, kind) for name, kind in OF_BOOLEANS.items()),
]


def reduction(type: str, lines: str, results: str, count: int = 1) -> Operation:
    """A reduction of `count` inputs whose body has the arguments %a0, ... and %e0, ..., and these lines."""
    element = f"tensor<{type}>"
    inputs = [f"%x{i}" for i in range(count)]
    arguments = ", ".join(f"{name}: tensor<8x{type}>" for name in inputs)
    inits = [f"%i{i}" for i in range(count)]
    arguments += "".join(f", {name}: {element}" for name in inits)
    body = ", ".join(f"%{kind}{i}: {element}" for kind in "ae" for i in range(count))
    types = ", ".join([f"tensor<8x{type}>"] * count + [element] * count)
    of_results = ", ".join([element] * count)
    module = parse_module(
        f"func.func @f({arguments}) {{\n"
        f'  %0:{count} = "stablehlo.reduce"({", ".join(inputs + inits)}) <{{dimensions = array<i64: 0>}}> ({{\n'
        f"  ^bb0({body}):\n{lines}\n"
        f'    "stablehlo.return"({results}) : ({of_results}) -> ()\n'
        f"  }}) : ({types}) -> ({of_results})\n  return\n}}"
    )
    module.verify()
    return next(op for op in module.walk() if isinstance(op, ReduceOp))


def applied(name: str, type: str, operands: str = "%a0, %e0", result: str = "%r") -> str:
    return f"    {result} = stablehlo.{name} {operands} : tensor<{type}>"


@pytest.mark.parametrize(("type", "name", "kind"), CASES)
@pytest.mark.parametrize("operands", ["%a0, %e0", "%e0, %a0"])
def test_the_body_gives_the_kind(type: str, name: str, kind: ReductionOp | None, operands: str):
    assert reduction_kind(reduction(type, applied(name, type, operands), "%r")) is kind


@pytest.mark.parametrize(
    ("lines", "result"),
    [
        (applied("add", "f32", "%a0, %a0"), "%r"),
        (applied("add", "f32", "%e0, %e0"), "%r"),
        ("", "%a0"),
        ("", "%e0"),
        (applied("negate", "f32", "%e0"), "%r"),
        (applied("negate", "f32", "%e0", "%n") + "\n" + applied("add", "f32", "%a0, %n"), "%r"),
    ],
)
def test_other_bodies_have_no_kind(lines: str, result: str):
    assert reduction_kind(reduction("f32", lines, result)) is None


def of_two(first: str, second: str) -> Operation:
    return reduction("f32", f"{first}\n{second}", "%r, %s", count=2)


def test_all_inputs_have_the_same_kind():
    first = applied("add", "f32", "%a0, %e0")
    assert reduction_kind(of_two(first, applied("add", "f32", "%a1, %e1", "%s"))) is SUM
    assert reduction_kind(of_two(first, applied("maximum", "f32", "%a1, %e1", "%s"))) is None
    assert reduction_kind(of_two(first, applied("add", "f32", "%a0, %e1", "%s"))) is None
    assert reduction_kind(of_two(applied("add", "f32", "%a0, %e1"), applied("add", "f32", "%a1, %e0", "%s"))) is None


def test_operations_without_a_body_add():
    module = parse_module(
        "func.func @f(%x: tensor<8x8xf32>) {\n"
        "  %0 = stablehlo.dot %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n  return\n}"
    )
    assert [reduction_kind(op) for op in module.walk() if op.name == "stablehlo.dot"] == [SUM]
