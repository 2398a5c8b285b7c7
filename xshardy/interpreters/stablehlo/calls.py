"""Calls between functions: which function an operation calls, calls without recursion, and results that are known."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeAlias

from xdsl.dialects import func
from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.interpreters.stablehlo.rules import Value

CALLEES: Mapping[type[Operation], Callable[[Any], str]] = {
    func.CallOp: lambda op: op.callee.string_value(),
    hlo.FusionOp: lambda op: op.callee.string_value(),
    stablehlo.CompositeOp: lambda op: op.decomposition.string_value(),
}
"""The name of the function that an operation calls with its operands, by the class of the operation."""

Execution: TypeAlias = "Generator[Execution, tuple[Value, ...], tuple[Value, ...]]"
"""Yields the executions of the functions that it calls, and is sent their results; returns its own results."""


def results_of(execution: Execution) -> tuple[Value, ...]:
    """The results of `execution`. Python's recursion limit does not bound the depth of the calls."""
    stack, results, error = [execution], None, None
    while True:
        try:
            called = stack[-1].throw(error) if error is not None else stack[-1].send(results)  # pyright: ignore[reportArgumentType]
        except StopIteration as stop:
            results, error = stop.value, None
            stack.pop()
            if not stack:
                return stop.value
        except BaseException as raised:
            error = raised
            stack.pop()
            if not stack:
                raise
        else:
            results, error = None, None
            stack.append(called)


def call_sites(functions: Iterable[func.FuncOp]) -> Counter[str]:
    """How many operations of `functions` call each function."""
    ops = (op for function in functions for op in function.walk())
    return Counter(CALLEES[type(op)](op) for op in ops if type(op) in CALLEES)


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
