"""Look into functions where they are called. Source: Shardy's docs, "Import passes", `sdy-import-func-calls`."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Region
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import NamedComputationOp, ReturnOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.failures import OperationFailedException, warn
from xshardy.transforms.sdy.call_order import acyclic_callees_first
from xshardy.transforms.sdy.data_flow_edges import add_data_flow_edges
from xshardy.transforms.sdy.function_copies import Functions, original_name
from xshardy.transforms.sdy.function_shardings import argument_shardings

EXECUTION_THREAD = "execution_thread"
"""A discardable attribute of a function that its calls pass on: the thread that executes it."""


def taken_body(region: Region) -> Region:
    """The blocks of `region`, a function's, in a region of their own, with `func.return` -> `sdy.return`."""
    taken = Region()
    region.move_blocks(taken)
    for block in taken.blocks:
        if isinstance(end := block.last_op, FuncReturnOp):
            Rewriter.replace_op(end, ReturnOp(*end.arguments))
    return taken


class CallImporter:
    """
    Replaces calls, callees first, by the body of what they call: the first call takes it, later ones get a copy.

    The first copy of a function is warned of.
    """

    def __init__(self, functions: Functions):
        self._functions = functions
        self._computations: dict[str, NamedComputationOp] = {}
        self._copied: set[str] = set()

    def replace(self, call: CallOp) -> NamedComputationOp:
        """`%0 = call @f(%x)` -> `%0 = named_computation<"f">(%x) (%y) { body of @f }`"""
        name = call.callee.string_value()
        function = self._functions.callee(call)
        if (known := self._computations.get(name)) is not None and name not in self._copied:
            self._copied.add(name)
            warn(call, f"function @{name} has multiple call ops, we need to clone the function body for each call")
        out_shardings = call.attributes.get(SHARDING)
        computation = NamedComputationOp(
            original_name(function),
            call.arguments,
            call.result_types,
            taken_body(function.body) if known is None else known.body.clone(),
            argument_shardings(function),
            out_shardings if isinstance(out_shardings, TensorShardingPerValueAttr) else None,
        )
        self._computations.setdefault(name, computation)
        computation.attributes |= {key: value for key, value in call.attributes.items() if key != SHARDING}
        if (thread := function.attributes.get(EXECUTION_THREAD)) is not None:
            computation.attributes[EXECUTION_THREAD] = thread
        Rewriter.replace_op(call, computation)
        return computation

    def erase_replaced_functions(self) -> None:
        """Erase the functions whose calls were replaced."""
        for name in self._computations:
            Rewriter.erase_op(self._functions.by_name[name])


@dataclass(frozen=True)
class ImportFuncCallsPass(ModulePass):
    """
    Replace each call by a `sdy.named_computation` with the body of the callee, which goes away.

    Where a function has several calls, its body is copied, and a warning says so. The computations get the data flow
    edges that their values own if `add_data_flow_edges_on_named_computations`.
    """

    name = "sdy-import-func-calls"
    add_data_flow_edges_on_named_computations: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = Functions(op)
        calls = [call for made in acyclic_callees_first(functions).values() for call in made]
        for call in calls:
            if not functions.callee(call).body.blocks:
                name = call.callee.string_value()
                raise OperationFailedException(
                    call, f"'{call.name}' op calls @{name}, which is declared without a body: give it one"
                )
        importer = CallImporter(functions)
        for call in calls:
            importer.replace(call)
        importer.erase_replaced_functions()
        if self.add_data_flow_edges_on_named_computations:
            for computation in list(operations_of(op, NamedComputationOp)):
                add_data_flow_edges(computation)
