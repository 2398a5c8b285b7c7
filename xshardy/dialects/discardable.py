"""
Verification of discardable attributes: `dialect.name` on an operation of any dialect is checked by `dialect`.

In MLIR the dialect of an attribute checks it wherever it stands; xDSL 0.75 checks no discardable attribute. `verify`
verifies a module with its discardable attributes: our tools call it in place of `Operation.verify`, which stays as it
is. A module that xDSL's tools read is checked by the pass `verify-discardable-attributes`.

`register` takes what makes the verifier of a dialect. It is made when the first attribute of that dialect is met, so a
module without such attributes loads nothing. `docs/discardable_attributes.md` shows how another project uses this.
"""

from collections.abc import Callable
from functools import partial
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.dominance import verify_dominance
from xshardy.dialects.operation_verification import OperationVerification
from xshardy.dialects.upstream_invariants import verify_upstream_invariants
from xshardy.rewriting.walk import operations_from
from xshardy.universe import ATTRIBUTE_VERIFIERS, load


class DiscardableAttributeVerifier:
    """What a dialect checks of its attributes on others' operations. Methods raise `VerifyException`."""

    def verify_operation_attribute(self, op: Operation, name: str, attribute: Attribute) -> None:
        """`attribute` is called `name` and stands in the attribute dictionary of `op`."""

    def verify_argument_attribute(self, op: Operation, index: int, name: str, attribute: Attribute) -> None:
        """`attribute` stands in the dictionary of argument `index` of the function `op`."""

    def verify_result_attribute(self, op: Operation, index: int, name: str, attribute: Attribute) -> None:
        """`attribute` stands in the dictionary of result `index` of the function `op`."""


def _made(reference: str) -> DiscardableAttributeVerifier:
    """An instance of the class that `reference` names."""
    return load(reference)()


_factories: dict[str, Callable[[], DiscardableAttributeVerifier]] = {
    dialect: partial(_made, reference) for dialect, reference in ATTRIBUTE_VERIFIERS.items()
}
_verifiers: dict[str, DiscardableAttributeVerifier] = {}
"""Those of the dialects whose attributes have been met."""


def register(dialect: str, verifier: Callable[[], DiscardableAttributeVerifier]) -> None:
    """Check every attribute whose name begins with `dialect.` by what `verifier` makes when it is first needed."""
    _factories[dialect] = verifier
    _verifiers.pop(dialect, None)


def _verifier_of(name: str) -> DiscardableAttributeVerifier | None:
    """The verifier of the attributes called `name`, if their dialect has one."""
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
    return [
        (index, name, attr)
        for index, entry in enumerate(cast(ArrayAttr[Attribute], dictionaries))
        if isinstance(entry, DictionaryAttr)  # the verifier of the function reports any other
        for name, attr in entry.data.items()
    ]


def verify_operation(op: Operation, verification: OperationVerification | None = None) -> None:
    """
    Verify `op`, not what is in it: its discardable attributes, and what xDSL and upstream check of the operation.

    `verification` is the same for all operations of a module. Raises `VerifyException`.
    """
    try:
        verify_discardable_attributes(op)
    except VerifyException as error:
        op.emit_error(f"Operation does not verify: {error}", error)
    (verification or OperationVerification()).verify(op)
    verify_upstream_invariants(op)


def verify(op: Operation) -> None:
    """
    Verify `op` and everything in it: `op.verify()`, the discardable attributes, what upstream checks of operations that
    xDSL does not, and SSA dominance. Raises `VerifyException`.

    The order is MLIR's, from the outside in: an operation may rely on the attributes of those around it.
    """
    verification = OperationVerification()
    for inner in operations_from(op):
        verify_operation(inner, verification)
        for region in inner.regions:
            for block in region.blocks:
                _verify_structure(region, block)
    verify_dominance(op)


def _verify_structure(region: Region, block: Block) -> None:
    if block.parent is not region or any(op.parent is not block for op in block.ops):
        raise ValueError("a block or an operation is not in the region or block that its parent pointer refers to")
    if not block.first_op:
        block.verify()  # an empty block has no operation that xDSL could check it with
