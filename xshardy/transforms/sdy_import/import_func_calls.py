"""Replace calls by the bodies of the functions they call. Source: Shardy's docs, "Import passes"."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Attribute, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import NamedComputationOp, ReturnOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.ir import clone_region, new_operation
from xshardy.rewriting import TO_FIXPOINT, PatternPass, Step, match_op_type, replace_by_twin
from xshardy.transforms.failures import OperationFailedException, warn
from xshardy.transforms.sdy.call_order import acyclic_callees_first
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.function_copies import Functions, original_name, threads_of
from xshardy.transforms.sdy.function_shardings import argument_shardings
from xshardy.transforms.sdy_import.add_data_flow_edges import AddDataFlowEdges


def calls_to_import(functions: Functions) -> Sequence[CallOp]:
    """
    The calls in `functions`, callees first.

    Raises `OperationFailedException` if there is recursion, or a callee is missing, has no body, or has several blocks.
    """
    calls = [call for made in acyclic_callees_first(functions).values() for call in made]
    for call in calls:
        if not functions.callee(call).body.blocks:
            name = call.callee.string_value()
            raise OperationFailedException(
                call, f"'{call.name}' op calls @{name}, which is declared without a body: give it one"
            )
        body_of(functions.callee(call))
    return calls


def first_calls(calls: Iterable[CallOp]) -> Collection[CallOp]:
    """The first call of each function among `calls`."""
    first: dict[str, CallOp] = {}
    for call in calls:
        first.setdefault(call.callee.string_value(), call)
    return set(first.values())


def warn_of_copies(calls: Iterable[CallOp]) -> None:
    """Warn once of each function with several calls, at the second of them."""
    count: dict[str, int] = {}
    for call in calls:
        name = call.callee.string_value()
        count[name] = count.get(name, 0) + 1
        if count[name] == 2:
            warn(call, f"function @{name} has multiple call ops, we need to clone the function body for each call")


def replace_by_computation(call: CallOp, function: FuncOp, body: Region, rewriter: PatternRewriter) -> None:
    """`call @f(x)` -> `named_computation<"f">(x) { body }`, where `func.return` in `body` becomes `sdy.return`."""
    for block in body.blocks:
        if isinstance(end := block.last_op, FuncReturnOp):
            replace_by_twin(end, new_operation(ReturnOp), rewriter)
    properties: dict[str, Attribute] = {"name": StringAttr(original_name(function))}
    if (in_shardings := argument_shardings(function)) is not None:
        properties["in_shardings"] = in_shardings
    if isinstance(out_shardings := call.attributes.get(SHARDING), TensorShardingPerValueAttr):
        properties["out_shardings"] = out_shardings
    attributes = {key: value for key, value in call.attributes.items() if key != SHARDING} | threads_of(function)
    computation = new_operation(NamedComputationOp, (), (), properties, attributes, regions=(body,))
    replace_by_twin(call, computation, rewriter)


@dataclass(frozen=True)
class CopyBodyToCall(RewritePattern):
    """`call @f(x)` -> `named_computation<"f">(x) (y) { copy of the body of @f }`, for later calls of `@f`."""

    functions: Mapping[str, FuncOp]
    first_calls: Collection[CallOp]

    @match_op_type
    def match_and_rewrite(self, op: CallOp, rewriter: PatternRewriter, /) -> None:
        function = self.functions.get(op.callee.string_value())
        if function is not None and op not in self.first_calls:
            replace_by_computation(op, function, clone_region(function.body), rewriter)


@dataclass(frozen=True)
class MoveBodyToCall(RewritePattern):
    """`call @f(x)`, `func @f(y) { body }` -> `named_computation<"f">(x) (y) { body }`, for the only call of `@f`."""

    functions: Mapping[str, FuncOp]

    @match_op_type
    def match_and_rewrite(self, op: CallOp, rewriter: PatternRewriter, /) -> None:
        if (function := self.functions.get(op.callee.string_value())) is not None:
            body = rewriter.move_region_contents_to_new_regions(function.body)
            replace_by_computation(op, function, body, rewriter)
            rewriter.erase(function)


@dataclass(frozen=True)
class ImportFuncCallsPass(PatternPass):
    """
    Replace each call by a `sdy.named_computation` with the body of the callee, and erase the callee.

    If a function has several calls, its body is copied, with a warning. Data flow edges are inserted on the values that
    own one in the computations if `add_data_flow_edges_on_named_computations`.
    """

    name = "sdy-import-func-calls"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-import-func-calls'
    add_data_flow_edges_on_named_computations: bool = True

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        functions = Functions(module)
        calls = calls_to_import(functions)
        warn_of_copies(calls)
        # Copies are made while each function still has its body; a copy contains calls that need copies in turn.
        yield Step((CopyBodyToCall(functions.by_name, first_calls(calls)),), TO_FIXPOINT)
        yield Step((MoveBodyToCall(functions.by_name),))
        if self.add_data_flow_edges_on_named_computations:
            yield Step((AddDataFlowEdges((NamedComputationOp,)),))
