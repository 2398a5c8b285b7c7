"""
Verification of operations that are alike, as those of repeated layers are, once for all of them.

Two operations are alike if they are of one class, and their properties, their attributes and the types of their
operands and results are equal. Most of what xDSL verifies of an operation is a function of these: its definition,
traits that verify nothing, and, in the packages listed here, its own `verify_`.
"""

from collections.abc import Callable, Hashable
from functools import cache
from inspect import getclosurevars
from typing import Any

from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.traits import OpTrait, SameOperandsAndResultType

from xshardy.ir.fields import operands_of, successors_of
from xshardy.ir.hashing import keys_of

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


def _nothing(op: Operation) -> None:
    """All of a verification follows from what is alike."""


@cache
def rest_of_verification(op_type: type[Operation]) -> Callable[[Any], None] | None:
    """
    What is to be verified of each operation of this class, also if one that is alike has been verified.

    None if it cannot be told from the rest, or if traits verify where the operation is.
    """
    if not issubclass(op_type, IRDLOperation):
        return None
    # xDSL makes the method `verify_` of a class from its definition and the `verify_` that the class was written with.
    parts = getclosurevars(op_type.verify_).nonlocals
    definition = op_type.get_irdl_definition()
    if parts.get("op_def") is not definition:
        return None
    checking = (trait for trait in definition.traits if type(trait).verify is not OpTrait.verify)
    if any(not isinstance(trait, SameOperandsAndResultType) for trait in checking):
        return None
    is_of_types = op_type.__module__.startswith(PACKAGES) and op_type.name not in READ_DEFINITIONS
    return _nothing if is_of_types else parts.get("custom_verify", _nothing)


class AlikeVerification:
    """Verifies the operations of a module."""

    def __init__(self) -> None:
        self._verified: set[Hashable] = set()

    def verify(self, op: Operation) -> None:
        """What `op.verify_()` verifies. Raises `VerifyException`."""
        kind = type(op)
        if op.regions or successors_of(op) or (rest := rest_of_verification(kind)) is None:
            op.verify_()
            return
        types = [operand.type for operand in operands_of(op)]
        types += [result.type for result in op.results]
        properties, attributes = op.properties, op.attributes
        held = keys_of((*types, *properties.values(), *attributes.values()))
        key = kind, len(op.results), tuple(properties), tuple(attributes), held
        if key not in self._verified:
            op.verify_()
            self._verified.add(key)
        else:
            rest(op)
