"""Copies of functions: with one for each of its calls, a function can be sharded differently by each of its callers."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.ir import clone_operation
from xshardy.rewriting import DecisionPattern
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy.symbols import SymbolNames, reference_to

ORIGINAL_FUNC_NAME = "sdy.original_func_name"
"""A discardable attribute of a function that was copied: the name of the function that it is a copy of."""

EXECUTION_THREADS = frozenset({"execution_thread", "hlo.execution_thread"})
"""
Discardable attributes of a function, and of a named computation with its body: the thread that executes it.

The first is that of StableHLO, the second what HLO text has.
"""


def threads_of(op: Operation) -> dict[str, Attribute]:
    """The attributes that say on which thread a function or named computation is executed."""
    return {name: value for name, value in op.attributes.items() if name in EXECUTION_THREADS}


def without_threads(op: Operation) -> dict[str, Attribute]:
    """The other attributes: those of a call."""
    return {name: value for name, value in op.attributes.items() if name not in EXECUTION_THREADS}


def original_name(function: FuncOp) -> str:
    """The name that `function` had before it was copied."""
    name = function.attributes.get(ORIGINAL_FUNC_NAME)
    return name.data if isinstance(name, StringAttr) else function.sym_name.data


def calls_in(op: Operation) -> list[CallOp]:
    """The calls in `op`, in the order of the text."""
    return operations_of(op, CallOp)


class Functions:
    """The functions of a module by name, without those `left_out`."""

    def __init__(self, module: ModuleOp, left_out: Collection[Operation] = ()):
        self.module = module
        self.by_name = {name: f for name, f in functions_of(module).items() if f not in left_out}

    def callee(self, call: CallOp) -> FuncOp:
        """The function that `call` calls. Raises `OperationFailedException` if a module in the module has it."""
        name = call.callee.string_value()
        if (function := self.by_name.get(name)) is None:
            raise OperationFailedException(
                call, f"'{call.name}' op calls @{name}, which is not in the outermost module: move it there"
            )
        return function


@dataclass(frozen=True, slots=True)
class FunctionCopy:
    """A copy of the function `original`, called `name`; its calls, in the order of the text, call `callees`."""

    original: FuncOp
    name: str
    callees: Sequence[str]


@dataclass(frozen=True, slots=True)
class FunctionCopies:
    """Which calls are to call a copy of their callee: for each its name, and the copies in the order of their names."""

    callees: Mapping[CallOp, str]
    copies: Sequence[FunctionCopy]


def copies_for_calls(
    calls: Iterable[CallOp], calls_of: Mapping[FuncOp, Sequence[CallOp]], module: ModuleOp
) -> FunctionCopies:
    """
    A copy of its callee for each of `calls`, in which every call calls a copy in turn.

    `calls_of` are the calls in each function of `module` that has a body. There must be no recursion, and `calls` in a
    callee come before calls of the callee. Linear in the copies.
    """
    originals = {name: (function, calls_of.get(function, ())) for name, function in functions_of(module).items()}
    names = SymbolNames(module)
    callees: dict[CallOp, str] = {}
    copies: dict[str, FunctionCopy] = {}

    def copy(name: str) -> str:
        if (known := copies.get(name)) is not None:
            original, below = known.original, known.callees
        else:
            original, inner_calls = originals[name]
            below = [callees.get(call) or call.callee.string_value() for call in inner_calls]
        copied_below = [copy(callee) for callee in below]
        fresh = names.fresh(name)
        copies[fresh] = FunctionCopy(original, fresh, copied_below)
        return fresh

    for call in calls:
        callees[call] = copy(call.callee.string_value())
    return FunctionCopies(callees, tuple(copies.values()))


class CallCopy(DecisionPattern[CallOp, str]):
    """`call @f` -> `call @f_0`, where `@f_0` is the copy of `@f` that the call was decided to call."""

    def rewrite(self, op: CallOp, decision: str, rewriter: PatternRewriter, /) -> None:
        op.callee = reference_to(decision)
        rewriter.notify_op_modified(op)


class AppendFunctionCopies(DecisionPattern[Operation, Sequence[FunctionCopy]]):
    """`func @f` -> `func @f`, `func @f_0 {sdy.original_func_name = "f"}`, at the end of the module: after `op`."""

    def rewrite(self, op: Operation, decision: Sequence[FunctionCopy], rewriter: PatternRewriter, /) -> None:
        for copied in decision:
            function = clone_operation(copied.original)
            function.attributes[ORIGINAL_FUNC_NAME] = StringAttr(original_name(copied.original))
            function.sym_name = StringAttr(copied.name)
            for call, callee in zip(calls_in(function), copied.callees, strict=True):
                call.callee = reference_to(callee)
            rewriter.insert(function, InsertPoint.after(op))
            op = function


def patterns_for_copies(decided: FunctionCopies, module: ModuleOp) -> tuple[CallCopy, AppendFunctionCopies]:
    """The patterns that make the decided copies of functions of `module`, and let their calls call them."""
    last = module.body.block.last_op
    return (
        CallCopy(decided.callees),
        AppendFunctionCopies({} if last is None else {last: decided.copies}),
    )
