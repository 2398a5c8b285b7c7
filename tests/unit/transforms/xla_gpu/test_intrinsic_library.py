"""XLA's library of functions: every function computes what its operation does, in both of its forms."""

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from xshardy import compiler
from xshardy.affine.spelling import Spelling, spelled
from xshardy.interpreters.simt import run_kernel
from xshardy.lowering.code_generators import compile_module
from xshardy.syntax import parse_module
from xshardy.transforms.xla_gpu.intrinsic_library import FUNCTIONS, SCALAR, Function, of_length
from xshardy.transforms.xla_gpu.lower_xla_intrinsic_lib import LinkXlaIntrinsicLibPass, LowerXlaIntrinsicLibPass
from xshardy.universe import new_context

DTYPES = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64), "bf16": np.dtype(ml_dtypes.bfloat16)}


def kernel(function: Function) -> ModuleOp:
    """A kernel of one thread that applies the operation of `function` to 16 floats, a vector at a time."""
    row, length = function.intrinsic, function.length or 1  # a vector of one element is a scalar
    source, result = row.argument.name, row.result.name
    argument_type, result_type = (of_length(type, length) for type in (row.argument, row.result))
    convert = f"to {result_type}" if source != result else ""
    steps = "\n".join(
        f"""%i{i} = arith.constant {i} : index
            %x{i} = vector.transfer_read %in[%i{i}], %zero {{in_bounds = [true]}} : tensor<16x{source}>, {argument_type}
            %y{i} = {row.operation.name} %x{i} : {argument_type} {convert}
            %out{i + length} = vector.transfer_write %y{i}, %out{i}[%i{i}] {{in_bounds = [true]}}
                : {result_type}, tensor<16x{result}>"""
        for i in range(0, 16, length)
    )
    return parse_module(
        f"""func.func @kernel(%in: tensor<16x{source}>, %out0: tensor<16x{result}>) -> tensor<16x{result}>
            attributes {{xla.entry, gpu.known_block_size = array<i32: 1, 1, 1>,
                         gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
          %zero = arith.constant 0.0 : {source}
          {steps}
          func.return %out16 : tensor<16x{result}>
        }}"""
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_library_agrees_with_the_operation(name: str):
    function = FUNCTIONS[name]
    values = np.linspace(0.1, 3.0, 16).astype(DTYPES[function.intrinsic.argument.name])
    arguments = [values, np.zeros(16, DTYPES[function.intrinsic.result.name])]
    (expected,) = run_kernel(kernel(function), [array.copy() for array in arguments])[-1:]

    module = kernel(function)
    with spelled(Spelling.AFFINE if name == "erf" else Spelling.SYMBOLIC):
        LowerXlaIntrinsicLibPass().apply(new_context(), module)
    assert f"call @{name}(" in str(module)
    assert function.intrinsic.operation.name not in str(module)
    LinkXlaIntrinsicLibPass().apply(new_context(), module)
    module.verify()
    (actual,) = run_kernel(module, [array.copy() for array in arguments])[-1:]
    assert actual.tobytes() == expected.tobytes()


def test_linked_functions_compile():
    scalars = [function for function in FUNCTIONS.values() if function.length == SCALAR]
    for function in scalars:
        module = kernel(function)
        for step in (LowerXlaIntrinsicLibPass(), LinkXlaIntrinsicLibPass()):
            step.apply(new_context(), module)
        compiler.lower(module, "llvm")
        assert ".entry kernel(" in compile_module(module).ptx
