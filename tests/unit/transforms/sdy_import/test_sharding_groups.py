"""Groups that share a tensor are merged, and no others: checked against merging until nothing changes."""

from hypothesis import given
from hypothesis.strategies import integers, lists, tuples
from xdsl.dialects import test
from xdsl.dialects.builtin import i32

from xshardy.transforms.sdy_import.sharding_group_import import merged_groups


@given(lists(tuples(integers(0, 6), integers(0, 9)), max_size=16))
def test_groups_are_one_if_and_only_if_tensors_connect_them(pairs: list[tuple[int, int]]):
    tensors = test.TestOp(result_types=[i32] * 7).results
    merged = merged_groups((tensors[tensor], group) for tensor, group in pairs)

    classes = [{group} for group in dict.fromkeys(group for _, group in pairs)]
    for tensor in range(7):
        groups = {group for known, group in pairs if known == tensor}
        touched = [known for known in classes if known & groups]
        if touched:
            classes = [known for known in classes if not known & groups] + [set[int]().union(*touched)]

    assert merged.keys() == {group for _, group in pairs}
    assert {frozenset(group for group in merged if merged[group] == n) for n in merged.values()} == {
        frozenset(known) for known in classes
    }
    assert set(merged.values()) == set(range(len(classes)))
