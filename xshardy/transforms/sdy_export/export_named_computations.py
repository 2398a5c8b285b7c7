"""Make functions of named computations again. Source: Shardy's docs, "Export passes"."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FuncReturnOp
from xdsl.ir import Region
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import NamedComputationOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import PRIVATE
from xshardy.transforms.sdy.function_copies import ORIGINAL_FUNC_NAME
from xshardy.transforms.sdy.symbols import SymbolNames
from xshardy.transforms.sdy_export.sink_data_flow_edges import edges_of, sink_into
from xshardy.transforms.sdy_import.import_func_calls import EXECUTION_THREAD


def _sink_edges(computation: NamedComputationOp) -> None:
    """Replace the edges of `computation` by what flows into them, which gets their shardings."""
    sink_into(computation)
    for edge in list(edges_of([*computation.body.block.args, *computation.results])):
        Rewriter.replace_op(edge, (), [edge.input])


def _taken_body(computation: NamedComputationOp) -> Region:
    """The block of `computation` in a region of its own, with `sdy.return` -> `func.return`."""
    end = computation.terminator
    Rewriter.replace_op(end, FuncReturnOp(*end.operands))
    taken = Region()
    computation.body.move_blocks(taken)
    return taken


def _argument_attributes(shardings: TensorShardingPerValueAttr | None) -> ArrayAttr[DictionaryAttr] | None:
    """The attributes of arguments of a function that are sharded like this."""
    if shardings is None:
        return None
    return ArrayAttr(DictionaryAttr({SHARDING: sharding}) for sharding in shardings.shardings)


def outlined(computation: NamedComputationOp, name: str) -> FuncOp:
    """A private function called `name` with the body of `computation`, which it takes."""
    types = (computation.body.block.arg_types, computation.result_types)
    arguments = _argument_attributes(computation.in_shardings)
    function = FuncOp(name, types, _taken_body(computation), PRIVATE, arg_attrs=arguments)
    function.attributes[ORIGINAL_FUNC_NAME] = computation.computation_name
    if (thread := computation.attributes.get(EXECUTION_THREAD)) is not None:
        function.attributes[EXECUTION_THREAD] = thread
    return function


def replace_by_call(computation: NamedComputationOp, name: str) -> None:
    """`%0 = named_computation<"f">(%x) (%y) { ... }` -> `%0 = call @f(%x)`, where `name` is that of the function."""
    call = CallOp(name, computation.inputs, computation.result_types)
    call.attributes |= {key: value for key, value in computation.attributes.items() if key != EXECUTION_THREAD}
    if computation.out_shardings is not None:
        call.attributes[SHARDING] = computation.out_shardings
    Rewriter.replace_op(computation, call)


@dataclass(frozen=True)
class ExportNamedComputationsPass(ModulePass):
    """
    Replace each `sdy.named_computation` by a call of a new private function, which gets its body and its shardings.

    The functions come after all others, inner computations before those around them. Where the name of a computation
    is taken, the function gets a number as well. The data flow edges of the computations go away.
    """

    name = "sdy-export-named-computations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = SymbolNames(op)
        for computation in list(operations_of(op, NamedComputationOp, inner_first=True)):
            _sink_edges(computation)
            function = outlined(computation, names.fresh(computation.computation_name.data))
            replace_by_call(computation, function.sym_name.data)
            op.body.block.add_op(function)
