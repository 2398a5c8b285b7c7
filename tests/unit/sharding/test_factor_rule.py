"""Sharding rules as plain data: nothing is lost on the way to an attribute and back."""

from hypothesis import given
from hypothesis import strategies as st

from xshardy.sharding.factor_rule import FactorRule, TensorMapping

FACTORS = 6


@st.composite
def mappings(draw: st.DrawFn) -> TensorMapping:
    """A tensor whose dimensions share out some of the factors."""
    factors = draw(st.permutations(range(FACTORS)))[: draw(st.integers(0, FACTORS))]
    ends = sorted(draw(st.sets(st.integers(1, max(len(factors), 1)))) | {len(factors)}) if factors else []
    return tuple(tuple(factors[start:end]) for start, end in zip([0, *ends], ends, strict=False))


@st.composite
def rules(draw: st.DrawFn) -> FactorRule:
    tensors = st.lists(mappings(), min_size=1, max_size=3).map(tuple)
    kinds = draw(st.lists(st.sampled_from("prnx"), min_size=FACTORS, max_size=FACTORS))
    groups = [tuple(factor for factor, kind in enumerate(kinds) if kind == name) for name in "rnx"]
    blocked = tuple(sorted(draw(st.sets(st.integers(0, FACTORS - 1)))))
    sizes = tuple(draw(st.lists(st.integers(1, 64), min_size=FACTORS, max_size=FACTORS)))
    reduction, need_replication, permutation = groups
    return FactorRule(
        *(sizes, draw(tensors), draw(tensors), reduction, need_replication, permutation, blocked, draw(st.booleans()))
    )


@given(rules())
def test_an_attribute_has_all_of_a_rule(rule: FactorRule):
    assert FactorRule.of(rule.attribute) == rule
    assert rule.attribute is rule.attribute, "it is made once"


@given(rules())
def test_factors_are_special_that_do_not_pass_through(rule: FactorRule):
    groups = rule.attribute.groups
    assert rule.special == {f for name, group in groups.items() if name != "blocked_propagation" for f in group}


def test_a_rule_is_uniform_if_all_tensors_have_the_same_factors():
    rows, columns = (0,), (1,)
    assert FactorRule.identity((2, 3), 2).is_uniform
    assert not FactorRule((2, 3), ((rows, columns),), ((columns, rows),)).is_uniform
    assert not FactorRule((2, 3), ((rows, columns), (rows,)), ((rows, columns),)).is_uniform
