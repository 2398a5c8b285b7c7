"""The call graph of a module: its functions, the references between them, and an order with callees first."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

from xshardy.dialects.hlo import FusionOp
from xshardy.ir import parameters_of
from xshardy.ir.hashing import Key, key_of
from xshardy.rewriting.walk import operations_in, operations_of

PRIVATE = StringAttr("private")


def functions_of(module: ModuleOp) -> dict[str, func.FuncOp]:
    """The functions that `module` holds, by name, in the order of the text."""
    return {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}


def calls_by_symbol(module: ModuleOp) -> Mapping[Operation, Sequence[func.CallOp]]:
    """The calls in each operation at the top of `module`, in the order of the text; without those that have none."""
    calls: dict[Operation, list[func.CallOp]] = {}
    for call in operations_of(module, func.CallOp):
        outer: Operation = call
        while (around := outer.parent_op()) is not module and around is not None:
            outer = around
        calls.setdefault(outer, []).append(call)
    return calls


def outside_of_fusions(module: ModuleOp) -> list[func.FuncOp]:
    """The functions of `module` that are no part of a fusion: neither its computation nor what this calls."""
    functions = functions_of(module)
    pending = [op.callee.string_value() for op in operations_of(module, FusionOp)]
    fused: set[str] = set()
    while pending:
        name = pending.pop()
        if name in functions and name not in fused:
            fused.add(name)
            pending += (op.callee.string_value() for op in operations_of(functions[name], func.CallOp))
    return [function for name, function in functions.items() if name not in fused]


def is_private(function: func.FuncOp) -> bool:
    """Whether only this module can call `function`."""
    return function.sym_visibility == PRIVATE


def symbols_in(attribute: Attribute) -> Iterator[str]:
    """The names of the symbols that `attribute` refers to, itself or within."""
    if type(attribute) is SymbolRefAttr:
        yield attribute.root_reference.data
    elif (parts := _parts_of(type(attribute))) is not None:
        for part in parts(attribute):
            yield from symbols_in(part)


def symbols_not_in(seen: set[Key], attribute: Attribute) -> Iterator[str]:
    """The same, without those inside of attributes that are `seen`; all of them are then seen."""
    pending = [attribute]
    while pending:
        part = pending.pop()
        if (key := key_of(part)) in seen:
            continue
        seen.add(key)
        if type(part) is SymbolRefAttr:
            yield part.root_reference.data
        elif (parts := _parts_of(type(part))) is not None:
            pending.extend(parts(part))


@cache
def _parts_of(kind: type[Attribute]) -> Callable[[Any], Iterable[Attribute]] | None:
    """How to read the attributes inside of one of a class; None if there are none. Looked up once per class."""
    if issubclass(kind, ArrayAttr):
        return lambda array: array.data
    if issubclass(kind, DictionaryAttr):
        return lambda dictionary: dictionary.data.values()
    return parameters_of(kind) if issubclass(kind, ParametrizedAttribute) else None


References: TypeAlias = Callable[[Operation], Iterator[str]]
"""The names of the symbols that an operation itself refers to: its callee, or within an attribute."""


def reference_reader() -> References:
    """The function that reads references. Operations share attributes, so it looks into each of them once."""

    symbols: dict[Key, tuple[str, ...]] = {}

    def references_of(op: Operation) -> Iterator[str]:
        for attributes in (op.properties, op.attributes):
            for attribute in attributes.values():
                if (key := key_of(attribute)) not in symbols:
                    symbols[key] = tuple(symbols_in(attribute))
                yield from symbols[key]

    return references_of


@dataclass(frozen=True, slots=True)
class Reference:
    """The operation `op`, somewhere in a function, refers to the function called `name`."""

    op: Operation
    name: str


def function_references(
    function: func.FuncOp, functions: Mapping[str, func.FuncOp], references: References
) -> tuple[Reference, ...]:
    """The references from the body of `function` to `functions`, in the order of the text. Reads each op once."""
    return tuple(Reference(op, name) for op in operations_in(function) for name in references(op) if name in functions)


@dataclass(frozen=True, slots=True)
class BottomUp:
    """
    A depth-first walk over a call graph.

    `order` names every function once, after those that it refers to, as far as recursion allows. `recursive` names the
    functions to which the walk came back while it was still below them: every cycle goes through one of them.
    """

    order: tuple[str, ...]
    recursive: frozenset[str]


def bottom_up(edges: Mapping[str, Sequence[str]]) -> BottomUp:
    """The walk over the graph with the functions `edges` and, for each, those it refers to. Linear in both."""
    order: list[str] = []
    recursive: set[str] = set()
    entered: set[str] = set()
    finished: set[str] = set()
    for root in edges:
        path = [(root, iter(edges[root]))] if root not in entered else []
        entered.add(root)
        while path:
            name, below = path[-1]
            callee = next(below, None)
            if callee is None:
                path.pop()
                finished.add(name)
                order.append(name)
            elif callee not in entered:
                entered.add(callee)
                path.append((callee, iter(edges[callee])))
            elif callee not in finished:
                recursive.add(callee)
    return BottomUp(tuple(order), frozenset(recursive))
