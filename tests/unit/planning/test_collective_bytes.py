"""The bytes that devices send in collectives, in StableHLO and in HLO text."""

import pytest
from xdsl.ir import Operation

import xshardy
from xshardy.axes.grid import Grid
from xshardy.planning.collective_bytes import bytes_sent, groups_of, kind_of, operand_bytes
from xshardy.rewriting.walk import operations_in

DEVICES = 8
GRID = Grid(1, DEVICES)
GROUPS = "replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
IDS = f"{GROUPS}, {CHANNEL}, use_global_device_ids"
ADD = """({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    })"""
TYPE = "tensor<8x16xf32>"
BYTES = 8 * 16 * 4


def collective(text: str, argument: str = TYPE) -> Operation:
    """The collective `text`, which reads `%x`."""
    module = xshardy.parse(f"func.func @main(%x: {argument}) {{ {text}\n return }}")
    (found,) = (op for op in operations_in(module) if kind_of(op) is not None)
    return found


def all_reduce(attributes: str, type: str = TYPE) -> Operation:
    return collective(f'%0 = "stablehlo.all_reduce"(%x) <{{{attributes}}}> {ADD} : ({type}) -> {type}', type)


def permute(pairs: str) -> Operation:
    return collective(f'%0 = "stablehlo.collective_permute"(%x) <{{{pairs}, {CHANNEL}}}> : ({TYPE}) -> {TYPE}')


def ring(kind: str, size: int, bytes: int) -> int:
    """The bytes that a device sends when chunks of `bytes / size` go around a ring, step by step."""
    steps = {"all-gather": size - 1, "reduce-scatter": size - 1, "all-reduce": 2 * (size - 1)}[kind]
    chunk = bytes if kind == "all-gather" else bytes // size
    return sum(chunk for _ in range(steps))


def test_gathers_and_reductions_send_what_a_ring_sends():
    gather = f'%0 = "stablehlo.all_gather"(%x) <{{all_gather_dim = 0 : i64, {IDS}}}> : ({TYPE}) -> tensor<32x16xf32>'
    scatter = (
        f'%0 = "stablehlo.reduce_scatter"(%x) <{{scatter_dimension = 0 : i64, {IDS}}}> {ADD} : '
        f"({TYPE}) -> tensor<2x16xf32>"
    )
    for op in (collective(gather), collective(scatter), all_reduce(IDS)):
        kind = kind_of(op)
        assert kind is not None
        assert bytes_sent(op, GRID) == ring(kind, 4, BYTES)


def test_the_root_of_a_broadcast_does_not_count():
    groups = "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"
    text = (
        '%r = stablehlo.constant dense<1> : tensor<1xi32> %0 = "stablehlo.collective_broadcast"(%x, %r) '
        f"<{{{groups}, {CHANNEL}, has_dynamic_root}}> : ({TYPE}, tensor<1xi32>) -> {TYPE}"
    )
    static = f'%0 = "stablehlo.collective_broadcast"(%x) <{{{groups}, {CHANNEL}}}> : ({TYPE}) -> {TYPE}'
    assert operand_bytes(collective(text)) == operand_bytes(collective(static)) == BYTES


def test_an_exchange_keeps_the_own_part():
    text = (
        f'%0 = "stablehlo.all_to_all"(%x) <{{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : '
        f"i64, {GROUPS}, {CHANNEL}}}> : ({TYPE}) -> tensor<32x4xf32>"
    )
    assert bytes_sent(collective(text), GRID) == BYTES * 3 // 4


def test_a_permute_sends_to_other_devices_only():
    moving = permute("source_target_pairs = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>".replace("[1, 1]", "[1, 0]"))
    staying = permute("source_target_pairs = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>")
    assert (bytes_sent(moving, GRID), bytes_sent(staying, GRID)) == (BYTES, 0)


def test_groups_without_numbers_of_devices():
    replicas = "replica_groups = dense<0> : tensor<1x1xi64>"
    assert groups_of(all_reduce(f"{replicas}, {CHANNEL}"), GRID) == [tuple(range(DEVICES))]
    assert bytes_sent(all_reduce(replicas), GRID) == 0


def test_groups_along_axes_of_a_mesh():
    mesh = '#stablehlo.mesh<axes=[<name = "x", size = 2>, <name = "y", size = 4>]>'
    axes = '[#stablehlo.axis_ref<name = "y">]'
    groups = f"#stablehlo.replica_group_mesh_axes<mesh = {mesh}, axes = {axes}>"
    op = all_reduce(f"replica_groups = {groups}, {CHANNEL}, use_global_device_ids")
    assert [list(group) for group in groups_of(op, GRID)] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_groups_of_different_sizes_count_the_largest():
    groups = "replica_groups = dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>"
    assert bytes_sent(all_reduce(f"{groups}, {CHANNEL}, use_global_device_ids"), Grid(1, 4)) == -(-2 * 2 * BYTES // 3)


@pytest.mark.parametrize(("element", "bytes"), [("i1", 128), ("i4", 128), ("bf16", 256), ("complex<f64>", 2048)])
def test_elements_take_whole_bytes(element: str, bytes: int):
    type = f"tensor<8x16x{element}>"
    pairs = "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>"
    op = collective(f'%0 = "stablehlo.collective_permute"(%x) <{{{pairs}, {CHANNEL}}}> : ({type}) -> {type}', type)
    assert bytes_sent(op, GRID) == bytes


HLO = """HloModule m
add { %a = f32[] parameter(0) %b = f32[] parameter(1) ROOT %s = f32[] add(%a, %b) }
ENTRY %main (x: f32[8,16]) -> f32[8,16] {
  %x = f32[8,16]{1,0} parameter(0)
  ROOT %r = INSTRUCTION
}
"""


@pytest.mark.parametrize(
    ("instruction", "bytes"),
    [
        (
            "f32[8,16]{1,0} all-reduce(%x), channel_id=1, replica_groups=[2,4]<=[8], use_global_device_ids=true, "
            "to_apply=add",
            BYTES * 2 * 3 // 4,
        ),
        ("f32[8,16]{1,0} all-to-all(%x), channel_id=1, replica_groups={{0,1}}, dimensions={0}", BYTES // 2),
        ("f32[8,16]{1,0} collective-permute(%x), channel_id=1, source_target_pairs={{0,1},{1,0}}", BYTES),
    ],
)
def test_collectives_of_hlo_text(instruction: str, bytes: int):
    module = xshardy.read_hlo(HLO.replace("INSTRUCTION", instruction))
    (op,) = (op for op in operations_in(module) if kind_of(op) is not None)
    assert bytes_sent(op, GRID) == bytes


BOTH = Grid(2, 4)


@pytest.mark.parametrize(
    ("instruction", "groups"),
    [
        ("all-reduce(%x), replica_groups={{0,1}}, to_apply=add", [[0, 4], [1, 5], [2, 6], [3, 7]]),
        ("all-reduce(%x), replica_groups={}, to_apply=add", [[0, 4], [1, 5], [2, 6], [3, 7]]),
        ("all-reduce(%x), channel_id=1, replica_groups={{0},{1}}, to_apply=add", [[0, 1, 2, 3], [4, 5, 6, 7]]),
        ("all-reduce(%x), channel_id=1, replica_groups={}, to_apply=add", [[*range(8)]]),
        (
            "all-to-all(%x), channel_id=1, replica_groups={{0,1},{2,3}}, dimensions={0}",
            [[0, 1], [2, 3], [4, 5], [6, 7]],
        ),
        ("collective-permute(%x), channel_id=1, source_target_pairs={{0,3}}", [[0, 3], [4, 7]]),
        ("collective-permute(%x), source_target_pairs={{0,1}}", [[0, 4], [1, 5], [2, 6], [3, 7]]),
    ],
)
def test_groups_among_replicas_and_partitions(instruction: str, groups: list[list[int]]):
    module = xshardy.read_hlo(HLO.replace("INSTRUCTION", f"f32[8,16] {instruction}"))
    (found,) = (op for op in operations_in(module) if kind_of(op) is not None)
    assert sorted(sorted(group) for group in groups_of(found, BOTH)) == groups
