"""
Conversion between an operation and its asynchronous form: the function around it, its start and its done.

`slice-start(x), slice={[0:32]}` in HLO text is an `async-start` of a computation that contains the slice. A reader
builds the synchronous slice and passes it to `wrap`; a printer recovers it by `sugar_of`. Source: rows HLO-ASYNC-13 to
-17.
"""

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region

from xshardy.dialects.hlo.async_operation import THREAD, DoneOp, StartOp, operands_of
from xshardy.dialects.hlo.async_ops import AsyncDoneOp, AsyncStartOp
from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.hlo.own_async_ops import COUNTER, OWN_DONES, OWN_STARTS

GROUP = "$group"
"""The infix of names of functions around the call of a group: names of HLO have no `$`."""


def wrapped_function(op: Operation, name: str, thread: str | None = None) -> func.FuncOp:
    """
    A private function called `name` that contains `op` and returns its results.

    `op` must be in no block. It moves into the function and reads the arguments there: one for each operand, even if
    two operands are one value. Its regions must not capture values.
    """
    operand_types, result_types = [value.type for value in op.operands], [value.type for value in op.results]
    block = Block(arg_types=operand_types)
    for i, argument in enumerate(block.args):
        argument.name_hint = op.operands[i].name_hint
        op.operands[i] = argument
    block.add_ops([op, func.ReturnOp(*op.results)])
    function = func.FuncOp(
        name, FunctionType.from_lists(operand_types, result_types), Region(block), visibility="private"
    )
    if thread is not None:
        function.attributes[THREAD] = StringAttr(thread)
    return function


def wrap(
    op: Operation, name: str, contexts: Sequence[Attribute] | None = None, thread: str | None = None
) -> tuple[func.FuncOp, StartOp]:
    """
    The function `name` around `op`, and the start of this function; `op` and the start are in no block.

    The start is `hlo.async_start`, or the specific start of `op`. `contexts` are the types of its context state; by
    default those of XLA: one counter for most.
    """
    operands = list(op.operands)
    types = [value.type for value in operands]
    function = wrapped_function(op, name, thread)
    own = OWN_STARTS.get(type(op))
    if contexts is None:
        contexts = (COUNTER,) if own is None else own.CONTEXTS[0]
    bundle = AsyncBundleType.of(types, function.function_type.outputs.data, contexts)
    start = own(name, operands, bundle) if own is not None else AsyncStartOp(name, operands, bundle, thread)
    return function, start


def done_of(start: StartOp) -> DoneOp:
    """A new done for `start`, in no block."""
    return OWN_DONES.get(type(start), AsyncDoneOp)(start.bundle)


def sugar_of(start: StartOp) -> Operation | None:
    """
    The operation with which HLO text can write `start` as `OPCODE-start`; None if there is none.

    There is none if the wrapped operation takes the operands of the start in another order. Raises `VerifyException`
    unless exactly one operation is wrapped.
    """
    wrapped = start.wrapped()
    arguments = start.wrapped_function().args
    return wrapped if tuple(wrapped.operands) == tuple(arguments) else None


def unwrapped(start: StartOp) -> Operation:
    """A copy of the operation wrapped by `start`, on the operands of the start and its updates; in no block."""
    wrapped, arguments = start.wrapped(), start.wrapped_function().args
    return wrapped.clone(dict(zip(arguments, operands_of(start), strict=True)))
