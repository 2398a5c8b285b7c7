"""What the import decides by value: axes of size one, attributes of copied constraints, places of new shardings."""

import pytest
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.parser import Parser

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import ManualComputationOp, ShardingConstraintOp
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.dialects.stablehlo.shape import BitcastConvertOp, BroadcastInDimOp, ReshapeOp
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp, DynamicUpdateSliceOp
from xshardy.sharding.priorities import OpKind
from xshardy.syntax import parse_module
from xshardy.transforms.sdy.op_kinds import is_elementwise, kind_of, traits_of
from xshardy.transforms.sdy_import.apply_sharding_constraints import attributes_of_copied, by_operation
from xshardy.transforms.sdy_import.remove_size_one_axes import without_size_one_axes
from xshardy.universe import new_context


def attribute(text: str):
    return Parser(new_context(), text).parse_attribute()


def mesh(text: str) -> MeshAttr:
    parsed = attribute(f"#sdy.mesh<[{text}]>")
    assert isinstance(parsed, MeshAttr)
    return parsed


def sharding(text: str) -> TensorShardingAttr:
    parsed = attribute(f"#sdy.sharding<{text}>")
    assert isinstance(parsed, TensorShardingAttr)
    return parsed


MESHES = {"ones": mesh('"one"=1, "a"=2'), "none": mesh('"a"=2, "b"=2')}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('@ones, [{"one", "a"}]', '@ones, [{"a"}]'),
        ('@ones, [{"one"}p1]', "@ones, [{}]"),
        ('@ones, [{"one", ?}p1]', "@ones, [{?}p1]"),
        ('@ones, [{}], replicated={"one"}', "@ones, [{}]"),
        ('@ones, [{}], unreduced={"a", "one"}', '@ones, [{}], unreduced={"a"}'),
        ("@none, [{}p1]", "@none, [{}p1]"),
        ('@unknown, [{"one"}]', '@unknown, [{"one"}]'),
        ('mesh<["one"=1, "a"=2]>, [{"one", "a"}]', 'mesh<["one"=1, "a"=2]>, [{"a"}]'),
    ],
)
def test_axes_of_size_one_are_removed(before: str, after: str):
    """With them goes the priority of a closed dimension that they leave empty; other meshes are left alone."""
    assert without_size_one_axes(sharding(before), MESHES) == sharding(after)


CONSTRAINTS = """
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @f(%x: tensor<4xf32>, %s: tensor<f32>) {
  %0 = sdy.sharding_constraint %s <@mesh, []> : tensor<f32>
  %1 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<4xf32>
  %2 = sdy.sharding_constraint %s <@mesh, [], replicated={"a"}> : tensor<f32>
  %3 = sdy.sharding_constraint %x <@mesh, [{"b"}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=4}>}
      : tensor<4xf32>
  func.return
}
"""


def test_steps_are_numbered_where_axes_are_copied():
    """A constraint with a rule keeps it. Axes that are only replicated take a step without edges."""
    module = parse_module(CONSTRAINTS)
    constraints = [op for op in module.walk() if isinstance(op, ShardingConstraintOp)]
    found = attributes_of_copied(constraints, 5)
    assert [sorted(found[op]) for op in constraints] == [
        ["sdy.sharding_rule"],
        ["sdy.propagation_edges", "sdy.sharding_rule"],
        ["sdy.sharding_rule"],
        ["sdy.propagation_edges"],
    ]
    steps = [str(found[op].get("sdy.propagation_edges")) for op in constraints]
    assert "step-5" in steps[1]
    assert "step-7" in steps[3]
    assert all("sdy.propagation_edges" not in each for each in attributes_of_copied(constraints, None).values())


def test_new_shardings_are_kept_by_functions_or_operations():
    module = parse_module("""
    sdy.mesh @mesh = <["a"=2]>
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>]
          manual_axes={"a"} (%y: tensor<2xf32>) {
        sdy.return %y : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }""")
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    (manual,) = (op for op in module.walk() if isinstance(op, ManualComputationOp))
    argument, inner, result = function.body.block.args[0], manual.body.block.args[0], manual.results[0]
    new = sharding('@mesh, [{"a"}]')
    found = by_operation({argument: new, inner: new, result: new})
    assert found.of_arguments == {function: {0: new}}
    assert found.of_results == {manual: {inner: new, result: new}}


# -- Kinds of operations ----------------------------------------------------------------------------------------------


def operation(line: str) -> Operation:
    module = parse_module(f"""
    func.func @f(%x: tensor<4xf32>, %i: tensor<i32>, %b: tensor<f32>) {{
      %r = {line}
      func.return
    }}""")
    return next(op for op in module.walk() if op.name.startswith("stablehlo"))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("stablehlo.negate %x : tensor<4xf32>", OpKind.PASS_THROUGH),
        ("stablehlo.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>", OpKind.PASS_THROUGH),
        ("stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi32>", OpKind.PASS_THROUGH),
        ("stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x4xi8>", OpKind.OTHER),
        ("stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<4xf32>", OpKind.BROADCAST),
        (
            "stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>) -> tensor<2xf32>",
            OpKind.DYNAMIC_SLICE,
        ),
        ("stablehlo.custom_call @MoveToHost(%x) : (tensor<4xf32>) -> tensor<4xf32>", OpKind.PASS_THROUGH),
        ("stablehlo.custom_call @MoveToDevice(%x) : (tensor<4xf32>) -> tensor<4xf32>", OpKind.PASS_THROUGH),
        ("stablehlo.custom_call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>", OpKind.OTHER),
    ],
)
def test_kinds_of_operations_decide_when_they_propagate(line: str, kind: OpKind):
    assert kind_of(operation(line)) is kind


def test_traits_of_classes():
    assert traits_of(DynamicUpdateSliceOp).rule_reads_definitions
    assert not traits_of(DynamicSliceOp).rule_reads_definitions
    assert traits_of(UnregisteredOp.with_name("any.op")).is_plain
    assert not is_elementwise(operation("stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x4xi8>"))
    kinds = [traits_of(op).kind for op in (CustomCallOp, BitcastConvertOp, BroadcastInDimOp, ReshapeOp)]
    assert kinds == [OpKind.OTHER, OpKind.OTHER, OpKind.BROADCAST, OpKind.PASS_THROUGH]
