"""What a manual computation executes: its body, and the functions that only manual computations call."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.rewriting.walk import operations_of


@dataclass
class ManualRegions:
    """The operations of `module` that are executed in manual computations. JAX calls functions for bodies of loops."""

    module: ModuleOp
    _functions: dict[str, bool] = field(default_factory=dict[str, bool], init=False)
    """By name, whether only manual computations call the function."""

    @cached_property
    def _calls(self) -> dict[str, list[CallOp]]:
        """The calls of each function, by its name."""
        calls = defaultdict[str, list[CallOp]](list)
        for call in operations_of(self.module, CallOp):
            calls[call.callee.string_value()].append(call)
        return calls

    def __contains__(self, op: Operation) -> bool:
        around = op.parent_op()
        while around is not None and not isinstance(around, ManualComputationOp | FuncOp):
            around = around.parent_op()
        return self._is_manual(around.sym_name.data) if isinstance(around, FuncOp) else around is not None

    def _is_manual(self, function: str) -> bool:
        if function not in self._functions:
            self._functions[function] = False  # a function that only it calls itself is in no manual computation
            calls = self._calls[function]
            self._functions[function] = bool(calls) and all(call in self for call in calls)
        return self._functions[function]
