"""Operations about which little is known: along some dimensions they take their operands as a whole."""

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.ir import Operation

from xshardy.dialects.shapes import shape_of
from xshardy.proving.index import whole
from xshardy.proving.kernel import Kernel
from xshardy.proving.rules.keys import details_of, kinds_of
from xshardy.proving.sources import Operation as Applied
from xshardy.proving.views import View

Dims: TypeAlias = Sequence[int | None]
"""For each dimension of an operand or result, the number of the parallel dimension that it is; None for none."""


def applied_to_whole(
    kernel: Kernel,
    op: Operation,
    operands: Sequence[View],
    operand_dims: Sequence[Dims] | None = None,
    result_dims: Sequence[Dims] | None = None,
    *,
    summed: frozenset[int] = frozenset(),
    leave_out: frozenset[str] = frozenset(),
    more: object = None,
) -> Sequence[View]:
    """
    The results of `op`, which computes alike at each index of its parallel dimensions.

    `operand_dims` and `result_dims` say which those are; without them there are none. Those in `summed` are no
    dimensions of results: the results for parts of them are summed.
    """
    given = operand_dims or [[None] * len(view.shape) for view in operands]
    made = result_dims or [[None] * len(shape_of(result)) for result in op.results]
    space, roles, places = list[int](), "", dict[int, int]()
    reads = list[tuple[View, list[int]]]()
    for view, dims in zip(operands, given, strict=True):
        at = list[int]()
        for dim, size in zip(dims, view.shape, strict=True):
            if dim is not None and dim in places:
                at.append(places[dim])
                continue
            if dim is not None:
                places[dim] = len(space)
            at.append(len(space))
            space.append(size)
            roles += "w" if dim is None else "r" if dim in summed else "p"
        reads.append((view, at))
    views = [kernel.pulled(view, [whole(dim, space[dim]) for dim in at], space) for view, at in reads]
    results, kind, kinds = list[View](), "add" if summed else None, kinds_of(op)
    taken = tuple(size for size, role in zip(space, roles, strict=True) if role == "w")
    extras = [
        tuple(size for size, dim in zip(shape_of(result), dims, strict=True) if dim is None)
        for result, dims in zip(op.results, made, strict=True)
    ]
    for number_, dims in enumerate(made):
        details = (number_, taken, tuple(extras), details_of(op, leave_out), more)
        applied = Applied(op.name, details, roles, tuple(space), extras[number_], kind=kind, kinds=kinds)
        results.append(kernel.apply(applied, views, [None if dim is None else places[dim] for dim in dims]))
    return results
