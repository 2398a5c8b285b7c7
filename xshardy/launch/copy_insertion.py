"""
Copies before and after what works in place, so that values that must share a buffer never need it at the same time.

A loop has one buffer for each value that it carries, a branch one for each result, an update in place one for operand
and result. Each of them gets its operands from copies of its own; `coalescing` drops the copies that are not needed.
Source: P. Briggs et al., Practical Improvements to the Construction and Destruction of Static Single Assignment Form,
1998: the copies of a loop happen at once, so a value that another of them overwrites is copied twice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.ir.insertion import insert_op
from xshardy.launch.leaves import Leaf, layout_of, leaves_of, origin, returned
from xshardy.launch.prepared_program import CONTROL_FLOW, scheduled

InPlace = Callable[[Operation], Mapping[int, int]]
"""The results of an operation that are written into the buffer of an operand: result number to operand number."""


@dataclass(slots=True)
class SharedBuffers:
    """The groups of values that have one buffer each, and the copies that were inserted for them."""

    groups: list[list[Leaf]] = field(default_factory=list[list[Leaf]])
    copies: list[hlo.CopyOp] = field(default_factory=list[hlo.CopyOp])

    def copied(self, value: SSAValue, before: Operation) -> SSAValue:
        """A copy of `value` for the operation `before`, with the same layout."""
        copy = hlo.CopyOp(value)
        if (layout := layout_of(value)) is not None:
            copy.attributes[hlo.LAYOUT] = integers(layout)
        copy.result.name_hint = value.name_hint
        insert_op(copy, InsertPoint.before(before))
        self.copies.append(copy)
        return copy.result


def insert_copies(entry: FuncOp, in_place: InPlace, donated: Mapping[int, int]) -> SharedBuffers:
    """
    Insert copies into the prepared program `entry`.

    `donated` are the results that are written into the buffer of a parameter: result number to parameter number.
    """
    shared = SharedBuffers()
    for op in tuple(scheduled(entry.body.block)):
        if isinstance(op, stablehlo.WhileOp):
            _carry(op, shared)
        elif isinstance(op, CONTROL_FLOW):
            _join(op, shared)
        elif aliases := in_place(op):
            _update(op, aliases, shared)
    _return(entry, donated, shared)
    return shared


def _carry(loop: stablehlo.WhileOp, shared: SharedBuffers) -> None:
    """`while(%a = %x)` -> `while(%a = copy(%x))`, and the same for what the body returns."""
    body, condition = loop.body.block, loop.cond.block
    end = returned(body)
    before = [shared.copied(value, loop) if _is_tensor(value) else value for value in loop.operands]
    loop.operands = before
    after = _copied_at_once(end.operands, body.args, end, shared)
    end.operands = after
    for values in zip(before, condition.args, body.args, after, loop.results, strict=True):
        if _is_tensor(values[0]):
            shared.groups.append([*map(Leaf, values)])


def _join(branches: Operation, shared: SharedBuffers) -> None:
    """`case { return %x }` -> `case { return copy(%x) }`"""
    ends = [returned(region.block) for region in branches.regions]
    for end in ends:
        end.operands = [shared.copied(value, end) if _is_tensor(value) else value for value in end.operands]
    for index, result in enumerate(branches.results):
        if _is_tensor(result):
            shared.groups.append([Leaf(result), *(Leaf(end.operands[index]) for end in ends)])


def _update(op: Operation, aliases: Mapping[int, int], shared: SharedBuffers) -> None:
    """`update(%x)` -> `update(copy(%x))`"""
    leaves = [leaf for result in op.results for leaf in leaves_of(result)]
    for result, operand in aliases.items():
        copy = shared.copied(op.operands[operand], op)
        op.operands[operand] = copy
        shared.groups.append([Leaf(copy), leaves[result]])


def _return(entry: FuncOp, donated: Mapping[int, int], shared: SharedBuffers) -> None:
    """`return %x` -> `return copy(%x)`: every result has a buffer of its own, or that of a donated parameter."""
    end, parameters = returned(entry.body.block), entry.body.block.args
    targets = [parameters[donated[index]] if index in donated else None for index in range(len(end.operands))]
    end.operands = _copied_at_once(end.operands, targets, end, shared)
    for value, parameter in zip(end.operands, targets, strict=True):
        if _is_tensor(value):
            shared.groups.append([Leaf(value)] if parameter is None else [Leaf(parameter), Leaf(value)])


def _copied_at_once(
    values: Sequence[SSAValue], targets: Sequence[SSAValue | None], end: Operation, shared: SharedBuffers
) -> list[SSAValue]:
    """Copies of `values` before `end`, each into the buffer of its target."""
    overwritten = {Leaf(target) for target in targets if target is not None}
    kept = [
        shared.copied(value, end)
        if _is_tensor(value) and (first := origin(Leaf(value))) in overwritten and target is not first.value
        else value
        for value, target in zip(values, targets, strict=True)
    ]
    return [shared.copied(value, end) if _is_tensor(value) else value for value in kept]


def _is_tensor(value: SSAValue) -> bool:
    return any(leaf.path == () for leaf in leaves_of(value))
