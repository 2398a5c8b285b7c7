"""
What the sdy pipelines take per operation beside the least that any pipeline in CPython with the same result takes.

The floor of a pipeline is the time to visit each operation once and to read its attributes, to make and insert the
operations that are new at the end, to erase those that are gone, and to set the attributes and types that differ: each
by the shortest loop that does it on xDSL's objects, without a pattern, a test or a decision.
`python benchmarks/floors.py 32` prints one table for modules of 32 layers.
"""

import gc
import sys
from collections.abc import Callable, Iterable, Sequence
from time import process_time
from typing import NamedTuple

from parse import train_step
from rich.console import Console
from rich.table import Table
from sdy import PIPELINES, per_operation, prepared
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation
from xdsl.passes import PassPipeline

from xshardy.dialects.stablehlo.elementwise_binary import BinaryElementwiseOp
from xshardy.ir import new_operation
from xshardy.ir.insertion import insert_before
from xshardy.ir.replacement import erase_op, replace_uses
from xshardy.rewriting.walk import attributes_on, operations_in
from xshardy.syntax import parse_module
from xshardy.universe import XSHARDY_UNIVERSE, new_context

RUNS = 7


class Units(NamedTuple):
    """Microseconds per operation."""

    read: float
    """To visit an operation, and to read its attributes."""
    insert: float
    """To make an operation with two operands and one result, and to insert it."""
    erase: float
    """To let the users of an operation use another value, and to erase it."""
    change: float
    """To set an attribute, or a type."""


class Changes(NamedTuple):
    """What a pipeline has changed at its end, in operations."""

    inserted: int
    erased: int
    changed: int


def each(loop: Callable[[Sequence[Operation]], None], ops: Sequence[Operation]) -> float:
    """The microseconds that `loop` takes for each of `ops`."""
    start = process_time()
    loop(ops)
    return (process_time() - start) / len(ops) * 1e6


def read(ops: Sequence[Operation]) -> None:
    """Visit the operations in the module around `ops`, and read their attributes."""
    module = ops[0].parent_op()
    assert module is not None
    attributes_on(operations_in(module))


def insert_copies(ops: Iterable[Operation]) -> None:
    """Put a copy of each of `ops`, without attributes, in front of it."""
    for op in ops:
        insert_before(new_operation(type(op), op._operands, (op.results[0]._type,)), op)


def erase(ops: Iterable[Operation]) -> None:
    """Erase `ops`. What uses them uses the operations in front of them."""
    for op in ops:
        assert op._prev_op is not None
        replace_uses(op.results[0], op._prev_op.results[0])
        erase_op(op)


def change(ops: Iterable[Operation]) -> None:
    """Set an attribute of each of `ops`."""
    attribute = UnitAttr()
    for op in ops:
        op.attributes["changed"] = attribute


def units_of(text: str) -> Units:
    """The shortest times, measured on the module `text`. Most of its operations have two operands and one result."""
    runs: list[Units] = []
    for _ in range(RUNS):
        module = parse_module(text)
        gc.collect()
        gc.disable()
        ops = operations_in(module)
        binary = [op for op in ops if isinstance(op, BinaryElementwiseOp)]
        runs.append(Units(each(read, ops), each(insert_copies, binary), each(erase, binary), each(change, ops)))
        gc.enable()
    return Units(*map(min, zip(*runs, strict=True)))


def state(op: Operation) -> object:
    """The attributes of an operation, and the types of its results."""
    return {**op.properties, **op.attributes}, [*op.result_types]


def changes_by(passes: PassPipeline, module: ModuleOp) -> Changes:
    """Run `passes` on `module`. What was inserted or changed in between, and is gone at the end, does not count."""
    before = {op: state(op) for op in operations_in(module)}
    passes.apply(new_context(), module)
    after = operations_in(module)
    kept = before.keys() & {*after}
    changed = sum(1 for op in kept if before[op] != state(op))
    return Changes(len(after) - len(kept), len(before) - len(kept), changed)


def floor(units: Units, changes: Changes, count: int) -> float:
    """The microseconds per operation of a module of `count` operations that `changes` take, at least."""
    done = changes.inserted * units.insert + changes.erased * units.erase + changes.changed * units.change
    return units.read + done / count


COLUMNS = ("inserted", "erased", "changed", "floor, us", "xshardy, us", "C++, us", "floor / C++", "xshardy / C++")


def main() -> None:
    sys.setrecursionlimit(100_000)  # JAX lowers layers recursively
    for layers in map(int, sys.argv[1:] or (2, 32)):
        text = train_step(layers)
        units = units_of(text)
        table = Table("pipeline", title=f"{layers} layers")
        for column in COLUMNS:
            table.add_column(column, justify="right")
        for title, timed in PIPELINES.items():
            input = prepared(text, timed)
            passes = PassPipeline.parse_spec(XSHARDY_UNIVERSE.all_passes, timed.pipeline)
            changes = changes_by(passes, parse_module(input))
            count, times = per_operation(input, timed)
            ours, theirs = times.values()
            least = floor(units, changes, count)
            figures = (least, ours, theirs, least / theirs, ours / theirs)
            table.add_row(title, *map(str, changes), *(f"{figure:.1f}" for figure in figures))
        Console(width=120).print(table)
        print("us:", ", ".join(f"{name} {unit:.2f}" for name, unit in units._asdict().items()))


if __name__ == "__main__":
    main()
