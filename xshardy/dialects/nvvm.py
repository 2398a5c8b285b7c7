"""
The `nvvm` dialect: what PTX has and LLVM IR does not, as far as the kernels of the emitters need it.

Each operation is one NVVM intrinsic. On a function, `nvvm.kernel` marks a kernel and `nvvm.reqntid` its block size;
on a module, `nvvm.target` states the GPU that it is lowered for.
Source: MLIR's NVVM dialect, whose syntax this is.
"""

from abc import ABC
from collections.abc import Sequence
from enum import auto

from xdsl.dialects.builtin import I32, AnyFloat, StringAttr, UnitAttr, i1, i32
from xdsl.dialects.llvm import LLVMStructType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    param_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.extensions.llvm import ConstantRangeAttr
from xshardy.dialects.listing import dialect_of

KERNEL = "nvvm.kernel"
"""Unit attribute of an `llvm.func`: the host launches it."""

REQUIRED_BLOCK_SIZE = "nvvm.reqntid"
"""Attribute of an `llvm.func`, `array<i32: x, y, z>`: the threads of each of its blocks."""

SHARED_MEMORY = 3
"""The address space of the memory that the threads of a block share."""


class ChipAttr(ParametrizedAttribute, ABC):
    """`<chip = "sm_90">`: a GPU. Of the parameters that MLIR's attribute has, only `chip` is supported."""

    chip: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            parser.parse_keyword("chip")
            parser.parse_punctuation("=")
            return (StringAttr(parser.parse_str_literal(' for the architecture, as in `chip = "sm_90"`')),)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("chip = ")
            printer.print_string_literal(self.chip.data)


@irdl_attr_definition
class TargetAttr(ChipAttr):
    """`#nvvm.target<chip = "sm_90">`. As an attribute of a module: the GPU that it is lowered for."""

    name = "nvvm.target"
    chip: StringAttr = param_def(converter=StringAttr.get)


class SpecialRegisterOp(IRDLOperation, ABC):
    """Read a special register. `range`, if there, holds every value that it can have."""

    range = opt_prop_def(ConstantRangeAttr)
    res = result_def(I32)
    traits = traits_def(Pure())
    assembly_format = "(`range` $range^)? attr-dict `:` type($res)"

    def __init__(self, range: ConstantRangeAttr | None = None):
        super().__init__(properties={"range": range}, result_types=[i32])


@irdl_op_definition
class ThreadIdXOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.tid.x"


@irdl_op_definition
class ThreadIdYOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.tid.y"


@irdl_op_definition
class ThreadIdZOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.tid.z"


@irdl_op_definition
class BlockDimXOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.ntid.x"


@irdl_op_definition
class BlockDimYOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.ntid.y"


@irdl_op_definition
class BlockDimZOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.ntid.z"


@irdl_op_definition
class BlockIdXOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.ctaid.x"


@irdl_op_definition
class BlockIdYOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.ctaid.y"


@irdl_op_definition
class BlockIdZOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.ctaid.z"


@irdl_op_definition
class GridDimXOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.nctaid.x"


@irdl_op_definition
class GridDimYOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.nctaid.y"


@irdl_op_definition
class GridDimZOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.nctaid.z"


@irdl_op_definition
class LaneIdOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.laneid"


@irdl_op_definition
class WarpSizeOp(SpecialRegisterOp):
    name = "nvvm.read.ptx.sreg.warpsize"


@irdl_op_definition
class Barrier0Op(IRDLOperation):
    """Wait for all threads of the block."""

    name = "nvvm.barrier0"

    assembly_format = "attr-dict"


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """`nvvm.barrier0` under the name that newer versions of MLIR write. Its form with operands is not supported."""

    name = "nvvm.barrier"

    assembly_format = "attr-dict"


@irdl_op_definition
class SyncWarpOp(IRDLOperation):
    """Wait for the threads of the warp that are in the mask."""

    name = "nvvm.bar.warp.sync"

    mask = operand_def(I32)
    assembly_format = "$mask attr-dict `:` type($mask)"


class ShuffleKind(StrEnum):
    """Which lane a lane reads from: lane xor offset, lane - offset, lane + offset, or the one given."""

    BFLY = auto()
    UP = auto()
    DOWN = auto()
    IDX = auto()


@irdl_attr_definition
class ShuffleKindAttr(EnumAttribute[ShuffleKind], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.shfl_kind"


@irdl_op_definition
class ShuffleOp(IRDLOperation):
    """
    Read `val` of another lane of the warp.

    With `return_value_and_is_valid` the result is a struct of the value and whether the lane was in bounds.
    """

    name = "nvvm.shfl.sync"

    thread_mask = operand_def(I32)
    val = operand_def()
    offset = operand_def(I32)
    mask_and_clamp = operand_def(I32)
    kind = prop_def(ShuffleKindAttr)
    return_value_and_is_valid = opt_prop_def(UnitAttr)
    res = result_def()
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$kind $thread_mask `,` $val `,` $offset `,` $mask_and_clamp attr-dict `:` type($val) `->` type($res)"
    )

    def __init__(
        self,
        kind: ShuffleKind,
        thread_mask: SSAValue | Operation,
        val: SSAValue | Operation,
        offset: SSAValue | Operation,
        mask_and_clamp: SSAValue | Operation,
        *,
        with_validity: bool = False,
    ):
        type = SSAValue.get(val).type
        super().__init__(
            operands=[thread_mask, val, offset, mask_and_clamp],
            properties={
                "kind": ShuffleKindAttr(kind),
                "return_value_and_is_valid": UnitAttr() if with_validity else None,
            },
            result_types=[LLVMStructType.from_type_list([type, i1]) if with_validity else type],
        )

    def verify_(self) -> None:
        if self.val.type != i32 and not (isinstance(self.val.type, AnyFloat) and self.val.type.bitwidth == 32):
            raise VerifyException(f"a shuffle moves 32 bits: expected i32 or f32, not {self.val.type}")


class ReduxKind(StrEnum):
    """How the lanes of a warp are combined."""

    ADD = auto()
    AND = auto()
    OR = auto()
    XOR = auto()
    MAX = auto()
    MIN = auto()
    UMAX = auto()
    UMIN = auto()


@irdl_attr_definition
class ReduxKindAttr(EnumAttribute[ReduxKind], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.redux_kind"


@irdl_op_definition
class ReduxOp(IRDLOperation):
    """Combine an integer over the lanes in the mask; every lane gets the result. From sm_80 on."""

    name = "nvvm.redux.sync"

    val = operand_def(I32)
    kind = prop_def(ReduxKindAttr)
    mask_and_clamp = operand_def(I32)
    res = result_def(I32)
    assembly_format = "$kind $val `,` $mask_and_clamp attr-dict `:` type($val) `->` type($res)"


class GridDependency(StrEnum):
    """Wait for the kernel that was launched before, or let the one that is launched next start."""

    WAIT = "wait"
    LAUNCH_DEPENDENTS = "launch_dependents"


@irdl_attr_definition
class GridDependencyAttr(EnumAttribute[GridDependency], SpacedOpaqueSyntaxAttribute):
    name = "nvvm.grid_dep_action"


@irdl_op_definition
class GridDependencyOp(IRDLOperation):
    """Control the overlap of kernels that depend on each other: `nvvm.griddepcontrol wait`. From sm_90 on."""

    name = "nvvm.griddepcontrol"

    kind = prop_def(GridDependencyAttr)
    assembly_format = "$kind attr-dict"

    def __init__(self, kind: GridDependency):
        super().__init__(properties={"kind": GridDependencyAttr(kind)})


NVVM = dialect_of("nvvm", globals())
