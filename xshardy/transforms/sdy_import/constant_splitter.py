"""
Copy constant sub-computations, so that no sharding is propagated from one use to another.

Source: row SDY-PASS-03, which upstream replaced by `sdy-constant-or-scalar-splitter`.
"""

from collections.abc import Iterable
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.facts.movement import is_elementwise_bitcast
from xshardy.rewriting import BACKWARD, PatternPass, Step
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.sdy_import.constant_copies import (
    CopyConstantToUse,
    EraseUnusedOriginal,
    UseShardyConstant,
    unused_originals,
)
from xshardy.transforms.sdy_import.constant_subcomputations import (
    DOCUMENTED,
    find_splits,
    is_of_kind,
)


def preserves_constants(op: Operation) -> bool:
    """Whether `op` is a broadcast, a slice or an elementwise operation."""
    return is_of_kind(type(op), DOCUMENTED) or is_elementwise_bitcast(op)


class ConstantSplitterPass(PatternPass):
    """
    Copy constant sub-computations, so that each has one use.

    Membership in a sharding group is not a use: every copy is a member of the groups of the original.
    """

    name = "sdy-constant-splitter"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-constant-splitter (SDY-PASS-03)'

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        splits = find_splits(operations_in(module), preserves_constants)
        yield Step((CopyConstantToUse(splits.uses, with_scalars=True),))
        yield Step((EraseUnusedOriginal(unused_originals(splits)),), BACKWARD)
        yield Step((UseShardyConstant(),))  # last: the analysis walks over what it inserts
