"""Estimates of times beside published measurements of nccl-tests, and files that describe machines."""

from pathlib import Path

import pytest

import xshardy
from xshardy.planning.collective_time import link_of, seconds
from xshardy.planning.fusion import Fusions
from xshardy.planning.roofline import compute_of, work_of
from xshardy.planning.topology import H100, V5E, Link, LinkKind, TopologyError, read_topology, topology_named

GIB = 1 << 30

# Bytes of an all-reduce, devices, and measured seconds.
TWO_H100_PCIE = [(GIB, 2, 9306.7e-6), (2 * GIB, 2, 18535e-6), (4 * GIB, 2, 36943e-6)]
"""Two H100 PCIe over NVLink bridges. Source: NVIDIA/nccl, issue 1161, `all_reduce_perf -b 1G -e 8G`, out of place."""
RING_BUS_BANDWIDTH = (365e9, 370e9)
"""Two to eight H100 SXM with NCCL_ALGO=RING, 2 and 4 GiB, bytes per second. Source: NVIDIA/nccl, issue 1455."""


@pytest.mark.parametrize(("bytes", "devices", "measured"), TWO_H100_PCIE)
def test_an_all_reduce_between_two_devices_takes_what_nccl_takes(bytes: int, devices: int, measured: float):
    link = Link(LinkKind.SWITCH, 116e9, 1e-6)  # the plateau of the same table
    assert seconds("all-reduce", bytes, devices, link) == pytest.approx(measured, rel=0.02)


@pytest.mark.parametrize("devices", range(2, 9))
@pytest.mark.parametrize("bytes", [2 * GIB, 4 * GIB])
def test_one_bandwidth_fits_the_all_reduces_of_two_to_eight_devices(devices: int, bytes: int):
    estimate = seconds("all-reduce", bytes, devices, link_of(("x",), H100))
    for bandwidth in RING_BUS_BANDWIDTH:
        measured = 2 * (devices - 1) / devices * bytes / bandwidth
        assert estimate == pytest.approx(measured, rel=0.02)


def test_other_formulas():
    ring, line, tree = (Link(kind, 1e9, 1e-3) for kind in (LinkKind.RING, LinkKind.LINE, LinkKind.TREE))
    assert seconds("all-gather", 1000, 4, ring) == pytest.approx(3e-3 + 3e-6)
    assert seconds("all-gather", 1000, 4, line) == pytest.approx(3e-3 + 6e-6)
    assert seconds("all-reduce", 1000, 8, tree) == pytest.approx(6e-3 + 1.75e-6)
    assert seconds("all-to-all", 1000, 8, ring) == pytest.approx(4e-3 + 2e-6)
    assert seconds("collective-permute", 1000, 2, ring) == pytest.approx(1e-3 + 2e-6)
    assert seconds("all-reduce", 1000, 1, ring) == 0


def test_neighbours_along_two_axes_add_their_bandwidths():
    assert link_of(("x", "y:(1)2"), V5E).bandwidth == 2 * V5E.link("x").bandwidth
    assert link_of(("x", "y"), H100).bandwidth == H100.link("x").bandwidth


def test_files(tmp_path: Path):
    json, yaml = tmp_path / "a.json", tmp_path / "b.yaml"
    json.write_text('{"links": {"x": {"kind": "ring", "bandwidth": 5e10, "latency": 1e-6}}, "flops": {"bf16": 1e12}}')
    yaml.write_text("links:\n  x: {kind: ring, bandwidth: 5e10, latency: 1e-6}\nflops: {bf16: 1e12}\n")
    assert topology_named(str(json)).links == topology_named(str(yaml)).links
    assert topology_named(str(json)).peak("f32") == 1e12
    with pytest.raises(TopologyError, match='topology a has no link for mesh axis "y"'):
        topology_named(str(json)).link("y")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"t.json:1:2: "),
        ("[]", 'expected an object with "links"'),
        ('{"links": {}, "speed": 1}', 'unknown entry "speed"'),
        ('{"links": {"x": {"kind": "star"}}}', 'link "x": expected a "kind", one of ring, line, switch, tree'),
        ('{"links": {"x": {"kind": "ring", "bandwidth": "fast", "latency": 0}}}', "at least 0, got 'fast'"),
        ('{"links": {"x": {"kind": "ring", "bandwidth": 0, "latency": 0}}}', "more than 0 bytes per second"),
        ('{"links": {}, "flops": 1}', '"flops" is the peak by element type'),
    ],
)
def test_what_is_wrong_in_a_file_is_named(text: str, message: str):
    with pytest.raises(TopologyError, match=message):
        read_topology(text, Path("t.json"))


def test_what_is_wrong_in_yaml_is_named():
    with pytest.raises(TopologyError, match=r"t\.yaml: while parsing"):
        read_topology("links: {x", Path("t.yaml"))


def test_the_roofline_counts_products_and_the_memory_around_fusions():
    module = xshardy.parse("""
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = stablehlo.tanh %x : tensor<8x16xf32>
  %1 = stablehlo.negate %0 : tensor<8x16xf32>
  %2 = stablehlo.dot %1, %w : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  func.return %2 : tensor<8x32xf32>
}""")
    compute = compute_of([work for _, work in work_of(module, Fusions())], H100)
    x, w, result = 8 * 16 * 4, 16 * 32 * 4, 8 * 32 * 4
    assert compute.flops == 2 * 8 * 16 * 32
    assert compute.bytes == (x + x) + (x + w + result)  # the negation is written, tanh is not
    assert compute.seconds == pytest.approx(compute.bytes / 3.35e12)


UPDATES = """func.func @main(%x: tensor<64x32xf32>, %update: tensor<2x32xf32>, %at: tensor<i32>) -> tensor<64x32xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
  %y = stablehlo.dynamic_update_slice TARGET, %update, %at, %at :
    (tensor<64x32xf32>, tensor<2x32xf32>, tensor<i32>, tensor<i32>) -> tensor<64x32xf32>
  func.return %y : tensor<64x32xf32>
}
"""


@pytest.mark.parametrize(("target", "written"), [("%x", 0), ("%zeros", 64 * 32 * 4)])
def test_an_update_of_what_has_no_buffer_writes_all_of_it(target: str, written: int):
    module = xshardy.parse(UPDATES.replace("TARGET", target))
    compute = compute_of([work for _, work in work_of(module, Fusions())], H100)
    assert compute.bytes == written + 2 * (2 * 32 * 4)


@pytest.mark.parametrize(("source", "read"), [("%sum", 2), ("%x", 1)])
@pytest.mark.parametrize("kind", ["slice SOURCE [0:2, 0:32]", "dynamic_slice SOURCE, %i, %i, sizes = [2, 32]"])
def test_what_is_fused_into_a_slice_reads_as_much_as_the_slice_has(kind: str, source: str, read: int):
    indices = ", tensor<i32>, tensor<i32>" if "dynamic" in kind else ""
    module = xshardy.parse(
        f"""func.func @main(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>, %i: tensor<i32>) -> tensor<2x32xf32> {{
          %sum = stablehlo.add %x, %y : tensor<64x32xf32>
          %1 = stablehlo.{kind.replace("SOURCE", source)} : (tensor<64x32xf32>{indices}) -> tensor<2x32xf32>
          return %1 : tensor<2x32xf32>
        }}"""
    )
    compute = compute_of([work for _, work in work_of(module, Fusions())], H100)
    assert compute.bytes == (1 + read) * (2 * 32 * 4)


def test_what_another_operation_reads_too_is_read_whole_for_that():
    module = xshardy.parse(
        """func.func @main(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> (tensor<2x32xf32>, tensor<64x32xf32>) {
          %0 = stablehlo.add %x, %y : tensor<64x32xf32>
          %1 = stablehlo.slice %0 [0:2, 0:32] : (tensor<64x32xf32>) -> tensor<2x32xf32>
          %2 = stablehlo.negate %0 : tensor<64x32xf32>
          return %1, %2 : tensor<2x32xf32>, tensor<64x32xf32>
        }"""
    )
    compute = compute_of([work for _, work in work_of(module, Fusions())], H100)
    assert compute.bytes == (1 + 2) * (2 * 32 * 4) + (1 + 2) * (64 * 32 * 4)
