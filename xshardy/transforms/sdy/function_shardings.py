"""The shardings that a function has for all of its arguments, or for all of its results."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ShapedType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from xshardy.dialects.function_attributes import dictionaries_in
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING, lookup_mesh
from xshardy.ir import new_attribute
from xshardy.ir.hashing import Key, key_of


def argument_shardings(function: FuncOp) -> TensorShardingPerValueAttr | None:
    """
    A sharding for each argument of `function`, fully open where none is written.

    None if no argument has a sharding over a mesh other than a single device.
    """
    return _completed(function, function.arg_attrs, function.function_type.inputs.data)


def result_shardings(function: FuncOp) -> TensorShardingPerValueAttr | None:
    """A sharding for each result of `function`, like `argument_shardings`."""
    return _completed(function, function.res_attrs, function.function_type.outputs.data)


def written_shardings(
    dictionaries: ArrayAttr[DictionaryAttr] | None, count: int
) -> Sequence[TensorShardingAttr | None]:
    """The sharding of each of `count` arguments or results, or None, given their attributes."""
    if dictionaries is None:
        return (None,) * count
    return [
        sharding if isinstance(sharding := dictionary.data.get(SHARDING), TensorShardingAttr) else None
        for dictionary in dictionaries
    ]


@lru_cache(maxsize=1024)
def only_sharding(sharding: TensorShardingAttr) -> DictionaryAttr:
    """The attributes of an argument or result that has no others: one object for those that share a sharding."""
    return DictionaryAttr({SHARDING: sharding})


def without_attributes(
    dictionaries: ArrayAttr[DictionaryAttr] | None, names: Collection[str]
) -> ArrayAttr[DictionaryAttr] | None:
    """`dictionaries` of arguments or results without the attributes `names`; None if no attribute is left."""
    kept = [{name: value for name, value in entry.data.items() if name not in names} for entry in dictionaries or ()]
    return ArrayAttr(map(DictionaryAttr, kept)) if any(kept) else None


def update_function_shardings(
    function: FuncOp, update: Callable[[TensorShardingAttr, Attribute], TensorShardingAttr]
) -> bool:
    """
    Replace each sharding of an argument or result of `function` by what `update` makes of it and of the type, which is
    asked once for those that are repeated.

    Returns whether one changed.
    """
    has_changed = False
    known: dict[tuple[TensorShardingAttr, Key], TensorShardingAttr] = {}
    """By a sharding and a type: what the sharding becomes."""

    def updated(entry: DictionaryAttr, type: Attribute) -> DictionaryAttr:
        old = entry.data.get(SHARDING)
        if not isinstance(old, TensorShardingAttr):
            return entry
        if (new := known.get(key := (old, key_of(type)))) is None:
            new = known[key] = update(old, type)
        return entry if new == old else DictionaryAttr({**entry.data, SHARDING: new})

    for name, types in (("arg_attrs", function.function_type.inputs), ("res_attrs", function.function_type.outputs)):
        if entries := dictionaries_in(function.properties.get(name)):
            changed = [updated(entry, type) for entry, type in zip(entries, types, strict=True)]
            if any(new is not old for new, old in zip(changed, entries, strict=True)):
                function.properties[name] = ArrayAttr(changed)
                has_changed = True
    return has_changed


def _completed(
    function: FuncOp, dictionaries: ArrayAttr[DictionaryAttr] | None, types: Sequence[Attribute]
) -> TensorShardingPerValueAttr | None:
    written = written_shardings(dictionaries, len(types))
    if (first := _first_over_devices(written, function)) is None:
        return None
    shardings = [
        known or TensorShardingAttr.fully_open(first.mesh_or_ref, _rank(type))
        for known, type in zip(written, types, strict=True)
    ]
    return new_attribute(TensorShardingPerValueAttr, ArrayAttr(shardings))


def _first_over_devices(shardings: Iterable[TensorShardingAttr | None], function: FuncOp) -> TensorShardingAttr | None:
    """The first of `shardings` over a mesh other than a single device."""
    for sharding in shardings:
        mesh = None if sharding is None else lookup_mesh(sharding, function)
        if mesh is not None and not mesh.is_maximal:
            return sharding
    return None


def _rank(type: Attribute) -> int:
    return type.get_num_dims() if isinstance(type, ShapedType) else 0
