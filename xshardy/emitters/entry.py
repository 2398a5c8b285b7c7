"""
The entry function of a kernel: its signature, its thread and block ids, and the use of its outputs.

Source: rows XGPU-21, XGPU-22, XGPU-30.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import gpu, scf, tensor
from xdsl.dialects.builtin import AnyTensorType, ArrayAttr, DictionaryAttr, IntegerAttr, UnitAttr, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xshardy.affine.indexing_map import Variable
from xshardy.affine.interval import Interval
from xshardy.dialects.xla_gpu.discardable import (
    INVARIANT,
    SLICE_INDEX,
    set_entry,
    set_launch_dimensions,
    set_range,
)
from xshardy.dialects.xla_gpu.ops import AtomicRMWOp, LoopOp, PredicatedInsertOp, SyncThreadsOp, YieldOp
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.launch_dimensions import LaunchDimensions
from xshardy.emitters.signatures import emitted_tensor_type

INPUT_ALIGNMENT = 16
"""The alignment in bytes that XLA assumes of buffers from outside of the module."""
OUTPUT_ALIGNMENT = 256
"""The alignment in bytes of XLA's allocator."""


@dataclass(frozen=True, eq=False)
class Entry:
    """An entry function without a body: its inputs and its output tensors."""

    function: FuncOp
    inputs: Sequence[SSAValue]
    outputs: Sequence[SSAValue]
    shared: frozenset[SSAValue]
    """The outputs that share the buffer of an input."""


def make_entry(
    name: str,
    parameters: Sequence[SSAValue],
    results: Sequence[SSAValue],
    launch: LaunchDimensions,
    aliases: Mapping[int, int] | None = None,
) -> Entry:
    """
    The entry function `(parameters..., results...) -> (results...)` for these parameters and results.

    Every argument is aligned and dereferenceable, and has a buffer of its own, except that result `i` shares the buffer
    of parameter `aliases[i]`. Buffers that are only read are invariant.
    """
    aliases = aliases or {}
    shared = frozenset(aliases.values())
    count = len(parameters)
    types = [emitted_tensor_type(value) for value in (*parameters, *results)]
    buffers = [*range(count), *(aliases.get(number, count + number) for number in range(len(results)))]
    attributes = [
        _buffer_attributes(buffer, type, is_output=position >= count, is_shared=buffer in shared)
        for position, (buffer, type) in enumerate(zip(buffers, types, strict=True))
    ]
    function = FuncOp(name, (types, types[count:]), arg_attrs=ArrayAttr(map(DictionaryAttr, attributes)))
    set_entry(function)
    set_launch_dimensions(function, launch.block_size, launch.grid_size)
    args = function.body.block.args
    outputs = args[count:]
    return Entry(function, args[:count], outputs, frozenset(outputs[number] for number in aliases))


def _buffer_attributes(buffer: int, type: AnyTensorType, is_output: bool, is_shared: bool) -> Mapping[str, Attribute]:
    """The argument attributes for this buffer; `is_shared` if another argument has it too."""
    is_own_output = is_output and not is_shared
    attributes: dict[str, Attribute] = {
        "llvm.align": IntegerAttr(OUTPUT_ALIGNMENT if is_own_output else INPUT_ALIGNMENT, i64),
        SLICE_INDEX: IntegerAttr(buffer, i64),
    }
    if not is_shared:
        attributes["llvm.noalias"] = UnitAttr()
    if size := size_in_bytes(type):
        attributes["llvm.dereferenceable"] = IntegerAttr(size, i64)
    if not is_output and not is_shared:
        attributes[INVARIANT] = UnitAttr()
    return attributes


def size_in_bytes(type: AnyTensorType) -> int:
    """
    The bytes of a tensor in memory.

    Elements of less than a byte are packed, except predicates, which take a byte each.
    """
    return -(-prod(type.get_shape()) * bits_in_memory(type) // 8)


def thread_id(s: Scalars, launch: LaunchDimensions) -> tuple[SSAValue, Variable]:
    """The thread index in its block, and its range as a variable of an indexing map."""
    return _id(s, gpu.ThreadIdOp, gpu.DimensionEnum.X, "th_x", launch.threads)


def block_ids(s: Scalars, launch: LaunchDimensions) -> list[tuple[SSAValue, Variable]]:
    """The block index along x, and along y if the grid has more than one block there."""
    x, y = launch.blocks
    ids = [_id(s, gpu.BlockIdOp, gpu.DimensionEnum.X, "bl_x", x)]
    return ids if y == 1 else [*ids, _id(s, gpu.BlockIdOp, gpu.DimensionEnum.Y, "bl_y", y)]


def group_id(s: Scalars, launch: LaunchDimensions) -> SSAValue:
    """The block index along z, which selects the group of results."""
    value, _ = _id(s, gpu.BlockIdOp, gpu.DimensionEnum.Z, "bl_z", launch.groups)
    return value


def _id(
    s: Scalars, make: type[gpu.ThreadIdOp | gpu.BlockIdOp], dimension: gpu.DimensionEnum, name: str, size: int
) -> tuple[SSAValue, Variable]:
    op = make(gpu.DimensionAttr(dimension))
    set_range(op, Interval.of_size(size))
    return s(op), Variable(name, Interval.of_size(size))


def verify_outputs(entry: Entry) -> None:
    """
    Check that output tensors are only updated, carried through loops and branches, and returned.

    An output that shares the buffer of a parameter may also be read. Raises `PassFailedException` naming the operation
    that breaks the rule.
    """
    for output in entry.outputs:
        _verify_output(entry, output, is_shared=output in entry.shared)


def _verify_output(entry: Entry, output: SSAValue, is_shared: bool) -> None:
    pending, seen = [output], set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            match use.operation:
                case tensor.InsertOp() | PredicatedInsertOp() as insert:
                    pending.append(insert.result)
                case AtomicRMWOp() as update:
                    pending.append(update.result)
                case tensor.ExtractOp() if is_shared:
                    pass
                case LoopOp() as loop:
                    position = use.index - len(loop.dims)
                    pending += [loop.iter_args[position], loop.results[position]]
                case scf.ForOp() as loop:
                    pending += [loop.body.block.args[use.index - 2], loop.results[use.index - 3]]
                case YieldOp() | scf.YieldOp() as end:
                    parent = end.parent_op()
                    assert parent is not None
                    pending.append(parent.results[use.index])
                case SyncThreadsOp() as sync:
                    pending.append(sync.results[use.index])
                case ReturnOp():
                    pass
                case op:
                    raise PassFailedException(
                        f"{op.name} uses an output of @{entry.function.sym_name.data}: outputs may only be updated "
                        "with tensor.insert and returned, since what they held before is undefined"
                    )
