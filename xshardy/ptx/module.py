"""PTX as data: a module, its entries and variables, and their instructions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from xshardy.ptx.errors import PtxError
from xshardy.ptx.types import Type


@dataclass(frozen=True, slots=True)
class Register:
    """A register, or a special register such as `%tid.x`. A register of an inner scope has a number behind its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer constant."""

    value: int


@dataclass(frozen=True, slots=True)
class Float:
    """A floating-point constant: its bits as f32 or, if `bits` is 64, as f64."""

    pattern: int
    bits: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a variable or parameter, or a label."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`, the offset in bytes. Without a base it is absolute."""

    base: Register | Symbol | None
    offset: int


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b}`."""

    elements: tuple["Operand", ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """`[map, {x, y}]`: a tensor map, and the coordinates of a box."""

    map: Address
    coordinates: Vector


@dataclass(frozen=True, slots=True)
class Pair:
    """`p|q`: two results of one instruction."""

    first: "Operand"
    second: "Operand"


@dataclass(frozen=True, slots=True)
class Negated:
    """`!p`."""

    register: Register


@dataclass(frozen=True, slots=True)
class Sink:
    """`_`: a result that nothing reads."""


Operand: TypeAlias = Register | Integer | Float | Symbol | Address | Vector | Tensor | Pair | Negated | Sink


@dataclass(frozen=True, slots=True)
class Guard:
    """`@p` or `@!p`: the threads that execute an instruction."""

    register: Register
    negated: bool


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction and its line in the text, the first of which is 1."""

    line: int
    opcode: str
    """With its modifiers: `ld.global.nc.v2.b32`."""
    operands: tuple[Operand, ...]
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    """An address that is an initial value: `size` bytes from byte `place` of a variable on."""

    place: int
    size: int
    symbol: Symbol
    shift: int = 0
    """By so many bits: a byte of an address."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a state space. Its size is 0 if the launch determines it (`.extern .shared`)."""

    name: str
    space: str
    """
    `global`, `const`, `shared` or `local`; `param` for one that passes values to a call or from it; `texref` or
    `surfref` for one that stands for a texture or surface.
    """
    size: int
    """In bytes."""
    alignment: int
    line: int
    initial: bytes = b""
    pointers: tuple[Pointer, ...] = ()
    """The addresses in the initial value."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an entry."""

    name: str
    type: Type
    size: int
    """In bytes."""
    alignment: int
    """Of the parameter itself, in bytes."""
    offset: int
    """In the memory of all parameters, in bytes."""


@dataclass(frozen=True, slots=True)
class Body:
    """What is between the braces of an entry or a function."""

    registers: Mapping[str, Type]
    variables: tuple[Variable, ...]
    """Those of the spaces `shared`, `local` and `param`."""
    instructions: tuple[Instruction, ...]
    labels: Mapping[str, int]
    """The number of the instruction behind each label."""


@dataclass(frozen=True, slots=True)
class Formal:
    """A result or parameter of a device function."""

    name: str
    type: Type
    """Of an element, if it is an array."""
    is_register: bool
    """Whether it is a register of the function, not a variable."""


@dataclass(frozen=True, slots=True)
class Function:
    """A device function."""

    results: tuple[Formal, ...]
    parameters: tuple[Formal, ...]
    body: Body


@dataclass(frozen=True, slots=True)
class Entry:
    """A kernel."""

    name: str
    line: int
    parameters: tuple[Parameter, ...]
    directives: Mapping[str, tuple[int, ...]]
    """Performance directives such as `reqntid`, by name."""
    body: Body
    """Without calls: functions are inlined."""


@dataclass(frozen=True, slots=True)
class Module:
    """A PTX module."""

    version: str
    target: str
    entries: Mapping[str, Entry]
    variables: Mapping[str, Variable] = field(default_factory=dict[str, Variable])
    """Declared outside of entries."""
    functions: tuple[str, ...] = ()
    """The names of the device functions, whose addresses may be in variables."""
    refused: Mapping[str, PtxError] = field(default_factory=dict[str, PtxError])
    """Why the calls of some entries cannot be inlined."""
