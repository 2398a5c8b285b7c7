"""The calls of each function: shardings propagate between operands and arguments, returned values and results."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import BlockArgument, SSAValue

from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.function_body import body_of


class CallSites:
    """The functions of a module, and the calls that were added, in text order."""

    def __init__(self, module: ModuleOp):
        self._functions = functions_of(module)
        self._calls: dict[str, list[CallOp]] = {}

    def add(self, call: CallOp) -> None:
        """Add a call. Precondition: calls are added in text order."""
        self._calls.setdefault(call.callee.string_value(), []).append(call)

    def calls_of(self, function: FuncOp) -> Sequence[CallOp]:
        """The calls of `function`, in text order."""
        return self._calls.get(function.sym_name.data, ())

    def callee(self, call: CallOp) -> FuncOp | None:
        """The callee of `call`; None if the module does not define it."""
        return self._functions.get(call.callee.string_value())

    def sources(self, target: SSAValue) -> Sequence[SSAValue]:
        """The operands of all calls for an argument of a function; the returned value for the result of a call."""
        if isinstance(target, BlockArgument):
            function = target.block.parent_op()
            calls = self.calls_of(function) if isinstance(function, FuncOp) else ()
            return tuple(call.operands[target.index] for call in calls)
        call = target.owner
        if not isinstance(call, CallOp):
            return ()
        callee = self.callee(call)
        if callee is None or not callee.body.blocks:
            return ()
        terminator = body_of(callee).last_op
        return (terminator.operands[call.results.index(target)],) if isinstance(terminator, ReturnOp) else ()
