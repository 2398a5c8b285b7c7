"""
Tensors of whose sum, maximum or minimum each device has a summand.

Whatever the summands are, the whole tensor is the reduction of a source with one more dimension, which numbers them;
and each device has a part of that. An index into that source has the number of the summand last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import Attribute

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.proving.index import Index, Ints, first_equal, identity
from xshardy.proving.kernel import Kernel
from xshardy.proving.rules.collectives import Reducer
from xshardy.proving.rules.keys import kind_of_element
from xshardy.proving.rules.reductions import roles_of
from xshardy.proving.sources import Operation, Source, Term
from xshardy.proving.views import Box, Partial, View, at_devices, same_in, view_of

KINDS = {ReductionOp.SUM: "add", ReductionOp.MAX: "maximum", ReductionOp.MIN: "minimum"}


def count_of(tensor: DistributedTensor) -> int:
    """How many devices have summands of an element."""
    return len(tensor.summed_devices[0]) if tensor.summed_devices else 1


def ranks_of(tensor: DistributedTensor) -> Ints:
    """The number of the summand of each device."""
    ranks = np.zeros(tensor.devices, np.int64)
    for group in tensor.summed_devices:
        ranks[group] = np.arange(len(group))
    return ranks


def summed(kernel: Kernel, name: str, tensor: DistributedTensor) -> View:
    """A tensor of the whole program that nothing is known about: as the reduction of its summands, if it has some."""
    shape, kind = tensor.shape, KINDS[tensor.reduction]
    if count_of(tensor) == 1:
        return view_of(Source(name, shape), identity(shape), shape, 1)
    space = (*shape, count_of(tensor))
    element = kind_of_element(tensor.type.element_type)
    combined = Operation("reduce", None, roles_of(space, len(shape)), space, kind=kind, kinds=(element, element))
    return kernel.apply(combined, [view_of(Source(name, space), identity(space), space, 1)], range(len(shape)))


def summand(part: View, ranks: Ints, count: int, kind: str) -> View:
    """The summand of this rank of a part of such a tensor."""
    box = Box(ranks[:, None], ranks[:, None] + 1, np.ones(len(ranks), bool))
    partial = Partial(kind, (box,), (count,))
    return View(part.shape, tuple(replace(piece, partial=partial) for piece in part.pieces))


@dataclass(frozen=True, eq=False, slots=True)
class Held:
    """What devices have of values that a loop or branch carries: parts of them."""

    def of(self, part: View) -> View:
        """What each device has of a part of the whole tensor."""
        return part

    def is_of(self, kernel: Kernel, view: View, part: View) -> bool:
        """Whether `view` is what each device has of a part of the whole tensor."""
        return kernel.has(view, part)


@dataclass(frozen=True, eq=False, slots=True)
class HeldSummands(Held):
    """Summands of parts, the same on all devices with one number of one part."""

    ranks: Ints
    members: Ints
    """For each device those with the summands of its part, by number: `[device, number]`."""
    firsts: Ints
    """For each device, the first one with the same summand."""
    kind: str
    element: Attribute

    def of(self, part: View) -> View:
        return summand(part, self.ranks, self.members.shape[1], self.kind)

    def is_of(self, kernel: Kernel, view: View, part: View) -> bool:
        reducer = Reducer(kernel, self.kind, self.element, self.members)
        same = at_devices(view, self.firsts)
        return kernel.has(reducer.reduced(view), part) and all(same_in(view, same, piece.box) for piece in part.pieces)


def held_at(whole: View, at: Sequence[Index], shape: Sequence[int], devices: int) -> Held | None:
    """
    What devices have at an index into `whole`, or into the summands of it: parts of `shape`.

    None if it has no such summands, if parts overlap, or if not all devices are in groups that have each summand.
    """
    if len(at) == len(whole.shape):
        return Held()
    term = whole.pieces[0].source if len(whole.pieces) == 1 else None
    if not isinstance(term, Term) or term.operation.name != "reduce" or len(term.operation.sizes) != len(at):
        return None
    if not at[-1].is_known or any(
        index.digits != own.digits or (index.offset % size).any()
        for index, own, size in zip(at[:-1], identity(shape), shape, strict=True)
    ):
        return None
    ranks, count = np.broadcast_to(at[-1].offset, devices), term.operation.sizes[-1]
    offsets = [np.broadcast_to(index.offset, devices) for index in at[:-1]]
    places = first_equal(np.column_stack([np.zeros(devices, np.int64), *offsets]))
    members, firsts = np.full((devices, count), -1), np.zeros(devices, np.int64)
    for place in np.unique(places):
        rows = [np.flatnonzero((places == place) & (ranks == rank)) for rank in range(count)]
        if len({len(row) for row in rows}) > 1:
            return None
        for group in np.stack(rows, axis=1):
            members[group], firsts[group] = group, [row[0] for row in rows]
    kind, kinds = term.operation.kind, term.operation.kinds
    return None if kind is None or (members < 0).any() else HeldSummands(ranks, members, firsts, kind, kinds[0])
