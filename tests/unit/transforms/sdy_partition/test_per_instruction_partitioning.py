"""Programs of which single operations are partitioned first equal the whole, and filters take what they name."""

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from partitioned import check_partitioned
from partitioning.shardings import meshes, shard
from partitioning.table import NOTHING_TO_SHARD, REFUSED_IN_PARTS, SAMPLERS
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_partition.instruction_filter import InstructionFilter
from xshardy.transforms.sdy_partition.pad.pad_for_divisibility import PadForDivisibilityPass
from xshardy.transforms.sdy_partition.per_instruction_partitioning import PerInstructionPartitioningPass
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

KINDS = [kind for kind in SAMPLERS if kind not in REFUSED_IN_PARTS and kind not in NOTHING_TO_SHARD]


@settings(suppress_health_check=list(HealthCheck), database=None)
@given(st.data(), st.sampled_from(KINDS), meshes)
def test_any_operation(data: st.DataObject, kind: type[Operation], mesh: MeshAttr):
    sample = SAMPLERS[kind](data.draw)
    module = parse_module(sample.text)
    shard(data.draw, module, mesh, inside=data.draw(st.booleans()), uneven=data.draw(st.booleans()))
    PropagationPipelinePass(enable_insert_explicit_collectives=True).apply(new_context(), module)
    note(str(module))
    try:
        PerInstructionPartitioningPass().apply(new_context(), module)
        note(f"becomes\n{module}")
        verify(module)
        PadForDivisibilityPass().apply(new_context(), module)
    except OperationFailedException as refused:
        assert str(refused).strip()
        return
    check_partitioned(module, sample, mesh, kind)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ((), InstructionFilter()),
        (("",), InstructionFilter()),
        (("dot", "add"), InstructionFilter(("dot", "add"))),
        (("'dot, selectLow=2 '", "selectHigh=10"), InstructionFilter(("dot",), 2, 10)),
        (('"selectHigh = 3"',), InstructionFilter((), None, 3)),
    ],
)
def test_filters(texts: tuple[str, ...], expected: InstructionFilter):
    assert InstructionFilter.parse(texts) == expected


@pytest.mark.parametrize("text", ["selectLow=", "selectHigh=-1", "selectlow=1", "dot=2"])
def test_filters_that_are_not_understood(text: str):
    with pytest.raises(PassFailedException, match="is not understood"):
        InstructionFilter.parse([text])
