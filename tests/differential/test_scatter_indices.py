"""The types of a scatter's indices: jaxlib's verifier takes more of them than XLA executes."""

import numpy as np
import pytest
from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir
from xdsl.utils.exceptions import DiagnosticException, VerifyException
from xla_cpu import run_on_xla

import xshardy
from xshardy.hlo_text import read_hlo
from xshardy.hlo_text.errors import HLOPrintError
from xshardy.numerics.element_types import numpy_dtype
from xshardy.transforms.hlo.to_opcodes import write_hlo
from xshardy.transforms.sdy.main_function import main_function

EXECUTED = ("i2", "i4", "i8", "i16", "i32", "i64", "ui2", "ui4", "ui8", "ui64", "si2", "si8", "si16", "si32", "si64")
REFUSED_BY_XLA = ("i1", "i3", "i7", "i24", "i128", "si1", "ui7", "index")
NO_INDICES = ("f32", "complex<f32>")


def scatter_at(type: str) -> str:
    return f"""func.func @main(%x: tensor<4x3xf32>, %i: tensor<3x1x{type}>, %u: tensor<3x3xf32>) -> tensor<4x3xf32> {{
  %0 = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }}) : (tensor<4x3xf32>, tensor<3x1x{type}>, tensor<3x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}}"""


@pytest.mark.parametrize("type", [*EXECUTED, *REFUSED_BY_XLA, *NO_INDICES])
def test_what_is_verified(type: str):
    text = scatter_at(type)
    if type in NO_INDICES:
        with make_ir_context(), pytest.raises(ir.MLIRError, match="must be ranked tensor of integer or index values"):
            ir.Module.parse(text)
        with pytest.raises(VerifyException, match="must be ranked tensor of integer or index values"):
            xshardy.parse(text)
    else:
        with make_ir_context():
            ir.Module.parse(text)
        again = xshardy.print_module(xshardy.parse(xshardy.print_module(xshardy.parse(text))))
        assert f"tensor<3x1x{type}>" in again


@pytest.mark.parametrize("type", EXECUTED)
def test_what_is_computed(type: str):
    """One index is inside, one is -1 or too large, one inside again: the evaluator, HLO text and kernels agree."""
    text = scatter_at(type)
    module = xshardy.parse(text)
    dtype = numpy_dtype(main_function(module).function_type.inputs.data[1])
    x, u = np.arange(12, dtype=np.float32).reshape(4, 3), np.arange(9, dtype=np.float32).reshape(3, 3)
    arguments = [x, np.array([[1], [3 if type == "ui2" else -1 % 8 if type == "ui4" else 0], [1]]).astype(dtype), u]
    if type not in ("ui2", "ui4"):
        arguments[1][1] = np.array(-1).astype(dtype)
    (expected,) = run_on_xla(text, arguments)
    from_hlo = read_hlo(write_hlo(module))
    for source, engine in ((text, "simulated"), (text, "kernels"), (from_hlo, "simulated")):
        (found,) = xshardy.run(source, arguments, on=engine).results
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("type", REFUSED_BY_XLA)
def test_what_xla_refuses_is_refused(type: str):
    text = scatter_at(type)
    with pytest.raises(Exception, match=r"Scatter indices parameter must be|Expected array argument for scatter indi"):
        run_on_xla(text, [])
    reason = f"XLA takes no indices of type {type}: convert them to i32|no numpy type holds {type}"
    for engine in ("simulated", "kernels"):
        with pytest.raises(DiagnosticException, match=reason):
            xshardy.run(text, on=engine)
    with pytest.raises(HLOPrintError, match=f"{reason}|HLO has no elements of type {type}"):
        write_hlo(xshardy.parse(text))
