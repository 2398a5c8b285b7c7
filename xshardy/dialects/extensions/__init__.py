"""What upstream MLIR's own dialects have and xDSL's lack: one module per dialect, each with an `extend`."""

from collections.abc import Iterable, Mapping

from xdsl.ir import Attribute, Dialect, Operation
from xdsl.traits import OpTrait


def extended(
    dialect: Dialect,
    operations: Iterable[type[Operation]] = (),
    attributes: Iterable[type[Attribute]] = (),
    traits: Mapping[OpTrait, Iterable[type[Operation]]] | None = None,
) -> Dialect:
    """
    `dialect` with the `operations` and `attributes` that it does not have, and `traits` on operations without them.

    An operation that a later xDSL brings along wins over ours of the same name. Traits are added to xDSL's classes, so
    calling this twice changes nothing.
    """
    for trait, classes in (traits or {}).items():
        for op in classes:
            if not op.has_trait(type(trait)):
                op.traits.add_trait(trait)
    known_ops = {op.name for op in dialect.operations}
    known_attributes = {attribute.name for attribute in dialect.attributes}
    return Dialect(
        dialect.name,
        [*dialect.operations, *(op for op in operations if op.name not in known_ops)],
        [*dialect.attributes, *(attribute for attribute in attributes if attribute.name not in known_attributes)],
        list(dialect._interfaces),
    )
