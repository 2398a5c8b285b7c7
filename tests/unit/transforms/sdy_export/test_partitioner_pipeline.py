"""The partitioner on any operation of StableHLO, with any sharding: it equals the whole program, or is refused."""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from partitioned import Outcome, check_partitioned
from partitioning.shardings import meshes, shard
from partitioning.table import NOTHING_TO_SHARD, REFUSED_IN_PARTS, SAMPLERS
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_export.partitioner_pipeline import PartitionerPipelinePass
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

EXAMPLES = int(os.environ.get("PARTITIONER_EXAMPLES", "4"))
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
        note(str(refused))
        return Outcome.REFUSED
    note(f"becomes\n{module}")
    verify(module)
    return check_partitioned(module, sample, mesh, kind)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name.removeprefix("stablehlo."))
def test_partitioner(kind: type[Operation]):
    """Each operation; those that need elements of other parts are not refused."""
    outcomes = Counter[Outcome]()

    def run(data: st.DataObject, mesh: MeshAttr, how: str) -> None:
        outcomes[outcome(data, kind, mesh, how)] += 1
        if kind in MOVED:
            assert not outcomes[Outcome.REFUSED]

    examples = EXAMPLES * 3 if kind in MOVED else EXAMPLES
    common = settings(deadline=None, suppress_health_check=[*HealthCheck], database=None, max_examples=examples)
    common(given(st.data(), meshes, st.sampled_from([*PARTITIONERS]))(run))()
