"""In which manual computations functions are called, and a copy of a function for each of several such contexts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr
from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.rewriting import DecisionPattern
from xshardy.transforms.sdy.call_order import CallOrder
from xshardy.transforms.sdy.function_copies import FunctionCopies, FunctionCopy
from xshardy.transforms.sdy.symbols import SymbolNames
from xshardy.transforms.sdy_export.unflatten_call_graph import FUNC_MANUAL_AXES

Context = tuple[str, ...]
"""The manual axes around a call, outer computations first."""


def context_of(function: FuncOp) -> Context:
    """The context that is written on `function`; empty if there is none."""
    axes = function.attributes.get(FUNC_MANUAL_AXES)
    return axes.names if isinstance(axes, ManualAxesAttr) else ()


def manual_axes_around(call: CallOp) -> Context:
    """The axes of the manual computations around `call`, outer ones first."""
    return tuple(axis for computation in reversed(list(_computations_around(call))) for axis in computation)


def _computations_around(op: Operation) -> Iterator[Sequence[str]]:
    around = op.parent_op()
    while around is not None:
        if isinstance(around, ManualComputationOp):
            yield around.manual_axes.names
        around = around.parent_op()


@dataclass(frozen=True, slots=True)
class ContextVersions:
    """The functions by context: some as they are, others as copies."""

    copies: FunctionCopies
    contexts: Mapping[str, Context]
    """The context of each function, also of copies, by name; where it is not the one that is written on it."""


Version = tuple[str, Context]
"""The name of a function, and a context in which it is called."""


def versions_by_context(order: CallOrder, module: ModuleOp) -> ContextVersions:
    """
    A version of each function for each context in which it is called, directly or through others.

    The context that is written on a function gets the function itself, or the first one if it is not called there; each
    other context gets a copy. `order` has all functions of `module` with a body. Linear in the versions.
    """
    by_name = {function.sym_name.data: function for function in order}
    called = _versions(order, module, by_name)
    names = SymbolNames(module)
    kept: dict[str, Context] = {}
    for name, context in called:
        if kept.setdefault(name, context) != context and context == context_of(by_name[name]):
            kept[name] = context
    own = {version: version[0] if kept[version[0]] == version[1] else names.fresh(version[0]) for version in called}
    callees: dict[CallOp, str] = {}
    copies: list[FunctionCopy] = []
    for (name, context), below in called.items():
        names_below = [own.get(version, version[0]) for version in below]
        if own[name, context] != name:
            copies.append(FunctionCopy(by_name[name], own[name, context], names_below))
            continue
        for call, callee in zip(order[by_name[name]], names_below, strict=True):
            if callee != call.callee.string_value():
                callees[call] = callee
    contexts = {own[name, context]: context for name, context in called if context != context_of(by_name[name])}
    return ContextVersions(FunctionCopies(callees, copies), contexts)


def _versions(order: CallOrder, module: ModuleOp, by_name: Mapping[str, FuncOp]) -> Mapping[Version, Sequence[Version]]:
    """
    The versions that are needed, and for each those that its calls need.

    A function that nothing calls is needed in the context that is written on it. What a function without a body would
    need is not known here.
    """
    called = {call.callee.string_value() for calls in order.values() for call in calls}
    functions = (op for op in module.ops if isinstance(op, FuncOp) and op in order)
    pending = [(f.sym_name.data, context_of(f)) for f in functions if f.sym_name.data not in called]
    found: dict[Version, Sequence[Version]] = {}
    for name, context in pending:  # grows
        if (name, context) not in found:
            calls = order[by_name[name]]
            below = [(call.callee.string_value(), (*context, *manual_axes_around(call))) for call in calls]
            found[name, context] = below
            pending += [version for version in below if version[0] in by_name]
    return found


class SetManualAxes(DecisionPattern[FuncOp, Context]):
    """`func @f` -> `func @f {sdy.func_manual_axes = #sdy<manual_axes{"a"}>}`, if its calls are manual over `a`."""

    def rewrite(self, op: FuncOp, decision: Context, rewriter: PatternRewriter, /) -> None:
        if decision:
            op.attributes[FUNC_MANUAL_AXES] = ManualAxesAttr(map(StringAttr, decision))
        else:
            op.attributes.pop(FUNC_MANUAL_AXES, None)
        rewriter.notify_op_modified(op)
