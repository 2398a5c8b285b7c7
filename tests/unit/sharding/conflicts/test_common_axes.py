"""The common axes of the tensors of an operation, checked against their invariants and by brute force."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import gcd, prod

from hypothesis import assume, example, given
from hypothesis import strategies as st

from xshardy.axes.spans import Axes, Span, is_list_prefix, overlaps, size_of
from xshardy.sharding.conflicts.common_axes import agreed_axes, common_axes, without
from xshardy.sharding.conflicts.dot_results import result_as_operands
from xshardy.sharding.conflicts.reshape_axes import axes_of_both_sides, common_prefix, distribute_axes
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.factors import FactorSharding, TensorFactors

SIZES = (2, 8, 3, 4)
"""The sizes of the axes of the mesh."""

NAMES = ("d", "a", "c", "b")

A, B, C = Span(0, 1, 2), Span(1, 1, 8), Span(2, 1, 3)
MINOR_B = Span(1, 2, 8)


@st.composite
def disjoint_axes(draw: st.DrawFn) -> Sequence[Span]:
    """Axes of the mesh, some of them split in two, in any order."""
    parts: list[Span] = []
    for number, size in enumerate(SIZES):
        divisors = [divisor for divisor in range(2, size) if size % divisor == 0]
        cuts = [1, *([draw(st.sampled_from(divisors))] if divisors and draw(st.booleans()) else []), size]
        parts += [Span(number, start, end) for start, end in pairwise(cuts)]
    return draw(st.permutations(parts))


@st.composite
def tensors_of(draw: st.DrawFn, mappings: Sequence[Sequence[int]]) -> Sequence[Mapping[int, Axes]]:
    """For each tensor, axes of the factors that it has."""
    tensors: list[Mapping[int, Axes]] = []
    for factors in mappings:
        parts = list(draw(disjoint_axes()))
        tensors.append(
            {f: tuple(parts.pop() for _ in range(min(len(parts), draw(st.integers(0, 2))))) for f in factors}
        )
    return tensors


@st.composite
def rules(draw: st.DrawFn) -> FactorRule:
    """Rules with up to four factors, of any type, that make up one dimension each or share one with the next."""
    sizes = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4, 6, 8, 24]), min_size=1, max_size=4)))
    types = [draw(st.sampled_from(["pass", "pass", "reduction", "need_replication", "permutation"])) for _ in sizes]

    def dims() -> tuple[tuple[int, ...], ...]:
        present = [factor for factor in range(len(sizes)) if draw(st.integers(0, 3))]
        result: list[tuple[int, ...]] = []
        for factor in present:
            if result and draw(st.integers(0, 4)) == 0:
                result[-1] = (*result[-1], factor)
            else:
                result.append((factor,))
        return tuple(result)

    operands, results = [tuple(dims() for _ in range(draw(st.integers(1, 2)))) for _ in range(2)]
    groups = {
        group: tuple(factor for factor, type in enumerate(types) if type == group)
        for group in ("reduction", "need_replication", "permutation")
    }
    return FactorRule(sizes, operands, results, **groups)


@st.composite
def cases(draw: st.DrawFn) -> tuple[FactorRule, Sequence[Mapping[int, Axes]], Sequence[int]]:
    """A rule, the axes of its tensors, and their sizes."""
    rule = draw(rules())
    mappings = [[factor for dim in dims for factor in dim] for dims in (*rule.operands, *rule.results)]
    return rule, draw(tensors_of(mappings)), draw(st.lists(st.integers(0, 99), min_size=4, max_size=4))[: len(mappings)]


@given(cases())
def test_all_tensors_agree_afterwards(case: tuple[FactorRule, Sequence[Mapping[int, Axes]], Sequence[int]]) -> None:
    rule, tensors, elements = case
    chosen = common_axes(rule, tensors, elements, NAMES)
    assert len(chosen) == len(rule.sizes)
    after = [{factor: chosen[factor] for factor in tensor} for tensor in tensors]
    present = [axes if any(f in tensor for tensor in tensors) else () for f, axes in enumerate(chosen)]
    assert agreed_axes(rule, after) == tuple(present)
    assert common_axes(rule, after, elements, NAMES) == tuple(present)


@given(cases())
def test_axes_come_from_some_tensor(case: tuple[FactorRule, Sequence[Mapping[int, Axes]], Sequence[int]]) -> None:
    rule, tensors, elements = case
    assume(not rule.need_replication)  # whose axes go to others
    for factor, axes in enumerate(common_axes(rule, tensors, elements, NAMES)):
        assert not axes or any(is_list_prefix(axes, tensor[factor]) for tensor in tensors if factor in tensor)


@given(st.lists(st.tuples(st.sampled_from([A, B, C]), st.integers(1, 9)), min_size=3, max_size=5))
def test_most_elements_decide(tensors: Sequence[tuple[Span, int]]) -> None:
    rule = FactorRule((24,), (((0,),),) * (len(tensors) - 1), (((0,),),))
    (chosen,) = common_axes(rule, [{0: (axis,)} for axis, _ in tensors], [size for _, size in tensors], NAMES)
    votes = {axis: sum(size for other, size in tensors if other == axis) for axis in (A, B, C)}
    assert votes[chosen[0]] == max(votes.values())
    best = [axis for axis in votes if votes[axis] == max(votes.values())]
    assert chosen == (max(best, key=lambda axis: (axis.size, NAMES[axis.axis])),)


def test_factors_that_only_pass_through_go_first() -> None:
    rule = FactorRule((8, 8), (((0,), (1,)), ((1,),)), (((0,),),), reduction=(1,))
    tensors = [{0: (A,), 1: ()}, {1: (A,)}, {0: ()}]
    assert common_axes(rule, tensors, (64, 64, 8), NAMES) == ((A,), ())
    assert common_axes(rule, tensors, (63, 64, 8), NAMES) == ((), (A,))


def test_reductions_cost_less_than_permutations() -> None:
    tensors = [{0: (A,), 1: ()}, {0: (), 1: (A,)}, {0: (), 1: ()}]
    mapping = ((0,), (1,))
    for reduction, permutation in ((0, 1), (1, 0)):
        rule = FactorRule((8, 8), (mapping,) * 3, (), reduction=(reduction,), permutation=(permutation,))
        chosen = common_axes(rule, tensors, (64, 64, 64), NAMES)
        assert (chosen[reduction], chosen[permutation]) == ((A,), ())


def test_a_common_prefix_counts_for_all_tensors_that_have_it() -> None:
    rule = FactorRule((24, 8), (((0,),), ((0,),), ((1,),)), ())
    tensors = [{0: (A, C)}, {0: (A, B)}, {1: (A,)}]
    assert common_axes(rule, tensors, (4, 3, 6), NAMES)[0][0] == A
    assert common_axes(rule, tensors, (4, 3, 8), NAMES) == ((), (A,))


WHOLE, MAJOR = Span(3, 1, 4), Span(3, 1, 2)


def test_gain_is_the_number_of_new_parts() -> None:
    rule = FactorRule((64, 64, 64), (((0,),), ((0,),), ((1,),), ((2,),)), ())
    tensors = [{0: (B,)}, {0: (B, MAJOR)}, {1: (WHOLE,)}, {2: ()}]
    assert common_axes(rule, tensors, (10, 5, 5, 0), NAMES) == ((B,), (WHOLE,), ())
    # As in C++ Shardy, an offer gains all that it divides again after an axis that it does not share has been chosen.
    tensors = [*tensors[:3], {2: (A,)}]
    assert common_axes(rule, tensors, (10, 5, 5, 7), NAMES) == ((B, MAJOR), (), (A,))


def test_the_resharded_tensor_keeps_free_axes() -> None:
    rule = FactorRule((8, 8, 8), (((0,), (1,)),), (((0,), (2,)),))
    assert common_axes(rule, [{0: (A,), 1: ()}, {0: (), 2: (C, A)}], (64, 64), NAMES) == ((), (), (C, A))
    assert common_axes(rule, [{0: (A,), 1: ()}, {0: (), 2: (C, A)}], (65, 64), NAMES) == ((A,), (), (C,))


def test_a_minor_factor_waits_for_the_major_one() -> None:
    rule = FactorRule((2, 12), (((0, 1),),), (((0,), (1,)),))
    assert common_axes(rule, [{0: (), 1: ()}, {0: (), 1: (C,)}], (24, 24), NAMES) == ((), ())
    assert common_axes(rule, [{0: (A,), 1: ()}, {0: (), 1: (C,)}], (24, 24), NAMES) == ((A,), (C,))
    larger = FactorRule((4, 6), rule.operands, rule.results)
    assert common_axes(larger, [{0: (A,), 1: ()}, {0: (), 1: (C,)}], (24, 24), NAMES) == ((A,), ())


def test_freed_axes_divide_the_batch() -> None:
    rule = FactorRule((4, 6, 5), (((0,), (1,), (2,)),), (((0,), (1,), (2,)),), need_replication=(2,))
    tensors = [{0: (Span(1, 1, 2),), 1: (), 2: (MINOR_B, A, C)}] * 2
    # What is left of the batch, 2, is no multiple of 4; nothing after that axis is given away either.
    assert common_axes(rule, tensors, (120, 120), NAMES) == ((Span(1, 1, 2),), (), ())
    tensors = [{0: (Span(1, 1, 2),), 1: (), 2: (Span(1, 2, 4), A, C)}] * 2
    assert common_axes(rule, tensors, (120, 120), NAMES) == ((Span(1, 1, 4),), (A, C), ())


def test_an_empty_batch_gets_no_axes() -> None:
    rule = FactorRule((0, 5), (((0,), (1,)),), (((0,), (1,)),), need_replication=(1,))
    assert common_axes(rule, [{0: (), 1: (A,)}] * 2, (0, 0), NAMES) == ((), ())


@given(tensors_of(((0, 1), (0, 1))), st.tuples(*[st.integers(1, 9)] * 2))
def test_a_scalar_operand_changes_nothing(tensors: Sequence[Mapping[int, Axes]], elements: tuple[int, int]) -> None:
    operand, result = tensors
    dims = ((0,), (1,))
    expected = common_axes(FactorRule((24, 24), (dims,), (dims,)), tensors, elements, NAMES)
    with_scalar = FactorRule((24, 24), (dims, ()), (dims,))
    assert common_axes(with_scalar, [operand, {}, result], (elements[0], 1, elements[1]), NAMES) == expected


def test_freed_axes_are_lost_where_some_tensor_lacks_their_factor() -> None:
    rule = FactorRule((4, 4), (((0,), (1,)), ((0,), (1,))), (((0,),),), need_replication=(1,))
    tensors = [{0: (), 1: (A,)}, {0: (), 1: (A,)}, {0: ()}]
    assert common_axes(rule, tensors, (16, 16, 4), NAMES) == ((), ())


@given(disjoint_axes(), disjoint_axes())
@example((A, B, C), (Span(1, 4, 8),))
def test_without_is_the_longest_prefix(axes: Sequence[Span], taken: Sequence[Span]) -> None:
    axes, taken = tuple(axes), tuple(taken)[:1]
    left = without(axes, taken)
    assert is_list_prefix(left, axes)
    assert not any(overlaps(axis, other) for axis in left for other in taken)
    if left != axes:
        last = len(left) - 1
        is_split = bool(left) and left[last] != axes[last]
        following = Span(left[last].axis, left[last].end, axes[last].end) if is_split else axes[last + 1]
        assert overlaps(following, taken[0]) and taken[0].start <= following.start


@given(disjoint_axes(), st.lists(st.integers(0, 24), max_size=4))
def test_all_axes_are_dealt_out(axes: Sequence[Span], sizes: Sequence[int]) -> None:
    shares, rest = distribute_axes(tuple(axes), sizes)
    assert prod(map(size_of, shares)) * size_of(rest) == size_of(axes)
    for share, size in zip(shares, sizes, strict=True):
        assert size % size_of(share) == 0
        assert size > 1 or not share
        assert not rest or size == 0 or gcd(size // size_of(share), rest[0].size) == 1


def test_both_sides_of_a_reshape_keep_common_axes() -> None:
    rule = FactorRule((6, 4), (((0, 1),),), (((0,), (1,)),))
    operand = TensorFactors({0: FactorSharding((A,), overflow=(Span(3, 1, 4),)), 1: FactorSharding(is_closed=True)})
    result = TensorFactors({0: FactorSharding(), 1: FactorSharding((Span(3, 1, 4),))})
    assert axes_of_both_sides(rule, operand, result) == ((A,), ())


def test_the_side_that_is_divided_more_is_dealt_out() -> None:
    rule = FactorRule((4, 3), (((0, 1),),), (((0,), (1,)),))

    def sides(major: Axes, overflow: Axes, *result: Axes) -> tuple[Axes, ...]:
        operand = {0: FactorSharding(major, overflow=overflow), 1: FactorSharding(is_closed=True)}
        return axes_of_both_sides(
            rule, TensorFactors(operand), TensorFactors({f: FactorSharding(axes) for f, axes in enumerate(result)})
        )

    assert sides((), (C, A), (MAJOR,), (C,)) == ((A,), ())  # as many parts on both sides
    assert sides((), (C,), (MAJOR,), (C,)) == ((MAJOR,), ())
    assert sides((), (C, A), (WHOLE,), (C,)) == ((WHOLE,), (C,))
    # A part of "b" suffices for the first factor; the rest divides no factor, and goes to the last one.
    assert sides((), (B,), (A,), ()) == ((Span(1, 1, 4),), (Span(1, 4, 8),))


@given(disjoint_axes(), disjoint_axes(), st.integers(0, 4), st.booleans())
def test_common_prefix(axes: Sequence[Span], others: Sequence[Span], shared: int, cut: bool) -> None:
    start = tuple(axes[:shared])
    first, second = start, (*start, *(axis for axis in others if not any(overlaps(axis, taken) for taken in start)))
    if cut and start and start[-1].size == 8:
        first = (*start[:-1], start[-1]._replace(end=start[-1].start * 4))
    assert common_prefix([first, second]) == common_prefix([second, first]) == first
    assert common_prefix([first, second, ()]) == ()
    assert common_prefix([(A, C), (A, B), (A,)]) == (A,)
    assert common_prefix([(A, C), (A, B)]) == (A,)


def test_an_axis_of_one_device_goes_to_the_first_factor_with_several_elements() -> None:
    one = Span(0, 1, 1)
    assert distribute_axes((one,), [1, 4, 4]) == ([(), (one,), ()], ())


DOT = FactorRule((8, 8, 8, 8), (((0,), (1,), (3,)), ((0,), (3,), (2,))), (((0,), (1,), (2,)),), reduction=(3,))
"""`([b, i, k], [b, k, j]) -> ([b, i, j])`"""


@given(tensors_of(((0, 1, 3), (0, 2, 3), (0, 1, 2))), st.tuples(*[st.integers(1, 9)] * 3), st.booleans())
def test_the_result_of_a_dot_product_agrees_with_its_operands(
    tensors: Sequence[Mapping[int, Axes]], elements: tuple[int, int, int], operands_agree: bool
) -> None:
    lhs, rhs, result = tensors
    if operands_agree:
        rhs = {**rhs, 0: lhs[0], 3: lhs[3]}
        assume(not any(overlaps(axis, other) for axis in rhs[2] for other in (*rhs[0], *rhs[3])))
        result = {**result, 0: lhs[0], 1: lhs[1], 2: lhs[3]}
    made = result_as_operands(DOT, (lhs, rhs, result), elements)
    if made is not None:
        assert agreed_axes(DOT, (lhs, rhs, made)) is not None
        (changed,) = [factor for factor in made if made[factor] != result[factor]]
        assert result[changed] == lhs[3] and made[changed]
        assert elements[2] <= max(elements[0] if changed in lhs else 0, elements[1] if changed in rhs else 0)


def test_which_results_of_dot_products_move() -> None:
    lhs, rhs = {0: (), 1: (), 3: (A,)}, {0: (), 2: (C,), 3: (A,)}
    result = {0: (), 1: (), 2: (A,)}
    moved = {0: (), 1: (), 2: (C,)}
    assert result_as_operands(DOT, (lhs, rhs, result), (1, 8, 8)) == moved
    assert result_as_operands(DOT, (lhs, rhs, result), (9, 8, 9)) is None  # the result is larger than the operand
    batch = {**lhs, 0: (C,)}, {**rhs, 0: (C,), 2: ()}, {0: (A,), 1: (), 2: ()}
    assert result_as_operands(DOT, batch, (9, 8, 9)) == {0: (C,), 1: (), 2: ()}  # both operands have it
    assert result_as_operands(DOT, batch, (8, 8, 9)) is None  # the result is larger than both
    assert result_as_operands(DOT, (lhs, rhs, moved), (8, 8, 8)) is None  # nothing to do
    assert result_as_operands(DOT, (lhs, rhs, {**result, 2: (B,)}), (8, 8, 8)) is None
    assert result_as_operands(DOT, (lhs, {**rhs, 3: ()}, result), (8, 8, 8)) is None
    assert result_as_operands(DOT, ({**lhs, 1: (C,)}, rhs, result), (8, 8, 8)) is None
    assert result_as_operands(DOT, (lhs, {**rhs, 2: ()}, result), (8, 8, 8)) is None
    assert result_as_operands(DOT, ({**lhs, 1: (B,)}, rhs, result), (8, 8, 8)) is None  # two factors differ
    same = {**lhs, 1: (C,)}, rhs, {0: (), 1: (C,), 2: (A,)}
    assert result_as_operands(DOT, same, (8, 8, 8)) is None  # no tensor has an axis in two dimensions
