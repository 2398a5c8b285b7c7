"""
The common part of asynchronous operations: a chain of one start, optional updates, and one done, around one operation.

A start names a function that contains only the wrapped operation. Updates and dones find it through their operand,
which leads back to the start. Diagnostics use the wording of XLA's verifier where it has the same rule. Source: rows
HLO-ASYNC-02 to -08, -11, -12.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.dialects import func
from xdsl.dialects.builtin import FlatSymbolRefAttrConstr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.hlo.async_formats import DoneTypes, StartTypes
from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.hlo.instruction import hlo_opcode
from xshardy.dialects.stablehlo.inference import type_list
from xshardy.dialects.stablehlo.types import VALUE
from xshardy.dialects.symbols import find_function, function_called

__all__ = ["AsyncOperation", "DoneOp", "StartOp"]

THREAD = "hlo.execution_thread"
"""The discardable attribute of a function with the name of its thread."""

MAIN_THREAD = StringAttr("main")
"""The default thread."""


class AsyncOperation(IRDLOperation):
    """A start, an update or a done."""

    @property
    def opcode(self) -> str:
        """The name in HLO text and in XLA's diagnostics: `async-start`."""
        return hlo_opcode(self.name)


def one_of(names: Sequence[str]) -> str:
    """`hlo.async_update`, `hlo.async_done` -> `async-update or async-done`"""
    return " or ".join(map(hlo_opcode, names))


class WrapsOneOperation(SymbolUserOpInterface):
    """The callee of a start is a function around one operation, with the types of the bundle."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, StartOp)
        function = op.wrapped_function()
        verify_program_shape(op, function)
        op.verify_wrapped(function, only_operation_of(function))


class StartOp(AsyncOperation):
    """Start the operation in the function `callee`. `CONSUMERS` are the names of operations that may follow."""

    CONSUMERS: ClassVar[tuple[str, ...]]
    BINDS_ALL: ClassVar[bool] = True
    """Whether it has all operands of what it starts."""

    inputs = var_operand_def(VALUE)
    callee = prop_def(FlatSymbolRefAttrConstr)
    bundle = result_def(base(AsyncBundleType))
    traits = traits_def(WrapsOneOperation())
    custom_directives = (StartTypes,)
    assembly_format = "$callee `(` $inputs `)` attr-dict `:` custom<StartTypes>(type($inputs), type($bundle))"

    def __init__(self, callee: str, inputs: Sequence[SSAValue], bundle: AsyncBundleType):
        super().__init__(operands=[inputs], result_types=[bundle], properties={"callee": SymbolRefAttr(callee)})

    def verify_(self) -> None:
        bundle = bundle_type(self.bundle)
        if len(self.inputs) != len(bundle.operands):
            raise VerifyException(
                f"The {self.opcode} expects the async shape at index {{0}} to have one element per operand "
                f"({len(bundle.operands)} vs {len(self.inputs)})"
            )
        for i, (operand, type) in enumerate(zip(self.inputs, bundle.operands, strict=True)):
            if operand.type != type:
                raise VerifyException(
                    f"The {self.opcode} expects the shape of operand {i} to match the async shape at index {{0}} "
                    f"('{operand.type}' vs '{type}')"
                )
        verify_consumer(self, self.CONSUMERS)

    def verify_wrapped(self, function: func.FuncOp, wrapped: Operation) -> None:
        """Raise `VerifyException` unless this operation may start `wrapped`, the only operation of `function`."""

    def wrapped_function(self) -> func.FuncOp:
        """The wrapped computation. Raises `VerifyException` if the symbol does not name a function."""
        return function_called(self, self.callee)

    def wrapped(self) -> Operation:
        """The wrapped operation. Raises `VerifyException` unless the callee contains exactly one."""
        return only_operation_of(self.wrapped_function())


class DoneOp(AsyncOperation):
    """Wait for an operation. `PRODUCERS` are the names of operations that may precede."""

    PRODUCERS: ClassVar[tuple[str, ...]]

    operand = operand_def()  # any type, so that verification can name the expected producers
    outputs = var_result_def(VALUE)
    custom_directives = (DoneTypes,)
    assembly_format = "$operand attr-dict `:` custom<DoneTypes>(type($operand), type($outputs))"

    def __init__(self, operand: SSAValue):
        super().__init__(operands=[operand], result_types=[bundle_type(operand).outputs])

    def verify_(self) -> None:
        verify_producer(self, self.operand, self.PRODUCERS)
        expected = bundle_type(self.operand).outputs
        if tuple(self.outputs.types) != expected:
            raise VerifyException(
                f"The {self.opcode} expects the shape of output to match the async shape at index {{1}} "
                f"({type_list(self.outputs.types) or 'none'} vs {type_list(expected) or 'none'})"
            )
        start = start_of(self.operand)
        function = None if start is None else find_function(start, start.callee)
        bound = bundle_type(self.operand).operands
        if function is not None and bound != function.function_type.inputs.data:
            raise VerifyException(
                f"The {self.opcode} expects the operands of the previous async instruction to be fully bound "
                f"({type_list(bound) or 'none'} vs {type_list(function.function_type.inputs.data) or 'none'})"
            )


def bundle_type(value: SSAValue) -> AsyncBundleType:
    """The type of a value, narrowed to a bundle type. Precondition: it is one."""
    assert isinstance(value.type, AsyncBundleType)
    return value.type


def users_of(value: SSAValue) -> tuple[Operation, ...]:
    """The users of `value`, without duplicates."""
    return tuple(dict.fromkeys(use.operation for use in value.uses))


def verify_consumer(op: AsyncOperation, consumers: Sequence[str]) -> None:
    """Verify that the bundle of `op` has one use, by an operation called one of `consumers`, in the same block."""
    users, opcode = users_of(op.results[0]), op.opcode
    if len(users) != 1:
        raise VerifyException(
            f"The {opcode} instruction requires one consumer, found {len(users)}: "
            f"an operation in flight ends with one {one_of(consumers[-1:])}"
        )
    if users[0].name not in consumers:
        raise VerifyException(
            f"The consumer of a {opcode} instruction needs to be {one_of(consumers)}, found {hlo_opcode(users[0].name)}"
        )
    if users[0].parent is not op.parent:
        raise VerifyException(
            f"The consumer of a {opcode} instruction needs to be in the same computation, but the "
            f"{hlo_opcode(users[0].name)} is in another block: move the two together"
        )


def verify_producer(op: AsyncOperation, operand: SSAValue, producers: Sequence[str]) -> None:
    """Verify that the bundle `operand` comes from an operation called one of `producers`."""
    owner = operand.owner
    if isinstance(owner, Block):
        raise VerifyException(
            f"The operand of a {op.opcode} instruction needs to be {one_of(producers)}, found a block argument"
        )
    if owner.name not in producers:
        raise VerifyException(
            f"The operand of a {op.opcode} instruction needs to be {one_of(producers)}, found {hlo_opcode(owner.name)}"
        )
    if not isinstance(operand.type, AsyncBundleType):
        raise VerifyException(f"The operand of a {op.opcode} instruction needs to be in flight, found '{operand.type}'")


def comes_before(first: Operation, second: Operation) -> bool:
    """
    Whether `first` is before `second` in their block.

    Searches both ways from `second`, in time linear in the distance.
    """
    before, after = second.prev_op, second.next_op
    while before is not None or after is not None:
        if before is first or after is first:
            return before is first
        before = None if before is None else before.prev_op
        after = None if after is None else after.next_op
    return False


def verify_program_shape(start: StartOp, function: func.FuncOp) -> None:
    """Verify that `function` has the operand and output types of the bundle of `start`."""
    bundle = bundle_type(start.bundle)
    types = function.function_type
    for index, what, found, expected in (
        (0, "async computation parameter shape", bundle.operands, types.inputs.data),
        (1, "the async computation root shape", bundle.outputs, types.outputs.data),
    ):
        if found != (expected if index or start.BINDS_ALL else expected[: len(found)]):
            raise VerifyException(
                f"The {start.opcode} expects the async shape at index {{{index}}} to match {what} "
                f"({type_list(found) or 'none'} vs {type_list(expected) or 'none'})"
            )


def only_operation_of(function: func.FuncOp) -> Operation:
    """
    The operation that `function` wraps: it reads exactly the arguments, and the function returns its results.

    Raises `VerifyException` for any other function.
    """
    name = f"@{function.sym_name.data}"
    operations = list(function.body.block.ops) if len(function.body.blocks) == 1 else []
    if len(operations) != 2:
        raise VerifyException(
            f"Asynchronous computation {name} expected to contain only the root and parameter instructions, "
            f"found {max(0, len(operations) - 1)} operations besides the return: put them into one fusion or call"
        )
    wrapped, last = operations
    if not set(wrapped.operands) == set(function.body.block.args):
        raise VerifyException(
            f"Asynchronous computation {name} expected to pass its parameters, all of them, to '{wrapped.name}'"
        )
    if tuple(last.operands) != tuple(wrapped.results):
        raise VerifyException(f"Asynchronous computation {name} expected to return the results of '{wrapped.name}'")
    return wrapped


def thread_of(function: func.FuncOp) -> Attribute:
    """The thread of `function`."""
    return function.attributes.get(THREAD, MAIN_THREAD)


def start_of(value: SSAValue) -> StartOp | None:
    """The start of the chain of the bundle `value`; None if it comes from elsewhere."""
    owner = value.owner
    while isinstance(owner, AsyncOperation) and not isinstance(owner, StartOp):
        owner = owner.operands[0].owner
    return owner if isinstance(owner, StartOp) else None


def operands_of(start: StartOp) -> tuple[SSAValue, ...]:
    """All operands of what `start` starts: its own, and those of updates. Precondition: the module verifies."""
    _, *updates = (op for op in chain_of(start) if not isinstance(op, DoneOp))
    return (*start.inputs, *(value for update in updates for value in update.operands[1:]))


def chain_of(start: StartOp) -> Iterator[AsyncOperation]:
    """`start`, its updates and its done, in order. Precondition: the module verifies."""
    op: AsyncOperation = start
    yield op
    while not isinstance(op, DoneOp):
        (user,) = users_of(op.results[0])
        assert isinstance(user, AsyncOperation), "starts and updates are read by updates and dones"
        op = user
        yield op
