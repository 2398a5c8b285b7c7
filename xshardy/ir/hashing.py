"""
Attributes as keys of dictionaries, without hashing them anew at each look-up.

Attributes of xDSL hash their parameters, and theirs, each time: 0.5 to 1.5 us for a type of tensors, 2.6 to 7.8 us for
a sharding of two dimensions. A class of ours keeps the hash (`KeptHash`); for any attribute there is a key (`key_of`).
Both are kept inside of the attribute, which never changes, and end with it.
"""

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from xdsl.ir import Attribute, ParametrizedAttribute

from xshardy.ir.attributes import parameters_of

_HASH, _KEY = "_kept_hash", "_kept_key"


class KeptHash(ParametrizedAttribute):
    """A base of attributes that are hashed and compared once, in 0.1 us from then on. The hash is that of xDSL."""

    if TYPE_CHECKING:  # in the object, and no parameter of the attribute
        _kept_hash: int

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # The decorator of dataclasses, which xDSL applies, adds only the methods that a class does not define.
        cls.__hash__, cls.__eq__ = KeptHash.__hash__, KeptHash.__eq__

    def __hash__(self) -> int:
        try:
            return self._kept_hash
        except AttributeError:
            kept = hash(parameters_of(type(self))(self))
            object.__setattr__(self, _HASH, kept)
            return kept

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not type(self):
            return NotImplemented
        return hash(self) == hash(other) and key_of(self) is key_of(other)

    def __getstate__(self) -> dict[str, object]:
        """The parameters: in another process, which reads a pickled attribute, texts have other hashes."""
        return {name: value for name, value in self.__dict__.items() if name not in (_HASH, _KEY)}


class _Content:
    """What equal attributes have in common. Hashed once, where a look-up and an insertion would hash it twice."""

    __slots__ = ("_hash", "value")

    def __init__(self, value: Hashable):
        self.value = value
        self._hash = hash(value)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and self.value == other.value


class Key:
    """What stands for an attribute, and for all that are equal to it, in a dictionary. Hashed by identity: 0.02 us."""

    __slots__ = ("__weakref__", "_content")

    def __init__(self, content: _Content):
        self._content = content

    def __reduce__(self) -> tuple[object, ...]:
        """For an attribute that is copied or pickled with its key."""
        return _key_with, (self._content.value,)


_keys: WeakValueDictionary[_Content, Key] = WeakValueDictionary()
"""The keys by content: each as long as one of the attributes that are equal lives, which all hold it."""


def _key_with(value: Hashable) -> Key:
    content = _Content(value)
    if (key := _keys.get(content)) is None:
        key = _keys[content] = Key(content)
    return key


def _bare(attribute: Attribute) -> Attribute:
    """A copy of `attribute`, which has no key. `copy.copy` would write to the class, which may be xDSL's."""
    made = object.__new__(type(attribute))
    for name, value in attribute.__dict__.items():
        object.__setattr__(made, name, value)
    return made


def key_of(attribute: Attribute) -> Key:
    """The same object for equal attributes, another one for others. Takes 0.1 us from the second time on."""
    key: Key | None = attribute.__dict__.get(_KEY)
    if key is None:
        # Not the attribute itself: it would hold a key that holds it, and be left to the garbage collector.
        kind = type(attribute)
        has_parameters = isinstance(attribute, ParametrizedAttribute)
        key = _key_with((kind, parameters_of(kind)(attribute)) if has_parameters else _bare(attribute))
        object.__setattr__(attribute, _KEY, key)
    return key


def keys_of(attributes: Iterable[Attribute]) -> tuple[Key, ...]:
    """The key of each of `attributes`."""
    return tuple([attribute.__dict__.get(_KEY) or key_of(attribute) for attribute in attributes])


def are_equal(one: Attribute, other: Attribute) -> bool:
    """What `one == other` is, in 0.2 us from the second time on, where xDSL compares two types of tensors in 0.6 us."""
    return one is other or key_of(one) is key_of(other)
