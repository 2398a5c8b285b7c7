"""
Verification of operations that are alike, as those of repeated layers are, once for all of them.

Two operations are alike if they are of one class, and their properties, their attributes and the types of their
operands and results are the same objects. Most of what xDSL verifies of an operation is a function of these: its
definition, traits that verify nothing, and, in the packages listed here, its own `verify_`.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from inspect import getclosurevars
from typing import Any

from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.traits import OpTrait, SameOperandsAndResultType

PACKAGES = ("xshardy.dialects.stablehlo.", "xshardy.dialects.chlo.")
"""Where `verify_` of an operation without regions reads its types and attributes only, with the exceptions below."""

READ_DEFINITIONS = frozenset(
    (
        "stablehlo.dynamic_broadcast_in_dim",
        "stablehlo.dynamic_conv",
        "stablehlo.dynamic_gather",
        "stablehlo.dynamic_iota",
        "stablehlo.dynamic_pad",
        "stablehlo.dynamic_reshape",
        "stablehlo.real_dynamic_slice",
        "stablehlo.rng",
        "stablehlo.set_dimension_size",
    )
)
"""Operations that also verify the constants that they read."""


@dataclass(frozen=True, slots=True)
class AfterOne:
    """What to verify of an operation after one that is alike."""

    own: Callable[[Any], None] | None
    """The `verify_` of the class, if it may depend on more than what is alike."""


@cache
def after_one(op_type: type[Operation]) -> AfterOne | None:
    """What to verify of such an operation after one that is alike; None for all, if traits verify its place."""
    if not issubclass(op_type, IRDLOperation):
        return None
    # xDSL makes the method `verify_` of a class from its definition and the `verify_` that the class was written with.
    parts = getclosurevars(op_type.verify_).nonlocals
    definition = op_type.get_irdl_definition()
    if parts.get("op_def") is not definition:
        return None
    if any(type(trait).verify is not OpTrait.verify for trait in definition.traits if not _is_of_types(trait)):
        return None
    is_of_types = op_type.__module__.startswith(PACKAGES) and op_type.name not in READ_DEFINITIONS
    return AfterOne(None if is_of_types else parts.get("custom_verify"))


def _is_of_types(trait: OpTrait) -> bool:
    return isinstance(trait, SameOperandsAndResultType)


class AlikeVerification:
    """Verifies the operations of a module. Attributes that it has met are kept as long as it is."""

    def __init__(self) -> None:
        self._verified: dict[Hashable, tuple[list[Attribute], list[Attribute]]] = {}
        """What each key has the identities of, so that no other objects get them."""

    def verify(self, op: Operation) -> None:
        """What `op.verify_()` verifies. Raises `VerifyException`."""
        kind = type(op)
        if op.regions or op._successors or (then := after_one(kind)) is None:  # pyright: ignore[reportPrivateUsage]
            op.verify_()
            return
        types = [operand.type for operand in op._operands]  # pyright: ignore[reportPrivateUsage]  # hot path
        types += [result.type for result in op.results]
        held = [*op.properties.values(), *op.attributes.values()]
        key = (
            kind,
            len(op.results),
            len(op.properties),
            *op.properties,
            *op.attributes,
            *map(id, types),
            *map(id, held),
        )
        if key not in self._verified:
            op.verify_()
            self._verified[key] = types, held
        elif then.own is not None:
            then.own(op)
