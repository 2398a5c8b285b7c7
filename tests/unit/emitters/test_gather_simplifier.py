"""A simplified gather has the result of the gather, and can be emitted. Row XGPU-51."""

import numpy as np
import pytest
from test_operations_numerics import GATHERS, check, computation_of, main
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.stablehlo.gather import GatherOp
from xshardy.interpreters.stablehlo import evaluate
from xshardy.transforms.hlo.gather_simplifier import GatherSimplifierPass, is_simple
from xshardy.universe import new_context


@pytest.mark.parametrize("name", GATHERS)
def test_simplified_gathers_give_the_same(name: str):
    operand, indices, result, numbers, sizes = GATHERS[name]
    operation = (
        f'"stablehlo.gather"({{0}}, {{1}}) <{{{{dimension_numbers = #stablehlo.gather<{numbers}>, '
        f"slice_sizes = array<i64: {sizes}>}}}}> : ({{types}}) -> {{result}}"
    )
    computation = computation_of(main(operation, [f"{operand}f32", f"{indices}i32"], f"{result}f32"))
    rng = np.random.default_rng(0)
    shapes = [argument.type.get_shape() for argument in computation.body.block.args]
    inputs = [rng.normal(size=shapes[0]).astype(np.float32), rng.integers(-2, 9, shapes[1]).astype(np.int32)]
    (expected,) = evaluate(computation, inputs)
    module = computation.parent_op()
    assert isinstance(module, ModuleOp)
    GatherSimplifierPass().apply(new_context(), module)
    module.verify()
    assert all(is_simple(op) for op in module.walk() if isinstance(op, GatherOp))
    assert (evaluate(computation, inputs)[0] == expected).all()
    check(str(module))
