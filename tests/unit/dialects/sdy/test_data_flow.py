"""The data flow edges of named and manual computations, and where the sharding of a value is found. Row SDY-IF-02."""

import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, Use

from xshardy import syntax
from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.interfaces import ShardableDataFlowOpInterface
from xshardy.dialects.sdy.ops import ManualComputationOp, NamedComputationOp
from xshardy.dialects.sdy.value_shardings import get_sharding, shardings_on

TEXT = """
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<4x4xf32>) {
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"a", "b"}]> : tensor<8xf32>
  %2 = sdy.all_gather [{"b"}] %1 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  %3:2 = NAME(%2, %y) SHARDINGS (%p: tensor<8xf32>, %q: tensor<4x4xf32>) {
    %4 = stablehlo.tanh %q : tensor<4x4xf32>
    sdy.return %4, %p : tensor<4x4xf32>, tensor<8xf32>
  } : (tensor<8xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<8xf32>)
  return
}
"""
SHARDINGS = (
    'in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{}, {"b"}]>] out_shardings=[<@mesh, [{?}, {"b"}]>, <@mesh, [{"a", ?}]>]'
)
KINDS = {
    "named": ('sdy.named_computation<"f">', SHARDINGS),
    "named, no shardings": ('sdy.named_computation<"f">', ""),
    "manual": ("sdy.manual_computation", SHARDINGS + " manual_axes={}"),
}


def sharding(*dims: str, is_closed: bool = True) -> TensorShardingAttr:
    return TensorShardingAttr(
        "mesh", [DimensionShardingAttr([AxisRefAttr(axis)] if axis else [], is_closed=is_closed) for axis in dims]
    )


def computation(kind: str) -> tuple[FuncOp, NamedComputationOp | ManualComputationOp]:
    name, shardings = KINDS[kind]
    module = syntax.parse_module(TEXT.replace("NAME", name).replace("SHARDINGS", shardings))
    verify(module)
    function = next(op for op in module.ops if isinstance(op, FuncOp))
    return function, next(op for op in function.walk() if isinstance(op, NamedComputationOp | ManualComputationOp))


@pytest.mark.parametrize("kind", KINDS)
def test_edges(kind: str):
    _, op = computation(kind)
    assert isinstance(op, ShardableDataFlowOpInterface)
    args, results, returned = op.body.block.args, op.outputs, op.terminator.operands
    assert tuple(op.block_argument_edge_owners()) == args
    assert tuple(op.op_result_edge_owners()) == tuple(results)
    for index in range(2):
        assert tuple(op.edge_sources(args[index])) == (op.inputs[index],)
        assert tuple(op.edge_sources(results[index])) == (returned[index],)
        for target in (args[index], results[index]):
            assert op.edge_owner_from_target(target) is target
            assert tuple(op.non_edge_owner_targets(target)) == ()
        assert op.edge_owner_from_source(Use(op, index)) is args[index]
        assert op.edge_owner_from_source(Use(op.terminator, index)) is results[index]
    inner = op.body.block.first_op
    assert inner is not None
    assert op.edge_owner_from_target(inner.results[0]) is None
    assert op.edge_owner_from_source(Use(inner, 0)) is None


@pytest.mark.parametrize("kind", ["named", "manual"])
def test_shardings_of_edges(kind: str):
    _, op = computation(kind)
    arg, result = op.body.block.args[1], op.outputs[1]
    assert op.edge_owner_sharding(arg) == get_sharding(arg) == sharding("", "b")
    assert op.edge_owner_sharding(op.outputs[0]) == op.out_shardings.shardings.data[0]  # pyright: ignore
    op.set_edge_owner_sharding(arg, sharding("a", ""))
    op.set_edge_owner_sharding(result, sharding("b"))
    assert get_sharding(arg) == sharding("a", "")
    assert get_sharding(result) == sharding("b")
    assert get_sharding(op.body.block.args[0]) == sharding("a")
    verify(op)


def test_a_first_sharding_leaves_the_other_edges_open():
    _, op = computation("named, no shardings")
    arg = op.body.block.args[0]
    assert op.edge_owner_sharding(arg) is None
    op.set_edge_owner_sharding(arg, sharding("a"))
    assert op.edge_owner_sharding(arg) == sharding("a")
    assert op.edge_owner_sharding(op.body.block.args[1]) == sharding("", "", is_closed=False)
    assert op.edge_owner_sharding(op.outputs[0]) is None


def test_where_shardings_are_found():
    function, _ = computation("named, no shardings")
    assert get_sharding(function.body.block.args[0]) == sharding("a")
    assert get_sharding(function.body.block.args[1]) is None
    tanh, reshard, gather = list(function.body.block.ops)[:3]
    assert get_sharding(tanh.results[0]) == sharding("b")
    assert get_sharding(gather.results[0]) == sharding("a")
    both = DimensionShardingAttr([AxisRefAttr("a"), AxisRefAttr("b")], is_closed=True)
    assert get_sharding(reshard.results[0]) == TensorShardingAttr("mesh", [both])


@pytest.mark.parametrize("kind", KINDS)
def test_every_sharding_of_an_operation_is_listed(kind: str):
    function, op = computation(kind)

    def where(op: Operation) -> list[str]:
        return [what for what, _, _ in shardings_on(op)]

    assert where(function) == ["arg 0"]
    assert [where(inner) for inner in list(function.body.block.ops)[:3]] == [["result 0"]] * 3
    sides = [] if kind.endswith("no shardings") else ["operand 0", "operand 1", "result 0", "result 1"]
    assert where(op) == sides
    assert all(sharding.rank == len(type.get_shape()) for _, sharding, type in shardings_on(op))
