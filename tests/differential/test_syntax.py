"""Our text against MLIR's own, by way of the MLIR inside jaxlib: what we print, it reads and prints the same."""

import random
from pathlib import Path

import pytest
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir
from xdsl.dialects.builtin import AnyFloat, bf16, f8E3M4, f8E4M3FN, f8E5M2, f16, f32, f64

from xshardy.syntax import parse_module, print_module
from xshardy.syntax.floats import float_text

SYNTAX_TESTS = Path(__file__).parents[1] / "filecheck" / "syntax"
UPSTREAM_DIALECTS_ONLY = ("attributes", "blocks", "elided_prefixes", "floats", "gpu", "llvm", "scf", "value_names")


@pytest.mark.parametrize("name", UPSTREAM_DIALECTS_ONLY)
def test_upstream_prints_the_same_text(name: str):
    ours = print_module(parse_module((SYNTAX_TESTS / f"{name}.mlir").read_text()))
    with make_ir_context() as context:
        context.allow_unregistered_dialects = True
        theirs = str(ir.Module.parse(ours))
    assert theirs.strip() == ours.strip()


@pytest.mark.parametrize("type", [f32, f64, f16, bf16, f8E4M3FN, f8E5M2, f8E3M4], ids=str)
def test_digits_of_floats(type: AnyFloat):
    generator = random.Random(0)
    with make_ir_context():
        for _ in range(300):
            value = generator.uniform(-10, 10) * generator.choice((1.0, 10.0 ** -generator.randint(0, 9)))
            bits = type.pack((value,))
            attribute = ir.Attribute.parse(f"0x{bits[::-1].hex()} : {type}")
            assert float_text(type.unpack(bits, 1)[0], type) == str(attribute).partition(" :")[0]
