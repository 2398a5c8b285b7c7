"""Index arithmetic gives the same numbers in integers, also through loops and branches."""

import numpy as np
from hypothesis import given
from hypothesis.strategies import DrawFn, composite, integers, lists, sampled_from, tuples
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType

from xshardy.interpreters.simt import run_kernel
from xshardy.syntax import parse_module
from xshardy.transforms.xla_gpu.convert_index_type import ConvertIndexTypePass
from xshardy.universe import new_context

OPS = ["addi", "muli", "subi", "divui", "remui"]


@composite
def kernels(draw: DrawFn) -> str:
    """Random arithmetic on the thread number, a constant and the counter of a loop; divisors are 3."""
    names = ["%th", "%c3", "%i"]
    lines: list[str] = []
    for n, (op, lhs, rhs) in enumerate(
        draw(lists(tuples(sampled_from(OPS), integers(0, 99), integers(0, 99)), min_size=1, max_size=6))
    ):
        divisor = "%c3" if op in ("divui", "remui") else names[rhs % len(names)]
        lines.append(f"%v{n} = arith.{op} {names[lhs % len(names)]}, {divisor} : index")
        names.append(f"%v{n}")
    return f"""
    func.func @kernel(%out: tensor<4xi64>) -> tensor<4xi64>
        attributes {{xla.entry, gpu.known_block_size = array<i32: 4, 1, 1>,
                     gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %th = gpu.thread_id x
      %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %c0) -> (index) {{
        {" ".join(lines)}
        %s = arith.addi %a, {names[-1]} : index
        scf.yield %s : index
      }}
      %n = arith.index_cast %r : index to i64
      %t = tensor.insert %n into %out[%th] : tensor<4xi64>
      func.return %t : tensor<4xi64>
    }}"""


@given(kernels())
def test_integers_give_the_same_numbers(text: str):
    module = parse_module(text)
    out = np.zeros(4, dtype=np.int64)
    expected = run_kernel(module, [out])
    ConvertIndexTypePass().apply(new_context(), module)
    module.verify()
    assert not any(isinstance(op, arith.AddiOp) and op.result.type == IndexType() for op in module.walk())
    np.testing.assert_array_equal(run_kernel(module, [out]), expected)


def test_an_integer_constant_after_an_index_constant_may_be_another_number():
    module = parse_module("""
    func.func @kernel(%out: tensor<4xi64>) -> tensor<4xi64>
        attributes {xla.entry, gpu.known_block_size = array<i32: 4, 1, 1>,
                    gpu.known_grid_size = array<i32: 1, 1, 1>} {
      %five = arith.constant 5 : index
      %seven = arith.constant 7 : i64
      %th = gpu.thread_id x
      %sum = arith.addi %th, %five : index
      %n = arith.index_cast %sum : index to i64
      %product = arith.muli %n, %seven : i64
      %t = tensor.insert %product into %out[%th] : tensor<4xi64>
      func.return %t : tensor<4xi64>
    }""")
    ConvertIndexTypePass().apply(new_context(), module)
    (result,) = run_kernel(module, [np.zeros(4, dtype=np.int64)])
    assert result.tolist() == [35, 42, 49, 56]
