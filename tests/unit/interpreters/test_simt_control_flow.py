"""Branches as masks, loops with bounds that differ between threads, calls, ids, and the grid in chunks."""

import numpy as np
import pytest
from kernels import kernel, run
from xdsl.dialects.func import FuncOp

from xshardy.gpus.launch import Launch
from xshardy.interpreters.simt import SimtError, run_kernel, xla_gpu
from xshardy.interpreters.simt.launch import launch_of
from xshardy.interpreters.simt.machine import Program
from xshardy.syntax import parse_module


def test_divergent_if_gives_each_thread_its_branch():
    body = """
      %i = gpu.thread_id x
      %c2 = arith.constant 2 : index
      %below = arith.cmpi slt, %i, %c2 : index
      %r = scf.if %below -> (index) {
        %a = arith.addi %i, %c2 : index
        scf.yield %a : index
      } else {
        scf.yield %i : index
      }
      func.return %r : index"""
    (result,) = run(body, "() -> index")
    assert result.tolist() == [[2, 3, 2, 3]]


def test_if_without_else_that_no_thread_enters():
    body = """
      %i = gpu.thread_id x
      %c9 = arith.constant 9 : index
      %above = arith.cmpi sgt, %i, %c9 : index
      scf.if %above {
        %a = arith.addi %i, %c9 : index
      }
      func.return %i : index"""
    (result,) = run(body, "() -> index")
    assert result.tolist() == [[0, 1, 2, 3]]


def test_if_in_if_masks_memory():
    """Only the thread that is in both branches writes; an index that is out of bounds elsewhere is not looked at."""
    body = """
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c100 = arith.constant 100 : index
      %far = arith.muli %i, %c100 : index
      %near = arith.subi %far, %c100 : index
      %a = arith.cmpi slt, %i, %c2 : index
      %r = scf.if %a -> (tensor<4xindex>) {
        %b = arith.cmpi eq, %i, %c1 : index
        %s = scf.if %b -> (tensor<4xindex>) {
          %t = tensor.insert %c100 into %out[%near] : tensor<4xindex>
          scf.yield %t : tensor<4xindex>
        } else {
          scf.yield %out : tensor<4xindex>
        }
        scf.yield %s : tensor<4xindex>
      } else {
        scf.yield %out : tensor<4xindex>
      }
      func.return %r : tensor<4xindex>"""
    (result,) = run(body, "(%out: tensor<4xindex>) -> tensor<4xindex>", np.zeros(4, np.int64))
    assert result.tolist() == [100, 0, 0, 0]


def test_each_thread_has_its_own_trip_count():
    body = """
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %r:2 = scf.for %k = %c0 to %i step %c1 iter_args(%sum = %c0, %last = %i) -> (index, index) {
        %s = arith.addi %sum, %k : index
        scf.yield %s, %k : index, index
      }
      func.return %r#0, %r#1 : index, index"""
    total, last = run(body, "() -> (index, index)", block=(5, 1, 1))
    assert total.tolist() == [[0, 0, 1, 3, 6]]
    assert last.tolist() == [[0, 0, 1, 2, 3]]


def test_loop_in_a_branch_runs_in_the_threads_of_the_branch_only():
    body = """
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %above = arith.cmpi sge, %i, %c2 : index
      %r = scf.if %above -> (tensor<4xindex>) {
        %s = scf.for %k = %c0 to %c2 step %c2 iter_args(%t = %out) -> (tensor<4xindex>) {
          %u = tensor.insert %i into %t[%i] : tensor<4xindex>
          scf.yield %u : tensor<4xindex>
        }
        scf.yield %s : tensor<4xindex>
      } else {
        scf.yield %out : tensor<4xindex>
      }
      func.return %r : tensor<4xindex>"""
    (result,) = run(body, "(%out: tensor<4xindex>) -> tensor<4xindex>", np.zeros(4, np.int64))
    assert result.tolist() == [0, 0, 2, 3]


def test_loop_with_a_step_of_zero_is_an_error():
    body = """
      %c0 = arith.constant 0 : index
      %i = gpu.thread_id x
      scf.for %k = %c0 to %i step %c0 {
        scf.yield
      }
      func.return"""
    with pytest.raises(
        SimtError, match=r"the step is 0 in thread \(0, 0, 0\) of block \(0, 0, 0\): it must be at least 1"
    ):
        run(body, "() -> ()")


def test_while_runs_until_the_last_thread_is_done():
    """The number of halvings until 1."""
    body = """
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.addi %i, %c1 : index
      %r:2 = scf.while (%x = %n, %count = %c0) : (index, index) -> (index, index) {
        %more = arith.cmpi sgt, %x, %c1 : index
        scf.condition(%more) %x, %count : index, index
      } do {
      ^bb0(%x: index, %count: index):
        %half = arith.shrui %x, %c1 : index
        %next = arith.addi %count, %c1 : index
        scf.yield %half, %next : index, index
      }
      func.return %r#0, %r#1 : index, index"""
    x, count = run(body, "() -> (index, index)", block=(8, 1, 1))
    assert x.tolist() == [[1] * 8]
    assert count.tolist() == [[0, 1, 1, 2, 2, 2, 2, 3]]


def test_index_switch():
    body = """
      %i = gpu.thread_id x
      %c7 = arith.constant 7 : index
      %c9 = arith.constant 9 : index
      %r = scf.index_switch %i -> index
      case 1 {
        scf.yield %c7 : index
      }
      case 3 {
        scf.yield %c9 : index
      }
      default {
        scf.yield %i : index
      }
      func.return %r : index"""
    assert run(body, "() -> index")[0].tolist() == [[0, 7, 2, 9]]


def test_ids_in_the_grid_and_of_warps():
    body = """
      %g = gpu.global_id x
      %h = gpu.global_id y
      %s = gpu.subgroup_id : index
      %z = gpu.subgroup_size : index
      %n = gpu.num_subgroups : index
      func.return %g, %h, %s, %z, %n : index, index, index, index, index"""
    g, h, s, z, n = run(body, "() -> (index, index, index, index, index)", block=(20, 2, 1), grid=(2, 3, 1))
    assert g.tolist() == [[*range(20 * (block % 2), 20 * (block % 2) + 20)] * 2 for block in range(6)]
    assert h.tolist() == [[block // 2 * 2] * 20 + [block // 2 * 2 + 1] * 20 for block in range(6)]
    assert np.broadcast_to(s, (6, 40))[0].tolist() == [0] * 32 + [1] * 8
    assert (z[0, 0], n[0, 0]) == (32, 2)


def test_a_region_is_executed():
    body = """
      %i = gpu.thread_id x
      %r = scf.execute_region -> index {
        %s = arith.addi %i, %i : index
        scf.yield %s : index
      }
      func.return %r : index"""
    assert run(body, "() -> index")[0].tolist() == [[0, 2, 4, 6]]


def test_what_cannot_be_called():
    body = "%i = gpu.thread_id x\n%0 = func.call @f(%i) : (index) -> index\nfunc.return %0 : index"
    branch = "cf.br ^end(%i : index)\n^end(%j: index):\n func.return %j : index"
    blocks = f"func.func private @f(%i: index) -> index {{\n{branch}\n}}"
    for function, message in (
        ("func.func private @f(%i: index) -> index", "call of @f: the module has no body for it"),
        (blocks, "call of @f: it has several blocks: the interpreter runs structured control flow only"),
    ):
        with pytest.raises(SimtError, match=message):
            run(body, "() -> index", rest=function)


def test_ids_along_all_axes():
    body = """
      %t = gpu.thread_id y
      %b = gpu.block_id z
      %w = xla_gpu.workgroup_id x
      %d = gpu.block_dim y
      %g = gpu.grid_dim z
      %l = gpu.lane_id
      func.return %t, %b, %w, %d, %g, %l : index, index, index, index, index, index"""
    launch = {"block": (2, 3, 1), "grid": (2, 1, 2)}
    t, b, w, d, g, lane = run(body, "() -> (index, index, index, index, index, index)", **launch)
    assert t.tolist() == [[0, 0, 1, 1, 2, 2]] * 4
    assert b[:, 0].tolist() == [0, 0, 1, 1]
    assert w[:, 0].tolist() == [0, 1, 0, 1]
    assert (d[0, 0], g[0, 0]) == (3, 2)
    assert lane[0].tolist() == [0, 1, 2, 3, 4, 5]


LOOP = """
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %r = xla_gpu.loop (%t, %b)[%s, %u] -> (%i) in #xla_gpu.indexing_map<"(t, b)[s, u] -> (b * 8 + t * 2 + s + u),"
    "domain: t in [0, 3], b in [0, 2], s in [0, 1], u in [0, 0], b * 8 + t * 2 + s in [0, 20]">
      iter_args(%out = %init) -> (tensor<24xindex>) {
    %v = xla_gpu.pure_call @twice(%i) : (index) -> index
    %n = tensor.insert %v into %out[%i] : tensor<24xindex>
    xla_gpu.yield %n : tensor<24xindex>
  }
  func.return %r : tensor<24xindex>"""
TWICE = """
  func.func private @twice(%i: index) -> index {
    %0 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(i)[k] -> (i * 4 floordiv 2 + k),"
      "domain: i in [0, 23], k in [0, 23]">(%i)[%i]
    %1 = arith.subi %0, %i : index
    func.return %1 : index
  }"""


@pytest.mark.parametrize("max_lanes", [1, 4, 8, 1 << 20])
def test_loop_skips_points_outside_of_the_domain_in_chunks_of_any_size(max_lanes: int):
    signature = "(%init: tensor<24xindex>) -> tensor<24xindex>"
    arguments = [np.full(24, -1)]
    (result,) = run(LOOP, signature, *arguments, grid=(3, 1, 1), rest=TWICE, max_lanes=max_lanes)
    assert result.tolist() == [2 * i for i in range(21)] + [-1] * 3
    assert (arguments[0] == -1).all(), "the arrays given are left as they are"


def test_pure_calls_of_calls_are_made_once():
    """
    Each of 40 functions calls the one before it twice, in different branches: 2**40 calls, were they not remembered.
    """
    functions = ["func.func private @f0(%i: index) -> index {\n func.return %i : index\n}"]
    functions += [
        f"""func.func private @f{n}(%i: index) -> index {{
          %c1 = arith.constant 1 : index
          %low = arith.andi %i, %c1 : index
          %odd = arith.cmpi eq, %low, %c1 : index
          %a = xla_gpu.pure_call @f{n - 1}(%i) : (index) -> index
          %r = scf.if %odd -> (index) {{
            %next = arith.addi %i, %c1 : index
            %b = xla_gpu.pure_call @f{n - 1}(%next) : (index) -> index
            scf.yield %b : index
          }} else {{
            scf.yield %a : index
          }}
          func.return %r : index
        }}"""
        for n in range(1, 41)
    ]
    body = "%i = gpu.thread_id x\n%r = xla_gpu.pure_call @f40(%i) : (index) -> index\nfunc.return %r : index"
    assert run(body, "() -> index", rest="\n".join(functions))[0].tolist() == [[0, 2, 2, 4]]


def test_a_call_that_is_no_longer_remembered_is_made_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(xla_gpu, "MAX_CACHED_CALLS", 1)
    steps = "".join(f"%s{n + 1} = arith.addi %s{n}, %i : index\n" for n in range(30))
    steps = f"%s0 = arith.addi %i, %i : index\n{steps}"
    rest = f"func.func private @f(%i: index) -> index {{\n{steps}func.return %s30 : index\n}}"
    body = """
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %j = arith.addi %i, %c1 : index
      %a = xla_gpu.pure_call @f(%i) : (index) -> index
      %b = xla_gpu.pure_call @f(%j) : (index) -> index
      %c = xla_gpu.pure_call @f(%i) : (index) -> index
      func.return %a, %b, %c : index, index, index"""
    a, b, c = run(body, "() -> (index, index, index)", rest=rest)
    assert a.tolist() == c.tolist() == [[0, 32, 64, 96]]
    assert b.tolist() == [[32, 64, 96, 128]]


def test_function_that_calls_itself_is_an_error():
    call = "%0 = func.call @f(%i) : (index) -> index\nfunc.return %0 : index"
    rest = f"func.func private @f(%i: index) -> index {{\n{call}\n}}"
    body = f"%i = gpu.thread_id x\n{call}"
    with pytest.raises(SimtError, match="call of @f: it calls itself, by way of main -> f; a kernel cannot recurse"):
        run(body, "() -> index", rest=rest)


def test_op_without_a_rule_is_named():
    with pytest.raises(SimtError, match=r"the interpreter has no rule for gpu\.wait: lower it first"):
        run('"gpu.wait"() : () -> ()\nfunc.return', "() -> ()")


def test_ranges_of_ids_give_the_launch():
    module = parse_module("""
      func.func @f(%out: tensor<6xindex>) -> tensor<6xindex> {
        %t = gpu.thread_id x {xla.range = [0 : index, 2 : index]}
        %b = gpu.block_id x {xla.range = [0 : index, 1 : index]}
        %i = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(t, b) -> (b * 3 + t),"
          "domain: t in [0, 2], b in [0, 1]">(%t, %b)
        %r = tensor.insert %i into %out[%i] : tensor<6xindex>
        func.return %r : tensor<6xindex>
      }""")
    assert run_kernel(module, [])[0].tolist() == [0, 1, 2, 3, 4, 5]


def test_dimensions_without_ids_have_the_size_one():
    module = parse_module("func.func @f() {\n %t = gpu.thread_id z {xla.range = [0 : index, 2 : index]}\n return\n}")
    (entry,) = module.ops
    assert isinstance(entry, FuncOp)
    assert launch_of(entry) == Launch((1, 1, 3), (1, 1, 1))


@pytest.mark.parametrize(("max_lanes", "sizes"), [(1, [1, 1, 1, 1, 1]), (64, [1, 1, 1, 1, 1]), (128, [2, 2, 1])])
def test_chunks_are_whole_blocks_and_one_at_least(max_lanes: int, sizes: list[int]):
    chunks = [*Launch((8, 8, 1), (5, 1, 1)).chunks(max_lanes)]
    assert [*map(len, chunks)] == sizes
    assert [block for chunk in chunks for block in chunk] == [*range(5)]


def test_missing_launch_dimensions_are_an_error():
    module = parse_module("func.func @f() {\n %t = gpu.thread_id x\n func.return\n}")
    with pytest.raises(SimtError, match="the launch dimensions are not known: give the kernel"):
        run_kernel(module, [])


def test_kernel_is_the_entry_or_the_only_public_function():
    two = "func.func @f() { func.return }\nfunc.func @g() { func.return }"
    with pytest.raises(SimtError, match="the module has no single kernel, but @f, @g: mark one"):
        run_kernel(parse_module(two), [])
    assert run_kernel(parse_module(two.replace("@g()", "@g() attributes {xla.entry}")), []) == []


def test_empty_grid_leaves_the_outputs_alone():
    signature = "(%in: tensor<2xf32>, %out: tensor<3xf32>) -> tensor<3xf32>"
    module = kernel("func.return %out : tensor<3xf32>", signature, grid=(0, 1, 1))
    assert run_kernel(module, [np.ones(2, np.float32), np.full(3, 5, np.float32)])[0].tolist() == [5, 5, 5]


def test_small_functions_are_those_of_few_operations_with_their_callees():
    """These are executed at each call: to find a known result by its arguments would take longer."""
    chain = "\n".join(
        f"""func.func private @f{n}(%i: index) -> index {{
  %a = xla_gpu.pure_call @f{n - 1}(%i) : (index) -> index
  %b = xla_gpu.pure_call @f{n - 1}(%a) : (index) -> index
  return %b : index
}}"""
        for n in range(1, 30)
    )
    module = parse_module(
        f"""{chain}
func.func private @f0(%i: index) -> index {{
  %r = arith.addi %i, %i : index
  return %r : index
}}
func.func private @loop(%i: index) -> index {{
  %one = arith.constant 1 : index
  %r = scf.for %j = %one to %i step %one iter_args(%s = %i) -> (index) {{
    scf.yield %s : index
  }}
  return %r : index
}}
"""
    )
    program = Program({op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}, {})
    small = {name for name in program.functions if program.is_small(name)}
    assert small == {"f0", "f1"}
