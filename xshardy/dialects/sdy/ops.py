"""
The operations of the sdy dialect. The collectives are in `collectives.py`.

Source: rows SDY-OP-06 to SDY-OP-11 and SDY-OP-13 to SDY-OP-16, and upstream's `sdy.func_data_flow_edge`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import dropwhile, pairwise
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I32,
    I64,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    ModuleOp,
    ShapedType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue, Use
from xdsl.irdl import (
    AnyAttr,
    AnyRange,
    IRDLOperation,
    MessageConstraint,
    ParamAttrConstraint,
    VarConstraint,
    base,
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
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    RecursivelySpeculatable,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.canonicalized_by import CanonicalizedBy
from xshardy.dialects.constraints import OperandTypes, StaticShape
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import PropagationDirection, ReductionOp, member_of, number_of
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr, MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.sdy.formats import (
    BlockWithArguments,
    DenseElements,
    DirectionName,
    MeshBody,
    StrippedShardings,
    add_missing_terminators,
)
from xshardy.dialects.sdy.interfaces import CANONICALIZATION, ShardableDataFlowOpInterface
from xshardy.dialects.sdy.unreduced import verify_unreduced_transition
from xshardy.dialects.sdy.value_shardings import common_mesh, local_sharding, lookup_mesh
from xshardy.dialects.sdy.verification import (
    axes_bound_around,
    bound_axis_message,
    verify_sharding,
    verify_sharding_per_value,
)
from xshardy.dialects.shapes import is_tensor


@irdl_op_definition
class MeshOp(IRDLOperation):
    """`sdy.mesh @mesh = <["a"=2, "b"=4]>`: a mesh with a name, which shardings refer to."""

    name = "sdy.mesh"
    sym_name = prop_def(SymbolNameConstraint())
    mesh = prop_def(MeshAttr)
    traits = traits_def(HasParent(ModuleOp), SymbolOpInterface())
    custom_directives = (MeshBody,)
    assembly_format = "$sym_name `=` custom<MeshBody>($mesh) attr-dict"

    def __init__(self, sym_name: str, mesh: MeshAttr):
        super().__init__(properties={"sym_name": StringAttr(sym_name), "mesh": mesh})


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The end of a region of sdy, and the values that the region returns."""

    name = "sdy.return"
    values = var_operand_def()
    traits = traits_def(Pure(), IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A constant that is not merged with equal ones, so that each use can have its own sharding."""

    name = "sdy.constant"
    T: ClassVar = VarConstraint("T", base(TensorType) & StaticShape("the result must have a static shape, got: {type}"))
    value = cast(
        DenseIntOrFPElementsAttr,
        prop_def(
            MessageConstraint(
                ParamAttrConstraint(DenseIntOrFPElementsAttr, (T, AnyAttr()))
                | ParamAttrConstraint(DenseResourceAttr, (AnyAttr(), T)),
                "the value and the result have one type",
            )
        ),
    )
    output = result_def(T)
    traits = traits_def(Pure())
    custom_directives = (DenseElements,)
    assembly_format = "attr-dict custom<DenseElements>($value)"

    def __init__(self, value: DenseIntOrFPElementsAttr):
        super().__init__(properties={"value": value}, result_types=[value.type])


class _AttachedSharding(IRDLOperation):
    """An identity that attaches a sharding to its tensor."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    input = operand_def(T)
    sharding = prop_def(TensorShardingAttr)
    result = result_def(T)
    assembly_format = "$input $sharding attr-dict `:` type($result)"

    def __init__(self, input: SSAValue, sharding: TensorShardingAttr):
        super().__init__(operands=[input], properties={"sharding": sharding}, result_types=[input.type])

    def verify_(self) -> None:
        verify_sharding(self.sharding, self.result.type, self)
        source = self.input
        while isinstance(source.owner, PropagationBarrierOp):
            source = source.owner.input
        before = local_sharding(source)
        if before is not None:
            verify_unreduced_transition(
                self, [before], [self.sharding], introduced=ReductionOp.SUM, removed=before.reduction_op.data
            )


@irdl_op_definition
class ShardingConstraintOp(_AttachedSharding):
    """
    The sharding that the user requires for a tensor, or for the uses of this operation.

    Not pure: without a use, it constrains its operand.
    """

    name = "sdy.sharding_constraint"


@irdl_op_definition
class ReshardOp(_AttachedSharding):
    """Moves a tensor to another sharding; its elements stay the same."""

    name = "sdy.reshard"
    traits = traits_def(Pure(), CanonicalizedBy(CANONICALIZATION))


@irdl_op_definition
class PropagationBarrierOp(IRDLOperation):
    """An identity that propagates shardings in the allowed direction only."""

    name = "sdy.propagation_barrier"
    T: ClassVar = VarConstraint("T", base(TensorType))
    input = operand_def(T)
    allowed_direction = prop_def(IntegerAttr[I32])
    result = result_def(T)
    traits = traits_def(Pure())
    custom_directives = (DirectionName,)
    assembly_format = (
        "$input `allowed_direction` `` `=` `` custom<DirectionName>($allowed_direction) attr-dict `:` type($input)"
    )

    def __init__(self, input: SSAValue, allowed_direction: PropagationDirection):
        direction = number_of(allowed_direction)
        super().__init__(operands=[input], properties={"allowed_direction": direction}, result_types=[input.type])

    @property
    def direction(self) -> PropagationDirection:
        """The member of the enum whose number `allowed_direction` is."""
        return member_of(PropagationDirection, self.allowed_direction)

    def verify_(self) -> None:
        if self.direction is PropagationDirection.BOTH:
            raise VerifyException(
                "cannot specify `BOTH` as the direction. Not blocking propagation direction makes the op redundant."
            )


@irdl_op_definition
class ShardingGroupOp(IRDLOperation):
    """Puts a tensor into a group; all members of a group get the same sharding."""

    name = "sdy.sharding_group"
    input = operand_def(TensorType)
    group_id = prop_def(IntegerAttr[I64])
    assembly_format = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, group_id: int):
        super().__init__(operands=[input], properties={"group_id": IntegerAttr(group_id, i64)})


class _Edge(IRDLOperation):
    """Holds the sharding of all values of a data flow edge. Its operand owns the edge, and has no other use."""

    T: ClassVar = VarConstraint("T", AnyAttr())
    input = operand_def(T)

    def verify_(self) -> None:
        if not self.input.has_one_use():
            kind = "operand" if isinstance(self, FuncDataFlowEdgeOp) else "input"
            raise VerifyException(f"expected {kind} of {self.name} to have a single user")


@irdl_op_definition
class DataFlowEdgeOp(_Edge):
    """A data flow edge of an operation with regions. Not pure: it also holds the sharding if it has no use."""

    name = "sdy.data_flow_edge"
    result = result_def(_Edge.T & StaticShape(f"expected {name} to have a static-shaped result. type: {{type}}"))
    sharding = opt_prop_def(TensorShardingAttr)
    assembly_format = "$input (`sharding` `` `=` `` $sharding^)? attr-dict `:` type($result)"

    def __init__(self, input: SSAValue, sharding: TensorShardingAttr | None = None):
        super().__init__(operands=[input], properties={"sharding": sharding}, result_types=[input.type])

    def verify_(self) -> None:
        super().verify_()
        owner = self.input.owner
        is_sdy = isinstance(owner, Operation) and owner.name.startswith("sdy.")
        if is_sdy and not isinstance(owner, ShardableDataFlowOpInterface):
            raise VerifyException(
                "expected input of sdy.data_flow_edge to not be defined by an SdyDialect op (other than an "
                "sdy.named_computation)."
            )
        if self.sharding is not None:
            verify_sharding(self.sharding, self.result.type, self)


@irdl_op_definition
class FuncDataFlowEdgeOp(_Edge):
    """An edge between functions: from the calls' operands to an argument, or from a return to a call's result."""

    name = "sdy.func_data_flow_edge"
    result = result_def(_Edge.T & StaticShape(f"expected {name} to have a static-shaped result. type: {{type}}"))
    assembly_format = "$input attr-dict `:` type($result)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[input.type])

    def verify_(self) -> None:
        super().verify_()
        if isinstance(self.input, BlockArgument):
            if not isinstance(self.input.block.parent_op(), FuncOp):
                raise VerifyException(
                    "expected operand of sdy.func_data_flow_edge to be a block argument of a func op."
                )
        elif not isinstance(self.input.owner, CallOp):
            raise VerifyException("expected operand of sdy.func_data_flow_edge to be a result of call op.")


def _position(owner: SSAValue) -> int:
    """The index of `owner` among the arguments of its block, or the results of its operation."""
    if not isinstance(owner, BlockArgument | OpResult):
        raise ValueError(f"expected an argument or a result, got {owner}")
    return owner.index


class _RegionWithEdges(IRDLOperation, ShardableDataFlowOpInterface):
    """
    The base of operations whose body runs once: each operand flows into an argument of the body, and each value that
    the body returns flows into a result.
    """

    inputs = var_operand_def()
    body = region_def("single_block")
    outputs = var_result_def()
    custom_directives = (StrippedShardings, BlockWithArguments)
    irdl_options = ()

    @property
    def terminator(self) -> Operation:
        """The terminator of the body. Raises `ValueError` for an empty body."""
        last = self.regions[0].block.last_op
        if last is None:
            raise ValueError(f"{self.name} has an empty body")
        return last

    def shardings_property(self, owner: SSAValue) -> str:
        """The property that holds the sharding of the edge that `owner` owns."""
        return "in_shardings" if isinstance(owner, BlockArgument) else "out_shardings"

    def block_argument_edge_owners(self) -> Sequence[BlockArgument]:
        return self.body.block.args

    def edge_sources(self, owner: SSAValue) -> Sequence[SSAValue]:
        # Hot path: `operands` are the `inputs`, without the slow generated accessor.
        if isinstance(owner, BlockArgument):
            return (self.operands[owner.index],)
        return (self.terminator.operands[_position(owner)],)

    def edge_owner_from_target(self, target: SSAValue) -> SSAValue | None:
        if isinstance(target, BlockArgument):
            return target if target.block is self.body.block else None
        return target if target.owner is self else None

    def edge_owner_from_source(self, source: Use) -> SSAValue | None:
        if source.operation is self:
            return self.body.block.args[source.index]
        return self.outputs[source.index] if source.operation is self.terminator else None

    def edge_owner_sharding(self, owner: SSAValue) -> TensorShardingAttr | None:
        shardings = self.properties.get(self.shardings_property(owner))
        if not isinstance(shardings, TensorShardingPerValueAttr):
            return None
        index = _position(owner)
        listed = shardings.shardings.data
        return listed[index] if index < len(listed) else None  # the operation may not be verified yet

    def set_edge_owner_sharding(self, owner: SSAValue, sharding: TensorShardingAttr) -> None:
        values = self.body.block.args if isinstance(owner, BlockArgument) else self.outputs
        name = self.shardings_property(owner)
        known = self.properties.get(name)
        if isinstance(known, TensorShardingPerValueAttr):
            shardings = list(known.shardings)
        else:
            ranks = (value.type.get_num_dims() if isinstance(value.type, ShapedType) else 0 for value in values)
            shardings = [TensorShardingAttr.fully_open(sharding.mesh_or_ref, rank) for rank in ranks]
        shardings[_position(owner)] = sharding
        self.properties[name] = TensorShardingPerValueAttr(shardings)


@irdl_op_definition
class NamedComputationOp(_RegionWithEdges):
    """A group of operations with a name. Shardings are propagated through it as if its body were inlined."""

    name = "sdy.named_computation"
    T: ClassVar = OperandTypes("T", AnyRange())
    inputs = var_operand_def(T)
    body = region_def("single_block", entry_args=T)
    computation_name = prop_def(StringAttr, prop_name="name")
    in_shardings = opt_prop_def(TensorShardingPerValueAttr)
    out_shardings = opt_prop_def(TensorShardingPerValueAttr)
    traits = traits_def(
        IsolatedFromAbove(), RecursiveMemoryEffect(), RecursivelySpeculatable(), SingleBlockImplicitTerminator(ReturnOp)
    )
    assembly_format = (
        "`<` $name `>` `` `(` $inputs `)` (`in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings)^)? "
        "(`out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings)^)? custom<BlockWithArguments>($body) "
        "attr-dict `:` functional-type($inputs, $outputs)"
    )

    def __init__(
        self,
        computation_name: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        body: Region | None = None,
        in_shardings: TensorShardingPerValueAttr | None = None,
        out_shardings: TensorShardingPerValueAttr | None = None,
    ):
        """
        A `body` that does not end in a `sdy.return` gets one.

        Without a `body`, the operation gets a block with an argument for each input, to be filled and ended by a
        return.
        """
        if body is None:
            body = Region(Block(arg_types=[value.type for value in inputs]))
        else:
            add_missing_terminators(body, type(self))
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            regions=[body],
            properties={
                "name": StringAttr(computation_name),
                "in_shardings": in_shardings,
                "out_shardings": out_shardings,
            },
        )

    def verify_(self) -> None:
        returned = self.terminator.operand_types
        if returned != self.result_types:
            listed = ", ".join(f"'{type}'" for type in returned)
            given = ", ".join(f"'{type}'" for type in self.result_types)
            raise VerifyException(
                f"inferred type(s) {listed} are incompatible with return type(s) of operation {given}"
            )
        if self.in_shardings is not None:
            verify_sharding_per_value(self.in_shardings, self.operand_types, self, "in_shardings")
        if self.out_shardings is not None:
            verify_sharding_per_value(self.out_shardings, self.result_types, self, "out_shardings")


@irdl_op_definition
class ManualComputationOp(_RegionWithEdges):
    """
    Code of a single device, with its own collectives along the manual axes.

    The arguments of the body have local shapes along the manual axes; shardings are propagated along the others.
    """

    name = "sdy.manual_computation"
    in_shardings = prop_def(TensorShardingPerValueAttr)
    out_shardings = prop_def(TensorShardingPerValueAttr)
    manual_axes = prop_def(ManualAxesAttr)
    traits = traits_def(
        IsolatedFromAbove(),
        RecursiveMemoryEffect(),
        SingleBlockImplicitTerminator(ReturnOp),
        CanonicalizedBy(CANONICALIZATION),
    )
    assembly_format = (
        "`` `(` $inputs `)` `in_shardings` `` `=` `` custom<StrippedShardings>($in_shardings) "
        "`out_shardings` `` `=` `` custom<StrippedShardings>($out_shardings) "
        "`manual_axes` `` `=` `` $manual_axes custom<BlockWithArguments>($body) "
        "attr-dict `:` functional-type($inputs, $outputs)"
    )

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        in_shardings: Iterable[TensorShardingAttr],
        out_shardings: Iterable[TensorShardingAttr],
        manual_axes: Iterable[str],
        body: Region,
        result_types: Sequence[Attribute],
    ):
        """A `body` that does not end in a `sdy.return` gets one."""
        add_missing_terminators(body, type(self))
        super().__init__(
            operands=[inputs],
            result_types=[result_types],
            regions=[body],
            properties={
                "in_shardings": TensorShardingPerValueAttr(in_shardings),
                "out_shardings": TensorShardingPerValueAttr(out_shardings),
                "manual_axes": ManualAxesAttr(map(StringAttr, manual_axes)),
            },
        )

    def verify_(self) -> None:
        bound = axes_bound_around(self)
        for axis in self.manual_axes.names:
            if axis in bound:
                raise VerifyException(bound_axis_message(axis))
        self._verify_values("operand", self.operand_types, self.body.block.arg_types, self.in_shardings)
        self._verify_values("result", self.result_types, self.terminator.operand_types, self.out_shardings)
        shardings = [*self.in_shardings.shardings, *self.out_shardings.shardings]
        if not shardings:
            return
        mesh = common_mesh(shardings, self)
        if mesh is None and self.manual_axes.names:
            raise VerifyException("all in and out shardings must be bound to the same mesh or an empty mesh.")
        for axis in self.manual_axes.names:
            if mesh is not None and axis not in mesh.sizes:
                raise VerifyException(f'unknown manual axis: "{axis}"')

    def _verify_values(
        self,
        what: str,
        global_types: Sequence[Attribute],
        local_types: Sequence[Attribute],
        shardings: TensorShardingPerValueAttr,
    ) -> None:
        """Check the shardings of all operands or all results, and that they make the local types of the global ones."""
        if not (global_types or local_types or shardings.shardings.data):
            return
        verify_sharding_per_value(shardings, global_types, self, what)
        if len(global_types) != len(local_types):
            raise VerifyException(
                f"number of op {what}s and region {what}s must match. Op has {len(global_types)} op {what}s and "
                f"{len(local_types)} region {what}s"
            )
        for index, (sharding, type, local) in enumerate(
            zip(shardings.shardings, global_types, local_types, strict=True)
        ):
            for dim, dimension in enumerate(sharding.dim_shardings):
                self._verify_manual_axes_first(f"{what} sharding at index {index}", dim, dimension.axes.data)
            if is_tensor(type) or not sharding.rank:
                expected = self._local_type(type, sharding, what)
                if expected != local:
                    raise VerifyException(
                        f"{what} shape, corresponding sharding, and region {what} shape at index {index} must match. "
                        f"Expected local shape '{expected}', actual local shape '{local}'"
                    )

    def _verify_manual_axes_first(self, where: str, dim: int, axes: Sequence[AxisRefAttr]) -> None:
        manual = set(self.manual_axes.names)
        tail = list(dropwhile(lambda axis: axis.axis.data in manual, axes))
        for free, axis in pairwise(tail):
            if axis.axis.data in manual:
                raise VerifyException(
                    f"{where} must have all manual axes come before free axes in its dimension sharding at index "
                    f"{dim}. Saw manual axis {axis.text} after free axis {free.text}"
                )

    def _local_type(self, type: Attribute, sharding: TensorShardingAttr, what: str) -> Attribute:
        if not sharding.rank or not is_tensor(type):  # a maximal mesh, or no tensor
            return type
        mesh = lookup_mesh(sharding, self)
        manual = set(self.manual_axes.names)
        shape: list[int] = []
        for size, dimension in zip(type.get_shape(), sharding.dim_shardings, strict=True):
            axes = [axis for axis in dimension.axes if axis.axis.data in manual]
            parts = sharded_size(axes, mesh) if mesh is not None else 1
            if size >= 0 and size % parts:
                raise VerifyException(f"{what} dimension size {size} is not divisible by the manual axes size {parts}")
            shape.append(size // parts if size >= 0 else size)
        return TensorType(type.element_type, shape)
