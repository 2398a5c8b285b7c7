"""A constraint of an operation in words: what values or attributes satisfy it."""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import ArrayOfConstraint
from xdsl.ir import Attribute
from xdsl.irdl import (
    AllOf,
    AnyAttr,
    AnyOf,
    BaseAttr,
    EqAttrConstraint,
    MessageConstraint,
    ParamAttrConstraint,
    RangeOf,
    VarConstraint,
)
from xdsl.irdl.constraints import RangeLengthConstraint

from xshardy.dialects.constraints import StaticShape
from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.types import TensorOf, ValueOf


def constraint_text(constraint: object) -> str:
    """`i64`, at least 0; the name of the class of a constraint that has no row in `TEXTS`."""
    for kind in type(constraint).__mro__:
        if kind in TEXTS:
            return TEXTS[kind](constraint)
    return type(constraint).__name__


def class_text(attribute: type[Attribute]) -> str:
    """The name of an attribute in the text; that of its class for one that only has subclasses."""
    return f"`{getattr(attribute, 'name', attribute.__name__)}`"


def _tensor(constraint: TensorOf) -> str:
    rank = f"{constraint.rank}D " if constraint.rank is not None else ""
    return f"{'static ' if constraint.is_static else ''}{rank}tensor of {constraint.text}"


def _parametrized(constraint: ParamAttrConstraint[Attribute]) -> str:
    parameters = [constraint_text(each) for each in constraint.param_constrs if not isinstance(each, AnyAttr)]
    return class_text(constraint.base_attr) + (f" of {', '.join(parameters)}" if parameters else "")


TEXTS: Mapping[type, Callable[[Any], str]] = {
    AllOf: lambda all: ", ".join(map(constraint_text, all.attr_constrs)),
    AnyAttr: lambda _: "any",
    AnyOf: lambda any: " or ".join(map(constraint_text, any.attr_constrs)),
    ArrayOfConstraint: lambda array: f"array of {constraint_text(array.elem_range_constraint)}",
    BaseAttr: lambda base: class_text(base.attr),
    EqAttrConstraint: lambda equal: f"`{equal.attr}`",
    IntegerAtLeast: lambda integer: f"`{integer.type}`, at least {integer.lowest}",
    MessageConstraint: lambda inner: constraint_text(inner.constr),
    ParamAttrConstraint: _parametrized,
    RangeLengthConstraint: lambda range: constraint_text(range.constraint),
    RangeOf: lambda range: constraint_text(range.constr),
    StaticShape: lambda _: "a tensor of static shape",
    TensorOf: _tensor,
    ValueOf: lambda value: constraint_text(value.tensor) + ", or a tuple or token in its place",
    VarConstraint: lambda variable: f"`{variable.name}`: {constraint_text(variable.constraint)}",
}
"""By the class of a constraint, its words."""
