"""`gpu` and `xla_gpu` to the nvvm dialect: thread and block ids, barriers, shuffles, waits for earlier kernels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import gpu, llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i1, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.affine.interval import Interval
from xshardy.dialects import nvvm
from xshardy.dialects.extensions.gpu import ShuffleMode, ShuffleOp
from xshardy.dialects.extensions.llvm import ConstantRangeAttr
from xshardy.dialects.xla_gpu import PdlLaunchDependentsOp, PdlWaitOp
from xshardy.dialects.xla_gpu.discardable import get_range
from xshardy.gpus.sizes import WARP_SIZE
from xshardy.lowering.conversion import ConversionPass, ConversionPattern, Operands, RowPattern, integer_constant
from xshardy.lowering.types import LLVMTypes

Registers = Mapping[str, type[nvvm.SpecialRegisterOp]]

REGISTERS: Mapping[type[Operation], Registers] = {
    gpu.BlockDimOp: {"x": nvvm.BlockDimXOp, "y": nvvm.BlockDimYOp, "z": nvvm.BlockDimZOp},
    gpu.BlockIdOp: {"x": nvvm.BlockIdXOp, "y": nvvm.BlockIdYOp, "z": nvvm.BlockIdZOp},
    gpu.GridDimOp: {"x": nvvm.GridDimXOp, "y": nvvm.GridDimYOp, "z": nvvm.GridDimZOp},
    gpu.ThreadIdOp: {"x": nvvm.ThreadIdXOp, "y": nvvm.ThreadIdYOp, "z": nvvm.ThreadIdZOp},
}


@dataclass(frozen=True)
class ReadRegister(RowPattern):
    """`gpu.thread_id x` -> `nvvm.read.ptx.sreg.tid.x`, or `rocdl.workitem.id.x`."""

    registers: Registers

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation | SSAValue:
        dimension = op.properties["dimension"]
        assert isinstance(dimension, gpu.DimensionAttr)
        register = rewriter.insert(self.registers[dimension.data](_bounds(get_range(op))))
        return with_type(register.res, self.result_type(op))


class LowerLaneId(ConversionPattern[gpu.LaneIdOp]):
    """`gpu.lane_id` -> `nvvm.read.ptx.sreg.laneid range <i32, 0, 32>`."""

    def convert(self, op: gpu.LaneIdOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation | SSAValue:
        register = rewriter.insert(nvvm.LaneIdOp(_bounds(get_range(op) or Interval.of_size(WARP_SIZE))))
        return with_type(register.res, self.result_type(op))


def _bounds(interval: Interval | None) -> ConstantRangeAttr | None:
    """The values of a register as an attribute, whose upper bound is excluded."""
    return None if interval is None else ConstantRangeAttr(interval.lower, interval.upper + 1)


def with_type(value: SSAValue, type: Attribute) -> Operation | SSAValue:
    """A register, which has 32 bits, as an integer of `type`."""
    assert isa(type, IntegerType)
    if type == i32:
        return value
    return llvm.ZExtOp(value, type) if type.width.data > i32.width.data else llvm.TruncOp(value, type)


class LowerBarrier(ConversionPattern[gpu.BarrierOp]):
    """`gpu.barrier` -> `nvvm.barrier0`."""

    def convert(self, op: gpu.BarrierOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        return nvvm.Barrier0Op()


class LowerPdl(ConversionPattern[PdlWaitOp | PdlLaunchDependentsOp]):
    """`xla_gpu.pdl_wait` -> `nvvm.griddepcontrol wait`; `pdl_launch_dependents` -> `launch_dependents`."""

    def convert(
        self, op: PdlWaitOp | PdlLaunchDependentsOp, operands: Operands, rewriter: PatternRewriter, /
    ) -> Operation:
        kinds = nvvm.GridDependency
        return nvvm.GridDependencyOp(kinds.WAIT if isinstance(op, PdlWaitOp) else kinds.LAUNCH_DEPENDENTS)


SHUFFLE_KINDS: Mapping[ShuffleMode, nvvm.ShuffleKind] = {
    ShuffleMode.Xor: nvvm.ShuffleKind.BFLY,
    ShuffleMode.Up: nvvm.ShuffleKind.UP,
    ShuffleMode.Down: nvvm.ShuffleKind.DOWN,
    ShuffleMode.Idx: nvvm.ShuffleKind.IDX,
}


class LowerWarpShuffle(ConversionPattern[ShuffleOp]):
    """
    `%r, %valid = gpu.shuffle xor %x, %offset, %width` -> `nvvm.shfl.sync bfly`.

    The lanes below `width` take part. PTX's last operand is the last lane that may be read; for `up`, the first.
    """

    def convert(self, op: ShuffleOp, operands: Operands, rewriter: PatternRewriter, /) -> Sequence[SSAValue]:
        value, offset, width = operands
        require_word(value)
        lanes, ones = (rewriter.insert(integer_constant(number, i32)).result for number in (WARP_SIZE, -1))
        inactive = rewriter.insert(llvm.SubOp(lanes, width)).res
        active = rewriter.insert(llvm.LShrOp(ones, inactive)).res
        mode = op.mode.data
        clamp = inactive if mode == ShuffleMode.Up else _last_lane(width, rewriter)
        shuffle = nvvm.ShuffleOp(SHUFFLE_KINDS[mode], active, value, offset, clamp, with_validity=True)
        (pair,) = rewriter.insert(shuffle).results
        first, second = (DenseArrayBase.from_list(i64, [i]) for i in range(2))
        result = rewriter.insert(llvm.ExtractValueOp(first, pair, value.type))
        return result.res, rewriter.insert(llvm.ExtractValueOp(second, pair, i1)).res


def require_word(value: SSAValue) -> None:
    """Raise `PassFailedException` if `value`, which is shuffled, does not have 32 bits."""
    if (size := getattr(value.type, "bitwidth", None)) != 32:
        raise PassFailedException(f"a shuffle moves 32 bits, not the {size} of {value.type}: widen it, or move parts")


def _last_lane(width: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    """The last of `width` lanes."""
    one = rewriter.insert(integer_constant(1, i32)).result
    return rewriter.insert(llvm.SubOp(width, one)).res


class ConvertGpuToNVVMPass(ConversionPass):
    """Lower thread and block ids, barriers, shuffles and waits for earlier kernels to the nvvm dialect."""

    name = "convert-gpu-to-nvvm"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37), `convert-gpu-ops-to-nvvm` of MLIR'

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        registers = (ReadRegister(types, op, names) for op, names in REGISTERS.items())
        return *registers, LowerLaneId(types), LowerBarrier(types), LowerPdl(types), LowerWarpShuffle(types)


class LowerPdlWaitPass(ConversionPass):
    """Lower waits for earlier kernels, and launches of later ones, to the nvvm dialect."""

    name = "xla-gpu-lower-pdl-wait"
    source: ClassVar[str] = "XLA:GPU emitters, the pass of the same name"

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        return (LowerPdl(types),)
