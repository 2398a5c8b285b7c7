"""
How the properties of StableHLO's operations correspond to the attributes of VHLO's.

VHLO has no lists of numbers but tensors, no optional attributes, and no dimension numbers but one attribute for each of
their fields. An operation of an older version lacks some attributes, which then have a fixed value: `Attr.before`.
Source: StableHLO, StablehloLegalizeToVhlo.cpp, VhloLegalizeToStablehlo.cpp and VhloToVersion.cpp.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    NoneType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

from xshardy.dialects.dense_elements import Dense, dense_values, first_values, is_splat
from xshardy.dialects.stablehlo.attributes import DimensionNumbers, integers
from xshardy.dialects.stablehlo.dot_algorithm import DotAlgorithmAttr
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.syntax.bytecode.builtin import symbol
from xshardy.syntax.bytecode.encoding import shared
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.vhlo import ApiVersion


@dataclass(frozen=True, slots=True)
class Attr:
    """An attribute of VHLO: its name, the versions of its operation that have it, and its value before the first."""

    name: str
    since: int = 1
    before: Attribute | None = None
    until: float = inf


@dataclass(frozen=True, slots=True)
class Conversion:
    """
    Some attributes of a VHLO operation, and the properties of StableHLO's that are the same.

    `read` has the properties, from the values of all attributes; `write` is its inverse. Both raise `BytecodeError`.
    """

    attrs: Sequence[Attr]
    read: Callable[[Mapping[str, Attribute]], Mapping[str, Attribute]]
    write: Callable[[Operation], Mapping[str, Attribute]]


@dataclass(frozen=True, slots=True)
class Kind:
    """How one value is written in VHLO, and the class that it has there."""

    vhlo: type[Attribute]
    read: Callable[[Any], Attribute]
    write: Callable[[Any], Attribute]


@dataclass(frozen=True, slots=True)
class Default:
    """The value in VHLO of a property that an operation of StableHLO does not have."""

    of: Callable[[Operation], Attribute]
    matches: Callable[[Any], bool]


def always(value: Attribute) -> Default:
    """The same value for all operations."""
    return Default(lambda op: value, lambda found: found == value)


# Kinds


def tensor_of_ints(values: Sequence[int]) -> Attribute:
    """`dense<values> : tensor<Nxi64>`"""
    return dense_values(TensorType(i64, [len(values)]), values) if values else NO_INTS


NO_INTS = DenseIntOrFPElementsAttr.from_list(TensorType(i64, [0]), [])


def _ints(tensor: DenseIntOrFPElementsAttr) -> Attribute:
    if tensor.get_element_type() != i64:
        raise BytecodeError(f"expected integers of 64 bits, but found '{tensor}'")
    return integers(cast(Sequence[int], tensor.get_values()))


def _bools(tensor: DenseIntOrFPElementsAttr) -> Attribute:
    if tensor.get_element_type() != i1:
        raise BytecodeError(f"expected booleans, but found '{tensor}'")
    return DenseArrayBase.from_list(i1, [bool(value) for value in tensor.get_values()])


def _tensor_of_bools(array: DenseArrayBase[IntegerType]) -> Attribute:
    values = [int(bool(value)) for value in array.get_values()]
    type = TensorType(i1, [len(values)])
    return dense_values(type, values) if values else DenseIntOrFPElementsAttr.from_list(type, values)


def _symbols(names: ArrayAttr[Attribute]) -> Attribute:
    return ArrayAttr(SymbolRefAttr(name) for name in names if isinstance(name, StringAttr))


def _names(symbols: ArrayAttr[SymbolRefAttr]) -> Attribute:
    return ArrayAttr(symbol.root_reference for symbol in symbols)


SAME = Kind(Attribute, lambda value: value, lambda value: value)
INTS = Kind(DenseIntOrFPElementsAttr, _ints, lambda array: tensor_of_ints(array.get_values()))
BOOLS = Kind(DenseIntOrFPElementsAttr, _bools, _tensor_of_bools)
INT = Kind(IntegerAttr, lambda number: IntAttr(number.value.data), lambda number: IntegerAttr(number.data, i64))
SYMBOL = Kind(StringAttr, symbol, lambda symbol: symbol.root_reference)
SYMBOLS = Kind(ArrayAttr, _symbols, _names)
API_VERSION = Kind(
    ApiVersion, lambda version: IntegerAttr(version.data, i32), lambda number: ApiVersion(number.value.data)
)
CHANNEL = Kind(
    IntegerAttr,
    lambda number: ChannelHandleAttr(IntAttr(number.value.data), IntAttr(0)),
    lambda handle: IntegerAttr(handle.handle.data, i64),
)

FALSE = IntegerAttr(0, i1)


def attr(
    name: str,
    kind: Kind = SAME,
    default: Default | None = None,
    *,
    vhlo: str | None = None,
    since: int = 1,
    before: Attribute | None = None,
) -> Conversion:
    """A property that is one attribute in VHLO, where it is called `vhlo` if not the same."""
    field = Attr(vhlo or name, since, before)

    def read(values: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        value = values[field.name]
        if default is not None and default.matches(value):
            return {}
        return {name: kind.read(of_class(value, kind.vhlo, field.name))}

    def write(op: Operation) -> Mapping[str, Attribute]:
        value = op.properties.get(name)
        if value is not None:
            return {field.name: kind.write(value)}
        if default is None:
            raise BytecodeError(f"'{op.name}' lacks its '{name}'")
        return {field.name: default.of(op)}

    return Conversion((field,), read, write)


def of_class(value: Attribute, kind: type[Attribute], name: str) -> Attribute:
    """`value`, the attribute `name`, if it has that class. Raises `BytecodeError`."""
    if not isinstance(value, kind):
        raise BytecodeError(f"attribute '{name}': expected a '{getattr(kind, 'name', 'value')}', but found '{value}'")
    return value


def dropped(name: str, until: int) -> Conversion:
    """An attribute that newer versions do not have, because nothing read it."""
    return Conversion((Attr(name, until=until),), lambda values: {}, lambda op: {})


def flag(name: str, *, since: int = 1) -> Conversion:
    """A property that is there or not: a boolean in VHLO."""

    def read(values: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        return {} if values[name] == FALSE else {name: UnitAttr()}

    return Conversion(
        (Attr(name, since, FALSE),), read, lambda op: {name: IntegerAttr.from_bool(name in op.properties)}
    )


def channel_id() -> Conversion:
    """The channel of a collective, 0 if there is none."""
    return attr("channel_handle", CHANNEL, always(IntegerAttr(0, i64)), vhlo="channel_id")


def channel() -> Conversion:
    """The channel of a transfer, with its type."""

    def read(values: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        fields = (INT.read(of_class(values[name], IntegerAttr, name)) for name in ("channel_id", "channel_type"))
        return {"channel_handle": ChannelHandleAttr.new(tuple(fields))}

    def write(op: Operation) -> Mapping[str, Attribute]:
        handle = op.properties.get("channel_handle")
        assert isinstance(handle, ChannelHandleAttr)
        return {"channel_id": INT.write(handle.handle), "channel_type": INT.write(handle.type)}

    return Conversion((Attr("channel_id"), Attr("channel_type")), read, write)


def dimension_numbers(name: str, kind: type[DimensionNumbers], newer: Sequence[str] = ()) -> Conversion:
    """Dimension numbers: an attribute of VHLO for each field. Those in `newer` came in version 2, empty before."""
    is_number = {field: annotation is IntAttr for field, annotation in kind.__annotations__.items()}
    attrs = tuple(Attr(field, 2, NO_INTS) if field in newer else Attr(field) for field in kind.absent_fields())
    kinds = {field.name: INT if is_number[field.name] else INTS for field in attrs}
    build = shared(kind)

    def read(values: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        fields = (row.read(of_class(values[field], row.vhlo, field)) for field, row in kinds.items())
        return {name: build(*fields)}

    def write(op: Operation) -> Mapping[str, Attribute]:
        numbers = op.properties.get(name)
        assert isinstance(numbers, ParametrizedAttribute)
        return {field: row.write(value) for (field, row), value in zip(kinds.items(), numbers.parameters, strict=True)}

    return Conversion(attrs, read, write)


ALGORITHM: Mapping[str, Kind] = {
    "lhs_precision_type": SAME,
    "rhs_precision_type": SAME,
    "accumulation_type": SAME,
    "lhs_component_count": INT,
    "rhs_component_count": INT,
    "num_primitive_operations": INT,
    "allow_imprecise_accumulation": SAME,
}
"""The fields of an algorithm in their order. All are NO_PART if there is no algorithm."""

NO_PART = NoneType()


def algorithm() -> Conversion:
    """The algorithm of a dot product, from version 2 on."""

    def read(values: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        if all(values[name] == NO_PART for name in ALGORITHM):
            return {}
        fields = (kind.read(of_class(values[name], kind.vhlo, name)) for name, kind in ALGORITHM.items())
        return {"algorithm": DotAlgorithmAttr.new(tuple(fields))}

    def write(op: Operation) -> Mapping[str, Attribute]:
        found = op.properties.get("algorithm")
        if not isinstance(found, DotAlgorithmAttr):
            return dict.fromkeys(ALGORITHM, NO_PART)
        pairs = zip(ALGORITHM.items(), found.parameters, strict=True)
        return {name: kind.write(value) for (name, kind), value in pairs}

    return Conversion(tuple(Attr(name, 2, NO_PART) for name in ALGORITHM), read, write)


def layouts() -> Conversion:
    """The layouts of a custom call: those of operands and those of results, or neither."""
    names = ("operand_layouts", "result_layouts")

    def read(values: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        found = {name: values[name] for name in names}
        return {} if all(value == NOTHING for value in found.values()) else found

    return Conversion(
        tuple(map(Attr, names)), read, lambda op: {name: op.properties.get(name, NOTHING) for name in names}
    )


# Defaults

NOTHING = ArrayAttr[Attribute]([])
NO_ENTRIES = DictionaryAttr({})


def _all_equal(tensor: Attribute, value: int) -> bool:
    if not isinstance(tensor, DenseIntOrFPElementsAttr):
        return False
    literal = cast(Dense, tensor)
    if not is_splat(literal):
        return False
    (first,) = first_values(literal, 1)[:1]
    return first in (value, -value) if literal.get_element_type() == i1 else first == value


def splat(value: int, rank: Callable[[Operation], int], element: IntegerType = i64, *, pairs: bool = False) -> Default:
    """A tensor with `value` for each of `rank` dimensions, or twice for each."""

    def of(op: Operation) -> Attribute:
        shape = [rank(op), 2] if pairs else [rank(op)]
        type = TensorType(element, shape)
        return dense_values(type, [value]) if rank(op) else DenseIntOrFPElementsAttr.from_list(type, [])

    return Default(of, lambda tensor: _all_equal(tensor, value))
