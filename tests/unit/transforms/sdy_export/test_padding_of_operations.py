"""Operations on tensors that are not divided evenly are padded, run on the simulated mesh, and equal the whole."""

import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from partitioned import Outcome, check_partitioned
from partitioning.shardings import meshes, shard
from partitioning.table import NOTHING_TO_SHARD, REFUSED_IN_PARTS, SAMPLERS
from xdsl.ir import Operation

from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_export.pad_for_divisibility import PadForDivisibilityPass
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

EXAMPLES = int(os.environ.get("PADDING_EXAMPLES", "6"))
"""How many programs are drawn of each operation."""

KINDS = [kind for kind in SAMPLERS if kind not in REFUSED_IN_PARTS and kind not in NOTHING_TO_SHARD]


def outcome(data: st.DataObject, kind: type[Operation], mesh: MeshAttr) -> tuple[Outcome, bool]:
    """What becomes of a program of one operation of this kind, and whether it was padded."""
    sample = SAMPLERS[kind](data.draw)
    module = parse_module(sample.text)
    shard(data.draw, module, mesh, inside=data.draw(st.booleans()), uneven=True)
    note(str(module))
    try:
        PropagationPipelinePass(enable_insert_explicit_collectives=True).apply(new_context(), module)
        before = str(module)
        PadForDivisibilityPass().apply(new_context(), module)
    except OperationFailedException as refused:
        assert str(refused).strip()
        return Outcome.REFUSED, False
    note(f"becomes\n{before}\nand\n{module}")
    verify(module)
    return check_partitioned(module, sample, mesh, kind), str(module) != before


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name.removeprefix("stablehlo."))
def test_padding(kind: type[Operation]):
    """Each operation, with operands and results sharded in any way, mostly unevenly."""
    outcomes = Counter[tuple[Outcome, bool]]()

    def run(data: st.DataObject, mesh: MeshAttr) -> None:
        outcomes[outcome(data, kind, mesh)] += 1

    common = settings(
        deadline=None, suppress_health_check=[*HealthCheck], database=None, max_examples=EXAMPLES, derandomize=False
    )
    common(given(st.data(), meshes)(run))()
    if "PADDING_REPORT" in os.environ:
        print(kind.name, {f"{key.name} {padded}": count for (key, padded), count in outcomes.items()})
