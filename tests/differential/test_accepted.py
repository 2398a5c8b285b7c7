"""Which texts are read and verified: the same as by the MLIR in jaxlib, but for what `docs/syntax.md` lists."""

import pytest
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir

from xshardy.tools.xshardy_opt import run

MESH = 'sdy.mesh @mesh = <["x"=2]>\n'

TEXTS = {
    "nothing": "",
    "a comment": "// nothing but a comment\n",
    "an empty module": "module {}",
    "a public declaration": "func.func @f(i32)",
    "a declaration that says public": "func.func public @f(i32)",
    "a private declaration": "func.func private @f(i32)",
    "a nested declaration": "func.func nested @f(i32)",
    "attributes in the place of a body": "func.func @f() attributes {} ",
    "an argument attribute without dialect": "func.func private @f(i32 {mine = 1 : i32})",
    "a result attribute without dialect": "func.func private @f() -> (i32 {mine = 1 : i32})",
    "an argument attribute of a dialect": "func.func private @f(i32 {jax.mine = 1 : i32})",
    "an attribute of the function without dialect": "func.func private @f() attributes {mine = 1 : i32}",
    "an attribute twice": "module attributes {a = 1 : i32, a = 2 : i32} {}",
    "two functions of one name": "func.func private @f()\nfunc.func private @f()",
    "a call of nothing": "func.func @f() {\n  func.call @g() : () -> ()\n  return\n}",
    "a call of another type": ("func.func private @g(i32)\nfunc.func @f() {\n  func.call @g() : () -> ()\n  return\n}"),
    "a return of another type": "func.func @f(%x: i32) -> f32 {\n  return %x : i32\n}",
    "no return": "func.func @f(%x: i32) {\n  %0 = arith.addi %x, %x : i32\n}",
    "operations after a return": "func.func @f() {\n  return\n  return\n}",
    "a use before the definition": (
        "func.func @f() {\n  %0 = arith.negf %1 : f32\n  %1 = arith.negf %0 : f32\n  return\n}"
    ),
    "a branch that yields nothing": (
        "func.func @f(%c: i1) {\n  %0 = scf.if %c -> i1 {\n  } else {\n    scf.yield %c : i1\n  }\n  return\n}"
    ),
    "results without else": (
        "func.func @f(%c: i1) {\n  %0 = scf.if %c -> i1 {\n    scf.yield %c : i1\n  }\n  return\n}"
    ),
    "a value of a function around": "func.func @f(%x: i32) {\n  builtin.module {\n    func.func @g() {\n      "
    "%0 = arith.addi %x, %x : i32\n      return\n    }\n  }\n  return\n}",
    "a function in a function": "func.func @f() {\n  func.func private @g()\n  return\n}",
    "a module in a module": "module {\n  module {\n    func.func private @g()\n  }\n}",
    "a short name of a module in a function": "func.func @f() {\n  module {\n  }\n  return\n}",
    "a short name of a cast in a function": (
        "func.func @f(%x: i1) {\n  %0 = unrealized_conversion_cast %x : i1 to i32\n  return\n}"
    ),
    "a function in a module in a function": (
        "func.func @f() {\n  builtin.module {\n    func.func private @g()\n  }\n  return\n}"
    ),
    **{
        f"the attribute {value}": f"module attributes {{jax.a = {value}}} {{}}"
        for value in (
            *(
                "7 : i32",
                "7 : f32",
                "-0 : f32",
                "7. : f32",
                "-7.0 : bf16",
                "- 7.0",
                "-true",
                "7.0 : i32",
                "7.0 : index",
            ),
            *("0x7F : f32", "-0x7F : f32", "0x1FF : f8E4M3FN", "0xFF : f8E4M3FN", "70000.0 : f16", "1.0e300 : f32"),
            *("array<f32: 1.0, -2.5>", "array<f32: 1>", "array<f16: 70000.0>", "array<f32: 0x7FC00000>", "array<f32>"),
            *("array<f32: -0x1>", "array<f16: 0x10000>", "array<i8: 0xFF>", "array<i8: 1.0>", "array<i1: true>"),
            *("dense<7> : tensor<1xf32>", "dense<7.0> : tensor<1xf32>"),
        )
    },
    "a constant that is no float": "func.func @f() {\n  %0 = arith.constant 1 : f32\n  return\n}",
    "an empty list of device ids": "sdy.mesh @m = <[], device_ids=[]>",
    "a mesh of one device": "sdy.mesh @m = <[], device_ids=[3]>",
    "an unknown mesh": "func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@nobody, [{}]>})",
    "a sharding of another rank": (
        f"{MESH}func.func private @f(tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{}}]>}})"
    ),
    "an empty list of replicated axes": (
        f"{MESH}func.func private @f(tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}], replicated={{}}>}})"
    ),
    "an empty list of unreduced axes": (
        f"{MESH}func.func private @f(tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}], unreduced={{}}>}})"
    ),
    "a dimension sharding": (f'{MESH}func.func private @f() attributes {{jax.a = #sdy<dimension_sharding{{"x"}}>}}'),
    "a mesh twice": MESH + MESH,
    "a mesh axis of size 0": 'sdy.mesh @mesh = <["x"=0]>',
}


def jaxlib_accepts(text: str) -> bool:
    with make_ir_context():
        try:
            return ir.Module.parse(text).operation.verify()
        except ir.MLIRError:
            return False


@pytest.mark.parametrize("what", TEXTS)
def test_both_accept_it_or_none_does(what: str):
    status, _, complaint = run([], TEXTS[what])
    assert status in (0, 1)
    assert (status == 0) == jaxlib_accepts(TEXTS[what]), complaint
