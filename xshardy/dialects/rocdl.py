"""
The `rocdl` dialect: what AMD's GPUs have and LLVM IR does not, as far as the kernels of the emitters need it.

Each operation is one intrinsic `llvm.amdgcn.*`. On a function, `rocdl.kernel` marks a kernel and
`rocdl.reqd_work_group_size` its block size; on a module, `rocdl.target` states the GPU that it is lowered for.
Source: MLIR's ROCDL dialect, whose syntax this is.
"""

from abc import ABC

from xdsl.dialects.builtin import I1, I32, BoolAttr, IntegerAttr, StringAttr, i32
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    param_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from xshardy.dialects.listing import dialect_of
from xshardy.dialects.nvvm import ChipAttr, SpecialRegisterOp

KERNEL = "rocdl.kernel"
"""Unit attribute of an `llvm.func`: the host launches it."""

REQUIRED_BLOCK_SIZE = "rocdl.reqd_work_group_size"
"""Attribute of an `llvm.func`, `array<i32: x, y, z>`: the threads of each of its blocks."""

NO_FINE_GRAINED_MEMORY = "rocdl.no_fine_grained_memory"
"""Unit attribute of an `llvm.atomicrmw`: memory that the host and other GPUs do not access meanwhile."""

NO_REMOTE_MEMORY = "rocdl.no_remote_memory"
"""Unit attribute of an `llvm.atomicrmw`: memory of this GPU."""

IGNORE_DENORMAL_MODE = "rocdl.ignore_denormal_mode"
"""Unit attribute of an `llvm.atomicrmw` of a float: denormals may become 0."""

GLOBAL_MEMORY, PRIVATE_MEMORY = 1, 5
"""The address spaces of the memory of the GPU, and of that of a thread."""


@irdl_attr_definition
class TargetAttr(ChipAttr):
    """`#rocdl.target<chip = "gfx942">`. As an attribute of a module: the GPU that it is lowered for."""

    name = "rocdl.target"
    chip: StringAttr = param_def(converter=StringAttr.get)


@irdl_op_definition
class WorkitemIdXOp(SpecialRegisterOp):
    name = "rocdl.workitem.id.x"


@irdl_op_definition
class WorkitemIdYOp(SpecialRegisterOp):
    name = "rocdl.workitem.id.y"


@irdl_op_definition
class WorkitemIdZOp(SpecialRegisterOp):
    name = "rocdl.workitem.id.z"


@irdl_op_definition
class WorkgroupIdXOp(SpecialRegisterOp):
    name = "rocdl.workgroup.id.x"


@irdl_op_definition
class WorkgroupIdYOp(SpecialRegisterOp):
    name = "rocdl.workgroup.id.y"


@irdl_op_definition
class WorkgroupIdZOp(SpecialRegisterOp):
    name = "rocdl.workgroup.id.z"


class WordsOp(IRDLOperation, ABC):
    """A word from two."""

    lhs = operand_def(I32)
    rhs = operand_def(I32)
    res = result_def(I32)
    assembly_format = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($res)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[lhs, rhs], result_types=[i32])


@irdl_op_definition
class CountLowLanesOp(WordsOp):
    """The number of bits of the mask below the bit of this lane, among the first 32 lanes; added to the second word."""

    name = "rocdl.mbcnt.lo"
    traits = traits_def(Pure())


@irdl_op_definition
class CountHighLanesOp(WordsOp):
    """As `rocdl.mbcnt.lo`, among the last 32 lanes of a wave of 64."""

    name = "rocdl.mbcnt.hi"
    traits = traits_def(Pure())


@irdl_op_definition
class PermuteLanesOp(WordsOp):
    """The second word of the lane whose number, times 4, is the first word."""

    name = "rocdl.ds_bpermute"


@irdl_op_definition
class SwizzleLanesOp(WordsOp):
    """The first word of another of 32 lanes; the second word is a constant that says which."""

    name = "rocdl.ds_swizzle"


@irdl_op_definition
class MoveLanesOp(IRDLOperation):
    """
    `src` of another of 16 lanes, as `dppCtrl` says ("data parallel primitives"), or `old` where there is none.

    `rowMask` and `bankMask` are the rows and quarters of rows that take part. With `boundCtrl`, 0 takes the place of
    `old`.
    """

    name = "rocdl.update.dpp"

    old = operand_def(I32)
    src = operand_def(I32)
    dpp_ctrl = prop_def(IntegerAttr[I32], prop_name="dppCtrl")
    row_mask = prop_def(IntegerAttr[I32], prop_name="rowMask")
    bank_mask = prop_def(IntegerAttr[I32], prop_name="bankMask")
    bound_ctrl = prop_def(IntegerAttr[I1], prop_name="boundCtrl")
    res = result_def(I32)
    assembly_format = "attr-dict $old `,` $src `with` $dppCtrl `,` $rowMask `,` $bankMask `,` $boundCtrl `:` type($src)"

    def __init__(self, src: SSAValue, control: int):
        """All lanes take part, and each has a source."""
        numbers = {"dppCtrl": control, "rowMask": 0xF, "bankMask": 0xF}
        properties = {name: IntegerAttr(number, i32) for name, number in numbers.items()}
        super().__init__(
            operands=[src, src],
            properties={**properties, "boundCtrl": BoolAttr.from_bool(True)},
            result_types=[i32],
        )


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """Wait for all threads of the block; `llvm.fence`s around it order their accesses."""

    name = "rocdl.s.barrier"

    assembly_format = "attr-dict"


ROCDL = dialect_of("rocdl", globals())
