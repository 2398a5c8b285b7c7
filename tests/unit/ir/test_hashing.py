"""Attributes of sdy keep their hash, and are equal as those of xDSL are."""

import copy
import pickle
import subprocess
import sys

import pytest
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute

from xshardy.dialects.sdy import SDY
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, SubAxisInfoAttr
from xshardy.dialects.sdy.attributes.enums import EdgeNodeTypeAttr, ReductionOpAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.ir import new_attribute
from xshardy.ir.hashing import KeptHash


def sharding(axis: str = "b") -> TensorShardingAttr:
    return TensorShardingAttr("mesh", [["a"], [AxisRefAttr(axis, (1, 2)), "?"]], unreduced_axes=["c"])


def made_again(attribute: TensorShardingAttr) -> list[TensorShardingAttr]:
    parameters = attribute.parameters
    return [
        TensorShardingAttr.new(parameters),
        new_attribute(TensorShardingAttr, *parameters),
        copy.copy(attribute),
        copy.deepcopy(attribute),
        pickle.loads(pickle.dumps(attribute)),
    ]


@pytest.mark.parametrize("is_hashed", (False, True))
def test_attributes_are_equal_however_they_are_made(is_hashed: bool):
    attribute = sharding()
    if is_hashed:
        hash(attribute)
    for again in (sharding(), *made_again(attribute)):
        assert again == attribute and attribute == again
        assert hash(again) == hash(attribute)
        assert str(again) == str(attribute) and repr(again) == repr(attribute)


def test_other_parameters_or_classes_are_not_equal():
    assert sharding() != sharding("d")
    assert sharding() != sharding().dim_shardings
    assert AxisRefAttr("a") != IntAttr(1)


def test_hash_is_that_of_the_parameters():
    assert hash(sharding()) == hash(sharding().parameters)


def test_each_part_is_hashed_once(monkeypatch: pytest.MonkeyPatch):
    hashed: list[IntAttr] = []

    def count(attribute: IntAttr) -> int:
        hashed.append(attribute)
        return 1

    part = SubAxisInfoAttr(1, 2)
    monkeypatch.setattr(IntAttr, "__hash__", count)
    assert {part: "found"}[part] == "found" and hash(part) == hash(part)
    assert hashed == [part.pre_size, part.size]


def test_every_attribute_of_sdy_with_parameters_keeps_its_hash():
    classes: list[type[Attribute]] = list(SDY.attributes)
    without = [cls for cls in classes if not issubclass(cls, KeptHash)]
    assert set(without) == {EdgeNodeTypeAttr, ReductionOpAttr}, "the enums, whose data is one text"
    for cls in set(classes) - set(without):
        assert cls.__hash__ is KeptHash.__hash__ and cls.__eq__ is KeptHash.__eq__


def test_another_process_hashes_a_pickled_attribute_anew():
    attribute = sharding()
    hash(attribute)
    program = (
        "import pickle, sys; attribute = pickle.loads(sys.stdin.buffer.read()); "
        "assert attribute in {type(attribute).new(attribute.parameters)}"
    )
    subprocess.run([sys.executable, "-c", program], input=pickle.dumps(attribute), check=True)
