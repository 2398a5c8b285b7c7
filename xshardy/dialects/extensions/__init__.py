"""
Operations and attributes of MLIR's dialects that xDSL's lack: one module per dialect, each with an `extend`.

`extend` returns a new `Dialect`; its argument, and the classes in it, do not change. Traits that xDSL's
operations lack are in `effects`.
"""

from collections.abc import Iterable

from xdsl.ir import Attribute, Dialect, Operation


def extended(
    dialect: Dialect,
    operations: Iterable[type[Operation]] = (),
    attributes: Iterable[type[Attribute]] = (),
    replacements: Iterable[type[Operation]] = (),
) -> Dialect:
    """
    `dialect` with the `operations` and `attributes` that it does not have.

    An operation of `dialect` takes precedence over one of `operations` with the same name, since a later xDSL may add
    it. `replacements` take precedence over operations of `dialect`.
    """
    replaced = {op.name: op for op in replacements}
    known_ops = {op.name for op in dialect.operations}
    known_attributes = {attribute.name for attribute in dialect.attributes}
    return Dialect(
        dialect.name,
        [
            *(replaced.get(op.name, op) for op in dialect.operations),
            *(op for op in operations if op.name not in known_ops),
        ],
        [*dialect.attributes, *(attribute for attribute in attributes if attribute.name not in known_attributes)],
        list(dialect._interfaces),
    )
