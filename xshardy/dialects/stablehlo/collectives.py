"""Collectives: each device contributes its operand, and the results depend on all operands."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.control_flow import types_of
from xshardy.dialects.stablehlo.inference import (
    InfersResultTypes,
    bounded,
    with_element_type,
)
from xshardy.dialects.stablehlo.reduction import verify_reducer
from xshardy.dialects.stablehlo.replica_groups import (
    MeshOfGroupsExists,
    ReplicaGroups,
    integer_table,
    verify_replica_groups,
)
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.dialects.stablehlo.types import (
    I32_TENSOR,
    TENSOR,
    U32_TENSOR,
    UI32,
    bounds_of,
    is_compatible,
    is_compatible_dim,
    is_compatible_element,
    tensor_type,
)

__all__ = [
    "AllGatherOp",
    "AllReduceOp",
    "AllToAllOp",
    "CollectiveBroadcastOp",
    "CollectivePermuteOp",
    "CollectiveReduceOp",
    "CrossReplicaSumOp",
    "PartitionIdOp",
    "ReduceScatterOp",
    "ReplicaIdOp",
]


class CollectiveOp(IRDLOperation):
    """A collective between the devices of each group in `replica_groups`, over `channel_handle`."""

    replica_groups = prop_def(ReplicaGroups)
    channel_handle = opt_prop_def(ChannelHandleAttr)
    traits = traits_def(MeshOfGroupsExists())

    @property
    def channel_id(self) -> int:
        """The number of the channel, 0 if there is none."""
        return self.channel_handle.handle.data if self.channel_handle is not None else 0


def verify_global_ids(op: CollectiveOp, has_global_ids: bool) -> None:
    """Global device ids need a channel."""
    if has_global_ids and op.channel_id <= 0:
        raise VerifyException(f"channel_id must be positive when useGlobalDeviceIds is set but got: {op.channel_id}")


def verify_pairs_of_elements(op: CollectiveOp) -> None:
    """Check that there is a result for each operand, with the same element type."""
    if len(op.operands) != len(op.results):
        raise VerifyException("requires the same number of operands and results")
    for i, (operand, result) in enumerate(zip(op.operands, op.results, strict=True)):
        if not is_compatible_element(tensor_type(operand).element_type, tensor_type(result).element_type):
            raise VerifyException(f"requires the same element type for operand and result at index {i}")


def accumulator_of(block: Block, operand: SSAValue) -> Attribute:
    """The element type in which `block` reduces the elements of `operand`."""
    type = tensor_type(operand)
    returned = verify_reducer(block, [type], [TensorType(type.element_type, [])], [])
    return tensor_type(returned[0]).element_type


@irdl_op_definition
class AllGatherOp(CollectiveOp):
    """The operands of all devices of the group, one after the other along `all_gather_dim`."""

    name = "stablehlo.all_gather"
    operands_ = var_operand_def(TENSOR)
    all_gather_dim = prop_def(IntegerAtLeast("all_gather_dim"))
    use_global_device_ids = opt_prop_def(UnitAttr)
    outputs = var_result_def(TENSOR)

    def __init__(
        self,
        operands: Sequence[SSAValue],
        all_gather_dim: int,
        replica_groups: ReplicaGroups,
        result_types: Sequence[Attribute],
        channel_handle: ChannelHandleAttr | None = None,
        use_global_device_ids: bool = False,
    ):
        super().__init__(
            operands=[operands],
            result_types=[result_types],
            properties={
                "all_gather_dim": IntegerAttr(all_gather_dim, i64),
                "replica_groups": replica_groups,
                "channel_handle": channel_handle,
                "use_global_device_ids": UnitAttr() if use_global_device_ids else None,
            },
        )

    def verify_(self) -> None:
        verify_pairs_of_elements(self)
        has_global_ids = self.use_global_device_ids is not None
        verify_replica_groups(self.replica_groups, of_one_size=True, has_global_ids=has_global_ids)
        if has_global_ids and self.channel_id < 0:
            raise VerifyException("channel_id cannot be negative when useGlobalDeviceIds is set")
        dimension = self.all_gather_dim.value.data
        for operand, result in zip(self.operands, self.results, strict=True):
            verify_gathered(tensor_type(operand), tensor_type(result), dimension)


def verify_gathered(operand: TensorType[Attribute], result: TensorType[Attribute], dimension: int) -> None:
    """`result` is several `operand`s along `dimension`."""
    before, after = operand.get_shape(), result.get_shape()
    if dimension >= len(before):
        raise VerifyException("all_gather_dim must be a valid index of operand")
    if before[dimension] == 0:
        raise VerifyException("dimension size of operand at 'all_gather_dim' cannot be zero")
    if len(before) != len(after):
        raise VerifyException("operand and result must have the same rank")
    for i, (size, result_size) in enumerate(zip(before, after, strict=True)):
        if i != dimension and not is_compatible_dim(size, result_size):
            raise VerifyException(
                "operand and result should have the same shape except for the dimension size at 'all_gather_dim'"
            )
    if DYNAMIC_INDEX not in (before[dimension], after[dimension]) and after[dimension] % before[dimension]:
        raise VerifyException(
            f"result gather dimension has size {after[dimension]}, expected to be a multiple of operand gather "
            f"dimension size {before[dimension]}"
        )


class ReducingCollectiveOp(CollectiveOp, InfersResultTypes):
    """Combines the operands of the devices of a group, element by element, with `computation`."""

    operands_ = var_operand_def(TENSOR)
    use_global_device_ids = opt_prop_def(UnitAttr)
    computation = region_def("single_block")
    outputs = var_result_def(TENSOR)

    def __init__(
        self,
        operands: Sequence[SSAValue],
        replica_groups: ReplicaGroups,
        computation: Region,
        channel_handle: ChannelHandleAttr | None = None,
        use_global_device_ids: bool = False,
    ):
        super().__init__(
            operands=[operands],
            result_types=[types_of(operands)],
            regions=[computation],
            properties={
                "replica_groups": replica_groups,
                "channel_handle": channel_handle,
                "use_global_device_ids": UnitAttr() if use_global_device_ids else None,
            },
        )

    def reduced(self) -> Sequence[SSAValue]:
        """The operands that are combined."""
        return self.operands

    def infer_result_types(self) -> Sequence[Attribute]:
        has_global_ids = self.use_global_device_ids is not None
        verify_replica_groups(self.replica_groups, of_one_size=False, has_global_ids=has_global_ids)
        verify_global_ids(self, has_global_ids)
        block = self.computation.block
        return [with_element_type(operand, accumulator_of(block, operand)) for operand in self.reduced()]


@irdl_op_definition
class AllReduceOp(ReducingCollectiveOp):
    """The combined operands, on every device of the group."""

    name = "stablehlo.all_reduce"


def without_root(op: "CollectiveBroadcastOp | CollectiveReduceOp") -> Sequence[SSAValue]:
    """The operands but the last one if that says, for each of the others, which device of the group is the root."""
    name = op.name.partition(".")[2]
    if op.has_dynamic_root is None:
        if not op.operands:
            raise VerifyException(f"{name} requires at least one data operand")
        return op.operands
    if len(op.operands) < 2:
        raise VerifyException(f"{name} with has_dynamic_root=true requires at least two operands (data + root)")
    *data, root = op.operands
    if not I32_TENSOR.of_rank(1).verifies(root.type):
        raise VerifyException(
            f"last operand of {name} with has_dynamic_root=true must be a rank-1 i32 tensor, but got '{root.type}'"
        )
    (size,) = tensor_type(root).get_shape()
    if size != len(data):
        raise VerifyException(
            f"last operand of {name} with has_dynamic_root=true must have the same number of elements as data operands "
            f"({len(data)}), but got {size}"
        )
    return data


@irdl_op_definition
class CollectiveReduceOp(ReducingCollectiveOp):
    """The combined operands, on one device of the group: the first, or the one that a dynamic root names."""

    name = "stablehlo.collective_reduce"
    has_dynamic_root = opt_prop_def(UnitAttr)

    def reduced(self) -> Sequence[SSAValue]:
        return without_root(self)


@irdl_op_definition
class ReduceScatterOp(CollectiveOp):
    """The combined operands, split along `scatter_dimension`: each device of the group has a part."""

    name = "stablehlo.reduce_scatter"
    operand = operand_def(TENSOR)
    scatter_dimension = prop_def(IntegerAtLeast("scatter_dimension"))
    use_global_device_ids = opt_prop_def(UnitAttr)
    computation = region_def("single_block")
    result = result_def(TENSOR)

    def __init__(
        self,
        operand: SSAValue,
        scatter_dimension: int,
        replica_groups: ReplicaGroups,
        computation: Region,
        result_type: Attribute,
        channel_handle: ChannelHandleAttr | None = None,
        use_global_device_ids: bool = False,
    ):
        super().__init__(
            operands=[operand],
            result_types=[result_type],
            regions=[computation],
            properties={
                "scatter_dimension": IntegerAttr(scatter_dimension, i64),
                "replica_groups": replica_groups,
                "channel_handle": channel_handle,
                "use_global_device_ids": UnitAttr() if use_global_device_ids else None,
            },
        )

    def verify_(self) -> None:
        has_global_ids = self.use_global_device_ids is not None
        verify_replica_groups(self.replica_groups, of_one_size=True, has_global_ids=has_global_ids)
        accumulator = accumulator_of(self.computation.block, self.operand)
        shape, result_shape = tensor_type(self.operand).get_shape(), tensor_type(self.result).get_shape()
        dimension = self.scatter_dimension.value.data
        if len(shape) != len(result_shape):
            raise VerifyException("operand and result should have same rank")
        if dimension >= len(shape):
            raise VerifyException("scatter dim should be less than operand/result rank")
        verify_global_ids(self, has_global_ids)
        size, result_size = shape[dimension], result_shape[dimension]
        if DYNAMIC_INDEX in (size, result_size):
            return
        for name, value in (("result", result_size), ("operand", size)):
            if value == 0:
                raise VerifyException(f"{name} dimension size at scatter_dimension cannot be zero")
        if size % result_size:
            raise VerifyException(
                f"operand scatter dimension has size {size}, expected to be a multiple of result scatter dimension "
                f"size {result_size}"
            )
        for i, (before, after) in enumerate(zip(shape, result_shape, strict=True)):
            if i != dimension and not is_compatible_dim(before, after):
                raise VerifyException(
                    f"non scatter dimensions should be same for operand ({before}) and result ({after})"
                )
        if accumulator != (element := tensor_type(self.result).element_type):
            raise VerifyException(f"result element-type is expected to be '{accumulator}', but got '{element}'")


@irdl_op_definition
class AllToAllOp(CollectiveOp, InfersResultTypes):
    """Each device splits its operand along one dimension, and gets a part of every other's, along another."""

    name = "stablehlo.all_to_all"
    operands_ = var_operand_def(TENSOR)
    split_dimension = prop_def(IntegerAtLeast("split_dimension"))
    concat_dimension = prop_def(IntegerAtLeast("concat_dimension"))
    split_count = prop_def(IntegerAtLeast("split_count", 1))
    outputs = var_result_def(TENSOR)

    def __init__(
        self,
        operands: Sequence[SSAValue],
        split_dimension: int,
        concat_dimension: int,
        split_count: int,
        replica_groups: ReplicaGroups,
        channel_handle: ChannelHandleAttr | None = None,
    ):
        types = [exchanged(operand, split_dimension, concat_dimension, split_count) for operand in operands]
        super().__init__(
            operands=[operands],
            result_types=[types],
            properties={
                "split_dimension": IntegerAttr(split_dimension, i64),
                "concat_dimension": IntegerAttr(concat_dimension, i64),
                "split_count": IntegerAttr(split_count, i64),
                "replica_groups": replica_groups,
                "channel_handle": channel_handle,
            },
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        count = self.split_count.value.data
        verify_replica_groups(self.replica_groups, of_one_size=True, expected_size=count)
        split, concat = self.split_dimension.value.data, self.concat_dimension.value.data
        return [exchanged(operand, split, concat, count) for operand in self.operands]

    def verify_(self) -> None:
        verify_pairs_of_elements(self)
        super().verify_()


def exchanged(operand: SSAValue, split: int, concat: int, count: int) -> TensorType[Attribute]:
    """The type of `count` pieces, which `operand` has along dimension `split`, put together along `concat`."""
    type = tensor_type(operand)
    shape, bounds = list(type.get_shape()), list(bounds_of(type))
    for name, dimension in (("split", split), ("concat", concat)):
        if dimension >= len(shape):
            raise VerifyException(f"AllToAll {name}_dimension {dimension} is out-of-bounds for input rank {len(shape)}")
    if shape[split] != DYNAMIC_INDEX and shape[split] % count:
        raise VerifyException(
            f"split dimension has size {shape[split]}, expected to be a multiple of split_count {count}"
        )
    for sizes in (shape, bounds):
        if sizes[split] != DYNAMIC_INDEX:
            sizes[split] //= count
        if sizes[concat] != DYNAMIC_INDEX:
            sizes[concat] *= count
    return bounded(type.element_type, shape, bounds)


@irdl_op_definition
class CollectiveBroadcastOp(CollectiveOp, InfersResultTypes):
    """The operands of the first device of the group, or of the one that a dynamic root names, on all of them."""

    name = "stablehlo.collective_broadcast"
    operands_ = var_operand_def(TENSOR)
    has_dynamic_root = opt_prop_def(UnitAttr)
    outputs = var_result_def(TENSOR)

    def infer_result_types(self) -> Sequence[Attribute]:
        if isinstance(self.replica_groups, DenseIntOrFPElementsAttr):
            shape, ids = integer_table("replica_groups", self.replica_groups)
            if len(shape) != 2:
                raise VerifyException(
                    f"replica groups should be a rank 2 tensor,but instead it is of rank {len(shape)}"
                )
            seen: set[int] = set()
            for id in ids:
                if id < 0:
                    raise VerifyException(f"replica_groups values must be positive, but was given {id}")
                if id in seen:
                    raise VerifyException(f"replica id #{id} seen more than once")
                seen.add(id)
        return types_of(without_root(self))


@irdl_op_definition
class CollectivePermuteOp(InfersResultTypes):
    """The operand of another device: for each pair `[source, target]`, that of the source; zeros without a source."""

    name = "stablehlo.collective_permute"
    operand = operand_def(TENSOR)
    source_target_pairs = prop_def(DenseIntOrFPElementsAttr)
    channel_handle = opt_prop_def(ChannelHandleAttr)
    result = result_def(TENSOR)

    def __init__(
        self,
        operand: SSAValue,
        source_target_pairs: DenseIntOrFPElementsAttr,
        channel_handle: ChannelHandleAttr | None = None,
    ):
        super().__init__(
            operands=[operand],
            result_types=[operand.type],
            properties={"source_target_pairs": source_target_pairs, "channel_handle": channel_handle},
        )

    def infer_result_types(self) -> Sequence[Attribute]:
        verify_pairs(self.source_target_pairs)
        return [self.operand.type]


def verify_pairs(pairs: DenseIntOrFPElementsAttr) -> None:
    """Rows of source and target: a device is a source once at most, and a target once at most."""
    shape, ids = integer_table("source_target_pairs", pairs)
    if len(shape) != 2:
        raise VerifyException(f"expect source_target_pairs attribute to be of rank 2, but got rank {len(shape)}")
    if shape[1] != 2:
        raise VerifyException(
            f"expect source_target_pairs attribute of shape (N, 2), but got ({', '.join(map(str, shape))})"
        )
    if any(id < 0 for id in ids):
        raise VerifyException("replica ids in source_target_pairs must be >= 0.")
    for name, devices in (("sources", ids[::2]), ("targets", ids[1::2])):
        if len(set(devices)) != len(devices):
            raise VerifyException(f"duplicate {name} not allowed.")


@irdl_op_definition
class CrossReplicaSumOp(IRDLOperation):
    """The sum of the operands of a group, on each of its devices. Kept for older programs: see all_reduce."""

    name = "stablehlo.cross-replica-sum"
    operand = operand_def(TENSOR)
    replica_groups = prop_def(DenseIntOrFPElementsAttr)
    result = result_def(TENSOR)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        integer_table("replica_groups", self.replica_groups)
        if not is_compatible(self.operand.type, self.result.type):
            raise VerifyException("requires compatible types for all operands and results")


class DeviceNumberOp(InfersResultTypes):
    """The number of the device that executes this."""

    result = result_def(U32_TENSOR)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type(results)"

    def __init__(self):
        super().__init__(result_types=[TensorType(UI32, [])])

    def infer_result_types(self) -> Sequence[Attribute]:
        return [TensorType(UI32, [])]


@irdl_op_definition
class ReplicaIdOp(DeviceNumberOp):
    """The replica that this device belongs to."""

    name = "stablehlo.replica_id"


@irdl_op_definition
class PartitionIdOp(DeviceNumberOp):
    """The partition, within its replica, that this device computes."""

    name = "stablehlo.partition_id"
