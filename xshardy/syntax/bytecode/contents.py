"""What the operations of bytecode are: their classes in a context, and their properties and attributes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation

from xshardy.syntax.bytecode.attribute_table import AttributeReader, AttributeTable
from xshardy.syntax.bytecode.container import Container
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.properties import SEGMENTS, PropertyLayout, layout_of
from xshardy.syntax.bytecode.vhlo_operations import RETURN_OF_FUNCTION, VHLO_OPERATIONS, VhloOperation
from xshardy.syntax.older_arrays import replace_older_arrays
from xshardy.syntax.parser import current_name
from xshardy.syntax.unregistered import unregistered_operation

VHLO_PREFIX = "vhlo."

Contents = tuple[dict[str, Attribute], dict[str, Attribute]]
"""Properties and attributes."""


@dataclass(frozen=True, slots=True)
class OperationKind:
    """What all operations of one name have in common."""

    op_type: type[Operation]
    in_function: type[Operation]
    """The class of those that are directly in a function."""
    inherent: frozenset[str]
    """The names of the properties."""
    layout: PropertyLayout | None
    """How properties are stored; None if they are a dictionary."""
    vhlo: VhloOperation | None
    vhlo_attributes: Sequence[str]
    """The names of the attributes that this version of an operation of VHLO has."""
    vhlo_missing: Mapping[str, Attribute]
    """The values of those that it does not have yet."""
    is_conversion: bool
    """Whether it is a cast between types of VHLO and others, which are the same here."""


class ContentTable:
    """The kinds of operations of `container`, and what they have. All methods raise `BytecodeError`."""

    def __init__(self, container: Container, attributes: AttributeTable, context: Context):
        self._container, self._attributes, self._context = container, attributes, context
        self._is_artifact = any(name.name.startswith(VHLO_PREFIX) for name in container.operation_names)
        self.kind = cache(self._kind)
        """The kind of operation that has a number."""

    def _kind(self, number: int) -> OperationKind:
        names = self._container.operation_names
        if number >= len(names):
            raise BytecodeError(f"there is no name {number} of an operation: there are {len(names)}")
        name = names[number]
        vhlo, version = None, 0
        called = found = name.name
        if found.startswith(VHLO_PREFIX):
            base, mark, digits = found.removeprefix(VHLO_PREFIX).rpartition("_v")
            vhlo, version = VHLO_OPERATIONS.get(base), int(digits) if mark and digits.isdecimal() else 0
            if vhlo is None or not 0 < version <= len(vhlo.versions):
                raise BytecodeError(f"operation '{found}' is not known: this StableHLO is too new, or too old")
            called = vhlo.operation
        op_type = self._op_type(called)
        in_function = self._op_type(RETURN_OF_FUNCTION) if found == "vhlo.return_v1" else op_type
        return OperationKind(
            op_type,
            in_function,
            _properties_of(op_type),
            layout_of(op_type, self._container.version) if name.is_registered else None,
            vhlo,
            vhlo.attributes(version) if vhlo is not None else (),
            vhlo.missing(version) if vhlo is not None else {},
            self._is_artifact and op_type is UnrealizedConversionCastOp,
        )

    def _op_type(self, name: str) -> type[Operation]:
        if (op_type := self._context.get_optional_op(current_name(name))) is None:
            raise BytecodeError(unregistered_operation(name, self._context))
        return op_type

    def contents(self, name: int, attributes: int | None, properties: int | None) -> Contents:
        """The properties and attributes of an operation: by the number of its name, its attributes, its properties."""
        try:
            return self._read(self.kind(name), attributes, properties)
        except BytecodeError as error:
            raise BytecodeError(f"'{self._container.operation_names[name].name}' op: {error}") from None

    def _read(self, kind: OperationKind, attributes: int | None, properties: int | None) -> Contents:
        outer = {} if attributes is None else self._dictionary(attributes)
        inner = {} if properties is None else self._properties(kind, properties)
        if kind.vhlo is not None:
            inner = _of_stablehlo(kind, kind.vhlo, inner, outer)
        elif properties is None:  # in the oldest formats, and of operations without properties
            inner = {name: outer.pop(name) for name in tuple(outer) if name in kind.inherent}
        elif not inner.keys() <= kind.inherent:  # xDSL declares some as attributes
            outer |= {name: inner.pop(name) for name in tuple(inner) if name not in kind.inherent.union(SEGMENTS)}
        replace_older_arrays(kind.op_type, inner)
        return inner, outer

    def _properties(self, kind: OperationKind, number: int) -> dict[str, Attribute]:
        if number >= len(self._container.properties):
            raise BytecodeError(f"there are no properties {number}: there are {len(self._container.properties)}")
        reader = AttributeReader(self._container.data, *self._container.properties[number], self._attributes)
        if kind.layout is None:
            return self._dictionary(reader.varint())
        if kind.vhlo is not None:
            return _in_order(kind.vhlo_attributes, reader)
        return kind.layout.read(reader)

    def _dictionary(self, number: int) -> dict[str, Attribute]:
        found = self._attributes.attribute(number)
        if not isinstance(found, DictionaryAttr):
            raise BytecodeError(f"expected a dictionary, but attribute {number} is '{found}'")
        return dict(found.data)


@cache
def _properties_of(op_type: type[Operation]) -> frozenset[str]:
    return frozenset(op_type.get_irdl_definition().properties if issubclass(op_type, IRDLOperation) else ())


def _of_stablehlo(
    kind: OperationKind, row: VhloOperation, values: Mapping[str, Attribute], outer: dict[str, Attribute]
) -> dict[str, Attribute]:
    names = kind.vhlo_attributes
    values = {**{name: outer.pop(name) for name in names if name in outer}, **values, **kind.vhlo_missing}
    if missing := [name for name in names if name not in values]:
        raise BytecodeError(f"'{row.operation}' lacks {', '.join(missing)}")
    return row.properties(values)


def _in_order(names: Sequence[str], reader: AttributeReader) -> dict[str, Attribute]:
    values = {name: reader.attribute() for name in names}
    if reader.remaining:
        raise reader.error(f"properties end before their bytes do: {', '.join(names) or 'none'} were expected")
    return values
