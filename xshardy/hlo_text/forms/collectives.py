"""
Collectives.

Each is an operation of StableHLO if possible, otherwise the general form of `hlo`: for tuples without a StableHLO
counterpart, and for groups that are empty or omit devices.
"""

from collections.abc import Callable, Mapping
from typing import cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.dense_elements import Dense
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.hlo_text.codecs import ONE_INTEGER, PAIRS, Fields, integer, matrix, rows_of
from xshardy.hlo_text.fields import read_raw
from xshardy.hlo_text.forms.reductions import applied, applied_name, region_of
from xshardy.hlo_text.groups import Groups, groups_of, write_groups
from xshardy.hlo_text.instruction import Instruction
from xshardy.hlo_text.opcode import (
    Form,
    Opcode,
    Regions,
    build_plain,
    plain,
    row,
    same,
    write_plain_fields,
)
from xshardy.hlo_text.shapes import ArrayShape, TupleShape

GROUPS = "hlo.replica_groups"
"""The groups as written, if they are not lists."""
DEVICE_TO_DEVICE = 1
COMMON = "replica_groups channel_id use_global_device_ids"


def replica_groups(instruction: Instruction) -> Groups:
    """The groups of the instruction. Raises `HLOError` if they are invalid."""
    try:
        return groups_of(instruction.fields.get("replica_groups", "{}"))
    except ValueError as error:
        raise instruction.error(f"replica_groups: {error}") from None


def common_properties(instruction: Instruction) -> dict[str, Attribute]:
    """Groups and channel."""
    fields = instruction.fields
    properties: dict[str, Attribute] = {"replica_groups": matrix(replica_groups(instruction))}
    if "channel_id" in fields:
        properties["channel_handle"] = ChannelHandleAttr(IntAttr(fields["channel_id"]), IntAttr(DEVICE_TO_DEVICE))
    if fields.get("use_global_device_ids"):
        properties["use_global_device_ids"] = UnitAttr()
    return properties


def common_attributes(instruction: Instruction) -> dict[str, Attribute]:
    """The attributes that keep the notation of the groups."""
    text = instruction.fields.get("replica_groups", "{}")
    return {} if text.startswith("{") else {GROUPS: StringAttr(text)}


def common_fields(op: Operation) -> Fields:
    """The inverse of `common_properties`."""
    fields: Fields = {}
    handle = op.properties.get("channel_handle")
    if isinstance(handle, ChannelHandleAttr):
        fields["channel_id"] = handle.handle.data
    groups = op.properties.get("replica_groups")
    if isinstance(groups, DenseIntOrFPElementsAttr):
        fields["replica_groups"] = groups_text(op, rows_of(cast(Dense, groups)))
    if "use_global_device_ids" in op.properties:
        fields["use_global_device_ids"] = True
    return fields


def groups_text(op: Operation, groups: Groups) -> str:
    """`groups` as written, unless they were changed."""
    written = op.attributes.get(GROUPS)
    if isinstance(written, StringAttr) and groups_of(written.data) == groups:
        return written.data
    return write_groups(groups)


def fitting(specific: Callable[[Instruction], Operation | None], general: type[Operation]) -> Callable[..., Operation]:
    """A builder that uses `specific` if its result is valid, otherwise the operation `general`."""

    def build(instruction: Instruction) -> Operation:
        if (op := specific(instruction)) is not None:
            try:
                op.verify(verify_nested_ops=False)
                return op
            except VerifyException:
                op.erase()
        return build_plain(general, instruction)

    return build


def is_flat(instruction: Instruction) -> bool:
    """Whether operands and result are arrays, or the result is a tuple of arrays."""
    shape = instruction.shape
    arrays = shape.elements if isinstance(shape, TupleShape) else (shape,)
    return all(isinstance(array, ArrayShape) for array in arrays) and len(arrays) == len(instruction.operands)


def all_reduce(instruction: Instruction) -> Operation | None:
    """`all-reduce(x, y), replica_groups={{0,1}}, to_apply=add`"""
    if not is_flat(instruction):
        return None
    return stablehlo.AllReduceOp.create(
        operands=instruction.values,
        result_types=instruction.result_types,
        properties=common_properties(instruction),
        attributes=applied(instruction) | common_attributes(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )


def all_reduce_fields(op: stablehlo.AllReduceOp, regions: Regions) -> Fields:
    """The inverse of `all_reduce`."""
    return common_fields(op) | {"to_apply": applied_name(op, op.computation, regions)}


def one_dimension(instruction: Instruction) -> Attribute | None:
    """The dimension of `dimensions={0}`; None unless there is exactly one."""
    dimensions = instruction.fields.get("dimensions", ())
    return ONE_INTEGER.encode(dimensions) if len(dimensions) == 1 else None


def all_gather(instruction: Instruction) -> Operation | None:
    """`all-gather(x), replica_groups={{0,1}}, dimensions={0}`"""
    dimension = one_dimension(instruction)
    if dimension is None or not is_flat(instruction):
        return None
    return stablehlo.AllGatherOp.create(
        operands=instruction.values,
        result_types=instruction.result_types,
        properties={"all_gather_dim": dimension, **common_properties(instruction)},
        attributes=common_attributes(instruction),
    )


def all_gather_fields(op: stablehlo.AllGatherOp, regions: Regions) -> Fields:
    """The inverse of `all_gather`."""
    return common_fields(op) | {"dimensions": ONE_INTEGER.decode(op.all_gather_dim)}


def reduce_scatter(instruction: Instruction) -> Operation | None:
    """`reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add`"""
    dimension = one_dimension(instruction)
    if dimension is None or len(instruction.operands) != 1 or not isinstance(instruction.shape, ArrayShape):
        return None
    return stablehlo.ReduceScatterOp.create(
        operands=instruction.values,
        result_types=[instruction.result_type],
        properties={"scatter_dimension": dimension, **common_properties(instruction)},
        attributes=applied(instruction) | common_attributes(instruction),
        regions=[region_of(instruction.function("to_apply"))],
    )


def reduce_scatter_fields(op: stablehlo.ReduceScatterOp, regions: Regions) -> Fields:
    """The inverse of `reduce_scatter`."""
    dimensions = ONE_INTEGER.decode(op.scatter_dimension)
    return common_fields(op) | {"dimensions": dimensions, "to_apply": applied_name(op, op.computation, regions)}


def all_to_all(instruction: Instruction) -> Operation | None:
    """`all-to-all(x), replica_groups={{0,1}}, dimensions={0}`: splits and concatenates one dimension."""
    dimension = one_dimension(instruction)
    groups = replica_groups(instruction)
    if dimension is None or not groups or not is_flat(instruction) or len(instruction.operands) != 1:
        return None
    properties = common_properties(instruction)
    properties.pop("use_global_device_ids", None)
    return stablehlo.AllToAllOp.create(
        operands=instruction.values,
        result_types=instruction.result_types,
        properties={
            "split_dimension": dimension,
            "concat_dimension": dimension,
            "split_count": integer(len(groups[0])),
            **properties,
        },
        attributes=common_attributes(instruction),
    )


def moves_between_dimensions(op: stablehlo.AllToAllOp) -> bool:
    """Whether `op` concatenates another dimension than it splits. HLO text splits and concatenates one."""
    return op.split_dimension != op.concat_dimension


def all_to_all_fields(op: stablehlo.AllToAllOp, regions: Regions) -> Fields:
    """The inverse of `all_to_all`."""
    return common_fields(op) | {"dimensions": ONE_INTEGER.decode(op.split_dimension)}


def collective_broadcast(instruction: Instruction) -> Operation | None:
    """`collective-broadcast(x), replica_groups={{0,1}}`"""
    if not is_flat(instruction):
        return None
    properties = common_properties(instruction)
    if instruction.fields.get("has_dynamic_root"):
        properties["has_dynamic_root"] = UnitAttr()
    return stablehlo.CollectiveBroadcastOp.create(
        operands=instruction.values,
        result_types=instruction.result_types,
        properties=properties,
        attributes=common_attributes(instruction),
    )


def collective_broadcast_fields(op: stablehlo.CollectiveBroadcastOp, regions: Regions) -> Fields:
    """The inverse of `collective_broadcast`."""
    return common_fields(op) | ({"has_dynamic_root": True} if op.has_dynamic_root is not None else {})


def collective_permute(instruction: Instruction) -> Operation | None:
    """`collective-permute(x), source_target_pairs={{0,1},{1,0}}`"""
    fields = instruction.fields
    if "slice_sizes" in fields or len(instruction.operands) != 1 or not isinstance(instruction.shape, ArrayShape):
        return None
    properties: dict[str, Attribute] = {"source_target_pairs": PAIRS.encode(fields["source_target_pairs"])}
    if "channel_id" in fields:
        properties["channel_handle"] = ChannelHandleAttr(IntAttr(fields["channel_id"]), IntAttr(DEVICE_TO_DEVICE))
    return instruction.create(stablehlo.CollectivePermuteOp, **properties)


def collective_permute_fields(op: stablehlo.CollectivePermuteOp, regions: Regions) -> Fields:
    """The inverse of `collective_permute`."""
    return common_fields(op) | {"source_target_pairs": rows_of(op.source_target_pairs)}


def collective(
    specific: Callable[[Instruction], Operation | None],
    form: Form,
    general: type[Operation],
    required: str = "",
    optional: str = COMMON,
) -> Opcode:
    """A row for an opcode that is the operation of `form`, or `general`."""
    forms = [form, Form(general, write_plain_fields)]
    readers = {"slice_sizes": read_raw} if "slice_sizes" in optional else {}
    return row(
        fitting(specific, general), None, required, optional, extras="constrain_layout", forms=forms, readers=readers
    )


ROWS: Mapping[str, Opcode] = {
    "all-gather": collective(all_gather, Form(stablehlo.AllGatherOp, all_gather_fields), hlo.AllGatherOp, "dimensions"),
    "all-reduce": collective(all_reduce, Form(stablehlo.AllReduceOp, all_reduce_fields), hlo.AllReduceOp, "to_apply"),
    "all-to-all": collective(
        all_to_all,
        Form(stablehlo.AllToAllOp, all_to_all_fields, needs_rewrite=moves_between_dimensions),
        hlo.AllToAllOp,
        "",
        f"{COMMON} dimensions",
    ),
    "collective-broadcast": collective(
        collective_broadcast,
        Form(stablehlo.CollectiveBroadcastOp, collective_broadcast_fields),
        hlo.CollectiveBroadcastOp,
        "",
        f"{COMMON} has_dynamic_root",
    ),
    "collective-permute": collective(
        collective_permute,
        Form(stablehlo.CollectivePermuteOp, collective_permute_fields),
        hlo.CollectivePermuteOp,
        "source_target_pairs",
        "channel_id slice_sizes",
    ),
    "partition-id": same(stablehlo.PartitionIdOp, 0),
    "ragged-all-to-all": plain(hlo.RaggedAllToAllOp, 6, "", COMMON),
    "reduce-scatter": collective(
        reduce_scatter,
        Form(stablehlo.ReduceScatterOp, reduce_scatter_fields),
        hlo.ReduceScatterOp,
        "to_apply dimensions",
    ),
    "replica-id": same(stablehlo.ReplicaIdOp, 0),
}
