"""What the analyses of export passes decide: plain data, found while the module stays as it is."""

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.stablehlo.elementwise_unary import NegOp
from xshardy.rewriting.walk import OperationT, operations_of
from xshardy.sharding.resharding import AllGather, AllSlice, AllToAll
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.constant_or_scalar_merger import earlier_equals
from xshardy.transforms.sdy_export.factor_conflicts import Resolution
from xshardy.transforms.sdy_export.insert_explicit_reshards import moves_to
from xshardy.transforms.sdy_export.insert_func_call_reshards import shardings_by_callees
from xshardy.transforms.sdy_export.moves import AllReduce, Reshard
from xshardy.transforms.sdy_export.reshard_to_collectives import ReshardPlans
from xshardy.transforms.sdy_export.unflatten_call_graph import shared_callees
from xshardy.transforms.sdy_partition.resolve.reshard_costs import elements_received_by

MESH = 'sdy.mesh @mesh = <["a"=2, "b"=2]>\n'


def shardings(*texts: str) -> list[TensorShardingAttr]:
    """The shardings over `@mesh`, of arguments of a function, and their operation to look the mesh up from."""
    arguments = ", ".join(
        f"%{i}: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, {text}>}}" for i, text in enumerate(texts)
    )
    function = first(parse_module(f"{MESH}func.func @f({arguments}) {{ return }}"), FuncOp)
    found = [sharding_of(argument) for argument in function.body.block.args]
    return [sharding for sharding in found if sharding is not None]


def first(module: ModuleOp, kind: type[OperationT]) -> OperationT:
    return next(iter(operations_of(module, kind)))


def test_operations_on_equal_constants_are_equal():
    module = parse_module("""
      func.func @f() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
        %0 = stablehlo.constant dense<1.0> : tensor<f32>
        %1 = stablehlo.constant dense<1.0> : tensor<f32>
        %2 = stablehlo.constant dense<2.0> : tensor<f32>
        %3 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %4 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %5 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2xf32>
        return %3, %4, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
      }
    """)
    before = print_module(module)
    ops = list(first(module, FuncOp).walk())[1:]
    assert earlier_equals(module) == {ops[1]: ops[0], ops[4]: ops[3]}
    assert print_module(module) == before


def test_costs_of_reshards_around_an_operation():
    """A value without a sharding is whole on each device."""
    module = parse_module(
        MESH
        + """
      func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
        %0 = stablehlo.negate %x : tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    """
    )
    whole, half, quarter = shardings("[{}]", '[{"a"}]', '[{"a", "b"}]')
    op = first(module, NegOp)

    def received(operand: TensorShardingAttr, result: TensorShardingAttr | None) -> int:
        return elements_received_by(op, Resolution([operand], [result], (), ReductionOp.SUM, whole.mesh_or_ref))

    assert received(whole, whole) == 4
    assert received(half, half) == 4
    assert received(whole, quarter) == 4 + 6
    assert received(half, None) == 0


def test_a_plan_starts_where_the_plan_before_ends():
    module = parse_module(
        MESH
        + """
      func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<8x8xf32> {
        %0 = sdy.reshard %x <@mesh, [{"a"}, {"b"}]> : tensor<8x8xf32>
        %1 = sdy.reshard %0 <@mesh, [{"a"}, {"b"}]> : tensor<8x8xf32>
        %2 = sdy.reshard %1 <@mesh, [{}, {"b", "a"}]> : tensor<8x8xf32>
        %3 = sdy.reshard %2 <@mesh, [{}, {}]> : tensor<8x8xf32>
        return %3 : tensor<8x8xf32>
      }
    """
    )
    before = print_module(module)
    plans = ReshardPlans.of(module, keep_redundant=False)
    reshards = list(operations_of(module, ReshardOp))
    kinds = [[type(planned.step) for planned in plans.by_op[reshard].steps] for reshard in reshards]
    assert kinds == [[AllSlice], [], [AllToAll], [AllGather]]
    assert plans.longest == 1
    assert list(plans.steps(0, AllToAll)) == [reshards[2]]
    assert print_module(module) == before


def test_redundant_reshards_have_no_plan_if_they_are_kept():
    module = parse_module(
        MESH
        + """
      func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
        %0 = sdy.reshard %x <@mesh, [{"a"}]> : tensor<8xf32>
        return %0 : tensor<8xf32>
      }
    """
    )
    assert [plan.steps for plan in ReshardPlans.of(module, keep_redundant=False).by_op.values()] == [[]]
    assert not ReshardPlans.of(module, keep_redundant=True).by_op


def test_a_use_is_reduced_before_it_is_resharded():
    source, wanted = shardings('[{}], unreduced={"a"}', '[{"b"}]')
    module = parse_module(MESH + "func.func @f() { return }")
    op = first(module, FuncOp)
    reduction, reshard = moves_to(source, wanted, op, full=True)
    assert isinstance(reduction, AllReduce) and list(reduction.axes) == list(source.unreduced_axes)
    assert reshard == Reshard(wanted)
    assert moves_to(source, wanted, op, full=False) == [reduction]
    assert moves_to(wanted, wanted, op, full=True) == []


CALLS = (
    MESH
    + """
  func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @f_0(%x) : (tensor<8xf32>) -> tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @f(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    return %x : tensor<8xf32>
  }
  func.func private @f_0(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"OTHER"}]>})
      attributes {sdy.original_func_name = "f"} {
    return %x : tensor<8xf32>
  }
"""
)


def test_callees_change_if_copies_have_equal_shardings():
    module = parse_module(CALLS.replace("OTHER", "a"))
    first_call, second_call = operations_of(module, CallOp)
    shared = shared_callees(module, fully=False)
    assert {call: function.sym_name.data for call, function in shared.items()} == {second_call: "f"}
    assert first_call not in shared
    assert not shared_callees(parse_module(CALLS.replace("OTHER", "b")), fully=False)
    assert len(shared_callees(parse_module(CALLS.replace("OTHER", "b")), fully=True)) == 1


def test_calls_get_the_shardings_of_their_callees():
    module = parse_module(CALLS.replace("OTHER", "b"))
    given = shardings_by_callees(module)
    axes = [
        [axis.axis.data for dim in each.shardings.data[0].dim_shardings for axis in dim.axes] for each in given.values()
    ]
    assert axes == [["a"], ["b"]]
