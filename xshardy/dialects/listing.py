"""A dialect is what the modules of its package export: a class is named where it is written, and nowhere else."""

from collections.abc import Mapping

from xdsl.ir import Attribute, Dialect, Operation


def dialect_of(name: str, namespace: Mapping[str, object]) -> Dialect:
    """The dialect `name` of the operations and attributes in `namespace` that have a name in it: not base classes."""
    classes = [value for value in namespace.values() if isinstance(value, type)]
    named = [value for value in classes if str(vars(value).get("name", "")).startswith(f"{name}.")]
    operations = [value for value in named if issubclass(value, Operation)]
    return Dialect(name, operations, [value for value in named if issubclass(value, Attribute)])
