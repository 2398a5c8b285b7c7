"""Merge copies of a function that have equal shardings: their calls call one of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.ir.hashing import Key, keys_of
from xshardy.rewriting import DecisionPattern, PatternPass, match_op_type
from xshardy.transforms.sdy.function_copies import ORIGINAL_FUNC_NAME, Functions, calls_in, original_name
from xshardy.transforms.sdy.function_shardings import argument_shardings, result_shardings
from xshardy.transforms.sdy.symbols import reference_to

FUNC_MANUAL_AXES = "sdy.func_manual_axes"
"""A discardable attribute of a function: the manual axes at its calls."""


class Origin(NamedTuple):
    """
    The original of a function, the keys of its argument and result types, and the manual axes at its calls.
    Functions with equal origin differ only in shardings.
    """

    name: str
    types: Sequence[Sequence[Key]]
    manual_axes: Attribute | None


class Version(NamedTuple):
    """
    The origin of a function, and the keys of the shardings of its arguments and results. Two copies of a function are
    the same if their versions are equal.
    """

    origin: Origin
    shardings: Sequence[Sequence[Key] | None]


def versions_of(functions: Iterable[FuncOp]) -> Mapping[FuncOp, Version]:
    """The version of each of `functions`."""

    def version_of(function: FuncOp) -> Version:
        type = function.function_type
        types = keys_of(type.inputs), keys_of(type.outputs)
        origin = Origin(original_name(function), types, function.attributes.get(FUNC_MANUAL_AXES))
        per_value = argument_shardings(function), result_shardings(function)
        return Version(origin, tuple([listed and keys_of(listed.shardings) for listed in per_value]))

    return {function: version_of(function) for function in dict.fromkeys(functions)}


def first_of_versions(callees: Sequence[FuncOp]) -> Mapping[FuncOp, FuncOp]:
    """For each of `callees` (of all calls, in order), the first one of the same version."""
    firsts: dict[Version, FuncOp] = {}
    return {function: firsts.setdefault(version, function) for function, version in versions_of(callees).items()}


def most_called_of_origins(callees: Sequence[FuncOp]) -> Mapping[FuncOp, FuncOp]:
    """
    For each of `callees`, the first one of the most called version of its origin; at a tie, of the earlier version.
    """
    versions = versions_of(callees)
    calls: Counter[Version] = Counter()
    chosen: dict[Origin, FuncOp] = {}
    for function in callees:
        version = versions[function]
        calls[version] += 1
        best = chosen.setdefault(version.origin, function)
        if calls[version] > calls[versions[best]]:
            chosen[version.origin] = function
    return {function: chosen[version.origin] for function, version in versions.items()}


def shared_callees(module: ModuleOp, *, fully: bool) -> Mapping[CallOp, FuncOp]:
    """
    The new callee of each call that changes: the first of equal copies, or with `fully` the most called copy.

    Raises `OperationFailedException` for a call of a function that `module` does not have.
    """
    functions = Functions(module)
    callees = {call: functions.callee(call) for call in calls_in(module)}
    in_order = list(callees.values())
    shared = most_called_of_origins(in_order) if fully else first_of_versions(in_order)
    return {call: function for call, callee in callees.items() if (function := shared[callee]) is not callee}


class CallSharedFunction(DecisionPattern[CallOp, FuncOp]):
    """`call @f_copy(x)` -> `call @f(x)`"""

    def rewrite(self, op: CallOp, decision: FuncOp, rewriter: PatternRewriter, /) -> None:
        op.callee = reference_to(decision.sym_name.data)
        rewriter.notify_op_modified(op)


class DropOrigin(RewritePattern):
    """`func @f_copy() attributes {sdy.original_func_name = "f"}` -> `func @f_copy()`, also for the manual axes."""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        if found := [name for name in (ORIGINAL_FUNC_NAME, FUNC_MANUAL_AXES) if name in op.attributes]:
            for name in found:
                del op.attributes[name]
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class UnflattenCallGraphPass(PatternPass):
    """
    Redirect the calls of copies with equal shardings to one copy; `symbol-dce` then erases the others.

    With `dedup_functions_fully`, the calls of all copies are redirected to the most called copy. The attributes that
    record the origin of copies are dropped.
    """

    name = "sdy-unflatten-call-graph"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-unflatten-call-graph'
    dedup_functions_fully: bool = False

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return CallSharedFunction(shared_callees(module, fully=self.dedup_functions_fully)), DropOrigin()
