"""Replace calls by named computations, with the shardings that the calls or else their callees have."""

from collections.abc import Iterable
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp

from xshardy.rewriting import PatternPass, Step
from xshardy.transforms.sdy.function_copies import Functions
from xshardy.transforms.sdy_import.import_func_calls import ImportFuncCallsPass as ShardyImportFuncCallsPass
from xshardy.transforms.sdy_import.import_func_calls import calls_to_import
from xshardy.transforms.sdy_import.propagate_sharding_from_func_to_call import (
    TakeShardingsOfCallee,
    shardings_of_callees,
)


class ImportFuncCallsPass(PatternPass):
    """
    Replace each call by a `sdy.named_computation` with the body of the callee, and erase the callee.

    As `sdy-import-func-calls` without data flow edges, but a call without shardings takes those of the results of its
    callee.
    """

    name = "xla-sdy-import-func-calls"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-import-func-calls"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        functions = Functions(module)
        yield Step((TakeShardingsOfCallee(shardings_of_callees(functions, calls_to_import(functions))),))
        yield from ShardyImportFuncCallsPass(add_data_flow_edges_on_named_computations=False).steps(module)
