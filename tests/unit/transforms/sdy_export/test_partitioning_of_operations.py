"""Any sharding of any operation of StableHLO runs on the simulated mesh and equals the whole, or is refused."""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, note, settings
from hypothesis import given as given_by
from hypothesis import strategies as st
from partitioned import check_partitioned, is_sharded
from partitioning.shardings import meshes, shard
from partitioning.table import SAMPLERS
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

EXAMPLES = int(os.environ.get("PARTITIONING_EXAMPLES", "10"))

PIPELINES = {
    "in full": PropagationPipelinePass(enable_insert_explicit_collectives=True),
    "propagated": PropagationPipelinePass(avoid_export_for_partitioning=True),
    "as drawn": None,
}


@pytest.mark.parametrize("kind", SAMPLERS, ids=lambda kind: kind.name.removeprefix("stablehlo."))
def test_partitioning(kind: type[Operation]):
    outcomes = Counter[str]()

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[*HealthCheck], database=None)
    @given_by(st.data(), meshes, st.sampled_from([*PIPELINES, "in full"]))
    def check(data: st.DataObject, mesh, how: str):
        sample = SAMPLERS[kind](data.draw)
        module = parse_module(sample.text)
        assert any(isinstance(op, kind) for op in module.walk())
        shard(data.draw, module, mesh, inside=data.draw(st.booleans()))
        note(f"{how}\n{module}")
        if (pipeline := PIPELINES[how]) is not None:
            try:
                pipeline.apply(new_context(), module)
            except OperationFailedException as refused:
                assert str(refused).strip()
                outcomes["refused by the pipeline"] += 1
                return
        note(f"after the pipeline\n{module}")
        has_run = check_partitioned(module, sample.text, mesh, sample.arguments)
        outcomes[f"{'ran' if has_run else 'refused'} {'sharded' if is_sharded(module) else 'whole'} {how}"] += 1

    check()
    print(kind.name, dict(outcomes))


_ = stablehlo
