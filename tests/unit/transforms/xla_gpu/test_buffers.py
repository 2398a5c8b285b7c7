"""The analyses of `lower_tensors`: which buffer a tensor is, where constants go, which globals are needed."""

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.exceptions import PassFailedException

from xshardy.rewriting.walk import operations_in
from xshardy.syntax import parse_module
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.xla_gpu.buffers import buffers_of
from xshardy.transforms.xla_gpu.function_constants import Place, constant_places
from xshardy.transforms.xla_gpu.tensor_access import plan_globals


def parsed(body: str) -> tuple[ModuleOp, FuncOp]:
    text = f"func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %x: f32, %i: index, %c: i1) {{ {body} return }}"
    module = parse_module(text)
    return module, functions_of(module)["f"]


def test_an_update_shares_the_buffer_of_its_operand():
    module, function = parsed("""
      %0 = tensor.insert %x into %a[%i] : tensor<4xf32>
      %1 = tensor.insert %x into %0[%i] : tensor<4xf32>
      %2, %3 = xla_gpu.sync_threads %1, %b : tensor<4xf32>, tensor<4xf32>
    """)
    before = str(module)
    a, b, *_ = function.args
    first, second, barrier, _ = function.body.block.ops
    assert buffers_of(operations_in(function)) == {
        first.results[0]: a,
        second.results[0]: a,
        barrier.results[0]: a,
        barrier.results[1]: b,
    }
    assert str(module) == before


def test_loops_pass_buffers_on():
    _, function = parsed("""
      %0 = scf.for %j = %i to %i step %i iter_args(%u = %a) -> (tensor<4xf32>) {
        %1 = tensor.insert %x into %u[%j] : tensor<4xf32>
        scf.yield %1 : tensor<4xf32>
      }
    """)
    buffers = buffers_of(operations_in(function))
    loop = function.body.block.first_op
    assert loop is not None
    insert = loop.regions[0].block.first_op
    assert insert is not None
    assert buffers[loop.results[0]] is buffers[loop.regions[0].block.args[1]] is buffers[insert.results[0]]
    assert buffers[loop.results[0]] is function.args[0]


@pytest.mark.parametrize("use", ["%1 = tensor.extract %0[%i] : tensor<4xf32>", ""])
def test_branches_agree_on_a_buffer_that_is_used(use: str):
    _, function = parsed(f"""
      %0 = scf.if %c -> (tensor<4xf32>) {{
        scf.yield %a : tensor<4xf32>
      }} else {{
        scf.yield %b : tensor<4xf32>
      }}
      {use}
    """)
    if use:
        with pytest.raises(PassFailedException, match=r"'scf.if' may give one of two buffers"):
            buffers_of(operations_in(function))
    else:
        assert list(buffers_of(operations_in(function)).values()) == [function.args[0]]


def test_every_branch_may_update_the_buffer():
    _, function = parsed("""
      %0 = scf.if %c -> (tensor<4xf32>) {
        %1 = tensor.insert %x into %a[%i] : tensor<4xf32>
        scf.yield %1 : tensor<4xf32>
      } else {
        %1 = tensor.insert %x into %a[%i] : tensor<4xf32>
        scf.yield %1 : tensor<4xf32>
      }
      %2 = scf.index_switch %i -> tensor<4xf32>
      case 0 {
        scf.yield %0 : tensor<4xf32>
      }
      case 1 {
        %3 = tensor.insert %x into %0[%i] : tensor<4xf32>
        scf.yield %3 : tensor<4xf32>
      }
      default {
        %3 = tensor.insert %x into %0[%i] : tensor<4xf32>
        scf.yield %3 : tensor<4xf32>
      }
      %4 = tensor.extract %2[%i] : tensor<4xf32>
    """)
    assert set(buffers_of(operations_in(function)).values()) == {function.args[0]}


def test_constants_go_to_the_start_and_equal_ones_merge():
    _, function = parsed("""
      %0 = arith.addf %x, %x : f32
      %1 = arith.constant 1 : index
      %2 = arith.constant dense<1.0> : tensor<4xf32>
      %3 = arith.constant 2 : index
      %4 = arith.constant 1 : index
    """)
    block = function.body.block
    _, one, _, two, again, _ = block.ops
    assert isinstance(one, arith.ConstantOp)
    assert constant_places({function: block.ops}) == {one: Place(block, None), two: Place(block, one), again: one}


def test_equal_constant_tensors_share_a_global_and_allocations_do_not():
    module, function = parsed("""
      %0 = arith.constant dense<1.0> : tensor<4xf32>
      %1 = xla_gpu.allocate_shared : tensor<4xf32>
      %2 = xla_gpu.allocate_shared : tensor<4xf32>
      %3 = arith.constant dense<1.0> : tensor<4xf32>
      %4 = arith.constant dense<2.0> : tensor<4xf32>
    """)
    before = str(module)
    planned = plan_globals(module, operations_in(function)).planned
    names = [planned[op].op.sym_name.data for op in function.body.block.ops if op in planned]
    assert names == ["global_cst_0", "shared_0", "shared_1", "global_cst_0", "global_cst_1"]
    assert str(module) == before
