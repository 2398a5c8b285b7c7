"""
Between an operation and its asynchronous form: the function around it, its start and its done.

HLO text writes `slice-start(x), slice={[0:32]}` and means an `async-start` of a computation that holds the slice. So a
reader makes the slice as if it were not asynchronous and gives it to `wrap`, and a printer that asks `sugar_of` gets
the slice back. Source: rows HLO-ASYNC-13 to -17.
"""

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region

from xshardy.dialects.hlo.async_operation import THREAD, DoneOp, StartOp
from xshardy.dialects.hlo.async_ops import AsyncDoneOp, AsyncStartOp
from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.hlo.own_async_ops import COUNTER, OWN_DONES, OWN_STARTS


def wrapped_function(op: Operation, name: str, thread: str | None = None) -> func.FuncOp:
    """
    A private function called `name` that holds `op` and returns its results.

    `op`, which must be in no block, moves into the function and reads its arguments there: one for each operand, even
    where two operands are one value. Its regions must not read values from outside.
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
    `op`, in no block, as the function `name` around it and the start of this function, in no block either.

    The start is `hlo.async_start`, or the own one of `op`. `contexts` are the types of its context state; None is what
    XLA has there: one counter for most.
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
    """A done for `start`, in no block yet."""
    return OWN_DONES.get(type(start), AsyncDoneOp)(start.bundle)


def sugar_of(start: StartOp) -> Operation | None:
    """
    The operation under whose opcode, with the suffix `-start`, HLO text can write `start`; None if there is no way.

    There is none when the wrapped operation takes the operands of the start in another order. Raises `VerifyException`
    when nothing, or too much, is wrapped.
    """
    wrapped = start.wrapped()
    arguments = start.wrapped_function().args
    return wrapped if tuple(wrapped.operands) == tuple(arguments) else None


def unwrapped(start: StartOp) -> Operation:
    """A copy of the operation that `start` starts, on its operands; in no block yet."""
    wrapped, arguments = start.wrapped(), start.wrapped_function().args
    return wrapped.clone(dict(zip(arguments, start.inputs, strict=True)))
