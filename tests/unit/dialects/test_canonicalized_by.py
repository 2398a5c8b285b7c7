"""Operations find their canonicalization patterns in the module that they name."""

import subprocess
import sys

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import HasCanonicalizationPatternsTrait

from xshardy.dialects.sdy import canonicalization as sdy
from xshardy.dialects.sdy.collectives import AllGatherOp, ShardedToUnreducedOp
from xshardy.dialects.sdy.ops import ManualComputationOp, ReshardOp
from xshardy.dialects.xla_gpu import canonicalization as xla_gpu
from xshardy.dialects.xla_gpu.ops import ApplyIndexingOp, LoopOp


def patterns_of(op: type[Operation]):
    (trait,) = op.get_traits_of_type(HasCanonicalizationPatternsTrait)
    return trait.get_patterns(op)


@pytest.mark.parametrize(
    "op, expected",
    [
        (ReshardOp, sdy.PATTERNS[ReshardOp]),
        (ManualComputationOp, sdy.PATTERNS[ManualComputationOp]),
        (AllGatherOp, sdy.COLLECTIVE_PATTERNS[AllGatherOp]),
        (ShardedToUnreducedOp, ()),
        (ApplyIndexingOp, xla_gpu.APPLY_INDEXING_PATTERNS),
        (LoopOp, xla_gpu.PATTERNS[LoopOp]),
    ],
)
def test_patterns_are_the_row_of_the_operation(op: type[Operation], expected):
    assert patterns_of(op) == expected


def test_every_row_is_found():
    for table in (sdy.PATTERNS, xla_gpu.PATTERNS):
        assert all(patterns_of(op) == tuple(patterns) and patterns for op, patterns in table.items())
    assert not ModuleOp.get_traits_of_type(HasCanonicalizationPatternsTrait)


def test_operations_do_not_import_their_patterns():
    program = (
        "import sys, xshardy.dialects.sdy.ops, xshardy.dialects.sdy.collectives, xshardy.dialects.xla_gpu.ops\n"
        "assert not [name for name in sys.modules if name.endswith('.canonicalization')]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
