"""A dialect is what the modules of its package export: a class is named where it is written, and nowhere else."""

from collections.abc import Mapping

from xdsl.ir import Attribute, Dialect, Operation


def dialect_of(name: str, namespace: Mapping[str, object]) -> Dialect:
    """The dialect `name` of the operations and attributes in `namespace` that have a name in it: not base classes."""
    attributes = [value for value in _named(name, namespace) if issubclass(value, Attribute)]
    return Dialect(name, list(operations_of(name, namespace)), attributes)


def operations_of(name: str, namespace: Mapping[str, object]) -> tuple[type[Operation], ...]:
    """The operations alone."""
    return tuple(value for value in _named(name, namespace) if issubclass(value, Operation))


def _named(name: str, namespace: Mapping[str, object]) -> list[type]:
    classes = [value for value in namespace.values() if isinstance(value, type)]
    return [value for value in classes if str(vars(value).get("name", "")).startswith(f"{name}.")]
