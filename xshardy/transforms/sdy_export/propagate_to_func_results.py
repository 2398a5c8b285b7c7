"""Give the results of functions the shardings of what they return."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.shardable_values import sharding_of


def _set_result_shardings(function: FuncOp, returned: Sequence[SSAValue]) -> None:
    """Give each result of `function` the sharding of the value `returned` for it; none if that has none."""
    others = function.res_attrs or (DictionaryAttr({}),) * len(returned)
    results: list[dict[str, Attribute]] = []
    for value, known in zip(returned, others, strict=True):
        attributes = {name: attribute for name, attribute in known.data.items() if name != SHARDING}
        if (sharding := sharding_of(value)) is not None:
            attributes[SHARDING] = sharding
        results.append(attributes)
    function.res_attrs = ArrayAttr(map(DictionaryAttr, results)) if any(results) else None


@dataclass(frozen=True)
class PropagateToFuncResultsPass(ModulePass):
    """
    Copy the shardings of returned values to the results of all functions but the main one.

    The main function is the only one of its module, or the one called `main`; the user has sharded its results.
    """

    name = "sdy-propagate-to-func-results"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main = main_function(op)
        for function in functions_of(op).values():
            end = function.body.block.last_op if function.body.blocks else None
            if function is not main and isinstance(end, ReturnOp):
                _set_result_shardings(function, end.arguments)
