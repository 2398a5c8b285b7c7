"""The three notations for the groups of a collective."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import permutations

from xshardy.hlo_text.groups import groups_of, write_groups


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("{}", ()),
        ("{{0,1},{2}}", ((0, 1), (2,))),
        ("[2,2]<=[4]", ((0, 1), (2, 3))),
        ("[2,2]<=[2,2]T(1,0)", ((0, 2), (1, 3))),
        ("mesh['x'=2,'y'=2] {'y'}", ((0, 1), (2, 3))),
        ("mesh['x'=2,'y'=2] {'x'}", ((0, 2), (1, 3))),
        ("mesh['x'=2,'y'=2] {'y','x'}", ((0, 2, 1, 3),)),
        ("mesh['x'=4] {'x':(1)2}", ((0, 2), (1, 3))),
        ("mesh['x'=4] {'x':(2)2}", ((0, 1), (2, 3))),
        ("mesh['x'=2,'y'=2, device_ids=(3,2,1,0)] {'y'}", ((3, 2), (1, 0))),
        ("mesh['x'=2,'y'=2], device_ids=(3,2,1,0) {'y'}", ((3, 2), (1, 0))),
        ("mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'y'}", ((0, 2), (1, 3))),
    ],
)
def test_groups(text: str, groups: tuple[tuple[int, ...], ...]):
    assert groups_of(text) == groups
    assert groups_of(write_groups(groups)) == groups


@given(permutation=permutations(range(3)))
def test_iota(permutation: list[int]):
    text = f"[6,4]<=[2,3,4]T({','.join(map(str, permutation))})"
    expected = np.arange(24).reshape(2, 3, 4).transpose(permutation).reshape(6, 4)
    assert np.array_equal(np.array(groups_of(text)), expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[2,3]<=[4]", "do not have the devices"),
        ("[2,2]<=[2,2]T(0,0)", "not a permutation"),
        ("mesh['x'=2] {'y'}", "has no axis 'y'"),
        ("mesh['x'=2, device_ids=(0)] {'x'}", "2 devices, but 1 are listed"),
        ("mesh['x'=2], device_ids=([3]) {'x'}", "2 devices, but 3 are listed"),
        ("mesh['x'=6] {'x':(4)1}", "do not fit together"),
        ("frob", "expected lists of devices"),
        (f"[1,{10**12}]<=[{10**12}]", "do not have the devices"),
    ],
)
def test_rejected(text: str, message: str):
    with pytest.raises(ValueError, match=message):
        groups_of(text)
