"""
What the kernel verifies of one answer, by brute force: the reads are equal at all indices on each device, and what is
reduced is reduced once.
"""

from dataclasses import replace

import numpy as np
from evil_oracle import Evil, spoiled
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from proving_strategies import SOURCES, boxes, contents, indices, is_in, places, values_at

from xshardy.axes.grid import Grid
from xshardy.proving.index import Index, combine, number, substitute, whole
from xshardy.proving.kernel import IDEMPOTENT, Kernel, Match, Universe
from xshardy.proving.sources import Operation, Term
from xshardy.proving.views import Box, Piece, full_box

DEVICES = 2
SIZES = st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=3).map(tuple)


def operation_of(sizes: tuple[int, ...], roles: str, kind: str) -> Operation:
    return Operation("reduce", "details", roles, sizes, kind=kind)


def roles_of(data: st.DataObject, sizes: tuple[int, ...]) -> str:
    return data.draw(st.text("ppr", min_size=len(sizes), max_size=len(sizes)))


def match_of(data: st.DataObject, theirs: Operation, mine: Operation) -> tuple[Index, ...]:
    """Mostly dimensions of the same role, in order or not, or their sums; some are spoiled."""
    at, rank = list[Index](), len(mine.sizes)
    for dim, role in enumerate(theirs.roles):
        alike = [d for d in range(rank) if mine.roles[d] == role or data.draw(st.integers(0, 7)) == 0]
        choice = data.draw(st.integers(0, 5))
        if choice < 4 and alike:
            mine_dim = data.draw(st.sampled_from(alike)) if choice else alike[min(dim, len(alike) - 1)]
            index = whole(mine_dim, mine.sizes[mine_dim])
            if choice == 3:
                index = index.plus(np.array(data.draw(st.tuples(*[st.integers(0, 2)] * DEVICES)), np.int64))
            at.append(index)
        elif choice == 5 and len(alike) > 1:
            one, other = data.draw(st.permutations(alike))[:2]
            unit = data.draw(st.sampled_from([1, mine.sizes[one], mine.sizes[one] + 1]))
            at.append(combine((1, whole(one, mine.sizes[one])), (unit, whole(other, mine.sizes[other]))))
        elif choice == 4:
            at.append(number(data.draw(st.integers(0, 2))))
        else:
            at.append(data.draw(indices(mine.sizes, DEVICES, any_digits=False)))
    random = data.draw(st.randoms(use_true_random=False))
    if at and data.draw(st.integers(0, 3)) == 0:
        place = random.randrange(len(at))
        at[place] = spoiled(at[place], mine.sizes, DEVICES, random)
    return tuple(at)


@settings(max_examples=200)
@given(st.data(), SIZES, SIZES, st.sampled_from(["add", "maximum"]))
def test_a_match_that_is_accepted_is_right(
    data: st.DataObject, their_sizes: tuple[int, ...], my_sizes: tuple[int, ...], kind: str
):
    if data.draw(st.booleans()):
        my_sizes = their_sizes
    their_roles = roles_of(data, their_sizes)
    my_roles = their_roles if len(my_sizes) == len(their_sizes) else roles_of(data, my_sizes)
    theirs, mine = operation_of(their_sizes, their_roles, kind), operation_of(my_sizes, my_roles, kind)
    term_box = (
        full_box(their_sizes, 1) if data.draw(st.booleans()) else data.draw(boxes(their_sizes, 1, everywhere=True))
    )
    box = full_box(my_sizes, DEVICES) if data.draw(st.booleans()) else data.draw(boxes(my_sizes, DEVICES))
    box = Box(box.lo, box.hi, box.here)
    assume(box.active.any() and term_box.active.any())
    source = SOURCES[1]
    read = Piece(source, (data.draw(indices(their_sizes, 1, any_digits=False)),), term_box)
    parallel = tuple(dim for dim, role in enumerate(their_roles) if role == "p")
    term = Term("term", tuple(their_sizes[dim] for dim in parallel), theirs, (read,), term_box, parallel)
    at = match_of(data, theirs, mine)
    try:
        right = substitute(read.at[0], at, their_sizes, box.lo, box.hi)
    except (IndexError, ZeroDivisionError):
        right = None
    wrong = data.draw(indices(my_sizes, DEVICES, any_digits=False))
    if right is not None and data.draw(st.booleans()):
        wrong = Index(right.offset, wrong.digits)
    my_read = Piece(source, (wrong if right is None or data.draw(st.integers(0, 9)) == 0 else right,), box)
    kernel = Kernel(Universe(), Evil(data.draw(st.randoms()), DEVICES, 1.0), DEVICES, False, Grid(1, DEVICES))
    found = kernel.verified(mine, [my_read], box, Match(term, at))
    if found is None:
        return
    _, partial, holds = found
    reduced, kept = ([dim for dim, role in enumerate(my_roles) if role == each] for each in "rp")
    their_reduced = [dim for dim, role in enumerate(their_roles) if role == "r"]
    for device in np.flatnonzero(holds):
        assert box.active[device]
        groups = dict[tuple[int, ...], list[tuple[int, ...]]]()
        for place in contents(box, device, my_sizes):
            target = values_at(at, device, place)
            assert is_in(term_box, 0, target), "the term has the element"
            assert values_at(my_read.at, device, place) == values_at(read.at, 0, target), "the reads are equal"
            group = *(place[dim] for dim in kept), *(target[dim] for dim in parallel)
            groups.setdefault(group, []).append(tuple(target[dim] - int(term_box.lo[0, dim]) for dim in their_reduced))
        assert len({group[: len(kept)] for group in groups}) == len(groups), "what is kept does not depend on the rest"
        extents = tuple(int(term_box.hi[0, dim] - term_box.lo[0, dim]) for dim in their_reduced)
        for summands in groups.values():
            assert kind in IDEMPOTENT or len(set(summands)) == len(summands), "no summand is counted twice"
            if partial is None:
                assert set(summands) == set(places(extents)), "all summands are there"
            else:
                assert partial.kind == kind and partial.sizes == extents
                assert set(summands) == contents(partial.boxes[0], device, extents)
        assert not reduced or groups


def test_matches_of_parts_are_accepted():
    """The property says nothing if nothing is accepted."""
    theirs, mine = operation_of((4, 4), "pr", "add"), operation_of((2, 4), "pr", "add")
    at = whole(0, 2).plus(np.array([0, 2])), whole(1, 4)
    read = Piece(SOURCES[0], (whole(0, 4), whole(1, 4)), full_box((4, 4), 1))
    term = Term("term", (4,), theirs, (read,), read.box, (0,))
    box = full_box((2, 4), DEVICES)
    kernel = Kernel(Universe(), Evil(None, DEVICES, 1.0), DEVICES, False, Grid(1, DEVICES))  # type: ignore[arg-type]
    found = kernel.verified(mine, [replace(read, at=at, box=box)], box, Match(term, at))
    assert found is not None and found[1] is None and found[2].all()
    half = box.along(1, np.zeros(2, np.int64), np.full(2, 2))
    found = kernel.verified(mine, [replace(read, at=at, box=half)], half, Match(term, at))
    assert found is not None and found[1] is not None and found[1].sizes == (4,)
