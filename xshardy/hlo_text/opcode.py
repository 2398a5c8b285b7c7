"""The rows of the table of opcodes, and builders for rows without special functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, VariadicDef

from xshardy.hlo_text.codecs import Codec, Fields, codec_of, plain_value
from xshardy.hlo_text.fields import READERS, ComputationName, Reader
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.tuple_leaves import Tree


class Inexpressible(Exception):
    """An operation that HLO cannot represent, with a hint."""


Builder: TypeAlias = Callable[[Instruction], Operation]
"""Builds the operation of an instruction."""


class Regions(Protocol):
    """The printer's access to the computations that operations apply."""

    def computation(self, op: Operation, region: Region, attribute: str) -> ComputationName:
        """The computation with the body of `region`; `attribute` of `op` may name it."""
        ...

    def callee(self, region: Region) -> ComputationName:
        """The computation called by `region`, which contains only the call."""
        ...

    def tuple_of(self, values: Sequence[SSAValue]) -> Tree:
        """The tuple whose arrays are `values`; `values` themselves if there is none."""
        ...

    def operand_like_result(self, op: Operation) -> Tree:
        """What has the operands of `op` as its arrays, and the type of the result of `op` in HLO text."""
        ...


Operands: TypeAlias = Sequence[Tree]
"""The operands of an instruction. A nested sequence is a tuple."""

FieldsOf: TypeAlias = Callable[[Any, Regions], Fields]
"""Gives the attributes of the instruction for an operation."""

OperandsOf: TypeAlias = Callable[[Any, Regions], Operands]
"""Gives the operands of the instruction for an operation."""


def own_operands(op: Operation, regions: Regions) -> Operands:
    """The operands of the operation."""
    return op.operands


@dataclass(frozen=True, slots=True)
class Form:
    """The printed form of operations of type `op`."""

    op: type[Operation]
    fields: FieldsOf
    operands: OperandsOf = own_operands
    needs_rewrite: Callable[[Any], object] = lambda op: False
    """Whether HLO has this operation in other terms, which `hlo-to-opcodes` writes, as something true."""


@dataclass(frozen=True, slots=True)
class Opcode:
    """
    How an HLO opcode is read and printed. `operands` is the number of operands, None for any.

    `extras` are optional attributes that become discardable attributes. With `needs_module`, operations are verified by
    their builder against the module.
    """

    build: Builder
    operands: int | None
    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    extras: frozenset[str] = frozenset()
    forms: tuple[Form, ...] = ()
    readers: Mapping[str, Reader] = field(default_factory=dict[str, Reader])
    needs_module: bool = False


def row(
    build: Builder,
    operands: int | None,
    required: str = "",
    optional: str = "",
    *,
    extras: str = "",
    forms: Sequence[Form] = (),
    readers: Mapping[str, Reader] | None = None,
    needs_module: bool = False,
) -> Opcode:
    """A row; `required`, `optional` and `extras` are attribute names separated by spaces."""
    keys = [*required.split(), *optional.split(), *extras.split()]
    own = readers or {}
    return Opcode(
        build,
        operands,
        frozenset(required.split()),
        frozenset(optional.split()),
        frozenset(extras.split()),
        tuple(forms),
        {key: own[key] if key in own else READERS[key] for key in keys},
        needs_module,
    )


def no_fields(op: Operation, regions: Regions) -> Fields:
    """No attributes."""
    return {}


@dataclass(slots=True)
class Content:
    """What an operation is made of, besides its operands and the types of its results."""

    properties: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    regions: list[Region] = field(default_factory=list[Region])


@dataclass(frozen=True, slots=True)
class Part:
    """Attributes of HLO text, and what of an operation they say. `write` is the inverse of `read`."""

    required: str
    """Their names, separated by spaces."""
    optional: str
    read: Callable[[Instruction, Content], None]
    write: FieldsOf


def prop(
    key: str, codec: Codec, name: str = "", default: Any = None, *, is_required: bool = True, is_printed: bool = False
) -> Part:
    """
    The attribute `key`, which is the property `name`, by default of the same name.

    An omitted attribute has the value `default`; the printer omits the default too, unless `is_printed`. Without a
    default, and if it `is_required`, the attribute cannot be omitted.
    """
    name = name or key

    def read(instruction: Instruction, content: Content) -> None:
        if (value := instruction.fields.get(key, default)) is None:
            return
        try:
            content.properties[name] = codec.encode(value)
        except (KeyError, IndexError):
            raise instruction.error(f"attribute '{key}' cannot be {value}") from None

    def write(op: Operation, regions: Regions) -> Fields:
        if name not in op.properties:
            return {}
        value = codec.decode(op.properties[name])
        return {key: value} if is_printed or value != default else {}

    return Part(key, "", read, write) if is_required and default is None else Part("", key, read, write)


def values_of(instruction: Instruction) -> Sequence[SSAValue]:
    """The operands of the instruction, which are arrays."""
    return instruction.values


def described(
    op: type[Operation],
    operands: int | None,
    *parts: Part,
    extras: str = "",
    read_operands: Callable[[Instruction], Sequence[SSAValue]] = values_of,
    write_operands: OperandsOf = own_operands,
    needs_rewrite: Callable[[Any], object] = lambda op: False,
) -> Opcode:
    """
    A row for an opcode that is `op`. Its attributes are those of `parts`, in the order in which they are printed.

    `read_operands` raises `HLOError` for operands that `op` does not take; `write_operands` is its inverse.
    """
    results = op.get_irdl_definition().results if issubclass(op, IRDLOperation) else ()
    is_array = len(results) == 1 and not isinstance(results[0][1], VariadicDef)

    def build(instruction: Instruction) -> Operation:
        values, content = read_operands(instruction), Content()
        for part in parts:
            part.read(instruction, content)
        return op.create(
            operands=values,
            result_types=[instruction.result_type] if is_array else instruction.result_types,
            properties=content.properties,
            attributes=content.attributes,
            regions=content.regions,
        )

    def fields(op: Operation, regions: Regions) -> Fields:
        return {key: value for part in parts for key, value in part.write(op, regions).items()}

    required, optional = " ".join(part.required for part in parts), " ".join(part.optional for part in parts)
    form = Form(op, fields, write_operands, needs_rewrite)
    return row(build, operands, required, optional, extras=extras, forms=[form])


def build_plain(op: type[Operation], instruction: Instruction) -> Operation:
    """Build an operation of `op`, whose properties are the attributes of the instruction. Its result may be a tuple."""
    return op.create(
        operands=instruction.operands,
        result_types=[instruction.shape.type],
        properties={key: codec_of(value).encode(value) for key, value in instruction.fields.items()},
    )


def write_plain_fields(op: Operation, regions: Regions) -> Fields:
    """The properties of the operation, which have the names and values of HLO text."""
    return {name: plain_value(attribute) for name, attribute in op.properties.items()}


def plain(
    op: type[Operation],
    operands: int | None,
    required: str = "",
    optional: str = "",
    readers: Mapping[str, Reader] | None = None,
) -> Opcode:
    """A row for an opcode that is `op`, with attributes of the same names."""
    return row(
        lambda instruction: build_plain(op, instruction),
        operands,
        required,
        optional,
        forms=[Form(op, write_plain_fields)],
        readers=readers,
    )


def extra_attributes(instruction: Instruction, row: Opcode) -> dict[str, Attribute]:
    """The discardable attributes that keep the extras of an instruction."""
    return {
        f"hlo.{key}": codec_of(instruction.fields[key]).encode(instruction.fields[key])
        for key in row.extras
        if key in instruction.fields
    }


def extra_fields(op: Operation, row: Opcode) -> Fields:
    """The inverse of `extra_attributes`."""
    return {key: plain_value(op.attributes[f"hlo.{key}"]) for key in row.extras if f"hlo.{key}" in op.attributes}
