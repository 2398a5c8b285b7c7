"""One operation as the program of each device: moved to a module of its own, and partitioned there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import Reduction
from xshardy.dialects.sdy.ops import MeshOp, ReshardOp
from xshardy.dialects.sdy.value_shardings import SHARDING, common_mesh, enclosing_module, local_sharding
from xshardy.dialects.shapes import is_tensor, rank_of
from xshardy.ir.fields import set_type
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_export.drop_sharding_and_mesh import DropShardingAndMeshPass
from xshardy.transforms.sdy_export.insert_explicit_reshards import InsertExplicitReshardsPass
from xshardy.transforms.sdy_export.reshard_to_collectives import ReshardToCollectivesPass
from xshardy.transforms.sdy_partition.local.convert_global_to_local import ConvertGlobalToLocalPass
from xshardy.transforms.sdy_partition.pad.pad_for_divisibility import PadForDivisibilityPass
from xshardy.transforms.sdy_partition.pad.padded_tensors import padded_type
from xshardy.transforms.sdy_partition.resolve.resolve_permutation_factors import ResolvePermutationFactorsPass


class PadInstructionPass(PadForDivisibilityPass):
    """`sdy-pad-for-divisibility` of a function whose callers pad its arguments, and cut the padding off its results."""

    pads_functions = True


@dataclass(frozen=True, slots=True)
class Partitioner:
    """The passes that make the module of one operation local."""

    enable_halo_exchange: bool = True
    replica_count: int = 1
    partition_count: int = 1

    def passes(self, *, has_reductions: bool) -> Sequence[ModulePass]:
        """
        The passes, in upstream's order.

        With `has_reductions`, explicit reshards have been inserted already: the operation has its all-reduce.
        """
        counts = self.replica_count, self.partition_count
        return (
            ResolvePermutationFactorsPass(self.enable_halo_exchange, *counts),
            *(() if has_reductions else (InsertExplicitReshardsPass(enable_full_version=True),)),
            ReshardToCollectivesPass(),
            PadInstructionPass(),
            ConvertGlobalToLocalPass(replica_count=self.replica_count, partition_count=self.partition_count),
            DropShardingAndMeshPass(),
        )


def is_movable(op: Operation) -> bool:
    """Whether `op` can be in a module of its own: it calls no function, and its regions read its own values only."""
    inside = [inner for region in op.regions for inner in region.walk()]
    return not any(isinstance(each, CallOp) for each in (op, *inside)) and not any(
        not op.is_ancestor(value.owner) for inner in inside for value in inner.operands
    )


@dataclass(frozen=True, slots=True)
class Outlined:
    """An operation, and the reductions of its results that belong to it: without them, its results are partial."""

    op: Operation
    reductions: Sequence[Operation | None]
    """For each result, the reduction that alone reads it; None if it is complete."""

    @staticmethod
    def of(op: Operation) -> "Outlined":
        """Raises `OperationFailedException` if results are partial, and read by more than one reduction."""
        reductions: list[Operation | None] = []
        for result in op.results:
            users = [use.operation for use in result.uses]
            found = [user for user in users if isinstance(user, Reduction)]
            sharding = local_sharding(result)
            is_partial = bool(found) or (sharding is not None and bool(sharding.unreduced_axes.data))
            if is_partial and (len(users) != 1 or len(found) != 1):
                raise OperationFailedException(
                    op,
                    f"'{op.name}' op has partial results, and not exactly one reduction of them: it cannot be "
                    "partitioned alone",
                )
            reductions.append(found[0] if found else None)
        return Outlined(op, reductions)

    @property
    def results(self) -> Sequence[SSAValue]:
        """The values that `op` and the reductions leave to others."""
        pairs = zip(self.op.results, self.reductions, strict=True)
        return [result if reduction is None else reduction.results[0] for result, reduction in pairs]


@dataclass(frozen=True, slots=True)
class PartitionedInstruction:
    """The body of the manual computation that replaces an operation."""

    outlined: Outlined
    body: Region
    in_shardings: Sequence[TensorShardingAttr]
    out_shardings: Sequence[TensorShardingAttr]
    manual_axes: Sequence[str]
    operand_types: Sequence[Attribute]
    """With padding that makes all parts equal."""
    result_types: Sequence[Attribute]


def _shardings(op: Operation, values: Iterable[SSAValue], like: TensorShardingAttr) -> list[TensorShardingAttr]:
    """The shardings of `values`; those without one are replicated, over the mesh of `like`."""
    found = [local_sharding(value) for value in values]
    for value, sharding in zip(values, found, strict=True):
        if sharding is None and not isinstance(value.type, TensorType):
            raise OperationFailedException(
                op, f"'{op.name}' op has a value of {value.type}, which a manual computation cannot have"
            )
    return [
        sharding or TensorShardingAttr.fully_closed(like.mesh_or_ref, rank_of(value))
        for value, sharding in zip(values, found, strict=True)
    ]


def _common_shape(types: Sequence[Attribute]) -> Attribute:
    """The type of the largest of several shapes, in each dimension."""
    shapes = [type.get_shape() for type in types if is_tensor(type)]
    (element, *_) = [type.element_type for type in types if is_tensor(type)]
    return TensorType(element, [max(extents) for extents in zip(*shapes, strict=True)])


def _function_of(
    outlined: Outlined,
    types: tuple[Sequence[Attribute], Sequence[Attribute]],
    shardings: tuple[Sequence[TensorShardingAttr], Sequence[TensorShardingAttr]],
) -> FuncOp:
    """A function that applies `outlined` to its arguments; arguments and results have these types and shardings."""
    block = Block(arg_types=types[0])
    op = outlined.op.clone()
    block.add_op(op)
    op.operands = block.args
    if isinstance(op, ReshardOp):
        set_type(op.results[0], types[1][0])
    values: list[SSAValue] = []
    for result, reduction in zip(op.results, outlined.reductions, strict=True):
        if reduction is not None:
            after = reduction.clone()
            block.add_op(after)
            after.operands = [result]
            result = after.results[0]
        values.append(result)
    block.add_op(ReturnOp(*values))
    attributes = [ArrayAttr(DictionaryAttr({SHARDING: sharding}) for sharding in each) for each in shardings]
    type = FunctionType.from_lists(*types)
    return FuncOp("main", type, Region(block), StringAttr("public"), arg_attrs=attributes[0], res_attrs=attributes[1])


def partitioned(op: Operation, partitioner: Partitioner, ctx: Context) -> PartitionedInstruction:
    """`op` as the program of each device. Raises `OperationFailedException` if it cannot be partitioned."""
    outlined = Outlined.of(op)
    values = [*op.operands, *outlined.results]
    known = [sharding for value in values if (sharding := local_sharding(value)) is not None]
    module = enclosing_module(op)
    assert known and module is not None
    if common_mesh(known, op) is None:
        raise OperationFailedException(op, f"'{op.name}' op has values over different meshes")
    in_shardings, out_shardings = (_shardings(op, values, known[0]) for values in (op.operands, outlined.results))
    types: tuple[Sequence[Attribute], Sequence[Attribute]] = (
        [value.type for value in op.operands],
        [value.type for value in outlined.results],
    )
    if isinstance(op, ReshardOp):  # all at once, so that nothing is cut off inside
        both = [padded_type(types[0][0], sharding, op) for sharding in (*in_shardings, *out_shardings)]
        types = [_common_shape(both)], [_common_shape(both)]
    meshes = [mesh.clone() for mesh in module.ops if isinstance(mesh, MeshOp)]
    function = _function_of(outlined, types, (in_shardings, out_shardings))
    local = ModuleOp([*meshes, function])
    has_reductions = any(reduction is not None for reduction in outlined.reductions)
    try:
        for step in partitioner.passes(has_reductions=has_reductions):
            step.apply(ctx, local)
    except PassFailedException as error:
        raise OperationFailedException(op, str(error)) from error
    axes = (axis.axis.data for sharding in (*in_shardings, *out_shardings) for axis in sharding.axis_refs())
    return PartitionedInstruction(
        outlined,
        function.body,
        in_shardings,
        out_shardings,
        list(dict.fromkeys(axes)),
        [padded_type(type, sharding, op) for type, sharding in zip(types[0], in_shardings, strict=True)],
        [padded_type(type, sharding, op) for type, sharding in zip(types[1], out_shardings, strict=True)],
    )
