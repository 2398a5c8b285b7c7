"""
Asynchronous operations: `hlo.async_start`, any number of `hlo.async_update`, and `hlo.async_done`.

```mlir
func.func private @wrapped(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
%0 = hlo.async_start @wrapped(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
%1 = hlo.async_update %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
%2 = hlo.async_done %1 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
```

They wrap every operation but those that have a start and a done of their own: see `own_async_ops.py`. HLO text writes
the three as `slice-start`, `slice-update` and `slice-done`, without the function: see `async_sugar.py`.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import base, irdl_op_definition, operand_def, opt_prop_def, result_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.hlo.async_formats import UpdateTypes
from xshardy.dialects.hlo.async_operation import (
    MAIN_THREAD,
    AsyncOperation,
    DoneOp,
    StartOp,
    bundle_type,
    comes_before,
    thread_of,
    verify_consumer,
    verify_producer,
)
from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.hlo.instruction import hlo_opcode
from xshardy.dialects.hlo.opaque import OpaqueOp
from xshardy.dialects.hlo.own_async_ops import OWN_STARTS
from xshardy.dialects.stablehlo.types import VALUE
from xshardy.dialects.symbols import find_function

__all__ = ["AsyncDoneOp", "AsyncStartOp", "AsyncUpdateOp"]

BUNDLE_CONSUMERS = ("hlo.async_update", "hlo.async_done")
BUNDLE_PRODUCERS = ("hlo.async_start", "hlo.async_update")


@irdl_op_definition
class AsyncStartOp(StartOp):
    """
    Start the operation in the function `callee`, possibly on another thread.

    It may have the first of its operands only; then updates have the others, and the last of them starts it.
    """

    CONSUMERS: ClassVar = BUNDLE_CONSUMERS
    BINDS_ALL: ClassVar = False

    name = "hlo.async_start"
    execution_thread = opt_prop_def(StringAttr)
    assembly_format = (
        "$callee `(` $inputs `)` (`thread` $execution_thread^)? attr-dict `:` "
        "custom<StartTypes>(type($inputs), type($bundle))"
    )

    def __init__(
        self, callee: str, inputs: Sequence[SSAValue], bundle: AsyncBundleType, execution_thread: str | None = None
    ):
        super().__init__(callee, inputs, bundle)
        if execution_thread is not None:
            self.execution_thread = StringAttr(execution_thread)

    def verify_wrapped(self, function: func.FuncOp, wrapped: Operation) -> None:
        own = OWN_STARTS.get(type(wrapped))
        if isinstance(wrapped, OpaqueOp):  # a start, a send or a receive without its done
            own = next((start for start in OWN_STARTS.values() if hlo_opcode(start.name) == wrapped.opcode.data), None)
        if own is not None:
            opcodes = " and ".join(map(hlo_opcode, (own.name, *own.CONSUMERS)))
            raise VerifyException(
                f"async-start cannot wrap '{wrapped.name}', because HLO has {opcodes} for it: start it with {own.name}"
            )
        self.verify_threads(function, wrapped)

    def verify_threads(self, function: func.FuncOp, wrapped: Operation) -> None:
        """Verify that the start, the wrapped computation and the computations called by it name one thread."""
        thread = self.execution_thread or MAIN_THREAD
        if thread != thread_of(function):
            raise VerifyException(
                "async-start expects same async thread name as wrapped computation's thread name "
                f"({thread} vs {thread_of(function)})"
            )
        callee = wrapped.properties.get("callee")
        called = find_function(self, callee) if isinstance(callee, SymbolRefAttr) else None
        if called is not None and thread_of(called) != thread:
            raise VerifyException(
                f"callable instruction '{wrapped.name}' expects parent computation thread name same as called "
                f"computation's thread name ({thread} vs {thread_of(called)})"
            )


@irdl_op_definition
class AsyncUpdateOp(AsyncOperation):
    """
    An intermediate step of the operation in flight; passes the bundle on.

    `inputs` are the next operands of the operation, which the start has left out.
    """

    name = "hlo.async_update"
    operand = operand_def()
    inputs = var_operand_def(VALUE)
    bundle = result_def(base(AsyncBundleType))
    custom_directives = (UpdateTypes,)
    assembly_format = (
        "$operand (`(` $inputs^ `)`)? attr-dict `:` custom<UpdateTypes>(type($operand), type($inputs), type($bundle))"
    )

    def __init__(self, operand: SSAValue, inputs: Sequence[SSAValue] = ()):
        type = bundle_type(operand).with_operands([value.type for value in inputs])
        super().__init__(operands=[operand, inputs], result_types=[type])

    def verify_(self) -> None:
        verify_producer(self, self.operand, BUNDLE_PRODUCERS)
        if isinstance(self.operand.owner, Operation) and not comes_before(self.operand.owner, self):
            # Updates that form a cycle have no start.
            raise VerifyException("The operand of a async-update instruction needs to come before it: move it down")
        expected = bundle_type(self.operand).with_operands(self.inputs.types)
        if expected != self.bundle.type:
            raise VerifyException(
                f"The async-update expects the shape of operand and output to match ('{expected}' vs "
                f"'{self.bundle.type}')"
            )
        verify_consumer(self, BUNDLE_CONSUMERS)


@irdl_op_definition
class AsyncDoneOp(DoneOp):
    """Wait for the operation in flight; the results are its outputs."""

    PRODUCERS: ClassVar = BUNDLE_PRODUCERS

    name = "hlo.async_done"
