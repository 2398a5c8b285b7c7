"""
Collectives.

Each is an operation of StableHLO if possible, otherwise the general form of `hlo`: for tuples without a StableHLO
counterpart, and for groups that are empty or omit devices.
"""

from collections.abc import Callable, Mapping
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntAttr, StringAttr, UnitAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.dense_elements import Dense
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.hlo_text.codecs import ONE_INTEGER, PAIRS, Fields, integer, matrix, rows_of
from xshardy.hlo_text.fields import read_raw
from xshardy.hlo_text.forms.reductions import applied
from xshardy.hlo_text.groups import Groups, groups_of, write_groups
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import (
    Content,
    Form,
    Opcode,
    Part,
    Regions,
    build_plain,
    described,
    plain,
    prop,
    row,
    write_plain_fields,
)
from xshardy.hlo_text.shapes import ArrayShape, TupleShape

GROUPS = "hlo.replica_groups"
"""The groups as written, if they are not lists."""
DEVICE_TO_DEVICE = 1


def replica_groups(instruction: Instruction) -> Groups:
    """The groups of the instruction. Raises `HLOError` if they are invalid."""
    try:
        return groups_of(instruction.fields.get("replica_groups", "{}"))
    except ValueError as error:
        raise instruction.error(f"replica_groups: {error}") from None


def read_channel(instruction: Instruction, content: Content) -> None:
    """`channel_id=1`"""
    if (number := instruction.fields.get("channel_id")) is not None:
        content.properties["channel_handle"] = ChannelHandleAttr(IntAttr(number), IntAttr(DEVICE_TO_DEVICE))


def channel_field(op: Operation, regions: Regions) -> Fields:
    """The inverse of `read_channel`."""
    handle = op.properties.get("channel_handle")
    return {"channel_id": handle.handle.data} if isinstance(handle, ChannelHandleAttr) else {}


def read_groups(instruction: Instruction, content: Content) -> None:
    """`replica_groups={{0,1}}`; an attribute keeps any other notation."""
    content.properties["replica_groups"] = matrix(replica_groups(instruction))
    text = instruction.fields.get("replica_groups", "{}")
    if not text.startswith("{"):
        content.attributes[GROUPS] = StringAttr(text)


def groups_field(op: Operation, regions: Regions) -> Fields:
    """The inverse of `read_groups`."""
    groups = op.properties.get("replica_groups")
    if not isinstance(groups, DenseIntOrFPElementsAttr):
        return {}
    return {"replica_groups": groups_text(op, rows_of(cast(Dense, groups)))}


def flag(key: str) -> Part:
    """`use_global_device_ids=true`, which is there if it is true."""

    def read(instruction: Instruction, content: Content) -> None:
        if instruction.fields.get(key):
            content.properties[key] = UnitAttr()

    return Part("", key, read, lambda op, regions: {key: True} if key in op.properties else {})


CHANNEL = Part("", "channel_id", read_channel, channel_field)
IN_GROUPS = (CHANNEL, Part("", "replica_groups", read_groups, groups_field))
COMMON = (*IN_GROUPS, flag("use_global_device_ids"))


def groups_text(op: Operation, groups: Groups) -> str:
    """`groups` as written, unless they were changed."""
    written = op.attributes.get(GROUPS)
    if isinstance(written, StringAttr) and groups_of(written.data) == groups:
        return written.data
    return write_groups(groups)


def is_flat(instruction: Instruction) -> bool:
    """Whether operands and result are arrays, or the result is a tuple of arrays."""
    shape = instruction.shape
    arrays = shape.elements if isinstance(shape, TupleShape) else (shape,)
    return all(isinstance(array, ArrayShape) for array in arrays) and len(arrays) == len(instruction.operands)


def has_one_dimension(instruction: Instruction) -> bool:
    """Whether `dimensions` names one of a tensor."""
    return is_flat(instruction) and len(instruction.fields.get("dimensions", ())) == 1


def is_single(instruction: Instruction) -> bool:
    """Whether there is one operand, and the result is an array."""
    return len(instruction.operands) == 1 and isinstance(instruction.shape, ArrayShape)


def is_divided(instruction: Instruction) -> bool:
    """Whether one tensor is divided along one dimension among groups that are given."""
    has_groups = bool(replica_groups(instruction))
    return has_groups and has_one_dimension(instruction) and len(instruction.operands) == 1


def read_split(instruction: Instruction, content: Content) -> None:
    """`dimensions={0}`: splits and concatenates one dimension."""
    dimension = ONE_INTEGER.encode(instruction.fields["dimensions"])
    count = len(replica_groups(instruction)[0])
    content.properties |= {
        "split_dimension": dimension,
        "concat_dimension": dimension,
        "split_count": integer(count),
    }


def moves_between_dimensions(op: stablehlo.AllToAllOp) -> bool:
    """Whether `op` concatenates another dimension than it splits. HLO text splits and concatenates one."""
    return op.split_dimension != op.concat_dimension


def split_field(op: stablehlo.AllToAllOp, regions: Regions) -> Fields:
    """The inverse of `read_split`."""
    return {"dimensions": ONE_INTEGER.decode(op.split_dimension)}


def collective(
    specific: Opcode,
    fits: Callable[[Instruction], bool],
    general: type[Operation],
    optional: str = "",
) -> Opcode:
    """
    A row for an opcode that is the operation of `specific` if the instruction `fits` and that is valid, else `general`.

    `optional` are attributes that `general` has besides those of `specific`.
    """

    def build(instruction: Instruction) -> Operation:
        if fits(instruction):
            op = specific.build(instruction)
            try:
                op.verify(verify_nested_ops=False)
                return op
            except VerifyException:
                op.erase()
        return build_plain(general, instruction)

    return row(
        build,
        None,
        " ".join(specific.required),
        " ".join((*specific.optional, optional)),
        extras="constrain_layout",
        forms=[*specific.forms, Form(general, write_plain_fields)],
        readers={"slice_sizes": read_raw},
    )


ROWS: Mapping[str, Opcode] = {
    "all-gather": collective(
        described(stablehlo.AllGatherOp, None, *COMMON, prop("dimensions", ONE_INTEGER, "all_gather_dim")),
        has_one_dimension,
        hlo.AllGatherOp,
    ),
    "all-reduce": collective(described(stablehlo.AllReduceOp, None, *COMMON, applied()), is_flat, hlo.AllReduceOp),
    "all-to-all": collective(
        described(
            stablehlo.AllToAllOp,
            None,
            *IN_GROUPS,
            Part("", "dimensions", read_split, split_field),
            needs_rewrite=moves_between_dimensions,
        ),
        is_divided,
        hlo.AllToAllOp,
        "use_global_device_ids",
    ),
    "collective-broadcast": collective(
        described(stablehlo.CollectiveBroadcastOp, None, *COMMON, flag("has_dynamic_root")),
        is_flat,
        hlo.CollectiveBroadcastOp,
    ),
    "collective-permute": collective(
        described(stablehlo.CollectivePermuteOp, None, CHANNEL, prop("source_target_pairs", PAIRS)),
        lambda instruction: is_single(instruction) and "slice_sizes" not in instruction.fields,
        hlo.CollectivePermuteOp,
        "slice_sizes",
    ),
    "partition-id": described(stablehlo.PartitionIdOp, 0),
    "ragged-all-to-all": plain(hlo.RaggedAllToAllOp, 6, "", "replica_groups channel_id use_global_device_ids"),
    "reduce-scatter": collective(
        described(
            stablehlo.ReduceScatterOp, None, *COMMON, prop("dimensions", ONE_INTEGER, "scatter_dimension"), applied()
        ),
        lambda instruction: is_single(instruction) and has_one_dimension(instruction),
        hlo.ReduceScatterOp,
    ),
    "replica-id": described(stablehlo.ReplicaIdOp, 0),
}
