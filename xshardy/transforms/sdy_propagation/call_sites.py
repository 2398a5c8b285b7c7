"""Which calls call which function: shardings go between operands and arguments, returned values and results."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import BlockArgument, SSAValue

from xshardy.transforms.call_graph import functions_of


class CallSites:
    """The functions of a module, and the calls that have been met in it."""

    def __init__(self, module: ModuleOp):
        self._functions = functions_of(module)
        self._calls: dict[str, list[CallOp]] = {}

    def add(self, call: CallOp) -> None:
        """A call has been met, after all those before it in the text."""
        self._calls.setdefault(call.callee.string_value(), []).append(call)

    def calls_of(self, function: FuncOp) -> Sequence[CallOp]:
        """The calls of `function`, in the order of the text."""
        return self._calls.get(function.sym_name.data, ())

    def callee(self, call: CallOp) -> FuncOp | None:
        """The function that `call` calls; None if the module does not have it."""
        return self._functions.get(call.callee.string_value())

    def sources(self, target: SSAValue) -> Sequence[SSAValue]:
        """What flows into an argument of a function from all calls, or into the result of a call from the function."""
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
        terminator = callee.body.block.last_op
        return (terminator.operands[call.results.index(target)],) if isinstance(terminator, ReturnOp) else ()
