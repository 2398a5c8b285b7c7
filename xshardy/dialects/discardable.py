"""
Verification of discardable attributes: `dialect.name` on an operation of any dialect is checked by `dialect`.

MLIR asks the dialect of the attribute when it verifies an operation; xDSL 0.74 asks nobody. `register` adds what is
missing to `Operation.verify`, once for all dialects, so it also runs where only xDSL's own tools are used. It takes
what makes the verifier, and makes it when it first meets the name of an attribute of the dialect: `universe` registers
ours, which `xdsl-opt` imports, and nothing is loaded for modules without such attributes.
`docs/discardable_attributes.md` shows how another project uses this.
"""

from collections.abc import Callable
from functools import wraps
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException


class DiscardableAttributeVerifier:
    """What a dialect checks of its attributes on others' operations. Methods raise `VerifyException`."""

    def verify_operation_attribute(self, op: Operation, name: str, attribute: Attribute) -> None:
        """`attribute` is called `name` and stands in the attribute dictionary of `op`."""

    def verify_argument_attribute(self, op: Operation, index: int, name: str, attribute: Attribute) -> None:
        """`attribute` stands in the dictionary of argument `index` of the function `op`."""

    def verify_result_attribute(self, op: Operation, index: int, name: str, attribute: Attribute) -> None:
        """`attribute` stands in the dictionary of result `index` of the function `op`."""


_factories: dict[str, Callable[[], DiscardableAttributeVerifier]] = {}
_verifiers: dict[str, DiscardableAttributeVerifier] = {}
"""Those of the dialects whose attributes have been met."""


def register(dialect: str, verifier: Callable[[], DiscardableAttributeVerifier]) -> None:
    """Have what `verifier` makes, when it is first needed, check every attribute whose name begins with `dialect.`."""
    if not _factories:
        _extend_operation_verify()
    _factories[dialect] = verifier
    _verifiers.pop(dialect, None)


def _verifier_of(name: str) -> DiscardableAttributeVerifier | None:
    """Who checks the attributes called `name`; None if nobody does."""
    dialect, dot, _ = name.partition(".")
    if dialect not in _factories or not dot:
        return None
    if (verifier := _verifiers.get(dialect)) is None:
        verifier = _verifiers[dialect] = _factories[dialect]()
    return verifier


def verify_discardable_attributes(op: Operation) -> None:
    """Check the discardable attributes of `op`, not those of the operations in it. Raises `VerifyException`."""
    for name, attribute in op.attributes.items():
        if (verifier := _verifier_of(name)) is not None:
            verifier.verify_operation_attribute(op, name, attribute)
    if "arg_attrs" in op.properties:
        for index, name, attribute in _entries(op.properties["arg_attrs"]):
            if (verifier := _verifier_of(name)) is not None:
                verifier.verify_argument_attribute(op, index, name, attribute)
    if "res_attrs" in op.properties:
        for index, name, attribute in _entries(op.properties["res_attrs"]):
            if (verifier := _verifier_of(name)) is not None:
                verifier.verify_result_attribute(op, index, name, attribute)


def _entries(dictionaries: Attribute) -> list[tuple[int, str, Attribute]]:
    """The entries of the dictionaries that a function has for its arguments, with the index of the argument."""
    if not isinstance(dictionaries, ArrayAttr):
        return []
    each = cast(ArrayAttr[DictionaryAttr], dictionaries)
    return [(index, name, attr) for index, entry in enumerate(each) for name, attr in entry.data.items()]


def _extend_operation_verify() -> None:
    verify = Operation.verify

    @wraps(verify)
    def verify_with_discardable_attributes(self: Operation, verify_nested_ops: bool = True) -> None:
        try:
            verify_discardable_attributes(self)
        except VerifyException as error:
            self.emit_error(f"Operation does not verify: {error}", error)
        if not _verifiers:
            verify(self, verify_nested_ops)
            return
        # In MLIR's order, from the outside in: what is inside may rely on the attributes of what is around it.
        verify(self, verify_nested_ops=False)
        if verify_nested_ops:
            for region in self.regions:
                region.verify()

    Operation.verify = verify_with_discardable_attributes
