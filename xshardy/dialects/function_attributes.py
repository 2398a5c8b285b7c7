"""The attributes that a function, of `func` or of `llvm`, has for each of its arguments and of its results."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute

if TYPE_CHECKING:
    from xdsl.dialects import llvm

Function: TypeAlias = "func.FuncOp | llvm.FuncOp"


def dictionaries_in(attribute: Attribute | None) -> Sequence[DictionaryAttr]:
    """The elements of `attribute`, the `arg_attrs` or `res_attrs` of a function; none if it is anything else."""
    if not isinstance(attribute, ArrayAttr):
        return ()
    elements = cast(ArrayAttr[Attribute], attribute).data
    dictionaries = [element for element in elements if isinstance(element, DictionaryAttr)]
    return dictionaries if len(dictionaries) == len(elements) else ()


def attributes_of_argument(function: Function, index: int) -> Mapping[str, Attribute]:
    """The attributes of argument `index`; an empty mapping if it has none."""
    return {} if function.arg_attrs is None else function.arg_attrs.data[index].data


def argument_attributes(function: Function) -> list[dict[str, Attribute]]:
    """The attributes of each argument of `function`: a fresh dictionary per argument, empty where it has none."""
    if function.arg_attrs is None:
        return [{} for _ in function.function_type.inputs]
    return [dict(attributes.data) for attributes in function.arg_attrs]


def set_argument_attributes(function: Function, attributes: Sequence[Mapping[str, Attribute]]) -> None:
    """Give the arguments of `function` these attributes and no others, one mapping per argument."""
    if any(attributes):
        function.arg_attrs = ArrayAttr(DictionaryAttr(of_argument) for of_argument in attributes)
    else:
        function.properties.pop("arg_attrs", None)


Additions = Mapping[int, Mapping[str, Attribute]]
"""New attributes of arguments or of results, by index."""


def add_argument_attributes(function: func.FuncOp, additions: Additions) -> None:
    """Give arguments of `function` more attributes, all in one go."""
    function.arg_attrs = _extended(function.arg_attrs, len(function.function_type.inputs), additions)


def add_result_attributes(function: func.FuncOp, additions: Additions) -> None:
    """Give results of `function` more attributes, all in one go."""
    function.res_attrs = _extended(function.res_attrs, len(function.function_type.outputs), additions)


def _extended(
    known: ArrayAttr[DictionaryAttr] | None, count: int, additions: Additions
) -> ArrayAttr[DictionaryAttr] | None:
    if not additions:
        return known
    entries = known or (DictionaryAttr({}),) * count
    return ArrayAttr(
        DictionaryAttr({**entry.data, **additions[index]}) if index in additions else entry
        for index, entry in enumerate(entries)
    )
