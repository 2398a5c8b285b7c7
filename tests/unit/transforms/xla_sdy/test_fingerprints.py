"""Regions have equal fingerprints exactly if they compute the same, whatever their shardings are."""

import pytest
from xdsl.dialects.func import FuncOp

from xshardy.syntax import parse_module
from xshardy.transforms.xla_sdy.fingerprints import fingerprint

MESH = 'sdy.mesh @mesh = <["a"=2]>\n'
ON_A = '{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}'


def function(*lines: str, result: str = "tensor<8xf32>") -> FuncOp:
    """A function of `%x` and `%z` whose body has these lines."""
    body = "\n".join(lines)
    module = parse_module(f"{MESH}func.func @f(%x: tensor<8xf32>, %z: tensor<8xf32>) -> {result} {{\n{body}\n}}")
    (found,) = (op for op in module.ops if isinstance(op, FuncOp))
    return found


def manual(inside: str = '"a"', outside: str = '"a"', body: str = "negate") -> list[str]:
    return [
        f"%0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{{{inside}}}]>] "
        f"out_shardings=[<@mesh, [{{{outside}}}]>] manual_axes={{}} (%y: tensor<8xf32>) {{",
        f"  %1 = stablehlo.{body} %y : tensor<8xf32>",
        "  sdy.return %1 : tensor<8xf32>",
        "} : (tensor<8xf32>) -> tensor<8xf32>",
        "return %0 : tensor<8xf32>",
    ]


def branches(first: str, second: str) -> list[str]:
    return [
        "%c = arith.constant true",
        f"cf.cond_br %c, ^{first}, ^{second}",
        "^one:",
        "return %x : tensor<8xf32>",
        "^two:",
        "return %x : tensor<8xf32>",
    ]


def negated(attributes: str = "", op: str = "negate", operand: str = "%x") -> list[str]:
    return [f"%0 = stablehlo.{op} {operand} {attributes} : tensor<8xf32>", "return %0 : tensor<8xf32>"]


def compared(how: str) -> list[str]:
    return [
        f"%0 = stablehlo.compare {how}, %x, %z : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>",
        "return %x : tensor<8xf32>",
    ]


def moved(dim: str) -> list[str]:
    return [f"%0 = sdy.{dim} : tensor<8xf32>", "return %0 : tensor<8xf32>"]


def converted(type: str) -> list[str]:
    return [f"%0 = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8x{type}>", "return %x : tensor<8xf32>"]


SAME = {
    "names of values": (negated(), ["%name = stablehlo.negate %x : tensor<8xf32>", "return %name : tensor<8xf32>"]),
    "the sharding of a result": (negated(), negated(ON_A)),
    "the identity of blocks": (branches("one", "two"), branches("one", "two")),
    "the sharding inside": (manual(), manual(inside="")),
    "the sharding outside": (manual(), manual(outside="")),
    "the target of a reshard": (moved("reshard %x <@mesh, [{}]>"), moved('reshard %x <@mesh, [{"a"}]>')),
    "the result of a collective": (
        moved('all_gather [{"a"}] %x out_sharding=<@mesh, [{}]>'),
        moved('all_gather [{"a"}] %x out_sharding=<@mesh, [{?}]>'),
    ),
}
DIFFERENT = {
    "the operation": (negated(), negated(op="abs")),
    "the operand": (negated(), negated(operand="%z")),
    "an attribute": (negated(), negated("{note = 1 : i32}")),
    "the value of an attribute": (negated("{note = 2 : i32}"), negated("{note = 1 : i32}")),
    "a property": (compared("LT"), compared("GT")),
    "the type of a result": (converted("f64"), converted("f16")),
    "a region": (manual(), manual(body="abs")),
    "a successor": (branches("one", "two"), branches("two", "one")),
    "the axes of a collective": (
        moved('all_gather [{"a"}] %x out_sharding=<@mesh, [{}]>'),
        moved("all_gather [{}] %x out_sharding=<@mesh, [{}]>"),
    ),
    "the number of operations": (negated(), ["return %x : tensor<8xf32>"]),
}


@pytest.mark.parametrize("what", SAME)
def test_fingerprints_do_not_depend_on(what: str):
    one, other = (fingerprint(function(*lines).body) for lines in SAME[what])
    assert one == other and hash(one) == hash(other)


@pytest.mark.parametrize("what", DIFFERENT)
def test_fingerprints_depend_on(what: str):
    one, other = (fingerprint(function(*lines).body) for lines in DIFFERENT[what])
    assert one != other


def test_a_value_from_outside_is_itself():
    """Two regions that read the same value have equal fingerprints, two that read different ones have not."""

    def loop(operand: str) -> list[str]:
        return [
            "%c = arith.constant true",
            f"scf.if %c {{\n  %1 = stablehlo.negate {operand} : tensor<8xf32>\n}}",
            "scf.if %c {\n  %2 = stablehlo.negate %x : tensor<8xf32>\n}",
            "return %x : tensor<8xf32>",
        ]

    for operand in ("%x", "%z"):
        one, other = (op.regions[0] for op in function(*loop(operand)).body.block.ops if op.regions)
        assert (fingerprint(one) == fingerprint(other)) == (operand == "%x")
