"""Huge, deep and malformed StableHLO: one complaint with its place, at once, and never a traceback."""

import pytest

from xshardy.tools.xshardy_opt import run

pytestmark = pytest.mark.timeout(30)
"""Seconds. Each takes some tenths of one; those that grow faster than their text would not end in a day."""

MANY = 100_000
BEYOND_64_BITS = 2**70


def function(body: str, type: str = "tensor<8xf32>") -> str:
    return f"func.func @f(%x: {type}, %i: tensor<i32>) {{\n  {body}\n  return\n}}"


def attribute(text: str) -> str:
    return f"module attributes {{test.a = {text}}} {{}}"


REGION = '"stablehlo.case"(%i) ({ '
WRONG = {
    "nested tuples": (function("", "tuple<" * MANY + "tensor<f32>" + ">" * MANY), "nested too deeply"),
    "nested complex": (function("", "tensor<" + "complex<" * MANY + "f32" + ">" * MANY + ">"), "nested too deeply"),
    "nested function types": (function("", "(" * MANY + ")" * MANY), "nested too deeply"),
    "nested futures": (function("", "!stablehlo.future<" * MANY + ">" * MANY), "nested too deeply"),
    "nested regions": (function(REGION * MANY), "nested too deeply"),
    "regions not closed": (function(REGION * 50), "expected"),
    "nested literal": (function("%0 = stablehlo.constant dense<" + "[" * MANY + "]" * MANY), "nested too deeply"),
    "nested scales": (function("", "tensor<8x!quant.uniform<i8:f32:{0:1}, " + "{" * MANY), "nested too deeply"),
    "nested parentheses in a map": (attribute("affine_map<(d0) -> (" + "(" * MANY), "nested too deeply"),
    "nested parentheses in an indexing map": (
        attribute('#xla_gpu.indexing_map<"(d0) -> (' + "(" * MANY + '), domain: d0 in [0, 1]">'),
        "expected at most 200 operators and parentheses",
    ),
    "indexing map not closed": (attribute('#xla_gpu.indexing_map<"(d0) -> (d0'), "before closing string literal"),
    "dimension beyond 64 bits": (function("", f"tensor<{BEYOND_64_BITS}xf32>"), "invalid dimension"),
    "dimension of many digits": (function("", f"tensor<{'9' * MANY}xf32>"), "invalid dimension"),
    "width beyond 64 bits": (function("", f"tensor<8xi{BEYOND_64_BITS}>"), "limited to 16777215 bits"),
    "literal beyond its type": (
        function(f"%0 = stablehlo.constant dense<{BEYOND_64_BITS}> : tensor<i64>"),
        "out of range",
    ),
    "attribute beyond its type": (
        function(f"%0 = stablehlo.iota dim = {BEYOND_64_BITS} : tensor<8xf32>"),
        "",
    ),
    "dimension that is not there": (
        function(f"%0 = stablehlo.transpose %x, dims = [{BEYOND_64_BITS}] : (tensor<8xf32>) -> tensor<8xf32>"),
        "",
    ),
    "bounds beyond 64 bits": (
        function("", f"tensor<?xf32, #stablehlo.bounds<{BEYOND_64_BITS}>>"),
        "integer value too large",
    ),
    "many operands, no types": (function("%0 = stablehlo.concatenate " + "%x, " * MANY + "dim = 0"), "expected ':'"),
    "replica groups": (
        function(
            f'%0 = "stablehlo.all_gather"(%x) {{all_gather_dim = 0 : i64, replica_groups = dense<[[{BEYOND_64_BITS}]]> '
            ": tensor<1x1xi64>} : (tensor<8xf32>) -> tensor<8xf32>"
        ),
        "out of range",
    ),
    "string of many escapes": (attribute('"' + "\\" * (2 * MANY + 1)), ""),
    "alias of itself": ("#a = #a\nmodule {}", "undefined symbol alias"),
    "name of many letters": (function("stablehlo." + "a" * MANY), "is not registered"),
}


@pytest.mark.parametrize("text, complaint", WRONG.values(), ids=WRONG)
def test_one_complaint(text: str, complaint: str):
    status, out, err = run([], text)
    assert (status, out, err.count("error:")) == (1, "", 1), err[:300]
    assert "internal error" not in err
    assert complaint in err.splitlines()[0]
