"""Calls between functions: which function an operation calls, calls without recursion, and results that are known."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, TypeAlias, TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.interpreters.stablehlo.rules import Results, Value, unsupported

T = TypeVar("T")

CALLEES: Mapping[type[Operation], Callable[[Any], str]] = {
    func.CallOp: lambda op: op.callee.string_value(),
    hlo.FusionOp: lambda op: op.callee.string_value(),
    stablehlo.CompositeOp: lambda op: op.decomposition.string_value(),
}
"""The name of the function that an operation calls with its operands, by the class of the operation."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A device at a rendezvous: it goes on once all devices of `group` are there for the `time`-th time."""

    op: Operation
    time: int
    group: tuple[int, ...]
    device: int
    values: tuple[Value, ...]
    """What the device brings. It is sent the `Meeting` of the group."""


@dataclass(slots=True)
class Meeting:
    """What each device of a group brings to a rendezvous, in the group's order."""

    values: Sequence[tuple[Any, ...]]
    _common: Any = None

    def once(self, compute: Callable[[Sequence[tuple[Any, ...]]], T]) -> T:
        """`compute` of the values, which is the same for all devices: the first of them computes it."""
        if self._common is None:
            self._common = compute(self.values)
        return self._common


Execution: TypeAlias = "Generator[Execution | Arrival, Any, Results]"
"""
Yields the executions that it waits for, and is sent their results; returns its own results.

At a rendezvous with other devices, it yields its arrival, and is sent the meeting.
"""


@dataclass(slots=True)
class Process:
    """An execution, and those that wait for each other in it. Python's recursion limit does not bound their number."""

    stack: list[Execution]
    results: Results = ()
    """Of the execution, once `advance` has returned None."""

    def advance(self, sent: Any = None) -> Arrival | None:
        """Go on to the next rendezvous, given what the last one was `sent`; None at the end."""
        error = None
        while self.stack:
            try:
                yielded = self.stack[-1].throw(error) if error is not None else self.stack[-1].send(sent)
            except StopIteration as stop:
                sent, error = stop.value, None
                self.stack.pop()
            except BaseException as raised:
                error = raised
                self.stack.pop()
                if not self.stack:
                    raise
            else:
                if isinstance(yielded, Arrival):
                    return yielded
                sent, error = None, None
                self.stack.append(yielded)
        self.results = sent
        return None


def results_of(execution: Execution) -> Results:
    """The results of `execution`, which meets no other device. Raises `InterpretationError` if it does."""
    process = Process([execution])
    arrival = process.advance()
    while arrival is not None:
        if len(arrival.group) > 1:
            raise unsupported(arrival.op, "devices cannot meet inside of a computation that is applied to elements")
        arrival = process.advance(Meeting([arrival.values]))
    return process.results


class CallSites:
    """How many operations call a function, in the functions that were asked for and all that those call."""

    def __init__(self, functions: Mapping[str, func.FuncOp]):
        self.functions = functions
        self._counts: Counter[str] = Counter()
        self._walked: set[str] = set()

    def of(self, name: str) -> int:
        """The calls of function `name`. Only functions within reach are walked: a module may have thousands."""
        pending = [name]
        while pending:
            if (caller := pending.pop()) in self._walked:
                continue
            self._walked.add(caller)
            function = self.functions.get(caller)
            ops = () if function is None else function.walk()
            called = [CALLEES[type(op)](op) for op in ops if type(op) in CALLEES]
            self._counts.update(called)
            pending += called
        return self._counts[name]


class FunctionsAround(Mapping[str, func.FuncOp]):
    """
    The functions of the module around a function, by name.

    They are listed once another one is asked for: most computations of a large module call none.
    """

    def __init__(self, function: func.FuncOp):
        self.first = function

    @cached_property
    def _all(self) -> Mapping[str, func.FuncOp]:
        module = self.first.parent_op()
        functions = module.ops if isinstance(module, ModuleOp) else [self.first]
        return {op.sym_name.data: op for op in functions if isinstance(op, func.FuncOp)}

    def __getitem__(self, name: str) -> func.FuncOp:
        return self.first if name == self.first.sym_name.data else self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


@dataclass(eq=False)
class KnownResults:
    """
    The results of calls by function and contents of the arguments; at most `max_bytes` of them, the last used.

    Without them, functions that each call the next one twice take exponential time.
    """

    max_bytes: int = 1 << 26
    by_call: OrderedDict[Hashable, tuple[Value, ...]] = field(default_factory=OrderedDict[Hashable, tuple[Value, ...]])
    bytes: int = 0

    def get(self, call: Hashable) -> tuple[Value, ...] | None:
        """The results of `call`, which are then the last used; None if they are not known."""
        if call in self.by_call:
            self.by_call.move_to_end(call)
        return self.by_call.get(call)

    def add(self, call: Hashable, results: tuple[Value, ...]) -> None:
        """Remember the results of `call`."""
        self.by_call[call] = results
        self.bytes += size_in_bytes(results)
        while self.bytes > self.max_bytes:
            self.bytes -= size_in_bytes(self.by_call.popitem(last=False)[1])


def contents(value: Value) -> Hashable:
    """A key that is equal for equal values: a digest of an array."""
    if isinstance(value, tuple):
        return tuple(map(contents, value))
    return value.dtype, value.shape, blake2b(value.tobytes(), digest_size=16).digest()


def size_in_bytes(values: Sequence[Value]) -> int:
    """The memory that the arrays in `values` take."""
    return sum(size_in_bytes(value) if isinstance(value, tuple) else value.nbytes for value in values)
