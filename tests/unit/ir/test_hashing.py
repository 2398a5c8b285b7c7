"""Attributes of sdy keep their hash, and are equal as those of xDSL are; equal attributes have one key."""

import copy
import gc
import pickle
import subprocess
import sys
from weakref import ref

import pytest
from xdsl.dialects.builtin import IntAttr, TensorType, f32
from xdsl.ir import Attribute

from xshardy.dialects.sdy import SDY
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, SubAxisInfoAttr
from xshardy.dialects.sdy.attributes.enums import EdgeNodeTypeAttr, ReductionOpAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.ir import new_attribute
from xshardy.ir.hashing import KeptHash, key_of, keys_of


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


def test_equal_attributes_have_one_key():
    attribute, again, other = (TensorType(f32, shape) for shape in ([2, 3], [2, 3], [3, 2]))
    assert key_of(attribute) is key_of(again) is not key_of(other)
    assert keys_of([attribute, other]) == (key_of(attribute), key_of(other))


def test_key_is_kept_by_each_attribute_that_has_it():
    attribute, again = sharding(), sharding()
    key = key_of(attribute)
    assert key_of(again) is key
    del attribute
    assert key_of(sharding()) is key


def test_key_ends_with_its_attributes_without_a_collection():
    attribute = TensorType(f32, [7, 7, 7])
    key = ref(key_of(attribute))
    gc.disable()
    try:
        del attribute
        assert key() is None
    finally:
        gc.enable()


def test_copies_have_the_key():
    attribute = TensorType(f32, [2, 3])
    key = key_of(attribute)
    for again in (copy.copy(attribute), copy.deepcopy(attribute), pickle.loads(pickle.dumps(attribute))):
        assert again == attribute and key_of(again) is key


@pytest.mark.parametrize("is_keyed", (False, True))
def test_equality_does_not_depend_on_keys(is_keyed: bool):
    attribute, other = sharding(), sharding("d")
    key_of(attribute)
    if is_keyed:
        key_of(other)
    assert attribute == sharding() and attribute != other
