"""A program with a few of its repeated layers: annotations are tried out on it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from xshardy.dialects.extensions.effects import is_trivially_dead
from xshardy.planning.auto.annotations import Annotations
from xshardy.planning.auto.prepared import Prepared
from xshardy.planning.auto.repeated_layers import repeated_layers
from xshardy.planning.auto.space import Layout
from xshardy.transforms.sdy.main_function import main_function

FIRST, LAST = 2, 1
"""How many of the first and of the last layers stay."""
WORTHWHILE = 0.3
"""The part of the operations that must go; else the whole program is as quick to try."""


@dataclass(frozen=True, slots=True)
class Shortened:
    """A program with fewer layers, of the same arguments and results."""

    prepared: Prepared
    stand_ins: Mapping[Operation, Operation]
    """For each operation that was left out, the same one of a layer that stays; both of the whole program."""

    def lifted(self, annotations: Annotations, layout: Layout) -> Annotations:
        """`annotations` of this program for the whole one: values of layers that were left out get theirs, too."""
        values = {
            value: layout.values[value]
            for op, stand_in in self.stand_ins.items()
            for value, like in _pairs(op, stand_in)
            if like in annotations.values and value in layout.values
        }
        return annotations.with_values(values)


def _pairs(op: Operation, like: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The values of two operations that do the same."""
    yield from zip(op.results, like.results, strict=True)
    for mine, theirs in zip(op.regions, like.regions, strict=True):
        for block, of_like in zip(mine.blocks, theirs.blocks, strict=True):
            yield from zip(block.args, of_like.args, strict=True)


def shortened(prepared: Prepared) -> Shortened | None:
    """
    `prepared` without most of its repeated layers, or None if it has few.

    What reads a value of a layer that was left out reads that of a layer that stays and comes before the reader.
    """
    block = main_function(prepared.program.module).body.block
    layers = repeated_layers(block)
    left_out = layers[FIRST:-LAST]
    positions = {op: position for position, op in enumerate(block.ops)}
    if sum(map(len, left_out)) < WORTHWHILE * len(positions):
        return None
    stand_ins, later = (
        {op: like for layer in left_out for op, like in zip(layer, layers[number], strict=True)}
        for number in (FIRST - 1, -LAST)
    )
    program, copies = prepared.program.copy()
    for reader, position in positions.items():
        if reader in stand_ins:
            continue
        for op in reader.walk():
            for index, value in enumerate(op.operands):
                if not isinstance(value, OpResult) or value.op not in stand_ins:
                    continue
                before = [like for like in (stand_ins[value.op], later[value.op]) if positions[like] < position]
                if not before:
                    return None
                copies[op].operands[index] = copies[before[0]].results[value.index]
    inside = {
        mine: like for op, stand_in in stand_ins.items() for mine, like in zip(op.walk(), stand_in.walk(), strict=True)
    }
    for op in reversed(positions):
        if op in stand_ins or is_trivially_dead(copies[op]):
            Rewriter.erase_op(copies[op])
    left = {*program.module.walk()}
    kept = {op: copy for op, copy in copies.items() if copy in left}
    return Shortened(replace(prepared, program=program, kept=kept), inside)
