"""`gpu` to the nvvm dialect: thread and block ids, barriers, shuffles."""

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects import gpu, llvm
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp, i1, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.affine.interval import Interval
from xshardy.dialects import nvvm
from xshardy.dialects.extensions.gpu import ShuffleMode, ShuffleOp
from xshardy.dialects.extensions.llvm import ConstantRangeAttr
from xshardy.dialects.xla_gpu.discardable import get_range
from xshardy.lowering.conversion import Rule, Site, convert

Registers = Mapping[str, type[nvvm.SpecialRegisterOp]]

WARP_SIZE = 32

THREAD_ID: Registers = {"x": nvvm.ThreadIdXOp, "y": nvvm.ThreadIdYOp, "z": nvvm.ThreadIdZOp}
BLOCK_ID: Registers = {"x": nvvm.BlockIdXOp, "y": nvvm.BlockIdYOp, "z": nvvm.BlockIdZOp}
BLOCK_DIM: Registers = {"x": nvvm.BlockDimXOp, "y": nvvm.BlockDimYOp, "z": nvvm.BlockDimZOp}
GRID_DIM: Registers = {"x": nvvm.GridDimXOp, "y": nvvm.GridDimYOp, "z": nvvm.GridDimZOp}


def read_register(at: Site, register: type[nvvm.SpecialRegisterOp], known: Interval | None = None) -> SSAValue:
    """
    The value of `register`, as wide as `index`.

    Its range is what an `xla.range` says, or else `known`.
    """
    interval = get_range(at.op) or known
    bounds = None if interval is None else ConstantRangeAttr(interval.lower, interval.upper + 1)
    value = at.insert(register(bounds))
    type = at.result_type
    assert isa(type, IntegerType)
    if type.width.data > i32.width.data:
        return at.insert(llvm.ZExtOp(value, type))
    return value if type == i32 else at.insert(llvm.TruncOp(value, type))


def by_dimension(registers: Registers) -> Rule:
    """`gpu.thread_id x` -> `nvvm.read.ptx.sreg.tid.x`."""

    def rule(at: Site) -> SSAValue:
        dimension = at.op.properties["dimension"]
        assert isinstance(dimension, gpu.DimensionAttr)
        return read_register(at, registers[dimension.data])

    return rule


def lower_lane_id(at: Site) -> SSAValue:
    """`gpu.lane_id` -> `nvvm.read.ptx.sreg.laneid range <i32, 0, 32>`."""
    return read_register(at, nvvm.LaneIdOp, Interval.of_size(WARP_SIZE))


def lower_barrier(at: Site) -> None:
    """`gpu.barrier` -> `nvvm.barrier0`."""
    at.place(nvvm.Barrier0Op())


SHUFFLE_KINDS: Mapping[ShuffleMode, nvvm.ShuffleKind] = {
    ShuffleMode.Xor: nvvm.ShuffleKind.BFLY,
    ShuffleMode.Up: nvvm.ShuffleKind.UP,
    ShuffleMode.Down: nvvm.ShuffleKind.DOWN,
    ShuffleMode.Idx: nvvm.ShuffleKind.IDX,
}


def lower_shuffle(at: Site) -> tuple[SSAValue, SSAValue]:
    """
    `%r, %valid = gpu.shuffle xor %x, %offset, %width` -> `nvvm.shfl.sync bfly`.

    The lanes up to `width` take part. PTX's last operand is the last lane that may be read; for `up`, the first.
    """
    op = at.op
    assert isinstance(op, ShuffleOp)
    value, offset, width = at.operands
    if (size := getattr(value.type, "bitwidth", None)) != 32:
        raise PassFailedException(f"a shuffle moves 32 bits, not the {size} of {value.type}: widen it, or move parts")
    thirty_two, ones = at.constant(WARP_SIZE, i32), at.constant(-1, i32)
    inactive = at.insert(llvm.SubOp(thirty_two, width))
    active = at.insert(llvm.LShrOp(ones, inactive))
    mode = op.mode.data
    clamp = inactive if mode == ShuffleMode.Up else at.insert(llvm.SubOp(width, at.constant(1, i32)))
    shuffle = nvvm.ShuffleOp(SHUFFLE_KINDS[mode], active, value, offset, clamp, with_validity=True)
    pair = at.insert(shuffle)
    first, second = (DenseArrayBase.from_list(i64, [i]) for i in range(2))
    result = at.insert(llvm.ExtractValueOp(first, pair, value.type))
    return result, at.insert(llvm.ExtractValueOp(second, pair, i1))


RULES: Mapping[type[Operation], Rule] = {
    gpu.BarrierOp: lower_barrier,
    gpu.BlockDimOp: by_dimension(BLOCK_DIM),
    gpu.BlockIdOp: by_dimension(BLOCK_ID),
    gpu.GridDimOp: by_dimension(GRID_DIM),
    gpu.LaneIdOp: lower_lane_id,
    gpu.ThreadIdOp: by_dimension(THREAD_ID),
    ShuffleOp: lower_shuffle,
}


class ConvertGpuToNVVMPass(ModulePass):
    """Lower thread and block ids, barriers and shuffles to the nvvm dialect."""

    name = "convert-gpu-to-nvvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op, RULES)
