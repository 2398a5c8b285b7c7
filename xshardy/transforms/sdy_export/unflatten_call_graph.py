"""Let calls share a function again where its copies have come out alike."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.transforms.sdy.function_copies import ORIGINAL_FUNC_NAME, Functions, calls_in, original_name
from xshardy.transforms.sdy.function_shardings import argument_shardings, result_shardings

FUNC_MANUAL_AXES = "sdy.func_manual_axes"
"""A discardable attribute of a function: the axes that are manual where it is called."""


class Origin(NamedTuple):
    """What a function is a copy of, and the manual axes that its body may not use: copies differ in shardings only."""

    name: str
    manual_axes: Attribute | None


class Version(NamedTuple):
    """What makes two copies of a function the same."""

    origin: Origin
    in_shardings: TensorShardingPerValueAttr | None
    out_shardings: TensorShardingPerValueAttr | None


def version_of(function: FuncOp) -> Version:
    """Where `function` comes from, and how its arguments and results are sharded."""
    manual_axes = function.attributes.get(FUNC_MANUAL_AXES)
    origin = Origin(original_name(function), manual_axes if isinstance(manual_axes, ManualAxesAttr) else None)
    return Version(origin, argument_shardings(function), result_shardings(function))


def first_of_versions(callees: Sequence[FuncOp]) -> Mapping[FuncOp, FuncOp]:
    """For each of `callees`, those of all calls in order, the first that is of its version."""
    firsts: dict[Version, FuncOp] = {}
    return {function: firsts.setdefault(version_of(function), function) for function in dict.fromkeys(callees)}


def most_called_of_origins(callees: Sequence[FuncOp]) -> Mapping[FuncOp, FuncOp]:
    """For each of `callees`, the first of the version that is called most of its origin; the earlier one of equals."""
    versions = {function: version_of(function) for function in dict.fromkeys(callees)}
    calls: Counter[Version] = Counter()
    chosen: dict[Origin, FuncOp] = {}
    for function in callees:
        version = versions[function]
        calls[version] += 1
        best = chosen.setdefault(version.origin, function)
        if calls[version] > calls[versions[best]]:
            chosen[version.origin] = function
    return {function: chosen[version.origin] for function, version in versions.items()}


@dataclass(frozen=True)
class UnflattenCallGraphPass(ModulePass):
    """
    Let calls of copies of a function that are sharded alike call one of them; `symbol-dce` then erases the others.

    With `dedup_functions_fully`, calls of all copies call the one that is called most, however they are sharded. The
    attributes that tell where copies come from go away.
    """

    name = "sdy-unflatten-call-graph"
    dedup_functions_fully: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = Functions(op)
        calls = list(calls_in(op))
        callees = [functions.callee(call) for call in calls]
        shared = most_called_of_origins(callees) if self.dedup_functions_fully else first_of_versions(callees)
        for call, callee in zip(calls, callees, strict=True):
            if (function := shared[callee]) is not callee:
                call.callee = type(call.callee)(function.sym_name.data)
        for function in functions.by_name.values():
            function.attributes.pop(ORIGINAL_FUNC_NAME, None)
            function.attributes.pop(FUNC_MANUAL_AXES, None)
