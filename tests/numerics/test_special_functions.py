"""The functions of CHLO, which have no HLO opcode: kernels of StableHLO programs, at every kind of level."""

import pytest
from xdsl.parser import Parser

from xshardy import compiler
from xshardy.emitters import emit_fusion
from xshardy.tools.execution import execute_fusion
from xshardy.transforms.xla_gpu.codegen_pipeline import EMITTED, LEVELS

FLOATS = ("f64", "f32", "f16", "bf16", "f8E4M3FN")
FUNCTIONS = {
    **dict.fromkeys(["erfc", "erf_inv", "lgamma", "digamma"], FLOATS),
    **dict.fromkeys(["is_inf", "is_neg_inf", "is_pos_inf"], FLOATS),
    **dict.fromkeys(["square", "conj", "tan"], (*FLOATS, "complex<f32>")),
    "next_after": FLOATS[:-1],
}


def program(function: str, type: str) -> str:
    """A StableHLO program of one operation."""
    result = "i1" if function.startswith("is_") else type
    operand, target = f"tensor<999x{type}>", f"tensor<999x{result}>"
    types, operands = f"{operand} -> {target}", "%x"
    if function == "next_after":
        types, operands = f"{operand}, {operand} -> {target}", "%x, %y"
    arguments = ", ".join(f"{name}: {operand}" for name in operands.split(", "))
    return f"""func.func @main({arguments}) -> {target} {{
      %0 = chlo.{function} {operands} : {types}
      func.return %0 : {target}
    }}"""


@pytest.mark.parametrize(("function", "type"), [(name, type) for name in FUNCTIONS for type in FUNCTIONS[name]])
def test_functions(function: str, type: str):
    module = Parser(compiler.new_context(), program(function, type)).parse_module()
    (fusion,) = compiler.select_fusions(module)
    for output in execute_fusion(fusion, emit_fusion(fusion), [EMITTED, LEVELS[-1]], check=True):
        assert output.comparison, f"level {output.level}: {output.comparison}"
