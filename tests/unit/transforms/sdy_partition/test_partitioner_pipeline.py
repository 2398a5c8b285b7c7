"""The partitioner on any operation of StableHLO, with any sharding: it equals the whole program, or is refused."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from partitioned import Outcome, check_partitioned
from partitioning.samples import Sample
from partitioning.shardings import meshes, shard
from partitioning.table import NOTHING_TO_SHARD, REFUSED_IN_PARTS, SAMPLERS
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.partitioner_pipeline import PartitionerPipelinePass
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

EXAMPLES = settings.default.max_examples // 7
"""How many programs are drawn of each operation, and three times as many of those that need elements of other parts."""

MOVED: tuple[type[Operation], ...] = (
    stablehlo.ConcatenateOp,
    stablehlo.ConvolutionOp,
    stablehlo.PadOp,
    stablehlo.ReduceWindowOp,
    stablehlo.ReshapeOp,
    stablehlo.ReverseOp,
    stablehlo.SelectAndScatterOp,
    stablehlo.SliceOp,
)
"""Operations whose parts need elements of other parts."""

KINDS = [kind for kind in SAMPLERS if kind not in REFUSED_IN_PARTS and kind not in NOTHING_TO_SHARD]

PARTITIONERS = {
    "elements": PartitionerPipelinePass(),
    "whole parts": PartitionerPipelinePass(fewest_bytes=False),
    "gathers": PartitionerPipelinePass(enable_halo_exchange=False),
}


REFUSED = "is empty", "takes no padding there"
"""Why those are refused: no collective moves parts of empty tensors, and groups of convolutions take no padding."""


def outcome(data: st.DataObject, kind: type[Operation], mesh: MeshAttr, how: str) -> Outcome:
    """What becomes of a program of one operation of this kind; fails if it computes something else."""
    sample = SAMPLERS[kind](data.draw)
    module = parse_module(sample.text)
    shard(data.draw, module, mesh, inside=data.draw(st.booleans()), uneven=data.draw(st.booleans()))
    note(f"{how}\n{module}")
    try:
        PropagationPipelinePass().apply(new_context(), module)
        for step in PARTITIONERS[how].data_movement:
            step.apply(new_context(), module)
    except OperationFailedException as refused:
        assert str(refused).strip()
        assert kind not in MOVED or any(reason in str(refused) for reason in REFUSED)
        return Outcome.REFUSED
    note(f"becomes\n{module}")
    verify(module)
    return check_partitioned(module, sample, mesh, kind)


@pytest.mark.hypothesis
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name.removeprefix("stablehlo."))
def test_partitioner(kind: type[Operation]):
    """Each operation. Those that need elements of other parts are not refused before they become local."""
    outcomes = Counter[Outcome]()

    def run(data: st.DataObject, mesh: MeshAttr, how: str) -> None:
        outcomes[outcome(data, kind, mesh, how)] += 1

    examples = EXAMPLES * 3 if kind in MOVED else EXAMPLES
    common = settings(deadline=None, suppress_health_check=[*HealthCheck], database=None, max_examples=examples)
    common(given(st.data(), meshes, st.sampled_from([*PARTITIONERS]))(run))()


@pytest.mark.parametrize("how", PARTITIONERS)
@pytest.mark.parametrize(
    ("operand", "result", "axes", "result_axes"),
    [
        ("4x6", "3x8", '{"y"}, {"x"}', "{}, {}"),
        ("2x3", "3x2", '{"y"}, {}', '{}, {"y"}'),
        ("15x2", "6x5", '{}, {"y"}', '{"y"}, {}'),
        ("8x3x1", "6x4", '{"y", "x"}, {}, {}', '{}, {"x"}'),
        ("6x2x1", "1x4x3", '{"x"}, {"y"}, {}', '{}, {"x"}, {}'),
    ],
)
def test_reshapes_without_common_factors(operand: str, result: str, axes: str, result_axes: str, how: str):
    """No reshard gives both sides the same axes: neither has a factor that the other has."""
    program = f"""
func.func @main(%a: tensor<{operand}xi32> SHARDED[{axes}]>}}) -> (tensor<{result}xi32> SHARDED[{result_axes}]>}}) {{
  %0 = stablehlo.reshape %a : (tensor<{operand}xi32>) -> tensor<{result}xi32>
  return %0 : tensor<{result}xi32>
}}
sdy.mesh @mesh = <["x"=2, "y"=2]>""".replace("SHARDED", "{sdy.sharding = #sdy.sharding<@mesh, ")
    sizes = [int(size) for size in operand.split("x")]
    sample = Sample(program, [np.arange(np.prod(sizes), dtype=np.int32).reshape(sizes)])
    module = parse_module(program)
    (mesh,) = (op.mesh for op in module.ops if isinstance(op, MeshOp))
    PropagationPipelinePass().apply(new_context(), module)
    for step in PARTITIONERS[how].data_movement:
        step.apply(new_context(), module)
    assert check_partitioned(module, sample, mesh, stablehlo.ReshapeOp) is not Outcome.REFUSED
