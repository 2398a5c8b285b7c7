"""
The asynchronous operations that have opcodes of their own in HLO, instead of `async-start` and `async-done`.

They keep them because their result is laid out, or shares its buffers, in another way; see `async_shapes.py`. Here they
have the same form as the others all the same: the start names a function that holds the synchronous operation with all
its attributes, and its bundle has operands, outputs and contexts. So `copy-start(x)` is

```mlir
%0 = hlo.copy_start @copy(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
%1 = hlo.copy_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>, tensor<ui32>>
```

where `@copy` holds an `hlo.copy`. None of them has updates. `hlo.send` and `hlo.recv` are the starts of
`stablehlo.send` and `stablehlo.recv`, under HLO's names. Source: rows HLO-ASYNC-17 and -18.

To add one, write its start and its done and give it a row of `OWN_STARTS`. When HLO drops its opcodes, remove all
three: `hlo.async_start` then wraps it.
"""

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_op_definition
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import stablehlo
from xshardy.dialects.hlo.async_operation import DoneOp, StartOp, bundle_type
from xshardy.dialects.hlo.collectives import AllGatherOp, AllReduceOp, CollectivePermuteOp
from xshardy.dialects.hlo.data_movement import CopyOp
from xshardy.dialects.stablehlo.inference import type_list
from xshardy.dialects.stablehlo.types import UI32

__all__ = [
    "AllGatherDoneOp",
    "AllGatherStartOp",
    "AllReduceDoneOp",
    "AllReduceStartOp",
    "CollectivePermuteDoneOp",
    "CollectivePermuteStartOp",
    "CopyDoneOp",
    "CopyStartOp",
    "RecvDoneOp",
    "RecvOp",
    "SendDoneOp",
    "SendOp",
]

COUNTER = TensorType(UI32, [])
"""`u32[]`, the context state of the operations that have one."""


class OwnStartOp(StartOp):
    """Start an operation of one of the types `WRAPS`; `CONTEXTS` is its allowed context state."""

    WRAPS: ClassVar[tuple[type[Operation], ...]]
    CONTEXTS: ClassVar[tuple[tuple[Attribute, ...], ...]] = ((),)

    def verify_(self) -> None:
        super().verify_()
        contexts = bundle_type(self.bundle).contexts
        if contexts not in self.CONTEXTS:
            expected = " or ".join(type_list(choice) or "none" for choice in self.CONTEXTS)
            raise VerifyException(
                f"The {self.opcode} expects the context state {expected}, found {type_list(contexts) or 'none'}"
            )

    def verify_wrapped(self, function: func.FuncOp, wrapped: Operation) -> None:
        if not isinstance(wrapped, self.WRAPS):
            raise VerifyException(
                f"The {self.opcode} expects @{function.sym_name.data} to hold a '{self.WRAPS[0].name}', found "
                f"'{wrapped.name}': start another operation with hlo.async_start"
            )


@irdl_op_definition
class CopyStartOp(OwnStartOp):
    """Start to copy a tensor, perhaps into another memory space."""

    CONSUMERS: ClassVar = ("hlo.copy_done",)
    WRAPS: ClassVar = (CopyOp,)
    CONTEXTS: ClassVar = ((COUNTER,),)

    name = "hlo.copy_start"


@irdl_op_definition
class CopyDoneOp(DoneOp):
    """Wait for a copy."""

    PRODUCERS: ClassVar = ("hlo.copy_start",)

    name = "hlo.copy_done"


@irdl_op_definition
class AllReduceStartOp(OwnStartOp):
    """Start to reduce tensors over the devices of a group. Its shape in HLO text is the outputs alone."""

    CONSUMERS: ClassVar = ("hlo.all_reduce_done",)
    WRAPS: ClassVar = (stablehlo.AllReduceOp, AllReduceOp)

    name = "hlo.all_reduce_start"


@irdl_op_definition
class AllReduceDoneOp(DoneOp):
    """Wait for an all-reduce."""

    PRODUCERS: ClassVar = ("hlo.all_reduce_start",)

    name = "hlo.all_reduce_done"


@irdl_op_definition
class AllGatherStartOp(OwnStartOp):
    """Start to collect the tensors of the devices of a group."""

    CONSUMERS: ClassVar = ("hlo.all_gather_done",)
    WRAPS: ClassVar = (stablehlo.AllGatherOp, AllGatherOp)

    name = "hlo.all_gather_start"


@irdl_op_definition
class AllGatherDoneOp(DoneOp):
    """Wait for an all-gather."""

    PRODUCERS: ClassVar = ("hlo.all_gather_start",)

    name = "hlo.all_gather_done"


@irdl_op_definition
class CollectivePermuteStartOp(OwnStartOp):
    """Start to send a tensor to another device, and to receive that of a third. Older text has two contexts."""

    CONSUMERS: ClassVar = ("hlo.collective_permute_done",)
    WRAPS: ClassVar = (stablehlo.CollectivePermuteOp, CollectivePermuteOp)
    CONTEXTS: ClassVar = ((), (COUNTER, COUNTER))

    name = "hlo.collective_permute_start"


@irdl_op_definition
class CollectivePermuteDoneOp(DoneOp):
    """Wait for a collective-permute."""

    PRODUCERS: ClassVar = ("hlo.collective_permute_start",)

    name = "hlo.collective_permute_done"


@irdl_op_definition
class SendOp(OwnStartOp):
    """Start to send a tensor to the host or to another device; the last operand, and the only output, is a token."""

    CONSUMERS: ClassVar = ("hlo.send_done",)
    WRAPS: ClassVar = (stablehlo.SendOp,)
    CONTEXTS: ClassVar = ((COUNTER,),)

    name = "hlo.send"


@irdl_op_definition
class SendDoneOp(DoneOp):
    """Wait until a tensor has been sent."""

    PRODUCERS: ClassVar = ("hlo.send",)

    name = "hlo.send_done"


@irdl_op_definition
class RecvOp(OwnStartOp):
    """Start to receive a tensor from the host or from another device; the operand, and the last output, is a token."""

    CONSUMERS: ClassVar = ("hlo.recv_done",)
    WRAPS: ClassVar = (stablehlo.RecvOp,)
    CONTEXTS: ClassVar = ((COUNTER,),)

    name = "hlo.recv"


@irdl_op_definition
class RecvDoneOp(DoneOp):
    """Wait for a tensor; the results are the tensor and a token."""

    PRODUCERS: ClassVar = ("hlo.recv",)

    name = "hlo.recv_done"


OWN_STARTS: Mapping[type[Operation], type[OwnStartOp]] = {
    wrapped: start
    for start in (CopyStartOp, AllReduceStartOp, AllGatherStartOp, CollectivePermuteStartOp, SendOp, RecvOp)
    for wrapped in start.WRAPS
}
"""The starts of operations that `hlo.async_start` may not wrap."""

OWN_DONES: Mapping[type[StartOp], type[DoneOp]] = {
    CopyStartOp: CopyDoneOp,
    AllReduceStartOp: AllReduceDoneOp,
    AllGatherStartOp: AllGatherDoneOp,
    CollectivePermuteStartOp: CollectivePermuteDoneOp,
    SendOp: SendDoneOp,
    RecvOp: RecvDoneOp,
}
"""The dones of these starts."""
