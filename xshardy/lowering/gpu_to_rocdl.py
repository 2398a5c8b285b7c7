"""`gpu` to the rocdl dialect, for AMD's GPUs: thread and block ids, barriers, shuffles."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import gpu, llvm
from xdsl.dialects.builtin import IntegerAttr, i1, i32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import rocdl
from xshardy.dialects.extensions.gpu import ShuffleMode, ShuffleOp
from xshardy.dialects.extensions.llvm import SelectOp
from xshardy.dialects.extensions.llvm_memory import AtomicOrdering, FenceOp
from xshardy.dialects.xla_gpu import PdlLaunchDependentsOp, PdlWaitOp
from xshardy.dialects.xla_gpu.discardable import constant_value
from xshardy.gpus.targets import AMD_TARGETS, GpuTarget
from xshardy.lowering.arith_to_llvm import compare
from xshardy.lowering.conversion import (
    ConversionPass,
    ConversionPattern,
    Operands,
    Refuse,
    integer_constant,
)
from xshardy.lowering.gpu_to_nvvm import ReadRegister, Registers, require_word, with_type
from xshardy.lowering.types import LLVMTypes

REGISTERS: Mapping[type[Operation], Registers] = {
    gpu.BlockIdOp: {"x": rocdl.WorkgroupIdXOp, "y": rocdl.WorkgroupIdYOp, "z": rocdl.WorkgroupIdZOp},
    gpu.ThreadIdOp: {"x": rocdl.WorkitemIdXOp, "y": rocdl.WorkitemIdYOp, "z": rocdl.WorkitemIdZOp},
}

REFUSED: Mapping[type[Operation], str] = {
    gpu.BlockDimOp: "AMD's GPUs have no register for it: use the constant of `gpu.known_block_size`",
    gpu.GridDimOp: "AMD's GPUs have no register for it: use the constant of `gpu.known_grid_size`",
    **dict.fromkeys((PdlLaunchDependentsOp, PdlWaitOp), "kernels of AMD's GPUs do not overlap: leave it out"),
}
"""What has no row, and why."""


def lane_number(wave: int, rewriter: PatternRewriter) -> SSAValue:
    """The number of this lane in a wave of 32 or 64: how many lanes are below it."""
    zero, all_lanes = (rewriter.insert(integer_constant(number, i32)).result for number in (0, -1))
    low = rewriter.insert(rocdl.CountLowLanesOp(all_lanes, zero)).res
    return low if wave == 32 else rewriter.insert(rocdl.CountHighLanesOp(all_lanes, low)).res


@dataclass(frozen=True)
class LowerLaneNumber(ConversionPattern[gpu.LaneIdOp]):
    """`gpu.lane_id` -> `rocdl.mbcnt.lo`, and `rocdl.mbcnt.hi` in waves of 64."""

    wave: int

    def convert(self, op: gpu.LaneIdOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation | SSAValue:
        return with_type(lane_number(self.wave, rewriter), self.result_type(op))


class LowerWorkgroupBarrier(ConversionPattern[gpu.BarrierOp]):
    """`gpu.barrier` -> `rocdl.s.barrier`, between fences for the accesses of the block before and after it."""

    def convert(self, op: gpu.BarrierOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        rewriter.insert(FenceOp(AtomicOrdering.RELEASE, SCOPE_OF_BLOCK))
        rewriter.insert(rocdl.BarrierOp())
        return FenceOp(AtomicOrdering.ACQUIRE, SCOPE_OF_BLOCK)


SCOPE_OF_BLOCK = "workgroup"

# --- shuffles ---------------------------------------------------------------------------------------------------------

QUAD, ROW, HALF_WAVE = 4, 16, 32
"""Lanes that exchange words by a permutation of four lanes, by a modifier for rows, and by `ds_swizzle`."""
SHIFT_ROW, ROTATE_ROW, EXCHANGE_ROW = 0x100, 0x120, 0x160
"""Controls of `rocdl.update.dpp`, plus a distance: to lower lanes by it, around the end by it, and xor with it."""


def exchanged(word: SSAValue, distance: int, gpu: GpuTarget, rewriter: PatternRewriter) -> Operation | None:
    """
    `word` of the lane at the constant xor `distance`, without a computed address; None if only an address can say it.

    Source: AMD's ISA documents, "DPP" and "DS_SWIZZLE_B32".
    """
    if distance < QUAD:
        return rocdl.MoveLanesOp(word, sum((lane ^ distance) << 2 * lane for lane in range(QUAD)))
    if distance < ROW and gpu.exchanges_rows:
        return rocdl.MoveLanesOp(word, EXCHANGE_ROW + distance)
    if distance == ROW // 2:  # half a row further, around its end
        return rocdl.MoveLanesOp(word, ROTATE_ROW + distance)
    return _swizzled(word, distance, rewriter) if distance < HALF_WAVE else None


def _swizzled(word: SSAValue, distance: int, rewriter: PatternRewriter) -> Operation:
    mask = rewriter.insert(integer_constant(distance << 10 | HALF_WAVE - 1, i32)).result
    return rocdl.SwizzleLanesOp(word, mask)


def moved_down(word: SSAValue, distance: int, width: int, rewriter: PatternRewriter) -> Operation | None:
    """
    `word` of the lane at `distance` above, in groups of `width`, without a computed address; None if that cannot be.

    A lane without a source gets 0, or another word. Source: as of `exchanged`.
    """
    if width == ROW and 0 < distance < ROW:
        return rocdl.MoveLanesOp(word, SHIFT_ROW + distance)
    if width == HALF_WAVE == 2 * distance:
        return _swizzled(word, distance, rewriter)
    return None


SOURCES: Mapping[ShuffleMode, Callable[[SSAValue, SSAValue, SSAValue], Operation]] = {
    ShuffleMode.Xor: lambda lane, offset, base: llvm.XOrOp(lane, offset),
    ShuffleMode.Up: lambda lane, offset, base: llvm.SubOp(lane, offset),
    ShuffleMode.Down: lambda lane, offset, base: llvm.AddOp(lane, offset),
    ShuffleMode.Idx: lambda lane, offset, base: llvm.AddOp(base, offset),
}
"""The lane that `lane` reads from, for an offset and the first lane of its group."""


@dataclass(frozen=True)
class LowerWaveShuffle(ConversionPattern[ShuffleOp]):
    """
    `%r, %valid = gpu.shuffle down %x, %offset, %width` -> `rocdl.ds_bpermute` from `lane + offset`, or from the lane
    itself if that is not in its group of `width` lanes.

    For a constant xor in a whole wave, `rocdl.update.dpp` or `rocdl.ds_swizzle`, which need no lane number; also for a
    constant distance in groups of 16 or 32 lanes, if `%valid` is not used: `%r` of an invalid lane is any word then.
    """

    gpu: GpuTarget

    def convert(self, op: ShuffleOp, operands: Operands, rewriter: PatternRewriter, /) -> Sequence[SSAValue]:
        value, offset, width = operands
        require_word(value)
        word = value if value.type == i32 else rewriter.insert(llvm.BitcastOp(value, i32)).result
        moved, valid = self._exchanged(op, word, rewriter) or self._permuted(op, word, offset, width, rewriter)
        if value.type != i32:
            moved = rewriter.insert(llvm.BitcastOp(moved, value.type)).result
        return moved, valid

    def _exchanged(self, op: ShuffleOp, word: SSAValue, rewriter: PatternRewriter) -> tuple[SSAValue, SSAValue] | None:
        """The word and its validity for a constant distance in a group of constant width; None for anything else."""
        distance, width, wave = _constant(op.offset), _constant(op.width), self.gpu.device.threads_per_warp
        if distance is None or width is None or not 0 <= distance < wave:
            return None
        move = None
        if op.mode.data is ShuffleMode.Xor and width == wave:
            move = exchanged(word, distance, self.gpu, rewriter)
        elif op.mode.data is ShuffleMode.Down and op.valid.first_use is None:
            move = moved_down(word, distance, width, rewriter)
        if move is None:
            return None
        valid = rewriter.insert(integer_constant(1, i1)).result
        return rewriter.insert(move).results[0], valid

    def _permuted(
        self, op: ShuffleOp, word: SSAValue, offset: SSAValue, width: SSAValue, rewriter: PatternRewriter
    ) -> tuple[SSAValue, SSAValue]:
        zero, two = (rewriter.insert(integer_constant(number, i32)).result for number in (0, 2))
        lane = lane_number(self.gpu.device.threads_per_warp, rewriter)
        group_mask = rewriter.insert(llvm.SubOp(zero, width)).res
        base = rewriter.insert(llvm.AndOp(lane, group_mask)).res
        end = rewriter.insert(llvm.AddOp(base, width)).res
        (source,) = rewriter.insert(SOURCES[op.mode.data](lane, offset, base)).results
        not_before = rewriter.insert(compare("sge", source, base)).res
        not_after = rewriter.insert(compare("slt", source, end)).res
        valid = rewriter.insert(llvm.AndOp(not_before, not_after)).res
        (read,) = rewriter.insert(SelectOp(valid, source, lane)).results
        address = rewriter.insert(llvm.ShlOp(read, two)).res
        return rewriter.insert(rocdl.PermuteLanesOp(address, word)).res, valid


def _constant(value: SSAValue) -> int | None:
    """A constant of arith, or of the llvm dialect that it has become."""
    if isinstance(value.owner, llvm.ConstantOp) and isinstance(value.owner.value, IntegerAttr):
        return value.owner.value.value.data
    return constant_value(value)


@dataclass(frozen=True)
class ConvertGpuToROCDLPass(ConversionPass):
    """Lower thread and block ids, barriers and shuffles to the rocdl dialect, for the AMD GPU `chipset`."""

    name = "convert-gpu-to-rocdl"
    source: ClassVar[str] = "`convert-gpu-to-rocdl` of MLIR; AMD's ISA documents for exchanges of lanes"
    chipset: str = "gfx942"

    def __post_init__(self) -> None:
        if self.chipset not in AMD_TARGETS:
            raise ValueError(f"unknown chipset '{self.chipset}': expected one of {', '.join(AMD_TARGETS)}")

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        gpu = AMD_TARGETS[self.chipset]
        return (
            *(ReadRegister(types, op, names) for op, names in REGISTERS.items()),
            *(Refuse(types, op, reason) for op, reason in REFUSED.items()),
            LowerLaneNumber(types, gpu.device.threads_per_warp),
            LowerWorkgroupBarrier(types),
            LowerWaveShuffle(types, gpu),
        )
