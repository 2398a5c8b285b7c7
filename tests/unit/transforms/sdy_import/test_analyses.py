"""The analyses of the import passes decide, and edit nothing."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from xshardy.dialects.sdy.ops import ManualComputationOp, MeshOp, ShardingConstraintOp, ShardingGroupOp
from xshardy.rewriting.walk import operations_in, operations_of
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.sdy.call_order import acyclic_callees_first, callees_first
from xshardy.transforms.sdy.function_copies import Functions, copies_for_calls
from xshardy.transforms.sdy_import import constant_or_scalar_splitter, constant_splitter
from xshardy.transforms.sdy_import.constant_subcomputations import find_splits, is_used_elsewhere, sub_computation
from xshardy.transforms.sdy_import.constraints import dictated_shardings
from xshardy.transforms.sdy_import.flatten_call_graph import repeated_calls
from xshardy.transforms.sdy_import.lift_inlined_meshes import mesh_names
from xshardy.transforms.sdy_import.manual_axes_cleanup import fully_specified_shardings, sorted_manual_axes
from xshardy.transforms.sdy_import.sharding_group_import import canonical_groups

CONSTANTS = """func.func @f(%x: tensor<8xf32>, %y: tensor<f32>) -> tensor<8xf32> {
  %c = sdy.constant dense<1.0> : tensor<f32>
  %b = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %d = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<8xf32>
  %0 = stablehlo.add %x, %b : tensor<8xf32>
  %1 = stablehlo.multiply %0, %d : tensor<8xf32>
  return %1 : tensor<8xf32>
}"""

SHARED = CONSTANTS.replace("return", "%2 = stablehlo.subtract %b, %d : tensor<8xf32>\n  return")
"""With a second use of each broadcast."""


def names_of_uses(module: ModuleOp, splitter: str) -> tuple[dict[str, list[int]], list[str]]:
    """The names of users with split operands, and of the operations that define these."""
    before = print_module(module)
    if splitter == "constant":
        splits = find_splits(operations_in(module), constant_splitter.preserves_constants)
    else:
        function = next(op for op in module.ops if isinstance(op, FuncOp))
        analysis = constant_or_scalar_splitter.SplitAnalysis(Functions(module))
        ((_, splits),) = analysis.splits_of(function)
    assert print_module(module) == before
    return {op.name: indices for op, indices in splits.uses.items()}, [op.name for op in splits.originals]


def test_broadcasts_of_constants_are_split():
    uses, originals = names_of_uses(parse_module(SHARED), "constant")
    assert uses == {"stablehlo.add": [1], "stablehlo.subtract": [0]}
    assert originals == ["sdy.constant", "stablehlo.broadcast_in_dim"]


def test_broadcasts_of_scalars_are_split_by_the_newer_splitter():
    uses, originals = names_of_uses(parse_module(SHARED), "constant or scalar")
    assert uses == {"stablehlo.add": [1], "stablehlo.multiply": [1], "stablehlo.subtract": [0, 1]}
    assert originals == ["sdy.constant", "stablehlo.broadcast_in_dim", "stablehlo.broadcast_in_dim"]


def test_only_uses_are_not_copied():
    uses, originals = names_of_uses(parse_module(CONSTANTS), "constant or scalar")
    assert uses == {}
    assert originals == ["sdy.constant", "stablehlo.broadcast_in_dim", "stablehlo.broadcast_in_dim"]


def test_scalars_are_part_of_a_sub_computation_if_wanted():
    add = next(op for op in parse_module(CONSTANTS).walk() if op.name == "stablehlo.add")
    whole = sub_computation(add.operands[1], with_scalars=True)
    assert [part.op.name for part in whole] == ["sdy.constant", "stablehlo.broadcast_in_dim"]
    assert [part.op.name for part in sub_computation(add.operands[1], with_scalars=False)] == [
        "stablehlo.broadcast_in_dim"
    ]
    assert not is_used_elsewhere(whole, add, 1)
    assert is_used_elsewhere(whole, add, 0)


def test_a_copy_of_a_function_calls_copies():
    module = parse_module("""func.func @main() {
  func.call @f() : () -> ()
  func.call @f() : () -> ()
  return
}
func.func private @f() {
  func.call @g() : () -> ()
  func.call @h() : () -> ()
  return
}
func.func private @g() {
  return
}
func.func private @h() {
  func.call @g() : () -> ()
  return
}""")
    before = print_module(module)
    order = acyclic_callees_first(Functions(module))
    decided = copies_for_calls(repeated_calls(order), order, module)
    assert print_module(module) == before
    # The second call of @g, in @h or @f, and the second call of @f call copies.
    assert sorted(decided.callees.values()) == ["f_4", "g_0"]
    of_f = next(copy for copy in decided.copies if copy.name == "f_4")
    assert of_f.original.sym_name.data == "f"
    assert [copy.name for copy in decided.copies][-1] == "f_4"
    assert set(of_f.callees) <= {copy.name for copy in decided.copies}
    assert all(isinstance(call, CallOp) for call in decided.callees)


CONSTRAINTS = """sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @f(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.add %x, %x : tensor<8x8xf32>
  %1 = stablehlo.negate %0 : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> : tensor<8x8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
  %4 = stablehlo.abs %0 : tensor<8x8xf32>
  %5 = sdy.sharding_constraint %4 <@mesh, [{"a", ?}, {}]> : tensor<8x8xf32>
  return %1, %5 : tensor<8x8xf32>, tensor<8x8xf32>
}"""


def test_constraints_dictate_chains_and_closed_shardings():
    module = parse_module(CONSTRAINTS)
    before = print_module(module)
    dictated = dictated_shardings(module)
    assert print_module(module) == before
    head, tail, open_constraint = operations_of(module, ShardingConstraintOp)
    assert list(dictated.tails) == [head]
    assert dictated.tails[head].constraint is tail
    assert [op.name for op in dictated.tails[head].readers] == ["stablehlo.abs"]
    assert dictated.copied == [head]
    assert dictated.shardings == {head.input: head.sharding}
    assert open_constraint.input not in dictated.shardings
    assert not dictated.moved and not dictated.inserted


def test_each_result_of_an_operation_is_dictated_by_its_constraint():
    module = parse_module("""sdy.mesh @mesh = <["a"=2]>
func.func @f() -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.custom_call @pair() : () -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.sharding_constraint %0#1 <@mesh, [{"a"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %0#0 <@mesh, [{}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}""")
    first, second = operations_of(module, ShardingConstraintOp)
    dictated = dictated_shardings(module)
    # With a sharding of the second result, the first one is open, which is as good as none.
    assert dictated.copied == [first, second]
    assert dictated.shardings == {first.input: first.sharding, second.input: second.sharding}


def test_targets_of_edges_are_read_through_constraints():
    module = parse_module("""sdy.mesh @mesh = <["a"=2]>
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %x : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = sdy.manual_computation(%1, %1) in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{"a"}]>]
      out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>, %z: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}""")
    (computation,) = operations_of(module, ManualComputationOp)
    dictated = dictated_shardings(module)
    assert dictated.inserted == {computation: [0]}
    assert not dictated.shardings


def test_meshes_get_one_name_each():
    module = parse_module("""sdy.mesh @mesh = <["x"=2]>
sdy.mesh @dup = <["x"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>},
             %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=2]>, [{"z"}]>},
             %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<@dup, [{"x"}]>}) {
  return
}""")
    kept, repeated = (op for op in module.ops if isinstance(op, MeshOp))
    found = mesh_names(module)
    assert found.kept == (kept,)
    assert found.repeated == {repeated: "mesh"}
    assert list(found.new.values()) == ["mesh_0"]
    assert found.any_written_out


def test_manual_axes_are_sorted_and_mentioned():
    module = parse_module("""sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"b"}]>]
      out_shardings=[<@mesh, [{"b"}], replicated={"a"}>] manual_axes={"b", "a"} (%y: tensor<4xf32>) {
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}""")
    (op,) = operations_of(module, ManualComputationOp)
    assert list(sorted_manual_axes(op).names) == ["a", "b"]
    found = fully_specified_shardings(op)
    assert found.in_shardings == found.out_shardings == op.out_shardings


def test_repeated_members_of_merged_groups():
    module = parse_module("""func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  sdy.sharding_group %a group_id=12 : tensor<8xf32>
  sdy.sharding_group %b group_id=12 : tensor<8xf32>
  sdy.sharding_group %b group_id=4 : tensor<8xf32>
  return
}""")
    first, second, third = operations_of(module, ShardingGroupOp)
    decided = canonical_groups((first, second, third))
    assert decided.new_ids == {first: 0, second: 0}
    assert list(decided.repeated) == [third]


def test_the_order_of_calls_has_no_declarations():
    module = parse_module("""
    func.func @main() {
      func.call @declared() : () -> ()
      func.call @defined() : () -> ()
      func.return
    }
    func.func private @declared()
    func.func private @defined() {
      func.return
    }""")
    order = callees_first(module)
    assert [function.sym_name.data for function in order] == ["defined", "main"]
