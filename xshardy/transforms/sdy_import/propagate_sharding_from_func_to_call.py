"""Give calls without shardings those of the results of the function they call."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, ShapedType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING, lookup_mesh
from xshardy.transforms.call_graph import functions_of


def _written_result_shardings(function: FuncOp) -> list[TensorShardingAttr | None]:
    """The sharding that each result of `function` has in the text, None where it has none."""
    count = len(function.function_type.outputs)
    dictionaries = function.res_attrs or ArrayAttr([DictionaryAttr({})] * count)
    shardings = (dictionary.data.get(SHARDING) for dictionary in dictionaries)
    return [sharding if isinstance(sharding, TensorShardingAttr) else None for sharding in shardings]


def result_shardings(function: FuncOp) -> TensorShardingPerValueAttr | None:
    """
    A sharding for each result of `function`, fully open where none is written.

    None if no result has a sharding over a mesh other than a single device.
    """
    written = _written_result_shardings(function)
    for sharding in written:
        mesh = None if sharding is None else lookup_mesh(sharding, function)
        if sharding is None or mesh is None or mesh.is_maximal:
            continue
        ranks = (type.get_num_dims() if isinstance(type, ShapedType) else 0 for type in function.function_type.outputs)
        return TensorShardingPerValueAttr(
            known or TensorShardingAttr.fully_open(sharding.mesh_or_ref, rank)
            for known, rank in zip(written, ranks, strict=True)
        )
    return None


@dataclass(frozen=True)
class PropagateShardingFromFuncToCallPass(ModulePass):
    """Set the shardings of a call that has none to those of the results of its callee, if that has some."""

    name = "sdy-propagate-sharding-from-func-to-call"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = functions_of(op)
        of_results = {name: result_shardings(function) for name, function in functions.items()}
        calls = [call for call in op.walk() if isinstance(call, CallOp)]
        for call in calls:
            if (callee := call.callee.string_value()) not in functions:
                raise PassFailedException(f"'func.call' op calls @{callee}, which the module does not have: define it")
        for call in calls:
            shardings = of_results[call.callee.string_value()]
            if shardings is not None:
                call.attributes.setdefault(SHARDING, shardings)
