"""Copies of functions: with one for each of its calls, a function can be sharded differently by each of its callers."""

from collections.abc import Collection, Iterator

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation

from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.symbols import SymbolNames

ORIGINAL_FUNC_NAME = "sdy.original_func_name"
"""A discardable attribute of a function that was copied: the name of the function that it is a copy of."""


def original_name(function: FuncOp) -> str:
    """The name that `function` had before it was copied."""
    name = function.attributes.get(ORIGINAL_FUNC_NAME)
    return name.data if isinstance(name, StringAttr) else function.sym_name.data


def calls_in(op: Operation) -> Iterator[CallOp]:
    """The calls in `op`, in the order of the text."""
    return operations_of(op, CallOp)


class Functions:
    """The functions of a module by name, without those `left_out`; copies are added to both."""

    def __init__(self, module: ModuleOp, left_out: Collection[Operation] = ()):
        self.by_name = {name: f for name, f in functions_of(module).items() if f not in left_out}
        self._block = module.body.block
        self._names = SymbolNames(module)

    def callee(self, call: CallOp) -> FuncOp:
        """The function that `call` calls. Raises `OperationFailedException` if the module does not have it."""
        name = call.callee.string_value()
        if (function := self.by_name.get(name)) is None:
            raise OperationFailedException(
                call, f"'{call.name}' op calls @{name}, which the module does not have: define it"
            )
        return function

    def call_copy(self, call: CallOp) -> None:
        """Let `call` call a copy of its callee, in which every call calls a copy again. There must be no recursion."""
        original = self.callee(call)
        copy = original.clone()
        copy.attributes[ORIGINAL_FUNC_NAME] = StringAttr(original_name(original))
        for inner in calls_in(copy):
            self.call_copy(inner)
        name = self._names.fresh(original.sym_name.data)
        copy.sym_name = StringAttr(name)
        self.by_name[name] = copy
        self._block.add_op(copy)
        call.callee = type(call.callee)(name)
