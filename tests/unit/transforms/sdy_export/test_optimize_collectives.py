"""Reshards whose collectives are optimized give each device its part."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from partitioned import Outcome, check_partitioned
from partitioning.samples import Sample
from partitioning.shardings import MESHES, shardings
from xdsl.dialects.builtin import TensorType, f32

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.dialects.stablehlo.shape import ReshapeOp
from xshardy.syntax import parse_module
from xshardy.transforms.sdy_export.canonicalize_communication import CanonicalizeCollectivesPass
from xshardy.transforms.sdy_export.optimize_collectives import OptimizeCollectivesPass
from xshardy.transforms.sdy_export.reshard_to_collectives import ReshardToCollectivesPass
from xshardy.universe import new_context

SHAPE = (8, 8, 4)
TYPE = "x".join(map(str, SHAPE))
ARRAY = np.arange(np.prod(SHAPE), dtype=np.float32).reshape(SHAPE)
WHOLE = f"func.func @main(%x: tensor<{TYPE}xf32>) -> tensor<{TYPE}xf32> {{ return %x : tensor<{TYPE}xf32> }}"
LARGE = [mesh for mesh in MESHES if len(mesh.sizes) > 1 and 3 not in mesh.sizes.values()]


def resharded(before: str, after: str, mesh: MeshAttr) -> str:
    axes = ", ".join(f'"{name}"={extent}' for name, extent in mesh.sizes.items())
    ids = f", device_ids={[number.data for number in mesh.device_ids]}" if mesh.device_ids.data else ""
    return f"""
      sdy.mesh @mesh = <[{axes}]{ids}>
      func.func @main(%x: tensor<{TYPE}xf32> {{sdy.sharding = {before}}})
          -> (tensor<{TYPE}xf32> {{sdy.sharding = {after}}}) {{
        %0 = sdy.reshard %x {after.removeprefix("#sdy.sharding")} : tensor<{TYPE}xf32>
        return %0 : tensor<{TYPE}xf32>
      }}"""


def outcome(text: str, mesh: MeshAttr) -> bool:
    """Whether the collectives of a reshard were optimized; fails if a device has not its part then."""
    module = parse_module(text)
    ReshardToCollectivesPass().apply(new_context(), module)
    OptimizeCollectivesPass().apply(new_context(), module)
    CanonicalizeCollectivesPass().apply(new_context(), module)
    optimized = any(isinstance(op, ReshapeOp) for op in module.walk())
    assert check_partitioned(module, Sample(WHOLE, [ARRAY]), mesh, ReshardOp) is not Outcome.REFUSED
    return optimized


@settings(suppress_health_check=list(HealthCheck), database=None)
@given(st.data(), st.sampled_from(LARGE))
def test_any_reshard(data: st.DataObject, mesh: MeshAttr):
    type = TensorType(f32, SHAPE)
    before, after = (data.draw(shardings(mesh, type)) for _ in range(2))
    even = resharded(str(before), str(after), mesh)
    outcome(even, mesh)


def test_reshards_that_are_optimized():
    mesh = MeshAttr.of([("x", 2), ("y", 2), ("z", 2)])
    for before, after in (
        ('{"x", "y"}, {}, {}', '{"y"}, {"x"}, {}'),
        ('{"x", "y", "z"}, {}, {}', '{"z"}, {"x", "y"}, {}'),
        ('{"x", "y", "z"}, {}, {}', '{"z"}, {"x"}, {"y"}'),
    ):
        text = resharded(f"#sdy.sharding<@mesh, [{before}]>", f"#sdy.sharding<@mesh, [{after}]>", mesh)
        assert outcome(text, mesh), f"{before} to {after}"
