"""
Device functions, inlined into the entries that call them: `call (r), f, (a);` -> the body of `f`.

The variables that pass values are local memory. Registers, variables and labels of each call have names of their own.
Source: PTX ISA, "Function Declarations and Definitions", "call".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from xshardy.ptx.errors import PtxError
from xshardy.ptx.module import (
    Address,
    Body,
    Function,
    Guard,
    Instruction,
    Negated,
    Operand,
    Pair,
    Register,
    Symbol,
    Tensor,
    Variable,
    Vector,
)
from xshardy.ptx.types import PREDICATE, Type

Functions = Callable[[str], Function | None]
"""The function of a name; None if there is none."""

PARAMETERS = ("param", "param::func")
"""The space of the variables that pass values; `param::entry` is that of the parameters of the kernel."""

SYSTEM_CALLS = ("vprintf", "__assertfail")
"""Functions of NVIDIA's runtime: instructions `call.name`, whose operands are the variables of the call."""
MOST_INSTRUCTIONS = 1 << 18
"""Calls of functions that call others several times make exponentially many."""


def is_call(opcode: str) -> bool:
    return opcode.partition(".")[0] == "call"


def inlined(body: Body, functions: Functions, pointed: Sequence[str] = ()) -> Body:
    """
    `body` without calls. A call by a pointer may be one of any function of `pointed` with as many results and
    parameters. Raises `PtxError` for a call of an unknown function, and for recursion.
    """
    if not any(is_call(instruction.opcode) for instruction in body.instructions):
        return body
    inliner = _Inliner(functions, pointed)
    inliner.add(body, _Names("", {}), ())
    return Body(inliner.registers, tuple(inliner.variables), tuple(inliner.instructions), inliner.labels)


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of one copy of a body."""

    suffix: str
    """What the copy adds to its registers, variables and labels."""
    parameters: Mapping[str, str]
    """For each parameter and result of the function, the variable of the caller."""
    own: frozenset[str] = frozenset()
    """The registers, variables and labels of the body."""

    def of(self, name: str) -> str:
        return self.parameters.get(name) or (name + self.suffix if name in self.own else name)

    def operand(self, operand: Operand) -> Operand:
        match operand:
            case Register(name):
                return Register(self.of(name))
            case Symbol(name, offset):
                return Symbol(self.of(name), offset)
            case Address(Register(name), offset):
                return Address(Register(self.of(name)), offset)
            case Address(Symbol(name, inner), offset):
                return Address(Symbol(self.of(name), inner), offset)
            case Vector(elements):
                return Vector(tuple(map(self.operand, elements)))
            case Tensor(address, coordinates):
                address, coordinates = self.operand(address), self.operand(coordinates)
                assert isinstance(address, Address) and isinstance(coordinates, Vector)
                return Tensor(address, coordinates)
            case Pair(first, second):
                return Pair(self.operand(first), self.operand(second))
            case Negated(Register(name)):
                return Negated(Register(self.of(name)))
            case _:
                return operand

    def guard(self, guard: Guard | None) -> Guard | None:
        return None if guard is None else Guard(Register(self.of(guard.register.name)), guard.negated)


@dataclass(slots=True)
class _Inliner:
    """The body of an entry while functions are added to it."""

    functions: Functions
    pointed: Sequence[str]
    registers: dict[str, Type] = field(default_factory=dict[str, Type])
    variables: list[Variable] = field(default_factory=list[Variable])
    instructions: list[Instruction] = field(default_factory=list[Instruction])
    labels: dict[str, int] = field(default_factory=dict[str, int])
    _passing: set[str] = field(default_factory=set[str])
    """The variables that pass values."""
    _calls: int = 0
    _known: dict[str, Function | None] = field(default_factory=dict[str, Function | None])

    def add(self, body: Body, names: _Names, callers: tuple[str, ...]) -> None:
        """Add a copy of `body`, the last of the functions `callers`, which call each other; () for the entry."""
        own = frozenset((*body.registers, *(variable.name for variable in body.variables), *body.labels))
        names = replace(names, own=own)
        self.registers |= {names.of(name): type for name, type in body.registers.items()}
        for variable in body.variables:
            name = names.of(variable.name)
            if variable.space == "param":
                self._passing.add(name)
                variable = replace(variable, space="local")
            self.variables.append(replace(variable, name=name))
        end = f"end of the call{names.suffix}"
        labels_at: dict[int, list[str]] = {}
        for label, number in body.labels.items():
            labels_at.setdefault(number, []).append(names.of(label))
        for number, instruction in enumerate(body.instructions):
            self._place(labels_at.get(number, ()))
            if is_call(instruction.opcode):
                self._call(instruction, names, callers)
            elif callers and instruction.opcode.partition(".")[0] == "ret":
                self._append(Instruction(instruction.line, "bra", (Symbol(end),), names.guard(instruction.guard)))
            else:
                self._append(self._renamed(instruction, names))
        self._place((*labels_at.get(len(body.instructions), ()), end))

    def _place(self, labels: Iterator[str] | list[str] | tuple[str, ...]) -> None:
        for label in labels:
            self.labels[label] = len(self.instructions)

    def _append(self, instruction: Instruction) -> None:
        if len(self.instructions) >= MOST_INSTRUCTIONS:
            raise PtxError(instruction.line, f"calls make more than {MOST_INSTRUCTIONS:,} instructions")
        self.instructions.append(instruction)

    def _renamed(self, instruction: Instruction, names: _Names) -> Instruction:
        operands = tuple(map(names.operand, instruction.operands))
        opcode = instruction.opcode
        if any(isinstance(operand, Address) and self._passes(operand.base, names) for operand in operands):
            opcode = ".".join("local" if part in PARAMETERS else part for part in opcode.split("."))
        return Instruction(instruction.line, opcode, operands, names.guard(instruction.guard))

    def _passes(self, base: Symbol | Register | None, names: _Names) -> bool:
        """Whether parameters at `base` are variables that pass values, as those of a register in a function are."""
        return base.name in self._passing if isinstance(base, Symbol) else bool(names.suffix and base)

    def _call(self, instruction: Instruction, names: _Names, callers: tuple[str, ...]) -> None:
        results, callee, arguments = instruction.operands
        assert isinstance(results, Vector) and isinstance(arguments, Vector)
        line = instruction.line
        self._calls += 1
        suffix = f" of call {self._calls}"
        if (guard := names.guard(instruction.guard)) is not None:
            self._append(
                Instruction(line, "bra", (Symbol(f"behind{suffix}"),), replace(guard, negated=not guard.negated))
            )
        outer = [names.operand(operand) for operand in (*results.elements, *arguments.elements)]
        match callee:
            case Symbol(name) if name in SYSTEM_CALLS:
                self._append(Instruction(line, f"call.{name}", tuple(outer)))
                if name == "__assertfail":
                    self._append(Instruction(line, "exit", ()))
            case Symbol(name):
                self._call_function(self._function(name, line, callers), outer, line, suffix, (*callers, name))
            case _:
                self._call_pointed(names.operand(callee), len(results.elements), outer, line, suffix, callers)
        self._place([f"behind{suffix}"])

    def _call_pointed(
        self, pointer: Operand, results: int, outer: list[Operand], line: int, suffix: str, callers: tuple[str, ...]
    ) -> None:
        """`call f` -> for each function that fits, a call if its address is in `pointer`; `trap` for any other one."""
        behind = Symbol(f"behind{suffix}")
        for name in self.pointed:
            function = None if name in callers else self._body_of(name)
            if function is None or (len(function.results), len(function.parameters)) != (results, len(outer) - results):
                continue
            self._calls += 1
            own = f" of call {self._calls}"
            other, following = Register(f"%other{own}"), f"not{own}"
            self.registers[other.name] = PREDICATE
            self._append(Instruction(line, "setp.ne.u64", (other, pointer, Symbol(name))))
            self._append(Instruction(line, "bra", (Symbol(following),), Guard(other, False)))
            self._call_function(function, outer, line, own, (*callers, name))
            self._append(Instruction(line, "bra", (behind,)))
            self._place([following])
        self._append(Instruction(line, "trap", ()))

    def _body_of(self, name: str) -> Function | None:
        if name not in self._known:
            self._known[name] = self.functions(name)
        return self._known[name]

    def _function(self, name: str, line: int, callers: tuple[str, ...]) -> Function:
        if (function := self._body_of(name)) is None:
            raise PtxError(line, f"the call of {name}, which has no body in this module, is not supported")
        if name in callers:
            raise PtxError(line, f"{name} calls itself: recursion is not supported")
        return function

    def _call_function(
        self, function: Function, outer: list[Operand], line: int, suffix: str, callers: tuple[str, ...]
    ) -> None:
        """Pass values to and from a copy of the body of `function`, the last of `callers`."""
        formals = (*function.results, *function.parameters)
        if len(formals) != len(outer):
            count = f"{len(formals)} results and parameters"
            raise PtxError(line, f"{callers[-1]} has {count}, the call {len(outer)}")
        parameters: dict[str, str] = {}
        before, after = list[Instruction](), list[Instruction]()
        for number, (formal, actual) in enumerate(zip(formals, outer, strict=True)):
            is_result, inner = number < len(function.results), formal.name + suffix
            move, opcodes = (Register(inner), actual), ("mov", "mov")
            if not formal.is_register and isinstance(actual, Symbol):
                parameters[formal.name] = actual.name
                continue
            if not formal.is_register:
                size = formal.type.bits // 8
                self.variables.append(Variable(inner, "local", size, size, line))
                self._passing.add(inner)
                parameters[formal.name] = inner
                move, opcodes = (Address(Symbol(inner), 0), actual), ("st.local", "ld.local")
            type = formal.type.name if formal.type.bits == 1 else f"b{formal.type.bits}"
            if is_result:
                after.append(Instruction(line, f"{opcodes[1]}.{type}", move[::-1]))
            else:
                before.append(Instruction(line, f"{opcodes[0]}.{type}", move))
        for passing in before:
            self._append(passing)
        self.add(function.body, _Names(suffix, parameters), callers)
        for passing in after:
            self._append(passing)
