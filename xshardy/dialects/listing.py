"""A dialect is what the modules of its package export: a class is named where it is written, and nowhere else."""

from collections.abc import Mapping
from typing import TypeVar, cast

from xdsl.ir import Attribute, Dialect, Operation

T = TypeVar("T")


def dialect_of(name: str, namespace: Mapping[str, object]) -> Dialect:
    """The dialect `name` of the operations and attributes in `namespace` that have a name in it: not base classes."""
    return Dialect(name, list(operations_of(name, namespace)), _named(name, namespace, Attribute))


def operations_of(name: str, namespace: Mapping[str, object]) -> tuple[type[Operation], ...]:
    """The operations alone."""
    return tuple(_named(name, namespace, Operation))


def _named(name: str, namespace: Mapping[str, object], base: type[T]) -> list[type[T]]:
    """The classes below `base`. Their ancestors say it: `issubclass` tests all classes below an abstract one."""
    classes = [value for value in namespace.values() if isinstance(value, type) and base in value.__mro__]
    return [cast(type[T], value) for value in classes if str(vars(value).get("name", "")).startswith(f"{name}.")]
