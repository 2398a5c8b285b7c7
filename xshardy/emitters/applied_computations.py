"""
The computations that operations apply to elements: the bodies of reductions, `map` and sorts, and called functions.

Each becomes a function of scalars, partitioned and emitted like a fusion. Source: row XGPU-10.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, Region
from xdsl.rewriter import Rewriter

from xshardy.dialects.symbols import find_function
from xshardy.indexing.element_calls import element_maps
from xshardy.transforms.call_graph import bottom_up

APPLIED = "hlo.to_apply"
"""The discardable attribute with the name of the computation that a region came from; functions get this name."""


@dataclass(eq=False)
class AppliedComputations:
    """The computations applied in one kernel, without duplicates, and the function names in use."""

    taken: set[str] = field(default_factory=set[str])
    known: list[tuple[Region, FuncOp]] = field(default_factory=list[tuple[Region, FuncOp]])
    functions: Mapping[str, FuncOp] = field(default_factory=dict[str, FuncOp])
    """The functions of elements that are called, by name."""

    def unique(self, name: str) -> str:
        """`name`, or `name` with a number if it is in use. Marks the result as used."""
        candidate, count = name, 0
        while candidate in self.taken:
            candidate, count = f"{name}_{count}", count + 1
        self.taken.add(candidate)
        return candidate

    def of(self, op: Operation) -> FuncOp:
        """The computation that `op` applies: the function that it calls, or its only region."""
        if isinstance(op, CallOp):
            return self.functions[op.callee.string_value()]
        (region,) = op.regions
        for other, function in self.known:
            if region.is_structurally_equivalent(other):
                return function
        function = as_function(region, self.unique(_name(op)))
        self.known.append((region, function))
        return function


def element_functions_of(computation: FuncOp) -> dict[str, FuncOp]:
    """The functions of elements that `computation` calls, perhaps through others, by name; callees first."""
    functions = {computation.sym_name.data: computation}
    edges: dict[str, list[str]] = {}
    pending = [computation]
    while pending:
        caller = pending.pop()
        calls = [op for op in caller.body.walk() if isinstance(op, CallOp) and element_maps(op) is not None]
        called = {f.sym_name.data: f for op in calls if (f := find_function(op, op.callee)) is not None}
        edges[caller.sym_name.data] = list(called)
        pending += [function for name, function in called.items() if name not in functions]
        functions.update(called)
    return {name: functions[name] for name in bottom_up(edges).order if functions[name] is not computation}


def as_function(region: Region, name: str) -> FuncOp:
    """
    A function with a copy of the body of `region`: block arguments become parameters, terminator operands results.
    """
    body = region.clone()
    last = body.block.last_op
    assert last is not None
    types = [value.type for value in last.operands]
    Rewriter.replace_op(last, ReturnOp(*last.operands), [])
    return FuncOp(name, ([argument.type for argument in body.block.args], types), body, visibility="private")


def _name(op: Operation) -> str:
    applied = op.attributes.get(APPLIED)
    if isinstance(applied, SymbolRefAttr):
        return applied.string_value()
    return f"{op.results[0].name_hint or op.name.split('.')[-1]}_body"


def ignore_signs_of_zeros(module: ModuleOp, reducers: Collection[str]) -> None:
    """Allow the sums in these functions to ignore the signs of zeros, so that the addition to the initial 0 folds."""
    for function in module.ops:
        if isinstance(function, FuncOp) and function.sym_name.data in reducers:
            for op in function.walk():
                if isinstance(op, arith.AddfOp):
                    op.fastmath = arith.FastMathFlagsAttr([FastMathFlag.NO_SIGNED_ZEROS])
