"""
Which results of a block a compiler keeps in no buffer: it computes them where they are read.

A model of XLA's instruction fusion, which is alike on all platforms for what it is used for here. An operation that
computes its elements independently of each other is fused if all readers are, or reduce, in the same block. One that is
costly to compute again is fused into a single reader only. Source: XLA's docs, "Operator fusion".
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from xdsl.ir import Block, Operation

from xshardy.dialects import stablehlo
from xshardy.facts.cost import Amount, cost_of
from xshardy.facts.movement import VIEWS, is_computed_by_element, is_elementwise

CONTRACTING = frozenset[type[Operation]]({stablehlo.DotOp, stablehlo.DotGeneralOp, stablehlo.ConvolutionOp})
ABSORBING = frozenset[type[Operation]](
    {stablehlo.DynamicUpdateSliceOp, stablehlo.ReduceOp, stablehlo.ReduceWindowOp, stablehlo.ScatterOp}
)
"""Operations that others are fused into, and that have a buffer."""
UPDATING = frozenset[type[Operation]]({stablehlo.AllReduceOp, stablehlo.DynamicUpdateSliceOp, stablehlo.ScatterOp})


def overwrites(op: Operation) -> bool:
    """Whether `op` may write a result over an operand of its size that nothing reads later."""
    return type(op) in UPDATING or type(op) in VIEWS or type(op) is stablehlo.WhileOp or is_elementwise(op)


@dataclass(frozen=True, slots=True)
class Fusion:
    """Where the operations of a block are computed."""

    positions: Mapping[Operation, int]
    """The position in the block at which each operation is computed: its own, or that of its last reader."""
    fused: frozenset[Operation]
    """The operations that have no buffers: those that are fused into their readers, and those without readers."""


def fusion_of(block: Block) -> Fusion:
    """What a compiler fuses in `block`. Linear in operations and uses."""
    positions = {op: position for position, op in enumerate(block.ops)}
    fused = set[Operation]()
    for op in reversed(positions):
        readers = {use.operation for result in op.results for use in result.uses}
        if _is_fused(op, readers, block):
            fused.add(op)
            positions[op] = max((positions[reader] for reader in readers), default=positions[op])
    return Fusion(positions, frozenset(fused))


class Fusions(dict[Block, Fusion]):
    """The fusion of each block of a program, found when it is first asked for."""

    def __missing__(self, block: Block) -> Fusion:
        found = self[block] = fusion_of(block)
        return found


def _is_fused(op: Operation, readers: AbstractSet[Operation], block: Block) -> bool:
    kind = type(op)
    if kind is stablehlo.ConstantOp:
        return all(reader.parent is block for reader in readers)
    if not is_computed_by_element(op):
        return False
    if len(readers) > 1 and (cost_of(op).work is Amount.MUCH or op.name.startswith("chlo.")):
        return False
    return all(reader.parent is block and _absorbs(reader, kind in VIEWS) for reader in readers)


def _absorbs(reader: Operation, is_view: bool) -> bool:
    """Whether operations are fused into `reader`; with `is_view`, one that only changes the layout."""
    kind = type(reader)
    if kind in CONTRACTING:
        return is_view
    return kind in ABSORBING or is_computed_by_element(reader)
