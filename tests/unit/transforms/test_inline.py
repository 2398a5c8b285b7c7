"""Inlining random programs: the same result, and no call left that the rule inlines. Row XGPU-53."""

import numpy as np
from hypothesis import given
from hypothesis.strategies import DrawFn, booleans, composite, integers, lists, sampled_from, tuples

from xshardy.interpreters.simt import run_kernel
from xshardy.syntax import parse_module
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.inline import MAX_BLOCK_SIZE, InlinePass
from xshardy.transforms.xla_gpu.erase_dead_functions import EraseDeadFunctionsPass, dead_functions
from xshardy.universe import new_context

KERNEL = "attributes {xla.entry, gpu.known_block_size = array<i32: 2, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>}"


@composite
def programs(draw: DrawFn) -> str:
    """Functions that call only those after them, with every kind of call and attribute."""
    count = draw(integers(2, 6))
    functions: list[str] = []
    for i in range(count):
        body, value = [], "%x"
        if i < count - 1:
            calls = draw(lists(tuples(integers(i + 1, count - 1), booleans(), booleans()), max_size=4))
            for n, (callee, pure, noinline) in enumerate(calls):
                op = "xla_gpu.pure_call" if pure else "func.call"
                attributes = "{noinline} " if noinline else ""
                body.append(f"%call{n} = {op} @f{callee}({value}) {attributes}: (i32) -> i32")
                body.append(f"%sum{n} = arith.addi %call{n}, %x : i32")
                value = f"%sum{n}"
        body.append(f"%k = arith.constant {draw(integers(-9, 9))} : i32")
        body.append(f"%r = {draw(sampled_from(['arith.addi', 'arith.muli', 'arith.xori']))} {value}, %k : i32")
        if i == 0:
            header = f"func.func @f0(%in: tensor<2xi32>) -> i32 {KERNEL}"
            body = ["%th = gpu.thread_id x", "%x = tensor.extract %in[%th] : tensor<2xi32>", *body]
        else:
            visibility = draw(sampled_from(["private ", "private ", "private ", ""]))
            attributes = draw(sampled_from(["", "", "attributes {no_compute = true} "]))
            header = f"func.func {visibility}@f{i}(%x: i32) -> i32 {attributes}"
        functions.append("\n  ".join((f"{header} {{", *body, "func.return %r : i32\n}")))
    return "\n".join(functions)


@given(programs(), lists(integers(-100, 100), min_size=2, max_size=2))
def test_inlining_keeps_results(text: str, inputs: list[int]):
    memory = np.array(inputs, dtype=np.int32)
    module = parse_module(text)
    expected = run_kernel(module, [memory])
    ctx = new_context()
    EraseDeadFunctionsPass().apply(ctx, module)
    InlinePass().apply(ctx, module)
    module.verify()
    assert not dead_functions(module)
    np.testing.assert_array_equal(run_kernel(module, [memory]), expected)


def test_a_block_does_not_grow_without_bounds():
    body = "\n".join(f"%v{i + 1} = arith.addf %v{i}, %v{i} : f32" for i in range(MAX_BLOCK_SIZE // 2))
    text = f"""
    func.func private @large(%v0: f32) -> f32 {{ {body} func.return %v{MAX_BLOCK_SIZE // 2} : f32 }}
    func.func private @other(%v0: f32) -> f32 {{ {body} func.return %v{MAX_BLOCK_SIZE // 2} : f32 }}
    func.func @caller(%x: f32) -> f32 {{
      %0 = xla_gpu.pure_call @large(%x) : (f32) -> f32
      %1 = xla_gpu.pure_call @other(%0) : (f32) -> f32
      func.return %1 : f32
    }}"""
    module = parse_module(text)
    InlinePass().apply(new_context(), module)
    functions = functions_of(module)
    assert set(functions) == {"other", "caller"}
    assert len(functions["caller"].body.block.ops) <= MAX_BLOCK_SIZE
