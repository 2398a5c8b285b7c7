"""Turn the functions that XLA knows as bodies of manual computations back into manual computations."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import ManualComputationOp, ReturnOp
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.ir import clone_region
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.call_order import CallOrder, acyclic_callees_first
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.function_copies import Functions, patterns_for_copies
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.xla_sdy.frontend_attributes import frontend_attribute, frontend_entries
from xshardy.transforms.xla_sdy.manual_contexts import SetManualAxes, versions_by_context
from xshardy.transforms.xla_sdy.names import (
    GLOBAL_TO_LOCAL,
    IN_SHARDINGS,
    LOCAL_TO_GLOBAL,
    MANUAL_AXES,
    MANUAL_COMPUTATION_BODY,
    OUT_SHARDINGS,
    SHARDING_CALL,
    calls_manual_computation,
    is_call_of,
    target_of,
)

NO_SHARDINGS = TensorShardingPerValueAttr(())


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A call of the body of a manual computation, and the custom calls that change its operands and results."""

    body: FuncOp
    to_local: CustomCallOp | None
    """What makes local operands of global ones; None if there are no operands."""
    to_global: CustomCallOp | None
    """What makes global results of local ones; None if there are no results."""
    in_shardings: TensorShardingPerValueAttr
    out_shardings: TensorShardingPerValueAttr
    manual_axes: ManualAxesAttr

    statements: Mapping[SSAValue, CustomCallOp]
    """The operands of `to_local` whose sharding a call of `Sharding` states, and that call."""

    @property
    def operands(self) -> Sequence[SSAValue]:
        """The global operands."""
        values = () if self.to_local is None else self.to_local.operands
        return [self.statements[value].operands[0] if value in self.statements else value for value in values]


def wrapped(call: CallOp, body: FuncOp) -> Wrapped | None:
    """
    What is around `call` of `body`; None if nothing reads its results, which then have no elements.

    Raises `OperationFailedException` if the custom calls around it are not there, or have no readable attributes.
    """
    users = [use.operation for result in call.results for use in result.uses]
    if call.results and not users:
        return None
    callee = f"@{call.callee.string_value()}"
    # XLA replaces an operand without elements by a constant, so not every operand comes from the custom call.
    sources = (value.owner for value in call.operands)
    to_local = next((op for op in sources if is_call_of(op, GLOBAL_TO_LOCAL)), None)
    if call.operands and to_local is None:
        raise OperationFailedException(
            call,
            f"'{call.name}' op expected at least one operand of {callee} to be produced by a {GLOBAL_TO_LOCAL} "
            "CustomCallOp",
        )
    to_global = next((user for user in users if is_call_of(user, LOCAL_TO_GLOBAL)), None)
    if users and to_global is None:
        raise OperationFailedException(
            call, f"'{call.name}' op expected the first use of {callee} to be a {LOCAL_TO_GLOBAL} CustomCallOp"
        )
    if any(user is not to_global for user in users):
        raise OperationFailedException(call, f"the results of {callee} have other uses than one {LOCAL_TO_GLOBAL}")
    return Wrapped(
        body,
        to_local,
        to_global,
        _shardings(to_local, call, IN_SHARDINGS, () if to_local is None else to_local.operands),
        _shardings(to_global, call, OUT_SHARDINGS, () if to_global is None else to_global.results),
        _manual_axes(to_local, to_global, call),
        _statements(to_local, call),
    )


def _shardings(
    end: CustomCallOp | None, call: CallOp, name: str, values: Sequence[SSAValue]
) -> TensorShardingPerValueAttr:
    """
    The shardings in the frontend attribute `name` of `end`, or of `call`, where older versions of XLA had it; else
    those of its global `values`, where XLA has them since autumn 2026 if it writes shardings by axes.

    Raises `OperationFailedException` if none has them.
    """
    if end is None:
        return NO_SHARDINGS
    for op in (end, call):
        if (shardings := frontend_attribute(op.attributes, name, TensorShardingPerValueAttr, op)) is not None:
            return shardings
    known = [sharding for value in values if (sharding := sharding_of(value)) is not None]
    if len(known) == len(values):
        return TensorShardingPerValueAttr(known)
    raise OperationFailedException(end, f"'{end.name}' op @{target_of(end)} needs the frontend attribute {name}")


def _statements(to_local: CustomCallOp | None, call: CallOp) -> Mapping[SSAValue, CustomCallOp]:
    """By operand of `to_local`, the call that states its sharding; none if frontend attributes have the shardings."""
    if to_local is None or any(IN_SHARDINGS in frontend_entries(op.attributes) for op in (to_local, call)):
        return {}
    owners = {value: value.owner for value in to_local.operands}
    return {value: op for value, op in owners.items() if is_call_of(op, SHARDING_CALL)}


def _manual_axes(*ops: Operation | None) -> ManualAxesAttr:
    """The first axes that an attribute or frontend attribute of one of `ops` lists; none if there are none."""
    for op in (op for op in ops if op is not None):
        axes = frontend_attribute(op.attributes, MANUAL_AXES, ManualAxesAttr, op)
        axes = axes or op.attributes.get(ManualAxesAttr.name)
        if isinstance(axes, ManualAxesAttr) and axes.names:
            return axes
    return ManualAxesAttr(())


@dataclass(frozen=True, slots=True)
class ManualCalls:
    """The calls of bodies of manual computations in a module, and the custom calls for them."""

    wrapped: Mapping[CallOp, Wrapped | None]
    """The calls, callees first."""
    last_calls: frozenset[CallOp]
    """For each body its last call, which may take the operations of the body."""
    unused: Mapping[CustomCallOp, None]
    """The custom calls that change operands or results of nothing."""
    bodies: Mapping[FuncOp, None]


def manual_calls(module: ModuleOp, functions: Functions, order: CallOrder) -> ManualCalls:
    """The calls in `module`. Raises `OperationFailedException` at one that cannot be replaced."""
    found: dict[CallOp, Wrapped | None] = {}
    for call in (call for calls in order.values() for call in calls if calls_manual_computation(call)):
        body = functions.callee(call)
        body_of(body)
        found[call] = wrapped(call, body)
    last = {call.callee.string_value(): call for call, around in found.items() if around is not None}
    bodies = (f for f in functions.by_name.values() if MANUAL_COMPUTATION_BODY in f.sym_name.data)
    return ManualCalls(found, frozenset(last.values()), _unused(module, found), dict.fromkeys(bodies))


def _unused(module: ModuleOp, calls: Mapping[CallOp, Wrapped | None]) -> Mapping[CustomCallOp, None]:
    """
    The custom calls of `module` that change shapes, and that none of `calls` needs.

    Raises `OperationFailedException` at one that something else uses.
    """
    needed = {end for around in calls.values() if around is not None for end in (around.to_local, around.to_global)}
    unused: dict[CustomCallOp, None] = {}
    for op in operations_of(module, CustomCallOp):
        if target_of(op) not in (GLOBAL_TO_LOCAL, LOCAL_TO_GLOBAL):
            continue
        users = {use.operation for result in op.results for use in result.uses}
        if target_of(op) == GLOBAL_TO_LOCAL:
            users -= calls.keys()
        if users and op not in needed:
            raise OperationFailedException(
                op, f"the results of a custom call @{target_of(op)} are used, but not for a manual computation"
            )
        if target_of(op) == GLOBAL_TO_LOCAL and users:
            raise OperationFailedException(
                op, f"the results of a custom call @{target_of(op)} are also used outside of a manual computation"
            )
        if op not in needed:
            unused[op] = None
    return unused


# Patterns


@dataclass(frozen=True)
class ImportManualComputation(DecisionPattern[CallOp, "Wrapped | None"]):
    """
    `%l = custom_call @GlobalToLocalShape(x)`, `%r = call @manual_computation_body(%l)`,
    `%g = custom_call @LocalToGlobalShape(%r)` -> `%g = sdy.manual_computation(x) { body }`

    So is `%l = custom_call @GlobalToLocalShape(custom_call @Sharding(x))` if no attribute has the shardings. The last
    call of a body takes its operations, others copy them. A call whose results are not read is erased.
    """

    last_calls: Collection[CallOp]

    def rewrite(self, op: CallOp, decision: Wrapped | None, rewriter: PatternRewriter, /) -> None:
        if decision is None:
            rewriter.erase(op)
            return
        to_local, to_global = decision.to_local, decision.to_global
        body = self._body(op, decision.body, rewriter)
        computation = ManualComputationOp(
            decision.operands,
            decision.in_shardings.shardings,
            decision.out_shardings.shardings,
            decision.manual_axes.names,
            body,
            () if to_global is None else to_global.result_types,
        )
        rewriter.insert(computation, InsertPoint.before(op))
        if to_global is not None:
            for old, new in zip(to_global.results, computation.results, strict=True):
                rewriter.replace_all_uses_with(old, new)
            rewriter.erase(to_global)
        rewriter.erase(op)
        if to_local is not None and not any(result.uses for result in to_local.results):
            rewriter.erase(to_local)
            for call in dict.fromkeys(decision.statements.values()):
                if not any(result.uses for result in call.results):
                    rewriter.erase(call)

    def _body(self, op: CallOp, function: FuncOp, rewriter: PatternRewriter) -> Region:
        is_last = op in self.last_calls
        body = rewriter.move_region_contents_to_new_regions(function.body) if is_last else clone_region(function.body)
        end = body.block.last_op
        assert isinstance(end, FuncReturnOp)
        rewriter.replace(end, ReturnOp(*end.arguments))
        return body


class EraseUnusedReshaping(DecisionPattern[CustomCallOp, None]):
    """`custom_call @GlobalToLocalShape` -> nothing, where no call of a body reads its results, nor anything else."""

    def rewrite(self, op: CustomCallOp, decision: None, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class EraseBody(DecisionPattern[FuncOp, None]):
    """`func @manual_computation_body` -> nothing: nothing calls it anymore."""

    def rewrite(self, op: FuncOp, decision: None, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class RoundTripShardMapImportPass(PatternPass):
    """
    Replace calls of functions named after `xla.sdy.manual_computation_body` by manual computations.

    A function that is called in manual computations over different axes is copied, and says which axes are its own in
    `sdy.func_manual_axes`. A module with a call that cannot be replaced stays as it is.
    """

    name = "xla-sdy-round-trip-shard-map-import"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-shard-map-import"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        functions = Functions(module)
        order = acyclic_callees_first(functions)
        found = manual_calls(module, functions, order)
        # Callees first: when a body is copied, its own calls of bodies have been replaced.
        callers = [function for function, calls in order.items() if any(call in found.wrapped for call in calls)]
        yield Step((ImportManualComputation(found.wrapped, found.last_calls),), roots=callers)
        yield Step((EraseUnusedReshaping(found.unused), EraseBody(found.bodies)))
        versions = versions_by_context(acyclic_callees_first(Functions(module)), module)
        yield Step(patterns_for_copies(versions.copies, module))
        named = functions_of(module)
        yield Step((SetManualAxes({named[name]: context for name, context in versions.contexts.items()}),))
