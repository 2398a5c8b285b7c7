"""What the computations of a module share while they are read."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from xdsl.dialects import func
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.lexer import Input, Span

from xshardy.dialects.stablehlo.control_flow import WhileOp
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.shapes import Shape, ShapeReader
from xshardy.syntax.locations.values import place_in_file

MAX_DEPTH = 40
"""The maximal depth of instructions and computations in one another."""

Attributes = dict[str, Attribute]


class AsynchronousInstructions(Protocol):
    """Reads the asynchronous instructions of one computation, and those with unknown opcodes."""

    def read_opaque(self, opcode: str, shape: Shape, name: str, at: int) -> SSAValue:
        """Read an instruction as written; the cursor is after its opcode."""
        ...

    def is_same_bundle(self, value: SSAValue, shape: Shape) -> bool:
        """Whether `value` is in flight and `shape` is its shape, with the operand nested in a tuple or not."""
        ...

    def resolve(self) -> None:
        """Convert the instructions read so far to chains. Raises `HLOError` for an `async-start` without a chain."""

    def verify(self) -> None:
        """Verify the chains in their module. Raises `HLOError` at the instruction."""


@dataclass(slots=True)
class Scope:
    """
    The state shared by the computations of a module: tokens, shapes, and the computations read so far.

    `verified` holds keys of verified instructions; an instruction with the same key is not verified again.
    """

    tokens: Tokens
    read_asynchronous: Callable[[Any], AsynchronousInstructions]
    """Makes the reader of the asynchronous instructions of a computation, for its `InstructionReader`."""
    read_computation: Callable[["Scope", str], tuple[func.FuncOp, Shape]]
    """Reads `{ instructions }` as a function of this name; also gives the shape of its root."""
    shapes: ShapeReader = field(init=False)
    input: Input = field(init=False)
    """The text, as spans have it."""
    functions: dict[str, func.FuncOp] = field(default_factory=dict[str, func.FuncOp])
    roots: dict[str, Shape] = field(default_factory=dict[str, Shape])
    """The shape of the root of each computation read so far."""
    wrapped: dict[str, func.FuncOp] = field(default_factory=dict[str, func.FuncOp])
    """The wrapper functions of asynchronous operations that are written without a computation."""
    asynchronous: list[AsynchronousInstructions] = field(default_factory=list[AsynchronousInstructions])
    verified: set[object] = field(default_factory=set[object])
    is_strict: bool = False
    """Whether unknown opcodes are errors. If so, names need not be kept."""
    verifies: bool = True
    """Whether instructions are verified."""
    depth: int = 0
    """How many instructions and computations the current one is nested in."""
    spans: dict[Operation, Span] | None = None
    """The place of each instruction, from its name on, if it is asked for."""

    def __post_init__(self):
        self.shapes = ShapeReader(self.tokens)
        self.input = Input(self.tokens.source.text, self.tokens.source.name)

    def record(self, op: Operation, index: int) -> None:
        """Record that `op` is written from the name at token number `index` on."""
        if self.spans is not None:
            start = self.tokens.starts[index]
            self.spans[op] = Span(start, start + len(self.tokens.texts[index]), self.input)
        if self.is_strict and isinstance(op, WhileOp):  # an execution says which loop never ends
            source = self.tokens.source
            op.location = place_in_file(source.name, *source.line_and_column(self.tokens.starts[index]))

    def define(self, function: func.FuncOp, root: Shape, index: int) -> None:
        """Record a computation that has been read, whose name is token number `index`."""
        name = function.sym_name.data
        self.functions[name] = function
        self.roots[name] = root
        self.record(function, index)

    def free_name(self, name: str) -> str:
        """`name`, with a number appended if it is in use."""
        candidate, number = name, 0
        while candidate in self.functions or candidate in self.wrapped:
            candidate, number = f"{name}.{number}", number + 1
        return candidate

    @contextmanager
    def nested(self) -> Generator[None]:
        """While this is open, what is read is part of another instruction. Raises `HLOError` at too deep a level."""
        if self.depth == MAX_DEPTH:
            raise self.tokens.error(f"instructions are nested more than {MAX_DEPTH} deep", "give them names")
        self.depth += 1
        yield
        self.depth -= 1
