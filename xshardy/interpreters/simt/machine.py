"""
The lanes of a kernel: all threads of some blocks, which execute each op together.

A value is one numpy array over the lanes. Its first two dimensions are the blocks and the threads of a block. Each has
size 1 if the value is constant along it: `gpu.block_id` is [B, 1], `gpu.thread_id` [1, T], a constant [1, 1]. The
dimensions of a vector follow. Control flow is a mask: ops run on all lanes, and only active lanes access memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue

from xshardy.affine.interval import Interval
from xshardy.dialects.xla_gpu import PureCallOp
from xshardy.dialects.xla_gpu.discardable import stated_range
from xshardy.gpus.launch import Launch
from xshardy.interpreters.liveness import values_by_last_reader
from xshardy.interpreters.simt.domains import argument_ranges, in_range, result_name
from xshardy.interpreters.simt.errors import SimtError, shown
from xshardy.interpreters.simt.memory import AccessKind, Tensor, Value
from xshardy.interpreters.simt.unspecified import specified
from xshardy.numerics.element_types import Array

Results: TypeAlias = Value | Sequence[Value] | None
Rule: TypeAlias = Callable[..., Results]
"""Executes an op: `rule(lanes, op, *operands)`. Returns a single result directly, several as a sequence."""


@dataclass(frozen=True, slots=True)
class SimtStep:
    """An op of a block with its rule, and the values that are dead after it."""

    op: Operation
    rule: Rule
    operands: tuple[SSAValue, ...]
    results: tuple[SSAValue, ...]
    dead: tuple[SSAValue, ...]
    range: Interval | None
    """The values that the first result is stated to take."""

    @staticmethod
    def of(op: Operation, rule: Rule, dead: Sequence[SSAValue]) -> SimtStep:
        """The step of `op`. Its operands and results are looked up once, not at each execution."""
        bounds = stated_range(op.results[0]) if op.results else None
        return SimtStep(op, rule, tuple(op.operands), tuple(op.results), tuple(dead), bounds)


FEW_OPERATIONS = 16
"""How many operations on all lanes take less time than to look up their result by the arguments."""


@dataclass(eq=False)
class Program:
    """A kernel prepared for execution: its functions, and the steps of each block, computed on first entry."""

    functions: Mapping[str, func.FuncOp]
    rules: Mapping[str, Rule]
    steps: dict[Block, tuple[SimtStep, ...]] = field(default_factory=dict[Block, tuple[SimtStep, ...]])
    constants: dict[Operation, Value] = field(default_factory=dict[Operation, Value])
    argument_ranges: dict[str, tuple[tuple[int, Interval], ...]] = field(
        default_factory=dict[str, tuple[tuple[int, Interval], ...]]
    )
    """The arguments of each called function that are stated to be in a range."""
    observe: Callable[[Lanes, AccessKind, Tensor, Array, Array], None] | None = None
    """
    Called for each memory access with its kind, the tensor, the offsets in its buffer, and the mask of the lanes.
    """

    _small: dict[str, bool] = field(default_factory=dict[str, bool])

    @cached_property
    def call_sites(self) -> Counter[str]:
        """The number of pure call sites of each function."""
        ops = (op for function in self.functions.values() for op in function.walk())
        return Counter(op.callee.string_value() for op in ops if isinstance(op, PureCallOp))

    def is_small(self, name: str) -> bool:
        """Whether a call of function `name` executes few operations, callees included, and no loop or branch."""
        if name not in self._small:
            self._small[name] = self._left(name, FEW_OPERATIONS) >= 0
        return self._small[name]

    def _left(self, name: str, budget: int) -> int:
        """What is left of `budget` operations after a call of function `name`; negative if they are too few."""
        function = self.functions.get(name)
        for op in () if function is None else function.body.block.ops:
            budget -= 1
            if isinstance(op, PureCallOp):
                budget = self._left(op.callee.string_value(), budget)
            if budget < 0 or op.regions or isinstance(op, func.CallOp):
                return -1
        return budget

    def steps_of(self, block: Block) -> tuple[SimtStep, ...]:
        """The steps of all ops of `block` but the terminator."""
        if block not in self.steps:
            ops = [op for op in block.ops if op is not block.last_op]
            dead = values_by_last_reader(block)
            self.steps[block] = tuple(SimtStep.of(op, self.rule_of(op), dead.get(op, ())) for op in ops)
        return self.steps[block]

    def rule_of(self, op: Operation) -> Rule:
        rule = self.rules.get(op.name)
        if rule is None:
            raise SimtError(
                f"{shown(op)}\n  the interpreter has no rule for {op.name}: lower it first, or add a rule for it"
            )
        return rule


@dataclass(frozen=True, slots=True)
class Place:
    """The block, the thread and, in a vector, the element that a diagnostic refers to."""

    index: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text

    def of(self, value: Array) -> Any:
        """The element of `value` at this place."""
        return value[tuple(i if size > 1 else 0 for i, size in zip(self.index, value.shape, strict=True))]


class Lanes:
    """
    The state of the threads of some blocks of a launch. `active` is the mask of the lanes that execute the current op.
    """

    def __init__(self, program: Program, launch: Launch, blocks: range, time: int = 0):
        self.program = program
        self.launch = launch
        number = np.int32 if launch.blocks * launch.threads < 2**31 else np.int64
        self.blocks = np.arange(blocks.start, blocks.stop)[:, None]
        """The number in the grid of each block: [B, 1]."""
        self.block_in_chunk = self.blocks - blocks.start
        """The number in the chunk of each block: [B, 1]."""
        self.threads = np.arange(launch.threads)[None, :]
        """The number in its block of each thread: [1, T]."""
        self.lane = (self.blocks * launch.threads + self.threads).astype(number)
        """The number in the grid of each thread: [B, T]."""
        self.shape = self.lane.shape
        self.active = np.ones((1, 1), np.bool_)
        self.time = time
        """The clock: the number of stores in the launch so far."""
        self.last_barrier = np.full((len(blocks), 1), -1)
        """The time of the last barrier of each block: [B, 1]. All of its threads see the writes up to then."""
        self.values: dict[SSAValue, Value] = {}
        self.pure_results: dict[Hashable, tuple[Array, Sequence[Value]]] = {}
        """
        Cached results of pure calls, by callee and arguments, with the mask of the lanes for which they are valid.
        """
        self.calls: list[str] = []

    # -- Execution ----------------------------------------------------------------------------------------------------

    def run(self, block: Block, arguments: Sequence[Value]) -> tuple[Value, ...]:
        """Execute `block`, and return the operands of its terminator."""
        values = self.values
        values.update(zip(block.args, arguments, strict=True))
        for step in self.program.steps_of(block):
            results = step.rule(self, step.op, *[values[operand] for operand in step.operands])
            if isinstance(results, np.ndarray | Tensor):
                values[step.results[0]] = results
            elif results is not None:
                values.update(zip(step.results, results, strict=True))
            if step.range is not None:
                name = partial(result_name, step.op)
                values[step.results[0]] = in_range(self, name, values[step.results[0]], step.range)
            for value in step.dead:
                values.pop(value, None)
        terminator = block.last_op
        return tuple(values[operand] for operand in terminator.operands) if terminator else ()

    def call(self, name: str, arguments: Sequence[Value]) -> tuple[Value, ...]:
        """Execute the function `name`, and return its results. Raises `SimtError` if it is missing or recursive."""
        function = self.program.functions.get(name)
        if function is None or not function.body.blocks:
            raise SimtError(f"call of @{name}: the module has no body for it")
        if name in self.calls:
            raise SimtError(
                f"call of @{name}: it calls itself, by way of {' -> '.join(self.calls)}; a kernel cannot recurse"
            )
        if len(function.body.blocks) > 1:
            raise SimtError(
                f"call of @{name}: it has several blocks: the interpreter runs structured control flow only"
            )
        if name not in self.program.argument_ranges:
            self.program.argument_ranges[name] = argument_ranges(function)
        if ranges := self.program.argument_ranges[name]:
            arguments = list(arguments)
            for number, bounds in ranges:
                described = partial("argument {} of @{}".format, number, name)
                arguments[number] = in_range(self, described, arguments[number], bounds)
        self.calls.append(name)
        try:
            return self.run(function.body.block, arguments)
        finally:
            self.calls.pop()

    @contextmanager
    def only(self, mask: Array) -> Generator[None]:
        """Within the context, the active lanes are those in `mask`."""
        before = self.active
        self.active = specified(self, mask, before, lambda: "the condition of a branch or of a loop")
        try:
            yield
        finally:
            self.active = before

    # -- Time and barriers --------------------------------------------------------------------------------------------

    def tick(self) -> int:
        self.time += 1
        return self.time

    def barrier(self, op: Operation) -> None:
        """Synchronize all active threads. Raises `SimtError` if only some threads of a block arrive."""
        active = np.broadcast_to(self.active, self.shape)
        some, every = active.any(axis=1, keepdims=True), active.all(axis=1, keepdims=True)
        if (some & ~every).any():
            missing = self.first(some & ~active)
            raise SimtError(f"{shown(op)}\n  {missing} does not reach this barrier, but other threads of its block do")
        self.last_barrier = np.where(some, self.time, self.last_barrier)

    def synchronized(self, writer: Array, written_at: Array, reader: Array | None = None) -> Array:
        """
        Whether a barrier orders a write before the current time: the `writer` is a thread of the same block and wrote
        before it.

        A lane is its own reader, unless `reader` gives the numbers in the grid.
        """
        if reader is None:
            reader = self.on_vector(self.lane, writer.ndim)
            barrier = self.on_vector(self.last_barrier, writer.ndim)
        else:
            barrier = self.last_barrier[reader // self.launch.threads - self.blocks[0, 0], 0]
        same_block = writer // self.launch.threads == reader // self.launch.threads
        return same_block & (written_at <= barrier)

    def merged(self, mask: Array, new: Sequence[Value], old: Sequence[Value]) -> tuple[Value, ...]:
        """`new` in the lanes of `mask`, `old` in the others, for each result. Inactive lanes may get either."""
        if not (self.active & ~mask).any():
            return tuple(new)
        return tuple(merged(mask, ours, theirs) for ours, theirs in zip(new, old, strict=True))

    def uniform(self, op: Operation, condition: Array, if_true: Value, if_false: Value) -> Value:
        """
        One of two values, by a `condition` that must be the same in all active lanes.

        Raises `SimtError` if it is not.
        """
        chosen = np.broadcast_to(condition, self.shape)[np.broadcast_to(self.active, self.shape)]
        if chosen.any() and not chosen.all():
            raise SimtError(
                f"{shown(op)}\n  chooses different tensors in different threads: use scf.if around the access"
            )
        return if_true if chosen.any() else if_false

    # -- Shapes -------------------------------------------------------------------------------------------------------

    def on_vector(self, value: Array, ndim: int) -> Array:
        """A value per lane with `ndim` dimensions of size 1 appended, for broadcasting against a vector."""
        return value.reshape(value.shape + (1,) * (ndim - value.ndim))

    def first(self, mask: Array) -> Place:
        """The first lane in `mask`, which is not empty."""
        index = tuple(int(i) for i in np.argwhere(mask)[0])
        block, thread = index[0] if mask.shape[0] > 1 else 0, index[1] if mask.shape[1] > 1 else 0
        return Place((block, thread, *index[2:]), self.launch.place(int(self.lane[block, thread])))


def elementwise(function: Callable[..., Results]) -> Rule:
    """The rule of an op that applies `function` to its operands in each lane."""

    def rule(lanes: Lanes, op: Operation, *operands: Value) -> Results:
        return function(*operands)

    return rule


def constant(number: Any, dtype: Any = np.int64) -> Array:
    """A value equal in all lanes: [1, 1]."""
    return np.array([[number]], dtype)


def merged(mask: Array, new: Value, old: Value) -> Value:
    """`new` in the lanes of `mask`, `old` in the others. Of two states of one tensor, the later one."""
    if isinstance(new, Tensor) and isinstance(old, Tensor):
        if new.buffer is not old.buffer:
            raise SimtError(
                f"threads of one kernel would go on with different tensors, {new.buffer.name} and {old.buffer.name}: "
                "a tensor that leaves an scf.if or a loop must be an update of the same one on every way"
            )
        return new if new.time >= old.time else old
    assert isinstance(new, np.ndarray) and isinstance(old, np.ndarray)
    return np.where(mask.reshape(mask.shape + (1,) * (new.ndim - mask.ndim)), new, old)
