"""Attributes of parameters that fit, and the parameters of an attribute."""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from xdsl.ir import Attribute, ParametrizedAttribute

AttributeT = TypeVar("AttributeT", bound=ParametrizedAttribute)

_new: Any = object.__new__
_set = object.__setattr__


@cache
def _fields(attribute_type: type[ParametrizedAttribute]) -> tuple[str, ...]:
    return tuple([name for name, _ in attribute_type.get_irdl_definition().parameters])


@cache
def parameters_of(attribute_type: type[ParametrizedAttribute]) -> Callable[[ParametrizedAttribute], tuple[Any, ...]]:
    """A function that returns what `parameters` of an attribute of this class does."""
    match _fields(attribute_type):
        case ():
            return lambda attribute: ()
        case (name,):
            return lambda attribute: (getattr(attribute, name),)
        case names:
            return attrgetter(*names)


def new_attribute(attribute_type: type[AttributeT], *parameters: Attribute) -> AttributeT:
    """What `attribute_type.new(parameters)` returns for parameters that it verifies."""
    made: AttributeT = _new(attribute_type)
    for name, parameter in zip(_fields(attribute_type), parameters, strict=True):
        _set(made, name, parameter)
    return made
