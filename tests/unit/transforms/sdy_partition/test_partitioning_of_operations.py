"""Any sharding of any operation of StableHLO runs on the simulated mesh and equals the whole, or is refused."""

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st
from partitioned import Outcome, check_partitioned
from partitioning.control import HANDLE
from partitioning.shardings import meshes, shard
from partitioning.table import ASYNCHRONOUS, HOST, NOTHING_TO_SHARD, REFUSED_IN_PARTS, SAMPLERS
from xdsl.ir import Dialect, Operation
from xdsl.passes import ModulePass, PassPipeline

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.programs.sharded import PROPAGATION
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.partitioner_pipeline import PartitionerPipelinePass
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

EXAMPLES = settings.default.max_examples // 5
"""How many programs are drawn of each operation. More find more: `make soak` draws 200."""

PATIENCE = 400
"""How many more are drawn until one runs in parts."""

DOCS = Path(__file__).parents[4] / "docs" / "sdy_partition.md"
REASONS = {*REFUSED_IN_PARTS.values()}

PIPELINES: dict[str, tuple[ModulePass, ...]] = {
    "in full": (PropagationPipelinePass(enable_insert_explicit_collectives=True),),
    "partitioned": (PROPAGATION, *PartitionerPipelinePass().data_movement),
    "propagated": (PropagationPipelinePass(avoid_export_for_partitioning=True),),
    "as drawn": (),
}
"""What runs before a program becomes local. Without reshards, most shardings do not belong together."""


class RanInPartsError(Exception):
    """Ends a search for a program that runs in parts."""


def outcome(data: st.DataObject, kind: type[Operation], mesh: MeshAttr, how: str) -> Outcome:
    """What becomes of a program of one operation of this kind; fails if it computes something else."""
    sample = SAMPLERS[kind](data.draw)
    module = parse_module(sample.text)
    assert any(isinstance(op, kind) for op in module.walk())
    shard(data.draw, module, mesh, inside=data.draw(st.booleans()))
    note(f"{how}\n{module}")
    try:
        PassPipeline(PIPELINES[how]).apply(new_context(), module)
    except OperationFailedException as refused:
        assert str(refused).strip()
        return Outcome.REFUSED
    note(f"becomes\n{module}")
    found = check_partitioned(module, sample, mesh, kind)
    is_between_partitions = kind is stablehlo.PartitionIdOp or HANDLE in sample.text
    if how == "partitioned" and not is_between_partitions:
        assert found is not Outcome.REFUSED or REFUSED_IN_PARTS.get(kind) in (HOST, ASYNCHRONOUS)
    return found


@pytest.mark.hypothesis
@pytest.mark.parametrize("kind", SAMPLERS, ids=lambda kind: kind.name.removeprefix("stablehlo."))
def test_partitioning(kind: type[Operation]):
    """
    Each operation, with operands and results sharded in any way.

    At least one sharding of it runs in parts, or none does and the table says why. After all passes, nothing is refused
    but what the table says.
    """
    outcomes = Counter[Outcome]()

    def run(data: st.DataObject, mesh: MeshAttr, how: str) -> None:
        outcomes[outcome(data, kind, mesh, how)] += 1

    def run_until_parts(data: st.DataObject, mesh: MeshAttr) -> None:
        if outcome(data, kind, mesh, "partitioned") is Outcome.RAN_IN_PARTS:
            raise RanInPartsError

    common = settings(deadline=None, suppress_health_check=[*HealthCheck], database=None)
    anything = given(st.data(), meshes, st.sampled_from([*PIPELINES, "in full", "partitioned"]))
    settings(common, max_examples=EXAMPLES)(anything(run))()
    if kind in REFUSED_IN_PARTS or kind in NOTHING_TO_SHARD:
        assert not outcomes[Outcome.RAN_IN_PARTS]
    elif not outcomes[Outcome.RAN_IN_PARTS]:
        more = settings(common, max_examples=PATIENCE, phases=[Phase.generate])
        with pytest.raises(RanInPartsError):
            more(given(st.data(), meshes)(run_until_parts))()


def test_every_operation_is_drawn():
    """An operation that is added to the dialect needs an entry in the table."""
    (dialect,) = (value for value in vars(stablehlo).values() if isinstance(value, Dialect))
    assert {*dialect.operations} == {*SAMPLERS}


def test_every_refusal_is_documented():
    """The page of the partitioner lists the operations that are refused in parts, by the reason."""
    rows = [line for line in DOCS.read_text().splitlines() if line.startswith("| ")]
    documented = {name for row in rows for reason in REASONS if reason in row for name in re.findall(r"`(\w.*?)`", row)}
    assert documented == {kind.name.removeprefix("stablehlo.") for kind in REFUSED_IN_PARTS}
