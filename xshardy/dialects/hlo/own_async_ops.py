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

To add one, write its pair, name both in `__all__` and give it a row of `OWN_DONES` and `OWN_STARTS`. When HLO drops its
opcodes, remove them: `hlo.async_start` then wraps it.
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


def own_pair(
    start: str,
    summary: str,
    wraps: tuple[type[Operation], ...],
    contexts: tuple[tuple[Attribute, ...], ...] = ((),),
) -> tuple[type[OwnStartOp], type[DoneOp]]:
    """The start `hlo.START` of operations of the types `wraps`, and its done."""
    done = f"{start.removesuffix('_start')}_done"

    @irdl_op_definition
    class Start(OwnStartOp):
        CONSUMERS: ClassVar = (f"hlo.{done}",)
        WRAPS: ClassVar = wraps
        CONTEXTS: ClassVar = contexts
        name = f"hlo.{start}"

    @irdl_op_definition
    class Done(DoneOp):
        PRODUCERS: ClassVar = (f"hlo.{start}",)
        name = f"hlo.{done}"

    for op, name in ((Start, start), (Done, done)):
        op.__name__ = op.__qualname__ = f"{name.title().replace('_', '')}Op"
    Start.__doc__, Done.__doc__ = summary, f"Wait for what `hlo.{start}` started; the results are its outputs."
    return Start, Done


CopyStartOp, CopyDoneOp = own_pair(
    "copy_start", "Start to copy a tensor, perhaps into another memory space.", (CopyOp,), ((COUNTER,),)
)
AllReduceStartOp, AllReduceDoneOp = own_pair(
    "all_reduce_start",
    "Start to reduce tensors over the devices of a group. Its shape in HLO text is the outputs alone.",
    (stablehlo.AllReduceOp, AllReduceOp),
)
AllGatherStartOp, AllGatherDoneOp = own_pair(
    "all_gather_start",
    "Start to collect the tensors of the devices of a group.",
    (stablehlo.AllGatherOp, AllGatherOp),
)
CollectivePermuteStartOp, CollectivePermuteDoneOp = own_pair(
    "collective_permute_start",
    "Start to send a tensor to another device, and to receive that of a third. Older text has two contexts.",
    (stablehlo.CollectivePermuteOp, CollectivePermuteOp),
    ((), (COUNTER, COUNTER)),
)
SendOp, SendDoneOp = own_pair(
    "send",
    "Start to send a tensor to the host or to another device; the last operand, and the only output, is a token.",
    (stablehlo.SendOp,),
    ((COUNTER,),),
)
RecvOp, RecvDoneOp = own_pair(
    "recv",
    "Start to receive a tensor from the host or from another device; the operand, and the last output, is a token.",
    (stablehlo.RecvOp,),
    ((COUNTER,),),
)

OWN_DONES: Mapping[type[StartOp], type[DoneOp]] = {
    CopyStartOp: CopyDoneOp,
    AllReduceStartOp: AllReduceDoneOp,
    AllGatherStartOp: AllGatherDoneOp,
    CollectivePermuteStartOp: CollectivePermuteDoneOp,
    SendOp: SendDoneOp,
    RecvOp: RecvDoneOp,
}
"""The starts with opcodes of their own, and their dones."""

OWN_STARTS: Mapping[type[Operation], type[OwnStartOp]] = {
    wrapped: start
    for start in (CopyStartOp, AllReduceStartOp, AllGatherStartOp, CollectivePermuteStartOp, SendOp, RecvOp)
    for wrapped in start.WRAPS
}
"""The starts of operations that `hlo.async_start` may not wrap."""
